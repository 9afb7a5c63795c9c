"""Entropy l-diversity: the sensitive values of a group are as hard to guess as l equally frequent ones.

Claim. In a release that holds, the entropy of the sensitive values of every group is at least log l. It bounds the
chance of a guess less tightly than it sounds: a value may have more than one l-th of a group of many values.

Why it holds. Entropy is concave: that of a union of groups is at least the mean of those of its parts, weighted by
size, so the model is monotone. Entropy is also Schur-concave: of the parts of s rows the one that takes the most
frequent values first has the least. For the j most frequent values of any part have at most min(s, C) rows, where C
is what the j most frequent ones of the bag have, and just that many in this part: it majorises every other. Its next
row goes to its rarest value or to a new one, so the shares of its j most frequent values can only fall: entropy does
not fall as s grows. The sizes at which this part holds are therefore all those from some s on; `needs` finds this s
by halving, and its answer is exact.

How it is decided. With counts c1, ..., cm of N rows, entropy is at least log l if and only if
N^N >= l^N c1^c1 ... cm^cm, a statement about whole numbers where l is a fraction. The logarithms of both sides are
compared first, in whole multiples of 2^-26, each rounded by at most one and summed without error; where they are
closer than the roundings can be wrong, the whole numbers themselves are compared. Groups in which all values are
equally frequent, which are where both sides are equal most often, have the entropy of the number of their values.

Cost. One logarithm a distinct value of a group; `needs` sorts the counts and takes one more for every halving.

Source. A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam, l-diversity: Privacy beyond k-anonymity, 2007,
Definition 4.1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from openveil.core.bags import Bags, Counts
from openveil.core.errors import refuse
from openveil.core.finding import Finding, Verdict
from openveil.core.registry import Kind, Status, part
from openveil.core.requirement import RatioDiversity

# Groups of a billion rows, of which the logarithm of N^N is below 2^35, stay within whole numbers of 64 bits.
_UNIT = 2.0**26
_MOST = 2**40
_STEPS = 100
# Up to so many rows, or tables, whole numbers are compared; beyond, digits, of which the last few may be wrong.
_IN_FULL = 4096
_DIGITS, _SPARE = 60, 10
# Far more than binary floats are wrong by, a value.
_ROUGH = 1e-9


@dataclass(frozen=True)
class _Parts:
    """Bags, or parts of them, by what decides: `weights` are the sums of c log c; `counts` gives one in full."""

    sizes: Counts
    weights: Counts
    distinct: Counts
    largest: Counts
    counts: Callable[[int], list[int]]


@part(
    Kind.REQUIREMENT,
    "entropy-l-diversity",
    source="Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam 2007, Definition 4.1",
    status=Status.PROVED,
)
@dataclass(frozen=True, slots=True)
class EntropyDiversity(RatioDiversity):
    """The entropy of the sensitive values of every group is at least that of l equally frequent ones.

    `l` is a number of 1 or more, or an exact fraction such as "5/2"; 1 is for comparison, and promises nothing.
    """

    l: Fraction  # noqa: E741 - the name in the papers

    def __post_init__(self) -> None:
        # A number that is written is meant as it is written: 2.1 is twenty-one tenths.
        object.__setattr__(self, "l", Fraction(str(self.l)))
        if self.l < 1:
            raise refuse("entropy-l-diversity", "l must be at least 1", "Ask for 2 or more", found=str(self.l))

    def enough(self, bags: Bags) -> NDArray[np.bool_]:
        """For each bag, whether its entropy is at least log l."""

        def counts(g: int) -> list[int]:
            here: list[int] = bags.counts[bags.starts[g] : bags.starts[g + 1]].tolist()
            return here

        weights = bags.summed(_weights(bags.counts))
        return self._reach(_Parts(bags.sizes, weights, bags.distinct, bags.largest, counts))

    def permits(self, counts: Sequence[int]) -> bool:
        """Whether the entropy of the numbers is at least log l; of very large ones, whether it surely is."""
        shared = math.gcd(*counts)
        parts = [count // shared for count in counts if count]
        if len(set(parts)) <= 1:
            return bool(parts) and len(parts) >= self.l
        return self._is_reached(parts) if sum(parts) <= _IN_FULL else self._is_surely_reached(parts)

    def needs(self, bags: Bags) -> Counts:
        """The size from which on the part that takes the most frequent values first holds."""
        greedy = _Greedy.of(bags)
        every = np.arange(len(bags.counts))
        filled = self._reach(greedy.up_to(every, bags.ranked))
        # The value with which a part reaches l; where no value does, all rows are too few.
        whole = bags.summed((~filled).astype(np.int64))
        needed = bags.sizes + 1
        found = np.flatnonzero(whole < bags.distinct)
        entry = bags.starts[found] + whole[found]
        low, high = np.ones(len(entry), dtype=np.int64), bags.ranked[entry]
        while (low < high).any():
            middle = (low + high) // 2
            reached = self._reach(greedy.up_to(entry, middle))
            low, high = np.where(reached, low, middle + 1), np.where(reached, middle, high)
        needed[found] = greedy.before[entry] + high
        return needed

    def reached(self, bags: Bags) -> Finding:
        """How many equally frequent values are as hard to guess as those of the worst group."""
        verdict = Verdict.HOLDS if self.enough(bags).all() else Verdict.FAILS
        asked = float(self.l)
        # The figure is rounded; the verdict is not.
        worst = max(_effective(bags), asked) if verdict is Verdict.HOLDS else min(_effective(bags), asked)
        name = "fewest equally frequent values that are as hard to guess as those of a group"
        return Finding(name, bags.view, worst, verdict, limit=self.l)

    def attainable(self, bags: Bags) -> str:
        """The largest l, in hundredths, that holds for all bags."""
        steps = max(int(_effective(bags) * _STEPS) + 1, _STEPS)
        while not EntropyDiversity(Fraction(steps, _STEPS)).enough(bags).all():
            steps -= 1
        return f"l = {steps / _STEPS}"

    @property
    def promise(self) -> str:
        """The requirement in a few words."""
        return f"entropy of l = {self.l}"

    def _reach(self, parts: _Parts) -> NDArray[np.bool_]:
        """For each part, whether its entropy is at least log l."""
        # No group has so many values; larger numbers would leave what 64 bits hold.
        asked_for = min(self.l, Fraction(_MOST))
        asked = np.rint(parts.sizes * math.log(asked_for) * _UNIT).astype(np.int64)
        whole = _weights(parts.sizes)
        surplus = whole - parts.weights - asked
        # One unit for every rounding, and far more than the last digits of the logarithms can be wrong.
        margin = parts.distinct + 4 + (whole >> 40) + (asked >> 40)
        alike = parts.largest * parts.distinct == parts.sizes
        answer: NDArray[np.bool_] = np.where(alike, parts.distinct >= math.ceil(asked_for), surplus > margin)
        for each in np.flatnonzero(~alike & (np.abs(surplus) <= margin)).tolist():
            answer[each] = self._is_reached(parts.counts(each))
        return answer

    def _is_reached(self, counts: list[int]) -> bool:
        """Whether counts have an entropy of at least log l, in whole numbers; only their proportions matter."""
        shared = math.gcd(*counts)
        parts = [count // shared for count in counts]
        size = sum(parts)
        filled = math.prod(count**count for count in parts if count > 1)
        reached: bool = (size * self.l.denominator) ** size >= self.l.numerator**size * filled
        return reached

    def _is_surely_reached(self, parts: list[int]) -> bool:
        """The same for numbers of any size; what cannot be told in sixty digits counts as not reached."""
        from decimal import Decimal, localcontext

        total = sum(parts)
        rough = -math.fsum(part / total * math.log(part / total) for part in parts if part / total) - math.log(self.l)
        if abs(rough) > _ROUGH * len(parts):
            return rough > 0
        with localcontext(prec=_DIGITS):
            size = Decimal(total)
            shares = [Decimal(part) / size for part in parts]
            entropy = -sum((share * share.ln() for share in shares if share), Decimal(0))
            asked = (Decimal(self.l.numerator) / self.l.denominator).ln()
            return entropy - asked > (1 + asked + len(parts)) * Decimal(10) ** (_SPARE - _DIGITS)


@dataclass(frozen=True)
class _Greedy:
    """The parts of bags that take the most frequent values first; `before` are the rows ahead of each entry."""

    bags: Bags
    before: Counts
    weights_before: Counts

    @staticmethod
    def of(bags: Bags) -> _Greedy:
        return _Greedy(bags, _ahead(bags, bags.ranked), _ahead(bags, _weights(bags.ranked)))

    def up_to(self, entry: Counts, rows: Counts) -> _Parts:
        """The parts that end with so many rows of these entries."""
        place, first = self.bags.place[entry], self.bags.starts[self.bags.owner[entry]]

        def counts(number: int) -> list[int]:
            return [*self.bags.ranked[first[number] : entry[number]].tolist(), int(rows[number])]

        largest = np.where(place == 0, rows, self.bags.ranked[first])
        weights = self.weights_before[entry] + _weights(rows)
        return _Parts(self.before[entry] + rows, weights, place + 1, largest, counts)


def _ahead(bags: Bags, entries: Counts) -> Counts:
    """The sum of the entries ahead of each one in its group."""
    up_to = np.cumsum(entries) - entries
    ahead: Counts = up_to - up_to[bags.starts[bags.owner]]
    return ahead


def _weights(counts: Counts) -> Counts:
    """c log c in units, to the nearest one."""
    weights: Counts = np.rint(counts * np.log(np.maximum(counts, 1)) * _UNIT).astype(np.int64)
    return weights


def _effective(bags: Bags) -> float:
    """The number of equally frequent values with the least entropy of the bags."""
    entropy = (_weights(bags.sizes) - bags.summed(_weights(bags.counts))) / bags.sizes
    return float(np.exp(entropy.min() / _UNIT))
