"""Count the people whose quasi-identifiers lie in the boxes of groups.

Claim. `people_in` says for every box of codes how many people lie in it. On each axis a person lies between two
codes, `below` and `above`, which are the same where the axis has the person's value. A box holds whoever has both
inside.

Cost. For every box the people whose place on the first axis lies in it.
"""

from __future__ import annotations

import numpy as np

from openveil.kernels.compiling import compiled


@compiled
def people_in(lowest, highest, below, above, first):  # type: ignore[no-untyped-def]
    """How many people lie in each box; they stand in the order of the attribute `first`."""
    counts = np.zeros(lowest.shape[0], dtype=np.int64)
    for g in range(lowest.shape[0]):
        start = np.searchsorted(below[:, first], lowest[g, first])
        for i in range(start, below.shape[0]):
            if above[i, first] > highest[g, first]:
                break
            inside = True
            for a in range(lowest.shape[1]):
                if below[i, a] < lowest[g, a] or above[i, a] > highest[g, a]:
                    inside = False
                    break
            counts[g] += inside
    return counts
