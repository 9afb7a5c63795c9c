"""Methods, as what it is asked about whether they are silent about a table.

Claim. A `Subject` says what follows from the groups of the last function about how often it is silent (`counted`),
how likely it is silent about a table (`silent_of`), and whether it is with what is drawn on the way (`is_silent`).

Why it holds. The inclusive strategy is silent about the tables of the disclosure set of the last function, or about
none if that set satisfies the requirement: both follow from the groups of the last function, and are judged as for a
release. The exclusive one is silent about the same tables, and about those of which a function between the first and
the last holds before any other, but is not released: no more of them than make such a function hold. Going down from
the last function is never silent.

Cost. One judgement for each function that may be released, or one pass over the rows of a table.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from itertools import islice

import numpy as np

from openveil.disclosure.asking import Ratios
from openveil.disclosure.descent import Descent
from openveil.disclosure.drawing import Table
from openveil.disclosure.functions import Functions, Image
from openveil.disclosure.images import Inclusive
from openveil.disclosure.judgements import Interval, Judgement
from openveil.disclosure.judging import judge, upper_bound
from openveil.disclosure.rotations import Ascent
from openveil.disclosure.strategies import Strategy, exclusive, naive

# So many atoms may be judged, each as good as so many rows.
JUDGED, _OF_ATOM = 3_000, 20
# A row is sorted in so many steps, and turned by so many places in one.
_SORTED, _QUICK = 60, 8


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
            image = table.image(i)
            self._left -= 0 if self._is_first(i) or (i, image) in self._known else self.dear
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
        return not any(self.functions.fits[:i])

    def _releases(self, i: int, image: Image) -> bool:
        if self.strategy is naive:
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
