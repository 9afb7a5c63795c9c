"""Cut rows that stand in a line into runs, from the front.

Claim. `run_ends` closes runs from `low` on until they have `wanted` rows together, and says where each ends. A run
is as short as can be: it has at least `least` rows and `least_persons` persons, and no two rows that tie are
parted. Where fewer rows or persons than that would be left over, the run is all that is left. `persons_from` says
how many persons have a row from each place of the line on. Without persons every row is one.

Cost. One pass over the rows of the runs; `persons_from` one over the line.
"""

from __future__ import annotations

import numpy as np

from openveil.kernels.compiling import compiled


@compiled
def persons_from(persons):  # type: ignore[no-untyped-def]
    """How many persons have a row at this place or behind it; one entry more for the end of the line."""
    rows = persons.shape[0]
    number = np.zeros(rows + 1, dtype=np.int64)
    seen = np.zeros(persons.max() + 1 if rows else 0, dtype=np.bool_)
    for i in range(rows - 1, -1, -1):
        number[i] = number[i + 1] + (not seen[persons[i]])
        seen[persons[i]] = True
    return number


@compiled
def run_ends(parted, persons, left, low, least, least_persons, wanted):  # type: ignore[no-untyped-def]
    """Where each run ends; `parted[i]` says that row i does not tie with the one before, `left` is `persons_from`."""
    rows = parted.shape[0]
    counted = least_persons > 1 and persons.shape[0] > 0
    seen = np.full(persons.max() + 1 if counted else 0, -1, dtype=np.int64)
    ends = np.empty(rows - low, dtype=np.int64)
    number, start = 0, low
    while start < rows and start - low < wanted:
        end, here = start, 0
        while end < rows and (end - start < least or (counted and here < least_persons) or not parted[end]):
            if counted and seen[persons[end]] != number:
                seen[persons[end]] = number
                here += 1
            end += 1
        if rows - end < least or (counted and left[end] < least_persons):
            end = rows
        ends[number] = end
        number += 1
        start = end
    return ends[:number].copy()
