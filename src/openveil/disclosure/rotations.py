"""Rotations of groups: disclosure functions for microdata that never go through the tables there could be.

Claim. A rotation of a table shifts the values of each group cyclically, each group by itself. Over all rotations of a
group every person has each value exactly as often as it occurs in the group. So a disclosure set that is a union of
whole rotation sets gives everyone the chances that the published group shows, whatever was passed over; it is safe
for any requirement that the groups satisfy. `first_level` releases a table in the first function whose groups hold
and of which no rotation could have been released before; its disclosure sets are such unions.

Why it holds. `blocked` asks, for each earlier function j, whether in every group of function i some shift makes all
groups of j inside it hold: then, and only then, some rotation makes j hold. Both it and the groups' bags are the same
for all rotations of a table. If a table is not blocked at i, none of its rotations makes an earlier function hold, so
none was released earlier, and all are released at i.

Algorithm 5 of the paper is lost. Two readings of the text that is left (`Rotating`): *whole*, which releases a table
unless a rotation of it was released earlier, and *remainder*, which releases it if the rotations that were not
released earlier satisfy conservative diversity. Both are safe; both go through rotations of rotations, which takes
time exponential in the number of functions. `first_level` is *whole* for two functions, and for more withholds a
table also where a rotation only might have been released.

What fails. Claim 6, weak optimality, fails for both readings. For {1,2}, {3,4}, then {1,2,3,4}, with l = 2: *whole*
withholds AABB and BBAA, though the two together satisfy conservative diversity; *remainder* withholds AABC, AACB,
BCAA and CBAA, which do too. Nor is the rotation set the smallest set with the entropy of its group: AABB and BBAA
suffice where there are four rotations.

Cost. n shifts of a group of n rows, each read once an earlier function; groups are looked at until one decides.

Source. Zhang, Jajodia, Brodsky 2007, section 4.3 (Algorithm 5, Definitions 12 and 13, Claim 6).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import product
from math import gcd, prod

from openveil.disclosure.counting import Asked

Word = tuple[object, ...]
Chain = Sequence[Sequence[Sequence[int]]]


def rotations(word: Word) -> list[Word]:
    """The distinct cyclic shifts of a word."""
    return [*dict.fromkeys(word[k:] + word[:k] for k in range(len(word)))]


def rotation_states(groups: Sequence[Sequence[int]], state: Word) -> list[Word]:
    """The tables in which the values of each group are shifted cyclically, each group by itself."""
    shifted = [rotations(tuple(state[row] for row in group)) for group in groups]
    rows = [row for group in groups for row in group]
    states = []
    for chosen in product(*shifted):
        values = dict(zip(rows, (value for word in chosen for value in word), strict=True))
        states.append(tuple(values[row] for row in range(len(state))))
    return states


def is_conservatively_diverse(states: Collection[Word], groups: Sequence[Sequence[int]], asked: Asked) -> bool:
    """Whether everyone's values are permitted in these tables, and have the entropy of the group at least."""
    if not states:
        return False
    some = next(iter(states))
    for group in groups:
        own = [*Counter(some[row] for row in group).values()]
        for row in group:
            counts = [*Counter(state[row] for state in states).values()]
            if not asked.permits(counts) or not _entropy_at_least(counts, own):
                return False
    return True


def _entropy_at_least(one: Sequence[int], other: Sequence[int]) -> bool:
    """Whether the entropy of counts is at least that of others, in whole numbers."""
    one, other = ([count // gcd(*counts) for count in counts] for counts in (one, other))
    mine, theirs = sum(one), sum(other)
    left = (mine**theirs) ** mine * prod(count ** (count * mine) for count in other)
    right = (theirs**mine) ** theirs * prod(count ** (count * theirs) for count in one)
    return bool(left >= right)


class Reading(StrEnum):
    """What Algorithm 5 asks of the rotations that were released earlier: that there are none, or the others do."""

    WHOLE = "whole"
    REMAINDER = "remainder"


@dataclass
class Rotating:
    """Algorithm 5 in one of its readings, by going through rotations: for small tables. Levels are remembered."""

    chain: Chain
    asked: Asked
    reading: Reading
    _known: dict[tuple[int, Word], bool] = field(default_factory=dict, repr=False)

    def level(self, state: Word) -> int:
        """The function a table is released in; as many as there are functions where it is withheld."""
        found = (i for i in range(len(self.chain)) if self._released(i, state))
        return next(found, len(self.chain))

    def _released(self, i: int, state: Word) -> bool:
        """Whether function i may release a table, if no function before it does."""
        if (i, state) not in self._known:
            self._known[i, state] = self._judged(i, state)
        return self._known[i, state]

    def _judged(self, i: int, state: Word) -> bool:
        groups = self.chain[i]
        if not all(self.asked.permits([*Counter(state[row] for row in group).values()]) for group in groups):
            return False
        every = rotation_states(groups, state)
        left = [each for each in every if not any(self._released(j, each) for j in range(i))]
        if self.reading is Reading.WHOLE:
            return len(left) == len(every)
        return is_conservatively_diverse(left, groups, self.asked)


def first_level(chain: Chain, state: Sequence[int], asked: Asked) -> int | None:
    """The first function whose groups hold and of which no rotation makes an earlier one hold."""
    permits = _remembered(asked)
    for i, groups in enumerate(chain):
        if all(permits([state[row] for row in group]) for group in groups) and not _blocked(chain, i, state, permits):
            return i
    return None


Permits = Callable[[Sequence[int]], bool]


def _remembered(asked: Asked) -> Permits:
    known: dict[tuple[int, ...], bool] = {}

    def permits(values: Sequence[int]) -> bool:
        counts = tuple(sorted(Counter(values).values()))
        if counts not in known:
            known[counts] = asked.permits(counts)
        return known[counts]

    return permits


def _blocked(chain: Chain, i: int, state: Sequence[int], permits: Permits) -> bool:
    """Whether some rotation of the groups of function i makes an earlier function hold."""
    return any(
        all(_some_shift_holds(group, inner, state, permits) for group, inner in _nested(chain[i], chain[j]))
        for j in range(i)
    )


def _nested(
    groups: Sequence[Sequence[int]], finer: Sequence[Sequence[int]]
) -> list[tuple[list[int], list[list[int]]]]:
    """Each group, with the places in it that the groups of the finer function have."""
    home = {row: (number, place) for number, group in enumerate(groups) for place, row in enumerate(group)}
    inner: list[list[list[int]]] = [[] for _ in groups]
    for rows in finer:
        inner[home[rows[0]][0]].append([home[row][1] for row in rows])
    return [([*group], places) for group, places in zip(groups, inner, strict=True)]


def _some_shift_holds(
    group: Sequence[int], inner: Sequence[Sequence[int]], state: Sequence[int], permits: Permits
) -> bool:
    word = [state[row] for row in group]
    twice = word + word
    return any(
        all(permits([twice[shift + place] for place in places]) for places in inner) for shift in range(len(word))
    )
