"""Work that is done on both cores, a share of it on each.

Claim. `in_shares` calls `work` with runs of the groups, one after the other and together all of them, and returns the
answers in that order; `rows_in_shares` does so with runs of rows. What they give does not depend on how many shares
there are, if `work` treats groups, or rows, one by one.

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
_WORTH_A_THREAD = 1 << 16


def in_shares(work: Callable[[slice], Answer], sizes: Counts) -> list[Answer]:
    """The answers for runs of groups that have so many rows each."""
    up_to = np.cumsum(sizes)
    rows = int(up_to[-1]) if len(up_to) else 0
    shares = _shares(rows)
    ends = np.searchsorted(up_to, [share.stop for share in shares[:-1]]) + 1
    bounds = [0, *ends.tolist(), len(sizes)]
    return _side_by_side(work, [slice(start, end) for start, end in pairwise(bounds)])


def rows_in_shares(work: Callable[[slice], Answer], rows: int) -> list[Answer]:
    """The answers for runs of so many rows."""
    return _side_by_side(work, _shares(rows))


def _shares(rows: int) -> list[slice]:
    """Runs of as many rows each, one a core, or a single one where that is not worth a thread."""
    number = WORKERS if rows >= WORKERS * _WORTH_A_THREAD else 1
    bounds = [share * rows // number for share in range(number + 1)]
    return [slice(start, end) for start, end in pairwise(bounds)]


def _side_by_side(work: Callable[[slice], Answer], shares: list[slice]) -> list[Answer]:
    if len(shares) == 1:
        return [work(shares[0])]
    with ThreadPoolExecutor(len(shares) - 1) as pool:
        others = [pool.submit(work, share) for share in shares[1:]]
        return [work(shares[0]), *(other.result() for other in others)]
