"""Everything that may come of a run that draws at random, and how likely it is.

Claim. `every_draw` yields the result of a run for every line of numbers that may be drawn on the way, with its exact
probability; together these are 1. A run may draw by `Secret.numbers` and `Secret.mixed` only, and must do the same
whenever it is given the same numbers.

Why it holds. A run with the first numbers of a line asks for the same further ones again, so the lines are the leaves
of a tree, which is gone through from the lowest numbers to the highest.

Cost. One run for each line: as many as there are ways to draw. Where these are too many, they are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import prod
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from openveil.core.errors import refuse
from openveil.core.secret import NoChance, Secret

Result = TypeVar("Result")
MOST_WAYS = 50_000


class Line(NoChance):
    """Stands in for a secret: gives these numbers in turn, then zeros, and remembers what was asked for."""

    __slots__ = ("below", "numbers_given")

    def __init__(self, first: list[int]) -> None:
        super().__init__()
        self.numbers_given = first
        self.below: list[int] = []

    def numbers(self, purpose: str, below: NDArray[np.int64]) -> NDArray[np.int64]:
        """The next numbers of the line."""
        start = len(self.below)
        self.below += below.tolist()
        self.numbers_given += [0] * (len(self.below) - len(self.numbers_given))
        return np.array(self.numbers_given[start : len(self.below)], dtype=np.int64)

    def mixed(self, purpose: str, first: NDArray[np.int32], second: NDArray[np.int32]) -> NDArray[np.int64]:
        """Items by two keys, those alike in the order that the next numbers of the line give."""
        order = np.lexsort([second, first])
        order = order[first[order] >= 0].astype(np.int64)
        starts = np.flatnonzero(np.diff(first[order], prepend=-1) | np.diff(second[order], prepend=-1))
        for alike in np.split(order, starts[1:]):
            drawn = self.numbers(purpose, np.arange(len(alike), 1, -1, dtype=np.int64))
            for place, further in enumerate(drawn.tolist()):
                other = place + further
                alike[place], alike[other] = alike[other], alike[place]
        return order

    def next(self) -> list[int] | None:
        """How the next line starts; None after the last."""
        given = self.numbers_given[: len(self.below)]
        while given and given[-1] + 1 == self.below[len(given) - 1]:
            given.pop()
        return [*given[:-1], given[-1] + 1] if given else None


def every_draw(run: Callable[[Secret], Result]) -> Iterator[tuple[Result, Fraction]]:
    """What comes of every line of numbers, and how likely the line is."""
    first: list[int] | None = []
    while first is not None:
        line = Line(first)
        result, ways = run(line), prod(line.below)
        if ways > MOST_WAYS:
            raise refuse(
                "method",
                "draws in too many ways to go through them all",
                "Take a table of a few rows; `openveil explain` says what is proved of all others",
            )
        yield result, Fraction(1, ways)
        first = line.next()
