"""The lattice of distance vectors: one level of generalisation an attribute, ordered coordinate by coordinate.

Claim. `of_height` gives every vector of a height once, in ascending lexicographic order; `strategies` every
chain from bottom to top ([004], section 3.1); `Grid` answers questions about a set of vectors that is closed
upwards or downwards for the whole lattice at once.

Why it holds. A vector v is below w when no coordinate of v exceeds w's, so the vectors below a set of marked
ones are found by carrying each mark downwards along one axis after the other.

Cost. `Grid.below`: one pass over the lattice an attribute.

Source. Samarati, Protecting Respondents' Identities in Microdata Release, 2001, sections 3 and 5.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Vector = tuple[int, ...]
Scalar = TypeVar("Scalar", bound=np.generic)


@dataclass(frozen=True, slots=True)
class Lattice:
    """All vectors between [0, ..., 0] and `heights`."""

    heights: Vector

    @property
    def size(self) -> int:
        """How many vectors there are; more than fit a machine word where attributes are many."""
        return prod(height + 1 for height in self.heights)

    @property
    def top(self) -> Vector:
        """Every attribute at its root."""
        return self.heights

    @property
    def bottom(self) -> Vector:
        """Every attribute as it is."""
        return (0,) * len(self.heights)

    @property
    def height(self) -> int:
        """The height of the top: the number of steps of every strategy."""
        return sum(self.heights)

    def of_height(self, height: int) -> Iterator[Vector]:
        """The vectors whose coordinates add up to `height`, in ascending lexicographic order."""
        yield from _summing_to(height, self.heights)

    def below(self, vector: Vector) -> Iterator[Vector]:
        """The vectors one step more specific."""
        for at, level in enumerate(vector):
            if level > 0:
                yield (*vector[:at], level - 1, *vector[at + 1 :])

    def above(self, vector: Vector) -> Iterator[Vector]:
        """The vectors one step more general."""
        for at, level in enumerate(vector):
            if level < self.heights[at]:
                yield (*vector[:at], level + 1, *vector[at + 1 :])

    def strategies(self) -> Iterator[tuple[Vector, ...]]:
        """Every chain of single steps from bottom to top; their number is multinomial, so small lattices only."""
        yield from self._chains((self.bottom,))

    def _chains(self, chain: tuple[Vector, ...]) -> Iterator[tuple[Vector, ...]]:
        if chain[-1] == self.top:
            yield chain
        for step in self.above(chain[-1]):
            yield from self._chains((*chain, step))


@dataclass(frozen=True, slots=True)
class Grid:
    """Arrays with one cell a vector of a lattice that is small enough to be held whole."""

    lattice: Lattice

    @property
    def shape(self) -> tuple[int, ...]:
        """One axis an attribute, one place a level."""
        return tuple(height + 1 for height in self.lattice.heights)

    def below(self, marks: NDArray[Scalar]) -> NDArray[Scalar]:
        """At each vector, the greatest mark on it or on any vector above it."""
        spread = marks.copy()
        for axis in range(marks.ndim):
            flipped = np.flip(spread, axis)
            np.maximum.accumulate(flipped, axis=axis, out=flipped)
        return spread

    def under(self, vector: Vector) -> tuple[slice, ...]:
        """The place of a vector and all below it: a box, cheaper than `below` for a few vectors."""
        return tuple(slice(level + 1) for level in vector)

    def above(self, marks: NDArray[Scalar]) -> NDArray[Scalar]:
        """At each vector, the greatest mark on it or on any vector below it."""
        spread = marks.copy()
        for axis in range(marks.ndim):
            np.maximum.accumulate(spread, axis=axis, out=spread)
        return spread

    def summits(self, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The chosen vectors with no chosen vector one step above them."""
        higher = np.zeros_like(chosen)
        for axis in range(chosen.ndim):
            lower, upper = _neighbours(chosen.ndim, axis)
            higher[lower] |= chosen[upper]
        result: NDArray[np.bool_] = chosen & ~higher
        return result

    def bases(self, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The chosen vectors with no chosen vector one step below them."""
        deeper = np.zeros_like(chosen)
        for axis in range(chosen.ndim):
            lower, upper = _neighbours(chosen.ndim, axis)
            deeper[upper] |= chosen[lower]
        result: NDArray[np.bool_] = chosen & ~deeper
        return result

    def vectors(self, chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
        """The chosen vectors, one a row, in ascending lexicographic order."""
        return np.argwhere(chosen)

    def heights(self) -> NDArray[np.int64]:
        """The height of every vector."""
        total = np.zeros(self.shape, dtype=np.int64)
        for axis, length in enumerate(self.shape):
            total += np.arange(length).reshape([-1 if a == axis else 1 for a in range(len(self.shape))])
        return total


def _neighbours(dimensions: int, axis: int) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
    """Slices that pair every cell (first) with the one after it along `axis` (second)."""
    lower = tuple(slice(None, -1) if a == axis else slice(None) for a in range(dimensions))
    upper = tuple(slice(1, None) if a == axis else slice(None) for a in range(dimensions))
    return lower, upper


def _summing_to(total: int, caps: Vector) -> Iterator[Vector]:
    if not caps:
        if total == 0:
            yield ()
        return
    room = sum(caps[1:])
    for first in range(max(0, total - room), min(caps[0], total) + 1):
        for rest in _summing_to(total - first, caps[1:]):
            yield (first, *rest)
