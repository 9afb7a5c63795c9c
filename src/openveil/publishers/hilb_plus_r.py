"""Hilb+R: groups along the Hilbert curve, with global look-ahead. The repair of Hilb+.

Claim. Every group meets the requirement, and the release is algorithm-safe: whoever knows the algorithm, every
quasi-identifier and which group each person is in learns nothing beyond what the groups show.

Why it holds. Rows are put on a line by their quasi-identifiers, and groups are cut off its front, of as many rows
as every part of what is left needs (`tools/look_ahead.py`): for frequency l-diversity, l times the count of its
most frequent value. It is cut only if as many are left over. Rows of equal quasi-identifiers stay together, so
nothing depends on the order of the rows (`tools/hilbert_cuts.py`). `hilb+` cuts l rows at a time, but picks them by
their values. Enumerated on every small table (docs/proofs.md).

Cost. One sort of the rows and about 16 log n looks at most, each at what is left: n log n.

Source. The repair of Jin, Zhang, Das 2011, Algorithm 2 (SPEC A5).
"""

from __future__ import annotations

from dataclasses import dataclass

from openveil.core.registry import Kind, Status, part
from openveil.core.requirement import Requirement
from openveil.core.table import Public
from openveil.core.witness import Labels, Witness
from openveil.tools.grouped import Grouped
from openveil.tools.hilbert_cuts import HilbertCuts
from openveil.tools.look_ahead import look_ahead


@part(Kind.PUBLISHER, "hilb+r", source="after Jin, Zhang, Das 2011, Algorithm 2", status=Status.PROVED)
@dataclass(frozen=True)
class HilbPlusR(Grouped):
    """Cut runs off the Hilbert curve only where no arrangement of sensitive values could make the rest unsafe.

    `scheme` is "generalisation" or "bucketisation"; `show` is "fitting", "intervals" or "nodes".
    """

    def settled(self, public: Public, witness: Witness, requirement: Requirement) -> Labels:
        """The groups that look-ahead leaves."""
        return look_ahead(HilbertCuts(public, requirement), witness, requirement)
