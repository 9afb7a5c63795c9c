"""What a label stands for.

Claim. A label that is read is one of five frozen values: nothing is shown (`Hidden`), a run of codes of an axis
(`Run`), the numbers or days between two ends (`Span`), one of a few values (`OneOf`), or all codes of one shape
(`Pattern`). `stands_for` says whether a value may be the one behind the label.

Why it holds. Ends are fractions, so that 0.3 is three tenths; an end that is None is open. A value that cannot be
placed (a text among numbers) lies in no span.

Cost. One look at a value.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from openveil.labels.scales import Scale

ANY = "*"


@dataclass(frozen=True, slots=True)
class Hidden:
    """Nothing is shown: any value may be behind the label, also none."""


@dataclass(frozen=True, slots=True)
class Run:
    """The codes from `low` to `high` of the axis the label was read on: an interval, as every node of a hierarchy."""

    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Span:
    """What lies between two ends; an end belongs to it where it says so, and None is no end."""

    low: Fraction | None
    high: Fraction | None
    with_low: bool = True
    with_high: bool = True

    def has(self, place: Fraction) -> bool:
        """Whether a number lies in it."""
        above = self.low is None or place > self.low or (self.with_low and place == self.low)
        below = self.high is None or place < self.high or (self.with_high and place == self.high)
        return above and below

    @property
    def is_empty(self) -> bool:
        """Whether nothing can lie in it: its ends are reversed, or equal and not both in it."""
        if self.low is None or self.high is None:
            return False
        return self.low > self.high or (self.low == self.high and not (self.with_low and self.with_high))


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of these values, as they are written."""

    values: frozenset[str]


@dataclass(frozen=True, slots=True)
class Pattern:
    """The codes that are as long and have the same characters wherever the pattern does not have `ANY`."""

    shown: str

    def fits(self, text: str) -> bool:
        """Whether a code has this shape."""
        alike = (sign in (ANY, character) for sign, character in zip(self.shown, text, strict=False))
        return len(text) == len(self.shown) and all(alike)


HIDDEN = Hidden()
Meaning = Hidden | Run | Span | OneOf | Pattern


def stands_for(meaning: Span | OneOf | Pattern, text: str, scale: Scale) -> bool:
    """Whether the value that is written so may be behind the label."""
    if isinstance(meaning, OneOf):
        return text in meaning.values or any(scale.same(text, value) for value in meaning.values)
    if isinstance(meaning, Pattern):
        return meaning.fits(text)
    place = scale.place(text)
    return place is not None and meaning.has(place[0]) and meaning.has(place[1])
