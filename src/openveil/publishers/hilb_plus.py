"""Hilb+, as it was published. Known unsafe, against the theorem that it is safe; kept for comparison.

Claim. Every group meets frequency l-diversity, the only model it works for. It is not algorithm-safe: of the table
a, a, b, c, d, c in the order of the curve (l = 2) it publishes {1, 3} and the rest, and whoever knows the algorithm
knows the values of the first three persons for certain. Of c, c, b, d, b, d only 6 of 24 tables remain.

Why it fails. When to form a group is decided by looking ahead, which is harmless; but the group is the first rows of
distinct values, so a row that was passed over has a value of the group that passed it. Theorem 6.2 overlooks that.
`hilb+r` is the repair.

Cost. One sort of the rows and one heap operation each: n log n.

Source. Jin, Zhang, Das 2011, Algorithm 2 (SPEC A4).
"""

from __future__ import annotations

from dataclasses import dataclass

from openveil.core.registry import Kind, Status, part
from openveil.core.requirement import Requirement
from openveil.core.table import Public
from openveil.core.witness import Labels, Witness
from openveil.tools.grouped import Grouped
from openveil.tools.heads import by_heads


@part(Kind.PUBLISHER, "hilb+", source="Jin, Zhang, Das 2011, Algorithm 2", status=Status.KNOWN_UNSAFE)
@dataclass(frozen=True)
class HilbPlus(Grouped):
    """Look ahead, but pick rows of distinct values along the Hilbert curve, which tells of those passed over.

    `scheme` is "generalisation" or "bucketisation"; `show` is "fitting", "intervals" or "nodes".
    """

    def settled(self, public: Public, witness: Witness, requirement: Requirement) -> Labels:
        """The groups of first rows, as long as look-ahead allows, and what is left."""
        from openveil.kernels.heads import foreseen_groups

        return by_heads(public, witness, requirement, foreseen_groups)
