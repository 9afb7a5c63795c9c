"""Delimited text: CSV and its relatives.

Claim. Every cell of the file is in the frame, in its row and column, or the file is refused with the line that
is wrong. Nothing is repaired, padded, cut or guessed: a stray quote or carriage return, a row that is too short or
too long, an unknown byte, a blank or repeated header name is an error. Blank lines at the end of a file with several
columns do not count; in a file with one column a blank line is a missing cell.

Why it holds. Polars parses, and what it would let pass is checked: quotes and line ends by `shape.py`, encoding by
`encoding.py`, header names by `normalise.py`. Rows too long it refuses. Rows too short it pads with nulls, so if
the last column has none there is no such row; else separators are counted, which are conserved: the file has as
many as its rows need plus those inside cells, or a row is too short.

Cost. Two to three times a plain Polars read, four to five where every cell is quoted; the looks that find a wrong
line are taken only when one exists.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable
from io import BytesIO

import polars as pl
from polars.exceptions import PolarsError

from openveil.core.errors import RequestError, refuse
from openveil.io.encoding import NUL, to_utf8
from openveil.io.lossless import typed
from openveil.io.marks import blanked
from openveil.io.normalise import check_names
from openveil.io.separator import NAMES, declared, detected, header_width, refuse_title
from openveil.io.shape import QUOTE, Layout, line_of

Naming = Callable[[list[str], str], list[str]]

_SHOWN = 5
_INDEX = "Export without it (index=False / row.names=FALSE), or give it a name and the role identifier"


def read_delimited(
    data: bytes, where: str, *, separator: str | None, encoding: str | None, decimal: str, missing: tuple[str, ...]
) -> pl.DataFrame:
    """The table in a delimited file's bytes: empty cells and `missing` are null, exact numbers and dates typed."""
    texts = read_texts(data, where, separator=separator, encoding=encoding)
    return typed(blanked(texts, ("", *missing)), decimal)


def read_texts(
    data: bytes, where: str, *, separator: str | None, encoding: str | None, naming: Naming | None = None
) -> pl.DataFrame:
    """The cells as text: nothing between separators is null, quoted nothing is the empty string.

    `naming` makes the names of the columns from those in the file; without it a name that is none is refused.
    """
    text = _with_newlines(to_utf8(data, encoding, where))
    if not text or text.isspace():
        raise refuse(where, "is empty", "Export it again, with a header line")
    if text.startswith((b"\n", b"\r\n")):
        raise refuse(f"{where}, line 1", "is blank where the header should be", "Remove the blank lines at the top")
    found = declared(text, separator)
    if found:
        # Lines are counted below the declaration, and messages say so.
        separator, text, where = *found, f"{where}, below its line sep="
    refuse_title(text, separator, where)
    chosen = separator or detected(text, where)
    if len(chosen) > 1:
        text = Layout.of(text, chosen[0]).without_leading_blanks()
    return _parsed(_trimmed(text, chosen[0]), chosen[0], where, naming or _as_named)


def unpacked(data: bytes, where: str) -> bytes:
    """The content of gzip-compressed bytes."""
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error):
        raise refuse(where, "is damaged, or is not a gzip file", "Pack it again, or give the plain file") from None


def to_csv(frame: pl.DataFrame, where: str) -> bytes:
    """`frame` as UTF-8 with commas: null is nothing, the empty string is quoted.

    Where there is one column, nothing would be a blank line, which many readers skip: there null is quoted.

    Labels such as =1+1 are written as they are: a table says what it says, and a spreadsheet must be told that a
    column is text.
    """
    file = BytesIO()
    _refuse_empty_texts(frame, where)
    frame.write_csv(file, null_value='""' if frame.width == 1 else None)
    data = file.getvalue()
    if NUL in data:
        raise refuse(where, "would hold a NUL byte, which delimited text cannot", "Write a .parquet file")
    return data


