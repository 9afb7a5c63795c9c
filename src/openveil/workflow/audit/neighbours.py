"""The rows that a row may be alike, when hidden cells may stand for anything.

Claim. `Neighbours.classes` gives each class of a release with its neighbours as one: how many rows they are and their
sensitive values. Neighbours are, as is asked, the classes that agree with it wherever both show something
(`agreeing`), or those that show nothing but what it shows, too (`covering`), which therefore fit everybody it fits.

Why it holds. Classes are sorted by which of their cells are hidden. Two classes are joined by the attributes that
neither hides; each pair of such patterns is joined once, and every class is of one pattern. Neighbourhoods overlap:
their sizes do not add up to the rows.

Cost. One fold of the classes for every pattern. `Neighbours.of` gives None where the patterns are too many.

Source. M. Templ, A. Kowarik, B. Meindl, Statistical disclosure control for micro-data using the R package sdcMicro,
2015 (frequencies with missing values).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from openveil.core.bags import Bags, Counts
from openveil.core.classes import Classes, label_rows

Mask = NDArray[np.bool_]
Places = NDArray[np.intp]
Pairs = Callable[[int, int], bool]

_MOST_PATTERNS = 100
_MOST_JOINED = 40_000_000
_MOST_ENTRIES = 30_000_000


@dataclass(frozen=True, eq=False)
class _Join:
    """Two sets of classes, and the group of each class by the attributes that neither hides."""

    here: Places
    there: Places
    group_here: NDArray[np.int32]
    group_there: NDArray[np.int32]
    groups: int


@dataclass(frozen=True, eq=False)
class Neighbours:
    """The classes, and which patterns of hidden cells there are: `pattern[c]` numbers that of class c."""

    finest: Classes
    patterns: Mask = field(repr=False)
    pattern: Places = field(repr=False)

    @staticmethod
    def of(classes: Classes, hidden: Mask) -> Neighbours | None:
        """The neighbours of classes of which these cells are hidden; None where it costs too much."""
        patterns, pattern = np.unique(hidden, axis=0, return_inverse=True)
        if len(patterns) > _MOST_PATTERNS or len(patterns) * len(classes) > _MOST_JOINED:
            return None
        return Neighbours(classes, patterns, pattern.reshape(-1))

    def agreeing(self, here: int, there: int) -> bool:
        """All pairs of patterns."""
        return here >= 0 and there >= 0

    def covering(self, here: int, there: int) -> bool:
        """The pairs of patterns of which the second hides all that the first does."""
        return bool((self.patterns[there] | ~self.patterns[here]).all())

    def classes(self, wanted: Pairs) -> Classes | None:
        """Each class with its neighbours of the wanted pairs of patterns; None where their values are too many."""
        sizes = np.zeros(len(self.finest), dtype=np.int64)
        for join in self._joins(wanted):
            rows = np.bincount(join.group_there, self.finest.sizes[join.there], minlength=join.groups)
            sizes[join.here] += rows.astype(np.int64)[join.group_here]
        bags = [self._bags(view, wanted) for view in self.finest.bags]
        counted = tuple(each for each in bags if each is not None)
        if len(counted) < len(bags):
            return None
        return replace(self.finest, base_sizes=sizes, sizes=sizes, crowd=None, base_bags=counted)

    def _bags(self, view: Bags, wanted: Pairs) -> Bags | None:
        """The bags of the neighbourhoods."""
        from openveil.kernels.tally import tally

        labels, values, counts, entries = [], [], [], 0
        for join in self._joins(wanted):
            grouped = _of_groups(view, join)
            starts, lengths = grouped.starts[join.group_here], grouped.distinct[join.group_here]
            entries += int(lengths.sum())
            if entries > _MOST_ENTRIES:
                return None
            taken = _ranges(starts, lengths)
            labels.append(np.repeat(join.here, lengths).astype(np.int32))
            values.append(grouped.values[taken])
            counts.append(grouped.counts[taken])
        together = [np.concatenate(each) for each in (labels, values, counts)]
        return Bags(view.view, view.whole, *tally(*together, len(self.finest), view.domain))

    def _joins(self, wanted: Pairs) -> Iterator[_Join]:
        base = self.finest.base
        members = [np.flatnonzero(self.pattern == number) for number in range(len(self.patterns))]
        for one, other in product(range(len(members)), repeat=2):
            if not wanted(one, other):
                continue
            here, there = members[one], members[other]
            shown = ~(self.patterns[one] | self.patterns[other])
            maps = [each if shown[a] else np.zeros_like(each) for a, each in enumerate(self.finest.maps)]
            group = label_rows(np.ascontiguousarray(base[np.concatenate([here, there])]), maps)
            yield _Join(here, there, group[: len(here)], group[len(here) :], int(group.max(initial=-1)) + 1)


def _of_groups(view: Bags, join: _Join) -> Bags:
    """The bags of the groups of the classes there."""
    label = np.full(len(view), -1, dtype=np.int32)
    label[join.there] = join.group_there
    return view.merged(label, join.groups)


def _ranges(starts: Counts, lengths: Counts) -> Counts:
    """The numbers from each start on, so many of them, one range after the other."""
    before = np.cumsum(lengths) - lengths
    numbers: Counts = np.arange(int(lengths.sum())) - np.repeat(before, lengths) + np.repeat(starts, lengths)
    return numbers
