"""What a search for the least loss works on, and what it finds.

Claim. A `Problem` answers what a vector suppresses and at what extra loss, until the time it was given is used up;
then it answers None.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from openveil.core.bags import Counts
from openveil.core.classes import Classes
from openveil.core.lattice import Lattice, Vector
from openveil.core.requirement import Requirement
from openveil.core.table import Public
from openveil.publishers.samarati.survey import Vectors, survey
from openveil.utility.information_loss import Prices

NEVER = np.iinfo(np.int64).max

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Examined:
    """What a vector turned out to be; `extra` is what its suppressed rows add to the loss."""

    acceptable: bool
    extra: int


@dataclass(frozen=True, slots=True)
class Optimum:
    """The best vector found, its loss, the bound proved, and how many vectors were examined."""

    vector: Vector
    loss: int
    bound: int
    examined: int

    @property
    def proved(self) -> bool:
        """Whether no acceptable vector can be better."""
        return self.bound >= self.loss


@dataclass
class Best:
    """The best vector so far, and how many were examined."""

    vector: Vector
    loss: int = NEVER
    examined: int = 0

    def offer(self, vector: Vector, loss: int) -> None:
        """Take a vector that is better, or as good and lexicographically before."""
        if (loss, vector) < (self.loss, self.vector):
            self.vector, self.loss = vector, loss

    def optimum(self, bound: int) -> Optimum:
        """The result, given what was proved."""
        return Optimum(self.vector, self.loss, min(bound, self.loss), self.examined)


def _none_used() -> float:
    return 0.0


@dataclass(frozen=True, eq=False)
class Problem:
    """A table to be published: its finest classes, what is required, and what may be suppressed.

    `used` says which share of the time given has passed; the problem may use up to `share` of it.
    """

    public: Public
    classes: Classes
    requirement: Requirement
    allowed: int
    prices: Prices
    used: Callable[[], float] = _none_used
    share: float = 1.0

    @property
    def lattice(self) -> Lattice:
        """The lattice of the table's hierarchies."""
        return Lattice(self.public.heights)

    def within(self, seconds: float, clock: Clock = time.monotonic) -> Problem:
        """The same problem with so much time, from now on."""
        start = clock()
        return replace(self, used=lambda: (clock() - start) / seconds)

    def without_hurry(self) -> Problem:
        """The same problem with all the time in the world."""
        return replace(self, used=_none_used)

    def stop(self) -> bool:
        """Whether the time is used up."""
        return self.used() >= self.share

    def examine(self, vectors: Vectors) -> list[Examined | None]:
        """What each vector suppresses, and at what extra loss; None when time ran out before."""

        def judge(vector: Vector, classes: Classes) -> Examined:
            lost = ~self.requirement.holds(classes)
            if int(classes.sizes[lost].sum()) > self.allowed:
                return Examined(acceptable=False, extra=0)
            return Examined(acceptable=True, extra=self.prices.suppressing(classes, lost, vector))

        return survey(self.public, self.classes, vectors, judge, stop=self.stop)


class Method(ABC):
    """A way to search; it is given a best vector to start with, which is acceptable."""

    def __init__(self, problem: Problem, best: Best) -> None:
        self.problem = problem
        self.best = best

    @abstractmethod
    def run(self) -> Optimum:
        """The best vector found in the time given, and the bound proved."""


def generalising(of_level: tuple[Counts, ...]) -> NDArray[np.int64]:
    """The loss of every vector when no row is suppressed, as an array with one cell a vector."""
    total = np.zeros([len(totals) for totals in of_level], dtype=np.int64)
    for axis, totals in enumerate(of_level):
        total += totals.reshape([-1 if a == axis else 1 for a in range(len(of_level))])
    return total
