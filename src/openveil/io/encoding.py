"""Bytes of any encoding to UTF-8.

Claim. Text that is not in the encoding asked for is refused, with the line and column of the first bad byte and
never the byte. Without a setting: a byte order mark decides, else UTF-8, else Windows-1252, but that last only
where every code page of Windows and ISO for Western Europe, Central Europe and Turkey says the same.

Why it holds. A byte is taken for Windows-1252 only if it is a letter that all these code pages agree on, and
only in runs of at most two that touch an ASCII letter, which text in another alphabet is not made of. Files of
DOS and old Macs are told apart because they keep their common letters where these pages have none; one whose
only special letter is, say, a DOS sharp s would be misread, consistently.

Cost. One pass; nothing is copied when the text is UTF-8 already.
"""

from __future__ import annotations

import codecs

import numpy as np

from openveil.core.errors import RequestError, refuse
from openveil.io.separator import readings
from openveil.io.shape import Layout, line_of

NUL = b"\0"
_UTF_8 = "utf-8"
_WESTERN = "cp1252"
_MARKS = (
    (codecs.BOM_UTF8, _UTF_8),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_PAGES = ("cp1252", "cp1250", "cp1254", "latin-1", "iso8859-2", "iso8859-9", "iso8859-15")
_LONGEST_RUN = 2


def is_known(encoding: str) -> bool:
    """Whether text can be in `encoding`."""
    try:
        "a".encode(encoding)
    except (LookupError, ValueError):
        return False
    return True


def to_utf8(data: bytes, encoding: str | None, where: str) -> bytes:
    """`data` in UTF-8 without a byte order mark; `where` names the file in messages."""
    chosen = encoding or _marked(data) or _unmarked(data)
    text = _decoded(data, chosen, where)
    if NUL in text:
        raise _binary(text, where)
    return text


def _decoded(data: bytes, encoding: str, where: str) -> bytes:
    try:
        if codecs.lookup(encoding).name == _UTF_8:
            _ = data.isascii() or data.decode()
            return data.removeprefix(codecs.BOM_UTF8)
        return data.decode(encoding).removeprefix("\ufeff").encode()
    except UnicodeError as error:
        good = data[: getattr(error, "start", 0)].decode(encoding, "ignore").encode()
        raise (_binary(good, where) if NUL in good else _undecodable(good, encoding, where)) from None


def _marked(data: bytes) -> str | None:
    return next((name for mark, name in _MARKS if data.startswith(mark)), None)


def _unmarked(data: bytes) -> str:
    if data.isascii():
        return _UTF_8
    try:
        data.decode()
    except UnicodeDecodeError:
        return _WESTERN if _reads_alike(data) else _UTF_8
    return _UTF_8


def _reads_alike(data: bytes) -> bool:
    """Whether every code page that is likely reads `data` as the same letters."""
    array = np.frombuffer(b" " + data + b" ", dtype=np.uint8)
    high = np.flatnonzero(array >= 0x80)
    first = high[np.diff(high, prepend=-1) > 1]
    last = high[np.diff(high, append=len(array) + 1) > 1]
    touches = np.isin(array[first - 1], _ASCII_LETTERS) | np.isin(array[last + 1], _ASCII_LETTERS)
    short = last - first < _LONGEST_RUN
    return bool(np.isin(array[high], _AGREED).all() and touches.all() and short.all())


def _agreed() -> list[int]:
    read = {byte: {bytes([byte]).decode(page, "replace") for page in _PAGES} for byte in range(0x80, 0x100)}
    return [byte for byte, letters in read.items() if len(letters) == 1 and next(iter(letters)).isalpha()]


_AGREED = _agreed()
_ASCII_LETTERS = [*range(ord("A"), ord("Z") + 1), *range(ord("a"), ord("z") + 1)]


def _binary(text: bytes, where: str) -> RequestError:
    return refuse(
        f"{where}, line {line_of(text, text.index(NUL))}",
        "holds a NUL byte, which text never has",
        'If it is UTF-16 without a byte order mark, set `encoding` to "utf-16-le"; else export it as text again',
    )


def _undecodable(good: bytes, encoding: str, where: str) -> RequestError:
    """The refusal of a file that reads well up to `good` and no further."""
    others = [name for name in ("utf-8", "cp1252", "latin-1", "utf-16") if name != codecs.lookup(encoding).name]
    return refuse(
        f"{where}, line {line_of(good, len(good))}{_column(good)}",
        f"holds bytes that are not {encoding}",
        f"Set `encoding` to how the file was saved: {', '.join(others)} (Excel on Windows saves cp1252)",
    )


def _column(good: bytes) -> str:
    found = readings(good)
    if len(found) > 1:
        return ""
    layout = Layout.of(good, found[0])
    number = layout.field_of(len(good))
    names = _header(layout)
    known = line_of(good, len(good)) > 1 and number < len(names)
    return f", column {names[number]!r}" if known else f", column number {number + 1}"


def _header(layout: Layout) -> list[str]:
    ends = layout.line_ends
    head = layout.data[: int(ends[0])] if len(ends) else layout.data
    return [name.strip('"\r ') for name in head.decode().split(layout.separator)]
