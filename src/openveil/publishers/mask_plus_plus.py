"""MASK++: MASK+ with stratified pick-up, as it was published. Known unsafe; kept for comparison.

Claim. In every group each value is shown for at most one m-th of the rows. It is not algorithm-safe: in a group of
four rows, of three values (m = 2), somebody's value is known with 8/15.

Why it fails. It shows what `mask+` shows, in smaller groups. Pick-up itself is decided from what is shown, and adds
nothing. `mask++r` is the repair.

Cost. That of `mask+`, one heap operation a row and one sort: n log n.

Source. Jin, Zhang, Das 2011, sections 6.3 and 7 (SPEC A9 and A7).
"""

from __future__ import annotations

from dataclasses import dataclass

from openveil.core.recoding import Replaced
from openveil.core.registry import Kind, Status, part
from openveil.core.requirement import Requirement
from openveil.core.secret import Secret
from openveil.core.witness import Labels, Witness
from openveil.requirements.m_confidentiality import MConfidentiality
from openveil.tools.ascending import Reading, Ties, TopUp, read_ascending
from openveil.tools.masked import Masked
from openveil.tools.pick_up import pick_up


@part(Kind.PUBLISHER, "mask++", source="Jin, Zhang, Das 2011, sections 6.3 and 7", status=Status.KNOWN_UNSAFE)
@dataclass(frozen=True)
class MaskPlusPlus(Masked):
    """Read frequencies from the least on and make up the others, then deal the rows into smaller groups.

    `reading`, `ties` and `top_up` are as for `mask+`. Before they are dealt, groups have at least `k` rows, and at
    least m. `widths` says how the widest attribute is found: "relative" to its width in the table, or "raw".
    `scheme` is "generalisation" or "bucketisation"; `show` is "fitting", "intervals" or "nodes".
    """

    reading: Reading = Reading.CORRECTED
    ties: Ties = Ties.BY_LABEL
    top_up: TopUp = TopUp.BY_FREQUENCY

    def masked(self, strata: Labels, witness: Witness, model: MConfidentiality, secret: Secret) -> Replaced:
        """The frequencies that were read, and for the others made up ones."""
        return read_ascending(strata, witness, model, secret, (self.reading, self.ties, self.top_up))

    def drawn(self, strata: Labels, witness: Witness, requirement: Requirement, secret: Secret) -> Labels:
        """The groups that pick-up draws from the values that are shown."""
        return pick_up(strata, witness, requirement, secret)
