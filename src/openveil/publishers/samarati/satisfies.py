"""Two ways to count what a vector suppresses: from classes, and from the distance-vector matrix.

Claim. Both counters give, for each vector, the number of rows that must be suppressed for the requirement to
hold at that vector (minimal required suppression, Definition 4.2).

Why it holds. Classes: a row must go exactly when its class does not hold (Lemma 4.1). Matrix (k-anonymity only):
y falls into the class of x at v exactly when V[x, y] <= v, so the class of x has the sum of the counts of those
y as its size; only outliers can have a class smaller than k.

Cost. Classes: one lift a vector (`survey.py`). Matrix: outliers x distinct tuples x attributes bytes, built
once, and one comparison of all of it a vector; refused beyond `MOST_CELLS`.

Source. [004] section 5, function `satisfies` and the matrix form after Theorem 5.3; SPEC K1, K2.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from openveil.core.bags import Counts
from openveil.core.classes import Classes
from openveil.core.errors import refuse
from openveil.core.lattice import Vector
from openveil.core.requirement import Requirement
from openveil.core.table import Public
from openveil.publishers.samarati.survey import Stop, Vectors, never, survey

MOST_CELLS = 1 << 28


class OutOfTime(Exception):  # noqa: N818 - it is no error but an end
    """The time given is over before everything was counted."""


class Counter(ABC):
    """Counts the rows that vectors suppress."""

    @abstractmethod
    def suppressed(self, vectors: Vectors) -> Counts:
        """For each of the distinct vectors, how many rows must be suppressed."""


@dataclass(frozen=True, eq=False)
class ByClasses(Counter):
    """Lifts classes; works with every requirement."""

    public: Public
    classes: Classes
    requirement: Requirement
    stop: Stop = never

    def suppressed(self, vectors: Vectors) -> Counts:
        """For each of the distinct vectors, how many rows must be suppressed; `OutOfTime` when it is time to stop."""

        def lost(_: Vector, classes: Classes) -> int:
            return int(classes.sizes[~self.requirement.holds(classes)].sum())

        counted = survey(self.public, self.classes, vectors, lost, stop=self.stop)
        if any(count is None for count in counted):
            raise OutOfTime
        return np.array(counted, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class ByMatrix(Counter):
    """Compares distance vectors between tuples; k-anonymity in rows only."""

    public: Public
    classes: Classes
    k: int

    def __post_init__(self) -> None:
        cells = len(self.outliers) * len(self.classes) * len(self.public.hierarchies)
        if cells > MOST_CELLS:
            raise refuse(
                "method: engine",
                f"the distance matrix would have {cells:,} cells, more than {MOST_CELLS:,}",
                'Use engine = "classes", which gives the same answers',
            )
        if self.classes.crowd is not None:
            raise refuse(
                "method: engine",
                "the distance matrix counts rows, and this table has a column that says who the person is",
                'Use engine = "classes"',
            )

    @cached_property
    def outliers(self) -> NDArray[np.int64]:
        """The distinct tuples that occur fewer than k times."""
        return np.flatnonzero(self.classes.sizes < self.k)

    @cached_property
    def matrix(self) -> NDArray[np.uint8]:
        """V[x, y, a]: the lowest level of attribute a at which outlier x and tuple y are the same."""
        base = self.classes.base
        distances = np.zeros((len(self.outliers), len(base), base.shape[1]), dtype=np.uint8)
        for a, hierarchy in enumerate(self.public.hierarchies):
            for level in range(hierarchy.height):
                shown = hierarchy.node_of_leaf(level)[base[:, a]]
                distances[:, :, a] += shown[self.outliers, None] != shown[None, :]
        return distances

    @property
    def least_upper_bound(self) -> Vector:
        """The coordinate-wise maximum of the matrix: no minimal vector lies above it."""
        return tuple(self.matrix.max(axis=(0, 1), initial=0).tolist())

    def minimal_in_row(self, outlier: int) -> list[Vector]:
        """The minimal ones among the non-null vectors of one row of the matrix."""
        distinct = {tuple(vector) for vector in self.matrix[outlier].tolist()} - {(0,) * self.matrix.shape[2]}
        return sorted(v for v in distinct if not any(_below(w, v) for w in distinct))

    def suppressed(self, vectors: Vectors) -> Counts:
        """For each of the distinct vectors, how many rows must be suppressed."""
        return np.array([self._lost(vector) for vector in np.asarray(vectors)], dtype=np.int64)

    def _lost(self, vector: NDArray[np.int64]) -> int:
        together = (self.matrix <= vector).all(axis=2)
        clusters = together @ self.classes.sizes
        return int(self.classes.sizes[self.outliers[clusters < self.k]].sum())


def _below(lower: Vector, upper: Vector) -> bool:
    return lower != upper and all(low <= high for low, high in zip(lower, upper, strict=True))
