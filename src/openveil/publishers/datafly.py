"""Datafly: raise the attribute with the most distinct values until few enough rows are left over. A baseline.

Claim. What it returns meets the requirement and suppresses at most `max_suppressed` rows. It need not be minimal:
on Fig. 4 of the paper with k = 3 it ends at [1, 1], although [1, 0] is enough.

Why it holds. It stops only where the rows of the classes that do not hold are few enough, and suppresses exactly
these. It walks one generalisation strategy, each step chosen by counts of distinct values, so what it finds is
locally minimal at best. Distinct values are counted with the rows that would be suppressed; only attributes below
their root compete; of several the first in table order is raised. It never looks at a sensitive value. The walk
reads the quasi-identifiers of suppressed rows too, which a release does not show; for a requirement on
quasi-identifiers alone, as k-anonymity, that says nothing about anyone's sensitive value.

Cost. One lift a step, from the classes of the step before; at most the sum of the heights.

Source. L. Sweeney 1997, as described in P. Samarati, Protecting Respondents' Identities in Microdata Release,
2001, section 7.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from openveil.core.classes import Classes
from openveil.core.full_domain import classes_of, impossible, maps_of, recode
from openveil.core.publisher import Publisher
from openveil.core.recoding import Recoding
from openveil.core.registry import Kind, Status, part
from openveil.core.requirement import Requirement
from openveil.core.secret import Secret
from openveil.core.suppression import Allowance
from openveil.core.table import Public
from openveil.core.witness import Witness


@dataclass(frozen=True, slots=True)
class Step:
    """One vector on Datafly's way, and how many rows would have to be suppressed there."""

    levels: tuple[int, ...]
    suppressed: int


@part(Kind.PUBLISHER, "datafly", source="Sweeney 1997; Samarati 2001, section 7", status=Status.MEASURED)
@dataclass(frozen=True)
class Datafly(Publisher):
    """Raise the attribute with the most distinct values until few enough rows are left: a baseline, not minimal.

    `max_suppressed` is a number of rows (5), a share of them (0.02) or a percentage ("2%").
    """

    max_suppressed: int | float | str = 0

    def __post_init__(self) -> None:
        Allowance.of(self.max_suppressed)

    def solve(self, public: Public, witness: Witness, requirement: Requirement, secret: Secret) -> Recoding:
        """Walk up and publish at the last step, or raise `GuaranteeError` when even the top is not enough."""
        classes = classes_of(public)
        last = walk(public, classes, requirement, Allowance.of(self.max_suppressed))[-1]
        if last.suppressed > self._allowed(public):
            raise impossible(public, classes, requirement)
        return recode(public, classes, last.levels, requirement)

    def _allowed(self, public: Public) -> int:
        return Allowance.of(self.max_suppressed).rows(len(public))


def walk(public: Public, classes: Classes, requirement: Requirement, allowance: Allowance) -> tuple[Step, ...]:
    """Datafly's way from the table as it is to its last step; `classes` are the finest of `public`.

    The last step suppresses more than is allowed only where nothing is left to raise.
    """
    return tuple(_climb(public, classes, requirement, allowance.rows(len(public))))


def _climb(public: Public, classes: Classes, requirement: Requirement, allowed: int) -> Iterator[Step]:
    levels: tuple[int, ...] | None = (0,) * len(public.heights)
    while levels is not None:
        classes = classes.lift(maps_of(public, levels))
        suppressed = int(classes.sizes[~requirement.holds(classes)].sum())
        yield Step(levels, suppressed)
        levels = _raised(public, classes, levels) if suppressed > allowed else None


def _raised(public: Public, classes: Classes, levels: tuple[int, ...]) -> tuple[int, ...] | None:
    """One step up in the attribute with the most distinct values; None when all are at their root."""
    tuples = classes.tuples
    rising = [a for a, level in enumerate(levels) if level < public.heights[a]]
    if not rising:
        return None
    # `max` keeps the first of equals, which is the first attribute in table order.
    chosen = max(rising, key=lambda a: len(np.unique(tuples[:, a])))
    return (*levels[:chosen], levels[chosen] + 1, *levels[chosen + 1 :])
