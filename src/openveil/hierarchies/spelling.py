"""How a value is written as text, how text is read as a value, and which order is natural.

Claim. `spelled` writes every value of a column in plain text (17, 0.5, 1964-09-27, true) and `read_as` reads such
text back as the same value, so a hierarchy written as text fits a column of numbers or dates.

Why it holds. Integers and shortest decimals are read back exactly, and exact decimals are never rounded; dates are
ISO; text stays as it is. Text that cannot be a value of the column's type becomes null. A floating-point number that
is whole is written without a fraction, an exact decimal with all its places.

Cost. A few columnar passes.

Source. ISO 8601 for dates; otherwise our own convention.
"""

from __future__ import annotations

from datetime import date

import polars as pl

SUPPORTED = "text, whole numbers, floating-point numbers, exact decimals, booleans, dates and times"
Item = str | int | float | bool | date


def is_supported(dtype: pl.DataType) -> bool:
    """Whether a column of this type can have a hierarchy."""
    return dtype.is_numeric() or dtype in (pl.String, pl.Boolean, pl.Date, pl.Datetime)


def is_whole(dtype: pl.DataType) -> bool:
    """Whether a column of this type can hold whole numbers only."""
    return dtype.is_integer() or (isinstance(dtype, pl.Decimal) and dtype.scale == 0)


def spelled(values: pl.Series) -> pl.Series:
    """The values as plain text."""
    if values.dtype == pl.Datetime:
        return values.dt.to_string("%Y-%m-%dT%H:%M:%S%.f")
    text = values.cast(pl.String)
    return text.str.replace(r"\.0$", "") if values.dtype.is_float() else text


def spelled_item(item: Item) -> str:
    """One label of a plan as plain text, as `spelled` would write it."""
    if isinstance(item, bool):
        return str(item).lower()
    return str(item).removesuffix(".0") if isinstance(item, float) else str(item)


def read_as(text: pl.Series, dtype: pl.DataType) -> pl.Series:
    """The text as values of `dtype`; null where it cannot be one."""
    if dtype == pl.String:
        return text
    trimmed = text.str.strip_chars()
    if dtype == pl.Boolean:
        truth = {"true": True, "false": False}
        return trimmed.str.to_lowercase().replace_strict(truth, default=None, return_dtype=pl.Boolean)
    if dtype == pl.Date:
        return trimmed.str.to_date("%Y-%m-%d", strict=False)
    if isinstance(dtype, pl.Datetime):
        return _times(trimmed, dtype)
    if isinstance(dtype, pl.Decimal):
        return _decimals(trimmed, dtype)
    return trimmed.cast(dtype, strict=False)


def natural_order(values: pl.Series) -> pl.Series:
    """The positions that sort the values: numbers by size (also those held as text), all else as it compares."""
    keys = pl.DataFrame({"number": _sizes(values), "value": values})
    return keys.with_row_index("position").sort("number", "value")["position"]


def _sizes(values: pl.Series) -> pl.Series:
    """The size of each number held as text when all are numbers; otherwise nothing to sort by."""
    if values.dtype == pl.String:
        sizes = values.cast(pl.Float64, strict=False)
        if not sizes.null_count():
            return sizes
    return pl.repeat(0.0, len(values), eager=True)


def _decimals(text: pl.Series, dtype: pl.Decimal) -> pl.Series:
    """What has more places than the type would be rounded to another number."""
    exact = text.str.contains(rf"^[+-]?[0-9]*(\.[0-9]{{0,{dtype.scale}}}0*)?$")
    return text.set(~exact, None).cast(dtype, strict=False)


def _times(text: pl.Series, dtype: pl.Datetime) -> pl.Series:
    whole = pl.when(text.str.len_chars() == 10).then(text + "T00:00:00").otherwise(text.str.replace(" ", "T"))
    moments = pl.select(whole).to_series().str.to_datetime("%Y-%m-%dT%H:%M:%S%.f", strict=False)
    moments = moments.cast(pl.Datetime(dtype.time_unit))
    if dtype.time_zone is None:
        return moments
    return moments.dt.replace_time_zone(dtype.time_zone, ambiguous="null", non_existent="null")
