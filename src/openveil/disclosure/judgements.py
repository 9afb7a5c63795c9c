"""What can be said of a disclosure set.

Claim. A `Judgement` says whether a disclosure set satisfies the requirement, how that was told of each published
group (`Regime`), and what bounds there are for the share of tables that are ruled out and the largest chance of a
value.

Cost. None to speak of.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

_UNIT = 1 << 40
_DIGITS = 64
# Fractions with no more digits than that are left as they are.
LONG = 4096

Interval = tuple[Fraction, Fraction]


class Regime(StrEnum):
    """How it was told whether a published group is safe; the text is that of certificates."""

    SHOWN = "exact (everyone as the group shows)"
    NOTHING = "exact (nothing is ruled out)"
    COUNTED = "exact (counted)"
    INCLUDED = "exact (counted by inclusion and exclusion)"
    LISTED = "exact (tables gone through)"
    RARE = "bounded (hardly anything is ruled out)"
    FAILURES = "bounded (failures are rare)"
    MARGINS = "bounded (released with room to spare)"
    SAMPLED = "sampled (wrong with a chance of at most 1 in 10^9)"
    UNDECIDED = "undecided"

    @property
    def exact(self) -> bool:
        """Whether it is known just how surely values can be told in the group."""
        return self in {self.SHOWN, self.NOTHING, self.COUNTED, self.INCLUDED, self.LISTED}


@dataclass(frozen=True)
class Judgement:
    """Whether a disclosure set satisfies the requirement, and how that was told of its groups.

    `ruled_out` bounds the share of the tables that agree with the published groups and are not in the set, `chance`
    the largest chance of a value for a person in the set.
    """

    holds: bool
    groups: Mapping[Regime, int]
    ruled_out: Interval
    chance: Interval


def most_uneven(bounds: Iterable[float]) -> list[int]:
    """The most uneven chances that values can have within these upper bounds, as whole numbers."""
    room, filled = _UNIT, []
    for bound in sorted(bounds, reverse=True):
        filled.append(min(int(min(bound, 1.0) * _UNIT) + 1, room))
        room -= filled[-1]
    return [*filled, room] if room else filled


def share_of(some: int, every: int) -> Interval:
    """A share, rounded outwards where it would have too many digits."""
    if every.bit_length() <= LONG:
        return (Fraction(some, every),) * 2
    whole = some << _DIGITS
    return Fraction(whole // every, 1 << _DIGITS), Fraction(-(-whole // every), 1 << _DIGITS)


def rounded_up(share: Fraction) -> Fraction:
    """No smaller and at most 1, with digits that do not grow without end; short fractions stay as they are."""
    return share if share.denominator.bit_length() <= LONG else min(up(share), Fraction(1))


def up(share: Fraction) -> Fraction:
    """No smaller, with few digits."""
    shift = _DIGITS + share.denominator.bit_length() - share.numerator.bit_length()
    return Fraction(-((-share.numerator << shift) // share.denominator), 1 << shift)


def down(share: Fraction) -> Fraction:
    """No larger; short fractions stay as they are."""
    if share.denominator.bit_length() <= LONG or not share:
        return share
    shift = _DIGITS + share.denominator.bit_length() - share.numerator.bit_length()
    return Fraction((share.numerator << shift) // share.denominator, 1 << shift)
