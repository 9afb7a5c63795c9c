"""Show other sensitive values than the rows' own, as a plan made from bags says.

Claim. In every group each planned place is filled by a row that has its value, all such rows as likely as any other;
the row shows the value of the place. All rows of groups that are changed count as touched, whether they show their
own value or not.

Cost. That of a deal: one sort of the rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from openveil.core.recoding import Change, Replaced
from openveil.core.secret import Secret
from openveil.core.witness import Labels, Slots, Witness

_PURPOSE = "who shows another value"


@dataclass(frozen=True, eq=False)
class Plan:
    """Place i is for a row of group `group[i]` with the value `own[i]`, and shows `shown[i]`."""

    group: Labels = field(repr=False)
    own: Labels = field(repr=False)
    shown: Labels = field(repr=False)
    changed: NDArray[np.bool_] = field(repr=False)


def perturbed(strata: Labels, witness: Witness, plan: Plan, secret: Secret) -> Replaced:
    """What the sensitive column shows when the rows fill the places of the plan at random."""
    # Rows may be drawn again later, in an order of its own.
    apart = Secret(secret.stream(_PURPOSE, len(secret.key)))
    code = witness.deal(strata, Slots(plan.group, plan.own, plan.shown), apart)
    labels: pl.Series = witness.labels
    return Replaced(witness.columns[0], Change.PERTURBED, labels, code, plan.changed[strata])


def listed_among(labels: pl.Series, values: tuple[str, ...]) -> NDArray[np.bool_]:
    """Which of the labels are spelled as one of the values."""
    found: NDArray[np.bool_] = labels.cast(pl.String).is_in(values).fill_null(value=False).to_numpy()
    return found
