"""How many rows a release may leave out.

Claim. An `Allowance` says exactly how many of n rows may be suppressed: a count, or a share of them rounded down.

Why it holds. A share is kept as a fraction of the text it was written as, never as a binary float, so 0.1 of 30
rows is 3. Rounding down never suppresses more than was allowed.

Source. MaxSup of P. Samarati, Protecting Respondents' Identities in Microdata Release, 2001, Definition 4.3.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from openveil.core.errors import RequestError, refuse

# No table has more rows than these digits can write, and no share needs more decimals.
_WRITTEN = re.compile(r"(\d{1,18}|\d{0,18}\.\d{1,330})\s*(%?)", re.ASCII)
_FORMS = "Write a whole number of rows (5), a share below 1 (0.02) or a percentage ('2%')"


@dataclass(frozen=True, slots=True)
class Allowance:
    """At most `count` rows, or a `share` of all rows; one of the two is zero."""

    count: int = 0
    share: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        if self.count < 0:
            raise _wrong("must not be negative", str(self.count))
        if not 0 <= self.share <= 1:
            raise _wrong("must be a share between 0 and 1, that is 0 % to 100 %", str(float(self.share)))

    @staticmethod
    def of(written: float | str) -> Allowance:
        """Read a number of rows (5 or "5"), a share (0.02 or "0.02") or a percentage ("2%")."""
        if isinstance(written, bool):
            raise _wrong("must be a number", str(written).lower())
        if isinstance(written, int):
            return Allowance(count=written)
        if written == 1.0:
            raise _wrong("could mean one row or all rows", "1.0")
        text = _decimal(written) if isinstance(written, float) else written.strip()
        if text.startswith("-"):
            raise _wrong("must not be negative", text)
        found = _WRITTEN.fullmatch(text)
        if found is None:
            raise _wrong("is not a number of rows, nor a share of them", text)
        number, percent = found.groups()
        return _read(number, percent=percent)

    def rows(self, total: int) -> int:
        """How many of `total` rows may be suppressed."""
        return min(total, self.count + int(self.share * total))


def _read(number: str, *, percent: str) -> Allowance:
    if percent:
        return Allowance(share=Fraction(number) / 100)
    if "." in number:
        return Allowance(share=Fraction(number))
    return Allowance(count=int(number))


def _decimal(number: float) -> str:
    """The shortest decimal that is this float, without an exponent; infinities and nan stay words."""
    from decimal import Decimal

    return format(Decimal(repr(number)), "f")


def _wrong(what: str, found: str) -> RequestError:
    return refuse("max_suppressed", what, _FORMS, found=found[:40])
