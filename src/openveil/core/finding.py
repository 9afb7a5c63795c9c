"""One measured statement about a release."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

Number = int | float | Fraction
# The name of a finding and what it is on. A part declares in `says` those that it may come to.
Key = tuple[str, str]


class Verdict(StrEnum):
    """What a measurement says of a promise; INFORMS promises nothing."""

    HOLDS = "holds"
    FAILS = "fails"
    UNDECIDED = "undecided"
    INFORMS = "informs"


@dataclass(frozen=True, slots=True)
class Finding:
    """What was measured, on what, its value and interval, the limit it was held against, and the verdict."""

    name: str
    on: str
    value: Number
    verdict: Verdict = Verdict.INFORMS
    limit: Number | None = None
    interval: tuple[Number, Number] | None = None
    note: str = ""

    def as_json(self) -> dict[str, object]:
        """The finding as plain values; fractions keep their exact form beside the decimal one."""
        plain: dict[str, object] = {"name": self.name, "on": self.on, "value": _plain(self.value)}
        if isinstance(self.value, Fraction):
            plain["exact"] = f"{self.value.numerator}/{self.value.denominator}"
        if self.limit is not None:
            plain["limit"] = _plain(self.limit)
        if self.interval is not None:
            plain["interval"] = [_plain(end) for end in self.interval]
        plain["verdict"] = str(self.verdict)
        if self.note:
            plain["note"] = self.note
        return plain


def _plain(number: Number) -> int | float:
    return float(number) if isinstance(number, Fraction) else number
