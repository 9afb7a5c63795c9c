"""Another release of the same columns, read onto the axes of a table.

Claim. `OtherRelease.of` gives the groups of rows that a reader sees as equal, each with the intervals of codes its
labels stand for on the axes of the table at hand, and how often each sensitive value occurs in it. Labels are read in
the notations of the common tools (`labels/reading.py`). One that cannot be read stands for everything, and how many
rows have such labels is told; one that stands for several values apart, for all between them.

Why it holds. To take a label for more than it says makes an adversary who reads it know less, never more.

Cost. One look at each pair of a distinct label and a value, one grouping of the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from openveil.core.attack import NO_GUESS, Sensitive
from openveil.core.axis import Axis, Hierarchy
from openveil.core.recoding import Display, Recoding
from openveil.core.table import Public
from openveil.labels.meaning import Hidden, Run
from openveil.labels.reading import Known, Labels
from openveil.tools.fitting import blocks

_NOTHING = (1, 0)


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
    axis = Axis(hierarchy.axis.name, written.drop_nulls().unique().sort(), missing=written.null_count() > 0)
    read = Labels.read(axis, Known(hierarchy))
    values = hierarchy.axis.published.cast(pl.String).to_list()
    ends = np.array([_ends(read, code, values) for code in range(len(axis))], dtype=np.int32).reshape(-1, 2)
    number = axis.encode(written)[0]
    # Named by their numbers: a label that reads like the root but is a value must not cover everything.
    names = pl.Series([str(code) for code in range(len(axis))], dtype=pl.String)
    return Display(names, ends[:, 0], ends[:, 1]), number, read.unread[number]


def _ends(read: Labels, code: int, values: Sequence[str | None]) -> tuple[int, int]:
    """The first and the last value of the axis that a label may stand for; missing only where nothing is shown."""
    meaning = read.meanings[code]
    if isinstance(meaning, Run):
        return meaning.low, meaning.high
    if meaning is None or isinstance(meaning, Hidden):
        return 0, len(values) - 1
    covered = [place for place, text in enumerate(values) if text is not None and read.covers(code, text)]
    return (covered[0], covered[-1]) if covered else _NOTHING
