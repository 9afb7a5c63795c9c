"""Which character parts the fields, when nobody says.

Claim. One of , ; tab | is chosen only if the first lines leave no second reading: of those in the header, the
only one that gives every line as many fields as the header. If none does, the most frequent in the header, so
that the reader can say which lines break it. If several do, the file is refused and the plan has to say. Where
a blank follows every separator of every line after the header, the blank is part of it. A first line `sep=;`, as
Excel writes it, is the word of whoever wrote the file, not a header. A title above the header is refused.

Cost. The first quarter of a megabyte; all of the file once where a blank follows every separator in that.
"""

from __future__ import annotations

import re

import numpy as np

from openveil.core.errors import refuse
from openveil.io.shape import Layout

CANDIDATES = (",", ";", "\t", "|")
NAMES = {"\t": "a tab", ",": "a comma", ";": "a semicolon", "|": "a bar"}
_SAMPLE = 1 << 18
_LOOKED_AT = 20
_DECLARATION = re.compile(rb'"?sep=([,;\t|])"?\r?\n', re.IGNORECASE)
# What a line without content is made of: spreadsheets fill it up with separators.
_NOTHING = b' ",;\t|'


def detected(data: bytes, where: str) -> str:
    """The separator of `data`; a single column has none, and a comma does no harm."""
    found = readings(data)
    if len(found) > 1:
        raise refuse(
            where,
            "its fields can be told apart in more than one way",
            "Say which is right with `separator`",
            found=" or ".join(NAMES[each] for each in found),
        )
    with_blanks = _with_blanks(data[:_SAMPLE], found[0]) and _with_blanks(data, found[0])
    return found[0] + (" " if with_blanks else "")


def declared(data: bytes, separator: str | None) -> tuple[str, bytes] | None:
    """The separator that a first line `sep=;` declares, and the text below that line; `separator` overrules it."""
    found = _DECLARATION.match(data)
    if found is None:
        return None
    chosen, rest = separator or found[1].decode(), data[found.end() :]
    # A table of one column may have such a name.
    one_column = not rest or header_width(rest, chosen[0]) == 1
    return None if separator and one_column else (chosen, rest)


def refuse_title(data: bytes, separator: str | None, where: str) -> None:
    """Refuse a line of text, and a line of nothing, above what looks like a header."""
    lines = data[:_SAMPLE].splitlines()
    below = next((number for number, line in enumerate(lines[1:], 1) if line.strip(_NOTHING)), 0)
    if below < 2:
        return
    candidates = CANDIDATES if separator is None else (separator[0],)
    if any(
        _filled(lines[0], each) == 1 and _is_table(lines[below : below + _LOOKED_AT], each) for each in candidates
    ):
        raise refuse(
            f"{where}, line 1",
            "seems to be a title, with a blank line below it, not the names of the columns",
            "Remove the lines above the header",
            found=f"the header perhaps in line {below + 1}",
        )


def _is_table(lines: list[bytes], separator: str) -> bool:
    """Whether the lines have several fields, and all of them equally many."""
    widths = {line.count(separator.encode()) for line in lines[:-1] if b'"' not in line}
    return len(widths) == 1 and max(widths) > 0 and _filled(lines[0], separator) > 1


def _filled(line: bytes, separator: str) -> int:
    """How many fields of a line hold something; quotes are not looked at."""
    return sum(bool(field.strip(b' "')) for field in line.split(separator.encode()))


def _with_blanks(data: bytes, separator: str) -> bool:
    """Whether a blank follows every separator below the header."""
    layout = Layout.of(data, separator)
    ends = layout.line_ends
    bytes_ = np.frombuffer(layout.data, dtype=np.uint8)
    found = np.flatnonzero(bytes_[:-1] == ord(separator))
    outside = found[np.searchsorted(layout.quotes, found) % 2 == 0]
    below = outside[outside > ends[0]] if len(ends) else outside[:0]
    return len(below) > 0 and bool((bytes_[below + 1] == ord(" ")).all())


def readings(data: bytes) -> list[str]:
    """The separators that the first lines of `data` allow, best first."""
    widths = {each: _widths(data, each) for each in CANDIDATES}
    present = [each for each in CANDIDATES if widths[each] and widths[each][0] > 1]
    steady = [each for each in present if len(set(widths[each])) == 1]
    return steady or _widest(present, widths) or [","]


def header_width(data: bytes, separator: str) -> int:
    """How many fields the header has (for one longer than the sample: at least how many)."""
    return _widths(data, separator)[0]


def _widest(present: list[str], widths: dict[str, list[int]]) -> list[str]:
    most = max((widths[each][0] for each in present), default=0)
    return [each for each in present if widths[each][0] == most]


def _widths(data: bytes, separator: str) -> list[int]:
    """The fields of each whole record in the sample; blank lines at the end of a file do not count."""
    sample = data[:_SAMPLE]
    counts = [int(width) for width in Layout.of(sample.rstrip(b"\r\n"), separator).widths()[0]]
    cut = len(data) > _SAMPLE and len(counts) > 1
    return counts[:-1] if cut else counts
