"""An upper bound for how often an earlier function holds by chance, for groups that are too large to count.

Claim. `at_most` is no less than the share of the ways to hand out a bag in which every tested atom holds.

Why it holds. Draw every row's value by itself, with the shares of the bag. Given that the values drawn are the bag,
every way to hand it out is as likely as any other; so the share asked for is the chance that all atoms hold, given
that the bag comes out, and so at most the chance that all atoms hold, divided by that of the bag. Drawn so, atoms are
independent: it is a product. An atom that holds has no value more often than `cap`, whatever else is asked of it,
since the rest of such an atom could be mixed no better than evenly. The chance that no value is too frequent is found
by handing out the values one after the other. It is computed in floating point, of positive terms only, so that it is
off by a relative error far below `_MARGIN`, by which it is then raised.

Cost. One convolution a value for each size of an atom. Atoms for which that takes more than `MOST` steps are taken to
hold always.

Source. The conditional representation is a classic one: D. Freeman, Levin, A Representation for Multinomial
Cumulative Distribution Functions, 1981. Its use here is openveil's own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from math import ceil, exp, floor, lgamma, log

import numpy as np
from numpy.typing import NDArray

from openveil.disclosure.counting import Asked, Part

MOST = 200_000_000
_MARGIN = 1e-6
_NOTHING = 1e-250
_BITS = 40


def at_most(part: Part, asked: Asked) -> Fraction:
    """No less than the share of the ways to fill a nested part in which all tested atoms hold."""
    if not part.nested:
        return Fraction(1)
    bag = [count for count in part.bags[0] if count]
    whole = sum(bag)
    tested = {each[0] for each in part.tested}
    sizes = Counter(size for a, size in enumerate(part.atoms) if a in tested)
    shares = np.array(bag) / whole
    likely = sum(
        number * log(_no_value_above(shares, size, cap(size, len(bag), asked))) for size, number in sizes.items()
    )
    of_bag = lgamma(whole + 1) - sum(lgamma(count + 1) - count * log(count / whole) for count in bag)
    return _raised(likely - of_bag + _MARGIN * (len(sizes) + 1))


def cap(size: int, values: int, asked: Asked) -> int:
    """How often a value occurs at most in so many rows that hold, when there are so many values."""
    low, high = 0, size
    while low < high:
        middle = (low + high + 1) // 2
        if asked.permits(_evenly(size, middle, values)):
            low = middle
        else:
            high = middle - 1
    return low if low * values >= size or asked.permits(_evenly(size, low, values)) else 0


def _evenly(size: int, most: int, values: int) -> Sequence[int]:
    """One value so often, or as often as it must, and the others as equally as can be."""
    most = max(most, -(-size // values))
    rest, others = size - most, max(values - 1, 1)
    more, extra = divmod(rest, others)
    return [most, *([more + 1] * extra), *([more] * (others - extra))]


def _no_value_above(shares: NDArray[np.float64], size: int, most: int) -> float:
    """The chance that none of so many values, drawn with these shares, occurs more often than `most`; no less."""
    if most * len(shares) < size:
        return _NOTHING
    if size * most * len(shares) > MOST:
        return 1.0
    copies = np.arange(min(most, size) + 1)
    logs = np.array([lgamma(each + 1) for each in copies])
    ways = np.ones(1)
    for share in shares:
        mean = size * share
        one = np.exp(copies * log(mean) - mean - logs)
        ways = np.convolve(ways, one)[: size + 1]
    found = float(ways[size]) if len(ways) > size else 0.0
    alone = exp(size * log(size) - size - lgamma(size + 1))
    return min(found / alone, 1.0) + _NOTHING


def _raised(logarithm: float) -> Fraction:
    """No less than e to that power, and at most 1."""
    if logarithm >= 0:
        return Fraction(1)
    whole = floor(logarithm / log(2))
    mantissa = ceil(exp(logarithm - whole * log(2)) * (1 + _MARGIN) * (1 << _BITS))
    return min(Fraction(mantissa, 1 << _BITS) * Fraction(2) ** whole, Fraction(1))
