"""Other tables that agree with a release, drawn at random.

Claim. `shuffled_within` gives an order of the rows that keeps each in its group; all of them are as likely.

Why it holds. A uniform order of all rows, restricted to disjoint sets of rows, is a uniform order of each,
independent of the others.

Cost. One permutation of the rows, and two passes to lay them out by groups.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from openveil.core.recoding import from_0
from openveil.core.secret import Secret
from openveil.core.witness import Labels


def shuffled_within(group: Labels, secret: Secret, *, purpose: str = "replay") -> NDArray[np.int64]:
    """A permutation of the rows that keeps each in its group."""
    from openveil.kernels.tally import laid_out

    mixed = secret.permutation(purpose, len(group))
    label = from_0(group)
    groups = int(label.max(initial=-1)) + 1
    order = np.empty(len(group), dtype=np.int64)
    order[laid_out(label, groups)[0]] = mixed[laid_out(label[mixed], groups)[0]]
    return order
