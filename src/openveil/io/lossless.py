"""Text columns to numbers and dates, only where nothing is lost.

Claim. A column becomes Int64, Float64 or Date only if writing the typed value gives back the very text of every
cell that is not missing. So 02139 keeps its zero, 1.50 its last digit, and an integer beyond 64 bits its end;
two cells become equal only if they were. Numbers with a decimal comma that stay text, such as 1,50, get a point in
its place, so that they are in every way what 1.50 is in a file with decimal points.

Why it holds. It is checked by writing: every value is cast back and compared. A column of decimals may write
whole numbers as 1 or as 1.0, but one way throughout. A comma becomes a point only in columns where every cell is a
number and none has a point. Not-a-number, infinity, minus zero and dates outside the years
1 to 9999 stay text.

Cost. A look at the first rows rules most types out; the rest is a cast there and back for each column.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

_SAMPLE = 1000
_ISO = "%Y-%m-%d"
_COMMA_NUMBER = r"^\s*[+-]?([0-9]+(,[0-9]*)?|,[0-9]+)([eE][+-]?[0-9]{1,3})?\s*$"


@dataclass(frozen=True)
class Form:
    """How text is read as a type, and whether (text, value) agree in every cell: one boolean."""

    read: Callable[[pl.Expr], pl.Expr]
    agree: Callable[[pl.Expr, pl.Expr], pl.Expr]


def typed(frame: pl.DataFrame, decimal: str) -> pl.DataFrame:
    """`frame`, all text, with every column typed that can be without loss."""
    open_names = [name for name in frame.columns if frame[name].null_count() < frame.height]
    for form in (_INTEGER, _POINT if decimal == "." else _COMMA, _DATE):
        likely = _fitting(frame.head(_SAMPLE), open_names, form)
        found = _fitting(frame, [column.name for column in likely], form)
        frame = frame.with_columns(found)
        open_names = [name for name in open_names if name not in {column.name for column in found}]
    return frame if decimal == "." else _with_points(frame, open_names)


def _with_points(frame: pl.DataFrame, names: list[str]) -> pl.DataFrame:
    """`frame` with a point for the comma in those text columns among `names` where every cell is a number."""
    numbers = [pl.col(name).str.contains(_COMMA_NUMBER).all() for name in names]
    verdicts = frame.select(numbers)
    return frame.with_columns(_pointed(pl.col(name)) for name in names if verdicts[name].item())


def _fitting(frame: pl.DataFrame, names: list[str], form: Form) -> list[pl.Series]:
    """The columns among `names` that `form` reads without loss, read."""
    values = frame.select(form.read(pl.col(name)) for name in names)
    sides = [frame[name].alias(f"text {place}") for place, name in enumerate(names)]
    sides += [values[name].alias(f"value {place}") for place, name in enumerate(names)]
    verdicts = pl.DataFrame(sides).select(
        form.agree(pl.col(f"text {place}"), pl.col(f"value {place}")).alias(name) for place, name in enumerate(names)
    )
    return [values[name] for name in names if verdicts[name].item()]


def _same(written: pl.Expr, text: pl.Expr) -> pl.Expr:
    return written.eq_missing(text).all()


def _decimal(text: pl.Expr, value: pl.Expr) -> pl.Expr:
    written = value.cast(pl.String)
    minus_zero = (value == 0) & text.str.starts_with("-")
    either_way = _same(written, text) | _same(written.str.strip_suffix(".0"), text)
    return either_way & value.is_finite().all() & ~minus_zero.any()


def _pointed(text: pl.Expr) -> pl.Expr:
    return text.str.replace(",", ".", literal=True)


_INTEGER = Form(
    lambda text: text.cast(pl.Int64, strict=False),
    lambda text, value: _same(value.cast(pl.String), text),
)
_POINT = Form(lambda text: text.cast(pl.Float64, strict=False), _decimal)
_COMMA = Form(
    lambda text: _POINT.read(_pointed(text)),
    lambda text, value: _decimal(_pointed(text), value) & ~text.str.contains(".", literal=True).any(),
)
_DATE = Form(
    lambda text: text.str.to_date(_ISO, strict=False),
    lambda text, value: _same(value.dt.to_string(_ISO), text) & value.dt.year().is_between(1, 9999).all(),
)
