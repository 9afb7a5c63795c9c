"""Look-ahead on perturbation as it was published: read frequencies from the least on. Unsafe; kept for comparison.

Claim. In every group each value is shown for at most one m-th of the rows, if `reading` is "corrected". Nothing else
is promised.

Why it fails. That a value was read before others tells that it is no more frequent than they are, and the release
does not show that. Neither random ties nor a top-up that does not follow the frequencies mends it: who also knows
that somebody does *not* have a value learns more than the release says (SPEC 5.2). `tools/local_look_ahead.py` is
the repair.

Cost. One tally, one sort of the values of each group, one deal.

Source. Jin, Zhang, Das 2011, section 6.3, Algorithm 3; SPEC A9.
"""

from __future__ import annotations

from enum import StrEnum

import numpy as np

from openveil.core.bags import Bags, Counts
from openveil.core.errors import GuaranteeError, refuse
from openveil.core.recoding import Replaced
from openveil.core.secret import Secret
from openveil.core.witness import Labels, Witness
from openveil.requirements.m_confidentiality import MConfidentiality
from openveil.tools.perturbation import Plan, perturbed


class Reading(StrEnum):
    """At which places the worst case is looked at: at all, at all but the first, or at all but the ends."""

    CORRECTED = "corrected"
    TOLD = "told"
    PRINTED = "printed"


class Ties(StrEnum):
    """Which of equally frequent values is read first."""

    BY_LABEL = "by label"
    AT_RANDOM = "at random"


class TopUp(StrEnum):
    """Which of the unread values is raised first."""

    BY_FREQUENCY = "by frequency"
    BY_LABEL = "by label"


_TESTED = {Reading.CORRECTED: (1, 0), Reading.TOLD: (2, 0), Reading.PRINTED: (2, 1)}


def read_ascending(
    strata: Labels,
    witness: Witness,
    model: MConfidentiality,
    secret: Secret,
    ways: tuple[Reading, Ties, TopUp],
) -> Replaced:
    """What the sensitive column shows when the frequencies of each group are read in ascending order."""
    from openveil.kernels.masking import ascending_slots

    if len(model.values) > 1:
        remedy = "List one value or none, or use mask+r"
        raise refuse("method: reading frequencies in ascending order", "protects each value by itself", remedy)
    reading, ties, top_up = ways
    bags = witness.tally(strata, int(strata.max(initial=-1)) + 1)[-1]
    _refuse_cramped(bags, model)
    keys = _keys(bags, ties, secret)
    by_label = top_up is TopUp.BY_LABEL
    *slots, unplaced = ascending_slots(
        bags.starts, bags.values, bags.counts, bags.domain, model.m, *_TESTED[reading], keys, by_label
    )
    if unplaced:
        raise _refused(model, f"but {unplaced:,} rows find no place", 'Use reading = "corrected"')
    return perturbed(strata, witness, Plan(*slots), secret)


def _keys(bags: Bags, ties: Ties, secret: Secret) -> Counts:
    """What breaks ties between the values of each group: the lowest comes first."""
    if ties is Ties.BY_LABEL:
        return np.tile(np.arange(bags.domain, dtype=np.int64), (len(bags), 1))
    stream = secret.stream("ties of frequencies", 8 * len(bags) * bags.domain)
    return np.frombuffer(stream, dtype=np.int64).reshape(len(bags), bags.domain)


def _refuse_cramped(bags: Bags, model: MConfidentiality) -> None:
    """Refuse groups whose rows have no place when each value takes at most one m-th of them, rounded down."""
    short = int((bags.sizes // model.m * bags.domain < bags.sizes).sum())
    if not short:
        return
    spare = bags.domain - model.m
    remedy = f"Ask for k-anonymity with k = {model.m * -(-(model.m - 1) // spare)}" if spare > 0 else "Ask for less"
    raise _refused(model, f"but {short:,} groups are too small for the {bags.domain:,} values there are", remedy)


def _refused(model: MConfidentiality, reached: str, remedy: str) -> GuaranteeError:
    return GuaranteeError(model=model.name, promised=model.promise, reached=reached, remedy=remedy)
