"""Recursive (c, l)-diversity: the most frequent value is not too frequent, the rarer ones are not too rare.

Claim. In a release that holds, r1 < c (rl + ... + rm) in every group, where r1, ..., rm are the counts of its values
in descending order. An adversary who has ruled out up to l - 2 values of the group still finds the most frequent of
the rest less than c times as often as all the others together.

Why it holds. Write N for the rows of a group and R for those of its l - 1 most frequent values; it holds when
r1 < c (N - R). In a union of groups neither r1 nor R exceeds the sum of those of its parts, so the model is monotone.
In a part of s rows the rows of the l - 1 most frequent values are at least those of the part that takes the most
frequent values of the bag first, min(s, R) at most in any part, and r1 likewise is at most what it is in the bag.
That part thus fails whenever some part of s rows does. For l >= 2 and s <= R it has no rarer values and fails; beyond
that it has r1 and s - R rows of rarer values, so it holds from s = R + floor(r1 / c) + 1 on: the answer of `needs` is
exact. (For l = 1 nothing is ruled out, R = 0, and the answer may be too many where c > 1.)

With fewer than l values there is no row of a rarer one, and the group fails.

Cost. `enough` and `needs` sort the counts of each group.

Source. A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam, l-diversity: Privacy beyond k-anonymity, 2007,
Definition 4.2.
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

_STEPS = 100


@part(
    Kind.REQUIREMENT,
    "recursive-cl-diversity",
    source="Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam 2007, Definition 4.2",
    status=Status.PROVED,
)
@dataclass(frozen=True, slots=True)
class RecursiveDiversity(RatioDiversity):
    """The most frequent value of a group has fewer than c times the rows of its l-th most frequent and rarer ones.

    `c` is a number above 0, or an exact fraction such as "1/3"; the smaller, the stricter. `l` is a whole number of 2
    or more; 1 is allowed, for comparison, and rules out nothing.
    """

    c: Fraction
    l: int  # noqa: E741 - the name in the papers

    def __post_init__(self) -> None:
        # A number that is written is meant as it is written: 0.1 is a tenth.
        object.__setattr__(self, "c", Fraction(str(self.c)))
        where = "recursive-cl-diversity"
        if self.c <= 0:
            raise refuse(where, "c must be above 0", "Ask for a number such as 2", found=str(self.c))
        if self.l < 1:
            raise refuse(where, "l must be a positive whole number", "Ask for 2 or more", found=str(self.l))
        refuse_beyond(where, "l", self.l)

    def enough(self, bags: Bags) -> NDArray[np.bool_]:
        """For each bag, whether its largest count is less than c times the rows of rarer values."""
        # Python's whole numbers, because c may have any number of digits.
        rarer = self._rarer(bags).astype(object)
        answer: NDArray[np.bool_] = bags.largest.astype(object) * self.c.denominator < rarer * self.c.numerator
        return answer.astype(np.bool_)

    def permits(self, counts: Sequence[int]) -> bool:
        """Whether the largest of the numbers is less than c times those from the l-th largest on."""
        ranked = sorted(counts, reverse=True)
        return bool(ranked) and ranked[0] * self.c.denominator < sum(ranked[self.l - 1 :]) * self.c.numerator

    def most(self, rows: int) -> int | None:
        """Where l is at most 2, the largest count that is less than c times all others, or than c times all."""
        if self.l > 2:
            return None
        facing = self.c.denominator + (self.c.numerator if self.l == 2 else 0)
        return min(max(self.c.numerator * rows - 1, 0) // facing, rows)

    def needs(self, bags: Bags) -> Counts:
        """The rows of the l - 1 most frequent values, and as many again as must face the most frequent one."""
        facing = bags.largest.astype(object) * self.c.denominator // self.c.numerator + 1
        # One row more than there are is as good as any larger number.
        needed: Counts = np.minimum(facing, bags.sizes + 1).astype(np.int64)
        return needed + bags.sizes - self._rarer(bags)

    def reached(self, bags: Bags) -> Finding:
        """The fewest rows of rarer values for each row of the most frequent value of a group."""
        rarer, largest = self._rarer(bags).tolist(), bags.largest.tolist()
        worst = min(Fraction(few, most) for few, most in set(zip(rarer, largest, strict=True)))
        verdict = Verdict.HOLDS if worst * self.c > 1 else Verdict.FAILS
        name = "fewest rows of rarer values for each row of the most frequent value of a group"
        note = f"must be more than the limit; rarer are the values from the {self.l}th most frequent on"
        return Finding(name, bags.view, worst, verdict, limit=1 / self.c, note=note)

    def attainable(self, bags: Bags) -> str:
        """The smallest c, in hundredths, that holds for all bags; with a smaller l if there are too few values."""
        reachable = RecursiveDiversity(self.c, min(self.l, int(bags.distinct.min())))
        most = 1 / Fraction(reachable.reached(bags).value)
        return f"c = {(int(most * _STEPS) + 1) / _STEPS}, l = {reachable.l}"

    @property
    def promise(self) -> str:
        """The requirement in a few words."""
        return f"c = {self.c}, l = {self.l}"

    def _rarer(self, bags: Bags) -> Counts:
        """The rows of the values from the l-th most frequent on."""
        return bags.summed(np.where(bags.place >= self.l - 1, bags.ranked, 0))
