"""Somebody else's release and, where there is one, its original, as the audit sees them.

Claim. `received` gives every cell of a release as a text, the role that the plan gives to each of its columns, its
classes as they are written, and what its labels stand for. A release that is not one of the plan's table is refused:
it has no rows, or hardly a column of the plan. So is an original that lacks what would be compared.

Where each row stands for several people, `count` names the column that says how many.

Cost. Reading; one encoding and one fold of the rows; what `labels/reading.py` costs a label.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from openveil.core.axis import Hierarchy
from openveil.core.classes import Classes
from openveil.core.errors import refuse
from openveil.core.progress import report
from openveil.core.rule import Rule
from openveil.core.schema import Role
from openveil.core.table import axes_of, code_matrix
from openveil.core.witness import views_of
from openveil.hierarchies.dates import Dates
from openveil.hierarchies.intervals import Intervals
from openveil.hierarchies.masking import Masking
from openveil.io.as_written import as_written, read_as_written
from openveil.io.frames import take
from openveil.io.marks import blanked
from openveil.io.source import Source
from openveil.labels.meaning import ANY
from openveil.labels.notations import hidden
from openveil.labels.reading import Known, Labels
from openveil.labels.scales import DAYS, NUMBERS
from openveil.workflow.audit.readings import Groups
from openveil.workflow.audit.secrets import Written
from openveil.workflow.plan import Plan
from openveil.workflow.taking import taken

_MOST_PEOPLE = 10_000_000
_WHOLE = r"^[1-9][0-9]{0,7}$"


@dataclass(frozen=True, eq=False)
class Received:
    """A release: its cells as texts, the roles of its columns, its groups, and the labels of its quasi-identifiers.

    `home` is the class of each row, `written` how the values of each sensitive column are. `original` is what it
    was made from, or None.
    """

    plan: Plan
    frame: pl.DataFrame = field(repr=False)
    groups: Groups
    home: NDArray[np.int32] = field(repr=False)
    labels: Mapping[str, Labels]
    written: Mapping[str, Written]
    original: pl.DataFrame | None = field(default=None, repr=False)

    def named(self, *roles: Role) -> tuple[str, ...]:
        """The columns of the release that have one of the roles in the plan, in the order of the release."""
        return tuple(name for name in self.frame.columns if self.role(name) in roles)

    def role(self, name: str) -> Role | None:
        """What the plan says of a column; None where it says nothing."""
        found = self.plan.columns.get(name)
        return None if found is None else found.role

    @property
    def strangers(self) -> tuple[str, ...]:
        """The columns that the plan does not have."""
        return tuple(name for name in self.frame.columns if name not in self.plan.columns)

    @property
    def smallest(self) -> int:
        """The fewest people that the plan wants to be alike; 2 where it asks for no number of them."""
        asked = [chosen.parameters.get("k") for chosen in self.plan.privacy]
        return max((k for k in asked if isinstance(k, int)), default=2)


def received(plan: Plan, release: object, original: object = None, count: str | None = None) -> Received:
    """Take a release (a file or a frame) of the table of a plan, and the original if there is one."""
    report("reading the release")
    written = _told_apart(_cells(release), plan, count)
    frame = written if count is None else _each_person(written, count)
    known = None if original is None else _original(original, plan)
    report("reading labels")
    return _grouped(plan, frame, known)


def _grouped(plan: Plan, frame: pl.DataFrame, original: pl.DataFrame | None) -> Received:
    quasi = [name for name in frame.columns if _has(plan, name, Role.QUASI)]
    sensitive = frame.select([name for name in frame.columns if _has(plan, name, Role.SENSITIVE)])
    axes = axes_of(frame, quasi)
    labels = {axis.name: Labels.read(axis, _known(plan, axis.name, original)) for axis in axes}
    codes, _ = code_matrix(frame, axes)
    classes, home = Classes.of_rows(codes, [len(axis) for axis in axes], _persons(plan, frame))
    bags = tuple(view.bags(home, len(classes)) for view in views_of(sensitive)) if sensitive.width else ()
    written = {column.name: Written.of(column, _known(plan, column.name, original)) for column in sensitive}
    groups = Groups(
        classes.with_bags(bags),
        _marked(classes, [labels[name].hidden for name in quasi]),
        any(each.hidden or each.coarse_cells for each in written.values()),
        bool(sensitive.width),
        any(each.alike for each in written.values()),
    )
    return Received(plan, frame, groups, home, labels, written, original)


def _has(plan: Plan, name: str, role: Role) -> bool:
    return name in plan.columns and plan.columns[name].role is role


def _marked(classes: Classes, marks: Sequence[NDArray[np.bool_]]) -> NDArray[np.bool_]:
    """Of each class and attribute whether its label is marked."""
    columns = [marks[a][classes.base[:, a]] for a in range(len(marks))]
    return np.stack(columns, axis=1) if columns else np.zeros((len(classes), 0), dtype=np.bool_)


def _persons(plan: Plan, frame: pl.DataFrame) -> NDArray[np.int32] | None:
    """The person of each row, where the release still says who that is."""
    named = [name for name in frame.columns if _has(plan, name, Role.PERSON)]
    if not named or _only_hidden(frame[named[0]]):
        return None
    return frame[named[0]].rank("dense").fill_null(0).cast(pl.Int32).to_numpy()


def _only_hidden(column: pl.Series) -> bool:
    return all(hidden(text) is not None for text in column.unique().to_list())


def _cells(table: object) -> pl.DataFrame:
    if isinstance(table, str | Path):
        return read_as_written(Source(Path(table)))
    return read_as_written(table) if isinstance(table, Source) else as_written(take(table)[0])


def _original(table: object, plan: Plan) -> pl.DataFrame:
    """The original as the plan reads it; what is compared must be there."""
    frame = taken(table, plan)[0]
    lacking = [name for name in plan.rules if name not in frame.columns]
    if lacking:
        remedy = "Give the table that the release was made from"
        raise refuse("original", f"lacks quasi-identifiers of the plan: {', '.join(lacking)}", remedy)
    return frame


def _told_apart(frame: pl.DataFrame, plan: Plan, count: str | None) -> pl.DataFrame:
    """The release, if it is one of the plan's table; what the plan spells as not known is an empty cell."""
    names = [name for name in frame.columns if name != count]
    known = [name for name in names if name in plan.columns]
    if 2 * len(known) < len(names) or not known:
        what = f"only {len(known)} of its {len(names)} columns are in the plan"
        remedy = "Take the plan of this table; if the file has no line of column names, add one"
        raise refuse("release", what, remedy)
    if count is not None and count not in frame.columns:
        remedy = "Name the column that says how many people a row stands for"
        raise refuse("--count", "names a column that the release does not have", remedy, found=repr(count))
    if not frame.height:
        raise refuse("release", "has no rows", "Give a release with at least one row")
    return blanked(frame, plan.input.missing if plan.input else ())


