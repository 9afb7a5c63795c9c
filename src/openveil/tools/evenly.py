"""Publishers that cut evenly: what comes of a table, how likely it is, and what is said of disclosure sets.

Claim. `outcomes` are all that may come of a table, with exact probabilities. What is said of the disclosure set
follows from the published groups and the quasi-identifiers.

Why it holds. See `tools/even_cuts.py` and `tools/even_dealing.py` for what a reader may know, `tools/every_draw.py`
for the probabilities.

Cost. One run for a release; for probabilities one for every way to draw, so tables must be small.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from openveil.core.disclosed import CHANCE, Disclosed, Safety
from openveil.core.errors import GuaranteeError, refuse
from openveil.core.finding import Key
from openveil.core.recoding import Recoding, same_groups
from openveil.core.requirement import Requirement
from openveil.core.secret import Secret
from openveil.core.table import Public
from openveil.core.witness import Labels, Witness
from openveil.tools.cuts import MedianCuts, Widths
from openveil.tools.even_cuts import Asked, told_of
from openveil.tools.every_draw import every_draw
from openveil.tools.grouped import Grouped, refuse_persons, refuse_unattainable


@dataclass(frozen=True)
class Even(Grouped):
    """A publisher that looks at halves of groups, once each; a subclass says what it makes of them.

    `widths` says how the widest attribute is found: "relative" to its width in the table, or "raw".
    """

    safety = Safety.DISCLOSURE_SET
    says: ClassVar[tuple[Key, ...]] = (CHANCE,)
    # Whether rows are dealt in the end, so that groups need not be boxes that were cut.
    deals: ClassVar[bool] = False

    widths: Widths = Widths.RELATIVE

    @abstractmethod
    def partition(self, public: Public, witness: Witness, requirement: Requirement, secret: Secret) -> Labels:
        """The group of each row of a table that meets the requirement as a whole."""

    def solve(self, public: Public, witness: Witness, requirement: Requirement, secret: Secret) -> Recoding:
        """Partition the rows, or raise `GuaranteeError` when no partition meets the requirement."""
        _refuse_kind(public, requirement)
        refuse_unattainable(public, witness, requirement)
        group = self.partition(public, witness, requirement, secret)
        return self.recoded(public, group, group)

    def settled(self, public: Public, witness: Witness, requirement: Requirement) -> Labels:
        """The groups that come of fresh draws; none are settled before the first is drawn."""
        return self.partition(public, witness, requirement, Secret.fresh())

    def outcomes(
        self, public: Public, witness: Witness, requirement: Requirement
    ) -> Iterator[tuple[Recoding, Fraction]]:
        """What comes of every way to draw; nothing where the table is refused."""
        _refuse_kind(public, requirement)
        try:
            refuse_unattainable(public, witness, requirement)
        except GuaranteeError:
            return
        for group, chance in every_draw(lambda secret: self.partition(public, witness, requirement, secret)):
            yield self.recoded(public, group, group), chance

    def odds(self, public: Public, witness: Witness, requirement: Requirement, seen: Recoding) -> Fraction:
        """How likely the groups come out that are seen; what they are shown as follows from them."""
        outcomes = self.outcomes(public, witness, requirement)
        return sum((chance for each, chance in outcomes if same_groups(each.group, seen.group)), start=Fraction(0))

    def disclosed(
        self, public: Public, witness: Witness, requirement: Requirement, group: Labels
    ) -> Disclosed | None:
        """Everyone has each value with the chance that the group shows."""
        first = MedianCuts(public, requirement, self.widths)
        last = None if self.deals else MedianCuts(public, requirement, self.widths, group)
        return told_of(first, last, Asked.of(requirement, witness), group)


def _refuse_kind(public: Public, requirement: Requirement) -> None:
    """Refuse guards: equal rows may lie in several groups, which are asked about their own guards alone."""
    if requirement.reads_guards:
        what = "cuts rows apart that are equal, and what guards one of them may not guard the others"
        raise refuse("method", what, 'Use the method "personalised-even"', found=requirement.name)
    refuse_persons(public, requirement)
