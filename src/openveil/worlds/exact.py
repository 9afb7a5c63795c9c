"""The naive and the smart world of a release, exactly.

Claim. `exact` gives every table that agrees with a release and with what else is known, each with the probability
that the algorithm would have published the release of it. To the naive adversary all are as likely; to the smart one
each is as likely as its probability says. A release gives nothing more away to whoever knows the algorithm when all
probabilities are the same: then whatever else may be known, both see the same. Where they are not, a pair of tables
shows it.

Why it holds. It is the definition; probabilities are fractions. `marginals_equal` is weaker than `equal`: two worlds
may agree on everyone taken by himself and still differ, which who knows one person's value can use.

Cost. One run of the algorithm a table, `Bound.runs` runs at most; beyond that it is refused.

Source. Jin, Zhang, Das 2011, Definitions 3 to 5; SPEC 5.1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import polars as pl

from openveil.core.errors import Problem, RequestError
from openveil.core.finding import Verdict
from openveil.core.intervals import LEVEL
from openveil.core.progress import report
from openveil.worlds.algorithm import Case
from openveil.worlds.alike import Grounds, alike
from openveil.worlds.knowledge import NOTHING_MORE, Knowledge, refuse_unknown_roster
from openveil.worlds.people import People, Persons, World
from openveil.worlds.seen import worlds

Marginal = Mapping[int, Fraction]


@dataclass(frozen=True, slots=True)
class Bound:
    """How much work may be done: `runs` of the algorithm to go through all tables, or else `tries` of samples."""

    runs: int = 20_000
    tries: int = 100

    def __post_init__(self) -> None:
        problems = [
            Problem("bound", f"{name} must be a whole number, 0 or more", f"Give Bound({name}=100)", f"{value!r}")
            for name, value in (("runs", self.runs), ("tries", self.tries))
            if not whole_from(0, value)
        ]
        if problems:
            raise RequestError(problems)


def whole_from(least: int, number: object) -> bool:
    """Whether this is a whole number, no less than that."""
    return isinstance(number, int) and number >= least


DEFAULT_BOUND = Bound()


@dataclass(frozen=True, eq=False)
class Witnesses:
    """Two tables that agree with a release, but from which it comes with different probabilities."""

    more: pl.DataFrame = field(repr=False)
    less: pl.DataFrame = field(repr=False)
    more_likely: Fraction
    less_likely: Fraction


@dataclass(frozen=True, eq=False)
class Worlds:
    """The tables that agree with a release: the values of `who` in each, and how likely it is to publish it so.

    The values of all others are taken to be known. `grounds` says what chances are: probabilities, or shares of runs.
    """

    people: People = field(repr=False)
    who: Persons = field(repr=False)
    naive: tuple[World, ...] = field(repr=False)
    chances: tuple[Fraction, ...] = field(repr=False)
    grounds: Grounds = field(default_factory=Grounds, repr=False)

    @property
    def smart(self) -> Mapping[World, Fraction]:
        """The tables that the algorithm may have published so."""
        return {world: chance for world, chance in zip(self.naive, self.chances, strict=True) if chance}

    @property
    def equal(self) -> bool:
        """Whether all tables are as likely, so that knowing the algorithm helps nobody, whatever else is known.

        Never where chances are shares of runs, which do not show it.
        """
        return self.grounds.runs is None and len(set(self.chances)) <= 1

    @property
    def marginals_equal(self) -> bool:
        """Whether nobody's value, taken by itself, is more or less likely for knowing the algorithm."""
        return self.before == self.after

    @cached_property
    def before(self) -> tuple[Marginal, ...]:
        """For each of `who`, how likely each value is to the naive adversary."""
        return marginals(self.naive, [Fraction(1)] * len(self.naive), len(self.who))

    @cached_property
    def after(self) -> tuple[Marginal, ...]:
        """For each of `who`, how likely each value is to the smart adversary; nothing where no table is left."""
        return marginals(self.naive, self.chances, len(self.who))

    def at_least(self, level: float = LEVEL) -> tuple[Fraction, ...]:
        """For each of `who`, how likely its most likely value is to the smart adversary; surely so, at this level."""
        if not any(self.chances):
            return (Fraction(0),) * len(self.who)
        if self.grounds.runs is None:
            return tuple(max(each.values()) for each in self.after)
        lows, highs = zip(*self.grounds.ends(self.chances, level), strict=True)
        least, most = (_sums(self.naive, weights, len(self.who)) for weights in (lows, highs))
        total = sum(highs, start=Fraction(0))
        return tuple(
            max(_share(low.get(value, Fraction(0)), total - part) for value, part in high.items())
            for low, high in zip(least, most, strict=True)
        )

    def rising(self, level: float = LEVEL) -> Sequence[tuple[Fraction, Fraction]]:
        """The chances of the most likely value of those to whom the algorithm surely gives a greater one."""
        pairs = zip(
            (max(each.values(), default=Fraction(0)) for each in self.before), self.at_least(level), strict=True
        )
        return [(before, after) for before, after in pairs if after > before]

    @property
    def witnesses(self) -> Witnesses | None:
        """Two tables with probabilities that surely differ; None where there are none."""
        if alike(self.chances, self.grounds)[0] is not Verdict.FAILS:
            return None
        ranked = sorted(zip(self.chances, self.naive, strict=True))
        (least, rarely), (most, often) = ranked[0], ranked[-1]
        more, less = (self.people.table(self.people.with_values(self.who, world)) for world in (often, rarely))
        return Witnesses(more, less, most, least)

    @property
    def steps(self) -> Mapping[tuple[Fraction, Fraction], int]:
        """How many people's most likely value goes from which probability to which."""
        if not any(self.chances):
            return {}
        return Counter(
            (max(before.values()), max(after.values())) for before, after in zip(self.before, self.after, strict=True)
        )


def marginals(guesses: Sequence[World], weights: Sequence[Fraction], people: int) -> tuple[Marginal, ...]:
    """For each person how likely each value is, when tables are as likely as their weights say."""
    total = sum(weights, start=Fraction(0))
    return tuple(
        {value: part / total for value, part in sorted(each.items())} for each in _sums(guesses, weights, people)
    )


def _sums(guesses: Sequence[World], weights: Sequence[Fraction], people: int) -> list[dict[int, Fraction]]:
    found: list[dict[int, Fraction]] = [{} for _ in range(people)]
    for world, weight in zip(guesses, weights, strict=True):
        if weight:
            for person, value in enumerate(world):
                found[person][value] = found[person].get(value, Fraction(0)) + weight
    return found


def _share(mine: Fraction, others: Fraction) -> Fraction:
    """The share of one of two weights; all of it where there is no other table."""
    return mine / (mine + others) if others else Fraction(1)


def exact(
    case: Case,
    knowledge: Knowledge = NOTHING_MORE,
    *,
    groups: Sequence[int] | None = None,
    bound: Bound = DEFAULT_BOUND,
) -> Worlds:
    """Both worlds of a release; where `groups` are given of these alone, the values of all others being known."""
    refuse_unknown_roster(knowledge)
    who = case.seen.persons(case.people, groups)
    naive = worlds(case.seen, case.people, knowledge, who, max(bound.runs // case.algorithm.runs, 1))
    chances = []
    for number, world in enumerate(naive):
        report("going through the tables that agree with the release", number / len(naive))
        chances.append(case.algorithm.chance(case.people.with_values(who, world)))
    return Worlds(case.people, who, tuple(naive), tuple(chances), Grounds.of(case.algorithm))