def _each_person(frame: pl.DataFrame, count: str) -> pl.DataFrame:
    """One row a person."""
    wrong = frame.height - int(frame[count].str.contains(_WHOLE).fill_null(value=False).sum())
    if wrong:
        found = f"{wrong} of {frame.height} cells are something else"
        raise refuse(f"column {count!r}", "must have whole numbers from 1", "Leave --count out", found=found)
    people = frame[count].cast(pl.Int64)
    if int(people.sum()) > _MOST_PEOPLE:
        remedy = "Check the column; it says how many people each row stands for"
        raise refuse(f"column {count!r}", f"adds up to more than {_MOST_PEOPLE:,} people", remedy)
    rows = np.repeat(np.arange(frame.height), people.to_numpy())
    return frame.drop(count)[rows]


def _known(plan: Plan, name: str, original: pl.DataFrame | None) -> Known:
    """What the plan says of a column: its values and groups, its scale and its sign for hidden characters."""
    rule = plan.rules.get(name)
    if rule is None:
        return Known()
    scale = NUMBERS if isinstance(rule, Intervals) else DAYS if isinstance(rule, Dates) else None
    mask = rule.character if isinstance(rule, Masking) else ANY
    declared = _bound(rule, name, pl.Series(name, [], dtype=pl.String))
    if declared is not None:
        return Known(declared, complete=True, scale=scale, mask=mask)
    # Intervals and dates are read on their scale; the nodes of others are those of the values that were met.
    met = None if original is None or scale else _bound(rule, name, original[name].drop_nulls().unique())
    return Known(met, scale=scale, mask=mask)


def _bound(rule: Rule, name: str, values: pl.Series) -> Hierarchy | None:
    hierarchy = rule.bind(name, values, missing=True)
    return hierarchy if len(hierarchy.axis.labels) else None
