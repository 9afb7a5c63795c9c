"""What an algorithm decided, as a value that someone else applies and judges.

Claim. A `Recoding` says of every row which group it is published in (or that it is suppressed), and of every
group what each quasi-identifier is shown as: a label and the interval of the axis it stands for. It contains no
row of the table. It contains no sensitive value either, unless other ones than the rows' own are shown (`Replaced`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np
import polars as pl
from numpy.typing import NDArray

from openveil.core.alternatives import named
from openveil.core.axis import Codes, Hierarchy
from openveil.core.finding import Finding
from openveil.core.guards import Guards
from openveil.core.witness import Runs, Shown

SUPPRESSED = -1


class Scheme(StrEnum):
    """How groups are published: one table with coarser quasi-identifiers, or two tables that share a group number."""

    GENERALISATION = "generalisation"
    BUCKETISATION = "bucketisation"


@dataclass(frozen=True, eq=False)
class Display:
    """The labels one attribute is shown as; label i stands for the codes `lower[i]..upper[i]`."""

    labels: pl.Series = field(repr=False)
    lower: Codes = field(repr=False)
    upper: Codes = field(repr=False)

    @staticmethod
    def of_level(hierarchy: Hierarchy, number: int) -> Display:
        """The nodes of one level of a hierarchy; at level 0 the values themselves, in their own type."""
        level = hierarchy.levels[number]
        labels = hierarchy.axis.published if number == 0 else level.labels
        ends = np.append(level.starts[1:], len(hierarchy.axis)).astype(np.int32) - 1
        return Display(labels, level.starts, ends)


class Change(StrEnum):
    """What becomes of sensitive values that are not shown as they are: drawn anew, or shown coarser.

    What is shown coarser is `GENERALISED` to a list of values, or `RAISED` to a node of a taxonomy.
    """

    PERTURBED = "perturbed"
    GENERALISED = "generalised"
    RAISED = "raised"


@dataclass(frozen=True, eq=False)
class Replaced:
    """What the sensitive column `name` shows: of row r `labels[code[r]]`. Rows not `touched` show their own value.

    Rows that are touched may happen to show their own value all the same. Which rows are touched must follow from
    what is published, where the method claims to be safe: how many they are is told. A value that is made coarser is
    one of a run of an ordered axis, and `runs` has the places of the first and the last value of each label; the
    label names them all (`core/alternatives.py`), or, where values are raised, the node of a taxonomy that has them.
    """

    name: str
    change: Change
    labels: pl.Series = field(repr=False)
    code: NDArray[np.int32] = field(repr=False)
    touched: NDArray[np.bool_] = field(repr=False)
    runs: tuple[NDArray[np.int32], NDArray[np.int32]] | None = field(default=None, repr=False)

    @staticmethod
    def raised(shown: Codes, guards: Guards) -> Replaced:
        """What is published where each row shows this node of the taxonomy of what is guarded."""
        nodes, touched = guards.nodes, shown != guards.leaf
        return Replaced(guards.column, Change.RAISED, nodes.labels, shown, touched, (nodes.lower, nodes.upper))

    @staticmethod
    def of_runs(name: str, runs: Runs) -> Replaced:
        """What is published where the column shows of each row all values of the run that its own is in."""
        pairs, code = np.unique(runs.first.astype(np.int64) * len(runs.axis) + runs.last, return_inverse=True)
        first, last = (each.astype(np.int32) for each in np.divmod(pairs, len(runs.axis)))
        labels = named(runs.axis.labels, first, last)
        touched = runs.first < runs.last
        return Replaced(name, Change.GENERALISED, labels, code.astype(np.int32), touched, (first, last))

    @property
    def shown(self) -> pl.Series:
        """What each row shows."""
        return self.labels.gather(self.code).alias(self.name)


@dataclass(frozen=True, eq=False)
class Recoding:
    """`group[r]` is the group of row r or SUPPRESSED; `cells[g, a]` the label of group g in attribute a.

    `levels` is set when every attribute is shown at one level of its hierarchy (full-domain generalisation).
    `findings` are what the algorithm has to say of its own search. Under bucketisation the cells are not shown.
    `settled` are the groups before anything was drawn, where something was. `replaced` are the sensitive columns that
    show other values than the rows' own.
    """

    group: NDArray[np.int32] = field(repr=False)
    cells: NDArray[np.int32] = field(repr=False)
    displays: tuple[Display, ...] = field(repr=False)
    levels: tuple[int, ...] | None = None
    scheme: Scheme = Scheme.GENERALISATION
    settled: NDArray[np.int32] | None = field(default=None, repr=False)
    findings: tuple[Finding, ...] = ()
    replaced: tuple[Replaced, ...] = ()

    def with_findings(self, findings: tuple[Finding, ...]) -> Recoding:
        """The same recoding, with what the algorithm has to say about it."""
        return replace(self, findings=self.findings + findings)

    @property
    def suppressed(self) -> int:
        """How many rows are suppressed."""
        return int((self.group == SUPPRESSED).sum())

    @property
    def coarser(self) -> frozenset[str]:
        """The sensitive columns that show coarser values."""
        return frozenset(each.name for each in self.replaced if each.change is Change.GENERALISED)

    @property
    def shown(self) -> Shown:
        """What is shown of the sensitive values of each row."""
        runs = self.replaced[0].runs if len(self.replaced) == 1 else None
        of_rows = None if runs is None else (runs[0][self.replaced[0].code], runs[1][self.replaced[0].code])
        return Shown(self.group, self.touched, of_rows)

    @property
    def touched(self) -> NDArray[np.bool_]:
        """The rows that may show another sensitive value than their own."""
        any_of: NDArray[np.bool_] = np.logical_or.reduce(
            [np.zeros(len(self.group), dtype=np.bool_), *(each.touched for each in self.replaced)]
        )
        return any_of

    def shows(self, columns: pl.DataFrame) -> pl.DataFrame:
        """The same columns, in which those that are replaced have what is shown of each row."""
        return columns.with_columns([each.shown for each in self.replaced if each.name in columns.columns])


def same_groups(one: Codes, other: Codes) -> bool:
    """Whether two labels say the same of which rows are together."""
    return refines(one, other) and refines(other, one)


def refines(fine: Codes, coarse: Codes) -> bool:
    """Whether rows that are together in `fine` are together in `coarse`."""
    label = from_0(fine)
    above = np.empty(int(label.max(initial=-1)) + 1, dtype=coarse.dtype)
    above[label] = coarse
    return bool((above[label] == coarse).all())


def from_0(label: Codes) -> Codes:
    """The same without negative labels, which say of rows that they are together like others."""
    shifted: Codes = label - label.min(initial=0)
    return shifted


def same_release(one: Recoding, other: Recoding) -> bool:
    """Whether a reader who knows the group of every row sees the same under both."""
    if not same_groups(one.group, other.group) or not np.array_equal(one.group < 0, other.group < 0):
        return False
    kept = np.flatnonzero(one.group >= 0)
    first = kept[np.unique(one.group[kept], return_index=True)[1]]
    cells = (each.cells[each.group[first]] for each in (one, other))
    labels = [
        [display.labels.gather(cell[:, a]) for a, display in enumerate(each.displays)]
        for each, cell in zip((one, other), cells, strict=True)
    ]
    shown = all(mine.equals(theirs, null_equal=True) for mine, theirs in zip(*labels, strict=True))
    return shown and _same_values(one, other, kept)


def _same_values(one: Recoding, other: Recoding, kept: NDArray[np.int64]) -> bool:
    """Whether the same sensitive values are shown in place of the rows' own."""
    mine, theirs = ({each.name: each for each in side.replaced} for side in (one, other))
    return mine.keys() == theirs.keys() and all(
        mine[name].shown.gather(kept).equals(theirs[name].shown.gather(kept), null_equal=True) for name in mine
    )
