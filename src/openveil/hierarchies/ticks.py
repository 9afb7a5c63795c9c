"""Numbers as whole ticks of a decimal grid, exactly.

Claim. `measure` returns for every number the largest n with n / 10^decimals <= number, where the number is what its
text says: 0.3 is three tenths, not the binary fraction next to it.

Why it holds. Whole numbers are multiplied as integers, and exact decimals are taken as their text. A binary number v
stands for the shortest decimal D(v) that rounds to it. For an edge e of at most 15 digits, v >= round(e) if and only
if D(v) >= e: rounding is monotone, and if v = round(e) then D(v) = e, as no two decimals of at most 15 digits round
to one binary number. An edge n / 10^d with |n| < 10^15 and d <= 22 is a quotient of two exact binary numbers, so the
division gives round(e) itself. All other numbers, rare ones, are taken through fractions of their text.

Cost. A few columnar passes; about three microseconds for each number beyond 15 digits.

Source. IEEE 754; Steele and White, How to print floating-point numbers accurately, 1990.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import floor, lcm
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

Ticks = NDArray[Any]

NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?$"
DIGITS = 15
MOST = 10.0**DIGITS - 2
MOST_DECIMALS = 22
MACHINE = 2**62


@dataclass(frozen=True, eq=False)
class Measured:
    """Numbers on a grid: their ticks (0 where there is none), and their size (not a number where there is none)."""

    ticks: Ticks
    sizes: NDArray[np.float64]


def decimals(fractions: list[Fraction]) -> int:
    """The fewest decimals with which every fraction can be written; their denominators divide powers of ten."""
    common = lcm(*(fraction.denominator for fraction in fractions))
    return next(count for count in range(common.bit_length() + 1) if 10**count % common == 0)


def measure(values: pl.Series, places: int, *, room: int) -> Measured | None:
    """The ticks of the values; None if the column is not of numbers or text.

    `room` is the largest number of ticks the caller will add or subtract: machine integers are used when they hold.
    """
    if values.dtype.is_integer():
        return Measured(_whole(values, places, room), values.cast(pl.Float64).to_numpy())
    if values.dtype.is_float():
        # The text of a single-precision number, not the double next to it, is the number that is meant.
        sizes = values if values.dtype == pl.Float64 else values.cast(pl.String).cast(pl.Float64)
        return _decimal(sizes, sizes.cast(pl.String), np.zeros(len(values), dtype=bool), places, room)
    if values.dtype.is_decimal():
        return measure(values.cast(pl.String), places, room=room)
    if values.dtype == pl.String:
        text = values.str.strip_chars()
        sizes = text.set(~text.str.contains(NUMBER), None).cast(pl.Float64, strict=False).fill_null(np.nan)
        long = (text.str.count_matches("[0-9]") > DIGITS) | text.str.contains("[eE]")
        return _decimal(sizes, text, long.to_numpy(), places, room)
    return None


def written(ticks: Ticks, places: int) -> pl.Series:
    """Ticks as decimal text with `places` decimals."""
    negative = pl.Series(np.asarray(ticks < 0, dtype=bool))
    digits = pl.Series([str(tick) for tick in np.abs(ticks)]) if ticks.dtype == object else pl.Series(np.abs(ticks))
    text = digits.cast(pl.String).str.zfill(places + 1)
    if places:
        text = text.str.head(-places) + "." + text.str.tail(places)
    return ("-" + text).zip_with(negative, text)


def _whole(values: pl.Series, places: int, room: int) -> Ticks:
    scale = 10**places
    furthest = max((abs(edge) for edge in (values.min(), values.max()) if isinstance(edge, int)), default=0)
    if furthest * scale + room < MACHINE:
        ticks: Ticks = values.cast(pl.Int64).to_numpy() * np.int64(scale)
    else:
        ticks = np.array(values.to_list(), dtype=object) * scale
    return ticks


def _decimal(sizes: pl.Series, text: pl.Series, long: NDArray[np.bool_], places: int, room: int) -> Measured:
    numbers = sizes.to_numpy()
    finite = np.isfinite(numbers)
    scale = 10.0 ** min(places, MOST_DECIMALS)
    with np.errstate(over="ignore", invalid="ignore"):
        far = ~(np.abs(numbers * scale) < MOST) | (places > MOST_DECIMALS)
    slow = finite & (far | long)
    quick = np.where(finite & ~slow, numbers, 0.0)
    ticks: Ticks = _below(quick, scale).astype(np.int64)
    if slow.any() or room >= MACHINE // 2:
        ticks = ticks.astype(object)
        ticks[slow] = [floor(Fraction(number) * 10**places) for number in text.filter(pl.Series(slow)).to_list()]
    return Measured(ticks, numbers)


def _below(numbers: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
    """The tick at or below each number; the product may be off by one, the comparisons are exact."""
    ticks = np.floor(numbers * scale)
    ticks = ticks + (numbers >= (ticks + 1) / scale)
    return ticks - (numbers < ticks / scale)
