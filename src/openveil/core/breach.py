"""How likely it is that somebody's guarding node is breached, by Theorems 1 and 2 of Xiao and Tao.

Claim. `Breaches.of` finds for every group and every guarding node in it the breach probability of the tuples that
have this guard: with n persons who may own a tuple of the group, and for each tuple the share c of the leaves it
shows that lie in the guard, sum(c) / n where every person has one row, and 1 - prod(1 - c / n) where persons may have
several. `exceeding` says which are greater than p, decided exactly; `greatest` is the greatest.

Why it holds. The tuples of a group show nodes of a tree, so c is 1 inside the guard and the share of the guard in the
node above it. The theorems are exactly these sums where the nodes do not overlap (Lemma 1), and enumeration confirms
them (tests/known_answers/test_area_c.py). Floats only set aside what is far from p: their error is less than the
margin by orders of magnitude. What is left is compared in whole numbers and fractions.

Cost. One pass over the bags (`kernels/breach.py`); exact arithmetic for the few distinct values near the limit.

Source. Xiao and Tao, Personalized privacy preservation, 2006, Theorems 1 and 2.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from openveil.core.bags import Bags, Counts

_MARGIN = 1e-9
# More digits than a reader has use for; the exact value of many factors has millions.
_SHORTEST, _EXACT_BITS = 10**12, 4096
Term = tuple[int, int, int]


@dataclass(frozen=True, eq=False)
class Breaches:
    """For each of `group` and guard the terms of its probability; `people[i]` may own a tuple of its group.

    A probability has one entry for each node that rows above the guard show, and at least one; `first` marks the
    entry it starts with. `inside` rows show a node in the guard; `above` show one of which the guard has `part` of
    `whole` leaves.
    """

    group: Counts
    guard: Counts
    first: NDArray[np.bool_] = field(repr=False)
    inside: Counts = field(repr=False)
    above: Counts = field(repr=False)
    part: Counts = field(repr=False)
    whole: Counts = field(repr=False)
    people: Counts = field(repr=False)
    alone: bool

    @staticmethod
    def of(bags: Bags, people: Counts, *, alone: bool) -> Breaches:
        """The breaches of groups with these bags and so many people; `alone`: every person has one row."""
        from openveil.kernels.breach import breaching

        nodes, values = bags.guarded.nodes, bags.values
        shown, guard = bags.guarded.shown[values], bags.guarded.guard[values]
        lines: Counts = breaching(bags.starts, shown, guard, bags.counts, nodes.parent)
        group, target, inside, above, node = lines.T
        first = np.ones(len(lines), dtype=np.bool_)
        first[1:] = (group[1:] != group[:-1]) | (target[1:] != target[:-1])
        part = np.where(above > 0, nodes.sizes[target], 0)
        whole = np.where(above > 0, nodes.sizes[node], 1)
        return Breaches(group, target, first, inside, above, part, whole, people[group], alone)

    @cached_property
    def starts(self) -> Counts:
        """The entry each probability starts with."""
        return np.flatnonzero(self.first)

    @cached_property
    def near(self) -> NDArray[np.float64]:
        """The probabilities, but for rounding."""
        if not len(self.group):
            return np.zeros(0)
        share = self.part / self.whole
        if self.alone:
            return np.asarray(np.add.reduceat((self.inside + self.above * share) / self.people, self.starts))
        with np.errstate(divide="ignore", invalid="ignore"):
            spared = _logs(self.inside, 1 / self.people) + _logs(self.above, share / self.people)
        return np.asarray(-np.expm1(np.add.reduceat(spared, self.starts)))

    def exceeding(self, limit: Fraction) -> NDArray[np.bool_]:
        """For each probability, whether it is greater than the limit."""
        over: NDArray[np.bool_] = self.near > float(limit)
        close = np.flatnonzero(np.abs(self.near - float(limit)) <= _MARGIN)
        alike, kind = self.kinds(close)
        over[close] = np.array([self._exceeds(place, limit) for place in alike], dtype=np.bool_)[kind]
        return over

    def holding(self, limit: Fraction, groups: int) -> NDArray[np.bool_]:
        """For each group, whether none of its probabilities is greater than the limit."""
        held = np.ones(groups, dtype=np.bool_)
        held[self.group[self.starts][self.exceeding(limit)]] = False
        return held

    def greatest(self) -> Fraction:
        """The greatest probability; where its exact form is very long, a shorter one that is not less."""
        if not len(self.starts):
            return Fraction(0)
        close = np.flatnonzero(self.near >= self.near.max() - _MARGIN)
        return max(self.exactly(place) for place in self.kinds(close)[0])

    def exactly(self, place: int) -> Fraction:
        """One probability; where its exact form is very long, a shorter one that is not less."""
        people, terms = self._terms(place)
        if self.alone:
            return sum((Fraction(rows * part, whole * people) for rows, part, whole in terms), Fraction(0))
        bits = sum(rows * (whole * people).bit_length() for rows, _, whole in terms)
        if bits > _EXACT_BITS:
            return min(Fraction(1), Fraction(int((self.near[place] + _MARGIN) * _SHORTEST) + 1, _SHORTEST))
        spared, total = self._products(people, terms)
        return 1 - Fraction(spared, total)

    def kinds(self, places: Counts) -> tuple[list[int], NDArray[np.int64]]:
        """One place for each kind of terms among the places, and the kind of each place."""
        start = self.starts[places]
        entries = np.diff(self.starts, append=len(self.group))[places]
        # Those of several entries are few, and kept apart.
        apart = np.where(entries > 1, places, -1)
        told = (self.inside[start], self.above[start], self.part[start], self.whole[start], self.people[start], apart)
        _, first, kind = np.unique(np.stack(told), axis=1, return_index=True, return_inverse=True)
        return places[first].tolist(), kind.reshape(-1)

    def _exceeds(self, place: int, limit: Fraction) -> bool:
        people, terms = self._terms(place)
        if self.alone:
            return self.exactly(place) > limit
        spared, total = self._products(people, terms)
        return (total - spared) * limit.denominator > limit.numerator * total

    @staticmethod
    def _products(people: int, terms: tuple[Term, ...]) -> tuple[int, int]:
        """The chance that no row breaches, as two whole numbers."""
        spared = total = 1
        for rows, part, whole in terms:
            spared *= (whole * people - part) ** rows
            total *= (whole * people) ** rows
        return spared, total

    def _terms(self, place: int) -> tuple[int, tuple[Term, ...]]:
        """The people of one probability, and so many rows with each share."""
        start = int(self.starts[place])
        stop = int(self.starts[place + 1]) if place + 1 < len(self.starts) else len(self.group)
        entries = [(int(self.inside[start]), 1, 1), *self._above(start, stop)]
        return int(self.people[start]), tuple(term for term in entries if term[0])

    def _above(self, start: int, stop: int) -> Iterator[Term]:
        for entry in range(start, stop):
            yield int(self.above[entry]), int(self.part[entry]), int(self.whole[entry])


def _logs(rows: Counts, share: NDArray[np.float64]) -> NDArray[np.float64]:
    """The logarithm of the chance that none of so many rows, each with this share, breaches."""
    return np.where(rows > 0, rows * np.log1p(-share), 0.0)
