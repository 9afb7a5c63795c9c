"""Distinct l-diversity: every group has at least l different sensitive values.

Claim. In a release that holds, whoever knows which group a person is in is left with at least l sensitive values
that the person may have. It says nothing of how likely each is: 99 rows of one value and one of another are two.

Why it holds. The values of a group are counted. A union of groups has the values of each of its parts, so the model
is monotone. The parts of a bag with the fewest values for their size take the most frequent values whole, one after
the other: fewer than l values fill at most as many rows as the l - 1 most frequent ones have, so every part of one
row more has l values; and a part of just those rows, or all rows if there are fewer values, has not. So the answer
of `needs` is exact.

Cost. One comparison a group; `needs` sorts the counts of each.

Source. A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam, l-diversity: Privacy beyond k-anonymity, 2007,
section 4 (as the simplest reading of well-represented values).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from openveil.core.bags import Bags, Counts
from openveil.core.errors import refuse
from openveil.core.finding import Finding, Verdict
from openveil.core.registry import Kind, Status, part
from openveil.core.requirement import RatioDiversity, refuse_beyond


@part(
    Kind.REQUIREMENT,
    "distinct-l-diversity",
    source="Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam 2007, section 4",
    status=Status.PROVED,
)
@dataclass(frozen=True, slots=True)
class DistinctDiversity(RatioDiversity):
    """Every group has at least l different sensitive values.

    `l` is a whole number of 2 or more; 1 is allowed, for comparison, and promises nothing.
    """

    l: int  # noqa: E741 - the name in the papers

    def __post_init__(self) -> None:
        if self.l < 1:
            what = "l must be a positive whole number"
            raise refuse("distinct-l-diversity", what, "Ask for 2 or more", found=str(self.l))
        refuse_beyond("distinct-l-diversity", "l", self.l)

    def enough(self, bags: Bags) -> NDArray[np.bool_]:
        """For each bag, whether it has at least l different values."""
        answer: NDArray[np.bool_] = bags.distinct >= self.l
        return answer

    def permits(self, counts: Sequence[int]) -> bool:
        """Whether at least l of the numbers are more than 0."""
        return sum(count > 0 for count in counts) >= self.l

    def needs(self, bags: Bags) -> Counts:
        """One row more than the l - 1 most frequent values have."""
        return bags.summed(np.where(bags.place < self.l - 1, bags.ranked, 0)) + 1

    def reached(self, bags: Bags) -> Finding:
        """How many different values the poorest group has."""
        fewest = int(bags.distinct.min())
        verdict = Verdict.HOLDS if fewest >= self.l else Verdict.FAILS
        return Finding("fewest different values in a group", bags.view, fewest, verdict, limit=self.l)

    def attainable(self, bags: Bags) -> str:
        """The largest l that holds for all bags."""
        return f"l = {int(bags.distinct.min())}"

    @property
    def promise(self) -> str:
        """The requirement in a few words."""
        return f"l = {self.l} different values"
