"""Mondrian for l-diversity, as it was published. Known unsafe; kept for comparison.

Claim. Every group meets the requirement. It is not algorithm-safe: on the table aabb (x = 1..4, l = 2) only 2 of
the 6 tables that agree with the release could have led to it, and with five rows (two quasi-identifiers) somebody's
value is known with more than 1/l.

Why it fails. It revokes a cut when one side fails, and so tells how values lie in groups it does not publish
(`tools/trial.py`). `mondrian+` is the repair.

Cost. At most one tally and one pass a round and attribute, log n rounds: n log n for a fixed number of attributes.

Source. LeFevre, DeWitt, Ramakrishnan 2006; Jin, Zhang, Das 2011, section 6.2.1.
"""

from __future__ import annotations

from dataclasses import dataclass

from openveil.core.bags import Bags
from openveil.core.registry import Kind, Status, part
from openveil.core.requirement import Requirement
from openveil.core.table import Public
from openveil.core.witness import Labels, Witness
from openveil.tools.cuts import MedianCuts, Widths
from openveil.tools.grouped import Grouped
from openveil.tools.trial import cut_on_trial


@part(Kind.PUBLISHER, "mondrian", source="Jin, Zhang, Das 2011, section 6.2.1", status=Status.KNOWN_UNSAFE)
@dataclass(frozen=True)
class Mondrian(Grouped):
    """Cut at medians and revoke a cut whose sides fail: who knows the algorithm learns what the release hides.

    `widths` says how the widest attribute is found: "relative" to its width in the table, or "raw". `scheme` is
    "generalisation" or "bucketisation"; `show` is "fitting", "intervals" or "nodes".
    """

    widths: Widths = Widths.RELATIVE

    def settled(self, public: Public, witness: Witness, requirement: Requirement) -> Labels:
        """The groups that are left when no cut holds any more."""
        one = Bags.of_counts("", [[1]])
        fixed = [int(each.needs(one)[0]) for each in requirement.parts() if not each.reads_sensitive]
        return cut_on_trial(MedianCuts(public, requirement, self.widths), witness, requirement, max(fixed, default=1))
