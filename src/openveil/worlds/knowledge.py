"""What an adversary knows besides the release and the algorithm.

Claim. A `Knowledge` is a conjunction of facts, and says whether the quasi-identifiers of everyone are known. A fact
compares how many people fit a condition with a number, or with how many fit another condition. "This person does not
have v" and a known distribution of sensitive values are such facts.

Why it holds. Facts are decided in fractions, of whole tables. A fact of nobody's being v is one of every person by
itself, so guesses that break it need never be made.

Cost. One look at each person and value for each condition, and one sum a condition and world.

Source. Jin, Zhang, Das 2011, section 3.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

import numpy as np
import polars as pl
from numpy.typing import NDArray

from openveil.core.errors import refuse
from openveil.core.witness import Labels
from openveil.worlds.people import People, Persons

Masks = NDArray[np.bool_]


class Relation(StrEnum):
    """How two numbers compare."""

    EQUAL = "="
    AT_MOST = "<="
    AT_LEAST = ">="
    LESS = "<"
    MORE = ">"

    def holds(self, left: Fraction, right: Fraction) -> bool:
        """Whether the numbers compare so."""
        below, same = left < right, left == right
        return {
            Relation.EQUAL: same,
            Relation.AT_MOST: below or same,
            Relation.AT_LEAST: not below,
            Relation.LESS: below,
            Relation.MORE: not below and not same,
        }[self]


class Roster(StrEnum):
    """Whether the adversary knows the quasi-identifiers of everyone in the table."""

    KNOWN = "known"
    NONE = "none"


@dataclass(frozen=True)
class Count:
    """How many people have these values: pairs of a column and a value, all of which must fit.

    `among` are the numbers of the people who are counted; all of them where it is not given.
    """

    where: tuple[tuple[str, object], ...] = ()
    among: tuple[int, ...] | None = None

    @staticmethod
    def of(where: Mapping[str, object], *, among: tuple[int, ...] | None = None) -> Count:
        """The same from a mapping of columns to values."""
        return Count(tuple(where.items()), among)

    def fitting(self, people: People) -> Masks:
        """For each person and each sensitive value, whether the person would count if that were its value."""
        persons = np.ones(len(people), dtype=np.bool_)
        values = np.ones(people.values.height, dtype=np.bool_)
        for column, wanted in self.where:
            if column in people.known.columns:
                persons &= _equal(people.known[column], wanted)
            elif column in people.values.columns:
                values &= _equal(people.values[column], wanted)
            else:
                names = ", ".join((*people.known.columns, *people.values.columns))
                raise refuse("external knowledge", f"names a column {column!r} there is not", f"Use one of: {names}")
        return np.logical_and.outer(persons & _among(self.among, len(people)), values)


def _equal(column: pl.Series, wanted: object) -> NDArray[np.bool_]:
    written = None if wanted is None else str(wanted)
    return column.cast(pl.String).eq_missing(pl.Series([written], dtype=pl.String)).to_numpy()


def _among(numbers: tuple[int, ...] | None, people: int) -> NDArray[np.bool_]:
    if numbers is None:
        return np.ones(people, dtype=np.bool_)
    if any(not 0 <= number < people for number in numbers):
        raise refuse("external knowledge", "speaks of people there are not", f"People are numbered 0 to {people - 1}")
    counted = np.zeros(people, dtype=np.bool_)
    counted[list(numbers)] = True
    return counted


@dataclass(frozen=True)
class Fact:
    """`left` compares as `relation` says with `right`, or with `right` times the number of people in `of`."""

    left: Count
    relation: Relation
    right: Fraction
    of: Count | None = None


def never(person: int, column: str, value: object) -> Fact:
    """This person does not have this value."""
    return Fact(Count(((column, value),), (person,)), Relation.EQUAL, Fraction(0))


def distribution(column: str, counts: Mapping[object, int]) -> tuple[Fact, ...]:
    """So many people have each of these sensitive values."""
    facts = ((Count(((column, value),)), Fraction(count)) for value, count in counts.items())
    return tuple(Fact(count, Relation.EQUAL, number) for count, number in facts)


@dataclass(frozen=True)
class Knowledge:
    """All that is known besides the release and the algorithm: that every fact holds, and who is in the table."""

    facts: tuple[Fact, ...] = ()
    roster: Roster = Roster.KNOWN


NOTHING_MORE = Knowledge()


def refuse_unknown_roster(knowledge: Knowledge) -> None:
    """Refuse to speak of persons whom the adversary does not know to be there."""
    if knowledge.roster is Roster.NONE:
        raise refuse(
            "external knowledge",
            "says that the roster is not known, so there are no persons to speak of",
            "Use `exact_without_roster`, which speaks of quasi-identifiers",
        )


class Asked:
    """Knowledge put to the tables of these people; the values of all but `who` are as they are."""

    def __init__(self, knowledge: Knowledge, people: People, who: Persons) -> None:
        self._facts = knowledge.facts
        fixed = np.ones(len(people), dtype=np.bool_)
        fixed[who] = False
        self._counts: dict[Count, tuple[int, NDArray[np.int64]]] = {}
        counts = {count for fact in knowledge.facts for count in (fact.left, fact.of) if count is not None}
        for count in counts:
            fits = count.fitting(people)
            already = int(fits[np.flatnonzero(fixed), people.own[fixed]].sum())
            self._counts[count] = already, fits[who].astype(np.int64)

    def forbidden(self) -> Masks | None:
        """For each of `who` and each value, whether a fact alone rules it out; None where no fact does."""
        none_of = [
            self._counts[fact.left][1] > 0
            for fact in self._facts
            if fact.relation is Relation.EQUAL and fact.right == 0 and fact.of is None
        ]
        return np.logical_or.reduce(none_of) if none_of else None

    def holds(self, world: Labels) -> bool:
        """Whether every fact holds when those of `who` have these values."""
        return all(
            fact.relation.holds(self._count(fact.left, world), fact.right * self._count(fact.of, world))
            for fact in self._facts
        )

    def _count(self, count: Count | None, world: Labels) -> Fraction:
        if count is None:
            return Fraction(1)
        already, fits = self._counts[count]
        return Fraction(already + int(fits[np.arange(len(world)), world].sum()))
