"""The skewness attack: people whose group makes a value much likelier than it is in the whole table.

Claim. The attack bets for everyone on the value whose share in the person's group exceeds its share in the published
table most. Exposed is whoever is in a group where it does so by more than `gain`: l-diversity allows that, and yet a
reader who knew only the table learns much. The baseline bets on the most frequent value of the table.

Why it holds. The share of a value in the group is its chance for someone known to be in the group and no more; the
share in the table is the chance before. Both are compared as fractions.

Cost. One tally of the groups.

Source. N. Li, T. Li, S. Venkatasubramanian, t-closeness: privacy beyond k-anonymity and l-diversity, 2007, section 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from openveil.core.attack import NO_GUESS, Beliefs, Guessing, Sensitive, Target
from openveil.core.bags import Bags
from openveil.core.errors import refuse
from openveil.core.registry import Kind, Status, part


@part(Kind.ATTACK, "skewness", source="Li, Li, Venkatasubramanian 2007, section 3", status=Status.MEASURED)
@dataclass(frozen=True)
class Skewness(Guessing):
    """Bet on the value that a person's group makes likelier than the table does.

    Exposed is whoever has a value with a share in the group that exceeds its share in the table by more than `gain`,
    a number from 0 up to, but not including, 1.
    """

    gain: Fraction = Fraction(1, 2)

    def __post_init__(self) -> None:
        object.__setattr__(self, "gain", Fraction(str(self.gain)))
        if not 0 <= self.gain < 1:
            what, remedy = "gain must be at least 0 and less than 1", "Write a share such as 0.5"
            raise refuse("skewness", what, remedy, found=str(self.gain))

    def believe(self, target: Target, column: Sensitive) -> Beliefs:
        """What is likelier in the group, and who is in groups where it is likelier by more than `gain`."""
        bags = target.bags(column)
        risen = _risen(bags)
        order = np.lexsort((-bags.counts, -risen, bags.owner))
        filled = np.flatnonzero(bags.distinct > 0)
        entry = order[bags.starts[:-1][filled]]
        guess = np.full(len(bags), NO_GUESS, dtype=np.int32)
        share, skewed = np.zeros(len(bags)), np.zeros(len(bags), dtype=np.bool_)
        guess[filled] = bags.values[entry]
        share[filled] = bags.counts[entry] / bags.sizes[filled]
        # risen / (size of the group * rows of the table) is the gain in chance.
        allowed = self.gain.numerator * bags.sizes[filled].astype(object) * int(bags.whole.sum())
        skewed[filled] = (risen[entry].astype(object) * self.gain.denominator > allowed).astype(np.bool_)
        return Beliefs(
            guess=target.of_groups(guess, NO_GUESS).astype(np.int32),
            chance=target.of_groups(share, 0.0).astype(np.float64),
            exposed=target.of_groups(skewed, otherwise=False).astype(np.bool_),
            naive=np.full(len(target.group), int(bags.whole.argmax()), dtype=np.int32),
            cost=len(target.group),
            counted="rows read",
        )


def _risen(bags: Bags) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """For each entry count * rows of the table - count in the table * rows of the group."""
    rows = int(bags.whole.sum())
    risen: np.ndarray[tuple[int], np.dtype[np.int64]] = (
        bags.counts * rows - bags.whole[bags.values] * bags.sizes[bags.owner]
    )
    return risen
