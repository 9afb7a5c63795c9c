"""The search that is measured: fold the rows of an encoded table, price them, find the least loss."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from measuring.inputs import Input
from openveil.core.full_domain import classes_of
from openveil.core.lattice import Vector
from openveil.core.suppression import Allowance
from openveil.core.table import Public
from openveil.publishers.datafly import walk
from openveil.publishers.samarati.least_loss import least_loss
from openveil.publishers.samarati.problem import Examined, Optimum, Problem
from openveil.publishers.samarati.survey import Vectors
from openveil.requirements.k_anonymity import KAnonymity
from openveil.utility.information_loss import Prices


@dataclass(frozen=True, eq=False)
class Recorded(Problem):
    """A problem that remembers which vectors were examined."""

    seen: list[Vectors] = field(default_factory=list)

    def examine(self, vectors: Vectors) -> list[Examined | None]:
        """What each vector suppresses, and at what extra loss."""
        self.seen.append(vectors)
        return super().examine(vectors)


@dataclass(frozen=True, eq=False)
class Task:
    """An encoded table and what is asked of it: all that a search is given."""

    public: Public
    requirement: KAnonymity
    allowance: Allowance

    @staticmethod
    def of(given: Input) -> Task:
        """Encode the table."""
        return Task(given.encoded().public, KAnonymity(given.k), Allowance.of(given.max_suppressed))

    def columns(self) -> dict[str, NDArray[Any]]:
        """The encoded table."""
        return {"codes": self.public.codes}

    def on(self, columns: dict[str, NDArray[Any]]) -> Task:
        """The same search on another table with the same axes."""
        return replace(self, public=replace(self.public, codes=columns["codes"]))

    def problem(self, kind: type[Problem] = Problem) -> Problem:
        """The finest classes and the prices: the first part of every search."""
        classes = classes_of(self.public)
        allowed = self.allowance.rows(len(self.public))
        return kind(self.public, classes, self.requirement, allowed, Prices.of(self.public, classes))

    def run(self, seconds: float = 600.0) -> Optimum:
        """Fold, price and search."""
        return _found(least_loss(self.problem().within(seconds)))

    def examined(self) -> Vectors:
        """The vectors the search examines."""
        problem = self.problem(Recorded)
        least_loss(problem.within(600.0))
        return np.concatenate(problem.seen) if isinstance(problem, Recorded) else np.empty((0, 0), np.int64)


@dataclass(frozen=True, slots=True)
class Cost:
    """What publishing at a vector costs: the loss of all rows, and how many of them are suppressed."""

    loss: Fraction
    suppressed: int


def cost_at(problem: Problem, vector: Vector) -> Cost:
    """The information loss of all rows at a vector, suppression included, by the library."""
    from openveil.core.full_domain import maps_of

    classes = problem.classes.lift(maps_of(problem.public, vector))
    kept = problem.requirement.holds(classes)
    loss = problem.prices.generalising(vector) + problem.prices.suppressing(classes, ~kept, vector)
    return Cost(problem.prices.in_all(loss), int(classes.sizes[~kept].sum()))


def datafly_at(task: Task, problem: Problem) -> Vector:
    """Where Datafly stops."""
    return walk(task.public, problem.classes, task.requirement, task.allowance)[-1].levels


def _found(optimum: Optimum | None) -> Optimum:
    if optimum is None:
        raise RuntimeError("the top of the lattice is not acceptable: this input cannot be measured")
    return optimum
