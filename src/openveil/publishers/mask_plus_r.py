"""MASK+R: k-anonymous groups in which values are merged where they may not be told apart. The repair of MASK+.

Claim. The release is algorithm-safe: whoever knows the algorithm, every quasi-identifier, which group each person is
in and anything else about anybody learns nothing beyond what the groups show. A cell shows the person's own value,
or names several, one of which it is. A reader who takes all values of `domain` for equally likely, and knows nothing
else of the values, is right with probability at most 1/m that a person has any one value - any of the listed ones,
where some are listed. A reader with other expectations, or who can rule out values of a person, may be right more
often; but no more often than one who does not know the algorithm.

Why it holds. Groups depend on quasi-identifiers alone. Nothing is read of the values of a group but what can be
counted in the release, and nothing is made up (`tools/local_look_ahead.py`). Enumerated on every small table, with
and without further knowledge (tests/contracts/test_masked_worlds.py).

MASK+ cannot be mended by changing how values are read in ascending order: whatever is read, that the others are no
less frequent is known to whoever knows the algorithm, and not shown. So nothing is read in order of frequency here.

Cost. A pass over the rows a round of cuts and a round of reading: n log n for a fixed number of attributes.

Source. After Jin, Zhang, Das 2011, section 6.3; docs/decisions/0011.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from openveil.core.recoding import Replaced
from openveil.core.registry import Kind, Status, part
from openveil.core.secret import Secret
from openveil.core.witness import Labels, Witness
from openveil.requirements.m_confidentiality import MConfidentiality
from openveil.tools.local_look_ahead import Layout, look_ahead_locally
from openveil.tools.masked import Masked


@part(Kind.PUBLISHER, "mask+r", source="after Jin, Zhang, Das 2011, section 6.3", status=Status.PROVED)
@dataclass(frozen=True)
class MaskPlusR(Masked):
    """Show several sensitive values in place of one where a group has too few different ones.

    `domain` lists every value that the sensitive column may have, whether it occurs or not, in an order in which
    neighbours may be merged; anyone may know it. Listed values are merged with the first m - 1 others each, so put
    rare ones first. Groups have at least `k` rows, and at least m. `widths` says how the widest attribute is found:
    "relative" to its width in the table, or "raw". `scheme` is "generalisation" or "bucketisation"; `show` is
    "fitting", "intervals" or "nodes".
    """

    domain: tuple[str, ...] = field(kw_only=True)

    def masked(self, strata: Labels, witness: Witness, model: MConfidentiality, secret: Secret) -> Replaced:
        """Values, or the runs of the domain they are in."""
        return look_ahead_locally(strata, witness, Layout.of(self.domain, model))
