"""Hilb++, as it was published. Known unsafe, against the theorem that it is safe; kept for comparison.

Claim. Every group meets frequency l-diversity, the only model it works for. It is not algorithm-safe: of the table
c, c, d, b, b, a, d in the order of the curve (l = 2) it may publish {1, 3}, {2, 5} and {4, 6, 7}, and whoever knows
the algorithm knows the values of the first three persons and of the fifth for certain.

Why it fails. Its strata are the groups of `hilb+`, which tell of the rows they passed over; dealing the rows of each
stratum at random hides nothing of that. `hilb++r` is the repair.

Cost. That of `hilb+`, one heap operation a row and one sort: n log n.

Source. Jin, Zhang, Das 2011, sections 6.2.2 and 7 (SPEC A4 and A7).
"""

from __future__ import annotations

from dataclasses import dataclass

from openveil.core.registry import Kind, Status, part
from openveil.core.requirement import Requirement
from openveil.core.table import Public
from openveil.core.witness import Labels, Witness
from openveil.tools.dealt import Dealt
from openveil.tools.heads import by_heads


@part(Kind.PUBLISHER, "hilb++", source="Jin, Zhang, Das 2011, sections 6.2.2 and 7", status=Status.KNOWN_UNSAFE)
@dataclass(frozen=True)
class HilbPlusPlus(Dealt):
    """Pick rows of distinct values along the Hilbert curve, then deal those of each group into smaller ones.

    `scheme` is "generalisation" or "bucketisation"; `show` is "fitting", "intervals" or "nodes".
    """

    def settled(self, public: Public, witness: Witness, requirement: Requirement) -> Labels:
        """The strata: groups of first rows, as long as look-ahead allows, and what is left."""
        from openveil.kernels.heads import foreseen_groups

        return by_heads(public, witness, requirement, foreseen_groups)
