"""What a report lists of a release: its parts, the level of each attribute, and what became of the rows.

Claim. Each is a frozen value with its own words; nothing is said here about whether a promise is kept.

Cost. None to speak of.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from openveil.core.registry import Status
from openveil.report.wording import counted, listed, percent, printable, whole

K_ANONYMITY = "k-anonymity"

_MOST_CUTS = 24
_STATUS = {
    Status.PROVED: "what it claims is proved",
    Status.MEASURED: "what it claims is measured, not proved",
    Status.KNOWN_UNSAFE: "known to be unsafe",
}


@dataclass(frozen=True, slots=True)
class Part:
    """A privacy model or a method: its name, its parameters, what is known of it and where it comes from."""

    kind: str
    name: str
    parameters: Mapping[str, Any]
    status: Status
    source: str

    @staticmethod
    def of(kind: str, chosen: Mapping[str, Any]) -> Part:
        """The part as a certificate writes it."""
        return Part(kind, chosen["name"], chosen["parameters"], Status(chosen["status"]), chosen["source"])

    @property
    def values(self) -> str:
        """The parameters in a row: `k = 5`."""
        return ", ".join(printable(f"{key} = {_value(value)}") for key, value in self.parameters.items())

    @property
    def words(self) -> str:
        """Name and parameters."""
        return f"{self.name}, {self.values}" if self.parameters else self.name

    @property
    def known(self) -> str:
        """What is known of it, and the source."""
        return f"{_STATUS[self.status]} ({self.source})"

    @property
    def k(self) -> int | None:
        """The k of k-anonymity; other models have none."""
        return int(self.parameters["k"]) if self.name == K_ANONYMITY else None


@dataclass(frozen=True, slots=True)
class Level:
    """How far one attribute is generalised: `level` steps of `height`."""

    name: str
    level: int
    height: int

    @property
    def label(self) -> str:
        """The name of the attribute."""
        return listed((self.name,))

    @property
    def steps(self) -> str:
        """The level, of the height."""
        return f"{self.level} of {self.height}"

    @property
    def words(self) -> str:
        """What the level means."""
        if self.level == 0:
            return "as it was"
        return "not shown" if self.level >= self.height else "made coarser"

    @property
    def share(self) -> Fraction:
        """The share of the hierarchy that was climbed."""
        return min(Fraction(1), Fraction(self.level, self.height)) if self.height else Fraction(0)

    @property
    def cuts(self) -> tuple[Fraction, ...]:
        """Where one step ends and the next begins; none where there are too many to tell apart."""
        inner = range(1, self.height) if self.height <= _MOST_CUTS else ()
        return tuple(Fraction(step, self.height) for step in inner)


@dataclass(frozen=True, slots=True)
class Rows:
    """How many rows were read, published, and suppressed; `blank` of the suppressed ones are kept as `*`."""

    original: int
    published: int
    suppressed: int
    blank: int

    @property
    def share(self) -> str:
        """The suppressed rows and their share."""
        return f"{whole(self.suppressed)} ({percent(Fraction(self.suppressed, max(1, self.original)))})"

    @property
    def words(self) -> str:
        """How many rows the table has."""
        return f"{counted(self.published, 'row', 'rows')}, made from {whole(self.original)} original rows"

    @property
    def lost(self) -> str:
        """What happened to the suppressed rows."""
        if not self.suppressed:
            return f"No row was left out: 0 of {whole(self.original)}"
        share = percent(Fraction(self.suppressed, max(1, self.original)))
        return f"{whole(self.suppressed)} of {whole(self.original)} rows ({share}) were {self.fate}"

    @property
    def fate(self) -> str:
        """What was done with suppressed rows."""
        return "kept without their characteristics (shown as *)" if self.blank else "left out"


def _value(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
