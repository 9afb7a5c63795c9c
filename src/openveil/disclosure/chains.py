"""Functions each of which refines the next, and rows laid out so that no group of any of them is torn apart.

Claim. A `Chain` is part of a sequence of functions, the finest first. `laid` puts the rows in an order in which every
group of every function is a run; the order of groups, and of rows in a group of the finest function, is drawn.

Why it matters. What is asked about the rows of a group then comes down to runs, and what is told by the order is
nothing: it is drawn before a value is looked at.

Cost. One sort of the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from openveil.core.witness import Labels
from openveil.disclosure.functions import Functions

Places = NDArray[np.int64]
# So many numbers from 0, in an order that is drawn for this purpose.
Draw = Callable[[str, int], Places]


@dataclass(frozen=True, eq=False)
class Chain:
    """The functions of these numbers, each of which refines the next: the group of each row under each."""

    numbers: tuple[int, ...]
    labels: tuple[Labels, ...] = field(repr=False)

    def __len__(self) -> int:
        return len(self.numbers)

    @staticmethod
    def upwards(functions: Functions, chosen: Sequence[int]) -> Chain:
        """The first of the chosen functions, and those that each contain the one before."""
        kept: list[int] = []
        for i in chosen:
            if not kept or functions.refines(kept[-1], i):
                kept.append(i)
        return Chain.of(functions, kept)

    @staticmethod
    def downwards(functions: Functions, chosen: Sequence[int]) -> Chain:
        """The last of the chosen functions, and those before it that each lie in the one kept before."""
        kept: list[int] = []
        for i in reversed(chosen):
            if not kept or functions.refines(i, kept[-1]):
                kept.append(i)
        return Chain.of(functions, kept[::-1])

    @staticmethod
    def of(functions: Functions, numbers: Sequence[int]) -> Chain:
        """Just these functions."""
        return Chain(tuple(numbers), tuple(functions.labels[i] for i in numbers))

    def laid(self, draw: Draw) -> Laid:
        """The rows in an order that is drawn."""
        ranks = [
            draw(f"order of the groups of function {number}", _groups(label))[label]
            for number, label in zip(self.numbers, self.labels, strict=True)
        ]
        rows = draw(f"order of the rows of function {self.numbers[0]}", len(self.labels[0]))
        return self.ordered(np.lexsort([rows, *ranks]))

    def ordered(self, order: Places) -> Laid:
        """The rows in this order, which tears no group apart."""
        return Laid(order, tuple(_starts(label[order]) for label in self.labels))


@dataclass(frozen=True, eq=False)
class Laid:
    """The rows in an order, and where in it each group of each function starts, with one entry more for the end."""

    order: Places = field(repr=False)
    starts: tuple[Places, ...] = field(repr=False)

    def runs(self, i: int) -> list[tuple[int, int]]:
        """Where the groups of a function start and end."""
        return [*pairwise(self.starts[i].tolist())]

    def sizes(self, j: int, low: int = 0, high: int | None = None) -> Places:
        """The sizes of the groups of a function, of those between two places."""
        starts = self.starts[j]
        first, last = np.searchsorted(starts, [low, starts[-1] if high is None else high])
        return np.diff(starts[first : last + 1])


def parts(rows: Places, label: NDArray[np.int32]) -> list[Places]:
    """The rows of each label."""
    return [rows[label[rows] == each] for each in np.unique(label[rows])]


def _groups(label: Labels) -> int:
    return int(label.max(initial=-1)) + 1


def _starts(label: Labels) -> Places:
    return np.concatenate([[0], np.flatnonzero(np.diff(label)) + 1, [len(label)]]).astype(np.int64)
