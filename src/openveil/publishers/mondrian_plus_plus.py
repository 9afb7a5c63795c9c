"""Mondrian++: Mondrian with global look-ahead and stratified pick-up. The default for sensitive values.

Claim. Every group meets the requirement, and the release is algorithm-safe: whoever knows the algorithm, every
quasi-identifier and which group each person is in learns nothing beyond what the groups show. Groups are smaller than
those of `mondrian+`, and more evenly mixed.

Why it holds. The strata are those of `mondrian+`. Each is then dealt at random into groups, decided from its bag
alone (`tools/pick_up.py`); the draw depends on a secret. Enumerated on every small table (docs/proofs.md).
Generalised groups may overlap, so a reader knows less than which group a person is in: what is learned then is an
average over the possible groups of what would be learned if they were known.

Under `personal-breach` the strata are published as they are, for what guards values cannot be dealt.

Cost. That of `mondrian+`, one heap operation a row and one sort: n log n for a fixed number of attributes.

Source. Jin, Zhang, Das 2011, sections 6.2.1 and 7 (SPEC A2 and A7).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from openveil.core.registry import Kind, Status, part
from openveil.core.requirement import Requirement
from openveil.core.table import Public
from openveil.core.witness import Labels, Witness
from openveil.tools.cuts import MedianCuts, Widths
from openveil.tools.dealt import Dealt
from openveil.tools.look_ahead import look_ahead


@part(Kind.PUBLISHER, "mondrian++", source="Jin, Zhang, Das 2011, sections 6.2.1 and 7", status=Status.PROVED)
@dataclass(frozen=True)
class MondrianPlusPlus(Dealt):
    """Cut at medians by looking ahead, then deal the rows of each group into smaller, well mixed ones at random.

    `widths` says how the widest attribute is found: "relative" to its width in the table, or "raw". `scheme` is
    "generalisation" or "bucketisation"; `show` is "fitting", "intervals" or "nodes".
    Under personal-breach nothing is dealt, and the groups are those of "mondrian+".
    """

    in_boxes: ClassVar[bool] = True

    widths: Widths = Widths.RELATIVE

    def settled(self, public: Public, witness: Witness, requirement: Requirement) -> Labels:
        """The strata that look-ahead leaves."""
        return look_ahead(MedianCuts(public, requirement, self.widths), witness, requirement)
