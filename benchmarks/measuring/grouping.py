"""The plain way: one Polars `group_by` a node, over columns that hold the codes of each level already.

Columns at their root are left out of the `group_by`, and neither encoding nor looking up levels is timed.
The groups also give the loss of the node, computed here anew from the definition: an independent check.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm

import numpy as np
import polars as pl
from numpy.typing import NDArray

from measuring.searching import Cost
from openveil.core.lattice import Vector
from openveil.core.table import Public

_LENGTH = "number of rows"


@dataclass(frozen=True, slots=True)
class Grouped:
    """How long the nodes took, and what each costs."""

    seconds: float
    costs: dict[Vector, Cost]

    @property
    def a_node(self) -> float:
        """The mean time of a node."""
        return self.seconds / max(1, len(self.costs))


@dataclass(frozen=True, eq=False)
class Nodes:
    """A table whose columns are the codes of every attribute at every level below its root."""

    public: Public
    k: int
    allowed: int

    @cached_property
    def frame(self) -> pl.DataFrame:
        """One column an attribute and level."""
        pairs = [(a, level) for a, height in enumerate(self.public.heights) for level in range(height)]
        return pl.DataFrame({_column(a, level): self._shown(a, level) for a, level in pairs})

    def _shown(self, attribute: int, level: int) -> NDArray[np.uint16]:
        codes = self.public.codes
        table = self.public.hierarchies[attribute].node_of_leaf(level).astype(codes.dtype)
        return table[codes[:, attribute]]

    def measure(self, vectors: NDArray[np.int64]) -> Grouped:
        """Group once for each of the vectors."""
        frame, seconds, costs = self.frame, 0.0, {}
        for vector in map(tuple, vectors.tolist()):
            shown = [_column(a, level) for a, level in enumerate(vector) if level < self.public.heights[a]]
            start = time.perf_counter()
            groups = frame.group_by(shown).len(_LENGTH) if shown else frame.select(pl.len().alias(_LENGTH))
            seconds += time.perf_counter() - start
            costs[vector] = self.cost(vector, groups)
        return Grouped(seconds, costs)

    def cost(self, vector: Vector, groups: pl.DataFrame) -> Cost:
        """The loss of a node from its groups, in whole numbers: a suppressed row loses everything."""
        unit = lcm(*(len(hierarchy.axis) for hierarchy in self.public.hierarchies))
        sizes = groups[_LENGTH].to_numpy().astype(np.int64)
        shown = np.zeros(len(sizes), dtype=np.int64)
        for a, level in enumerate(vector):
            hierarchy = self.public.hierarchies[a]
            price = (hierarchy.leaves(level) - 1) * (unit // len(hierarchy.axis))
            at_root = level == hierarchy.height
            shown += price[0] if at_root else price[groups[_column(a, level)].to_numpy()]
        everything = sum(unit - unit // len(hierarchy.axis) for hierarchy in self.public.hierarchies)
        lost = sizes < self.k
        total = int(shown[~lost] @ sizes[~lost]) + everything * int(sizes[lost].sum())
        return Cost(Fraction(total, unit), int(sizes[lost].sum()))

    def better(self, grouped: Grouped, loss: Fraction) -> int:
        """How many of the measured nodes are acceptable and lose less than `loss`."""
        return sum(cost.suppressed <= self.allowed and cost.loss < loss for cost in grouped.costs.values())


def sampled(vectors: NDArray[np.int64], size: int, seed: int) -> NDArray[np.int64]:
    """A random sample of the vectors, the same for the same seed; all of them when there are no more."""
    if len(vectors) <= size:
        return vectors
    return vectors[np.random.default_rng(seed).choice(len(vectors), size, replace=False)]


def every_node(heights: Vector) -> NDArray[np.int64]:
    """All vectors of a lattice."""
    return np.argwhere(np.ones([height + 1 for height in heights], dtype=np.bool_))


def _column(attribute: int, level: int) -> str:
    return f"{attribute} at {level}"
