"""Mondrian with even cuts, and rows dealt at random where these fail: the smallest groups in the smallest boxes.

Claim. Every group meets the privacy model, and to whoever knows the algorithm, every quasi-identifier and which group
each person is in, every person has each combination of sensitive values with exactly the chance that the group shows.
Of several persons together more may be known than the groups show.

Why it holds. Groups are cut as by `mondrian-even`, after a few rows were dealt out of those of an odd number of rows.
A group whose halves fail is dealt into groups as small as may be, each with as many rows of one half as of the other.
Why this leaves everyone's chances as they are is said in `tools/even_dealing.py`. Enumerated on small tables in the
contract suite. Generalised groups may overlap, so a reader knows less than which group a person is in: what is
learned then is an average over the possible groups of what would be learned if they were known.

Cost. That of `mondrian-even`, one sort of the rows a round, and a binary search a row that is dealt.

Source. New. Look-ahead and dealing are those of Jin, Zhang, Das 2011, sections 6.2 and 7.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from openveil.core.registry import Kind, Status, part
from openveil.core.requirement import Requirement
from openveil.core.secret import Secret
from openveil.core.table import Public
from openveil.core.witness import Labels, Witness
from openveil.tools.cuts import MedianCuts
from openveil.tools.even_dealing import Dealing, cut_and_deal
from openveil.tools.evenly import Even


@part(Kind.PUBLISHER, "mondrian-even++", source="openveil, after Jin, Zhang, Das 2011", status=Status.PROVED)
@dataclass(frozen=True)
class MondrianEvenPlusPlus(Even):
    """Cut as `mondrian-even` does, and deal the rows of what cannot be cut into groups as small as may be, at random.

    Every person keeps the chances that the group shows; of several persons together more may be told. `widths` says
    how the widest attribute is found: "relative" to its width in the table, or "raw". `scheme` is "generalisation" or
    "bucketisation"; `show` is "fitting", "intervals" or "nodes".
    """

    deals: ClassVar[bool] = True

    def partition(self, public: Public, witness: Witness, requirement: Requirement, secret: Secret) -> Labels:
        """The groups that are cut and dealt."""
        cuts = MedianCuts(public, requirement, self.widths)
        return cut_and_deal(cuts, Dealing.of(requirement, witness), secret)
