"""Hilb++R: groups along the Hilbert curve, with global look-ahead and stratified pick-up. The repair of Hilb++.

Claim. Every group meets the requirement, and the release is algorithm-safe: whoever knows the algorithm, every
quasi-identifier and which group each person is in learns nothing beyond what the groups show. Groups are smaller than
those of `hilb+r`, and more evenly mixed.

Why it holds. The strata are those of `hilb+r`. Each is then dealt at random into groups, decided from its bag alone
(`tools/pick_up.py`); the draw depends on a secret. Enumerated on every small table (docs/proofs.md). Generalised
groups may overlap, so a reader knows less than which group a person is in: what is learned then is an average over
the possible groups of what would be learned if they were known.

Under `personal-breach` the strata are published as they are, for what guards values cannot be dealt.

Cost. That of `hilb+r`, one heap operation a row and one sort: n log n.

Source. The repair of Jin, Zhang, Das 2011, sections 6.2.2 and 7 (SPEC A5 and A7).
"""

from __future__ import annotations

from dataclasses import dataclass

from openveil.core.registry import Kind, Status, part
from openveil.core.requirement import Requirement
from openveil.core.table import Public
from openveil.core.witness import Labels, Witness
from openveil.tools.dealt import Dealt
from openveil.tools.hilbert_cuts import HilbertCuts
from openveil.tools.look_ahead import look_ahead


@part(Kind.PUBLISHER, "hilb++r", source="after Jin, Zhang, Das 2011, sections 6.2.2 and 7", status=Status.PROVED)
@dataclass(frozen=True)
class HilbPlusPlusR(Dealt):
    """Cut runs off the Hilbert curve by looking ahead, then deal the rows of each into smaller, well mixed groups.

    `scheme` is "generalisation" or "bucketisation"; `show` is "fitting", "intervals" or "nodes".
    Under personal-breach nothing is dealt, and the groups are those of "hilb+r".
    """

    def settled(self, public: Public, witness: Witness, requirement: Requirement) -> Labels:
        """The strata that look-ahead leaves."""
        return look_ahead(HilbertCuts(public, requirement), witness, requirement)
