"""Information loss: what generalisation costs, in exact integers.

Claim. `Prices` gives the loss of showing a code at a level, of whole vectors of levels without suppression, and
of suppressed classes, in integer units of 1/`unit`. A suppressed row costs as much as one shown as `*` in every
attribute.

Why it holds. [001] Eq. 4: a value shown as a node with b leaves of an axis with D values loses (b - 1)/D; Eq. 5
weighs attributes; Eq. 6 adds up rows. `unit` is a common multiple of every denominator, so nothing is rounded.
When such a unit would overflow 64-bit sums, the largest that does not is used, prices are rounded to it, and
`exact` says so; weights that would leave less than `_COARSEST` units to a row's whole loss are refused.

Cost. One histogram an attribute; afterwards the loss of a vector is a sum of table entries. `InformationLoss`
measures any recoding: one pass over its groups.

Source. Xiao and Tao, Personalized Privacy Preservation, 2006, Equations 4 to 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from openveil.core.axis import Hierarchy
from openveil.core.bags import Counts
from openveil.core.classes import Classes
from openveil.core.errors import refuse
from openveil.core.finding import Finding, Key
from openveil.core.recoding import Recoding, Scheme
from openveil.core.registry import Kind, Status, part
from openveil.core.table import Public

A_ROW, SHARE = ("information loss", "a row, on average"), ("information loss", "share of losing everything")

_LARGEST_TOTAL = 1 << 62
_COARSEST = 1 << 20


@dataclass(frozen=True, eq=False)
class Prices:
    """`of_code[a][level][code]`: the loss of one row; `of_level[a][level]`: of all rows; in units of 1/`unit`."""

    unit: int
    exact: bool
    of_code: tuple[tuple[Counts, ...], ...]
    of_level: tuple[Counts, ...]

    @staticmethod
    def of(public: Public, classes: Classes) -> Prices:
        """The prices for the rows of `public`, whose finest classes are `classes`."""
        wanted, most = _units(public)
        unit = min(wanted, most)
        exact = tuple(
            tuple(_prices(hierarchy, level, weight, unit) for level in range(hierarchy.height + 1))
            for hierarchy, weight in zip(public.hierarchies, public.weights, strict=True)
        )
        columns = range(len(exact))
        rows = [_histogram(classes, a, len(public.hierarchies[a].axis)) for a in columns]
        totals = tuple(np.array([int(price @ rows[a]) for price in exact[a]], dtype=np.int64) for a in columns)
        return Prices(unit, wanted <= most, exact, totals)

    @property
    def of_suppressed_row(self) -> int:
        """The loss of one row of which nothing is shown: the root in every attribute."""
        return sum(int(levels[-1].max(initial=0)) for levels in self.of_code)

    def generalising(self, vector: Sequence[int]) -> int:
        """The loss of all rows at `vector` when none is suppressed."""
        return sum(int(totals[level]) for totals, level in zip(self.of_level, vector, strict=True))

    def suppressing(self, classes: Classes, chosen: NDArray[np.bool_], vector: Sequence[int]) -> int:
        """What suppressing the chosen classes adds to the loss of `vector`."""
        if not chosen.any():
            return 0
        base = classes.base[classes.firsts[chosen]]
        shown = np.zeros(len(base), dtype=np.int64)
        for a, level in enumerate(vector):
            shown += self.of_code[a][level][base[:, a]]
        return int((self.of_suppressed_row - shown) @ classes.sizes[chosen])

    def in_all(self, units: int) -> Fraction:
        """A number of units as the information loss of the papers."""
        return Fraction(units, self.unit)


def _units(public: Public) -> tuple[int, int]:
    """The unit in which every price is whole, and the largest whose totals fit a machine word."""
    denominators = [max(1, len(hierarchy.axis)) for hierarchy in public.hierarchies]
    weights = [weight.denominator for weight in public.weights]
    heaviest = sum(public.weights) + 1
    most = int(_LARGEST_TOTAL // (max(1, len(public)) * heaviest))
    lightest = min((weight for weight in public.weights if weight), default=Fraction(1))
    if most * lightest < _COARSEST:
        raise refuse(
            "plan: columns: weight", "weights differ too much to be compared exactly", "Use weights such as 1 to 100"
        )
    return lcm(*denominators, 1) * lcm(*weights, 1), most


def _prices(hierarchy: Hierarchy, level: int, weight: Fraction, unit: int) -> Counts:
    """The loss of showing each code at `level`; nodes with as many leaves cost the same, so each is priced once."""
    size = max(1, len(hierarchy.axis))
    distinct, which = np.unique(hierarchy.leaves(level), return_inverse=True)
    priced = [round(weight * Fraction(int(leaves) - 1, size) * unit) for leaves in distinct]
    return np.array(priced, dtype=np.int64)[which.ravel()][hierarchy.node_of_leaf(level)]


def _histogram(classes: Classes, attribute: int, size: int) -> Counts:
    codes = classes.base[classes.firsts, attribute]
    return np.bincount(codes, classes.sizes, minlength=size).astype(np.int64)


@part(Kind.UTILITY, "information-loss", source="Xiao and Tao 2006, Equations 4 to 6", status=Status.PROVED)
@dataclass(frozen=True, slots=True)
class InformationLoss:
    """The average loss of a row, weighted; a suppressed row loses everything."""

    says: ClassVar[tuple[Key, ...]] = (A_ROW, SHARE)

    def measure(self, public: Public, recoding: Recoding) -> tuple[Finding, ...]:
        """The loss a row, and as a share of losing everything."""
        sizes = np.bincount(recoding.group + 1, minlength=len(recoding.cells) + 1).astype(np.int64)
        suppressed, kept = int(sizes[0]), sizes[1:]
        most = sum((_most(h, w) for h, w in zip(public.hierarchies, public.weights, strict=True)), Fraction(0))
        total = suppressed * most
        for a, (hierarchy, weight) in enumerate(zip(public.hierarchies, public.weights, strict=True)):
            total += weight * Fraction(_lost(recoding, a, kept), max(1, len(hierarchy.axis)))
        rows = max(1, len(recoding.group))
        share = total / rows / most if most else Fraction(0)
        return (
            Finding(*A_ROW, total / rows),
            Finding(*SHARE, share),
        )


def _lost(recoding: Recoding, attribute: int, kept: Counts) -> int:
    """How many more codes the kept rows are shown as than the one each has; bucketisation shows them as they are."""
    if recoding.scheme is Scheme.BUCKETISATION:
        return 0
    display = recoding.displays[attribute]
    width = (display.upper - display.lower).astype(np.int64)
    return int(width[recoding.cells[:, attribute]] @ kept)


def _most(hierarchy: Hierarchy, weight: Fraction) -> Fraction:
    size = max(1, len(hierarchy.axis))
    return weight * Fraction(size - 1, size)
