"""The attack that knows everything about the algorithm: the smart world of a small release, whatever the method.

Claim. Of a release by any registered method the chance of each person's values is exactly that for someone who knows
the method, every quasi-identifier and which group each person is in. Exposed is whoever has a value of a greater
chance than was promised. The attack bets where it knows more than the groups show; the baseline bets on the value
that is likeliest without knowing the method. Where more than `runs` tables agree with the release, everyone is
undecided, unless all that the method asked can be read in the release: then the method tells nothing more, and nobody
is.

Why it holds. Every table that agrees with the release is gone through, and weighed with the probability that the
method publishes the release of it (`worlds/exact.py`); what a method that asks about published groups only decides is
the same for all of them (`worlds/method.py`).

Cost. One run of the method a table, `runs` at most.

Source. X. Jin, N. Zhang, G. Das, ASAP: Eliminating algorithm-based disclosure in privacy-preserving data publishing,
2011, Definitions 3 to 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from openveil.core.attack import NO_GUESS, Beliefs, Guessing, Sensitive, Target, beyond, commonest
from openveil.core.errors import refuse
from openveil.core.registry import Kind, Status, part
from openveil.core.witness import Labels
from openveil.worlds.algorithm import Case
from openveil.worlds.exact import Bound, Marginal, exact
from openveil.worlds.method import Grouping, Setting, by_membership
from openveil.worlds.seen import TooManyError

TOO_MANY = "more tables agree with the release than may be gone through"


@part(Kind.ATTACK, "smart-world", source="Jin, Zhang, Das 2011, Definitions 3 to 5", status=Status.PROVED)
@dataclass(frozen=True)
class SmartWorld(Guessing):
    """Go through every table that agrees with the release, and ask which of them the method publishes like this.

    `runs` is how many tables may be gone through.
    """

    applies_to: ClassVar[str] = "releases of one sensitive column"

    runs: int = 2_000

    def __post_init__(self) -> None:
        if self.runs < 1:
            raise refuse("smart-world", "runs must be a positive whole number", "Ask for 2000 or so")

    def believe(self, target: Target, column: Sensitive) -> Beliefs | None:
        """The chances in the smart world, where it can be gone through."""
        if target.publisher is None or target.requirement is None or len(target.sensitive) > 1:
            return None
        sensitive = column.original.to_frame()
        setting = Setting.of(target.publisher, target.public, sensitive, target.requirement)
        case = by_membership(setting, target.recoding)
        try:
            worlds = exact(case, bound=Bound(runs=self.runs))
        except TooManyError:
            return _untold(target, column, case)
        numbers = column.numbers(setting.people.values[column.name])
        return _told(target, numbers, worlds.before, worlds.after, len(worlds.naive))


def _told(
    target: Target, numbers: Labels, before: Sequence[Marginal], after: Sequence[Marginal], tables: int
) -> Beliefs:
    """What follows from the chances of everyone's values, without and with the method."""
    rows = len(target.group)
    naive = np.array([numbers[_best(chances)[0]] for chances in before], dtype=np.int32)
    guess, chance = np.full(rows, NO_GUESS, dtype=np.int32), np.zeros(rows)
    exposed = np.zeros(rows, dtype=np.bool_)
    for row in np.flatnonzero(target.published).tolist():
        value, share = _best(after[row])
        exposed[row] = share > target.limit or share == 1
        if share > _best(before[row])[1]:
            guess[row], chance[row] = numbers[value], float(share)
    return Beliefs(guess, chance, exposed, naive, tables, "tables gone through")


def _untold(target: Target, column: Sensitive, case: Case) -> Beliefs:
    """Of too many tables: nothing beyond the groups where the method asked about groups only, else undecided."""
    bags, rows = target.bags(column), len(target.group)
    only_groups = isinstance(case.algorithm, Grouping) and case.algorithm.looks_at_groups_only
    shown = target.of_groups(beyond(bags.largest, bags.sizes, target.limit), otherwise=False).astype(np.bool_)
    return Beliefs(
        guess=np.full(rows, NO_GUESS, dtype=np.int32),
        chance=np.zeros(rows),
        exposed=shown,
        naive=target.of_groups(commonest(bags), NO_GUESS).astype(np.int32),
        cost=1,
        counted="runs of the method",
        undecided=None if only_groups else target.published & ~shown,
        note="" if only_groups else TOO_MANY,
    )


def _best(chances: Marginal) -> tuple[int, Fraction]:
    """The likeliest value, of equals the first, and its chance."""
    return max(chances.items(), key=lambda each: (each[1], -each[0]))
