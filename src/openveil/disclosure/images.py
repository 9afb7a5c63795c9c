"""Disclosure sets of the inclusive strategy: what is ruled out depends on what was decided of other tables.

Claim. `Inclusive.decide` says whether function i would be released of any table with these groups, when all functions
before it were passed over. It depends on the groups alone, so everyone can work it out, for any table. Where it says
yes, the disclosure set satisfies the requirement.

Why it holds. The disclosure set of function i is made of the tables that agree with its groups and of which none of
the functions before it would be released: what that takes is asked of the same `decide`, whichever way it is
answered there. So the set is the one of the algorithm as it is, undecided answers and all. A function is released
only if its own groups hold. That is no loss where each function refines the next: what was released before is safe, a
union of safe sets is safe, so a safe rest makes a safe whole.

Regimes, in the order in which they are tried. Which one it is follows from the groups of the last function, where
all others refine it, so that it is the same for every table that has to be asked about.
- *as the exclusive strategy* (`judging.py`, at any size): some function was released of every table of which one
  before i holds. That is so if only the first that is tried may hold, or if each function refines the next and has
  groups of equal size in each group of it. For then all persons of a group are alike to the function before, which is
  all that is told, so they have just the chances that the group shows; so whatever holds is released.
- *listed*: tables are gone through by how often each value occurs in each atom (`fillings`), not one by one; a
  filling stands for as many tables as there are orders of its rows. Exact, for at most `MOST` fillings.
- *bounded, rare*: what is ruled out is at most what `judging.upper_bound` says, as a function that is released holds.
- *bounded, margins*: where that does not decide about the last function, functions are released with room to spare
  (`margins.py`), if each refines the next and the requirement caps how often a value may occur.
- *sampled*: else, for the last function and tables of a hundred rows at most, tables are drawn (`sampled.py`).

Cost. One decision about each function before i for each filling; decisions are remembered. The others are linear in
the number of groups.

Source. Zhang, Wang, Jajodia, Brodsky 2008, section 2, Table 3; all but listing is openveil's own.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import prod

import numpy as np

from openveil.disclosure.counting import Asked, Steps, TooManyError, orders, rows_of
from openveil.disclosure.functions import Functions, Group, Image, gathered, largest_share
from openveil.disclosure.judgements import Judgement, Regime
from openveil.disclosure.judging import (
    bounded_by,
    judge,
    never,
    nothing_ruled_out,
    upper_bound,
    without_drawing,
)
from openveil.disclosure.margins import Margins
from openveil.disclosure.parts import Placed, parts_of, whole_of
from openveil.disclosure.sampled import ERROR, Deal, RuledOut, by_sample_of

MOST = 3000
_MOST_ATOMS, _MOST_ROWS = 64, 100

Filling = tuple[Group, ...]


@dataclass
class Inclusive:
    """The inclusive strategy on a sequence of functions; decisions are remembered."""

    functions: Functions
    asked: Asked
    _decided: dict[tuple[int, Image], Judgement] = field(default_factory=dict, repr=False)
    _spare: dict[Image, Margins | None] = field(default_factory=dict, repr=False)

    def decide(self, i: int, image: Image) -> Judgement:
        """Whether function i is released with these groups, if nothing before it was."""
        if (i, image) not in self._decided:
            self._decided[i, image] = self._judged(i, image)
        return self._decided[i, image]

    def _judged(self, i: int, image: Image) -> Judgement:
        if not self.functions.fits[i] or not self._holds(image):
            return _refused(image)
        margins = self._margins(i, image)
        if margins is not None:
            return self._spared(margins, i, image)
        if self._all_released(i, image):
            told = judge if i == self.functions.fitting[-1] else without_drawing
            return told(self.functions, i, image, self.asked)
        upper = upper_bound(self.functions, i, image, self.asked)
        if upper == 0:
            return nothing_ruled_out(image, Regime.NOTHING)
        fillings = self._few(i, image)
        if fillings is not None:
            return self._gone_through(i, image, fillings)
        said = bounded_by(image, self.asked, upper)
        return said if said.holds or i != self.functions.fitting[-1] else self._by_sample(i, image) or said

    def _holds(self, image: Image) -> bool:
        return all(self.asked.permits(counts) for counts in {tuple(n for _, n in group) for group in image})

    def _all_released(self, i: int, image: Image) -> bool:
        """Whether some function before i was released of every table of which one of them holds."""
        functions = self.functions
        before = [j for j in functions.fitting if j < i]
        if len(before) < 2:
            return True
        may_hold = [j for j in before if not never(parts_of(functions, i, image, [j]), self.asked)]
        if not functions.nested:
            return may_hold in ([], before[:1])
        return all(functions.even(j, k).all() for j, k in pairwise(may_hold))

    def _margins(self, i: int, image: Image) -> Margins | None:
        """The caps of all groups, where it takes them to decide about the last function."""
        if self.asked.most(1) is None or not self.functions.nested:
            return None
        last = self.functions.fitting[-1]
        whole = self.functions.merged(i, image, last)
        if whole not in self._spare:
            needed = not self._needs_no_margins(last, whole)
            self._spare[whole] = Margins.of(self.functions, whole, self.asked) if needed else None
        return self._spare[whole]

    def _needs_no_margins(self, last: int, whole: Image) -> bool:
        if not self._holds(whole) or self._all_released(last, whole) or self._few(last, whole) is not None:
            return True
        return bounded_by(whole, self.asked, upper_bound(self.functions, last, whole, self.asked)).holds

    def _spared(self, margins: Margins, i: int, image: Image) -> Judgement:
        """What is told where the functions before have caps of their own."""
        if not margins.stays_within(i, image):
            return _refused(image)
        if margins.before(i) is None:
            return nothing_ruled_out(image, Regime.NOTHING)
        chance = margins.chance(i, image)
        if chance is None:
            return _refused(image)
        share = largest_share(image)
        groups, some = {Regime.MARGINS: len(image)}, (Fraction(0), Fraction(1))
        return Judgement(holds=True, groups=groups, ruled_out=some, chance=(share, chance))

    def _few(self, i: int, image: Image) -> list[Filling] | None:
        if len(self.functions.sizes) > _MOST_ATOMS:
            return None
        number = 1
        for group, atoms in _members(self.functions, i).items():
            number *= _ways(tuple(count for _, count in image[group]), self.functions.sizes[atoms].tolist())
            if number > MOST:
                return None
        return [*fillings(self.functions, i, image)]

    def _gone_through(self, i: int, image: Image, every: list[Filling]) -> Judgement:
        kept = [each for each in every if self.released(each, i) is None]
        ways = [prod(orders([n for _, n in group]) for group in each) for each in kept]
        size, total = sum(ways), prod(orders([n for _, n in group]) for group in image)
        having: list[Counter[int]] = [Counter() for _ in self.functions.sizes]
        for each, number in zip(kept, ways, strict=True):
            for atom, group in enumerate(each):
                for value, rows in group:
                    having[atom][value] += number * rows
        share = largest_share(image)
        largest = max(Fraction(max(each.values(), default=0), max(each.total(), 1)) for each in having)
        return Judgement(
            holds=size > 0 and all(self.asked.permits([*each.values()]) for each in having),
            groups={Regime.LISTED: len(image)},
            ruled_out=(1 - Fraction(size, total),) * 2,
            chance=(share, max(share, largest)),
        )

    def _by_sample(self, i: int, image: Image) -> Judgement | None:
        """What drawing tables tells of the last function, asking what would be released of each."""
        before = [j for j in self.functions.fitting if j < i]
        chosen = self.functions.among((*before, i))
        placed = whole_of(chosen, len(before), image)
        if len(placed.rows) > _MOST_ATOMS or len(chosen.atom) > _MOST_ROWS:
            return None
        deal, error = Deal.of(chosen, placed), ERROR / len(self.functions)
        try:
            return by_sample_of(deal, image, self.asked, error, self._released_of(placed, before))
        except TooManyError:
            return None

    def _released_of(self, placed: Placed, before: Sequence[int]) -> RuledOut:
        """Of tables given by how often each atom has each value, whether one of these functions is released."""
        _, atoms, values = placed.ordered
        homes = {j: self.functions.labels[j][[placed.rows[atom] for atom in atoms]].tolist() for j in before}
        codes, new, steps = [placed.values[value] for value in values], set[tuple[int, Image]](), Steps(2 * MOST)

        def released(table: Sequence[Sequence[int]]) -> bool:
            bags = [tuple((code, n) for code, n in zip(codes, row, strict=True) if n) for row in table]
            for j in before:
                image = gathered(self.functions.groups(j), homes[j], bags)
                if (j, image) not in new:
                    new.add((j, image))
                    steps.take(1)
                if self.decide(j, image).holds:
                    return True
            return False

        return lambda tables: np.array([released(table.tolist()) for table in tables])

    def released(self, filling: Filling, upto: int) -> int | None:
        """The first of so many functions that is released of a table."""
        for j in range(upto):
            if self.functions.fits[j] and self.decide(j, shown(self.functions, j, filling)).holds:
                return j
        return None


def _refused(image: Image) -> Judgement:
    """A function whose own groups fail is not released; nothing was worked out."""
    share = largest_share(image)
    return Judgement(holds=False, groups={}, ruled_out=(Fraction(0), Fraction(1)), chance=(share, Fraction(1)))


def shown(functions: Functions, j: int, filling: Filling) -> Image:
    """What function j shows of a table."""
    return gathered(functions.groups(j), functions.homes[j].tolist(), filling)


def fillings(functions: Functions, i: int, image: Image) -> Iterator[Filling]:
    """Every way to hand out the groups of function i to its atoms, up to the order of rows within an atom."""
    members, sizes = _members(functions, i), functions.sizes.tolist()
    order = [(atom, group) for group in sorted(members) for atom in members[group]]
    last = {atoms[-1] for atoms in members.values()}
    yield from _filled(order, sizes, last, [dict(group) for group in image], {})


def _members(functions: Functions, i: int) -> dict[int, list[int]]:
    """The atoms of each group of function i."""
    members: defaultdict[int, list[int]] = defaultdict(list)
    for atom, group in enumerate(functions.homes[i].tolist()):
        members[group].append(atom)
    return members


def _ways(bag: tuple[int, ...], sizes: list[int]) -> int:
    """In how many ways atoms of these sizes can be filled from a bag, or a number above `MOST`."""

    @cache
    def ways(left: tuple[int, ...], place: int) -> int:
        if place == len(sizes) - 1:
            return 1
        number = 0
        for row in rows_of(left, sizes[place]):
            number += ways(tuple(map(int.__sub__, left, row)), place + 1)
            if number > MOST:
                break
        return number

    return ways(bag, 0)


def _filled(
    order: list[tuple[int, int]], sizes: list[int], last: set[int], left: list[dict[int, int]], done: dict[int, Group]
) -> Iterator[Filling]:
    if len(done) == len(order):
        yield tuple(done[atom] for atom in range(len(order)))
        return
    atom, group = order[len(done)]
    pairs = tuple((value, count) for value, count in left[group].items() if count)
    counts = tuple(count for _, count in pairs)
    for row in [counts] if atom in last else rows_of(counts, sizes[atom]):
        taken = tuple(sorted((value, number) for (value, _), number in zip(pairs, row, strict=True) if number))
        rest = {value: count - number for (value, count), number in zip(pairs, row, strict=True)}
        after = [*left[:group], rest, *left[group + 1 :]]
        yield from _filled(order, sizes, last, after, done | {atom: taken})
