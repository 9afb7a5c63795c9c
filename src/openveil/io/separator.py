"""Which character parts the fields, when nobody says.

Claim. One of , ; tab | is chosen only if the first lines leave no second reading: of those in the header, the
only one that gives every line as many fields as the header. If none does, the most frequent in the header, so
that the reader can say which lines break it. If several do, the file is refused and the plan has to say.

Cost. The first quarter of a megabyte.
"""

from __future__ import annotations

from openveil.core.errors import refuse
from openveil.io.shape import Layout

CANDIDATES = (",", ";", "\t", "|")
NAMES = {"\t": "a tab", ",": "a comma", ";": "a semicolon", "|": "a bar"}
_SAMPLE = 1 << 18


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
    return found[0]


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
