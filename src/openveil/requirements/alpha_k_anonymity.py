"""(alpha, k)-anonymity: every group has at least k rows, and no sensitive value more than a share alpha of them.

Claim. In a release that holds, linking an external table leads to at least k rows, and whoever knows which of them
are a person's group can guess the person's sensitive value with probability at most alpha.

Why it holds. Sizes and the largest count of each group are compared. A union of groups has at least the rows of each
part, and no value a larger share than its largest in a part, so the model is monotone. A part of s rows holds each
value at most as often as the bag, so it holds as soon as s is at least k and at least the largest count divided by
alpha; if s is less than that, and alpha below 1, the rows of that value, filled up with others, are a part that
fails. So the answer of `needs` is exact for alpha below 1; for alpha = 1 it may be too many.

Every sensitive value counts, as in the general form of the model. Rows are counted here; put `k-anonymity` beside it
to count persons.

Cost. Two comparisons a group.

Source. R. Wong, J. Li, A. Fu, K. Wang, (alpha, k)-anonymity: An enhanced k-anonymity model for privacy preserving
data publishing, 2006.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

import numpy as np
from numpy.typing import NDArray

from openveil.core.bags import Bags, Counts
from openveil.core.errors import refuse
from openveil.core.finding import Finding, Verdict
from openveil.core.registry import Kind, Status, part
from openveil.core.requirement import Diversity, refuse_beyond

_STEPS = 1000


@part(Kind.REQUIREMENT, "alpha-k-anonymity", source="Wong, Li, Fu, Wang 2006", status=Status.PROVED)
@dataclass(frozen=True, slots=True)
class AlphaKAnonymity(Diversity):
    """Every group has at least k rows, and no sensitive value is more than a share alpha of them.

    `alpha` is a number above 0 and at most 1, or an exact fraction such as "1/3"; 1 allows any share. `k` is a whole
    number of 1 or more.
    """

    alpha: Fraction
    k: int

    def __post_init__(self) -> None:
        # A number that is written is meant as it is written: 0.1 is a tenth.
        object.__setattr__(self, "alpha", Fraction(str(self.alpha)))
        where = "alpha-k-anonymity"
        if not 0 < self.alpha <= 1:
            what, remedy = "alpha must be above 0 and at most 1", "Ask for a share such as 0.5"
            raise refuse(where, what, remedy, found=str(self.alpha))
        if self.k < 1:
            raise refuse(where, "k must be a positive whole number", "Ask for 2 or more", found=str(self.k))
        refuse_beyond(where, "k", self.k)

    def enough(self, bags: Bags) -> NDArray[np.bool_]:
        """For each bag, whether it has k rows and its largest count is at most a share alpha of them."""
        answer: NDArray[np.bool_] = (bags.largest <= self._allowed(bags.sizes)) & (bags.sizes >= self.k)
        return answer

    def needs(self, bags: Bags) -> Counts:
        """The largest count divided by alpha, and at least k."""
        # Python's whole numbers, because alpha may have any number of digits.
        needed = -(-bags.largest.astype(object) * self.alpha.denominator // self.alpha.numerator)
        # One row more than there are is as good as any larger number.
        rows: Counts = np.minimum(needed, bags.sizes + 1).astype(np.int64)
        return np.maximum(rows, self.k)

    def reached(self, bags: Bags) -> Finding:
        """The largest share a value has of a group, and beside it the smallest group."""
        verdict = Verdict.HOLDS if self.enough(bags).all() else Verdict.FAILS
        note = f"the smallest group has {int(bags.sizes.min()):,} rows; at least {self.k:,} were asked for"
        name, worst = "largest share of a value in a group", _largest_share(bags)
        return Finding(name, bags.view, worst, verdict, limit=self.alpha, note=note)

    def attainable(self, bags: Bags) -> str:
        """The smallest alpha, in thousandths, and the largest k that hold for all bags."""
        return f"alpha = {ceil(_largest_share(bags) * _STEPS) / _STEPS}, k = {int(bags.sizes.min())}"

    @property
    def greatest_chance(self) -> Fraction:
        """The share alpha."""
        return self.alpha

    @property
    def promise(self) -> str:
        """The requirement in a few words."""
        return f"alpha = {self.alpha}, k = {self.k}"

    def _allowed(self, sizes: Counts) -> Counts:
        """How often a value may occur in groups of these sizes."""
        allowed: NDArray[np.object_] = sizes.astype(object) * self.alpha.numerator // self.alpha.denominator
        return allowed.astype(np.int64)


def _largest_share(bags: Bags) -> Fraction:
    pairs = set(zip(bags.largest.tolist(), bags.sizes.tolist(), strict=True))
    return max(Fraction(most, size) for most, size in pairs)
