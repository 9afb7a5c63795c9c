"""Dates: day, month, quarter, year, and spans of years.

Claim. Each level shows the calendar unit a date lies in: 1964-09-27, 1964-09, 1964-Q3, 1964, 1960-1964, 1960-1969.
A span of N years begins at a year divisible by N.

Why it holds. Units are computed from the calendar fields of the date, and each must divide the next: months lie in
quarters, quarters in years, years in spans, and a span in another whose length is a multiple of it. Nothing comes
from the earliest or latest date observed.

Times are taken as the clock shows them, in the column's time zone. Text is ISO (1964-09-27, with or without a
time), or follows `format`. A year of two digits (%y) is taken to lie in the hundred years that end with
`last_year`, 2068 if not said: 69 is 1969 and 68 is 2068, as POSIX has it. For dates of birth give the current year,
so that 64 is 1964.

Cost. One parse and a columnar pass a level.

Source. ISO 8601; Samarati and Sweeney, Protecting privacy when disclosing information, 1998 (date of birth).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import ClassVar

import polars as pl

from openveil.core.axis import Hierarchy
from openveil.core.errors import Problem
from openveil.core.registry import Kind, Status, part
from openveil.core.rule import Rule
from openveil.hierarchies.nesting import nest, refuse_all, runs, uncovered, wrong_type

WHERE = "hierarchy 'dates'"
ISO = ("%Y-%m-%d", "%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M")
MONTHS = {"day": 0, "month": 1, "quarter": 3, "year": 12}
SPAN = re.compile(r"([1-9][0-9]{0,3}) years")
FIRST_YEAR, LAST_YEAR = 1100, 9999


@part(
    Kind.HIERARCHY,
    "dates",
    source="ISO 8601; Samarati and Sweeney, Protecting privacy when disclosing information, 1998",
    status=Status.PROVED,
)
@dataclass(frozen=True, kw_only=True)
class Dates(Rule):
    """Shows the month, quarter, year or span of years a date lies in.

    `levels`: any of day, month, quarter, year and 'N years', from fine to coarse. `format`: how dates held as text
    are written, such as %m/%d/%y; ISO if not given. `last_year`: the last year two digits may stand for.
    """

    lists_values: ClassVar[bool] = False

    levels: tuple[str, ...] = ("month", "quarter", "year", "5 years", "10 years")
    format: str | None = None
    last_year: int = 2068

    def __post_init__(self) -> None:
        refuse_all((*self._wrong_levels(), *self._wrong_format()))

    def bind(self, name: str, values: pl.Series, *, missing: bool) -> Hierarchy:
        """The levels over the values in order of time."""
        days = self._days(name, values)
        refuse_all(uncovered(name, days.null_count(), len(values), "Say with `format` how they are written"))
        frame = pl.DataFrame({"day": days, "value": values}).sort("day", "value")
        levels = [runs(frame.select(_label(level)).to_series()) for level in self.levels]
        return nest(name, frame["value"], levels, missing=missing)

    def _days(self, name: str, values: pl.Series) -> pl.Series:
        """The calendar day of each value; null where there is none."""
        if values.dtype == pl.String:
            return self._read(values)
        if values.dtype in (pl.Date, pl.Datetime):
            return values.dt.date()
        raise wrong_type(name, "dates, times and text", values.dtype)

    def _read(self, text: pl.Series) -> pl.Series:
        formats = ISO if self.format is None else (self.format,)
        readings = [pl.col("text").str.to_date(written, strict=False) for written in formats]
        days = pl.DataFrame({"text": text}).select(pl.coalesce(readings)).to_series()
        if self.format is None or "%y" not in self.format:
            return days
        return _in_century(days, self.last_year)

    def _wrong_levels(self) -> Iterator[Problem]:
        if not self.levels:
            yield Problem(WHERE, "`levels` is empty", "Write such as levels = ['month', 'year', '10 years']")
        known = [level for level in self.levels if _months(level) is not None]
        for level in self.levels:
            if level not in known:
                what = "a level must be 'day', 'month', 'quarter', 'year' or 'N years'"
                yield Problem(WHERE, what, "Write such as '5 years'", repr(level))
        for finer, coarser in pairwise(known):
            if not _divides(_months(finer) or 0, _months(coarser) or 0):
                what = f"{finer!r} does not fit into {coarser!r}"
                yield Problem(WHERE, what, "Order levels from fine to coarse, each a multiple of the one before")

    def _wrong_format(self) -> Iterator[Problem]:
        if not FIRST_YEAR <= self.last_year <= LAST_YEAR:
            what = f"`last_year` must be from {FIRST_YEAR} to {LAST_YEAR}"
            yield Problem(WHERE, what, "Write such as 2025", str(self.last_year))
        elif self.format is not None:
            probes = [date(self.last_year - 7, 6, 5), date(self.last_year - 18, 12, 28)]
            if self._read(pl.Series([day.strftime(self.format) for day in probes])).to_list() != probes:
                what = "`format` does not tell the day, month and year of a date"
                yield Problem(WHERE, what, "Write such as %Y-%m-%d or %m/%d/%y", repr(self.format))


def _months(level: str) -> int | None:
    """How many months a level spans (0 for a day); None if it is no level."""
    span = SPAN.fullmatch(level)
    return 12 * int(span[1]) if span else MONTHS.get(level)


def _divides(finer: int, coarser: int) -> bool:
    return finer < coarser and (finer == 0 or coarser % finer == 0)


def _label(level: str) -> pl.Expr:
    """The label of the unit that the column `day` lies in."""
    day = pl.col("day")
    year = _four_digits(day.dt.year())
    if level == "day":
        return day.dt.to_string("%Y-%m-%d")
    if level == "month":
        return day.dt.to_string("%Y-%m")
    if level == "quarter":
        return pl.format("{}-Q{}", year, day.dt.quarter())
    return year if level == "year" else _span(day.dt.year(), (_months(level) or 0) // 12)


def _span(year: pl.Expr, years: int) -> pl.Expr:
    first = year - year % years
    return pl.format("{}-{}", _four_digits(first), _four_digits(first + years - 1))


def _four_digits(year: pl.Expr) -> pl.Expr:
    return year.cast(pl.String).str.zfill(4)


def _in_century(days: pl.Series, last_year: int) -> pl.Series:
    """The days with their years moved by whole centuries into the hundred years that end with `last_year`."""
    day = pl.col("day")
    year = last_year - (last_year - day.dt.year()) % 100
    # Through text, as 29 February exists in one century and not in the other: then there is no such day.
    moved = pl.format("{}{}", _four_digits(year), day.dt.to_string("-%m-%d")).str.to_date("%Y-%m-%d", strict=False)
    return pl.DataFrame({"day": days}).select(moved).to_series()
