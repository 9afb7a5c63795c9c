"""Whether a release is as likely of every table that agrees with it, as far as its chances tell.

Claim. `alike` HOLDS only where chances are probabilities, all are the same, one at least is not 0, and nothing was
seen that the tables leave out (`doubt`). It FAILS where two surely differ. Shares of runs can be shown to differ, and
never to be the same.

Why it holds. Probabilities are fractions. Shares differ where their intervals part, which all cover at once at the
level: each at a level divided by how many there are.

Cost. One interval for each number of runs that came out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from openveil.core.finding import Verdict
from openveil.core.intervals import LEVEL, interval
from openveil.worlds.algorithm import Algorithm

Chances = Sequence[Fraction]


@dataclass(frozen=True, slots=True)
class Grounds:
    """What chances rest on: the `runs` of each table that they are shares of; None where they are probabilities.

    `doubt` is why nothing can be said to hold, though they be the same; `unread` are columns that were compared
    though the reader does not name them.
    """

    runs: int | None = None
    doubt: str = ""
    unread: tuple[str, ...] = ()

    @staticmethod
    def of(algorithm: Algorithm) -> Grounds:
        """What the chances of an algorithm rest on."""
        return Grounds(None if algorithm.exact else algorithm.runs, algorithm.doubt, algorithm.unread)

    def holding(self, chances: Chances) -> Verdict:
        """What may be said of a promise that nothing was found to break."""
        sure = any(chances) and self.runs is None and not self.doubt
        return Verdict.HOLDS if sure else Verdict.UNDECIDED

    def ends(self, chances: Chances, level: float = LEVEL) -> list[tuple[Fraction, Fraction]]:
        """Between what probabilities each chance is; all of them at once at this level."""
        if self.runs is None:
            return [(chance, chance) for chance in chances]
        each = 1 - (1 - level) / max(len(chances), 1)
        low_high = (interval(int(chance * self.runs), self.runs, each) for chance in chances)
        return [(Fraction(low), Fraction(high)) for low, high in low_high]


def alike(chances: Chances, grounds: Grounds) -> tuple[Verdict, str]:
    """Whether the release is as likely of every table, and why."""
    if not chances:
        return Verdict.UNDECIDED, "no table agrees with the release and with what else is known"
    if not any(chances):
        return (
            Verdict.UNDECIDED,
            "the algorithm publishes the release of none of them: it is not the one that was used",
        )
    ends = grounds.ends(chances)
    differ = max(low for low, _ in ends) > min(high for _, high in ends)
    if grounds.runs is not None:
        than = (
            "differ by more than chance"
            if differ
            else "differ by no more than chance, which does not show them alike"
        )
        return Verdict.FAILS if differ else Verdict.UNDECIDED, f"shares of {grounds.runs:,} runs {than}"
    if differ:
        of = (
            f"; compared with columns that are not read: {', '.join(map(repr, grounds.unread))}"
            if grounds.unread
            else ""
        )
        return Verdict.FAILS, f"some are more likely than others{of}"
    return grounds.holding(chances), grounds.doubt or "all are as likely"
