"""The homogeneity attack: people whose whole group has one sensitive value.

Claim. Exposed is everyone in a group all rows of which are published with the same value. Whoever knows which group
a person is in knows that value, whatever k is. The attack bets on it, and is right as often as what is published is
true; the baseline bets on the most frequent value of the whole table for the same people.

Why it holds. A group with one distinct value leaves no other; in any other group two values remain possible, and this
attack says nothing of it.

Cost. One tally of the groups.

Source. A. Machanavajjhala, J. Gehrke, D. Kifer, M. Venkitasubramaniam, l-diversity: privacy beyond k-anonymity, 2006.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openveil.core.attack import NO_GUESS, Beliefs, Guessing, Sensitive, Target, commonest
from openveil.core.registry import Kind, Status, part


@part(Kind.ATTACK, "homogeneity", source="Machanavajjhala et al. 2006", status=Status.MEASURED)
@dataclass(frozen=True)
class Homogeneity(Guessing):
    """Bet on the value that all rows of a person's group share."""

    def believe(self, target: Target, column: Sensitive) -> Beliefs:
        """Certain of everyone in a group with a single value; silent of the others."""
        bags = target.bags(column)
        alike = bags.distinct == 1
        exposed = target.of_groups(alike, otherwise=False).astype(np.bool_)
        shared = np.where(alike, commonest(bags), NO_GUESS).astype(np.int32)
        return Beliefs(
            guess=target.of_groups(shared, NO_GUESS).astype(np.int32),
            chance=exposed.astype(np.float64),
            exposed=exposed,
            naive=np.full(len(exposed), int(bags.whole.argmax()), dtype=np.int32),
            cost=len(exposed),
            counted="rows read",
        )
