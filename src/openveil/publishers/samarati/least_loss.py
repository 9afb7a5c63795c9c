"""The acceptable vector of least information loss, and a bound below which no vector can be.

Claim. `least_loss` returns an acceptable vector, its loss, and the greatest bound proved: no acceptable vector
has a smaller loss than the bound. When the bound equals the loss the vector is optimal; among vectors of equal
loss it is the lexicographically first one met, which is the same in every run that is not cut short.

Why it holds. The loss of v is G(v) + S(v): generalising all rows, plus what suppressed rows lose beyond that.
G is a sum of one table entry an attribute and grows going up. S shrinks going up: fewer rows are suppressed and
each has less left to lose. So for v below an examined w, G(v) + S(w) bounds the loss of v. A vector is out when
its bound is no better than the best found, or when it lies below an unacceptable vector (Theorem 5.2). What is
left is examined from above: each round takes the vectors that have no other one left above them, because each
of them must be examined by any proof and an unacceptable one removes everything below it.

Cost. As many examinations as the shortest such proof has vectors, nearly (the Adult lattice of 12,960 vectors:
about 570). Each reads the classes of a coarser vector, not the rows (`survey.py`), where almost all the time
goes: a gather of each class's codes and a probe. One level of bounds is read from an array of the lattice.
Lattices of more than `MOST_VECTORS` are not held; there a local search (one step down, or one up and one down)
starts where Datafly would end, and what is left of the time goes into improving downwards, most promising first,
until nothing is left (then it is optimal too). The bound comes from small blocks of attributes, each decided whole.

Source. Own; monotone pruning as in [004] Theorem 5.2, roll-up as in Incognito (2005), the loss of [001] Eq. 4-6.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from openveil.core.classes import Classes, Counts
from openveil.core.lattice import Grid, Lattice, Vector
from openveil.core.progress import report
from openveil.core.requirement import Requirement
from openveil.core.table import Public
from openveil.publishers.samarati.minimal import acceptable
from openveil.publishers.samarati.satisfies import ByClasses, Counter
from openveil.publishers.samarati.survey import Vectors, survey
from openveil.utility.information_loss import Prices

MOST_VECTORS = 1 << 21
_ROUND = 512
_FEW = 16
_BLOCK_VECTORS = 4096
_NEVER = np.iinfo(np.int64).max


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


@dataclass(frozen=True, eq=False)
class Problem:
    """A table to be published: its finest classes, what is required, and what may be suppressed."""

    public: Public
    classes: Classes
    requirement: Requirement
    allowed: int
    prices: Prices

    @property
    def lattice(self) -> Lattice:
        """The lattice of the table's hierarchies."""
        return Lattice(self.public.heights)

    def examine(self, vectors: Vectors) -> list[Examined]:
        """What each vector suppresses, and at what extra loss."""

        def judge(vector: Vector, classes: Classes) -> Examined:
            lost = ~self.requirement.holds(classes)
            if int(classes.sizes[lost].sum()) > self.allowed:
                return Examined(acceptable=False, extra=0)
            return Examined(acceptable=True, extra=self.prices.suppressing(classes, lost, vector))

        return survey(self.public, self.classes, vectors, judge)


Clock = Callable[[], float]


@dataclass
class _Best:
    """The best vector so far."""

    vector: Vector | None = None
    loss: int = _NEVER
    examined: int = 0

    def offer(self, vector: Vector, loss: int) -> None:
        """Take a vector that is better, or as good and lexicographically before."""
        if loss < self.loss or (loss == self.loss and self.vector is not None and vector < self.vector):
            self.vector, self.loss = vector, loss

    def optimum(self, bound: int) -> Optimum | None:
        """The result, if any vector was acceptable."""
        if self.vector is None:
            return None
        return Optimum(self.vector, self.loss, min(bound, self.loss), self.examined)


