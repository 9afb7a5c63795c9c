"""How far a share of tries can be from the probability behind it.

Claim. `interval` covers the probability at least as often as its level says, whatever the probability is; it is
never too narrow.

Why it holds. It is Clopper and Pearson's: the probabilities under which as few, or as many, successes as there were
are not too unlikely. Tails are summed in floating point and the ends moved outwards by far more than that can err.

Cost. Some fifty sums of up to `tries` terms; answers are remembered.

Source. Clopper and Pearson, The use of confidence or fiducial limits illustrated in the case of the binomial, 1934.
"""

from __future__ import annotations

from functools import lru_cache
from math import lgamma

import numpy as np

_MARGIN = 1e-9
LEVEL = 0.95


@lru_cache(maxsize=100_000)
def interval(successes: int, tries: int, level: float = LEVEL) -> tuple[float, float]:
    """Between what probabilities so many successes in so many tries are not surprising."""
    if not 0 <= successes <= tries:
        raise ValueError("interval: between none and all of the tries succeed")
    tail = (1 - level) / 2
    return _lower(successes, tries, tail), 1.0 - _lower(tries - successes, tries, tail)


def _lower(successes: int, tries: int, tail: float) -> float:
    """The greatest probability under which at least so many successes are less likely than `tail`."""
    if successes == 0:
        return 0.0
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if _at_least(successes, tries, middle) < tail:
            low = middle
        else:
            high = middle
    return max(0.0, low - _MARGIN)


def _at_least(successes: int, tries: int, chance: float) -> float:
    """How likely at least so many successes are."""
    if chance in {0.0, 1.0}:
        return chance
    number = np.arange(successes, tries + 1)
    ways = lgamma(tries + 1) - _log_factorials(tries)[number] - _log_factorials(tries)[tries - number]
    return float(np.exp(ways + number * np.log(chance) + (tries - number) * np.log1p(-chance)).sum())


@lru_cache(maxsize=64)
def _log_factorials(tries: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, tries + 1)))])
