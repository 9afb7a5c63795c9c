"""Several earlier functions of which none refines another: inclusion and exclusion over all sets of them.

Claim. `by_inclusion` gives the exact answer of `judging.judge`, or none where that takes too many steps.

Why it holds. The tables of which all of some functions hold are a product over parts, whichever functions they are
(`parts.py`); inclusion and exclusion over the sets of functions tells how many tables make none hold, and in how many
of those a person has a value. For a person, all parts but the own one of each set of functions are a common factor.
So parts are counted one by one, alike ones once, and the numbers of all tables are put together only for persons that
differ in what is counted of them. Persons in a group that no function cuts have the chances that it shows.

Cost. A part is counted within the limits of `counting.py`, all together in at most `MOST` steps; at most
`MOST_AT_ONCE` functions and `MOST_ROWS` rows; and a product of as many digits as the number of tables has, for each
set of functions, value and kind of person: `MOST_DIGITS` binary digits at most.

Source. Inclusion and exclusion is a classic one; Zhang, Wang, Jajodia, Brodsky 2008 list the tables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain, combinations
from math import prod

import numpy as np
from numpy.typing import NDArray

from openveil.disclosure.counting import Asked, Counted, Part, Steps, counted, orders
from openveil.disclosure.functions import Functions, Image, largest_share
from openveil.disclosure.judgements import Judgement, Regime, share_of
from openveil.disclosure.parts import Placed, parts_of

MOST_AT_ONCE = 4
MOST_ROWS = 100_000
MOST = 6_000_000
MOST_DIGITS = 20_000_000_000

# Of a person: in how many tables of the own part all tested functions hold, and in how many of those with each value.
Own = tuple[int, tuple[int, ...]]
# The same for each set of functions that are tested.
Person = tuple[Own, ...]


@dataclass(frozen=True)
class _Term:
    """In how many tables some functions all hold, and what is counted in each atom of groups that are cut."""

    sign: int
    tables: int
    own: Sequence[Own]

    def rest(self, kept: int) -> int:
        """In how many tables of all other parts they do."""
        return self.sign * (self.tables // kept) if kept else 0


def by_inclusion(functions: Functions, image: Image, asked: Asked) -> Judgement | None:
    """The exact answer when the last of these functions is released; None where it takes too much to tell."""
    if len(functions) - 1 > MOST_AT_ONCE or len(functions.atom) > MOST_ROWS:
        return None
    return _Several(functions, image, asked).judged


@dataclass(frozen=True)
class _Several:
    functions: Functions
    image: Image
    asked: Asked

    @property
    def judged(self) -> Judgement | None:
        terms = self._terms
        if terms is None:
            return None
        total, size = terms[0].tables, sum(each.sign * each.tables for each in terms)
        persons = _persons(terms)
        if sum(len(each[0][1]) for each in persons) * len(terms) * total.bit_length() > MOST_DIGITS:
            return None
        chances = _chances(terms, persons) if size else []
        share = largest_share(self.image)
        found = [share_of(max(each), size)[1] for each in chances] if size else [Fraction(1)]
        return Judgement(
            holds=size > 0 and all(self.asked.permits(each) for each in chances),
            groups={regime: number for regime, number in self._regimes if number},
            ruled_out=share_of(total - size, total),
            chance=(share, max([share, *found])),
        )

    @property
    def _last(self) -> int:
        return len(self.functions) - 1

    @cached_property
    def _cut(self) -> frozenset[int]:
        """The published groups that some function cuts; in others everyone has the chances that the group shows."""
        atoms = Counter(self.functions.homes[self._last].tolist())
        return frozenset(group for group, number in atoms.items() if number > 1)

    @property
    def _regimes(self) -> tuple[tuple[Regime, int], ...]:
        cut = len(self._cut)
        return (Regime.SHOWN, len(self.image) - cut), (Regime.INCLUDED, cut)

    @cached_property
    def _rows(self) -> NDArray[np.int64]:
        """Of each atom of these groups, a row."""
        cut = np.isin(self.functions.homes[self._last], [*self._cut])
        rows: NDArray[np.int64] = self.functions.firsts[cut]
        return rows

    @property
    def _terms(self) -> list[_Term] | None:
        """One for each set of functions, the empty one first."""
        known: dict[Part, Counted | None] = {}
        steps, terms = Steps(MOST), []
        for tested in chain.from_iterable(combinations(range(self._last), n) for n in range(self._last + 1)):
            every = parts_of(self.functions, self._last, self.image, tested)
            placed = [each for each in every if not self._cut.isdisjoint(each.groups)]
            for part in dict.fromkeys(each.folded for each in placed):
                if part not in known:
                    known[part] = counted(part, self.asked, steps)
                if known[part] is None:
                    return None
            found = ((each, answer) for each in placed if (answer := known[each.folded]) is not None)
            terms.append(self._term(tested, [(each, self._of_cut(each, answer)) for each, answer in found]))
        return terms

    def _of_cut(self, placed: Placed, found: Counted) -> Counted:
        """The same without the orders of the rows in groups that no function cuts, which are a common factor."""
        bags = zip(placed.groups, placed.part.bags, strict=True)
        same = prod(orders(bag) for group, bag in bags if group not in self._cut)
        at = tuple(tuple(number // same for number in row) for row in found.at)
        return Counted(found.total // same, found.kept // same, at)

    def _term(self, tested: tuple[int, ...], found: Sequence[tuple[Placed, Counted]]) -> _Term:
        coarse = self.functions.among((*tested, self._last))
        times = Counter(answer.kept for _, answer in found)
        tables = prod(kept**number for kept, number in times.items())
        own = {row: each for placed, answer in found for row, each in self._own(placed, answer)}
        rows = coarse.firsts[coarse.atom[self._rows]].tolist()
        return _Term((-1) ** len(tested), tables, [own[row] for row in rows])

    def _own(self, placed: Placed, found: Counted) -> Iterator[tuple[int, Own]]:
        """By the first row of each atom of a part: what was counted of someone there, for each value of the group."""
        _, atoms, values = placed.ordered
        column = {placed.values[v]: number for number, v in enumerate(values)}
        for atom, row in zip(atoms, found.at, strict=True):
            group = placed.groups[placed.part.home[atom]]
            yield placed.rows[atom], (found.kept, tuple(row[column[value]] for value, _ in self.image[group]))


def _persons(terms: Sequence[_Term]) -> list[Person]:
    """Persons that differ in what is counted of them, whichever their values are."""
    return [*dict.fromkeys(map(_by_any_name, zip(*(term.own for term in terms), strict=True)))]


def _by_any_name(person: Person) -> Person:
    values = sorted(zip(*(row for _, row in person), strict=True))
    return tuple((kept, row) for (kept, _), row in zip(person, zip(*values, strict=True), strict=True))


def _chances(terms: Sequence[_Term], persons: Sequence[Person]) -> list[tuple[int, ...]]:
    """In how many tables of the set each of these persons has each value."""
    rest = [{kept: term.rest(kept) for kept in {each[n][0] for each in persons}} for n, term in enumerate(terms)]
    return [
        tuple(sum(rest[n][kept] * row[v] for n, (kept, row) in enumerate(person)) for v in range(len(person[0][1])))
        for person in persons
    ]
