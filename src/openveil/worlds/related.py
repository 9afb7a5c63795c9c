"""Which groups of a release have to be judged together, and whether they were judged in the same way.

Claim. `Related.of` puts groups that an algorithm compared in one question into one part. What was asked of whole
groups tells nothing of who has what in them: its answer is the same in every table that agrees with the release. A
set of rows that cuts through groups ties just these groups together; a question about every row by itself ties
together all it was about. `traces` has a number for each part, that of all sets which cut through it in some run.

Why it holds. The answer to a question about a set is the sum of the bags of the groups inside it, which are
published, and of what it has of the groups it cuts. So what happens to sets that cut through a part depends on the
values in it, and what happens to others does not. Where the same sets cut through a part in two runs and its groups
come out again, it was decided upon in the same way, whatever happened elsewhere. Where an algorithm reaches the same
groups by asking other questions, a part is taken not to have come out again, though it has; no such table was found
among those that are enumerated in the tests.

The number of a set is the sum of random numbers of its rows, so that two sets hardly ever have the same.

Cost. Three passes over the rows a look.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from openveil.core.bags import Counts
from openveil.core.secret import Secret
from openveil.core.witness import EACH_VALUE, Labels, Look

# Sums of whole numbers below this are exact in floating point.
_EXACT_BITS = 52
_MIX = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, eq=False)
class Related:
    """`home` is the group of each person from 0, `first` a person of each group, `part` the part of each person.

    `keys` are random numbers, one a person.
    """

    home: Counts = field(repr=False)
    first: Counts = field(repr=False)
    part: Labels = field(repr=False)
    keys: NDArray[np.float64] = field(repr=False)

    @staticmethod
    def of(looks: Iterable[Look], group: Labels) -> Related:
        """The parts that these looks tie the groups into."""
        _, first, home = np.unique(group, return_index=True, return_inverse=True)
        above = np.arange(len(first))
        for look in looks:
            _tie(above, *_cut(look, home, first))
        top = np.array([_top(above, number) for number in range(len(first))], dtype=np.int64)
        part = np.unique(top, return_inverse=True)[1].astype(np.int32)[home]
        bits = _EXACT_BITS - len(group).bit_length()
        words = np.frombuffer(Secret.fresh().stream("keys", 8 * len(group)), dtype=np.uint64)
        return Related(home, first, part, (words >> np.uint64(64 - bits)).astype(np.float64))

    @property
    def parts(self) -> int:
        """How many parts there are."""
        return int(self.part.max(initial=-1)) + 1

    def traces(self, looks: Iterable[Look]) -> NDArray[np.uint64]:
        """For each part, a number of all sets that these looks cut through it with."""
        found = np.zeros(self.parts, dtype=np.uint64)
        of_group = self.part[self.first].astype(np.int64)
        for look in looks:
            sets, groups = _cut(look, self.home, self.first)
            if not len(sets):
                continue
            asked = look.label >= 0
            numbers = np.bincount(look.label[asked], weights=self.keys[asked]).astype(np.uint64)
            mine = np.unique(np.stack([sets, of_group[groups]]), axis=1)
            np.add.at(found, mine[1], _mixed(numbers[mine[0]]))
        return found


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Numbers whose sums tell more of them."""
    once = numbers * _MIX
    twice: NDArray[np.uint64] = (once ^ (once >> np.uint64(29))) * _MIX
    return twice


def _cut(look: Look, home: Counts, first: Counts) -> tuple[Counts, Counts]:
    """Pairs of a set and a group that it cuts through, by set; a look at every row is one set of all groups."""
    if look.question == EACH_VALUE:
        groups = np.unique(home[look.label >= 0])
        return np.zeros(len(groups), dtype=np.int64), groups
    mixed = np.zeros(len(first), dtype=np.bool_)
    mixed[home[look.label != look.label[first[home]]]] = True
    rows = np.flatnonzero(mixed[home] & (look.label >= 0))
    pairs = np.unique(look.label[rows].astype(np.int64) * len(first) + home[rows])
    return np.divmod(pairs, len(first))


def _tie(above: Counts, sets: Counts, groups: Counts) -> None:
    """Put all groups that one set cuts together."""
    alike = np.flatnonzero(sets[1:] == sets[:-1])
    for one, other in zip(groups[alike].tolist(), groups[alike + 1].tolist(), strict=True):
        above[_top(above, other)] = _top(above, one)


def _top(above: Counts, group: int) -> int:
    while above[group] != group:
        above[group] = above[above[group]]
        group = int(above[group])
    return group
