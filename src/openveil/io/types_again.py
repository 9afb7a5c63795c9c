"""Published columns in the types they came in.

Claim. A column that shows values of the table, and not labels in their place, has the type it came in; a column that
shows labels is text. No value changes on the way: whole numbers with missing cells never become floats. Categories
are those that are published and no others, in their own order if they have one: the categories of a column also name
what only suppressed rows have, and often in the order of the rows. Categories of Polars stay text, because Polars
remembers them for the whole program.

Why it holds. A column shows values if its type is still the one it was read as. Values travel through Arrow, which
has missing cells for every type.

Cost. A conversion a column; one Python object a cell where pandas had Python objects.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import polars as pl

if TYPE_CHECKING:
    import pandas as pd

_TEXTS = (pl.String, pl.Categorical, pl.Enum, pl.Null)
_TRUTH = ["true", "false"]
Types = Mapping[str, Any]


def with_flags(frame: pl.DataFrame, read: pl.Schema) -> pl.DataFrame:
    """`frame` with true and false for columns that were read as such and show nothing else."""
    flags = [name for name in frame.columns if read.get(name) == pl.Boolean and _shows_flags(frame[name])]
    return frame.with_columns(pl.col(flags) == "true") if flags else frame


def as_pandas(frame: pl.DataFrame, types: Types, read: pl.Schema) -> pd.DataFrame:
    """`frame` for pandas; `types` are those its columns had there, `read` those they were read as."""
    import pandas as pd

    return pd.DataFrame(
        {
            column.name: _series(column, types[column.name]) if _shows_values(column, read) else _plain(column)
            for column in frame
        }
    )


def as_arrow(frame: pl.DataFrame, types: Types, read: pl.Schema) -> Any:
    """`frame` for PyArrow; as `as_pandas`."""
    table = frame.to_arrow()
    for number, column in enumerate(frame):
        if _shows_values(column, read):
            table = table.set_column(number, column.name, _cast(table.column(number), types[column.name]))
    return table


def _cast(column: Any, dtype: Any) -> Any:
    """The column in that type; as it is where PyArrow knows no way, as to dictionaries of numbers."""
    from pyarrow import ArrowNotImplementedError  # type: ignore[import-untyped]

    try:
        return column.cast(dtype)
    except ArrowNotImplementedError:
        return column


def _shows_flags(column: pl.Series) -> bool:
    return column.dtype == pl.String and bool(column.drop_nulls().is_in(_TRUTH).all())


def _shows_values(column: pl.Series, read: pl.Schema) -> bool:
    dtype = read.get(column.name)
    return column.dtype == dtype or (column.dtype == pl.String and dtype in _TEXTS)


def _plain(column: pl.Series) -> pd.Series[Any]:
    """As Polars gives it, but whole numbers stay whole when cells are missing."""
    import pandas as pd

    if column.dtype.is_integer() and column.null_count():
        return _series(column, pd.api.types.pandas_dtype(str(column.dtype)))
    return column.to_pandas()


def _series(column: pl.Series, dtype: Any) -> pd.Series[Any]:
    import pandas as pd

    if isinstance(dtype, pd.CategoricalDtype):
        return _categories(column, dtype)
    if pd.api.types.is_object_dtype(dtype):
        # A list has the dates and decimals themselves; of times it would lose the nanoseconds.
        return column.to_pandas().astype(object) if column.dtype == pl.Datetime else _objects(column)
    if hasattr(dtype, "__from_arrow__"):
        return pd.Series(dtype.__from_arrow__(column.to_arrow()))
    has_no_missing = column.dtype.is_integer() or column.dtype == pl.Boolean
    return _plain(column) if has_no_missing and column.null_count() else column.to_pandas().astype(dtype)


def _objects(column: pl.Series) -> pd.Series[Any]:
    import pandas as pd

    return pd.Series(column.to_list(), dtype=object)


def _categories(column: pl.Series, dtype: pd.CategoricalDtype) -> pd.Series[Any]:
    """The published categories; text if a label is none of them."""
    import pandas as pd

    values = _series(column, dtype.categories.dtype)
    known = values.dropna()
    if not known.isin(dtype.categories).all():
        return values
    known = known.astype(dtype.categories.dtype)
    shown = dtype.categories[dtype.categories.isin(known)]
    held = pd.Categorical(known, shown if dtype.ordered else shown.sort_values(), ordered=dtype.ordered)
    return pd.Series(held, index=known.index).reindex(values.index)
