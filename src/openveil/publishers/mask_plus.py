"""MASK+, as it was published. Known unsafe, against the theorem that it is simulatable; kept for comparison.

Claim. In every group each value is shown for at most one m-th of the rows - with `reading` "corrected" or, where
that leaves room for all rows, "told"; as printed, a, a of three values is published as it is (m = 2). It is not
algorithm-safe: of two rows shown as a and c, of three values, each is an a with probability 2/3; of six shown as a,
b, b, c, c, c each is a c with 5/9, and with 8/15 if ties are broken at random.

Why it fails. Which frequencies were read, and in which order unread ones are raised, tells how they compare
(`tools/ascending.py`). `mask+r` is the repair.

Cost. One tally, one sort of the values of each group, one deal: n log n with the groups.

Source. Jin, Zhang, Das 2011, section 6.3, Algorithm 3 (SPEC A9).
"""

from __future__ import annotations

from dataclasses import dataclass

from openveil.core.recoding import Replaced
from openveil.core.registry import Kind, Status, part
from openveil.core.secret import Secret
from openveil.core.witness import Labels, Witness
from openveil.requirements.m_confidentiality import MConfidentiality
from openveil.tools.ascending import Reading, Ties, TopUp, read_ascending
from openveil.tools.masked import Masked


@part(Kind.PUBLISHER, "mask+", source="Jin, Zhang, Das 2011, Algorithm 3", status=Status.KNOWN_UNSAFE)
@dataclass(frozen=True)
class MaskPlus(Masked):
    """Read frequencies from the least on, as long as the worst case allows, and make up the others.

    `reading` says where the worst case is looked at: "corrected" (at every value), "told" (not at the first) or
    "printed" (nor at the last but one). `ties` are broken "by label" or "at random". `top_up` raises values that
    were not read "by frequency" or "by label". Groups have at least `k` rows, and at least m. `widths` says how the
    widest attribute is found: "relative" to its width in the table, or "raw". `scheme` is "generalisation" or
    "bucketisation"; `show` is "fitting", "intervals" or "nodes".
    """

    reading: Reading = Reading.CORRECTED
    ties: Ties = Ties.BY_LABEL
    top_up: TopUp = TopUp.BY_FREQUENCY

    def masked(self, strata: Labels, witness: Witness, model: MConfidentiality, secret: Secret) -> Replaced:
        """The frequencies that were read, and for the others made up ones."""
        return read_ascending(strata, witness, model, secret, (self.reading, self.ties, self.top_up))
