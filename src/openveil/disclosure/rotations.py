"""Rotations of groups: disclosure functions for microdata that never go through the tables there could be.

Claim. A rotation of a table shifts the values of each group cyclically, each group by itself. Over all rotations of a
group every person has each value exactly as often as it occurs in the group. So a disclosure set that is a union of
whole rotation sets gives everyone the chances that the published group shows, whatever was passed over; it is safe
for any requirement that the groups satisfy. `Ascent` gives the first function whose groups hold and of which no
rotation makes an earlier one hold; its disclosure sets are such unions, whatever the order of the rows.

Why it holds. For each earlier function j it is asked whether in every group of function i some shift makes all groups
of j inside it hold: then, and only then, some rotation makes j hold. Both this and the groups' bags are the same for
all rotations of a table. If a table is not blocked at i, none of its rotations makes an earlier function hold, so
none was released earlier, and all are released at i.

Where the groups of the finest function inside a group are all of one size, they are shifted as a whole, and fewer
rotations can be in the way: shifting blocks leaves the rows of a block together, and no question is about less than
whole blocks, so the values of a block may also be exchanged among its rows. Over both together everyone has every
value as often as the group. Where that is so of each earlier function, blocks are not shifted but exchanged, the
larger ones with all that is in them: any exchange makes a function hold if one does, so nothing is ever in the way.

Algorithm 5 of the paper is lost. Two readings of the text that is left (`Rotating`): *whole*, which releases a table
unless a rotation of it was released earlier, and *remainder*, which releases it if the rotations that were not
released earlier satisfy conservative diversity. Both are safe; both go through rotations of rotations, which takes
time exponential in the number of functions. `Ascent` is *whole* for two functions whose groups are not of one
size; for more it withholds a table also where a rotation only might have been released.

What fails. Claim 6, weak optimality, fails for both readings. For {1,2}, {3,4}, then {1,2,3,4}, with l = 2: *whole*
withholds AABB and BBAA, though the two together satisfy conservative diversity; *remainder* withholds AABC, AACB,
BCAA and CBAA, which do too. What is left of the claim: no safe function comes before *whole* whose disclosure sets
are unions of whole rotation sets. For if it shows a table in function i that *whole* shows later, it shows all
rotations there, one of which *whole* shows earlier, and so would it. Nor is the rotation set the smallest set with
the entropy of its group: AABB and BBAA suffice where there are four rotations.

Cost. One step a row and group of an earlier function inside the row's own group (`turning.py`).

Source. Zhang, Jajodia, Brodsky 2007, section 4.3 (Algorithm 5, Definitions 12 and 13, Claim 6).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from itertools import product
from math import gcd, prod

import numpy as np
from numpy.typing import NDArray

from openveil.core.recoding import same_groups
from openveil.core.witness import Labels
from openveil.disclosure.arrangements import arrangements
from openveil.disclosure.asking import Ratios
from openveil.disclosure.chains import Chain, Draw, Laid, Places
from openveil.disclosure.counting import Asked
from openveil.disclosure.turning import Circle, Limits, alike, always, ever, unit_of

Word = tuple[object, ...]


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

    chain: Sequence[Sequence[Sequence[int]]]
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


@dataclass(frozen=True, eq=False)
class Ascent:
    """The functions of a chain, of which the first is released that no rotation is in the way of."""

    chain: Chain
    asked: Ratios

    def groups(self, values: NDArray[np.int32], draw: Draw) -> Labels | None:
        """The groups that are released of a table, if rows are rotated in an order that is drawn."""
        found = self.released(self.chain.laid(draw), values) if len(self.chain) else None
        return None if found is None else self.chain.labels[found]

    def outcomes(self, values: NDArray[np.int32]) -> Iterator[tuple[Labels, Fraction]]:
        """All groups that may be released of a table, and how likely."""
        every = arrangements(self.chain, values) if len(self.chain) else ()
        found = [self.released(self.chain.ordered(order), values) for order in every]
        for i, number in Counter(each for each in found if each is not None).items():
            yield self.chain.labels[i], Fraction(number, len(found))

    def may_release(self, group: Labels) -> bool:
        """Whether these are groups that may be released of some table."""
        return bool(self.functions_of(group))

    def functions_of(self, group: Labels) -> list[int]:
        """The functions, by their numbers, that have these groups."""
        return [
            i for i, label in zip(self.chain.numbers, self.chain.labels, strict=True) if same_groups(group, label)
        ]

    def released(self, laid: Laid, values: NDArray[np.int32]) -> int | None:
        """The place of the first function whose groups hold and of which no rotation makes an earlier one hold."""
        word, limits = values[laid.order], Limits(self.asked, int(values.max(initial=0)) + 1)
        held = (i for i in range(len(self.chain)) if holds(word, laid.sizes(i), limits))
        return next((i for i in held if not any(_blocked(laid, i, j, word, limits) for j in range(i))), None)


def holds(word: NDArray[np.int32], sizes: Places, limits: Limits) -> bool:
    """Whether all groups of these sizes hold as they stand."""
    return always(Circle(word, sizes, len(word)), limits)


def _blocked(laid: Laid, i: int, j: int, word: NDArray[np.int32], limits: Limits) -> bool:
    """Whether some rotation of the groups of function i makes function j hold."""

    def some_turn_holds(low: int, high: int) -> bool:
        unit = _unit(laid, low, high, i)
        return ever(Circle(word[low:high], laid.sizes(j, low, high), unit), limits)

    return all(some_turn_holds(low, high) for low, high in laid.runs(i))


def _unit(laid: Laid, low: int, high: int, i: int) -> int:
    """By how many places a group of function i is rotated; by all of it where nothing else makes a difference."""
    sizes = [laid.sizes(k, low, high) for k in range(i)]
    return high - low if all(map(alike, sizes)) else unit_of(sizes[0])
