"""The proof of optimality by rounds, over arrays with one cell a vector.

Claim. When the time is not used up, the best vector is optimal; otherwise no acceptable vector loses less than the
bound.

Why it holds. The loss of v is G(v) + S(v): generalising all rows, plus what suppressed rows lose beyond that.
G is a sum of one table entry an attribute and grows going up. S shrinks going up: fewer rows are suppressed and
each has less left to lose. So for v below an examined w, G(v) + S(w) bounds the loss of v. A vector is out when
its bound is no better than the best found, or when it lies below an unacceptable vector (Samarati 2001, Theorem
5.2). What is left is examined from above: each round takes the vectors that have no other one left above them,
because each of them must be examined by any proof and an unacceptable one removes everything below it.

Cost. Nearly as many examinations as the shortest such proof has vectors, and a few passes over the arrays a round.

Source. Own.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from openveil.core.lattice import Grid, Vector
from openveil.core.progress import report
from openveil.publishers.samarati.problem import NEVER, Best, Examined, Method, Optimum, Problem, generalising
from openveil.publishers.samarati.survey import Vectors

_ROUND = 512
_FEW = 16

_Found = list[tuple[Vector, Examined]]


class Rounds(Method):
    """Dive for something to compare with, then prove from above."""

    def __init__(self, problem: Problem, best: Best) -> None:
        super().__init__(problem, best)
        self.grid = Grid(problem.lattice)
        self.general = generalising(problem.prices.of_level)
        self.extra: NDArray[np.int64] = np.zeros(self.grid.shape, dtype=np.int64)
        self.out: NDArray[np.bool_] = np.zeros(self.grid.shape, dtype=np.bool_)

    def run(self) -> Optimum:
        """Examine until nothing is left that could be better, or the time is used up."""
        self.dive()
        open_ = self.open()
        started = max(1, int(open_.sum()))
        while open_.any() and not self.problem.stop():
            report("searching for the least loss", 1 - int(open_.sum()) / started)
            self.take(self.grid.vectors(self.grid.summits(open_))[:_ROUND])
            open_ = self.open()
        bounds = (self.general + self.extra)[open_]
        return self.best.optimum(int(bounds.min(initial=NEVER)))

    def open(self) -> NDArray[np.bool_]:
        """The vectors that could still be better than the best."""
        result: NDArray[np.bool_] = ~self.out & (self.general + self.extra < self.best.loss)
        return result

    def dive(self) -> None:
        """Go down from the top, always to the cheapest acceptable vector."""
        vector: Vector | None = self.problem.lattice.top
        while vector is not None:
            vector = self.step(vector)

    def step(self, vector: Vector) -> Vector | None:
        """The cheapest acceptable vector just below."""
        for below in sorted(self.problem.lattice.below(vector), key=lambda v: (int(self.general[v]), v)):
            if not self.out[below] and self.take(np.array([below], dtype=np.int64)):
                return below
        return None

    def take(self, vectors: Vectors) -> bool:
        """Examine the vectors and draw the conclusions; whether any was acceptable."""
        answers = zip(map(tuple, vectors.tolist()), self.problem.examine(vectors), strict=True)
        found: _Found = [(vector, result) for vector, result in answers if result is not None]
        self.best.examined += len(found)
        for vector, result in found:
            self.out[vector] = True
            if result.acceptable:
                self.best.offer(vector, int(self.general[vector]) + result.extra)
        if len(found) <= _FEW:
            self.conclude_each(found)
        else:
            self.conclude_together(found)
        return any(result.acceptable for _, result in found)

    def conclude_each(self, found: _Found) -> None:
        """Say what follows for all below each vector, box by box."""
        for vector, result in found:
            box = self.grid.under(vector)
            if result.acceptable:
                np.maximum(self.extra[box], result.extra, out=self.extra[box])
            else:
                self.out[box] = True

    def conclude_together(self, found: _Found) -> None:
        """Say the same for many vectors in a few passes over the lattice."""
        failed = np.zeros(self.grid.shape, dtype=np.bool_)
        extra = np.zeros(self.grid.shape, dtype=np.int64)
        for vector, result in found:
            failed[vector] = not result.acceptable
            extra[vector] = result.extra
        self.out |= self.grid.below(failed)
        np.maximum(self.extra, self.grid.below(extra), out=self.extra)
