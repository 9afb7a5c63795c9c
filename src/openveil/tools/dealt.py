"""Publishers that deal the rows of each stratum at random (stratified pick-up), and how likely what they deal is.

Claim. `odds_of` is the exact probability that just these groups are dealt. It follows from the bags of the strata and
of the groups alone, so it is the same for every table that agrees with both.

Why it holds. See `tools/pick_up.py`.

Cost. For the odds, one plan of each stratum for every way in which its left-overs can be placed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from openveil.core.errors import GuaranteeError
from openveil.core.recoding import Recoding
from openveil.core.requirement import Requirement
from openveil.core.secret import Secret
from openveil.core.table import Public
from openveil.core.witness import Labels, Witness
from openveil.tools import pick_up
from openveil.tools.grouped import Grouped, refuse_unattainable


@dataclass(frozen=True)
class Dealt(Grouped):
    """A publisher of groups that are dealt from strata; a subclass says how it settles the strata."""

    def drawn(self, strata: Labels, witness: Witness, requirement: Requirement, secret: Secret) -> Labels:
        """The groups that pick-up draws from the strata."""
        return pick_up.pick_up(strata, witness, requirement, secret)

    def outcomes(
        self, public: Public, witness: Witness, requirement: Requirement
    ) -> Iterator[tuple[Recoding, Fraction]]:
        """Every dealing of a small table, and how likely it is; nothing where the table is refused."""
        try:
            refuse_unattainable(public, witness, requirement)
        except GuaranteeError:
            return
        strata = self.settled(public, witness, requirement)
        for partition, chance in pick_up.dealings(strata, witness, requirement):
            group = np.empty(len(public), dtype=np.int32)
            for number, rows in enumerate(partition):
                group[list(rows)] = number
            yield self.recoded(public, strata, group), chance

    def odds_of(self, strata: Labels, group: Labels, witness: Witness, requirement: Requirement) -> Fraction:
        """How likely pick-up draws these groups from the strata."""
        return pick_up.odds(strata, group, witness, requirement)

    def may_deal(self, strata: Labels, group: Labels, witness: Witness, requirement: Requirement) -> bool:
        """Whether pick-up makes groups as many and as large of the strata, which they lie in."""
        return pick_up.possible(strata, group, witness, requirement)
