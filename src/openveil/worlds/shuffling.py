"""Other tables that agree with a release, drawn at random.

Claim. `shuffled_within` gives an order of the rows that keeps each in its group; all of them are as likely.

Why it holds. A uniform order of all rows, restricted to disjoint sets of rows, is a uniform order of each,
independent of the others.

Cost. One permutation of the rows and two sorts.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from openveil.core.secret import Secret
from openveil.core.witness import Labels


def shuffled_within(group: Labels, secret: Secret, purpose: str) -> NDArray[np.int64]:
    """A permutation of the rows that keeps each in its group."""
    mixed = secret.permutation(purpose, len(group))
    order = np.empty(len(group), dtype=np.int64)
    order[np.argsort(group, kind="stable")] = mixed[np.argsort(group[mixed], kind="stable")]
    return order
