"""Improvement within a time budget, for lattices too large to hold.

Claim. The result is the best of the vectors examined. When every acceptable vector was met it is optimal; otherwise
no acceptable vector loses less than the bound.

Why it holds. Every acceptable vector is reached from the top through acceptable ones, since what lies above an
acceptable vector is acceptable (Samarati 2001, Corollary 5.1); the queue holds those whose successors are still to
be examined. The bound adds up what each block of attributes must lose with the others at their root: raising the
others keeps a vector acceptable, so no acceptable vector can go lower in any block.

Cost. Bounded by the time given. A local search (one step down, or one up and one down) starts where Datafly would
end; what is left goes into the queue, the least loss first, and at last into the bound.

Source. Own.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from openveil.core.bags import Counts
from openveil.core.lattice import Lattice, Vector
from openveil.core.progress import report
from openveil.publishers.samarati.minimal import acceptable
from openveil.publishers.samarati.problem import NEVER, Best, Method, Optimum, Problem, generalising
from openveil.publishers.samarati.satisfies import ByClasses, Counter, OutOfTime
from openveil.publishers.samarati.survey import Vectors

_FOR_SEARCHING = 0.85
_BLOCK_VECTORS = 4096


@dataclass(eq=False)
class _Failed:
    """Unacceptable vectors; what lies below one of them need not be examined."""

    width: int
    rows: NDArray[np.int64] = field(init=False)
    count: int = 0

    def __post_init__(self) -> None:
        self.rows = np.empty((64, self.width), dtype=np.int64)

    def add(self, vector: Vector) -> None:
        """Remember one more."""
        if self.count == len(self.rows):
            self.rows = np.concatenate([self.rows, np.empty_like(self.rows)])
        self.rows[self.count] = vector
        self.count += 1

    def cover(self, vector: Vector) -> bool:
        """Whether the vector is below one of them."""
        return bool((self.rows[: self.count] >= np.array(vector)).all(axis=1).any())


class Descent(Method):
    """Local search, then best-first improvement downwards."""

    def __init__(self, problem: Problem, best: Best) -> None:
        super().__init__(problem, best)
        self.searching = replace(problem, share=problem.share * _FOR_SEARCHING)
        self.seen: set[Vector] = {best.vector}
        self.accepted: set[Vector] = {best.vector}
        self.queue: list[tuple[int, Vector]] = [(best.loss, best.vector)]
        self.failed = _Failed(len(best.vector))

    def run(self) -> Optimum:
        """Search, then bound."""
        self.climb()
        while self.improve():
            report("improving within the time budget", self.problem.used())
        while self.queue and not self.searching.stop():
            report("improving within the time budget", self.problem.used())
            loss, vector = heapq.heappop(self.queue)
            if not self.take(self.problem.lattice.below(vector)):
                heapq.heappush(self.queue, (loss, vector))
        return self.best.optimum(self.floor() if self.queue else NEVER)

    def climb(self) -> None:
        """Go up from the bottom, always in the attribute with the most nodes, to the first acceptable vector."""
        vector = self.problem.lattice.bottom
        self.take([vector])
        while vector not in self.accepted and not self.searching.stop():
            vector = max(self.problem.lattice.above(vector), key=partial(self.nodes_left, vector))
            self.take([vector])

    def nodes_left(self, vector: Vector, above: Vector) -> int:
        """How many nodes the attribute that `above` raises still has at `vector`."""
        raised = next(a for a, (low, high) in enumerate(zip(vector, above, strict=True)) if low != high)
        return len(self.problem.public.hierarchies[raised].levels[vector[raised]])

    def improve(self) -> bool:
        """Examine what is one step below the best vector, or one up and one down; whether the best got better."""
        lattice, best, before = self.problem.lattice, self.best.vector, self.best.loss
        self.take([*lattice.below(best), *(v for up in lattice.above(best) for v in lattice.below(up))])
        return self.best.loss < before

    def take(self, vectors: Iterable[Vector]) -> bool:
        """Examine the undecided ones and queue the acceptable; whether there was time for all of them."""
        fresh = [v for v in dict.fromkeys(vectors) if v not in self.seen and not self.failed.cover(v)]
        results = self.searching.examine(np.array(fresh, dtype=np.int64)) if fresh else []
        for vector, result in zip(fresh, results, strict=True):
            if result is None:
                continue
            self.seen.add(vector)
            self.best.examined += 1
            if result.acceptable:
                self.accept(vector, self.problem.prices.generalising(vector) + result.extra)
            else:
                self.failed.add(vector)
        return all(result is not None for result in results)

    def accept(self, vector: Vector, loss: int) -> None:
        """Remember an acceptable vector; what is below it is still to be examined."""
        self.accepted.add(vector)
        self.best.offer(vector, loss)
        heapq.heappush(self.queue, (loss, vector))

    def floor(self) -> int:
        """What every acceptable vector must lose."""
        return sum(self.least(block) for block in _blocks(self.problem.lattice.heights))

    def least(self, block: slice) -> int:
        """The least loss of the block's attributes over its acceptable vectors, or over all when time runs out."""
        part = Lattice(self.problem.lattice.heights[block])
        problem = self.problem
        whole = ByClasses(problem.public, problem.classes, problem.requirement, problem.stop)
        losses = generalising(problem.prices.of_level[block])
        try:
            return int(losses[acceptable(_Within(whole, problem.lattice.top, block), part, problem.allowed)].min())
        except OutOfTime:
            return int(losses.min())


@dataclass(frozen=True, eq=False)
class _Within(Counter):
    """Counts for vectors of a block of attributes, the others at their root."""

    whole: Counter
    top: Vector
    block: slice

    def suppressed(self, vectors: Vectors) -> Counts:
        """For each of the distinct vectors, how many rows must be suppressed."""
        full = np.tile(np.array(self.top, dtype=np.int64), (len(vectors), 1))
        full[:, self.block] = vectors
        return self.whole.suppressed(full)


def _blocks(heights: Vector) -> list[slice]:
    """Consecutive attributes, as many to a block as keep its lattice small."""
    blocks: list[slice] = []
    start, size = 0, 1
    for a, height in enumerate(heights):
        if size * (height + 1) > _BLOCK_VECTORS and a > start:
            blocks.append(slice(start, a))
            start, size = a, 1
        size *= height + 1
    return [*blocks, slice(start, len(heights))]
