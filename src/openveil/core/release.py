"""A table that may be released, and the gate it has to pass.

Claim. A `Release` that exists has passed the gate: its columns are exactly those that its scheme publishes, its rows
are those the recoding keeps, the privacy model holds for every class of rows that a reader sees as equal and for
every group of the algorithm, and everything the algorithm asked of the sensitive columns can be derived from what is
published.

Why it holds. Construction is the gate, and there is no other way to make one; what passed it cannot be changed in
place. The privacy model is asked twice, for an answer and for figures: both have to hold.

The classes are formed anew from the published tables, not taken from the algorithm; a class may be a union of groups
that are shown alike. A look at the sensitive columns is derivable when the rows it was about are a union of published
groups, all of which show their own values, or tell at least as many runs of values apart as were asked about. Guards
are never shown; looks at them are held to the same, so that the rows of a group could trade places unnoticed. Only of
a method that is known to be unsafe, and that the plan allows all the same, other looks are told and not refused. A
method that is safe by its disclosure set (`core/disclosed.py`) may have looked at the groups of functions that it
passed over, and at nothing else; it is refused unless that set satisfies the privacy model. Where sensitive values
are replaced, the model is asked about those that are published, of which several in one cell count in equal parts
(`core/alternatives.py`); rows that are not said to show another value are compared with the original, and how many
may show one is told.

Cost. One encoding a published column that counts, and one fold of the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NoReturn

import numpy as np
import polars as pl
from numpy.typing import NDArray

from openveil.core.alternatives import Readable
from openveil.core.bags import Counts
from openveil.core.classes import Classes
from openveil.core.disclosed import Disclosed
from openveil.core.errors import GuaranteeError
from openveil.core.finding import Finding, Verdict
from openveil.core.guards import Guards
from openveil.core.nodes import NO_NODE
from openveil.core.recoding import Change, Recoding, Scheme
from openveil.core.registry import Status
from openveil.core.requirement import Requirement
from openveil.core.schema import Role, Schema
from openveil.core.table import CodeMatrix, axes_of, code_matrix
from openveil.core.witness import Look, View, parts_a_run, unlike, view_with_guards

GROUP, COUNT = "group", "count"
LOOKS = ("looks at sensitive values that the release does not show", "algorithm")
REPLACED = "rows with a replaced sensitive value"
MEANINGS = {
    Change.PERTURBED: "so many rows show a value that was drawn anew and need not be their own",
    Change.RAISED: "so many rows show a node of a taxonomy that their own value lies in",
    Change.GENERALISED: "so many rows name several values, one of which is their own; in shares each counts alike",
}
_TELL_APART = 'Write show = "intervals" for the method, which tells more groups apart, or take another method'
_REMEDY = "This is a defect of the method, not of your data: please report it. Nothing was written"


@dataclass(frozen=True, eq=False)
class Evidence:
    """What the gate needs beside the tables: the decision, and what the algorithm asked on the way to it.

    `blank` says how many suppressed rows are kept with `*` in every quasi-identifier, `order` which row of the
    original each published row was, `status` what is known of the method. `differing` are the rows of the original of
    which other sensitive values are published than their own, where the decision replaces any; `untrue` says how many
    cells of columns that are made coarser do not name the row's own value. `disclosed` is what a method that is safe
    by its disclosure set says of that, `people` how many people of a population each group may be about, where a
    promise is reckoned with them.
    """

    recoding: Recoding
    order: NDArray[np.int64] = field(repr=False)
    blank: int = 0
    looks: tuple[Look, ...] = ()
    status: Status = Status.PROVED
    differing: NDArray[np.bool_] | None = field(default=None, repr=False)
    untrue: int = 0
    disclosed: Disclosed | None = field(default=None, repr=False)
    people: Counts | None = field(default=None, repr=False)


@dataclass(frozen=True, eq=False)
class Tables:
    """What is published: one table, or under bucketisation two.

    Of two, `frame` has the quasi-identifiers as they are and a group number; `counts` says how often each value
    (combination of values) of the sensitive columns occurs in each group. A frame can be changed in place, and copies
    only what is changed: what is taken and what is given are copies, so nothing that is done to them changes these.
    """

    _frame: pl.DataFrame = field(repr=False)
    _counts: pl.DataFrame | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_frame", self.frame)
        object.__setattr__(self, "_counts", self.counts)

    @property
    def frame(self) -> pl.DataFrame:
        """The table of rows, or the only one."""
        return self._frame.clone()

    @property
    def counts(self) -> pl.DataFrame | None:
        """The table of sensitive values, if it is one of its own."""
        return None if self._counts is None else self._counts.clone()

    def shown(self, quasi: Sequence[str], sensitive: Sequence[str]) -> tuple[pl.DataFrame, tuple[str, ...]]:
        """One row a person with what is told of the person together, and the columns that tell groups apart."""
        if self._counts is None:
            return self.frame, tuple(quasi)
        several = pl.col(GROUP, *sensitive).repeat_by(COUNT).explode(empty_as_null=False, keep_nulls=False)
        return self._counts.select(several), (GROUP,)

    def of_the_same_groups(self) -> bool:
        """Whether both tables have as many rows and values of each group; a single table speaks for itself."""
        if self._counts is None:
            return True
        rows = self._frame.group_by(GROUP).agg(pl.len().cast(pl.Int64).alias("rows")).sort(GROUP)
        values = self._counts.group_by(GROUP).agg(pl.col(COUNT).sum().alias("rows")).sort(GROUP)
        return rows.equals(values) and bool((self._counts[COUNT] > 0).all())


def published_columns(schema: Schema, scheme: Scheme) -> tuple[str, ...]:
    """The columns of the table of rows."""
    if scheme is Scheme.GENERALISATION:
        return schema.published
    return (GROUP, *schema.named(Role.QUASI, Role.OTHER))


@dataclass(frozen=True, eq=False)
class Release:
    """A verified release; `tables` is what is published, in secret order.

    `persons` numbers the person of each published row, `guards` says what guards its value; neither is published. A
    release cannot be pickled: its evidence speaks of rows that are not published.
    """

    tables: Tables = field(repr=False)
    schema: Schema
    requirement: Requirement
    evidence: Evidence = field(repr=False)
    persons: NDArray[np.int32] | None = field(default=None, repr=False)
    guards: Guards | None = field(default=None, repr=False)
    findings: tuple[Finding, ...] = field(init=False)
    classes: Classes = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._refuse_other_tables()
        quasi, sensitive = self.schema.named(Role.QUASI), self.schema.named(Role.SENSITIVE)
        shown, told_apart = self.tables.shown(quasi, sensitive)
        values = Readable(shown.select(sensitive), self.evidence.recoding.coarser)
        guarded = self._guarded(shown)
        classes = regroup(shown, told_apart, values, self.persons, guarded, self._people)
        looks = seen(self.evidence)
        asked = self.requirement.for_values(values.names)
        findings = (*asked.measure(classes), *looks, *replacements(self.evidence))
        groups = self._failing_groups(asked, values, guarded)
        failing = int((~asked.holds(classes)).sum()) or groups
        wrong = [each.note or f"{each.name} fails" for each in findings if each.verdict is Verdict.FAILS]
        if failing and not groups and len(classes) < len(self.evidence.recoding.cells):
            raise self._refused(f"{failing} of {len(classes)} sets of groups that are shown alike fail", _TELL_APART)
        if failing or wrong:
            raise self._refused(reached(classes, failing) if failing else wrong[0])
        object.__setattr__(self, "classes", classes)
        object.__setattr__(self, "findings", findings)

    def __reduce__(self) -> NoReturn:
        refuse_to_pickle(self)

    @property
    def frame(self) -> pl.DataFrame:
        """The table of rows."""
        return self.tables.frame

    @property
    def scheme(self) -> Scheme:
        """How the groups are published."""
        return self.evidence.recoding.scheme

    @property
    def suppressed(self) -> int:
        """How many rows of the original are suppressed."""
        return self.evidence.recoding.suppressed

    def _refuse_other_tables(self) -> None:
        if tuple(self.frame.columns) != published_columns(self.schema, self.scheme):
            raise self._refused("other columns than the schema publishes were about to be written")
        kept = len(self.evidence.recoding.group) - self.suppressed + self.evidence.blank
        if not self.frame.height == len(self.evidence.order) == kept:
            raise self._refused("other rows than the decision keeps were about to be written")
        if (self.tables.counts is None) != (self.scheme is Scheme.GENERALISATION):
            raise self._refused("other tables than the scheme has were about to be written")
        if not self.tables.of_the_same_groups():
            raise self._refused("the two tables do not speak of the same groups")
        self._refuse_other_values()

    def _refuse_other_values(self) -> None:
        replaced, differing = self.evidence.recoding.replaced, self.evidence.differing
        if not {each.name for each in replaced}.issubset(self.schema.named(Role.SENSITIVE)):
            raise self._refused("values of columns that are not sensitive were about to be replaced")
        if replaced and (differing is None or bool((differing & ~self.evidence.recoding.touched).any())):
            raise self._refused("other sensitive values than the decision says were about to be replaced")
        if self.evidence.untrue:
            raise self._refused("coarser values that do not cover people's own were about to be written")

    def _guarded(self, shown: pl.DataFrame) -> tuple[View, ...]:
        """What is shown and what guards it, of each row of `shown`; the guards of a group may stand in any order."""
        guards = self.guards
        if guards is None:
            return ()
        node = guards.nodes.shown_as(shown[guards.column])
        if (node == NO_NODE).any():
            raise self._refused("values that the taxonomy does not have were about to be written")
        self._refuse_untrue(guards)
        guard = guards.node
        if self.scheme is Scheme.BUCKETISATION:
            guard = np.empty_like(guards.node)
            guard[shown[GROUP].arg_sort()] = guards.node[self.frame[GROUP].arg_sort()]
        return (view_with_guards(guards.nodes, node, guard),)

    def _refuse_untrue(self, guards: Guards) -> None:
        rows = self.evidence.order
        for each in self.evidence.recoding.replaced:
            if each.change is Change.RAISED and not guards.nodes.within(guards.leaf, each.code[rows]).all():
                raise self._refused("nodes that do not hold people's own values were about to be written")

    def _failing_groups(self, asked: Requirement, values: Readable, guarded: tuple[View, ...]) -> int:
        """How many groups of the algorithm fail, where they may be finer than what a reader sees."""
        recoding = self.evidence.recoding
        if recoding.levels is not None or self.scheme is Scheme.BUCKETISATION:
            return 0
        group = recoding.group[self.evidence.order].reshape(-1, 1).astype(np.uint32)
        classes = _with_values(group, [len(recoding.cells)], values, self.persons, guarded, self._people)
        return int((~asked.holds(classes)).sum())

    @property
    def _people(self) -> Counts | None:
        """How many people each published row may be about, where a population is known."""
        people, recoding = self.evidence.people, self.evidence.recoding
        return None if people is None else people[recoding.group[self.evidence.order]]

    def _refused(self, what: str, remedy: str = _REMEDY) -> GuaranteeError:
        return GuaranteeError(
            model=self.requirement.name,
            promised=self.requirement.promise,
            reached=f"but {what}",
            remedy=remedy,
        )


def refuse_to_pickle(release: object) -> NoReturn:
    """What is pickled is stored or sent as a whole, with what only its owner may see."""
    raise TypeError(
        f"a {type(release).__name__} cannot be pickled: it holds what is not published of suppressed rows and "
        "persons. Write it with `write(folder)`, or pickle its `data`"
    )


def regroup(
    frame: pl.DataFrame,
    quasi: Sequence[str],
    values: Readable | None = None,
    persons: NDArray[np.int32] | None = None,
    guarded: tuple[View, ...] = (),
    people: Counts | None = None,
) -> Classes:
    """The classes of rows that a reader of `frame` sees as equal; an empty cell is a value of its own.

    `guarded` is the view of what guards the rows, where anything does, and `people` says how many people each row may
    be about, which is the same for rows of the same labels.
    """
    axes = axes_of(frame, quasi)
    codes, _ = code_matrix(frame, axes)
    return _with_values(codes, [len(axis) for axis in axes], values, persons, guarded, people)


def _with_values(
    codes: CodeMatrix,
    cardinalities: Sequence[int],
    values: Readable | None,
    persons: NDArray[np.int32] | None,
    guarded: tuple[View, ...],
    people: Counts | None,
) -> Classes:
    """The classes of `codes`, with their sensitive values where there are any."""
    if values is None or not values.columns.width:
        return Classes.fold(codes, cardinalities, persons)
    classes, home = Classes.of_rows(codes, cardinalities, persons)
    bags = (*values.bags(home, len(classes)), *(view.bags(home, len(classes)) for view in guarded))
    return replace(classes.with_bags(bags), known=None if people is None else _fewest(people, home, len(classes)))


def _fewest(people: Counts, home: NDArray[np.int32], classes: int) -> Counts:
    """The fewest people that a row of each class may be about."""
    fewest = np.full(classes, np.iinfo(np.int64).max)
    np.minimum.at(fewest, home, people)
    return fewest


def reached(classes: Classes, failing: int) -> str:
    """What was reached instead, in counts; there is at least one class."""
    rows, persons = int(classes.sizes.min()), int(classes.persons.min())
    return f"{failing} of {len(classes)} classes fail; the smallest has {rows} rows and {persons} persons"


def seen(evidence: Evidence) -> tuple[Finding, ...]:
    """What the algorithm saw of sensitive values, and whether that does no harm."""
    told = () if evidence.disclosed is None else evidence.disclosed.told(evidence.looks)
    return (derivable(evidence), *told)


def derivable(evidence: Evidence) -> Finding:
    """Whether every look at the sensitive columns was at unions of published groups."""
    recoding = evidence.recoding
    hidden = [*unlike(evidence.looks, recoding.shown)]
    # Whatever groups a method may have looked at, it may tell no values apart that are shown as one.
    accounted = evidence.disclosed is not None and not any(parts_a_run(look, recoding.shown) for look in hidden)
    verdict = Verdict.HOLDS if not hidden else Verdict.INFORMS if accounted else _of_unsafe(evidence.status)
    return Finding(
        *LOOKS,
        len(hidden),
        verdict,
        limit=0,
        note=f"{len(evidence.looks)} looks at sensitive values, {len(hidden)} not derivable from what is published",
    )


def replacements(evidence: Evidence) -> tuple[Finding, ...]:
    """For each sensitive column that is replaced, how many published rows may show another value than their own."""
    rows = evidence.order
    return tuple(
        Finding(REPLACED, each.name, int(each.touched[rows].sum()), note=MEANINGS[each.change])
        for each in evidence.recoding.replaced
    )


def _of_unsafe(status: Status) -> Verdict:
    return Verdict.INFORMS if status is Status.KNOWN_UNSAFE else Verdict.FAILS
