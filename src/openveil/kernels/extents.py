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
    # Both side by side and as narrow as the codes, for rows come to groups in no order and memory is what costs.
    bounds = np.zeros((groups, 2, attributes), dtype=codes.dtype)
    lowest, highest = bounds[:, 0], bounds[:, 1]
    lowest[:] = np.iinfo(codes.dtype).max
    for i in range(codes.shape[0]):
        g = group[i]
        if g < 0:
            continue
        for a in range(attributes):
            code = codes[i, a]
            lowest[g, a] = min(lowest[g, a], code)
            highest[g, a] = max(highest[g, a], code)
    return lowest, highest
