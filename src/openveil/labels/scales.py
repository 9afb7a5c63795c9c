"""What the ends of an interval are: numbers, days, or nothing that could be measured.

Claim. `Scale.place` gives the first and the last point of what a text says (a month has thirty days or so), or None
where it is none of the scale or can be taken for two. `NUMBERS`, `DAYS` and `WORDS` are the scales there are; on the
last nothing has a place.

Why it holds. Numbers are taken as fractions of their text; the forms are limited, so that no text makes a number that
does not fit into memory. A date with a month and a day that could be exchanged is two dates, so it is none.

Cost. Microseconds a text.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction

Place = tuple[Fraction, Fraction]

_NUMBER = re.compile(r"[+-]?([0-9]{1,60}\.?[0-9]{0,60}|\.[0-9]{1,60})([eE][+-]?[0-9]{1,3})?", re.ASCII)
_ISO = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_YEAR = re.compile(r"([0-9]{4})", re.ASCII)
_MONTH = re.compile(r"([0-9]{4})-([0-9]{2})|([0-9]{1,2})/([0-9]{4})", re.ASCII)
_QUARTER = re.compile(r"([0-9]{4})-?Q([1-4])", re.ASCII)
_DAY = re.compile(r"([0-9]{1,2})([/.])([0-9]{1,2})\2([0-9]{4})", re.ASCII)
_SECONDS = 86_400


@dataclass(frozen=True)
class Scale:
    """How texts are placed: the first and the last point of each, or None."""

    name: str
    place: Callable[[str], Place | None]

    def same(self, one: str, other: str) -> bool:
        """Whether two texts have one place: 20 and 20.0."""
        here = self.place(one)
        return here is not None and here == self.place(other)


def _number(text: str) -> Place | None:
    if not _NUMBER.fullmatch(text):
        return None
    size = Fraction(text)
    return size, size


def _day(text: str) -> Place | None:
    """A day, month, quarter or year, or a moment of a day; days are numbered."""
    with suppress(ValueError):
        return _moment(datetime.fromisoformat(text)) if _ISO.match(text) else _unit(text)
    return None


def _moment(found: datetime) -> Place:
    midnight = datetime(found.year, found.month, found.day, tzinfo=found.tzinfo)
    start = found.toordinal() + Fraction((found - midnight).seconds, _SECONDS)
    return start, start


def _unit(text: str) -> Place | None:
    if found := _YEAR.fullmatch(text):
        return _months(int(found[1]), 1, 12)
    if found := _QUARTER.fullmatch(text):
        return _months(int(found[1]), 3 * int(found[2]) - 2, 3 * int(found[2]))
    if found := _MONTH.fullmatch(text):
        year, month = int(found[1] or found[4]), int(found[2] or found[3])
        return _months(year, month, month)
    if found := _DAY.fullmatch(text):
        return _either(int(found[1]), int(found[3]), int(found[4]), dotted=found[2] == ".")
    return None


def _months(year: int, first: int, last: int) -> Place:
    end = date(year, last, calendar.monthrange(year, last)[1])
    return Fraction(date(year, first, 1).toordinal()), Fraction(end.toordinal())


def _either(first: int, second: int, year: int, *, dotted: bool) -> Place | None:
    """Day and month, or month and day where they are parted by slashes; None where both could be meant."""
    pairs = {(second, first)} | (set() if dotted else {(first, second)})
    fitting = [(month, day) for month, day in pairs if 1 <= month <= 12]
    if len(fitting) != 1:
        return None
    [(month, day)] = fitting
    number = Fraction(date(year, month, day).toordinal())
    return number, number


NUMBERS = Scale("numbers", _number)
DAYS = Scale("days", _day)
WORDS = Scale("words", lambda text: None)  # noqa: ARG005
