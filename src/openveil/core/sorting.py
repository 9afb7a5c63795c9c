"""The stable order by two keys that count from 0.

Cost. One pass for each key, whatever their order.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def sorted_by(first: NDArray[np.int32], second: NDArray[np.int32]) -> NDArray[np.int32]:
    """The places of the items by the first key and, where that is the same, by the second."""
    from openveil.kernels.tally import laid_out

    by_second = laid_out(second, int(second.max(initial=-1)) + 1)[0]
    order: NDArray[np.int32] = by_second[laid_out(first[by_second], int(first.max(initial=-1)) + 1)[0]]
    return order