def _refuse_empty_texts(frame: pl.DataFrame, where: str) -> None:
    """In a file with one column an empty text and a missing cell are written alike."""
    if frame.width == 1 and (empty := int((frame.to_series().cast(pl.String) == "").sum())):
        raise refuse(
            where,
            "would have empty texts in its only column, which delimited text cannot tell from missing cells",
            'Write a .parquet file, or add missing = [""] under [input] so that they count as missing',
            found=f"{empty} of {frame.height} rows",
        )


def _with_newlines(text: bytes) -> bytes:
    """Text of old Macs ends its lines with a carriage return alone."""
    return text if b"\n" in text else text.replace(b"\r", b"\n")


def _trimmed(text: bytes, separator: str) -> bytes:
    """Without blank lines at the end, unless a blank line is a row."""
    if not text.endswith((b"\n\n", b"\n\r\n")) or header_width(text, separator) == 1:
        return text
    return text.rstrip(b"\r\n")


def _parsed(text: bytes, separator: str, where: str, naming: Naming) -> pl.DataFrame:
    _check(Layout.of(text, separator), where)
    try:
        # The header is read as a row, because Polars renames columns whose names repeat.
        rows = pl.read_csv(text, separator=separator, has_header=False, infer_schema=False)
    except PolarsError:
        raise _ragged(text, separator, where) from None
    if _has_short_row(rows, text, separator):
        raise _ragged(text, separator, where)
    names = naming([name or "" for name in rows.row(0)], where)
    check_names(names, where)
    return rows.slice(1).rename(dict(zip(rows.columns, names, strict=True)))


def has_index(names: list[str]) -> bool:
    """Whether the first column, and no other, has no name: what pandas and R export beside a table."""
    return len(names) > 1 and not names[0].strip() and all(name.strip() for name in names[1:])


def _as_named(names: list[str], where: str) -> list[str]:
    if has_index(names):
        raise refuse(f"{where}, column number 1", "has no name: looks like an exported row index", _INDEX)
    return names


def _has_short_row(rows: pl.DataFrame, text: bytes, separator: str) -> bool:
    if not rows.to_series(-1).null_count():
        return False
    needed = (rows.width - 1) * rows.height
    return text.count(separator.encode()) != needed + _separators_within(rows, text, separator)


def _separators_within(rows: pl.DataFrame, text: bytes, separator: str) -> int:
    """How many separators are inside cells; only quotes can put one there."""
    if QUOTE not in text:
        return 0
    return int(rows.select(pl.all().str.count_matches(separator, literal=True).sum()).sum_horizontal().item())


def _check(layout: Layout, where: str) -> None:
    """Refuse the bytes that Polars would drop or keep at its own will."""
    stray = layout.stray_quote() if len(layout.quotes) else None
    if stray is not None:
        raise refuse(
            f"{where}, line {line_of(layout.data, stray)}",
            "has a quote inside a cell that is not quoted, or one that is never closed",
            "Put such cells in quotes and double the quotes inside them, or correct `separator`",
        )
    stray = layout.stray_return()
    if stray is not None:
        raise refuse(
            f"{where}, line {line_of(layout.data, stray)}",
            "has a carriage return inside a line, where some readers end the line and some do not",
            "Put such cells in quotes, or end all lines alike",
        )


def _ragged(text: bytes, separator: str, where: str) -> RequestError:
    widths, starts = Layout.of(text, separator).widths()
    wrong = (widths != widths[0]).nonzero()[0]
    if not len(wrong):
        return refuse(where, "cannot be read as delimited text", "Export it again")
    lines = [f"line {line_of(text, int(starts[row]))} has {widths[row]}" for row in wrong[:_SHOWN]]
    more = ["and so on"] if len(wrong) > _SHOWN else []
    if widths[0] > 1 and (widths[1:] == widths[0] + 1).all():
        what = "has one field more in every row than in the header: looks like an exported row index"
        return refuse(where, what, _INDEX)
    return refuse(
        where,
        f"has rows with fewer or more fields than the header, which has {widths[0]}",
        f"Correct these lines, or set `separator` if it is not {NAMES.get(separator, repr(separator))}",
        found=f"{len(wrong)} of {len(widths) - 1} rows: {', '.join(lines + more)}",
    )
