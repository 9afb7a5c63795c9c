"""Hilb, as it was published. Known unsafe; kept for comparison.

Claim. Every group meets frequency l-diversity, the only model it works for. It is not algorithm-safe: of the table
c, c, d, b, b in the order of the curve (l = 2) it publishes {1, 3, 4} and {2, 5}, and whoever knows the algorithm
knows the value of the third person for certain.

Why it fails. A group is the first rows of distinct values, so a row that was passed over has a value of the group
that passed it; and a group grows, or is formed of frequent values instead, because of what would be left over,
which the release does not show. `hilb+r` is the repair.

Cost. One sort of the rows and two heap operations each: n log n.

Source. Ghinita, Karras, Kalnis, Mamoulis, Fast data anonymization with low information loss, 2007; Jin, Zhang, Das
2011, section 6.2.2 (SPEC A3).
"""

from __future__ import annotations

from dataclasses import dataclass

from openveil.core.registry import Kind, Status, part
from openveil.core.requirement import Requirement
from openveil.core.table import Public
from openveil.core.witness import Labels, Witness
from openveil.tools.grouped import Grouped
from openveil.tools.heads import by_heads


@part(Kind.PUBLISHER, "hilb", source="Jin, Zhang, Das 2011, section 6.2.2", status=Status.KNOWN_UNSAFE)
@dataclass(frozen=True)
class Hilb(Grouped):
    """Group rows of distinct values along the Hilbert curve: who knows the algorithm learns what the release hides.

    `scheme` is "generalisation" or "bucketisation"; `show` is "fitting", "intervals" or "nodes".
    """

    def settled(self, public: Public, witness: Witness, requirement: Requirement) -> Labels:
        """The groups of first rows that leave well enough mixed ones."""
        from openveil.kernels.heads import tried_groups

        return by_heads(public, witness, requirement, tried_groups)
