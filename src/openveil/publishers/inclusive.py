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

Regimes, and how far each goes (`disclosure/images.py`).
- Those of `exclusive`, with the same bounds, for two functions that may hold, and for any number that cut each
  other's groups evenly.
- *Exact, tables gone through*: for some thousand ways to fill the groups.
- *Bounded, hardly anything is ruled out*: at any size, with the bound of `exclusive`.
- *Bounded, released with room to spare*: at any size, where each function refines the next and the model caps how
  often a value may occur. Functions before the last are then released only if they hold with room to spare
  (`disclosure/margins.py`); chances are at most what the model permits, and something is always released if the
  last function holds.
- *Sampled*: the last function, in tables of at most a hundred rows; wrong with a chance of at most one in 10^9.

Cost. Linear in the number of groups, but for tables that are gone through: one decision about each function for
each way to fill the groups.

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
