"""What the labels of a published table stand for, read back.

Claim. `boxes` gives for each class of a published table the interval of codes that each of its labels covers, or
None where a label can be read in several ways, or is not the smallest interval that covers the class.

Why it holds. A label is a value, or `first to last` of two values of the axis; all that it may be is tried, and what
differs is not decided. A node of a hierarchy may cover more than the class has, so it says less. Values are compared
as they are written.

Cost. One look at each distinct label of each attribute.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from openveil.core.axis import Hierarchy
from openveil.labels.runs import code_of, runs

Boxes = tuple[NDArray[np.int32], NDArray[np.int32]]


def boxes(hierarchies: tuple[Hierarchy, ...], shown: pl.DataFrame) -> Boxes | None:
    """The least and the greatest code of each row of labels in every attribute."""
    columns = [_column(hierarchy, shown[hierarchy.axis.name]) for hierarchy in hierarchies]
    if any(column is None for column in columns):
        return None
    known = [column for column in columns if column is not None]
    shape = (shown.height, len(known))
    low, high = np.empty(shape, dtype=np.int32), np.empty(shape, dtype=np.int32)
    for a, column in enumerate(known):
        low[:, a], high[:, a] = column.T
    return low, high


def _column(hierarchy: Hierarchy, labels: pl.Series) -> NDArray[np.int32] | None:
    written = labels.cast(pl.String)
    distinct = written.unique().to_list()
    codes = code_of(hierarchy.axis)
    found = {label: set(runs(hierarchy.axis, codes, label)) for label in distinct}
    if any(len(each) != 1 for each in found.values()):
        return None
    return np.array([next(iter(found[label])) for label in written.to_list()], dtype=np.int32).reshape(-1, 2)
