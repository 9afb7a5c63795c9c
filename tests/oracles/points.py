"""From a table as a list of points with whole numbers to a `Public`, and from group numbers back to groups."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import polars as pl
from numpy.typing import NDArray

from openveil.core.axis import Axis, Hierarchy, flat
from openveil.core.table import Public


def public_of_points(points: Sequence[Sequence[int]], persons: Sequence[int] | None = None) -> Public:
    """The public part of a table of points; every axis has the numbers that occur and a flat hierarchy."""
    numbers = np.array(points, dtype=np.int64).reshape(len(points), -1)
    codes = np.empty(numbers.shape, dtype=np.uint16)
    hierarchies = []
    for a in range(numbers.shape[1]):
        distinct, codes[:, a] = np.unique(numbers[:, a], return_inverse=True)
        axis = Axis(f"q{a}", pl.Series(f"q{a}", distinct))
        hierarchies.append(Hierarchy(axis, flat(axis) if len(axis) > 1 else flat(axis)[:1]))
    codes.flags.writeable = False
    known = None if persons is None else np.array(persons, dtype=np.int32)
    return Public(tuple(hierarchies), codes, (Fraction(1),) * len(hierarchies), known)


def rows_of(group: NDArray[np.int32]) -> list[tuple[int, ...]]:
    """The rows of each group, in no order that means anything."""
    rows: dict[int, list[int]] = {}
    for row, number in enumerate(group.tolist()):
        rows.setdefault(number, []).append(row)
    return [tuple(each) for each in rows.values()]
