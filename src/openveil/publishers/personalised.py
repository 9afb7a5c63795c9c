"""Personalised generalisation as it was published: greedy, with sensitive values made coarser group by group.

Claim. Every group keeps every guard safe: nobody is linked to a value in the node that guards the person's own with a
probability above p, for an adversary who takes every way to fill in the published table as equally likely. No single
split more would lose less. It is not algorithm-safe: whoever knows the algorithm learns from every split that was not
made, and from every value that was made coarser or was not, how values and guards lie. So it is known unsafe;
`personalised+` is the repair.

Why it holds. Sensitive values are made coarser by Fig. 5 with its three repairs, which gives the least safe
coarsening of a group (`kernels/shown_coarser.py`; as printed, the figure can leave groups unsafe). The gate asks
again.

Why it fails. Take two people who share all quasi-identifiers, p = 1/2, and a taxonomy of z and of A with a1, a2, a3;
both guard their own value. Two different values are shown as they are. Two equal ones in A are shown as A, and two z
as the root, which says of everyone that it is z with 1/4. But whoever knows the algorithm knows that only two z are
shown as the root (tests/contracts/test_personal_worlds.py has this and other tables).

Cost. See `kernels/greedy.py`: n log n where splits halve groups.

Source. X. Xiao, Y. Tao, Personalized privacy preservation, 2006, Figures 4 and 5; SPEC P2 and P3. Where the whole
table cannot be published as one group the paper has no start; this goes on splitting until no row is left unsafe.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Literal

import numpy as np

from openveil.core.bags import Bags
from openveil.core.errors import GuaranteeError, refuse
from openveil.core.publisher import Publisher
from openveil.core.recoding import Recoding, Replaced
from openveil.core.registry import Kind, Status, part
from openveil.core.requirement import Requirement
from openveil.core.secret import Secret
from openveil.core.table import Public
from openveil.core.witness import Witness
from openveil.requirements.personal_breach import PersonalBreach
from openveil.tools.covering import Show, shown_from_to
from openveil.tools.refining import Refinement, refined

_WHERE = "method: personalised"


@part(Kind.PUBLISHER, "personalised", source="Xiao and Tao 2006, Figures 4 and 5", status=Status.KNOWN_UNSAFE)
@dataclass(frozen=True)
class Personalised(Publisher):
    """Refine all attributes step by step, and make sensitive values coarser where somebody's guard needs it.

    `weight` is the price of precision lost in the sensitive column, against the weights of the quasi-identifiers;
    "infinite" never makes a sensitive value coarser. `show` is "fitting", "intervals" or "nodes".
    """

    takes_sensitive: ClassVar[bool] = True
    needs_guards: ClassVar[bool] = True

    weight: Fraction | Literal["infinite"] = Fraction(1)
    show: Show = Show.FITTING

    def __post_init__(self) -> None:
        if self.weight == "infinite":
            return
        # A number that is written is meant as it is written.
        object.__setattr__(self, "weight", Fraction(str(self.weight)))
        if Fraction(self.weight) <= 0:
            raise refuse(f"{_WHERE}: weight", "must be positive", 'Write a number such as 1, or "infinite"')

    def solve(self, public: Public, witness: Witness, requirement: Requirement, secret: Secret) -> Recoding:
        """The groups of the greedy search, or `GuaranteeError` where it finds none that are safe."""
        asked = self._asked(public, requirement)
        guards = witness.guards_of(np.zeros(len(public), dtype=np.int32))
        found = refined(public, guards, asked)
        if found.unsafe:
            raise GuaranteeError(
                model=requirement.name,
                promised=requirement.promise,
                reached=f"but {found.unsafe:,} of {len(public):,} rows are in groups that no split made safe",
                remedy="Ask for no more than can be met: a larger p, lower guards, or a taxonomy with more values",
            )
        replaced = Replaced.raised(found.shown, guards)
        recoding = shown_from_to(public, found.group, found.lowest, found.highest, self.show)
        return replace(recoding, replaced=(replaced,))

    def _asked(self, public: Public, requirement: Requirement) -> Refinement:
        """What is asked of every group; `RequestError` for what this search does not know."""
        breach = [model for model in requirement.parts() if isinstance(model, PersonalBreach)]
        others = [model for model in requirement.parts() if not isinstance(model, PersonalBreach)]
        of_values = [model.name for model in others if model.reads_sensitive]
        if not breach or of_values:
            found = ", ".join(of_values) or requirement.name
            remedy = 'Ask for personal-breach, or use the method "mondrian+"'
            raise refuse(_WHERE, "works for personal-breach, alone or with k-anonymity", remedy, found=found)
        one = Bags.of_counts("", [[1]])
        persons = max((int(model.needs(one)[0]) for model in others), default=1)
        price = None if self.weight == "infinite" else Fraction(self.weight)
        people = public.population if breach[0].by_population else None
        return Refinement(breach[0].p, persons, price, people)
