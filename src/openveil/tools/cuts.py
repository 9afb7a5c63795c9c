"""Groups of rows that are cut further and further, by quasi-identifiers alone.

Claim. Whatever a `Cuts` does follows from the quasi-identifiers, from the persons the rows belong to, from what it is
told (the numbers of rows that each side of a cut needs, which halves hold, which rows to part) and from chance. It
has no way to a sensitive value.

Cost. See each kind of cut.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from openveil.core.axis import Axis
from openveil.core.bags import Counts
from openveil.core.requirement import Requirement
from openveil.core.secret import Secret
from openveil.core.shares import in_shares
from openveil.core.table import CodeMatrix, Public
from openveil.core.witness import NOT_ASKED, Labels

Answer = TypeVar("Answer")
Flags = NDArray[np.bool_]
NONE = np.empty(0, dtype=np.int64)


class Widths(StrEnum):
    """How wide an attribute is in a group: against its width in the table, or as the numbers are."""

    RELATIVE = "relative"
    RAW = "raw"


class Cuts(ABC):
    """Groups that partition the rows; those that may still be cut are open, and numbered from 0."""

    @property
    @abstractmethod
    def open(self) -> int:
        """How many groups are open."""

    @abstractmethod
    def label(self) -> Labels:
        """The open group of each row; NOT_ASKED for rows of closed groups."""

    @abstractmethod
    def cut(self, least: Counts) -> None:
        """Cut each open group into sides of at least `least` rows, or close it where there is no such cut."""

    @abstractmethod
    def groups(self) -> Labels:
        """The group of each row, open or closed."""


@dataclass(frozen=True, eq=False)
class Halves:
    """Which open groups have halves to be cut into, and which rows of these, as they stand, are in the upper one."""

    there: Flags
    upper: NDArray[np.uint8] = field(repr=False)

    @property
    def number(self) -> int:
        """How many halves there are."""
        return 2 * int(self.there.sum())

    def but(self, others: Halves) -> Halves:
        """Those that others does not have."""
        return replace(self, there=self.there & ~others.there)

    def where(self, holds: Flags) -> Halves:
        """Those halves of which both hold, `holds` being about the halves one after the other."""
        there = self.there.copy()
        there[there] = holds.reshape(-1, 2).all(axis=1)
        return replace(self, there=there)


class MedianCuts(Cuts):
    """Mondrian's cuts: at the median of the widest attribute that can be cut there.

    Cost. Three passes over the rows of the open groups a round, and half the rows of a group at most stay on either
    side where values do not tie.
    """

    def __init__(self, public: Public, requirement: Requirement, widths: Widths, group: Labels | None = None) -> None:
        """Start with all rows in one open group, or with the groups of `group`, numbered alike."""
        rows = len(public)
        order = np.arange(rows) if group is None else np.argsort(group, kind="stable")
        self._order = order.astype(np.int32)
        self._words, self._codes = in_words(public.codes if group is None else public.codes[order])
        sizes = np.full(min(1, rows), rows) if group is None else np.bincount(group)
        self._highs = np.cumsum(sizes, dtype=np.int64)
        self._lows = self._highs - sizes
        self._starts = np.zeros(len(public), dtype=np.bool_)
        self._starts[self._lows] = True
        self._places, self._offsets = places_of(public, widths)
        self._persons, self._least_persons = crowd(public, requirement)

    @property
    def open(self) -> int:
        """How many groups are open."""
        return len(self._lows)

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self._order)

    @property
    def attributes(self) -> int:
        """How many attributes there are to cut."""
        return int(self._codes.shape[1])

    def label(self) -> Labels:
        """The open group of each row; NOT_ASKED for rows of closed groups."""
        from openveil.kernels.median import tell_groups

        label = np.full(self.rows, NOT_ASKED, dtype=np.int32)
        tell_groups(self._order, self._lows, self._highs, label)
        return label

    def groups(self) -> Labels:
        """The group of each row, open or closed."""
        group = np.empty(self.rows, dtype=np.int32)
        group[self._order] = np.cumsum(self._starts, dtype=np.int32) - 1
        return group

    def cut(self, least: Counts) -> None:
        """Cut each open group at the first admissible median, from the widest attribute on; close the others."""
        self.make(*self.chosen(least, range(self.attributes)))

    def reopen(self) -> None:
        """Open every group again, so that it may be cut into smaller ones than before."""
        self._lows = np.flatnonzero(self._starts).astype(np.int64)
        self._highs = np.append(self._lows[1:], len(self._order)).astype(np.int64)

    def make(self, chosen: NDArray[np.int32], middle: Counts) -> None:
        """Cut each open group at the code `middle` of the attribute `chosen`; close those that have none."""
        self._go_on_with(chosen >= 0, self._divided(chosen, middle))

    def make_or_halve(
        self, chosen: NDArray[np.int32], middle: Counts, halves: Halves, *, apart: Halves | None = None
    ) -> None:
        """The same, where open groups that have none are cut into their halves before they are closed.

        Of others the rows that are `apart` become a group that is closed; those that stay are open.
        """
        cuts, in_halves = self._divided(chosen, middle), self._parted(halves)
        done, cuts = (chosen >= 0) | halves.there, np.where(halves.there, in_halves, cuts)
        if apart is None:
            self._go_on_with(done, cuts)
            return
        done, cuts = done | apart.there, np.where(apart.there, self._parted(apart), cuts)
        self._go_on_with(done, cuts)
        goes_on = np.ones(len(self._lows), dtype=np.bool_)
        goes_on[1::2] = ~apart.there[done]
        self._lows, self._highs = self._lows[goes_on], self._highs[goes_on]

    def _parted(self, halves: Halves) -> Counts:
        """Where the upper half of each open group starts, once the rows of those that have halves are moved."""
        from openveil.kernels.halving import part

        def parted(share: slice) -> Counts:
            runs = self._lows[share], self._highs[share]
            cuts: Counts = part(self._words, self._order, *runs, halves.there[share], halves.upper)
            return cuts

        return np.concatenate([*self._in_shares(parted), NONE])

    def apart(self, there: Flags, rows: Flags) -> Halves:
        """The rows that are to be parted from the open groups that are `there`."""
        return Halves(there, rows[self._order].astype(np.uint8))

    @property
    def sizes(self) -> Counts:
        """The rows of each open group."""
        return self._highs - self._lows

    def _divided(self, chosen: NDArray[np.int32], middle: Counts) -> Counts:
        """Where the upper side of each open group starts, once its rows are moved; its end where it is not cut."""
        from openveil.kernels.median import divide

        def divided(share: slice) -> Counts:
            runs = self._lows[share], self._highs[share]
            cuts: Counts = divide(self._words, self._codes, self._order, *runs, chosen[share], middle[share])
            return cuts

        return np.concatenate([*self._in_shares(divided), NONE])

    def _go_on_with(self, done: Flags, cuts: Counts) -> None:
        """Open both sides of the groups that were cut, and close the others."""
        self._starts[cuts[done]] = True
        lows, highs = self._lows[done], self._highs[done]
        self._lows = np.stack([lows, cuts[done]], axis=1).reshape(-1)
        self._highs = np.stack([cuts[done], highs], axis=1).reshape(-1)

    def halves(self, tried: Flags, fewest: int, secret: Secret, purpose: str) -> Halves:
        """The halves of each open group that is tried and whose halves have `fewest` rows and persons enough."""
        from openveil.kernels.halving import halve, settle

        side = np.zeros(self.rows, dtype=np.uint8)
        of_axes = self._places, self._offsets

        def halved(share: slice) -> tuple[Counts, Counts]:
            runs = self._lows[share], self._highs[share]
            lower, equal = halve(self._codes, *runs, tried[share], fewest, *of_axes, side)
            return lower, equal

        found = self._in_shares(halved)
        lower, equal = (np.concatenate([*each, NONE]) for each in zip(*found, strict=True))
        draws = _draws(lower, equal, np.where(lower >= 0, self.sizes, 0), secret, purpose)
        of_persons = self._persons, self._least_persons
        settle(self._order, self._lows, self._highs, lower, *draws, *of_persons, side)
        return Halves(lower >= 0, side)

    def in_halves(self, halves: Halves) -> Labels:
        """For each row twice the place of its group among those with halves, and one more in the upper half."""
        from openveil.kernels.halving import tell_halves

        label = np.full(self.rows, NOT_ASKED, dtype=np.int32)
        tell_halves(self._order, self._lows, self._highs, halves.there, halves.upper, label)
        return label

    def chosen(self, least: Counts, tried: range) -> tuple[NDArray[np.int32], Counts]:
        """For each open group the attribute to cut (or -1) and the greatest code below the cut.

        `tried` are places among the attributes when these are ordered from the widest to the narrowest.
        """
        from openveil.kernels.median import choose

        of_axes = self._places, self._offsets, self._persons, tried.start, tried.stop

        def found(share: slice) -> tuple[NDArray[np.int32], Counts]:
            runs = self._lows[share], self._highs[share], least[share]
            chosen, middle = choose(self._codes, self._order, *runs, self._least_persons, *of_axes)
            return chosen, middle

        shares = self._in_shares(found)
        return (
            np.concatenate([*(chosen for chosen, _ in shares), NONE]).astype(np.int32),
            np.concatenate([*(middle for _, middle in shares), NONE]),
        )

    def sides(self, chosen: NDArray[np.int32], middle: Counts) -> Labels:
        """For each row twice the place of its group among those to be cut, and one more on the upper side."""
        from openveil.kernels.median import tell_sides

        label = np.full(self.rows, NOT_ASKED, dtype=np.int32)
        tell_sides(self._codes, self._order, self._lows, self._highs, chosen, middle, label)
        return label

    def _in_shares(self, work: Callable[[slice], Answer]) -> list[Answer]:
        """What `work` gives for the open groups, some of them at a time on each core."""
        return in_shares(work, self.sizes)


def _draws(
    lower: Counts, equal: Counts, sizes: Counts, secret: Secret, purpose: str
) -> tuple[Counts, Counts, Counts]:
    """The numbers by which rows that are alike are put in order, where those of each group start, and one for x.

    x is the row of an odd number of rows that joins a half by a coin; both follow from the number.
    """
    odd = sizes % 2 > 0
    wanted = np.where(lower >= 0, np.minimum(lower + odd, equal - 1), 0)
    starts = np.concatenate([[0], np.cumsum(wanted)]).astype(np.int64)
    place = np.arange(starts[-1]) - np.repeat(starts[:-1], wanted)
    numbers = secret.numbers(f"{purpose}: rows alike", np.repeat(equal, wanted) - place)
    drawn = np.zeros(len(sizes), dtype=np.int64)
    drawn[odd] = secret.numbers(f"{purpose}: one of an odd number of rows", 2 * sizes[odd])
    return starts, numbers, drawn


def in_words(codes: CodeMatrix) -> tuple[NDArray[np.uint64], CodeMatrix]:
    """A copy of the codes whose rows are whole words of 64 bits, as words and as codes."""
    rows, attributes = codes.shape
    in_a_word = np.dtype(np.uint64).itemsize // codes.dtype.itemsize
    words = np.zeros((rows, -(-attributes // in_a_word)), dtype=np.uint64)
    copy = words.view(codes.dtype)[:, :attributes]
    copy[:] = codes
    return words, copy


def crowd(public: Public, requirement: Requirement) -> tuple[NDArray[np.int32], int]:
    """The person of each row, and how many persons a group needs; no persons where every row is one by itself."""
    from openveil.core.bags import Bags

    alone = np.zeros(0, dtype=np.int32)
    if public.persons is None:
        return alone, 1
    one = Bags.of_counts("", [[1]])
    needed = [int(model.needs(one)[0]) for model in requirement.parts() if not model.reads_sensitive]
    return np.array(public.persons, dtype=np.int32), max(needed, default=1)


def places_of(public: Public, widths: Widths) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Where each code of each attribute lies, axis after axis, and where each axis starts.

    Numbers and dates lie where they are; other values, and the missing one, one step apart in the order of the axis.
    """
    axes = [_places(hierarchy.axis) for hierarchy in public.hierarchies]
    if widths is Widths.RELATIVE:
        axes = [_between_0_and_1(places) for places in axes]
    offsets = np.cumsum([0, *(len(places) for places in axes)])[: len(axes)].astype(np.int64)
    return np.concatenate([*axes, np.zeros(0)]), offsets


def _places(axis: Axis) -> NDArray[np.float64]:
    steps = np.arange(len(axis), dtype=np.float64)
    dtype = axis.labels.dtype
    if dtype.is_numeric() or dtype.is_temporal():
        measured = axis.labels.to_physical().cast(pl.Float64).to_numpy()
        if np.isfinite(measured).all() and (np.diff(measured) > 0).all():
            steps[: len(measured)] = measured
            steps[len(measured) :] = measured.max(initial=0) + _step(measured)
    return steps


def _step(measured: NDArray[np.float64]) -> float:
    return float(measured[-1] - measured[0]) / (len(measured) - 1) if len(measured) > 1 else 1.0


def _between_0_and_1(places: NDArray[np.float64]) -> NDArray[np.float64]:
    width = places[-1] - places[0] if len(places) > 1 else 0.0
    return (places - places[:1]) / (width if np.isfinite(width) and width > 0 else 1.0)
