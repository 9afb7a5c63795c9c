"""Which vectors are acceptable, and which of those are minimal.

Claim. `find_vector` returns an acceptable vector of least height, the first in lexicographic order, or none.
`all_minimal` returns exactly the k-minimal vectors of Definition 4.3; `locally_minimal` the first acceptable
vector of every strategy.

Why it holds. Suppression can only decrease going up (Theorem 5.2), so an acceptable vector makes all above it
acceptable and an unacceptable one all below it unacceptable. `find_vector` halves the range of heights as
Fig. 10 does, and unlike it also tests the top. `all_minimal` halves the same way for all vectors at once: it
tests those of the middle height among the undecided and decides what lies above and below.

Cost. `find_vector`: the vectors of about log2(height) heights, in batches, stopping at the first acceptable.
`all_minimal`: at least the minimal and the highest unacceptable vectors; the lattice is held as an array.

Source. [004] Fig. 10, Theorems 5.1 to 5.3, section 6; SPEC K3, K4, K6.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from openveil.core.lattice import Grid, Lattice, Vector
from openveil.core.progress import report
from openveil.publishers.samarati.satisfies import Counter

_BATCH = 64


def find_vector(counter: Counter, lattice: Lattice, allowed: int) -> Vector | None:
    """The lexicographically first acceptable vector of least height."""
    low, high = 0, lattice.height
    found = _first_acceptable(counter, iter([lattice.top]), allowed)
    while low < high:
        middle = (low + high) // 2
        report("searching the lattice by height")
        better = _first_acceptable(counter, lattice.of_height(middle), allowed)
        if better is None:
            low = middle + 1
        else:
            found, high = better, middle
    return found


def _first_acceptable(counter: Counter, vectors: Iterator[Vector], allowed: int) -> Vector | None:
    while batch := list(islice(vectors, _BATCH)):
        accepted = np.flatnonzero(counter.suppressed(np.array(batch, dtype=np.int64)) <= allowed)
        if len(accepted):
            return batch[int(accepted[0])]
    return None


def acceptable(counter: Counter, lattice: Lattice, allowed: int) -> NDArray[np.bool_]:
    """For every vector of the lattice, whether it suppresses at most `allowed` rows."""
    grid = Grid(lattice)
    heights = grid.heights()
    good = np.zeros(grid.shape, dtype=np.bool_)
    open_ = np.ones(grid.shape, dtype=np.bool_)
    while open_.any():
        report("deciding the lattice", 1 - float(open_.mean()))
        middle = int(np.median(heights[open_]))
        tested = open_ & (heights == middle) if (heights[open_] == middle).any() else grid.summits(open_)
        vectors = grid.vectors(tested)
        accepted = np.zeros(grid.shape, dtype=np.bool_)
        accepted[tuple(vectors.T)] = counter.suppressed(vectors) <= allowed
        good |= grid.above(accepted)
        open_ &= ~good & ~grid.below(tested & ~accepted)
    return good


def all_minimal(counter: Counter, lattice: Lattice, allowed: int) -> list[Vector]:
    """The k-minimal vectors, in ascending lexicographic order."""
    return _listed(Grid(lattice), Grid(lattice).bases(acceptable(counter, lattice, allowed)))


def locally_minimal(counter: Counter, lattice: Lattice, allowed: int) -> list[Vector]:
    """The vectors that are the first acceptable one of some strategy."""
    good = acceptable(counter, lattice, allowed)
    return [v for v in _listed(Grid(lattice), good) if v == lattice.bottom or _entered(lattice, v, good)]


def _entered(lattice: Lattice, vector: Vector, good: NDArray[np.bool_]) -> bool:
    """Whether some strategy reaches `vector` from a vector that is not acceptable."""
    return any(not good[below] for below in lattice.below(vector))


def _listed(grid: Grid, chosen: NDArray[np.bool_]) -> list[Vector]:
    return [tuple(vector) for vector in grid.vectors(chosen).tolist()]
