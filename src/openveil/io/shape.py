"""Where the records and fields of delimited text begin and end, from its bytes alone.

Claim. Gives the fields of each record, the first quote that stands where RFC 4180 has none, and the line a byte
is on. It never looks at what a cell says.

Why it holds. A byte is inside quotes when an odd number of quotes comes before it; a doubled quote closes and
opens again, which changes nothing. A quote may only open after a separator or a line end, and only close before
one, so text with no stray quote has exactly one reading.

Cost. A few vectorised passes over the bytes. The reader asks for them only when the text has quotes, or to say
where a broken file is broken.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

NEWLINE, RETURN, BLANK, QUOTE = b"\n", b"\r", b" ", b'"'
Positions = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Layout:
    """Delimited text as bytes in an encoding that extends ASCII, and where its quotes are."""

    data: bytes
    separator: str
    quotes: Positions

    @staticmethod
    def of(data: bytes, separator: str) -> Layout:
        """The layout of `data`, whose fields are parted by `separator`."""
        return Layout(data, separator, _positions(data, QUOTE))

    @property
    def line_ends(self) -> Positions:
        """The newlines that end a record."""
        return self._outside(NEWLINE)

    def widths(self) -> tuple[Positions, Positions]:
        """How many fields each record has, and the byte it starts at."""
        ends = self.line_ends
        starts = np.concatenate([[0], ends + 1])
        starts = starts[starts < len(self.data)]
        before = np.searchsorted(self._outside(self.separator.encode()), starts)
        total = len(self._outside(self.separator.encode()))
        return np.diff(before, append=total).astype(np.int64) + 1, starts

    def stray_quote(self) -> int | None:
        """The first quote that neither opens nor closes a field, or opens one that is never closed."""
        opening, closing = self.quotes[0::2], self.quotes[1::2]
        edges = [ord(self.separator), *NEWLINE, *QUOTE]
        wrong = np.concatenate(
            [
                opening[~np.isin(self._bytes_at(opening - 1), edges)],
                closing[~np.isin(self._bytes_at(closing + 1), [*edges, *RETURN])],
                opening[len(closing) :],
            ]
        )
        return int(wrong.min()) if len(wrong) else None

    def stray_return(self) -> int | None:
        """The first carriage return outside quotes that no newline follows."""
        if self.data.count(RETURN) == self.data.count(RETURN + NEWLINE):
            return None
        padded = np.frombuffer(self.data + BLANK, dtype=np.uint8)
        found = self._outside(RETURN)
        wrong = found[padded[found + 1] != ord(NEWLINE)]
        return int(wrong[0]) if len(wrong) else None

    def field_of(self, offset: int) -> int:
        """The number, from 0, of the field that the byte at `offset` is in."""
        ends = self.line_ends
        start = int(ends[ends < offset][-1]) if (ends < offset).any() else -1
        separators = self._outside(self.separator.encode())
        return int(((separators > start) & (separators < offset)).sum())

    def without_leading_blanks(self) -> bytes:
        """The text without the blanks that follow a separator or a line end outside quotes."""
        data = np.frombuffer(self.data, dtype=np.uint8)
        blanks = self._outside(BLANK)
        heads = np.flatnonzero(np.diff(blanks, prepend=-2) > 1)
        lengths = np.diff(heads, append=len(blanks))
        leading = np.isin(self._bytes_at(blanks[heads] - 1), [ord(self.separator), *NEWLINE])
        return bytes(np.delete(data, blanks[np.repeat(leading, lengths)]))

    def _outside(self, byte: bytes) -> Positions:
        found = _positions(self.data, byte)
        inside: NDArray[np.bool_] = np.searchsorted(self.quotes, found) % 2 == 1
        return found[~inside]

    def _bytes_at(self, offsets: Positions) -> NDArray[np.uint8]:
        """The bytes at `offsets`; a newline before the first and after the last."""
        data = np.frombuffer(self.data, dtype=np.uint8)
        inside = (offsets >= 0) & (offsets < len(data))
        found = np.full(len(offsets), ord(NEWLINE), dtype=np.uint8)
        found[inside] = data[offsets[inside]]
        return found


def line_of(data: bytes, offset: int) -> int:
    """The line, from 1, that the byte at `offset` is on."""
    return data.count(NEWLINE, 0, offset) + 1


def _positions(data: bytes, byte: bytes) -> Positions:
    if byte not in data:
        return np.empty(0, dtype=np.int64)
    return np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == ord(byte))
