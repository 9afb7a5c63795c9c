"""Trial and revocation: cut where the sides turn out to be well enough mixed. Unsafe; kept for comparison.

Claim. The groups meet the requirement; nothing else is promised. Whoever knows the algorithm learns from every cut
that was *not* made how the sensitive values lie, which the release does not show.

Why it fails. A cut is revoked when one of its sides fails, so sides that are never published were looked at. Of the
table aabb (x = 1..4, l = 2) only 2 of 6 tables that agree with the release are published in the same groups.

Cost. One tally and one cut a round and attribute.

Source. LeFevre, DeWitt, Ramakrishnan, Mondrian, 2006; Jin, Zhang, Das 2011, section 6.2.1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from openveil.core.bags import Counts
from openveil.core.requirement import Requirement, enough
from openveil.core.witness import Labels, Witness
from openveil.tools.cuts import MedianCuts


def cut_on_trial(cuts: MedianCuts, witness: Witness, requirement: Requirement, least: int) -> Labels:
    """The group of each row, when groups are cut at the first median whose sides both meet the requirement."""
    while cuts.open:
        cuts.make(*_first_that_holds(cuts, witness, requirement, least))
    return cuts.groups()


def _first_that_holds(
    cuts: MedianCuts, witness: Witness, requirement: Requirement, least: int
) -> tuple[NDArray[np.int32], Counts]:
    """For each open group the attribute and the code to cut at; -1 where every cut is revoked."""
    attribute = np.full(cuts.open, -1, dtype=np.int32)
    code = np.zeros(cuts.open, dtype=np.int64)
    for place in range(cuts.attributes):
        rows = np.where(attribute < 0, least, cuts.rows + 1).astype(np.int64)
        tried, middle = cuts.chosen(rows, range(place, place + 1))
        sides = cuts.sides(tried, middle)
        holds = enough(requirement, witness.tally(sides, 2 * int((tried >= 0).sum())))
        kept = np.flatnonzero(tried >= 0)[np.logical_and(*np.reshape(holds, (-1, 2)).T)]
        attribute[kept], code[kept] = tried[kept], middle[kept]
    return attribute, code
