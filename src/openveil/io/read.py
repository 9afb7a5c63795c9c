"""A file to a table, by its ending.

Claim. `read` gives every cell of the file in the common vocabulary, or one `RequestError` that says what is
wrong with the file and the way out, and never shows a cell. A setting that a format has no use for is refused,
not ignored.

Cost. The file once in memory, and the format's own reader.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

import polars as pl

from openveil.core.errors import refuse
from openveil.io.arrow import read_arrow
from openveil.io.delimited import read_delimited, unpacked
from openveil.io.marks import blanked
from openveil.io.parquet import read_parquet
from openveil.io.source import Source
from openveil.io.storage import contents

__all__ = ["ENDINGS", "Source", "read"]

Reader = Callable[[bytes, Source], pl.DataFrame]


def read(source: Source) -> pl.DataFrame:
    """The table in the file that `source` names."""
    name = source.path.name.lower()
    reader = next((ENDINGS[ending] for ending in ENDINGS if name.endswith(ending)), None)
    if reader is None:
        raise refuse(
            str(source.path),
            "has an ending that is not known",
            f"Convert it to one of {', '.join(ENDINGS)}",
            found=source.path.suffix or "no ending",
        )
    return reader(contents(source.path), source)


def _plain(data: bytes, source: Source) -> pl.DataFrame:
    return read_delimited(
        data,
        str(source.path),
        separator=source.separator,
        encoding=source.encoding,
        decimal=source.decimal,
        missing=source.missing,
    )


def _tabbed(data: bytes, source: Source) -> pl.DataFrame:
    return _plain(data, replace(source, separator=source.separator or "\t"))


def _packed(data: bytes, source: Source) -> pl.DataFrame:
    return _plain(unpacked(data, str(source.path)), source)


def _binary(decode: Callable[[bytes, str], pl.DataFrame]) -> Reader:
    def reader(data: bytes, source: Source) -> pl.DataFrame:
        _check_unused(source)
        return blanked(decode(data, str(source.path)), source.missing)

    return reader


def _check_unused(source: Source) -> None:
    settings = {
        "separator": source.separator is not None,
        "encoding": source.encoding is not None,
        "decimal": source.decimal != ".",
    }
    useless = [name for name, given in settings.items() if given]
    if useless:
        raise refuse(
            str(source.path),
            "is of a format that says itself how it was written",
            "Leave these settings out",
            found=", ".join(f"`{name}`" for name in useless),
        )


ENDINGS: Mapping[str, Reader] = MappingProxyType(
    {
        ".csv": _plain,
        ".tsv": _tabbed,
        ".txt": _plain,
        ".csv.gz": _packed,
        ".parquet": _binary(read_parquet),
        ".arrow": _binary(read_arrow),
        ".feather": _binary(read_arrow),
    }
)
