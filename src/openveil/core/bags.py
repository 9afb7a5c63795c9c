"""Bags of sensitive values, one a group: all that a privacy model may know of what is sensitive.

Claim. `Bags` holds for each group how often each value occurs in it, in one view of the sensitive columns: a single
column, or all of them together. `whole` says how often each value occurs in the whole table. Values are numbers on an
ordered axis of `domain` values; which value a number stands for is not known here, so nothing made from bags can show
one.

Cost. One entry for every distinct value of a group.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from openveil.core.nodes import Nodes

Counts = NDArray[np.int64]
_ONCE = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Pairs:
    """What values stand for where each is a pair of nodes: the one that is shown, and the one that guards it."""

    nodes: Nodes = field(repr=False)
    shown: NDArray[np.int32] = field(repr=False)
    guard: NDArray[np.int32] = field(repr=False)


@dataclass(frozen=True, eq=False)
class Bags:
    """Group g has the values `values[starts[g]:starts[g + 1]]`, ascending, each as often as `counts` says.

    `pairs` is given in the view of guarding nodes alone, and says what its values stand for.
    """

    view: str
    whole: Counts = field(repr=False)
    starts: Counts = field(repr=False)
    values: NDArray[np.int32] = field(repr=False)
    counts: Counts = field(repr=False)
    pairs: Pairs | None = field(default=None, repr=False)

    @staticmethod
    def of_rows(view: str, whole: Counts, label: NDArray[np.int32], codes: NDArray[np.int32], groups: int) -> Bags:
        """The bags of rows that have these codes and belong to these groups; a negative group is none."""
        from openveil.kernels.tally import tally

        return Bags(view, whole, *tally(label, codes, _ONCE, groups, len(whole)))

    @staticmethod
    def of_counts(view: str, table: Sequence[Sequence[int]] | NDArray[np.integer]) -> Bags:
        """One bag a line of `table`, which says how often each value occurs; together they are the whole table."""
        dense = np.array(table, dtype=np.int64).reshape(len(table), -1)
        group, values = np.nonzero(dense)
        starts = np.searchsorted(group, np.arange(len(dense) + 1)).astype(np.int64)
        return Bags(view, dense.sum(axis=0), starts, values.astype(np.int32), dense[group, values])

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def guarded(self) -> Pairs:
        """What the values stand for, in the view of guarding nodes."""
        if self.pairs is None:
            raise ValueError("bags: this view does not tell what guards its values")
        return self.pairs

    @property
    def domain(self) -> int:
        """How many values there are."""
        return len(self.whole)

    def merged(self, label: NDArray[np.int32], groups: int) -> Bags:
        """The bags of coarser groups; `label` says which one each group falls into."""
        from openveil.kernels.tally import tally

        above = np.ascontiguousarray(label, dtype=np.int32)[self.owner]
        starts, values, counts = tally(above, self.values, self.counts, groups, self.domain)
        return replace(self, starts=starts, values=values, counts=counts)

    def among(self, kept: NDArray[np.bool_]) -> Bags:
        """The bags of the kept groups alone, in their order."""
        stays = kept[self.owner]
        starts = np.concatenate([[0], np.cumsum(np.diff(self.starts)[kept])]).astype(np.int64)
        return replace(self, starts=starts, values=self.values[stays], counts=self.counts[stays])

    @cached_property
    def owner(self) -> NDArray[np.int64]:
        """The group of each entry."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    @cached_property
    def sizes(self) -> Counts:
        """How many rows each group has."""
        return self.summed(self.counts)

    @cached_property
    def distinct(self) -> Counts:
        """How many distinct values each group has."""
        return np.diff(self.starts)

    @cached_property
    def largest(self) -> Counts:
        """How often the most frequent value of each group occurs; 0 in an empty group."""
        most = np.zeros(len(self), dtype=np.int64)
        filled = np.flatnonzero(np.diff(self.starts))
        if len(filled):
            most[filled] = np.maximum.reduceat(self.counts, self.starts[filled])
        return most

    @cached_property
    def ranked(self) -> Counts:
        """The counts with those of each group in descending order; groups start where they did."""
        order = np.lexsort((-self.counts, self.owner))
        return self.counts[order]

    @cached_property
    def place(self) -> Counts:
        """The place of each entry in its group, from 0."""
        return np.arange(len(self.counts)) - self.starts[self.owner]

    def has_times(self, rows: Counts, times: int) -> NDArray[np.bool_]:
        """For each group, whether it has at least so many times these rows; exact, however many they are."""
        answer: NDArray[np.bool_] = rows <= self.sizes // times
        return answer

    def rows_for(self, rows: Counts, times: int) -> Counts:
        """So many times these rows, of each group; one more than the group has, where that is less."""
        # What is more than there is may be more than 64 bits hold.
        enough = self.has_times(rows, times)
        needed: Counts = np.where(enough, np.where(enough, rows, 0) * times, self.sizes + 1)
        return needed

    def summed(self, entries: Counts) -> Counts:
        """The sum of whole numbers, one an entry, over each group."""
        up_to = np.concatenate([[0], np.cumsum(entries, dtype=np.int64)])
        whole: Counts = up_to[self.starts[1:]] - up_to[self.starts[:-1]]
        return whole
