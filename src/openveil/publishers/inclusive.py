"""The inclusive strategy: the first function is released whose disclosure set satisfies the privacy model.

Claim. Of the tables that agree with a release and of which this strategy releases the same, the privacy model holds
for every person, exactly as it holds for a group: this is the disclosure set of who knows the algorithm, every
quasi-identifier and which group each person is in. It is another promise than that of `mondrian++`: functions that
were passed over tell something beyond the release, but not too much. Whoever learns that nothing was released learns
something too, which is bounded only with `refusal = "safe"`.

Why it holds. A table is in the disclosure set if it agrees with the released groups and none of the functions before
would be released of it; that is asked of the strategy as it is, with its bounds and its undecided answers, not of an
ideal one (`disclosure/images.py`). The groups of a function must hold as well, which the paper does not ask where one
function does not refine the next. Enumerated on small tables in the contract suite.

Cost. Exact up to the second function that is tried, at the cost of the exclusive strategy; from the third on exact
for some thousand ways to fill the groups, else bounded. See `disclosure/images.py`.

Source. L. Zhang, L. Wang, S. Jajodia, A. Brodsky, Exclusive Strategy for Generalization Algorithms in Micro-Data
Disclosure, 2008, section 2, Table 3.
"""

from __future__ import annotations

from dataclasses import dataclass

from openveil.core.registry import Kind, Status, part
from openveil.disclosure.asking import Ratios
from openveil.disclosure.functions import Functions, Image
from openveil.disclosure.images import Inclusive as Decisions
from openveil.disclosure.judgements import Judgement
from openveil.disclosure.strategies import Strategy, inclusive
from openveil.tools.stepping import Stepwise


@part(
    Kind.PUBLISHER, "inclusive", source="Zhang, Wang, Jajodia, Brodsky 2008, section 2, Table 3", status=Status.PROVED
)
@dataclass(frozen=True)
class Inclusive(Stepwise):
    """Release the first of several functions of which knowing that the others were passed over tells no one too much.

    `levels` lists, step by step, the level of each attribute (those left out stay where they were, at first at 0);
    `partitions` lists a group for every row. Without either, `steps` functions are boxes of quasi-identifiers, the
    finest of at least `least` rows, each next four times as many, the last the whole table. `refusal` is "plain" or
    "safe": then silence tells nothing. `scheme` is "generalisation" or "bucketisation"; `show` is "fitting",
    "intervals" or "nodes".
    """

    @property
    def strategy(self) -> Strategy:
        """The inclusive one."""
        return inclusive

    def judged(self, functions: Functions, i: int, image: Image, asked: Ratios) -> Judgement:
        """Of the tables that agree, without those of which an earlier function would be released."""
        return Decisions(functions, asked).decide(i, image)
