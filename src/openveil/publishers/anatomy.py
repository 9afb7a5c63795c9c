"""Anatomy: deal all rows into groups of distinct sensitive values, at random.

Claim. Every group meets the requirement, and the release is algorithm-safe: whoever knows the algorithm, every
quasi-identifier and which group each person is in learns nothing beyond what the groups show. Quasi-identifiers are
not looked at, so groups are as small as can be and as wide as the table: publish them by bucketisation.

Why it holds. It is stratified pick-up with the whole table as its one stratum (`tools/pick_up.py`). The picks must be
uniform and secret: to take the first row of each bucket, or to place left-overs by quasi-identifiers, discloses
values of tables of four and five rows.

Under `personal-breach`, alone or beside other models, nothing is dealt: groups are planned from values alone, and
what guards these would have to be planned with them. The table then stays one group.

Cost. One heap operation a row and one sort.

Source. Xiao and Tao, Anatomy: simple and effective privacy preservation, 2006; SPEC A6.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from openveil.core.recoding import Scheme
from openveil.core.registry import Kind, Status, part
from openveil.core.requirement import Requirement
from openveil.core.table import Public
from openveil.core.witness import Labels, Witness
from openveil.tools.dealt import Dealt


@part(Kind.PUBLISHER, "anatomy", source="Xiao and Tao 2006", status=Status.PROVED)
@dataclass(frozen=True)
class Anatomy(Dealt):
    """Deal all rows at random into groups of distinct sensitive values; quasi-identifiers stay as they are.

    `scheme` is "bucketisation" (a second table has the sensitive values of each group) or "generalisation"; `show`
    is, for the latter, "fitting", "intervals" or "nodes". Under personal-breach the table stays one group, for what
    guards values cannot be dealt: use "personalised+" or "mondrian+".
    """

    in_boxes: ClassVar[bool] = True

    scheme: Scheme = Scheme.BUCKETISATION

    def settled(self, public: Public, witness: Witness, requirement: Requirement) -> Labels:
        """One stratum: the table."""
        return np.zeros(len(public), dtype=np.int32)
