"""Spellings that mean 'not known', in columns of every type.

Claim. Afterwards no cell says what one of the marks says. In a text column that is the mark itself, whatever blanks
are around it in the cell. In a column of numbers, dates or times it is what the mark reads as in the type of the
column: -9 is -9.0 among decimals, and 1900-01-01 the first moment of that day among times. A mark that does not read
as the type of a column can be no cell of it.

Why it holds. Marks are read strictly: as the whole of a number, or as an ISO date or time. Of a time zone a mark is
the time that a clock there shows.

Cost. One comparison of every cell with a few values; columns that can have none of the marks are not copied.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import polars as pl

_DAY, _CLOCK = "%Y-%m-%d", "%H:%M:%S%.f"
_MOMENTS = (f"{_DAY} {_CLOCK}", f"{_DAY}T{_CLOCK}")
_MIDNIGHT = " 00:00:00"


def blanked(frame: pl.DataFrame, missing: Sequence[str]) -> pl.DataFrame:
    """`frame` with null for every cell that says one of `missing`."""
    return frame.with_columns(_blanking(frame.schema, pl.Series(missing, dtype=pl.String)))


def _blanking(schema: pl.Schema, marks: pl.Series) -> Iterator[pl.Expr]:
    for name, dtype in schema.items():
        values = _read_as(marks, dtype).drop_nulls()
        if len(values):
            cell = pl.col(name)
            said = cell.str.strip_chars() if dtype == pl.String else cell
            yield pl.when(~said.is_in(values.implode())).then(cell)


def _read_as(marks: pl.Series, dtype: pl.DataType) -> pl.Series:
    """What the marks read as in a column of that type; null where they do not."""
    reader = next((_READERS[kind] for kind in _READERS if dtype == kind), None)
    return marks.cast(dtype, strict=False) if reader is None else reader(marks, dtype)


def _moments(marks: pl.Series, dtype: Any) -> pl.Series:
    spelled = [marks, marks, marks + _MIDNIGHT]
    formats = [*_MOMENTS, _MOMENTS[0]]
    found = [
        each.str.to_datetime(form, time_unit=dtype.time_unit, strict=False)
        for each, form in zip(spelled, formats, strict=True)
    ]
    local = pl.concat(found)
    if dtype.time_zone is None:
        return local
    return local.dt.replace_time_zone(dtype.time_zone, ambiguous="null", non_existent="null")


_READERS: Mapping[Any, Callable[[pl.Series, pl.DataType], pl.Series]] = MappingProxyType(
    {
        pl.String: lambda marks, _: marks,
        pl.Date: lambda marks, _: marks.str.to_date(_DAY, strict=False),
        pl.Time: lambda marks, _: marks.str.to_time(_CLOCK, strict=False),
        pl.Datetime: _moments,
    }
)
