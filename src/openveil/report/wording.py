"""How numbers and foreign texts are written for people.

Claim. A share that is not 0 or 1 is never written as 0% or 100%, and a text taken from a certificate shows no
control character: neither a page nor a terminal can be steered by the name of a column.

Why. Rounding 99.97% up to 100% would say that nobody was left out; a column name may hold any character.

Cost. One pass over the characters of the certificate.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

Number = int | float | Fraction

NAMELESS = "(no name)"

_LITTLE = Fraction(1, 1000)
_SMALL = 1000


def whole(count: int) -> str:
    """A count with thousands marked: `48,842`."""
    return f"{count:,}"


def percent(share: Number) -> str:
    """A share with one decimal; only 0 and 1 themselves are written as 0% and 100%."""
    exact = Fraction(share)
    if exact in (0, 1):
        return f"{int(exact) * 100}%"
    if 0 < exact < _LITTLE:
        return "less than 0.1%"
    if 1 - _LITTLE < exact < 1:
        return "more than 99.9%"
    return f"{float(exact) * 100:.1f}%"


def plain(number: Number) -> str:
    """A number as it is read aloud: whole where it is whole, otherwise two decimals, or four digits below 1."""
    if number == int(number):
        return whole(int(number))
    return f"{float(number):,.2f}" if abs(float(number)) >= 1 else f"{float(number):.4g}"


def short(number: Number) -> str:
    """A fraction of small numbers as one, such as `1/3`; anything else as `plain` has it."""
    if isinstance(number, Fraction) and 1 < number.denominator <= _SMALL:
        return f"{number.numerator}/{number.denominator}"
    return plain(number)


def counted(count: int, one: str, many: str) -> str:
    """A count with its noun: `1 row`, `2 rows`."""
    return f"{whole(count)} {one if count == 1 else many}"


def sentence(words: str) -> str:
    """The words with a capital at the beginning."""
    return words[:1].upper() + words[1:]


def listed(names: tuple[str, ...]) -> str:
    """Names in a row; one that is empty is said to be so."""
    return ", ".join(name or NAMELESS for name in names)


def some(names: tuple[str, ...], most: int = 3) -> str:
    """The first names in a row, and how many more there are."""
    left = len(names) - most
    return listed(names) if left <= 0 else f"{listed(names[:most])} and {whole(left)} more"


def printable(value: Any) -> Any:
    """The same value with every character that does not print written as an escape; keys stay as they are."""
    if isinstance(value, str):
        return "".join(map(_shown, value))
    if isinstance(value, Mapping):
        return {key: printable(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return tuple(printable(each) for each in value)
    return value


def _shown(character: str) -> str:
    return character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
