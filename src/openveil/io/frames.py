"""Data frames of other libraries in, and back.

Claim. `take` accepts a pandas, Polars (eager or lazy) or PyArrow table and gives it in the common vocabulary
(`normalise.py`), with a function that turns a frame back into the same kind, its columns in the types they had
(`types_again.py`). The input is never changed; a pandas index is never read and never comes back.

Why it holds. Narwhals converts by column and by value; results are new objects. The way back remembers types, and no
rows. pandas and PyArrow are imported only by a caller who has one of their frames in hand.

Cost. One copy; none for Polars.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import polars as pl
from narwhals import dependencies
from polars.exceptions import PanicException, PolarsError

from openveil.core.errors import Problem, RequestError, refuse
from openveil.io.normalise import check_names, normalised
from openveil.io.types_again import Types, as_arrow, as_pandas, with_flags

WHERE = "the data frame"
# What pandas, Arrow and Polars raise on a column they cannot convert; Arrow's own errors derive from these.
_UNREADABLE = (PolarsError, TypeError, ValueError, NotImplementedError, OverflowError, PanicException)
_FAILED = Problem(WHERE, "cannot be evaluated", "Evaluate it by itself to see what is wrong with it")

Back = Callable[[pl.DataFrame], object]


@dataclass(frozen=True)
class Kind:
    """A library's frame: how to know one, its column names and their types there, and the way back to it."""

    knows: Callable[[Any], bool]
    names: Callable[[Any], Sequence[object]]
    types: Callable[[Any], Types]
    back: Callable[[pl.DataFrame, Types, pl.Schema], object]


def take(native: object) -> tuple[pl.DataFrame, Back]:
    """`native` as a Polars frame in the common vocabulary, and the way back to its own kind."""
    kind = next((kind for kind in _KINDS if kind.knows(native)), None)
    if kind is None:
        raise refuse(
            WHERE,
            "is of a kind that is not known",
            "Give a pandas, Polars or PyArrow table",
            found=type(native).__name__,
        )
    check_names(kind.names(native), WHERE)
    converted = _converted(native)
    return normalised(converted, WHERE), _way_back(kind, kind.types(native), converted.schema)


def _way_back(kind: Kind, types: Types, read: pl.Schema) -> Back:
    return lambda frame: kind.back(with_flags(frame, read), types, read)


def _converted(native: Any) -> pl.DataFrame:
    frame = nw.from_native(native)
    try:
        return _whole(frame)
    except _UNREADABLE:
        raise _unreadable(frame) from None


def _whole(frame: nw.DataFrame[Any] | nw.LazyFrame[Any]) -> pl.DataFrame:
    return (frame.collect() if isinstance(frame, nw.LazyFrame) else frame).to_polars()


def _unreadable(frame: nw.DataFrame[Any] | nw.LazyFrame[Any]) -> RequestError:
    """Which columns cannot be converted, found by trying each alone; a lazy frame fails as a whole."""
    names = frame.columns if isinstance(frame, nw.DataFrame) else []
    problems = [_mixed(name) for name in names if not _converts(frame, name)]
    return RequestError(problems or [_FAILED])


def _converts(frame: nw.DataFrame[Any] | nw.LazyFrame[Any], name: str) -> bool:
    try:
        _whole(frame.select(name))
    except _UNREADABLE:
        return False
    return True


def _mixed(name: str) -> Problem:
    return Problem(
        f"{WHERE}, column {name!r}",
        "has cells of mixed or unknown types",
        "Make all cells of the column text, numbers or dates",
    )


def _untyped(_: Any) -> Types:
    """A frame of Polars says its own types."""
    return {}


def _pandas_types(native: Any) -> Types:
    return dict(native.dtypes)


def _arrow_types(native: Any) -> Types:
    return dict(zip(native.column_names, native.schema.types, strict=True))


_KINDS = (
    Kind(dependencies.is_polars_dataframe, lambda native: native.columns, _untyped, lambda frame, *_: frame),
    # A lazy frame's names are distinct by construction, and asking for them runs part of its query.
    Kind(dependencies.is_polars_lazyframe, lambda _: (), _untyped, lambda frame, *_: frame.lazy()),
    Kind(dependencies.is_pandas_dataframe, lambda native: list(native.columns), _pandas_types, as_pandas),
    Kind(dependencies.is_pyarrow_table, lambda native: native.column_names, _arrow_types, as_arrow),
)
