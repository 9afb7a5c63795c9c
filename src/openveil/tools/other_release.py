"""Another release of the same columns, read onto the axes of a table.

Claim. `OtherRelease.of` gives the groups of rows that a reader sees as equal, each with the intervals of codes its
labels stand for on the axes of the table at hand, and how often each sensitive value occurs in it. A label that
cannot be read, or can be read in several ways, stands for everything, and how many rows have such labels is told.

Why it holds. A label is a value, a node of the hierarchy, or `first to last` of two values of the axis. To take a
label for more than it says makes an adversary who reads it know less, never more.

Cost. One look at each distinct label, one grouping of the rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from openveil.core.attack import NO_GUESS, Sensitive
from openveil.core.axis import ROOT, Hierarchy
from openveil.core.recoding import Display, Recoding
from openveil.core.table import Public
from openveil.labels.runs import OR_MISSING, TO
from openveil.tools.fitting import blocks

Interval = tuple[int, int]


@dataclass(frozen=True, eq=False)
class OtherRelease:
    """`shown` has the groups on the shared `attributes` of the table; `counts[g, v]` how often group g has value v.

    `unread` rows have a label that was not read.
    """

    shown: Recoding = field(repr=False)
    attributes: tuple[int, ...]
    counts: NDArray[np.int64] = field(repr=False)
    unread: int

    @staticmethod
    def of(public: Public, frame: pl.DataFrame, column: Sensitive) -> OtherRelease:
        """The release in `frame`, which has the sensitive column and at least one quasi-identifier of the table."""
        attributes = tuple(a for a, name in enumerate(public.names) if name in frame.columns)
        displays, codes = [], np.zeros((frame.height, len(attributes)), dtype=np.int32)
        unread = np.zeros(frame.height, dtype=np.bool_)
        for place, a in enumerate(attributes):
            display, codes[:, place], strange = _read(public.hierarchies[a], frame[public.names[a]])
            displays.append(display)
            unread |= strange
        cells, group = np.unique(codes, axis=0, return_inverse=True)
        group = np.asarray(group.ravel(), dtype=np.int32)
        values = column.numbers(frame[column.name])
        counts = np.zeros((len(cells), len(column.labels)), dtype=np.int64)
        known = values != NO_GUESS
        np.add.at(counts, (group[known], values[known]), 1)
        shown = Recoding(np.array(group), np.array(cells, dtype=np.int32), tuple(displays))
        return OtherRelease(shown, attributes, counts, int(unread.sum()))

    def values_of(self, public: Public) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """How often each value occurs in groups that fit, for each distinct combination; and each row's number."""
        known = public.codes[:, list(self.attributes)].astype(np.int32)
        combinations, number = np.unique(known, axis=0, return_inverse=True)
        found = np.zeros((len(combinations), self.counts.shape[1]), dtype=np.int64)
        for block, fits in blocks(self.shown, range(len(self.attributes)), combinations):
            found[block] = fits.astype(np.int64) @ self.counts
        return found, number.ravel()


def _read(hierarchy: Hierarchy, labels: pl.Series) -> tuple[Display, NDArray[np.int32], NDArray[np.bool_]]:
    """The distinct labels and what they stand for, the number of each row's label, and which rows were not read."""
    written = labels.cast(pl.String)
    distinct = written.unique(maintain_order=True)
    meanings = _Meanings.of(hierarchy)
    found = [meanings.of_label(label) for label in distinct.to_list()]
    whole = (0, len(hierarchy.axis) - 1)
    ends = np.array([whole if each is None else each for each in found], dtype=np.int32).reshape(-1, 2)
    numbered = pl.DataFrame({"label": distinct, "number": np.arange(len(distinct), dtype=np.int32)})
    asked = pl.DataFrame({"label": written})
    number = asked.join(numbered, on="label", how="left", nulls_equal=True, maintain_order="left")[
        "number"
    ].to_numpy()
    strange = np.array([each is None for each in found], dtype=np.bool_)[number]
    # Named by their numbers: a label that reads like the root but is a value must not cover everything.
    names = pl.Series([str(each) for each in range(len(distinct))], dtype=pl.String)
    return Display(names, ends[:, 0], ends[:, 1]), number, strange


@dataclass(frozen=True, eq=False)
class _Meanings:
    """What each text may stand for on an axis: its values, and the nodes above them."""

    codes: dict[str | None, int]
    nodes: dict[str, set[Interval]]
    last: int

    @staticmethod
    def of(hierarchy: Hierarchy) -> _Meanings:
        values = hierarchy.axis.published.cast(pl.String).to_list()
        nodes: dict[str, set[Interval]] = {}
        for level in range(1, len(hierarchy.levels)):
            display = Display.of_level(hierarchy, level)
            ends = zip(display.lower.tolist(), display.upper.tolist(), strict=True)
            for label, interval in zip(display.labels.cast(pl.String).to_list(), ends, strict=True):
                if label is not None:
                    nodes.setdefault(label, set()).add(interval)
        return _Meanings({label: code for code, label in enumerate(values)}, nodes, len(values) - 1)

    def of_label(self, label: str | None) -> Interval | None:
        """The one interval a label stands for; None where there is none, or several."""
        found = set(self._readings(label))
        return next(iter(found)) if len(found) == 1 else None

    def _readings(self, label: str | None) -> Iterator[Interval]:
        if label in self.codes:
            yield self.codes[label], self.codes[label]
        if label is None:
            return
        if label == ROOT:
            yield 0, self.last
        yield from self.nodes.get(label, ())
        run = label.removesuffix(OR_MISSING)
        pieces = run.split(TO)
        for cut in range(1, len(pieces)):
            first, last = self.codes.get(TO.join(pieces[:cut])), self.codes.get(TO.join(pieces[cut:]))
            if first is not None and last is not None and first <= last:
                yield first, self.last if run != label else last