def least_loss(problem: Problem, seconds: float, clock: Clock = time.monotonic) -> Optimum | None:
    """The acceptable vector of least loss, or the best found in `seconds`; None when the top is unacceptable."""
    if len(problem.lattice) <= MOST_VECTORS:
        return _Rounds(problem).run(clock() + seconds, clock)
    return _Descent(problem).run(clock() + seconds, clock)


@dataclass(eq=False)
class _Rounds:
    """The proof by rounds, over arrays with one cell a vector."""

    problem: Problem
    grid: Grid = field(init=False)
    general: NDArray[np.int64] = field(init=False)
    extra: NDArray[np.int64] = field(init=False)
    out: NDArray[np.bool_] = field(init=False)
    best: _Best = field(default_factory=_Best)

    def __post_init__(self) -> None:
        self.grid = Grid(self.problem.lattice)
        self.general = _generalising(self.problem.prices.of_level)
        self.extra = np.zeros(self.grid.shape, dtype=np.int64)
        self.out = np.zeros(self.grid.shape, dtype=np.bool_)

    def run(self, deadline: float, clock: Clock) -> Optimum | None:
        self.dive()
        open_ = self.open()
        started = max(1, int(open_.sum()))
        while self.best.vector is not None and open_.any() and clock() < deadline:
            report("searching for the least loss", 1 - int(open_.sum()) / started)
            self.take(self.grid.vectors(self.grid.summits(open_))[:_ROUND])
            open_ = self.open()
        bounds = (self.general + self.extra)[open_]
        return self.best.optimum(int(bounds.min(initial=_NEVER)))

    def open(self) -> NDArray[np.bool_]:
        """The vectors that could still be better than the best."""
        result: NDArray[np.bool_] = ~self.out & (self.general + self.extra < self.best.loss)
        return result

    def dive(self) -> None:
        """Go down from the top, always to the cheapest acceptable vector, to have something to compare with."""
        vector: Vector | None = self.problem.lattice.top
        self.take(np.array([vector], dtype=np.int64))
        while vector is not None and self.best.vector is not None:
            vector = self.step(vector)

    def step(self, vector: Vector) -> Vector | None:
        """The cheapest acceptable vector just below."""
        for below in sorted(self.problem.lattice.below(vector), key=lambda v: (int(self.general[v]), v)):
            if not self.out[below] and self.take(np.array([below], dtype=np.int64)):
                return below
        return None

    def take(self, vectors: Vectors) -> bool:
        """Examine the vectors and draw the conclusions; whether any was acceptable."""
        results = self.problem.examine(vectors)
        self.best.examined += len(results)
        found = list(zip(map(tuple, vectors.tolist()), results, strict=True))
        for vector, result in found:
            self.out[vector] = True
            if result.acceptable:
                self.best.offer(vector, int(self.general[vector]) + result.extra)
        if len(found) <= _FEW:
            self.conclude_each(found)
        else:
            self.conclude_together(found)
        return any(result.acceptable for result in results)

    def conclude_each(self, found: list[tuple[Vector, Examined]]) -> None:
        """Say what follows for all below each vector, box by box."""
        for vector, result in found:
            box = self.grid.under(vector)
            if result.acceptable:
                np.maximum(self.extra[box], result.extra, out=self.extra[box])
            else:
                self.out[box] = True

    def conclude_together(self, found: list[tuple[Vector, Examined]]) -> None:
        """Say the same for many vectors in a few passes over the lattice."""
        failed = np.zeros(self.grid.shape, dtype=np.bool_)
        extra = np.zeros(self.grid.shape, dtype=np.int64)
        for vector, result in found:
            failed[vector] = not result.acceptable
            extra[vector] = result.extra
        self.out |= self.grid.below(failed)
        np.maximum(self.extra, self.grid.below(extra), out=self.extra)


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


