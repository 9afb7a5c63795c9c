"""One vocabulary of columns, whatever they came from.

Claim. Afterwards every column is text, a number, a date or a time; names are distinct and not blank; missing is
null. Booleans become "true" and "false", categories their text, not-a-number null. Anything else (lists,
structs, bytes, durations, Python objects) is refused by name, all columns at once.

Why it holds. Types are admitted by a list, so a type that Polars learns tomorrow is refused until someone thinks
about it.

Cost. One cast for each column that changes; other columns are not copied.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
import polars.selectors as cs

from openveil.core.errors import Problem, RequestError

_TEXT = (pl.String, pl.Categorical, pl.Enum, pl.Boolean, pl.Null)
_TIMES = (pl.Date, pl.Datetime, pl.Time)


def normalised(frame: pl.DataFrame, where: str) -> pl.DataFrame:
    """`frame` in the vocabulary above."""
    check_names(frame.columns, where)
    problems = [_foreign(where, name, kind) for name, kind in frame.schema.items() if not _is_known(kind)]
    if problems:
        raise RequestError(problems)
    return frame.with_columns(cs.by_dtype(*_TEXT).cast(pl.String), cs.float().fill_nan(None))


def blanked(frame: pl.DataFrame, missing: Sequence[str]) -> pl.DataFrame:
    """`frame` with null for every text cell that, without the blanks around it, is one of `missing`."""
    if not missing:
        return frame
    text = cs.string()
    return frame.with_columns(pl.when(~text.str.strip_chars().is_in(missing)).then(text))


def check_names(names: Sequence[object], where: str) -> None:
    """Refuse names that are not text, blank or not distinct, all at once; positions count from 1."""
    problems = [_nameless(where, place, name) for place, name in enumerate(names, 1) if not _is_name(name)]
    repeated = sorted({name for name in names if isinstance(name, str) and _is_name(name) and names.count(name) > 1})
    problems += [_repeated(where, names, name) for name in repeated]
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


def _foreign(where: str, name: str, kind: pl.DataType) -> Problem:
    return Problem(
        f"{where}, column {name!r}",
        "has a type that cannot be published",
        "Turn it into text, numbers or dates, split it into plain columns, or leave it out",
        str(kind.base_type()),
    )
