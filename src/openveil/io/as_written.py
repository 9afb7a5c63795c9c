"""A table as it is written, whoever wrote it: every cell a text, nothing repaired.

Claim. `read_as_written` gives the cells of a file as texts. A first column without a name, which pandas and R export
beside a table, is there under the name `INDEX` and not refused: what is wrong with a release is for the audit to say.
`as_written` gives the cells of a frame as texts.

Cost. As reading the file; one cast a column that is not text.
"""

from __future__ import annotations

import polars as pl

from openveil.core.errors import refuse
from openveil.io.delimited import has_index, read_texts, unpacked
from openveil.io.read import Source, read
from openveil.io.storage import contents

INDEX = "(column without a name)"
_PACKED = ".csv.gz"
_TEXTS = (".csv", ".tsv", ".txt", _PACKED)


def read_as_written(source: Source) -> pl.DataFrame:
    """The cells of the file that `source` names, as texts; an empty cell is null."""
    where, name = str(source.path), source.path.name.lower()
    if not name.endswith(_TEXTS):
        return as_written(read(source))
    data = contents(source.path)
    packed = unpacked(data, where) if name.endswith(_PACKED) else data
    separator = source.separator or ("\t" if name.endswith(".tsv") else None)
    texts = read_texts(packed, where, separator=separator, encoding=source.encoding, naming=_with_index)
    return texts.with_columns(pl.all().replace("", None))


def as_written(frame: pl.DataFrame) -> pl.DataFrame:
    """The cells of a frame as texts."""
    return frame.with_columns(pl.all().cast(pl.String))


def _with_index(names: list[str], where: str) -> list[str]:
    if not has_index(names):
        return names
    if INDEX in names:
        raise refuse(f"{where}, column number 1", "has no name", "Give every column a name of its own")
    return [INDEX, *names[1:]]
