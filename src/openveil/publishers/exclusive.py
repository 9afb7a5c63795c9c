"""The exclusive strategy: the first function whose groups hold is released, or nothing.

Claim. Of the tables that agree with a release and of which this strategy releases the same, the privacy model holds
for every person, exactly as it holds for a group: this is the disclosure set of who knows the algorithm, every
quasi-identifier and which group each person is in. It is another promise than that of `mondrian++`: functions that
were passed over tell something beyond the release, but not too much. Whoever learns that nothing was released learns
something too, which is bounded only with `refusal = "safe"`.

Why it holds. A table is in the disclosure set if it agrees with the released groups and all groups hold for none
of the functions before: then, and only then, the strategy comes to the released one, and what it decides there
depends on its groups alone. How that set was told is said in the certificate, group by group; what is not decided
is not released. Enumerated on small tables in the contract suite.

Regimes, and how far each goes (`disclosure/judging.py`).
- *Exact*: counted, in parts of some ten rows with any values or some hundred rows with few; by inclusion and
  exclusion for at most four functions that cross; at any size where nothing is ruled out, or groups are cut evenly
  or not at all.
- *Bounded*, at any size: where a small share rho of tables is ruled out, chances are at most s / (1 - rho) for a
  share s of the group; where failures are rare and any of many groups may have failed, hardly above s.
- *Sampled*, to some 50,000 rows: a yes is wrong with a chance of at most one in 10^9 for a whole release. Tables
  are drawn from a public stream, so that every reader draws the same.

Cost. Linear in the number of groups where groups are bounded. See `disclosure/judging.py`.

Source. L. Zhang, L. Wang, S. Jajodia, A. Brodsky, Exclusive Strategy for Generalization Algorithms in Micro-Data
Disclosure, 2008, section 3, Table 5.
"""

from __future__ import annotations

from dataclasses import dataclass

from openveil.core.registry import Kind, Status, part
from openveil.disclosure.asking import Ratios
from openveil.disclosure.functions import Functions, Image
from openveil.disclosure.judgements import Judgement
from openveil.disclosure.judging import judge
from openveil.disclosure.strategies import Strategy, exclusive
from openveil.tools.stepping import Stepwise


@part(
    Kind.PUBLISHER, "exclusive", source="Zhang, Wang, Jajodia, Brodsky 2008, section 3, Table 5", status=Status.PROVED
)
@dataclass(frozen=True)
class Exclusive(Stepwise):
    """Release the first of several functions whose groups hold, if knowing the others failed tells no one too much.

    `levels` lists, step by step, the level of each attribute (those left out stay where they were, at first at 0);
    `partitions` lists a group for every row. Without either, `steps` functions are boxes of quasi-identifiers, the
    finest of at least `least` rows, each next four times as many, the last the whole table. `refusal` is "plain" or
    "safe": then silence tells nothing. `scheme` is "generalisation" or "bucketisation"; `show` is "fitting",
    "intervals" or "nodes".
    """

    @property
    def strategy(self) -> Strategy:
        """The exclusive one."""
        return exclusive

    def judged(self, functions: Functions, i: int, image: Image, asked: Ratios) -> Judgement:
        """Of the tables that agree, without those in which an earlier function holds."""
        return judge(functions, i, image, asked)
