"""The worlds of a release to who does not know who is in the table.

Claim. `exact_without_roster` gives every table, of people with any quasi-identifiers there may be, that agrees with
what a reader of labels sees, and how likely the algorithm publishes the release of it. `chances_of` says what both
adversaries think of someone whom they know to be in the table, and by which quasi-identifiers.

Why it holds. A table is a bag of rows. Each published value belongs to someone whom its labels cover; all such
choices are gone through, and a table that several of them lead to counts once. Of a table in which several people
have the quasi-identifiers of the one who is looked for, each of them may be it.

Cost. One run of the algorithm a table, within a bound: more choices than that are counted, and refused before any is
made. There are many more tables than with a roster.

Source. Jin, Zhang, Das 2011, section 2.1 and Definition 3.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb, prod

import numpy as np
import polars as pl

from openveil.core.errors import refuse
from openveil.worlds.algorithm import Case
from openveil.worlds.alike import Grounds
from openveil.worlds.exact import DEFAULT_BOUND, Bound
from openveil.worlds.knowledge import NOTHING_MORE, Asked, Knowledge
from openveil.worlds.people import People
from openveil.worlds.seen import Covering, TooManyError

# A row: which of the possible quasi-identifiers, and which value. A table: its rows, ascending.
Row = tuple[int, int]
Table = tuple[Row, ...]
# How many choices of whom values belong to may be looked at for each table there may be.
_CHOICES = 10


@dataclass(frozen=True, eq=False)
class Tables:
    """The tables that agree with a release, and how likely it is to come of each.

    `known` are the quasi-identifiers there may be, `values` the sensitive values.
    """

    known: pl.DataFrame = field(repr=False)
    values: pl.DataFrame = field(repr=False)
    naive: tuple[Table, ...] = field(repr=False)
    chances: tuple[Fraction, ...] = field(repr=False)
    grounds: Grounds = field(default_factory=Grounds, repr=False)

    @property
    def smart(self) -> Mapping[Table, Fraction]:
        """The tables the release can have come from."""
        return {table: chance for table, chance in zip(self.naive, self.chances, strict=True) if chance}

    @property
    def equal(self) -> bool:
        """Whether the release is as likely of every table."""
        return self.grounds.runs is None and len(set(self.chances)) <= 1

    def chances_of(self, person: Mapping[str, object]) -> tuple[Mapping[int, Fraction], Mapping[int, Fraction]]:
        """How likely each value of someone with these quasi-identifiers is: to the naive, and to the smart."""
        fits = pl.lit(value=True)
        for name, value in person.items():
            fits &= pl.col(name).cast(pl.String) == str(value)
        mine = set(np.flatnonzero(self.known.select(fits.alias("fits"))["fits"].to_numpy()).tolist())
        return self._of(mine, [Fraction(1)] * len(self.naive)), self._of(mine, self.chances)

    def _of(self, mine: set[int], weights: list[Fraction] | tuple[Fraction, ...]) -> dict[int, Fraction]:
        shares: dict[int, Fraction] = {}
        for table, weight in zip(self.naive, weights, strict=True):
            found = Counter(value for known, value in table if known in mine)
            for value, count in found.items():
                shares[value] = shares.get(value, Fraction(0)) + weight * Fraction(count, found.total())
        total = sum(shares.values(), start=Fraction(0))
        return {value: share / total for value, share in sorted(shares.items()) if share}


@dataclass(frozen=True, eq=False)
class Possible:
    """The quasi-identifiers people may have, and what the release tells of these as if each were a person."""

    known: pl.DataFrame = field(repr=False)
    seen: Covering = field(repr=False)


def combinations_of(columns: Iterable[pl.Series], most: int = 1000) -> pl.DataFrame:
    """Every combination of the values there are in each column."""
    found = pl.DataFrame({"": [0]})
    for column in columns:
        found = found.join(column.unique(maintain_order=True).to_frame(), how="cross")
        if found.height > most:
            raise refuse("roster", "may be of too many people to go through", "Take it to be known")
    return found.drop("")


def exact_without_roster(
    case: Case, possible: Possible, knowledge: Knowledge = NOTHING_MORE, *, bound: Bound = DEFAULT_BOUND
) -> Tables:
    """Both worlds of a release, of tables of people with any of the possible quasi-identifiers."""
    _refuse_numbers(knowledge)
    found: dict[Table, Fraction] = {}
    seen: set[Table] = set()
    for table in _tables(possible.seen, bound.runs):
        if len(found) * case.algorithm.runs > bound.runs:
            raise _too_many(bound.runs)
        if table not in seen:
            seen.add(table)
            people = _people(possible.known, case.people.values, table)
            if Asked(knowledge, people, people.everyone).holds(people.own):
                found[table] = case.algorithm.elsewhere(people).chance(people.own)
    grounds = replace(Grounds.of(case.algorithm), doubt="")  # without a roster no order of people is known
    return Tables(possible.known, case.people.values, tuple(found), tuple(found.values()), grounds)


def _too_many(most: int) -> TooManyError:
    return TooManyError(most, "Allow more work, or take the roster to be known")


def _refuse_numbers(knowledge: Knowledge) -> None:
    counts = (count for fact in knowledge.facts for count in (fact.left, fact.of) if count is not None)
    if any(count.among is not None for count in counts):
        remedy = "Describe them by their quasi-identifiers"
        raise refuse("external knowledge", "speaks of people by number, who have none without a roster", remedy)


def _people(known: pl.DataFrame, values: pl.DataFrame, table: Table) -> People:
    """The people of a table."""
    rows, own = np.array(table, dtype=np.int64).reshape(-1, 2).T
    return People(known[rows], values, own.astype(np.int32))


def _tables(seen: Covering, most: int) -> Iterator[Table]:
    """Every way to say whom each published value belongs to; tables may come again. Refused if there are far more."""
    if seen.hidden or any(None in bag for bag in seen.bags):
        raise refuse("roster", "must be known where not everyone's own value is published", "Take it to be known")
    bags = [(place, value, count) for place, bag in enumerate(seen.bags) for value, count in Counter(bag).items()]
    owners = [(np.flatnonzero(seen.fits[:, place]).tolist(), count) for place, _, count in bags]
    if not all(rows for rows, _ in owners):
        return
    if prod(comb(len(rows) + count - 1, count) for rows, count in owners) > _CHOICES * most:
        raise _too_many(most)
    for chosen in _choices(owners):
        yield tuple(
            sorted((row, int(value or 0)) for (_, value, _), rows in zip(bags, chosen, strict=True) for row in rows)
        )


def _choices(owners: Sequence[tuple[list[int], int]]) -> Iterator[tuple[tuple[int, ...], ...]]:
    """For each so many of these rows, in every way; no more than one way is in memory."""
    ways, chosen = [_ways(owners, 0)], list[tuple[int, ...]]()
    while ways:
        found = next(ways[-1], None)
        if found is None:
            ways.pop()
            chosen = chosen[: len(ways) - 1]
        elif len(ways) == len(owners):
            yield (*chosen, found)
        else:
            chosen.append(found)
            ways.append(_ways(owners, len(ways)))


def _ways(owners: Sequence[tuple[list[int], int]], place: int) -> Iterator[tuple[int, ...]]:
    return combinations_with_replacement(*owners[place])
