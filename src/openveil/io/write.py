"""A table to a file, and back as a reader will see it.

Claim. `write` puts the whole file on the disk or nothing. `read_published` gives back what the file says and
remembers nothing of how it was written: a CSV comes back as text, null and the empty string told apart.

Why it holds. The writer quotes an empty string and leaves a null bare, and the reader tells these apart; of a single
column, which would be a blank line, it quotes a null and refuses an empty string. The reader starts from the bytes on
the disk.

Cost. One copy of the file in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

import polars as pl

from openveil.core.errors import refuse
from openveil.io.arrow import read_arrow, to_arrow
from openveil.io.delimited import read_texts, to_csv
from openveil.io.normalise import check_names
from openveil.io.parquet import read_parquet, to_parquet
from openveil.io.storage import contents, store

Codec = TypeVar("Codec")


def write(frame: pl.DataFrame, path: Path) -> None:
    """Put `frame` at `path`, in the format of its ending."""
    encode = _of(path, _WRITERS)
    if not frame.width:
        raise refuse(str(path), "would have no columns", "Keep at least one column")
    check_names(frame.columns, str(path))
    store(encode(frame, str(path)), path)


def check_ending(path: Path) -> None:
    """Refuse a path that `write` would refuse for its ending."""
    _of(path, _WRITERS)


def read_published(path: Path) -> pl.DataFrame:
    """The table in a file that `write` made, as a reader sees it."""
    return _of(path, _READERS)(contents(path), str(path))


def _of(path: Path, codecs: Mapping[str, Codec]) -> Codec:
    found = codecs.get(path.suffix.lower())
    if found is None:
        raise refuse(
            str(path),
            "has an ending that no table is published in",
            f"Use one of {', '.join(codecs)}",
            found=path.suffix or "no ending",
        )
    return found


def _cells(data: bytes, where: str) -> pl.DataFrame:
    texts = read_texts(data, where, separator=",", encoding="utf-8")
    return texts.select(pl.all().replace({"": None})) if texts.width == 1 else texts


_WRITERS: Mapping[str, Callable[[pl.DataFrame, str], bytes]] = MappingProxyType(
    {".csv": to_csv, ".parquet": to_parquet, ".arrow": to_arrow}
)
_READERS: Mapping[str, Callable[[bytes, str], pl.DataFrame]] = MappingProxyType(
    {".csv": _cells, ".parquet": read_parquet, ".arrow": read_arrow}
)
