"""Mondrian with even cuts: look-ahead and, where it allows no cut, one look at two halves.

Claim. Every group meets the privacy model, and to whoever knows the algorithm, every quasi-identifier and which group
each person is in, every person has each combination of sensitive values with exactly the chance that the group shows.
Of several persons together more may be known than the groups show: `mondrian++` tells nothing of them either, this
method does. Groups are smaller than those of `mondrian++` where rows are alike, and far more alike in themselves.

Why it holds. A group is cut at the median of its widest attribute if no arrangement of its values could make a side
fail, as by `mondrian+`. Where there is no such cut, its rows are put in order by the widest attribute, then the next,
and the halves of this order are looked at once: the group is cut if both hold, and stays whole otherwise. Of an odd
number of rows one is drawn, and joins a half by a coin. Why this leaves everyone's chances as they are is said in
`tools/even_cuts.py`. Rows that are equal in all attributes are told apart by the secret, never by their order in the
file. Enumerated on small tables in the contract suite.

Cost. Two tallies and at most four passes over the rows of the open groups a round, and log n rounds: n log n for a
fixed number of attributes.

Source. New. Look-ahead is that of Jin, Zhang, Das 2011, section 6.2; that a look may be harmless although the release
does not show it, and how to say so, is of Zhang, Wang, Jajodia, Brodsky 2008.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from openveil.core.disclosed import CHANCE, Disclosed, Safety
from openveil.core.errors import GuaranteeError
from openveil.core.finding import Key
from openveil.core.recoding import Recoding, same_groups
from openveil.core.registry import Kind, Status, part
from openveil.core.requirement import Requirement
from openveil.core.secret import Secret
from openveil.core.table import Public
from openveil.core.witness import Labels, Witness
from openveil.tools.cuts import MedianCuts, Widths
from openveil.tools.even_cuts import Asked, cut_evenly, told_of
from openveil.tools.every_draw import every_draw
from openveil.tools.grouped import Grouped, refuse_persons, refuse_unattainable


@part(Kind.PUBLISHER, "mondrian-even", source="openveil, after Jin, Zhang, Das 2011", status=Status.PROVED)
@dataclass(frozen=True)
class MondrianEven(Grouped):
    """Cut at medians by looking ahead and, where that is not allowed, into halves that are looked at once.

    Every person keeps the chances that the group shows; of several persons together more may be told. `widths` says
    how the widest attribute is found: "relative" to its width in the table, or "raw". `scheme` is "generalisation" or
    "bucketisation"; `show` is "fitting", "intervals" or "nodes".
    """

    safety = Safety.DISCLOSURE_SET
    says: ClassVar[tuple[Key, ...]] = (CHANCE,)

    widths: Widths = Widths.RELATIVE

    def solve(self, public: Public, witness: Witness, requirement: Requirement, secret: Secret) -> Recoding:
        """Partition the rows, or raise `GuaranteeError` when no partition meets the requirement."""
        refuse_persons(public, requirement)
        refuse_unattainable(public, witness, requirement)
        group = self._cut(public, witness, requirement, secret)
        return self.recoded(public, group, group)

    def settled(self, public: Public, witness: Witness, requirement: Requirement) -> Labels:
        """The groups that come of fresh draws; there are none before the first is drawn that would stay."""
        return self._cut(public, witness, requirement, Secret.fresh())

    def outcomes(
        self, public: Public, witness: Witness, requirement: Requirement
    ) -> Iterator[tuple[Recoding, Fraction]]:
        """What comes of every way to draw; nothing where the table is refused."""
        refuse_persons(public, requirement)
        try:
            refuse_unattainable(public, witness, requirement)
        except GuaranteeError:
            return
        for group, chance in every_draw(lambda secret: self._cut(public, witness, requirement, secret)):
            yield self.recoded(public, group, group), chance

    def odds(self, public: Public, witness: Witness, requirement: Requirement, seen: Recoding) -> Fraction:
        """How likely the groups come out that are seen; what they are shown as follows from them."""
        outcomes = self.outcomes(public, witness, requirement)
        return sum((chance for each, chance in outcomes if same_groups(each.group, seen.group)), start=Fraction(0))

    def disclosed(
        self, public: Public, witness: Witness, requirement: Requirement, group: Labels
    ) -> Disclosed | None:
        """Everyone has each value with the chance that the group shows."""
        cuts = (MedianCuts(public, requirement, self.widths, label) for label in (None, group))
        return told_of(*cuts, Asked.of(requirement, witness), group)

    def _cut(self, public: Public, witness: Witness, requirement: Requirement, secret: Secret) -> Labels:
        cuts = MedianCuts(public, requirement, self.widths)
        return cut_evenly(cuts, Asked.of(requirement, witness), secret)
