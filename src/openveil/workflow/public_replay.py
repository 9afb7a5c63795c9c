"""Replay a release from the quasi-identifiers and the published tables, without the original.

Claim. `replay_in_public` runs the certified method again, for someone who has the release, the plan and the
quasi-identifiers of everyone in the table, and no one's sensitive value. What it says holds when the method, asking
the published groups wherever it would ask the original, arrives at groups that are published, and at them only. Of a
method that deals rows into its groups at random it says less: that the published groups lie in the strata which the
method settles and, under bucketisation, are as many and as large as pick-up makes them. Whether they were drawn as
they should be cannot be known without the secret.

Why it holds. Under bucketisation every row has its group; values are handed out within the groups in any order, since
a release that is algorithm-safe comes out the same for each. Of a method that is safe by its disclosure set, that set
is worked out from the groups instead. Under generalisation the method asks about sets of
people whose quasi-identifiers lie in boxes apart; the published groups in such a box are those whose labels lie in
it, and their bags are its bag, which must have as many rows as the box has people. A question that the published
groups cannot answer ends the replay: the release then tells less than the method knew.

Cost. One run of the method without its draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from openveil.core.bags import Bags
from openveil.core.disclosed import Safety
from openveil.core.errors import OpenveilError, refuse
from openveil.core.finding import Finding, Verdict
from openveil.core.publisher import Publisher
from openveil.core.recoding import Scheme, refines, same_groups
from openveil.core.release import GROUP, Tables
from openveil.core.requirement import Requirement
from openveil.core.schema import Role
from openveil.core.secret import Secret
from openveil.core.table import Public, axes_of, code_matrix
from openveil.core.witness import NOT_ASKED, Labels, Spelled, View, Witness, views_of
from openveil.tools.dealt import Dealt
from openveil.tools.grouped import Partitioned
from openveil.tools.masked import Masked
from openveil.workflow.boxes import Boxes, boxes
from openveil.workflow.certificate_shape import Certificate
from openveil.workflow.plan import Plan
from openveil.workflow.taking import bind

REPLAYED = "the method, replayed on the quasi-identifiers, gives the published groups"
IN_STRATA = "the published groups lie in the strata that the method, replayed on the quasi-identifiers, settles"
COUNTED = "the disclosure set, worked out from the published groups, satisfies the privacy model"
ROSTER = "the people of the quasi-identifiers are those of the table"
_ON = "public replay"
_GUARDED = "the method asks what guards each person's value, which is not published, so only who has it can replay it"


class _UnansweredError(OpenveilError):
    """The published groups do not answer what the method asks."""


def replay_in_public(
    tables: Tables, certificate: Certificate, plan: Plan, roster: pl.DataFrame
) -> tuple[Finding, ...]:
    """Whether the method, given the roster and the published groups, publishes these groups."""
    if plan.requirement.reads_guards:
        return (Finding(REPLAYED, _ON, 0, Verdict.INFORMS, note=_GUARDED),)
    public = _public(certificate, plan, roster)
    if not isinstance(plan.publisher, Partitioned):
        return (_replayed(_same_levels(public, certificate, plan)),)
    if len(public) != tables.frame.height:
        return (_verdict(ROSTER, holds=False, note=f"{len(public):,} people, {tables.frame.height:,} rows"),)
    if certificate.scheme is Scheme.BUCKETISATION:
        return _of_buckets(tables, certificate, plan, public)
    return _of_boxes(tables, certificate, plan, public, plan.publisher)


def _public(certificate: Certificate, plan: Plan, roster: pl.DataFrame) -> Public:
    quasi = certificate.named(Role.QUASI)
    missing = [name for name in quasi if name not in roster.columns]
    if missing:
        what = f"has no column {', '.join(missing)}"
        raise refuse("public table", what, "It must have every quasi-identifier of everyone in the table")
    schema = plan.schema_for([*plan.columns])
    bound = {each.axis.name: each for each in bind(roster, schema, plan)}
    hierarchies = tuple(bound[name] for name in quasi)
    codes, strangers = code_matrix(roster, [each.axis for each in hierarchies])
    if any(strangers):
        raise refuse("public table", "has values the hierarchies of the plan do not cover", "Take the right table")
    weights = {column.name: column.weight for column in schema.columns}
    return Public(hierarchies, codes, tuple(weights[name] for name in quasi), _persons(plan, roster))


def _persons(plan: Plan, roster: pl.DataFrame) -> NDArray[np.int32] | None:
    """The persons of the roster, where the plan has them; without them the method cannot be replayed."""
    named = [name for name, column in plan.columns.items() if column.role is Role.PERSON]
    if not named:
        return None
    if named[0] not in roster.columns:
        raise refuse("public table", f"has no column {named[0]}", "The method counts persons, so it must have it")
    return roster[named[0]].rank("dense").fill_null(0).cast(pl.Int32).to_numpy()


def _same_levels(public: Public, certificate: Certificate, plan: Plan) -> bool:
    """Whether a method of full domains that never looks at sensitive values comes to the same levels again."""
    recoding = plan.publisher.solve(public, Witness(pl.DataFrame()), plan.requirement, Secret.fresh())
    wanted = {name: each.level for name, each in certificate.levels.items()}
    found = dict(zip(certificate.named(Role.QUASI), recoding.levels or (), strict=False))
    return wanted == found and recoding.suppressed == certificate.suppression.rows


def _of_buckets(tables: Tables, certificate: Certificate, plan: Plan, public: Public) -> tuple[Finding, ...]:
    """The table of rows is the roster: it has the group of everyone."""
    sensitive = certificate.named(Role.SENSITIVE)
    shown, _ = tables.shown((), sensitive)
    rows, values = tables.frame.sort(GROUP), shown.sort(GROUP)
    codes, strangers = code_matrix(rows, [each.axis for each in public.hierarchies])
    same = not any(strangers) and _same_rows(codes, public.codes)
    of_roster = _verdict(ROSTER, holds=same)
    if not same:
        return (of_roster,)
    published = Public(public.hierarchies, codes, public.weights)
    of_groups = values.select(sensitive)
    requirement = plan.requirement.for_values(Spelled(of_groups))
    [axis] = axes_of(rows, [GROUP])
    group = axis.encode(rows[GROUP])[0]
    if plan.publisher.safety is Safety.DISCLOSURE_SET:
        said = plan.publisher.disclosed(published, Witness(of_groups), requirement, group)
        return of_roster, _verdict(COUNTED, holds=said is not None and said.holds, note=said.note if said else "")
    settled = plan.publisher.settled(published, Witness(of_groups), requirement)
    return of_roster, _led_to(plan.publisher, settled, group, Witness(of_groups), requirement)


def _same_rows(one: NDArray[np.unsignedinteger], other: NDArray[np.unsignedinteger]) -> bool:
    first, second = (pl.DataFrame(np.asarray(each, dtype=np.int64)).sort(pl.all()) for each in (one, other))
    return first.equals(second)


def _of_boxes(
    tables: Tables, certificate: Certificate, plan: Plan, public: Public, publisher: Partitioned
) -> tuple[Finding, ...]:
    """The labels of each group say who may be in it."""
    quasi = certificate.named(Role.QUASI)
    classes = tables.frame.select(quasi).unique(maintain_order=True)
    found = boxes(public.hierarchies, classes) if publisher.in_boxes else None
    if found is None:
        may = (
            'with show = "intervals", or bucketisation, they may'
            if publisher.in_boxes
            else "with bucketisation they do"
        )
        note = f"labels do not tell who is in which group; {may}"
        return (Finding(REPLAYED, _ON, 0, Verdict.INFORMS, note=note),)
    number = classes.with_row_index("class")
    label = tables.frame.select(quasi).join(number, on=quasi, how="left", nulls_equal=True, maintain_order="left")
    home = label["class"].cast(pl.Int32).to_numpy(writable=True)
    sensitive = tables.frame.select(certificate.named(Role.SENSITIVE))
    witness = PublishedWitness(sensitive, public, found, home)
    try:
        settled = publisher.settled(public, witness, plan.requirement.for_values(Spelled(sensitive)))
        if isinstance(publisher, Masked):  # It does not ask on its way to the groups, so ask whether they are there.
            witness.tally(settled, int(settled.max(initial=-1)) + 1)
    except _UnansweredError:
        return (_verdict(IN_STRATA if publisher.draws else REPLAYED, holds=False),)
    if publisher.draws:
        return (_verdict(IN_STRATA, holds=True),)
    return (_replayed(int(settled.max(initial=-1)) + 1 == classes.height),)


def _led_to(
    publisher: Publisher, settled: Labels, published: Labels, witness: Witness, requirement: Requirement
) -> Finding:
    """Whether the published groups are those that were settled, or what may be drawn from them."""
    if not (isinstance(publisher, Partitioned) and publisher.draws):
        return _replayed(same_groups(settled, published))
    inside = refines(published, settled)
    if inside and isinstance(publisher, Dealt):
        inside = publisher.may_deal(settled, published, witness, requirement)
    return _verdict(IN_STRATA, holds=inside)


@dataclass(eq=False)
class PublishedWitness(Witness):
    """Answers from the published groups instead of the original; knows no row's value.

    What is asked in a round must be made of what was asked in the round before, in boxes apart, with nobody left out.
    `_boxes` are the intervals of each class of the table, `_home` the class of each published row.
    """

    _public: Public = field(repr=False)
    _boxes: Boxes = field(repr=False)
    _home: Labels = field(repr=False)

    def __post_init__(self) -> None:
        self._published: Sequence[View] = views_of(self._columns)
        self._asked = np.zeros(len(self._public), dtype=np.int32)
        self._place = np.zeros(len(self._boxes[0]), dtype=np.int32)

    def tally(self, label: Labels, groups: int) -> tuple[Bags, ...]:
        """The bags of the published groups that lie in the boxes asked about."""
        place = self._placed(label, groups)
        self._asked, self._place = label, place
        rows = place[self._home]
        people = np.bincount(label[label >= 0], minlength=groups)
        # A class in none of the boxes is missing from the count, as is one that fits into two in one of them.
        if not np.array_equal(np.bincount(rows[rows >= 0], minlength=groups), people):
            raise _UnansweredError
        return tuple(view.bags(rows, groups) for view in self._published)

    def _placed(self, label: Labels, groups: int) -> Labels:
        """The set each class lies in, one of those that the set it lay in before has become."""
        from openveil.kernels.extents import extents

        lowest, highest = extents(self._public.codes, label, groups)
        parent = self._parents(label, groups)
        order = np.argsort(parent, kind="stable")
        starts = np.searchsorted(parent[order], np.arange(int(self._asked.max(initial=0)) + 2))
        place = np.full(len(self._place), NOT_ASKED, dtype=np.int32)
        waiting = np.flatnonzero(self._place >= 0)
        child = starts[self._place[waiting]]
        while len(waiting):
            left = child < starts[self._place[waiting] + 1]
            waiting, child = waiting[left], child[left]
            tried = order[child]
            low, high = self._boxes[0][waiting], self._boxes[1][waiting]
            inside = ((low >= lowest[tried]) & (high <= highest[tried])).all(axis=1)
            place[waiting[inside]] = tried[inside]
            waiting, child = waiting[~inside], child[~inside] + 1
        return place

    def _parents(self, label: Labels, groups: int) -> Labels:
        """The set asked about in the round before that each set comes from; a set left alone is settled."""
        rows = np.flatnonzero(label >= 0)
        first = np.zeros(groups, dtype=np.int64)
        first[label[rows][::-1]] = rows[::-1]
        parent: Labels = self._asked[first]
        if (parent < 0).any():
            raise _UnansweredError
        return parent


def _replayed(holds: bool) -> Finding:  # noqa: FBT001 - the verdict itself
    return _verdict(REPLAYED, holds=holds)


def _verdict(name: str, *, holds: bool, note: str = "") -> Finding:
    return Finding(name, _ON, int(holds), Verdict.HOLDS if holds else Verdict.FAILS, limit=1, note=note)
