"""Intervals: numbers are shown as the interval of a fixed width they lie in.

Claim. At level i a number x is shown as the half-open interval [a, b) with a <= x < b, where a and b are
`start` plus multiples of `widths[i]`: 25 lies in [25, 30), never in [20, 25). Values below `lowest` are shown as
one interval, `<lowest`, values from `highest` on as `>=highest`, on every level between the values and the root.

Why it holds. Edges and values are whole ticks of the decimal grid on which all parameters lie, so every comparison
is one of integers. Each width is a multiple of the one before, so the levels are nested. Labels are made from
start, widths, lowest and highest alone, never from the values observed.

Notation. In a column of whole numbers whose parameters are whole, an interval is written by its first and last
number: `20-24`, and `-5 to -1` or `-5 to 4` when it begins below zero; `20` alone when it holds one number. In every
other column, also when numbers are held as text, it is written `[20, 25)` or `[0.5, 1.0)`. An interval cut by
`lowest` or `highest` is written as cut.

Cost. A few columnar passes a level.

Source. Sweeney, Achieving k-anonymity privacy protection using generalization and suppression, 2002; Hundepool and
others, Statistical disclosure control, 2012 (top and bottom coding).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import isfinite
from typing import ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from openveil.core.axis import Hierarchy, Level
from openveil.core.errors import Problem
from openveil.core.registry import Kind, Status, part
from openveil.core.rule import Rule
from openveil.hierarchies.nesting import nest, refuse_all, uncovered, wrong_type
from openveil.hierarchies.spelling import is_whole
from openveil.hierarchies.ticks import Measured, Ticks, decimals, measure, written

WHERE = "hierarchy 'intervals'"
Notation = Callable[[Ticks, Ticks, int], pl.Series]


_DECIMAL_COMMA = r"^\s*[+-]?\d+,\d+\s*$"


@part(
    Kind.HIERARCHY,
    "intervals",
    source="Sweeney, Achieving k-anonymity privacy protection using generalization and suppression, 2002; "
    "Hundepool and others, Statistical disclosure control, 2012",
    status=Status.PROVED,
)
@dataclass(frozen=True, kw_only=True)
class Intervals(Rule):
    """Shows the interval of a fixed width a number lies in.

    `widths`: the width of the intervals of each level, each a multiple of the one before. `start`: where intervals
    are counted from. `lowest`, `highest`: below and from these, values are shown as one interval.
    """

    lists_values: ClassVar[bool] = False

    widths: tuple[int | float, ...]
    start: int | float = 0
    lowest: int | float | None = None
    highest: int | float | None = None

    def __post_init__(self) -> None:
        refuse_all(self._not_numbers())
        refuse_all((*self._wrong_widths(), *self._wrong_ends()))

    def bind(self, name: str, values: pl.Series, *, missing: bool) -> Hierarchy:
        """The levels over the values by size."""
        grid = self._grid()
        measured = measure(values, grid.places, room=grid.room)
        if measured is None:
            raise wrong_type(name, "numbers", values.dtype)
        strangers = int((~self._covered(measured)).sum())
        refuse_all(uncovered(name, strangers, len(values), _for_numbers(values)))
        ticks = grid.with_infinite(measured)
        keys = {"tick": np.unique(ticks, return_inverse=True)[1], "size": measured.sizes, "value": values}
        order = pl.DataFrame(keys).with_row_index("position").sort("tick", "size", "value")["position"].to_numpy()
        notation = _by_first_and_last if grid.places == 0 and is_whole(values.dtype) else _half_open
        levels = [grid.level(ticks[order], width, notation) for width in grid.widths]
        return nest(name, values.gather(order), levels, missing=missing)

    def _covered(self, measured: Measured) -> NDArray[np.bool_]:
        """Finite numbers, and infinite ones on a side that has an end."""
        covered = np.isfinite(measured.sizes)
        if self.lowest is not None:
            covered |= np.isneginf(measured.sizes)
        if self.highest is not None:
            covered |= np.isposinf(measured.sizes)
        return covered

    def _grid(self) -> _Grid:
        given = [self.start, *self.widths, *(end for end in (self.lowest, self.highest) if end is not None)]
        places = decimals([_exact(number) for number in given])

        def ticks(number: float) -> int:
            return int(_exact(number) * 10**places)

        lowest = None if self.lowest is None else ticks(self.lowest)
        highest = None if self.highest is None else ticks(self.highest)
        return _Grid(places, ticks(self.start), tuple(map(ticks, self.widths)), lowest, highest)

    def _not_numbers(self) -> Iterator[Problem]:
        named = [*(("widths", width) for width in self.widths), ("start", self.start)]
        named += [("lowest", self.lowest)] if self.lowest is not None else []
        named += [("highest", self.highest)] if self.highest is not None else []
        for field, number in named:
            if isinstance(number, bool) or not isfinite(number):
                yield Problem(
                    WHERE, f"`{field}` must be made of finite numbers", "Write such as 5 or 0.5", repr(number)
                )

    def _wrong_widths(self) -> Iterator[Problem]:
        if not self.widths:
            yield Problem(WHERE, "`widths` is empty", "Write such as widths = [5, 10, 20]")
        for width in self.widths:
            if width <= 0:
                yield Problem(WHERE, "`widths` must be above 0", "Write such as widths = [5, 10, 20]", str(width))
        for finer, coarser in pairwise(width for width in self.widths if width > 0):
            if finer >= coarser or _exact(coarser) % _exact(finer):
                what = "each of `widths` must be a multiple of the one before"
                yield Problem(WHERE, what, "Write such as widths = [5, 10, 20]", f"{finer}, {coarser}")

    def _wrong_ends(self) -> Iterator[Problem]:
        if self.lowest is not None and self.highest is not None and self.lowest >= self.highest:
            found = f"{self.lowest}, {self.highest}"
            yield Problem(WHERE, "`lowest` must be below `highest`", "Exchange them or leave one out", found)


@dataclass(frozen=True)
class _Grid:
    """The parameters as whole ticks of 1 / 10^places."""

    places: int
    start: int
    widths: tuple[int, ...]
    lowest: int | None
    highest: int | None

    @property
    def room(self) -> int:
        """More ticks than any sum of parameters moves a value by."""
        return 4 + sum(abs(tick) for tick in (self.start, *self.widths, self.lowest or 0, self.highest or 0))

    def with_infinite(self, measured: Measured) -> Ticks:
        """The ticks, with infinite numbers put beyond the end they belong to."""
        ticks = measured.ticks.copy()
        if self.lowest is not None:
            ticks[np.isneginf(measured.sizes)] = self.lowest - 1
        if self.highest is not None:
            ticks[np.isposinf(measured.sizes)] = self.highest
        return ticks

    def level(self, ticks: Ticks, width: int, notation: Notation) -> Level:
        """The intervals of one width that hold one of the ticks, which ascend."""
        lower = ticks - (ticks - self.start) % width
        upper = lower + width
        below = np.zeros(len(ticks), dtype=bool) if self.lowest is None else ticks < self.lowest
        above = np.zeros(len(ticks), dtype=bool) if self.highest is None else ticks >= self.highest
        if self.lowest is not None:
            lower = np.where(below, self.lowest - 1, np.maximum(lower, self.lowest))
        if self.highest is not None:
            lower, upper = np.where(above, self.highest, lower), np.minimum(upper, self.highest)
        first = np.flatnonzero(np.append(True, lower[1:] != lower[:-1]))[: len(ticks)]
        labels = notation(lower[first], upper[first], self.places)
        labels = labels.zip_with(pl.Series(~below[first]), self._end("<", self.lowest))
        labels = labels.zip_with(pl.Series(~above[first]), self._end(">=", self.highest))
        return Level(first.astype(np.int32), labels)

    def _end(self, sign: str, tick: int | None) -> pl.Series:
        text = written(np.array([tick or 0], dtype=object), self.places)
        return sign + text


def _by_first_and_last(lower: Ticks, upper: Ticks, places: int) -> pl.Series:
    """20-24, or -5 to -1 when it begins below zero, or 20 when it holds one number."""
    last = upper - 1
    columns = {"first": written(lower, places), "last": written(last, places)}
    frame = pl.DataFrame(columns | {"below": np.asarray(lower < 0, bool), "one": np.asarray(lower == last, bool)})
    dash = pl.when("below").then(pl.lit(" to ")).otherwise(pl.lit("-"))
    label = pl.when("one").then("first").otherwise(pl.concat_str("first", dash, "last"))
    return frame.select(label).to_series()


def _half_open(lower: Ticks, upper: Ticks, places: int) -> pl.Series:
    """[0.5, 1.0)."""
    frame = pl.DataFrame({"lower": written(lower, places), "upper": written(upper, places)})
    return frame.select(pl.format("[{}, {})", "lower", "upper")).to_series()


def _exact(number: float) -> Fraction:
    """The number its text says: 0.1 is one tenth."""
    return Fraction(str(number))


def _for_numbers(values: pl.Series) -> str:
    """What intervals are for, and how numbers with a decimal comma come to be read as such."""
    commas = values.dtype == pl.String and bool(values.str.contains(_DECIMAL_COMMA).any())
    return (
        'Intervals are for numbers; of those with a decimal comma say decimal = "," under [input]'
        if commas
        else ("Intervals are for numbers")
    )
