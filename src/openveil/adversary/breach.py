"""The breach probability of each person: how sure a reader can be of the person's own sensitive value.

Claim. For someone who knows which group a person is in, the chance that the person has a value is the value's share
in the group. Exposed is whoever has an own value of which this chance exceeds what was promised (or is 1, where
nothing is). Told besides are the mean over all persons and the largest. The attack bets on the most frequent value of
each group; the baseline bets on that of the whole table.

Why it holds. Every arrangement of a group's published values over its persons is equally likely to someone who knows
nothing else, so the chance is the share. Where values are drawn anew before they are published, a person's own value
may not be in the group at all; then its chance, read at face value, is 0.

Cost. One tally of the groups.

Source. X. Xiao, Y. Tao, Personalized privacy preservation, 2006, Definition 3 and Theorem 1, with every person
guarding the own value itself and every row a person.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from openveil.core.attack import NO_GUESS, Beliefs, Guessing, Sensitive, Target, beyond, commonest
from openveil.core.bags import Counts
from openveil.core.finding import Finding
from openveil.core.registry import Kind, Status, part


@part(Kind.ATTACK, "breach-probability", source="Xiao, Tao 2006, Theorem 1", status=Status.MEASURED)
@dataclass(frozen=True)
class BreachProbability(Guessing):
    """How sure a reader who knows a person's group can be of the person's own value, person by person."""

    def believe(self, target: Target, column: Sensitive) -> Beliefs:
        """The share of each person's own value in the person's group."""
        bags = target.bags(column)
        best = commonest(bags)
        share = bags.largest / np.maximum(bags.sizes, 1)
        up, down = _own_share(target, column)
        return Beliefs(
            guess=target.of_groups(best, NO_GUESS).astype(np.int32),
            chance=target.of_groups(share, 0.0).astype(np.float64),
            exposed=target.published & beyond(up, down, target.limit),
            naive=np.full(len(up), int(bags.whole.argmax()), dtype=np.int32),
            cost=len(up),
            counted="rows read",
            further=_told(column.name, up[target.published], down[target.published]),
        )


def _own_share(target: Target, column: Sensitive) -> tuple[Counts, Counts]:
    """For each row how many rows of its group are published with its own value, and how many rows there are."""
    domain = len(column.labels)
    shown = target.published
    group = target.group.astype(np.int64)
    keys, counts = np.unique(group[shown] * domain + column.shown[shown], return_counts=True)
    asked = group * domain + column.own
    place = np.minimum(np.searchsorted(keys, asked), max(len(keys) - 1, 0))
    found = (keys[place] == asked) if len(keys) else np.zeros(len(asked), dtype=np.bool_)
    sizes = np.bincount(group[shown], minlength=max(target.groups, 1))
    up = np.where(found & shown, counts[place] if len(keys) else 0, 0).astype(np.int64)
    return up, np.where(shown, sizes[group], 0).astype(np.int64)


def _told(on: str, up: Counts, down: Counts) -> tuple[Finding, ...]:
    """The mean and the largest chance of an own value."""
    if not len(up):
        return ()
    pairs, times = np.unique(np.stack([up, down]), axis=1, return_counts=True)
    shares = [Fraction(a, b) for a, b in pairs.T.tolist()]
    mean = sum((share * int(n) for share, n in zip(shares, times.tolist(), strict=True)), Fraction(0)) / len(up)
    return (
        Finding("breach probability, mean", on, mean),
        Finding("breach probability, largest", on, max(shares)),
    )