@dataclass(eq=False)
class _Descent:
    """Local search, then best-first improvement downwards, for lattices too large to hold."""

    problem: Problem
    best: _Best = field(default_factory=_Best)
    seen: set[Vector] = field(default_factory=set)
    queue: list[tuple[int, Vector]] = field(default_factory=list)
    failed: _Failed = field(init=False)

    def __post_init__(self) -> None:
        self.failed = _Failed(len(self.problem.lattice.heights))

    def run(self, deadline: float, clock: Clock) -> Optimum | None:
        self.take([self.problem.lattice.top])
        if self.best.vector is None:
            return None
        floor, start = self.floor(), clock()
        self.climb()
        while clock() < deadline and self.improve():
            report("improving within the time budget")
        while self.queue and clock() < deadline:
            report("improving within the time budget", min(1.0, (clock() - start) / max(1e-9, deadline - start)))
            _, vector = heapq.heappop(self.queue)
            self.take(self.problem.lattice.below(vector))
        return self.best.optimum(floor if self.queue else _NEVER)

    def climb(self) -> None:
        """Go up from the bottom, always in the attribute with the most nodes, to the first acceptable vector.

        A low start in another region than the descent from the top reaches; it is where Datafly would end.
        """
        vector = self.problem.lattice.bottom
        while not self.take([vector]) and vector != self.problem.lattice.top:
            vector = max(self.problem.lattice.above(vector), key=lambda v: self.nodes_left(vector, v))

    def nodes_left(self, vector: Vector, above: Vector) -> int:
        """How many nodes the attribute that `above` raises still has at `vector`."""
        raised = next(a for a, (low, high) in enumerate(zip(vector, above, strict=True)) if low != high)
        return len(self.problem.public.hierarchies[raised].levels[vector[raised]])

    def improve(self) -> bool:
        """Examine what is one step below the best vector, or one up and one down; whether the best got better."""
        best = self.best.vector or self.problem.lattice.top
        lattice, before = self.problem.lattice, self.best.loss
        self.take([*lattice.below(best), *(v for up in lattice.above(best) for v in lattice.below(up))])
        return self.best.loss < before

    def take(self, vectors: Iterable[Vector]) -> bool:
        """Examine the undecided ones and queue the acceptable; whether there was any of those."""
        fresh = [v for v in dict.fromkeys(vectors) if v not in self.seen and not self.failed.cover(v)]
        self.seen.update(fresh)
        self.best.examined += len(fresh)
        results = self.problem.examine(np.array(fresh, dtype=np.int64)) if fresh else []
        for vector, result in zip(fresh, results, strict=True):
            if not result.acceptable:
                self.failed.add(vector)
                continue
            loss = self.problem.prices.generalising(vector) + result.extra
            self.best.offer(vector, loss)
            heapq.heappush(self.queue, (loss, vector))
        return any(result.acceptable for result in results)

    def floor(self) -> int:
        """What every acceptable vector must lose: the least each block of attributes can, the others at their root.

        Raising the other attributes keeps a vector acceptable, so no acceptable vector can go lower in any block.
        """
        return sum(self.least(block) for block in _blocks(self.problem.lattice.heights))

    def least(self, block: slice) -> int:
        """The least loss of the block's attributes over its acceptable vectors."""
        part = Lattice(self.problem.lattice.heights[block])
        whole = ByClasses(self.problem.public, self.problem.classes, self.problem.requirement)
        good = acceptable(_Within(whole, self.problem.lattice.top, block), part, self.problem.allowed)
        return int(_generalising(self.problem.prices.of_level[block])[good].min(initial=_NEVER))


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


def _generalising(of_level: tuple[Counts, ...]) -> NDArray[np.int64]:
    """The loss of every vector when no row is suppressed, as an array with one cell a vector."""
    total = np.zeros([len(totals) for totals in of_level], dtype=np.int64)
    for axis, totals in enumerate(of_level):
        total += totals.reshape([-1 if a == axis else 1 for a in range(len(of_level))])
    return total
