"""One vocabulary of columns, whatever they came from.

Claim. Afterwards every column is text, a number, a date or a time; names are distinct and not blank; missing is
null. Booleans become "true" and "false", categories their text, not-a-number null. Anything else (lists,
structs, bytes, durations, Python objects) is refused by name, all columns at once; so are dates outside the years
1 to 9999, which nobody could write or read.

Why it holds. Types are admitted by a list, so a type that Polars learns tomorrow is refused until someone thinks
about it.

Cost. One cast for each column that changes; other columns are not copied.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

import polars as pl
import polars.selectors as cs

from openveil.core.errors import Problem, RequestError

_TEXT = (pl.String, pl.Categorical, pl.Enum, pl.Boolean, pl.Null)
_TIMES = (pl.Date, pl.Datetime, pl.Time)
_MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"
_EPOCH = date(1970, 1, 1)
_FIRST, _LAST = (date.min - _EPOCH).days, (date.max - _EPOCH).days
_TICKS_A_DAY = {"ms": 86_400 * 10**3, "us": 86_400 * 10**6, "ns": 86_400 * 10**9}


def normalised(frame: pl.DataFrame, where: str) -> pl.DataFrame:
    """`frame` in the vocabulary above."""
    check_names(frame.columns, where)
    problems = [_foreign(where, name, kind) for name, kind in frame.schema.items() if not _is_known(kind)]
    problems += [problem for name in frame.columns for problem in _far_dates(where, frame[name])]
    if problems:
        raise RequestError(problems)
    return frame.with_columns(cs.by_dtype(*_TEXT).cast(pl.String), cs.float().fill_nan(None))


def check_names(names: Sequence[object], where: str) -> None:
    """Refuse names that are not text, blank or not distinct, all at once; positions count from 1."""
    problems = [_nameless(where, place, name) for place, name in enumerate(names, 1) if not _is_name(name)]
    repeated = sorted({name for name in names if isinstance(name, str) and _is_name(name) and names.count(name) > 1})
    problems += [_repeated(where, names, name) for name in repeated]
    problems += [_marked(where, place) for place, name in enumerate(names, 1) if str(name).startswith(_MARK)]
    problems += [_pattern(where, name) for name in names if isinstance(name, str) and _is_pattern(name)]
    if problems:
        raise RequestError(problems)


def _is_known(kind: pl.DataType) -> bool:
    return kind.is_numeric() or kind in _TEXT or kind in _TIMES


def _is_name(name: object) -> bool:
    return isinstance(name, str) and bool(name.strip())


def _is_pattern(name: str) -> bool:
    """Whether Polars would take the name for several columns."""
    return name == "*" or (name.startswith("^") and name.endswith("$"))


def _pattern(where: str, name: str) -> Problem:
    what = "has a name that stands for several columns where tables are computed"
    return Problem(f"{where}, column {name!r}", what, "Rename it: not `*`, and not from `^` to `$`")


def _nameless(where: str, place: int, name: object) -> Problem:
    what = "has no name" if isinstance(name, str) else "has a name that is not text"
    return Problem(f"{where}, column number {place}", what, "Give every column a name of its own")


def _repeated(where: str, names: Sequence[object], name: str) -> Problem:
    places = ", ".join(str(place) for place, each in enumerate(names, 1) if each == name)
    return Problem(
        f"{where}, column {name!r}",
        "has the name of another column",
        "Give every column a name of its own",
        f"columns number {places}",
    )


def _far_dates(where: str, column: pl.Series) -> Iterator[Problem]:
    """Dates of no year from 1 to 9999; those of a time zone a day less, as the zone may move them."""
    kind = column.dtype
    if kind not in (pl.Date, pl.Datetime):
        return
    ticks, margin = 1, 0
    if isinstance(kind, pl.Datetime):
        ticks, margin = _TICKS_A_DAY[kind.time_unit], int(kind.time_zone is not None)
    days = column.to_physical() // ticks
    far = column.len() - column.null_count() - int(days.is_between(_FIRST + margin, _LAST - margin).sum())
    if far:
        what = "has dates before the year 1 or after the year 9999"
        yield Problem(f"{where}, column {column.name!r}", what, "Correct or empty these cells", f"{far} of them")


def _marked(where: str, place: int) -> Problem:
    what = "has a name that begins with a byte order mark, which no reader shows"
    return Problem(f"{where}, column number {place}", what, "Rename it, or save the file as UTF-8 again")


def _foreign(where: str, name: str, kind: pl.DataType) -> Problem:
    return Problem(
        f"{where}, column {name!r}",
        "has a type that cannot be published",
        "Turn it into text, numbers or dates, split it into plain columns, or leave it out",
        str(kind.base_type()),
    )
