"""Personalised generalisation with even cuts: look-ahead for guards and, where it allows no cut, one look at halves.

Claim. Let p be the limit, and let an adversary know this algorithm, every quasi-identifier, how many rows each person
has and which groups they are in. Whoever a person is and whatever node guards a value of the person, the release
lets the adversary link the person to a value inside that node with a probability of at most p. At level 0 this holds
for every belief about values and guards that did not tell the rows of a group apart beforehand; at a higher level
under the assumptions of `personalised+`. It is about one person at a time: of several together a reader may know
more than the groups show, such as that two people do not both have a value. `personalised+` promises that this does
not come of knowing the method either, and has larger groups.

Why it holds. Write r for the most rows a person has, and call a row's value together with its guard a pair; at a
level above 0, the node that the value has there together with the guard, if that is not below it.

(1) What is asked. A group is cut at a median if look-ahead allows it, or else into halves if these hold, in one look
at one pair of halves that follows from quasi-identifiers and chance (`tools/even_cuts.py`). Both answers follow from
the pairs of the groups alone. So to this adversary each row of a published group has each pair of the group with
exactly its share: not because tables of the group's people in another order would be published alike, as by
`personalised+`, but because those that would not be are left out evenly.

(2) A row. In every published group of m rows at most p m / r rows lie in a node that guards anything in the table and
is not below the level (`tools/guarded.py`): this was asked of the table and of both sides of every cut. So a row lies
in such a node with a chance of at most p / r, whichever group it is in. Guards below the level are safe as in (3) of
`personalised+`, which reads how many rows of a published group a node has, and no more.

(3) A person. One of up to r rows lies in a node with at most the sum of their chances, so with at most p.

Why it is not enough to ask a group about its own guards, as `personalised+` does. Halves part rows that are equal in
all quasi-identifiers. A node that guards one row of a person may then guard none in the group of another, and all
rows of that group could lie in it. And a reader who sees labels alone does not know which of two groups a row is in;
in groups that all keep what is guarded anywhere, this makes nobody surer.

The contract suite enumerates all of it: every table of small sizes with every draw, for various beliefs
(tests/contracts/test_personal_worlds.py).

What it costs. Far less than `personalised+` where somebody guards what many have: look-ahead fears that all who have
it come together, halves seldom have a much larger share of them than the whole. `docs/benchmarks.md` has both.

Cost. Two tallies and at most four passes over the rows of the open groups a round, and log n rounds: n log n for a
fixed number of attributes.

Source. New. Guards are those of X. Xiao, Y. Tao, Personalized privacy preservation, 2006, look-ahead that of Jin,
Zhang, Das 2011, section 6.2; that a look may be harmless although the release does not show it is of Zhang, Wang,
Jajodia, Brodsky 2008.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

from openveil.core.disclosed import Disclosed, Safety
from openveil.core.errors import GuaranteeError
from openveil.core.recoding import Recoding
from openveil.core.registry import Kind, Status, part
from openveil.core.requirement import Requirement
from openveil.core.secret import Secret
from openveil.core.table import Public
from openveil.core.witness import Labels, Witness
from openveil.tools.cuts import MedianCuts
from openveil.tools.even_cuts import cut_evenly, told_of
from openveil.tools.every_draw import every_draw
from openveil.tools.guarded import AtLevel, Guarded


@part(Kind.PUBLISHER, "personalised-even", source="openveil, after Xiao and Tao 2006", status=Status.PROVED)
@dataclass(frozen=True)
class PersonalisedEven(Guarded):
    """Cut at medians or into halves that keep every guard, so that each person's chances are those the group shows.

    Of several persons together more may be told. `level` is the level of the taxonomy at which is looked, as with
    "personalised+": 0 shows values as they are and is proved; a higher one shows coarser values where a group has
    many of a node, and rests on assumptions. `widths` is "relative" or "raw"; `show` is "fitting", "intervals" or
    "nodes".
    """

    safety: ClassVar[Safety] = Safety.DISCLOSURE_SET

    def grouped(self, public: Public, asked: AtLevel, secret: Secret) -> Labels:
        """The groups that look-ahead and even cuts leave."""
        return cut_evenly(self._cuts(public, asked), asked.of_groups, secret)

    def asked(self, public: Public, witness: Witness, requirement: Requirement) -> AtLevel:
        """What is asked of groups of this table, of which several may have rows with the same quasi-identifiers."""
        return super().asked(public, witness, requirement).everywhere(len(public))

    def outcomes(
        self, public: Public, witness: Witness, requirement: Requirement
    ) -> Iterator[tuple[Recoding, Fraction]]:
        """What comes of every way to draw; nothing where the table is refused."""
        try:
            yield from every_draw(lambda secret: self.solve(public, witness, requirement, secret))
        except GuaranteeError:
            return

    def disclosed(
        self, public: Public, witness: Witness, requirement: Requirement, group: Labels
    ) -> Disclosed | None:
        """Everyone has each value with the chance that the group shows."""
        asked = self.asked(public, witness, requirement)
        whole, published = self._cuts(public, asked), self._cuts(public, asked, group)
        # How likely the likeliest value is was not asked: whoever waives may be shown with the own value.
        return replace(told_of(whole, published, asked.of_groups, group), findings=())

    def _cuts(self, public: Public, asked: AtLevel, group: Labels | None = None) -> MedianCuts:
        return MedianCuts(public, asked.requirement, self.widths, group)
