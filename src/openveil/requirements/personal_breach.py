"""Personal breach: nobody's guarding node is breached with a probability above p. The model of [001].

Claim. In a release that holds, whoever knows the quasi-identifiers of everyone, and of whom each group is, and takes
every way to fill it in as equally likely, links a person to a value in the person's guarding node with a probability
of at most p. Of persons who waive protection nothing is promised. The probability is reckoned with the fewest people
a group can have: those in it (Inequality 2).

With `adversary = "population"` it is reckoned with all people of the population whom the labels of a group fit
(S_ext), as the paper's adversary does who has no more than such a table. That is another promise, and rests on more:
that readers do not know better who of these people is in the table, that nothing the release shows tells them, and
that the population has everyone in the table. So it claims to be measured, not proved. The last of these is asked as
far as numbers tell: no group may have more people than the population has for it.

Why it holds. The probabilities are those of Theorems 1 and 2 (`core/breach.py`), compared with p exactly.

It is not monotone: rows that are fine by themselves, because they waive, can breach the guard of those they are
joined with. So each group is asked by itself, and so is each union of groups that a reader cannot tell apart.

A finding that holds says p and no more: how likely the likeliest breach is follows from guards, which are published
nowhere, and can tell a value for certain. `reached` and `Breaches` measure it, for where nothing of it is published.

`enough` and `needs`, which methods decide by, know of no population: fewer people make a greater probability, so what
they let pass holds with a population too.

`needs`. Where every person has one row, a part of s rows has at most as many rows in and above a guard as the whole
bag, and s persons; so it holds as soon as s is at least the sum of the shares, divided by p, for every guard in the
bag. That is exact but for guards whose owners are not in the part.

Cost. One pass over the bags.

Source. X. Xiao, Y. Tao, Personalized privacy preservation, 2006, Definition 3, Theorems 1 and 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from openveil.core.bags import Bags, Counts
from openveil.core.breach import Breaches
from openveil.core.classes import Classes
from openveil.core.errors import refuse
from openveil.core.finding import Finding, Key, Verdict
from openveil.core.registry import Kind, Status, part
from openveil.core.requirement import Diversity

PERSONAL, GREATEST, GUARDED = "personal-breach", "greatest breach probability", "guarded values"
KNOWN = "a known population"
AT_MOST = "at most; what was measured is not told, since it follows from what guards people's values"
# Methods reckon with p as a fraction of at most this denominator.
LEAST = Fraction(1, 10**6)
_STEPS, _MARGIN, _MANY = 1000, 1e-9, 1 << 62


class Adversary(StrEnum):
    """Whom the adversary takes for possible owners of a row: those who are in the table, or a whole population."""

    TABLE = "table"
    POPULATION = "population"


@part(Kind.REQUIREMENT, PERSONAL, source="Xiao and Tao 2006, Definition 3", status=Status.PROVED)
@dataclass(frozen=True, slots=True)
class PersonalBreach(Diversity):
    """Nobody is linked to a value inside the node that guards the person's own with a probability above p.

    `p` is a number above 0 and at most 1, or an exact fraction such as "1/3". `population`: a file with the
    quasi-identifiers of the people who may be in the table. `adversary`: "table" promises p for somebody who knows
    who is in the table, and with a population also tells a bound for somebody who knows no more than these people;
    "population" promises p for the latter alone.
    """

    reads_guards: ClassVar[bool] = True
    weaker: ClassVar[tuple[Status, str]] = Status.MEASURED, 'with adversary = "population"'

    p: Fraction
    population: Path | None = None
    adversary: Adversary = Adversary.TABLE

    def __post_init__(self) -> None:
        # A number that is written is meant as it is written: 0.1 is a tenth.
        object.__setattr__(self, "p", Fraction(str(self.p)))
        if not 0 < self.p <= 1:
            what, remedy = "p must be above 0 and at most 1", "Ask for a probability such as 0.25"
            raise refuse(PERSONAL, what, remedy)
        if self.p < LEAST:
            what, remedy = f"p must be at least 1/{LEAST.denominator:,}", "Ask for a probability such as 0.25"
            raise refuse(PERSONAL, what, remedy)
        if self.by_population and self.population is None:
            remedy = 'Add population = "people.csv", or leave `adversary` out'
            raise refuse(PERSONAL, 'adversary = "population" needs one', remedy)

    @property
    def by_population(self) -> bool:
        """Whether the promise is reckoned with the people of the population."""
        return self.adversary is Adversary.POPULATION

    @property
    def claimed(self) -> Status:
        """Who of a population is in the table may be known, or told by labels; so less is claimed then."""
        return self.weaker[0] if self.by_population else Status.PROVED

    def concerns(self, bags: Bags) -> bool:
        """Whether the view tells what guards the values."""
        return bags.pairs is not None

    def holds(self, classes: Classes) -> NDArray[np.bool_]:
        """For each class, whether no guard in it is breached with more than p."""
        return self._breaches(classes).holding(self.p, len(classes))

    def measure(self, classes: Classes) -> tuple[Finding, ...]:
        """Whether the greatest breach probability is at most p; the figure itself only where it is not."""
        if not len(classes):
            return ()
        found = self._told(self._breaches(classes))
        return (Finding(*self.told_of, self.p, Verdict.HOLDS, self.p, note=AT_MOST) if _holds(found) else found,)

    @property
    def told_of(self) -> Key:
        """What the promise is told as."""
        return GREATEST, KNOWN if self.by_population else GUARDED

    def enough(self, bags: Bags) -> NDArray[np.bool_]:
        """For each bag of rows of as many persons, whether no guard in it is breached with more than p."""
        return Breaches.of(bags, bags.sizes, alone=True).holding(self.p, len(bags))

    def reached(self, bags: Bags) -> Finding:
        """The greatest breach probability, if every person has one row."""
        return self._told(Breaches.of(bags, bags.sizes, alone=True))

    def needs(self, bags: Bags) -> Counts:
        """For each bag the greatest sum of the shares that a guard in it has, divided by p."""
        # With one person in all, the probability that is not yet divided by the number of persons.
        sums = Breaches.of(bags, np.ones(len(bags), dtype=np.int64), alone=True)
        needed = np.ones(len(bags), dtype=np.int64)
        group = sums.group[sums.starts]
        greatest = np.zeros(len(bags))
        np.maximum.at(greatest, group, sums.near)
        close = np.flatnonzero(sums.near >= greatest[group] * (1 - _MARGIN))
        kinds, kind = sums.kinds(close)
        rows = [int(min(-(-sums.exactly(place) // self.p), _MANY)) for place in kinds]
        np.maximum.at(needed, group[close], np.array(rows, dtype=np.int64)[kind])
        return needed

    def attainable(self, bags: Bags) -> str:
        """The smallest p, in thousandths, that holds for all bags."""
        return least_p(Breaches.of(bags, bags.sizes, alone=True).greatest())

    @property
    def promise(self) -> str:
        """The requirement in a few words."""
        return f"p = {self.p}" + (" with a known population" if self.by_population else "")

    def _breaches(self, classes: Classes) -> Breaches:
        persons = classes.persons
        people = classes.people if self.by_population else persons
        return Breaches.of(self.views(classes)[0], people, alone=bool(persons.sum() == classes.sizes.sum()))

    def _told(self, breaches: Breaches) -> Finding:
        verdict = Verdict.FAILS if breaches.exceeding(self.p).any() else Verdict.HOLDS
        return Finding(*self.told_of, breaches.greatest(), verdict, limit=self.p)


def least_p(chance: Fraction) -> str:
    """The smallest p, in thousandths, that a chance does not exceed, in the words of a plan."""
    if chance > 1:
        return "no p, for it would be above 1"
    return f"p = {float(Fraction(-(-chance * _STEPS // 1), _STEPS))}"


def _holds(found: Finding) -> bool:
    return found.verdict is Verdict.HOLDS
