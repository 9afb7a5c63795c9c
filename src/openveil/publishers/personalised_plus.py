"""Personalised generalisation that may be known: look-ahead for guarding nodes, and values sealed by counts alone.

Claim. Let p be the limit, and let an adversary know this algorithm, every quasi-identifier, how many rows each person
has and which group they are in. Whoever a person is and whatever node guards a value of the person, the release lets
the adversary link the person to a value inside that node with a probability of at most p. At level 0 this holds for
every belief about values and guards that did not tell the people of a group apart beforehand. At a higher level it
holds if, moreover, the values in a node of this level were equally likely beforehand, and a guard that is not below
the node was as likely with each of them: the assumption that Theorems 1 and 2 rest on, which a level above 0 cannot
do without.

Why it holds. Write r for the most rows a person has.

(1) What is asked. A group is cut at a median of quasi-identifiers if both sides have enough rows for every part of
its bag. The bag is one of pairs: the node a value has at the level, and the guard where that is not below this node.
Every group that was asked about is a union of published groups. So if the people of a published group trade their
rows, with values and guards, the same is published: given the release, each row of a group is as likely to have each
place of the group's bag.

(2) Guards at or above the level. If b rows of a group of m lie in a guard of somebody in it, look-ahead made sure
that r b <= p m. By (1) each of the r rows of a person is one of the b with probability b / m; the sum is at most p.
Which values the b rows have below the level plays no part.

(3) Guards below the level. A node u of the level with N rows in a group is sealed, that is shown instead of the
values in it, if r N > p m, and otherwise its values are shown. This reads N alone, which anyone can read in the
release. If u is not sealed, at most N rows lie in any guard inside it, and r N <= p m. If it is sealed, nothing was
ever asked that the values in u, or guards below u, had a part in: by assumption they are as likely as before, and
look-ahead made sure that r N c <= p m for the largest share c of u that a node inside it has (which is so of itself
if r c <= p).

A rule of the plan is known to everyone. One that guards a value in u by u or a node above it, and another value in u
by something else, would make the look at guards one at values in u; so it is refused. Of what persons wish nobody can
say whether the assumption is true, so with a level above 0 the method claims no more than measured.

At level 0 there is nothing below the level and nothing is sealed, so (3) and its assumption fall away. The contract
suite enumerates all of it: every table of small sizes, with various beliefs, in the smart world
(tests/contracts/test_personal_worlds.py).

What it costs. At level 0 sensitive values are shown as they are, and groups are as large as the guards of their
people want them; whoever waives costs nothing. At a higher level groups can be far smaller, because a sealed node
protects the guards inside it; but it cannot tell who waives below it, so it protects everyone there.
`docs/benchmarks.md` has both beside the greedy publisher.

Cost. One tally and one cut a round, and log n rounds: n log n for a fixed number of attributes.

Source. New. Look-ahead is that of Jin, Zhang, Das 2011, section 6.2; guards and coarser values those of X. Xiao,
Y. Tao, Personalized privacy preservation, 2006.
"""

from __future__ import annotations

from dataclasses import dataclass

from openveil.core.registry import Kind, Status, part
from openveil.core.secret import Secret
from openveil.core.table import Public
from openveil.core.witness import Labels
from openveil.tools.cuts import MedianCuts
from openveil.tools.guarded import AtLevel, Guarded
from openveil.tools.look_ahead import cut_as_needed


@part(Kind.PUBLISHER, "personalised+", source="openveil, after Xiao and Tao 2006", status=Status.PROVED)
@dataclass(frozen=True)
class PersonalisedPlus(Guarded):
    """Cut at medians where no arrangement of values and guards could breach a guard, and seal values by counts alone.

    `level` is the level of the taxonomy at which is looked: 0 shows values as they are and serves everyone as they
    wish; a higher one shows groups in more detail, and coarser values where a group has many of a node. Proved is
    level 0; a higher one rests on assumptions. `widths` is "relative" or "raw"; `show` is "fitting", "intervals" or
    "nodes".
    """

    def grouped(self, public: Public, asked: AtLevel, secret: Secret) -> Labels:
        """The groups that look-ahead leaves."""
        cuts = MedianCuts(public, asked.requirement, self.widths)
        return cut_as_needed(cuts, lambda label, groups: asked.needs(asked.look(label, groups)))
