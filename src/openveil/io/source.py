"""Where a table is and how it was written."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from openveil.core.errors import Problem, RequestError
from openveil.io.encoding import is_known


@dataclass(frozen=True)
class Source:
    """A file and how to read it; what is None is detected.

    `separator` is one character, or one character and a blank (", ") for files that put blanks after it, which
    are then dropped. `missing` are the spellings, besides the empty cell, that mean 'not known'.
    """

    path: Path
    separator: str | None = None
    encoding: str | None = None
    decimal: str = "."
    missing: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        checks = (
            (self.separator is None or _parts_fields(self.separator), _SEPARATOR, self.separator),
            (self.encoding is None or is_known(self.encoding), _ENCODING, self.encoding),
            (self.decimal in {".", ","}, _DECIMAL, self.decimal),
        )
        problems = [Problem(*rule, repr(found)) for sound, rule, found in checks if not sound]
        if problems:
            raise RequestError(problems)


_SEPARATOR = ("separator", "has to be one character, alone or with a blank after it", 'Use one such as "," or ";"')
_ENCODING = ("encoding", "is not known", 'Use one such as "utf-8", "cp1252" or "utf-16"')
_DECIMAL = ("decimal", "has to be a point or a comma", 'Use "." or ","')


def _parts_fields(separator: str) -> bool:
    first, rest = separator[:1], separator[1:]
    plain = (first.isprintable() and not first.isalnum()) or first == "\t"
    return first.isascii() and plain and first not in {"", '"', "\n", "\r", " "} and rest in {"", " "}
