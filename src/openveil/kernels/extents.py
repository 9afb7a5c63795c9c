"""The least and the greatest code of every group in every attribute.

Cost. One pass over the rows, at one group after another where rows stand group by group.
"""

from __future__ import annotations

import numpy as np

from openveil.kernels.compiling import compiled


@compiled
def extents(codes, group, groups):  # type: ignore[no-untyped-def]
    """The least and greatest codes; of a group without rows, a least code above the greatest."""
    attributes = codes.shape[1]
    lowest = np.full((groups, attributes), np.iinfo(np.int32).max, dtype=np.int32)
    highest = np.full((groups, attributes), -1, dtype=np.int32)
    for i in range(codes.shape[0]):
        g = group[i]
        if g < 0:
            continue
        for a in range(attributes):
            code = np.int32(codes[i, a])
            lowest[g, a] = min(lowest[g, a], code)
            highest[g, a] = max(highest[g, a], code)
    return lowest, highest
