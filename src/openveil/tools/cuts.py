"""Groups of rows that are cut further and further, by quasi-identifiers alone.

Claim. Whatever a `Cuts` does follows from the quasi-identifiers, from the persons the rows belong to and from the
numbers of rows it is told that each side of a cut needs. It has no way to a sensitive value.

Cost. See each kind of cut.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import StrEnum

import numpy as np
import polars as pl
from numpy.typing import NDArray

from openveil.core.axis import Axis
from openveil.core.bags import Counts
from openveil.core.requirement import Requirement
from openveil.core.table import Public
from openveil.core.witness import NOT_ASKED, Labels


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


class MedianCuts(Cuts):
    """Mondrian's cuts: at the median of the widest attribute that can be cut there.

    Cost. Three passes over the rows of the open groups a round, and half the rows of a group at most stay on either
    side where values do not tie.
    """

    def __init__(self, public: Public, requirement: Requirement, widths: Widths) -> None:
        self._public = public
        self._codes = np.array(public.codes)
        self._order = np.arange(len(public), dtype=np.int32)
        self._lows = np.zeros(min(1, len(public)), dtype=np.int64)
        self._highs = np.full(len(self._lows), len(public), dtype=np.int64)
        self._starts = np.zeros(len(public), dtype=np.bool_)
        self._starts[self._lows] = True
        self._places, self._offsets = places_of(public, widths)
        self._persons, self._least_persons = crowd(public, requirement)

    @property
    def open(self) -> int:
        """How many groups are open."""
        return len(self._lows)

    @property
    def attributes(self) -> int:
        """How many attributes there are to cut."""
        return int(self._codes.shape[1])

    def label(self) -> Labels:
        """The open group of each row; NOT_ASKED for rows of closed groups."""
        return self._spread(self._lows, self._highs)

    def groups(self) -> Labels:
        """The group of each row, open or closed."""
        group = np.empty(len(self._order), dtype=np.int32)
        group[self._order] = np.cumsum(self._starts, dtype=np.int32) - 1
        return group

    def cut(self, least: Counts) -> None:
        """Cut each open group at the first admissible median, from the widest attribute on; close the others."""
        self.make(*self.chosen(least, range(self.attributes)))

    def make(self, chosen: NDArray[np.int32], middle: Counts) -> None:
        """Cut each open group at the code `middle` of the attribute `chosen`; close those that have none."""
        from openveil.kernels.median import divide

        cuts: Counts = divide(self._codes, self._order, self._lows, self._highs, chosen, middle)
        done = chosen >= 0
        self._starts[cuts[done]] = True
        lows, highs = self._lows[done], self._highs[done]
        self._lows = np.stack([lows, cuts[done]], axis=1).reshape(-1)
        self._highs = np.stack([cuts[done], highs], axis=1).reshape(-1)

    def chosen(self, least: Counts, tried: range) -> tuple[NDArray[np.int32], Counts]:
        """For each open group the attribute to cut (or -1) and the greatest code below the cut.

        `tried` are places among the attributes when these are ordered from the widest to the narrowest.
        """
        from openveil.kernels.median import choose

        found: tuple[NDArray[np.int32], Counts] = choose(
            self._codes,
            self._order,
            self._lows,
            self._highs,
            least,
            self._least_persons,
            self._places,
            self._offsets,
            self._persons,
            tried.start,
            tried.stop,
        )
        return found

    def sides(self, chosen: NDArray[np.int32], middle: Counts) -> Labels:
        """For each row twice the place of its group among those to be cut, and one more on the upper side."""
        done = chosen >= 0
        group = self._spread(self._lows[done], self._highs[done])
        asked = np.flatnonzero(group >= 0)
        mine = group[asked]
        upper = self._public.codes[asked, chosen[done][mine]] > middle[done][mine]
        group[asked] = 2 * mine + upper
        return group

    def _spread(self, lows: Counts, highs: Counts) -> Labels:
        """Number the rows of runs of rows, one run after the other."""
        label = np.full(len(self._order), NOT_ASKED, dtype=np.int32)
        number = np.repeat(np.arange(len(lows), dtype=np.int32), highs - lows)
        if len(number) == len(label):
            label[self._order] = number
            return label
        within = np.arange(len(number)) - np.repeat(np.cumsum(highs - lows) - (highs - lows), highs - lows)
        label[self._order[np.repeat(lows, highs - lows) + within]] = number
        return label


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
