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

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from openveil.core.bags import Bags, Counts
from openveil.core.errors import GuaranteeError, refuse
from openveil.core.progress import report
from openveil.core.publisher import Publisher
from openveil.core.recoding import Recoding, Replaced
from openveil.core.registry import Kind, Status, part
from openveil.core.requirement import Requirement, needed, together
from openveil.core.secret import Secret
from openveil.core.table import Public
from openveil.core.witness import Labels, Witness
from openveil.requirements.personal_breach import PersonalBreach
from openveil.tools.covering import Show, covered
from openveil.tools.cuts import MedianCuts, Widths
from openveil.tools.grouped import refuse_persons, refuse_unattainable
from openveil.tools.refining import in_whole_numbers

_WHERE = "method: personalised+"


@part(Kind.PUBLISHER, "personalised+", source="openveil, after Xiao and Tao 2006", status=Status.PROVED)
@dataclass(frozen=True)
class PersonalisedPlus(Publisher):
    """Cut at medians where no arrangement of values and guards could breach a guard, and seal values by counts alone.

    `level` is the level of the taxonomy at which is looked: 0 shows values as they are and serves everyone as they
    wish; a higher one shows groups in more detail, and coarser values where a group has many of a node. Proved is
    level 0; a higher one rests on assumptions. `widths` is "relative" or "raw"; `show` is "fitting", "intervals" or
    "nodes".
    """

    takes_sensitive: ClassVar[bool] = True
    needs_guards: ClassVar[bool] = True
    weaker: ClassVar[tuple[Status, str]] = Status.MEASURED, "with a level above 0"

    level: int = 0
    widths: Widths = Widths.RELATIVE
    show: Show = Show.FITTING

    def __post_init__(self) -> None:
        if self.level < 0:
            remedy = "Write 0 for the values themselves, or the number of a level above them"
            raise refuse(f"{_WHERE}: level", "must not be negative", remedy, found=str(self.level))

    @property
    def claimed(self) -> Status:
        """Above level 0 the claim rests on what cannot be known: how likely values are, and guards with them."""
        return self.weaker[0] if self.level else Status.PROVED

    def solve(self, public: Public, witness: Witness, requirement: Requirement, secret: Secret) -> Recoding:
        """The groups that look-ahead leaves, with values sealed where they would say too much."""
        self._refuse(public, witness, requirement)
        group = self.settled(public, witness, requirement)
        recoding = replace(covered(public, group, self.show), settled=group)
        if self.level == 0:
            return recoding
        report("sealing values")
        groups = len(recoding.cells)
        bags = witness.tally_at(self.level, group, groups)
        sealed = _sealed(bags, _breach(requirement).p, _most_rows(public))
        return replace(recoding, replaced=(Replaced.raised(*witness.raised(self.level, group, sealed)),))

    def settled(self, public: Public, witness: Witness, requirement: Requirement) -> Labels:
        """The groups that look-ahead leaves."""
        cuts = MedianCuts(public, requirement, self.widths)
        while cuts.open:
            report(f"looking ahead in {cuts.open:,} groups")
            cuts.cut(self._needed(public, witness, requirement, cuts.label(), cuts.open))
        return cuts.groups()

    def _needed(
        self, public: Public, witness: Witness, requirement: Requirement, label: Labels, groups: int
    ) -> Counts:
        """For each group, how many rows every part of it needs, whatever values and guards it has."""
        most, breach = _most_rows(public), _breach(requirement)
        # Of each of the rows of a person the chance may be so much, for it may be of all together.
        of_a_row = replace(breach, p=breach.p / most)
        if self.level == 0:
            views = witness.tally(label, groups)
            pairs = next(bags for bags in views if breach.concerns(bags))
            return np.maximum(needed(requirement, views), of_a_row.needs(pairs))
        bags = witness.tally_at(self.level, label, groups)
        hidden = _hidden_need(bags, breach.p, most)
        least: Counts = np.maximum.reduce([needed(requirement, [bags]), of_a_row.needs(bags), hidden])
        return least

    def _refuse(self, public: Public, witness: Witness, requirement: Requirement) -> None:
        """Refuse what cannot be met, or cannot be promised at this level."""
        others = [model for model in requirement.parts() if model.reads_sensitive and not model.reads_guards]
        _breach(requirement)
        height = len(witness.guarded.nodes.at) - 1
        if self.level > height:
            remedy = f"Write 0 to {height}"
            raise refuse(f"{_WHERE}: level", "the taxonomy has no such level", remedy, found=str(self.level))
        self._refuse_telling_rules(witness)
        if others:
            refuse_persons(public, together(others))
        if others and self.level:
            what = f"{others[0].name} is promised of values as they are, and a level above 0 may show coarser ones"
            raise refuse(f"{_WHERE}: level", what, "Write level = 0, or leave that model out", found=str(self.level))
        if self.level == 0:
            refuse_unattainable(public, witness, requirement)
        everyone = np.zeros(len(public), dtype=np.int32)
        least = int(self._needed(public, witness, requirement, everyone, 1)[0])
        if least > len(public):
            raise GuaranteeError(
                model=requirement.name,
                promised=requirement.promise,
                reached=f"but all {len(public):,} rows together would have to be {least:,}",
                remedy="Ask for a larger p, guard lower nodes, or try another `level`",
            )

    def _refuse_telling_rules(self, witness: Witness) -> None:
        """Refuse rules by which what guards a value tells which value in a node of the level it is."""
        apart = witness.guarded.ruled_apart(self.level)
        if self.level and apart:
            what = "some values in a node of this level are guarded by the plan's rules in another way than others"
            remedy = "Write level = 0, or guard all values in each such node by the same node, or by nodes inside it"
            raise refuse(f"{_WHERE}: level", what, remedy, found=f"level {self.level}, {apart} rules too many")


