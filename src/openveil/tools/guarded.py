"""Publishers made for what persons want guarded: groups of rows, and values sealed by how often they occur.

Claim. A `Guarded` publisher reads values and guards at one level of the taxonomy. Write r for the most rows a person
has. Every group it publishes holds, in the sense of `AtLevel`: of m rows at most p m / r lie in any guard that is not
below the level and guards one of them. Where a node of the level has more than p m / r rows of a group, they show the
node instead of their values, and at most p m / r of them lie in any node below it, if all its values are as likely.

Why it holds. The table itself is asked, and refused if it does not hold; so is every group before it is cut off. What
is shown of a node depends on its number of rows alone, which the release tells.

How groups are found, and what that tells, is up to the publisher.

Cost. One look for every round of cuts, and one for what is shown.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np

from openveil.core.axis import Codes
from openveil.core.bags import Bags, Counts, Pairs
from openveil.core.breach import Breaches
from openveil.core.errors import GuaranteeError, refuse
from openveil.core.nodes import NO_NODE
from openveil.core.progress import report
from openveil.core.publisher import Publisher
from openveil.core.recoding import Recoding, Replaced
from openveil.core.registry import Status
from openveil.core.requirement import Requirement, diversities, enough, needed, together
from openveil.core.secret import Secret
from openveil.core.table import Public
from openveil.core.witness import NOT_ASKED, Labels, Witness
from openveil.disclosure.asking import fewest_rows
from openveil.requirements.personal_breach import PersonalBreach, least_p
from openveil.tools.covering import Show, covered, told_apart
from openveil.tools.cuts import Flags, Widths
from openveil.tools.even_cuts import Asked, Views
from openveil.tools.grouped import refuse_persons, refuse_too_few, refuse_unattainable
from openveil.tools.refining import in_whole_numbers

_METHOD, _LEVEL = "method", "method: level"


@dataclass(frozen=True, eq=False)
class AtLevel:
    """What is asked of groups whose values and guards are read at a level, where a person has up to `most` rows.

    Where rows of equal quasi-identifiers may come into several groups, `highest` says for each node what the highest
    node above it is, or itself, that guards anything in the table: nobody may be linked to that in any group. For who
    reads the table does not know which of the groups such a row is in, nor which of a person's rows a guard is of.
    """

    level: int
    most: int
    requirement: Requirement
    witness: Witness = field(repr=False)
    highest: Codes | None = field(default=None, repr=False)

    def look(self, label: Labels, groups: int) -> Views:
        """The bags of groups: at level 0 in every view, else of what the level tells."""
        if self.level == 0:
            return self.witness.tally(label, groups)
        return (self.witness.tally_at(self.level, label, groups),)

    def needs(self, views: Views) -> Counts:
        """For each group, how many rows every part of it needs, whatever values and guards it has."""
        pairs = self._pairs(views)
        least: Counts = np.maximum(needed(self.requirement, views), self._of_a_row.needs(pairs))
        return np.maximum(least, self._hidden_need(pairs)) if self.level else least

    def holds(self, views: Views) -> Flags:
        """For each group, whether it may be published."""
        return enough(self.requirement, views) & self.guards_hold(views)

    def guards_hold(self, views: Views) -> Flags:
        """For each group, whether no guard in it is breached, be it by all rows of a person together."""
        pairs = self._pairs(views)
        held: Flags = self._of_a_row.enough(pairs)
        return held & (self._hidden_need(pairs) <= pairs.sizes) if self.level else held

    @property
    def of_groups(self) -> Asked:
        """The same, as even cuts ask it; nobody has to be guarded in a group, so one row may hold."""
        return Asked(self.look, self.needs, self.holds, fewest_rows(self.requirement))

    def sealed(self, group: Labels, groups: int) -> Flags:
        """For each group and node, whether the node has more than its share of the rows."""
        [bags] = self.look(group, groups)
        above, below = in_whole_numbers(self.breach.p)
        owner, node, rows = _rows_of_nodes(bags)
        sealed = np.zeros((len(bags), len(bags.guarded.nodes)), dtype=np.bool_)
        sealed[owner, node] = self.most * rows * below > above * bags.sizes[owner]
        return sealed

    def reaches(self, rows: Flags, most: int) -> str:
        """The smallest p for which guards hold if these rows are one group, and a person has up to `most` of them."""
        views = self.look(np.where(rows, 0, NOT_ASKED).astype(np.int32), 1)
        pairs = self._pairs(views)
        nodes, (_, node, counts) = pairs.guarded.nodes, _rows_of_nodes(pairs)
        hidden = counts * nodes.largest_child[node] if self.level else np.zeros(0, dtype=np.int64)
        parts = (Fraction(*each) for each in zip(hidden.tolist(), nodes.sizes[node].tolist(), strict=False))
        shared = max(parts, default=Fraction(0)) / max(int(pairs.sizes[0]), 1)
        return least_p(most * max(shared, Breaches.of(pairs, pairs.sizes, alone=True).greatest()))

    @cached_property
    def breach(self) -> PersonalBreach:
        """The model of guards among those that are asked for."""
        return next(model for model in self.requirement.parts() if isinstance(model, PersonalBreach))

    @cached_property
    def _of_a_row(self) -> PersonalBreach:
        """The same of each of the rows of a person: the chance may be so much, for it may be of all together."""
        return replace(self.breach, p=self.breach.p / self.most)

    def everywhere(self, rows: int) -> AtLevel:
        """The same, where every group is asked about every guard in the table; that has so many rows."""
        pairs = self._pairs(self.look(np.zeros(rows, dtype=np.int32), 1)).guarded
        guarding = np.unique(pairs.guard[pairs.guard != NO_NODE])
        return replace(self, highest=pairs.nodes.highest(guarding))

    def _pairs(self, views: Views) -> Bags:
        """What is shown of each row and what guards it; the view in which every such pair counts by itself."""
        bags = next(bags for bags in views if self.breach.concerns(bags))
        if self.highest is None:
            return bags
        shown = bags.guarded.shown
        return replace(bags, pairs=Pairs(bags.guarded.nodes, shown, self.highest[shown]))

    def _hidden_need(self, bags: Bags) -> Counts:
        """For each group, how many rows keep the largest part of each of its nodes safe, were it sealed."""
        above, below = in_whole_numbers(self.breach.p)
        group, node, rows = _rows_of_nodes(bags)
        sizes, largest = bags.guarded.nodes.sizes[node], bags.guarded.nodes.largest_child[node]
        wanted = -(-self.most * rows * largest * below // (sizes * above))
        # No more rows of a part can be in the node than it has.
        wanted[self.most * largest * below <= sizes * above] = 1
        need = np.zeros(len(bags), dtype=np.int64)
        np.maximum.at(need, group, wanted)
        return need


def _rows_of_nodes(bags: Bags) -> tuple[Counts, Counts, Counts]:
    """A group, a node that it has rows of, and how many; for all of both."""
    width = len(bags.guarded.nodes)
    keys, place = np.unique(bags.owner * width + bags.guarded.shown[bags.values], return_inverse=True)
    rows = np.bincount(place, bags.counts, minlength=len(keys)).astype(np.int64)
    return keys // width, keys % width, rows


@dataclass(frozen=True)
class Guarded(Publisher):
    """A publisher of groups whose guards hold at a level; a subclass says how it finds them."""

    takes_sensitive: ClassVar[bool] = True
    needs_guards: ClassVar[bool] = True
    weaker: ClassVar[tuple[Status, str]] = Status.MEASURED, "with a level above 0"

    level: int = 0
    widths: Widths = Widths.RELATIVE
    show: Show = Show.FITTING

    def __post_init__(self) -> None:
        if self.level < 0:
            remedy = "Write 0 for the values themselves, or the number of a level above them"
            raise refuse(_LEVEL, "must not be negative", remedy, found=str(self.level))

    @property
    def claimed(self) -> Status:
        """Above level 0 the claim rests on what cannot be known: how likely values are, and guards with them."""
        return self.weaker[0] if self.level else Status.PROVED

    @abstractmethod
    def grouped(self, public: Public, asked: AtLevel, secret: Secret) -> Labels:
        """The group of each row; all rows together hold."""

    def solve(self, public: Public, witness: Witness, requirement: Requirement, secret: Secret) -> Recoding:
        """The groups, with values sealed where they would say too much."""
        self._refuse(public, witness, requirement)
        asked = self.asked(public, witness, requirement)
        return self.recoded(public, asked, self.grouped(public, asked, secret))

    def settled(self, public: Public, witness: Witness, requirement: Requirement) -> Labels:
        """The groups; where chance has a part in them, those of fresh draws."""
        return self.grouped(public, self.asked(public, witness, requirement), Secret.fresh())

    def asked(self, public: Public, witness: Witness, requirement: Requirement) -> AtLevel:
        """What is asked of groups of this table."""
        return AtLevel(self.level, most_rows(public), requirement, witness)

    def recoded(self, public: Public, asked: AtLevel, group: Labels) -> Recoding:
        """These groups as what covers them, with values sealed where they would say too much."""
        recoding = replace(self._covered(public, asked, group), settled=group)
        if self.level == 0:
            return recoding
        report("sealing values")
        sealed = asked.sealed(group, len(recoding.cells))
        return replace(recoding, replaced=(Replaced.raised(*asked.witness.raised(self.level, group, sealed)),))

    def _covered(self, public: Public, asked: AtLevel, group: Labels) -> Recoding:
        """Each group as what fits, or as intervals where a row would fit several: joined, they might not hold."""
        found = covered(public, group, self.show)
        if asked.highest is not None:
            return found
        apart, alike = told_apart(found, public), len(np.unique(found.cells, axis=0)) < len(found.cells)
        if self.show is Show.FITTING:
            return found if apart and not alike else covered(public, group, Show.INTERVALS)
        if not apart:
            what = "labels of groups would overlap, so somebody who knows less of the groups would be surer than p"
            raise refuse(f"{_METHOD}: show", what, 'Write show = "fitting" or "intervals"', found=str(self.show))
        return found

    def _refuse(self, public: Public, witness: Witness, requirement: Requirement) -> None:
        """Refuse what cannot be met, or cannot be promised at this level."""
        if not requirement.reads_guards:
            raise refuse(_METHOD, "works for personal-breach", 'Use the method "mondrian+"', found=requirement.name)
        self._refuse_level(witness)
        others = [model for model in diversities(requirement) if not model.reads_guards]
        if others:
            refuse_persons(public, together(others))
        if others and self.level:
            what = f"{others[0].name} is promised of values as they are, and a level above 0 may show coarser ones"
            raise refuse(_LEVEL, what, "Write level = 0, or leave that model out", found=str(self.level))
        refuse_breached(public, AtLevel(self.level, most_rows(public), requirement, witness))
        if self.level:
            refuse_too_few(public, requirement)
        else:
            refuse_unattainable(public, witness, requirement)

    def _refuse_level(self, witness: Witness) -> None:
        """Refuse a level that is none, and rules by which what guards a value tells which value in a node it is."""
        height = len(witness.guarded.nodes.at) - 1
        if self.level > height:
            raise refuse(_LEVEL, "the taxonomy has no such level", f"Write 0 to {height}", found=str(self.level))
        apart = witness.guarded.ruled_apart(self.level)
        if self.level and apart:
            what = "some values in a node of this level are guarded by the plan's rules in another way than others"
            remedy = "Write level = 0, or guard all values in each such node by the same node, or by nodes inside it"
            raise refuse(_LEVEL, what, remedy, found=f"level {self.level}, {apart} rules too many")


def most_rows(public: Public) -> int:
    """The most rows a person has."""
    return int(_rows_of_persons(public).max(initial=1))


def _rows_of_persons(public: Public) -> Counts:
    """For each row, how many rows its person has."""
    if public.persons is None:
        return np.ones(len(public), dtype=np.int64)
    rows: Counts = np.bincount(public.persons)[public.persons]
    return rows


def refuse_breached(public: Public, asked: AtLevel) -> None:
    """Refuse a table in which guards do not hold if it stays one group, and say what would help."""
    everyone = np.zeros(len(public), dtype=np.int32)
    if asked.guards_hold(asked.look(everyone, 1)).all():
        return
    rows = _rows_of_persons(public)
    *fewer, most = (int(each) for each in np.unique(rows))
    persons = int((rows == most).sum()) // most
    because = f"; {persons:,} persons have {most} rows each" if most > 1 else ""
    without = [_without(less, asked.reaches(rows <= less, less)) for less in reversed(fewer)]
    raise GuaranteeError(
        model=asked.requirement.name,
        promised=asked.requirement.promise,
        reached=f"but all {len(public):,} rows together reach only {asked.reaches(rows > 0, most)}{because}",
        remedy=", or ".join(["Ask for a larger p, guard lower nodes, try another `level`", *without]),
    )


def _without(less: int, reached: str) -> str:
    return f"leave out persons with more than {less} row{'s' if less > 1 else ''} ({reached} can be kept then)"
