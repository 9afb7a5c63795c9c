"""Judge many vectors of a lattice at once, each from classes that are already nearly as coarse.

Claim. `survey` calls `judge(vector, classes at that vector)` once a vector and returns the answers in order; once
`stop` says so, the vectors not yet judged get None instead.

Why it holds. Classes at v can be rolled up from the classes at any u below v. The vectors are split again and
again at one attribute; before each half is looked at, the classes are lifted to the half's meet (the greatest
vector below all of it), which is below each of them.

Cost. A lift reads the classes of the meet before it, not the rows; where vectors agree in the attributes that
merge most, these shrink at each split. Halves run on both cores, since the kernels do not hold the interpreter
lock. At most one set of classes a split is alive, each smaller than the one it came from.

Source. Own; the roll-up property is that of LeFevre, DeWitt and Ramakrishnan, Incognito, 2005.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from openveil.core.classes import Classes
from openveil.core.full_domain import maps_of
from openveil.core.lattice import Vector
from openveil.core.table import Public

Answer = TypeVar("Answer")
Judge = Callable[[Vector, Classes], Answer]
Vectors = NDArray[np.int64]
Stop = Callable[[], bool]

WORKERS = 2
_SHARES = 4 * WORKERS
_WORTH_LIFTING = 4


@dataclass(frozen=True, eq=False)
class _Part:
    """Some of the vectors (by position), and the classes at a vector `at` below all of them."""

    chosen: NDArray[np.int64]
    at: Vector
    classes: Classes


@dataclass(frozen=True, eq=False)
class _Survey(Generic[Answer]):
    public: Public
    vectors: Vectors
    judge: Judge[Answer]
    stop: Stop

    def lifted(self, part: _Part) -> _Part:
        """The same vectors, with classes as coarse as all of them allow, where enough of them share the cost."""
        if 1 < len(part.chosen) < _WORTH_LIFTING:
            return part
        meet = tuple(self.vectors[part.chosen].min(axis=0).tolist())
        if meet == part.at:
            return part
        return _Part(part.chosen, meet, part.classes.lift(maps_of(self.public, meet)))

    def halves(self, part: _Part) -> tuple[_Part, _Part]:
        """Split at the attribute whose levels merge most: those at its lowest level, and the rest."""
        levels = self.vectors[part.chosen]
        lowest, highest = levels.min(axis=0), levels.max(axis=0)
        every = np.arange(levels.shape[1])
        # How many nodes of the lowest level there are for one of the highest; 0 where the two are the same.
        merging = self.nodes[every, lowest] / self.nodes[every, highest] * (lowest != highest)
        attribute = int(np.argmax(merging))
        low = levels[:, attribute] == lowest[attribute]
        return (
            _Part(part.chosen[low], part.at, part.classes),
            _Part(part.chosen[~low], part.at, part.classes),
        )

    @cached_property
    def nodes(self) -> NDArray[np.float64]:
        """How many nodes each attribute has at each level, at least one."""
        table = np.ones((len(self.public.heights), max(self.public.heights, default=0) + 1))
        for a, hierarchy in enumerate(self.public.hierarchies):
            table[a, : len(hierarchy.levels)] = [max(1, len(level)) for level in hierarchy.levels]
        return table

    def answers(self, part: _Part) -> list[tuple[int, Answer]]:
        """The answer for each vector of the part, with its position; none when it is time to stop."""
        if self.stop():
            return []
        part = self.lifted(part)
        if len(part.chosen) == 1:
            return [(int(part.chosen[0]), self.judge(part.at, part.classes))]
        left, right = self.halves(part)
        return self.answers(left) + self.answers(right)

    def in_parallel(self, whole: _Part) -> list[tuple[int, Answer]]:
        """The answers for the whole, worked out on all cores."""
        with ThreadPoolExecutor(WORKERS) as pool:
            return [pair for pairs in pool.map(self.answers, self.shares(whole)) for pair in pairs]

    def shares(self, whole: _Part) -> list[_Part]:
        """The whole, split until no part is more than a share of it."""
        done: list[_Part] = []
        todo = [whole]
        while todo:
            part = todo.pop()
            if self.stop():
                return []
            if len(part.chosen) * _SHARES <= len(whole.chosen) or len(part.chosen) == 1:
                done.append(part)
            else:
                todo.extend(self.halves(self.lifted(part)))
        return done


def survey(
    public: Public, classes: Classes, vectors: Vectors | Sequence[Vector], judge: Judge[Answer], *, stop: Stop
) -> list[Answer | None]:
    """The judgement on each of the distinct `vectors`, in their order; `classes` are the finest."""
    distinct = np.asarray(vectors, dtype=np.int64).reshape(len(vectors), len(public.hierarchies))
    if not len(distinct):
        return []
    task = _Survey(public, distinct, judge, stop)
    bottom = (0,) * distinct.shape[1]
    whole = _Part(np.arange(len(distinct)), bottom, classes)
    answers: list[Answer | None] = [None] * len(distinct)
    for at, answer in task.answers(whole) if len(distinct) == 1 else task.in_parallel(whole):
        answers[at] = answer
    return answers


def never() -> bool:
    """There is no hurry."""
    return False
