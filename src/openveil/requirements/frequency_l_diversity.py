"""Frequency l-diversity: no sensitive value is more than one l-th of any group. The l-diversity of [003].

Claim. In a release that holds, whoever knows which group a person is in, and nothing else of the person's
sensitive value, can guess it with probability at most 1/l.

Why it holds. Every value is at most a share 1/l of every group. In a union of groups no share exceeds the largest
in its parts, so the model is monotone. A part of s rows of a bag holds each value at most as often as the bag, so
it holds as soon as s is l times the largest count; and if s is less, the rows of that value, filled up with others,
are a part that fails (or fewer than l times them are all there is). So the answer of `needs` is exact.

Cost. One comparison a group.

Source. X. Jin, N. Zhang, G. Das, ASAP: Eliminating algorithm-based disclosure in privacy-preserving data
publishing, 2011, section 3; R. Wong et al., (alpha, k)-anonymity, 2006.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from openveil.core.bags import Bags, Counts
from openveil.core.errors import refuse
from openveil.core.finding import Finding, Verdict
from openveil.core.registry import Kind, Status, part
from openveil.core.requirement import RatioDiversity, refuse_beyond


@part(Kind.REQUIREMENT, "frequency-l-diversity", source="Jin, Zhang, Das 2011, section 3", status=Status.PROVED)
@dataclass(frozen=True, slots=True)
class FrequencyDiversity(RatioDiversity):
    """No sensitive value belongs to more than one in l rows of a group.

    `l` is a whole number of 2 or more; 1 is allowed, for comparison, and promises nothing.
    """

    l: int  # noqa: E741 - the name in the papers

    def __post_init__(self) -> None:
        if self.l < 1:
            raise refuse("frequency-l-diversity", "l must be a positive whole number", "Ask for 2 or more")
        refuse_beyond("frequency-l-diversity", "l", self.l)

    def enough(self, bags: Bags) -> NDArray[np.bool_]:
        """For each bag, whether its largest count is at most one l-th of its rows."""
        return bags.has_times(bags.largest, self.l)

    def permits(self, counts: Sequence[int]) -> bool:
        """Whether the largest of the numbers is at most one l-th of them all."""
        return 0 < self.l * max(counts, default=0) <= sum(counts)

    def most(self, rows: int) -> int | None:
        """One l-th of the rows."""
        return rows // self.l

    def needs(self, bags: Bags) -> Counts:
        """l times the largest count."""
        return np.maximum(bags.rows_for(bags.largest, self.l), 1)

    def reached(self, bags: Bags) -> Finding:
        """The largest share a value has of a group."""
        sizes, largest = bags.sizes.tolist(), bags.largest.tolist()
        worst = max(Fraction(most, size) for most, size in set(zip(largest, sizes, strict=True)))
        verdict = Verdict.HOLDS if worst * self.l <= 1 else Verdict.FAILS
        return Finding("largest share of a value in a group", bags.view, worst, verdict, limit=Fraction(1, self.l))

    def attainable(self, bags: Bags) -> str:
        """The largest l that holds for all bags."""
        return f"l = {int((bags.sizes // np.maximum(bags.largest, 1)).min())}"

    @property
    def greatest_chance(self) -> Fraction:
        """One in l."""
        return Fraction(1, self.l)

    @property
    def promise(self) -> str:
        """The requirement in a few words."""
        return f"l = {self.l}"
