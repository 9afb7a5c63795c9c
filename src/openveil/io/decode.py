"""Bytes of a binary format to a frame, or one refusal.

Claim. Whatever a reader raises on damaged bytes becomes a `RequestError` that quotes nothing of the file but
column names.

Why it holds. Damaged files make the compiled readers raise Polars errors, system errors, and panics, which are
not even `Exception`s; all three are caught here and their texts dropped.
"""

from __future__ import annotations

from collections.abc import Callable

import polars as pl
from polars.exceptions import DuplicateError, PanicException, PolarsError

from openveil.core.errors import refuse


def decoded(reader: Callable[[bytes], pl.DataFrame], data: bytes, where: str, form: str) -> pl.DataFrame:
    """What `reader` makes of `data`, which should be in the format called `form`."""
    try:
        return reader(data)
    except DuplicateError:
        raise refuse(where, "has two columns of the same name", "Give every column a name of its own") from None
    except (PolarsError, OSError, PanicException):
        raise refuse(where, f"is damaged, or is not {form}", "Export it again, or correct its ending") from None
