"""Mondrian+: Mondrian with global look-ahead.

Claim. Every group meets the requirement, and the release is algorithm-safe: whoever knows the algorithm, every
quasi-identifier and which group each person is in learns nothing beyond what the groups show.

Why it holds. A group is cut at the median of its widest attribute only if both sides have at least as many rows as
every part of its bag needs (`tools/look_ahead.py`): for frequency l-diversity, l times the count of its most frequent
value. Where the widest attribute cannot be cut, the next is tried, by quasi-identifiers alone. Rows of one value stay
together, so nothing depends on the order of the rows. Enumerated on every small table (docs/proofs.md).

Cost. One tally and one cut a round, and log n rounds: n log n for a fixed number of attributes.

Source. Jin, Zhang, Das 2011, section 6.2.1, Algorithm 1, with its loop as it must be (SPEC A2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from openveil.core.registry import Kind, Status, part
from openveil.core.requirement import Requirement
from openveil.core.table import Public
from openveil.core.witness import Labels, Witness
from openveil.tools.cuts import MedianCuts, Widths
from openveil.tools.grouped import Grouped
from openveil.tools.look_ahead import look_ahead


@part(Kind.PUBLISHER, "mondrian+", source="Jin, Zhang, Das 2011, Algorithm 1", status=Status.PROVED)
@dataclass(frozen=True)
class MondrianPlus(Grouped):
    """Cut at medians only where no arrangement of sensitive values could make a side unsafe.

    `widths` says how the widest attribute is found: "relative" to its width in the table, or "raw". `scheme` is
    "generalisation" or "bucketisation"; `show` is "fitting", "intervals" or "nodes".
    """

    in_boxes: ClassVar[bool] = True

    widths: Widths = Widths.RELATIVE

    def settled(self, public: Public, witness: Witness, requirement: Requirement) -> Labels:
        """The groups that look-ahead leaves."""
        return look_ahead(MedianCuts(public, requirement, self.widths), witness, requirement)
