"""Tails of samples without replacement: how often a value occurs in an atom, when a bag is handed out by chance.

Claim. `tail` is the logarithm of the chance that an atom has more rows of a value than so many, and `having` the
chance that one of its rows has the value if so. Both are in floating point, of positive terms, each off by far less
than `MARGIN`; whoever rests a bound on them moves it outwards by that. `having` already is.

Why it holds. How often a value occurs in an atom is hypergeometric. For a person of the atom to have the value, and
the atom more than `most` rows of it, the others must have `most` or more of those that are left; Bayes' rule.

Cost. One pass over the terms of the tail.
"""

from __future__ import annotations

from functools import cache, lru_cache
from math import exp, inf, lgamma, log

import numpy as np
from numpy.typing import NDArray

MARGIN = 1e-6

Places = NDArray[np.float64]


def tail(draws: int, marked: int, rows: int, most: int) -> float:
    """The logarithm of the chance that of so many rows drawn more than `most` are marked; at most 0."""
    if marked <= most or draws <= most:
        return -inf
    if draws > rows or marked > rows:
        return 0.0
    hits = np.arange(max(most + 1, draws + marked - rows), min(draws, marked) + 1)
    if not len(hits):
        return -inf
    known = _log_factorials(1 << max(rows, 1).bit_length())
    logs = _choose(known, marked, hits) + _choose(known, rows - marked, draws - hits)
    peak = float(logs.max())
    whole = peak + log(float(np.exp(logs - peak).sum()))
    return min(whole - float(_choose(known, rows, np.array([draws]))[0]), 0.0)


@lru_cache(maxsize=1 << 16)
def having(size: int, count: int, rows: int, most: int) -> float:
    """No less than the chance of a row in an atom to have a value that the atom has more than `most` times.

    It is 0 where no atom of this size can have so many.
    """
    if min(size, count) <= most:
        return 0.0
    own = tail(size - 1, count - 1, rows - 1, most - 1)
    return min(count / rows * exp(own - tail(size, count, rows, most) + 4 * MARGIN), 1.0)


def _choose(known: Places, among: int, taken: NDArray[np.int64]) -> Places:
    ways: Places = known[among] - known[taken] - known[among - taken]
    return ways


@cache
def _log_factorials(upto: int) -> Places:
    return np.array([lgamma(number + 1) for number in range(upto + 1)])
