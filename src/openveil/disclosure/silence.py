"""What it tells that nothing was released.

Claim. Neither paper asks what is told by releasing nothing. `silence` measures it for someone who knows how often
each value occurs in the groups of the last function: of the tables that agree with them, in what share nothing is
released, and how large a chance of a value that leaves someone with, at most. Both are intervals, which are one
number where the answer is exact. Someone who knows only which values there may be learns nothing from silence if
there are enough of them: requirements do not tell values apart, so every value is as likely as any other for
everyone.

Why it holds. Ways to tell, in the order in which they are tried.
- *counted*: if the last function fails and all others refine it, they fail too, and silence tells only that. If it
  holds, the inclusive strategy is silent about the tables of its disclosure set, or about none if that set satisfies
  the requirement, and both follow from its groups: they are judged as for a release, so they are exact, or bounded,
  where judging is. The exclusive one is silent about the same tables, and about those of which a function between the
  first and the last holds before any other, but is not released: no more of them than make such a function hold.
- *gone through*: where there are at most `MOST` ways to fill the groups, each is tried and weighed by its number of
  tables.
- *drawn*: so many tables are drawn at random. The share is then in the interval of Clopper and Pearson, the chance
  within Hoeffding's distance of what was seen, for all persons and values at once, each at 95 %; below `LEAST` silent
  tables nothing is told of the chance. Tables that it would take too long to judge count both ways. What was counted
  bounds what was drawn, and is all that is told where too few tables can be drawn.

Cost. One judgement, or one run for each way or drawn table: as many as `STEPS` allow, which are counted, not timed.

Source. The question is that of Tn-safety: Zhang, Jajodia, Brodsky 2007, Definition 11. C. J. Clopper, E. S. Pearson,
The use of confidence or fiducial limits, 1934; W. Hoeffding, Probability inequalities for sums of bounded random
variables, 1963.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from itertools import islice
from math import log, prod, sqrt

import numpy as np
from numpy.typing import NDArray

from openveil.core.intervals import LEVEL, interval
from openveil.core.secret import ChanceError, Secret
from openveil.disclosure.asking import Ratios
from openveil.disclosure.counting import orders
from openveil.disclosure.descent import Descent
from openveil.disclosure.drawing import Table, Tables
from openveil.disclosure.functions import Functions, Image
from openveil.disclosure.images import Filling, Inclusive, fillings
from openveil.disclosure.judging import Interval, Judgement, judge, largest_share, upper_bound
from openveil.disclosure.rotations import Ascent
from openveil.disclosure.strategies import Strategy, exclusive, last_of, naive
from openveil.disclosure.strategies import holds as image_holds

MOST = 2000
_MOST_ATOMS = 64
# Drawn tables: so many at most, or as many as touch so many rows, or as have so many atoms that are judged, each as
# good as so many rows; if there are fewer than `FEWEST`, nothing is drawn. So many tables tell how many are judged.
MOST_DRAWN, STEPS, JUDGED, FEWEST = 1_000, 1 << 30, 3_000, 20
_OF_ATOM, _FIRST = 20, 50
# Below so many silent tables, what was seen of them says next to nothing.
LEAST = 30
# An interval so narrow is as good as a number; a row is sorted in so many steps, and turned by so many places in one.
_NARROW, _SORTED, _QUICK = Fraction(1, 1000), 60, 8


class Told(StrEnum):
    """How it was told of how many tables nothing is released."""

    COUNTED = "counted"
    GONE_THROUGH = "gone through"
    DRAWN = "drawn"


@dataclass(frozen=True)
class Silence:
    """The share of tables of which nothing is released, and the largest chance that leaves; None if that is not told.

    `silent` of `tables` tables were met with silence, where tables were gone through or drawn.
    """

    told: Told
    share: Interval
    chance: Interval | None
    tables: int = 0
    silent: int = 0


_NEVER = Silence(Told.COUNTED, (Fraction(0),) * 2, None)


class Subject(ABC):
    """A method, with the functions it tries."""

    functions: Functions
    asked: Ratios

    @property
    @abstractmethod
    def steps(self) -> int:
        """About how many rows are touched to tell whether it is silent about a table."""

    @property
    def dear(self) -> int:
        """About how many atoms there are to judge in a table."""
        return len(self.functions.sizes) + len(self.functions.labels[0]) // _OF_ATOM + 1

    @abstractmethod
    def counted(self, last: int, image: Image) -> Silence | None:
        """What follows from the groups of the last function, which hold."""

    @abstractmethod
    def silent_of(self, table: Table) -> Fraction:
        """How likely nothing is released of a table."""

    def judges(self, table: Table) -> bool:
        """Whether a disclosure set has to be judged to tell whether it is silent about a table."""
        return False

    @abstractmethod
    def is_silent(self, table: Table, random: np.random.Generator) -> bool | None:
        """Whether nothing is released of a table, with what is drawn; None where it takes too long to tell."""


def silence(subject: Subject, image: Image) -> Silence | None:
    """What silence tells to someone who knows these groups of the last function; None where no function is tried."""
    functions, last = subject.functions, last_of(subject.functions)
    if last is None:
        return None
    if not image_holds(image, subject.asked) and _all_refine(functions, last):
        share = largest_share(image)
        return Silence(Told.COUNTED, (Fraction(1),) * 2, (share, share))
    counted = subject.counted(last, image) if image_holds(image, subject.asked) else None
    if counted is not None and counted.share[1] - counted.share[0] <= _NARROW:
        return counted
    tables = Tables(functions, last, image, subject.asked)
    return _gone_through(subject, tables) or _drawn(subject, tables, counted)


def _all_refine(functions: Functions, last: int) -> bool:
    return all(functions.refines(i, last) for i, fits in enumerate(functions.fits) if fits)


def _gone_through(subject: Subject, tables: Tables) -> Silence | None:
    """Every way to fill the groups; None where there are too many, or too many orders of one."""
    if len(tables.functions.sizes) > _MOST_ATOMS:
        return None
    every = [*islice(fillings(tables.functions, tables.last, tables.image), MOST + 1)]
    if len(every) > MOST:
        return None
    ways = [prod(orders([n for _, n in group]) for group in each) for each in every]
    try:
        silent = [number * subject.silent_of(tables.filled(each)) for each, number in zip(every, ways, strict=True)]
    except ChanceError:
        return None
    size = sum(silent, Fraction(0))
    chance = max(_chances(every, silent, size)) if size else None
    share = Fraction(size, sum(ways))
    left = None if chance is None else (chance, chance)
    return Silence(Told.GONE_THROUGH, (share,) * 2, left, sum(ways), int(size))


def _chances(every: list[Filling], silent: list[Fraction], size: Fraction) -> Iterator[Fraction]:
    """How likely each value is in each atom, if tables are so likely to be met with silence."""
    for several in zip(*every, strict=True):
        having: defaultdict[int, Fraction] = defaultdict(Fraction)
        for group, number in zip(several, silent, strict=True):
            for value, rows in group:
                having[value] += number * Fraction(rows, sum(n for _, n in group))
        yield max(having.values()) / size


def _drawn(subject: Subject, tables: Tables, counted: Silence | None) -> Silence | None:
    """As many tables as can be drawn; what was counted where these are too few."""
    random = np.random.default_rng(list(Secret.fresh().stream("silence", 32)))
    number, seen = _affordable(subject, tables, random), _Seen(tables)
    if number < FEWEST:
        return counted
    for _ in range(number):
        table = tables.drawn(random)
        seen.add(table, subject.is_silent(table, random))
    share = Fraction(interval(seen.silent, number)[0]), Fraction(interval(seen.silent + seen.untold, number)[1])
    chance = seen.chance
    if counted is not None:
        share = _within(share, counted.share)
        chance = _within(chance, counted.chance) if chance and counted.chance else chance or counted.chance
    return Silence(Told.DRAWN, share, chance, number, seen.silent)


def _affordable(subject: Subject, tables: Tables, random: np.random.Generator) -> int:
    """How many tables can be drawn, by the share of some first ones that would be judged, which are not counted."""
    number = min(MOST_DRAWN, STEPS // subject.steps)
    judged = sum(subject.judges(tables.drawn(random)) for _ in range(min(_FIRST, number)))
    return min(number, JUDGED * _FIRST // (judged * subject.dear)) if judged else number


def _within(one: Interval, other: Interval) -> Interval:
    """What both say; what is certain, where they contradict each other, as one in twenty draws may."""
    low, high = max(one[0], other[0]), min(one[1], other[1])
    return (low, high) if low <= high else other


@dataclass
class _Seen:
    """What was seen of drawn tables: how many were silent or not told, and who had which value in silent ones."""

    tables: Tables
    silent: int = 0
    untold: int = 0
    having: NDArray[np.float64] | None = field(default=None, repr=False)

    def add(self, table: Table, silent: bool | None) -> None:  # noqa: FBT001
        """One more."""
        self.untold += silent is None
        if silent:
            self.silent += 1
            rows = self._rows(table)
            self.having = rows if self.having is None else self.having + rows

    def _rows(self, table: Table) -> NDArray[np.float64]:
        """For each atom and value, in which share of the rows it is."""
        functions, domain = self.tables.functions, self.tables.limits.domain
        counts = np.bincount(functions.atom * domain + table.values, minlength=len(functions.sizes) * domain)
        shares: NDArray[np.float64] = counts.reshape(-1, domain) / functions.sizes[:, None]
        return shares

    @property
    def chance(self) -> Interval | None:
        """The largest chance that silence leaves, for all atoms and values at once."""
        if self.having is None or self.silent < LEAST or self.untold:
            return None
        far = sqrt(log(2 * self.having.size / (1 - LEVEL)) / (2 * self.silent))
        most, share = float(self.having.max()) / self.silent, largest_share(self.tables.image)
        return max(Fraction(most - far), share), min(max(Fraction(most + far), share), Fraction(1))


@dataclass(eq=False)
class Followed(Subject):
    """One of the strategies on a sequence of functions; decisions are remembered."""

    functions: Functions
    asked: Ratios
    strategy: Strategy
    _inclusive: Inclusive = field(init=False, repr=False)
    _known: dict[tuple[int, Image], bool] = field(default_factory=dict, init=False, repr=False)
    _left: int = field(init=False)

    def __post_init__(self) -> None:
        self._inclusive, self._left = Inclusive(self.functions, self.asked), 2 * JUDGED

    @property
    def steps(self) -> int:
        """Drawing, and asking whether each function holds."""
        return len(self.functions.labels[0]) * (_SORTED + len(self.functions))

    def counted(self, last: int, image: Image) -> Silence:
        """The disclosure set of the last function, unless it is released; and what functions before it may add."""
        if self.strategy is naive:
            return _NEVER
        judgement, between = self._judged(last, image), self._between(last, image)
        left: Interval = (1 - judgement.ruled_out[1], 1 - judgement.ruled_out[0])
        if judgement.holds or left[1] == 0:
            return Silence(Told.COUNTED, (Fraction(0), between), None)
        share = left[0], min(left[1] + between, Fraction(1))
        return Silence(Told.COUNTED, share, _with(judgement.chance, left[0], between))

    def silent_of(self, table: Table) -> Fraction:
        """Nothing is drawn on the way."""
        return Fraction(not any(self._releases(i, table.image(i)) for i in self._asked_of(table)))

    def judges(self, table: Table) -> bool:
        """Whether the first function that may be released is neither the first nor the last one tried."""
        i = next(self._asked_of(table), None)
        return i is not None and not self._is_first(i) and any(self.functions.fits[i + 1 :])

    def is_silent(self, table: Table, random: np.random.Generator) -> bool | None:
        """The same, while there are rows left that may be judged."""
        for i in self._asked_of(table):
            if self._is_first(i):
                return False
            image = table.image(i)
            self._left -= 0 if (i, image) in self._known else self.dear
            if self._left < 0:
                return None
            if self._releases(i, image):
                return False
        return True

    def _asked_of(self, table: Table) -> Iterator[int]:
        """The functions that may be released of a table: those that hold, of the exclusive strategy the first."""
        held = (i for i, fits in enumerate(self.functions.fits) if fits and table.holds(i))
        return islice(held, 1) if self.strategy is exclusive else held

    def _is_first(self, i: int) -> bool:
        """Whether no function is tried before, so that nothing is ruled out."""
        return self.strategy is naive or not any(self.functions.fits[:i])

    def _releases(self, i: int, image: Image) -> bool:
        if self._is_first(i):
            return True
        if (i, image) not in self._known:
            self._known[i, image] = self._judged(i, image).holds
        return self._known[i, image]

    def _judged(self, i: int, image: Image) -> Judgement:
        if self.strategy is exclusive:
            return judge(self.functions, i, image, self.asked)
        return self._inclusive.decide(i, image)

    def _between(self, last: int, image: Image) -> Fraction:
        """At most so great a share of tables stops the exclusive strategy between the first and the last function."""
        tried = [i for i, fits in enumerate(self.functions.fits) if fits]
        if self.strategy is not exclusive or len(tried) < 3:
            return Fraction(0)
        return upper_bound(self.functions.fitting_only(tried[1:]), last, image, self.asked)


def _with(chance: Interval, share: Fraction, more: Fraction) -> Interval | None:
    """A largest chance in so great a share of tables, at least, if it is told together with at most so many more."""
    if more == 0:
        return chance
    if share == 0:
        return None
    return chance[0] * share / (share + more), (chance[1] * share + more) / (share + more)


@dataclass(frozen=True, eq=False)
class Rotated(Subject):
    """One of the two ways of rotating."""

    functions: Functions
    asked: Ratios
    way: Ascent | Descent

    @property
    def steps(self) -> int:
        """Drawing, and turning each function in each that comes later."""
        groups = [int(label.max()) + 1 for label in self.way.chain.labels]
        turned = sum(finer // coarser for i, coarser in enumerate(groups) for finer in groups[:i])
        return len(self.functions.labels[0]) * (_SORTED * (len(groups) + 1) + turned // _QUICK)

    def counted(self, last: int, image: Image) -> Silence | None:
        """Going down from the last function is never silent, nor is going up where there is but one."""
        return _NEVER if isinstance(self.way, Descent) or self.way.chain.numbers == (last,) else None

    def silent_of(self, table: Table) -> Fraction:
        """Over all orders."""
        return 1 - sum((chance for _, chance in self.way.outcomes(table.values)), Fraction(0))

    def is_silent(self, table: Table, random: np.random.Generator) -> bool:
        """In an order that is drawn."""
        return self.way.groups(table.values, lambda _, size: random.permutation(size)) is None
