"""MASK++R: values merged where they may not be told apart, then dealt into smaller groups. The repair of MASK++.

Claim. That of `mask+r`, with smaller and more evenly mixed groups: whoever knows the algorithm, every
quasi-identifier, which group each person is in and anything else about anybody learns nothing beyond what the groups
show; the bound of 1/m holds for a reader who takes all values of `domain` for equally likely and knows nothing else
of the values.

Why it holds. The strata and what is shown of their values are those of `mask+r`. Each is dealt at random into
groups, decided from what is shown and from chance alone, with a secret (`tools/pick_up.py`): all tables that agree
with the release show the same cells in the strata, and every dealing is as likely for one as for the other. Groups
are asked about as if a cell that names a protected value were that value, which is more than the model asks.
Enumerated on every small table (tests/contracts/test_masked_worlds.py). Generalised groups may overlap, so a reader
knows less than which group a person is in: what is learned then is an average over the possible groups of what would
be learned if they were known.

Cost. That of `mask+r`, one heap operation a row and one sort: n log n for a fixed number of attributes.

Source. After Jin, Zhang, Das 2011, sections 6.3 and 7; docs/decisions/0011.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from openveil.core.recoding import Replaced
from openveil.core.registry import Kind, Status, part
from openveil.core.requirement import Requirement
from openveil.core.secret import Secret
from openveil.core.witness import Labels, Witness
from openveil.requirements.m_confidentiality import MConfidentiality
from openveil.tools.local_look_ahead import Layout, look_ahead_locally
from openveil.tools.masked import Masked
from openveil.tools.pick_up import pick_up


@part(Kind.PUBLISHER, "mask++r", source="after Jin, Zhang, Das 2011, sections 6.3 and 7", status=Status.PROVED)
@dataclass(frozen=True)
class MaskPlusPlusR(Masked):
    """Show several sensitive values in place of one where need be, then deal the rows into smaller groups at random.

    `domain` lists every value that the sensitive column may have, whether it occurs or not, in an order in which
    neighbours may be merged; anyone may know it. Listed values are merged with the first m - 1 others each, so put
    rare ones first. Before they are dealt, groups have at least `k` rows, and at least m. `widths` says how the
    widest attribute is found: "relative" to its width in the table, or "raw". `scheme` is "generalisation" or
    "bucketisation"; `show` is "fitting", "intervals" or "nodes".
    """

    domain: tuple[str, ...] = field(kw_only=True)

    def masked(self, strata: Labels, witness: Witness, model: MConfidentiality, secret: Secret) -> Replaced:
        """Values, or the runs of the domain they are in."""
        return look_ahead_locally(strata, witness, Layout.of(self.domain, model))

    def drawn(self, strata: Labels, witness: Witness, requirement: Requirement, secret: Secret) -> Labels:
        """The groups that pick-up draws from the values that are shown."""
        return pick_up(strata, witness, requirement, secret)
