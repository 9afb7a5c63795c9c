"""MASK, as it was described. Known unsafe, though made against adversaries who know the algorithm; for comparison.

Claim. At most one m-th of the rows of a group show a listed value. It is not algorithm-safe: in the example of the
paper the chance of a person to have AIDS, 1/4 in the release, is 69/200 for whoever knows the algorithm, 15/19 if
they also know that one value cannot occur, and 9/11 if they know how often one value occurs (m = 2).

Why it fails. Values are changed only in groups that violate the model, so that they were is told by every value that
is recognised as changed. `mask+r` is a repair.

Cost. One tally, one deal: n log n with the groups.

Source. Wong, Fu, Wang, Pei 2007; Jin, Zhang, Das 2011, section 2.2 (SPEC A8). The share to be left over is drawn for
each group by itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openveil.core.errors import GuaranteeError, refuse
from openveil.core.recoding import Replaced
from openveil.core.registry import Kind, Status, part
from openveil.core.secret import Secret
from openveil.core.witness import Labels, Witness
from openveil.requirements.m_confidentiality import MConfidentiality
from openveil.tools.masked import Masked
from openveil.tools.perturbation import Plan, listed_among, perturbed


@part(Kind.PUBLISHER, "mask", source="Wong, Fu, Wang, Pei 2007", status=Status.KNOWN_UNSAFE)
@dataclass(frozen=True)
class Mask(Masked):
    """Change listed values at random in the groups that have too many: who knows that learns which were changed.

    Groups have at least `k` rows, and at least m. `widths` says how the widest attribute is found: "relative" to
    its width in the table, or "raw". `scheme` is "generalisation" or "bucketisation"; `show` is "fitting",
    "intervals" or "nodes".
    """

    def masked(self, strata: Labels, witness: Witness, model: MConfidentiality, secret: Secret) -> Replaced:
        """As many listed values as in a group that does not violate the model, drawn at random."""
        from openveil.kernels.masking import mask_slots

        listed = listed_among(witness.labels, model.values)
        others = np.flatnonzero(~listed).astype(np.int32)
        _refuse_without_others(model, len(others))
        bags = witness.tally(strata, int(strata.max(initial=-1)) + 1)[-1]
        exposed = int(bags.counts[listed[bags.values]].sum())
        stream = secret.stream("values drawn anew", 8 * (len(bags) + 2 * exposed))
        random = np.frombuffer(stream, dtype=np.uint64)
        slots = mask_slots(bags.starts, bags.values, bags.counts, listed, others, model.m, random)
        return perturbed(strata, witness, Plan(*slots), secret)


def _refuse_without_others(model: MConfidentiality, others: int) -> None:
    """Refuse a privacy model that leaves nothing to change, or nothing to change it to."""
    if not model.values:
        what = "changes the values that the privacy model lists, and it lists none"
        raise refuse("method: mask", what, "List the values to be protected, or use mask+ or mask+r")
    if not others and model.m > 1:
        raise GuaranteeError(
            model=model.name,
            promised=model.promise,
            reached="but the table has none but listed values, so there is nothing to change them to",
            remedy="List fewer values, or use mask+r",
        )
