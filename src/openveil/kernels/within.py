"""Whether one sequence is found in another, in its order.

Claim. `found_in_order` says whether the items of `short` stand in `long` in the same order, whatever stands between.

Why it holds. Taking each item at the first place after the last one leaves most for those that follow.

Cost. One pass over `long`.
"""

from __future__ import annotations

from openveil.kernels.compiling import compiled


@compiled
def found_in_order(short, long):  # type: ignore[no-untyped-def]
    """Whether `short` is a subsequence of `long`."""
    here = 0
    for there in range(long.shape[0]):
        if here < short.shape[0] and short[here] == long[there]:
            here += 1
    return here == short.shape[0]