def _breach(requirement: Requirement) -> PersonalBreach:
    found = [model for model in requirement.parts() if isinstance(model, PersonalBreach)]
    if not found:
        raise refuse(_WHERE, "works for personal-breach", 'Use the method "mondrian+"', found=requirement.name)
    return found[0]


def _most_rows(public: Public) -> int:
    """The most rows a person has."""
    return 1 if public.persons is None else int(np.bincount(public.persons).max(initial=1))


def _rows_of_nodes(bags: Bags) -> tuple[Counts, Counts, Counts]:
    """A group, a node that it has rows of, and how many; for all of both."""
    width = len(bags.guarded.nodes)
    keys, place = np.unique(bags.owner * width + bags.guarded.shown[bags.values], return_inverse=True)
    rows = np.bincount(place, bags.counts, minlength=len(keys)).astype(np.int64)
    return keys // width, keys % width, rows


def _hidden_need(bags: Bags, p: Fraction, most: int) -> Counts:
    """For each group, how many rows keep the largest part of each of its nodes safe, were it sealed."""
    above, below = in_whole_numbers(p)
    group, node, rows = _rows_of_nodes(bags)
    sizes, largest = bags.guarded.nodes.sizes[node], bags.guarded.nodes.largest_child[node]
    wanted = -(-most * rows * largest * below // (sizes * above))
    # No more rows of a part can be in the node than it has.
    wanted[most * largest * below <= sizes * above] = 1
    need = np.ones(len(bags), dtype=np.int64)
    np.maximum.at(need, group, wanted)
    return need


def _sealed(bags: Bags, p: Fraction, most: int) -> NDArray[np.bool_]:
    """For each group and node, whether the node has more than its share of the rows."""
    above, below = in_whole_numbers(p)
    group, node, rows = _rows_of_nodes(bags)
    sealed = np.zeros((len(bags), len(bags.guarded.nodes)), dtype=np.bool_)
    sealed[group, node] = most * rows * below > above * bags.sizes[group]
    return sealed
