"""Parquet.

Claim. Reads any flat Parquet file into the common vocabulary (`normalise.py`) and writes one. A file that is
damaged, or is not Parquet, is refused.

Cost. Polars' own reader, over the bytes.
"""

from __future__ import annotations

from io import BytesIO

import polars as pl

from openveil.io.decode import decoded
from openveil.io.normalise import normalised


def read_parquet(data: bytes, where: str) -> pl.DataFrame:
    """The table in a Parquet file's bytes."""
    return normalised(decoded(pl.read_parquet, data, where, "a Parquet file"), where)


def to_parquet(frame: pl.DataFrame, _: str) -> bytes:
    """`frame` as a Parquet file's bytes."""
    file = BytesIO()
    frame.write_parquet(file)
    return file.getvalue()
