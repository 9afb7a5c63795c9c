"""Work that is done on both cores, a share of the groups on each.

Claim. `in_shares` calls `work` with runs of the groups, one after the other and together all of them, and returns the
answers in that order. What it gives does not depend on how many shares there are, if `work` treats groups one by one.

Why it helps. Kernels do not hold the interpreter lock, so shares of about as many rows run side by side. A few rows
are not worth a thread.

Cost. A fraction of a millisecond.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TypeVar

import numpy as np

from openveil.core.bags import Counts

Answer = TypeVar("Answer")

WORKERS = 2
_WORTH_A_THREAD = 1 << 15


def in_shares(work: Callable[[slice], Answer], sizes: Counts) -> list[Answer]:
    """The answers for runs of groups that have so many rows each."""
    up_to = np.cumsum(sizes)
    rows = int(up_to[-1]) if len(up_to) else 0
    if rows < WORKERS * _WORTH_A_THREAD or len(sizes) < WORKERS:
        return [work(slice(0, len(sizes)))]
    ends = np.searchsorted(up_to, np.arange(1, WORKERS) * rows / WORKERS) + 1
    bounds = [0, *ends.tolist(), len(sizes)]
    shares = [slice(start, end) for start, end in pairwise(bounds)]
    with ThreadPoolExecutor(WORKERS) as pool:
        return list(pool.map(work, shares))
