"""Which widths of intervals suit a column of numbers.

Claim. `widths_for` gives at most four widths of 1, 2 or 5 times a power of ten, each a multiple of the one before,
all below the spread of the column: nothing of a value is in them but the order of size of the spread.

Why it holds. Widths are made by doubling or by times five from a round number, in decimal arithmetic.

Cost. None to speak of.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import Decimal
from itertools import islice, takewhile

_MOST_WIDTHS = 4


def widths_for(spread: float, *, whole: bool) -> tuple[Decimal, ...]:
    """Widths of 1, 2 or 5 times a power of ten, each a multiple of the one before, all below `spread`."""
    if not 0 < spread < math.inf:
        return ()
    limit = Decimal(spread)
    widths = islice(takewhile(lambda width: width < limit, _round_widths(limit / 20)), _MOST_WIDTHS)
    return tuple(width for width in widths if not whole or (width > 1 and width == int(width)))


def _round_widths(least: Decimal) -> Iterator[Decimal]:
    """Round numbers from `least` up, each a multiple of the one before: 5, 10, 20, 100, 200 ..."""
    power = Decimal(1).scaleb(least.adjusted())
    width = next(digit * power for digit in (1, 2, 5, 10) if digit * power >= least)
    while True:
        yield width
        width *= 5 if width.as_tuple().digits[0] == 2 else 2
