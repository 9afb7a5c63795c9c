"""What a release shows to someone who knows more than the privacy model assumes, or counts people otherwise.

Claim. Every figure is an exact count and promises nothing. How many groups share one value of a sensitive column,
and how many rows nobody equals in the columns published unchanged, can be counted by anyone from the published
table. An empty cell counts as a value. How often a removed identifier repeats is a count over the original, and is
said because k then may count rows where people were meant; it is not said of a column with so few values that they
are categories. Where the labels of a column, or how many levels it has, come from the values in the table, this is
said, because the value of a single row can then show, be the row suppressed.

Why it holds. The groups are the rows that are equal in every published quasi-identifier. A group shares one value
when every row equals the first row of its group. A row that is alone in some of the columns is alone in all of
them, so such rows are set aside as soon as they are found.

Cost. One grouping of the rows, then one comparison a sensitive column; one grouping of a few columns at a time.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from openveil.core.alternatives import OR
from openveil.core.axis import ROOT
from openveil.core.finding import Finding
from openveil.core.recoding import Scheme
from openveil.core.release import Release
from openveil.core.schema import Role
from openveil.core.table import Table
from openveil.workflow.plan import Chosen, Plan

GROUPS_SHARE = "groups in which all rows share one value"
ROWS_SHARE = "rows in groups that share one value"
UNIQUE = "rows that are unique"
REPEATS = "distinct values of an identifier that repeats"
OBSERVED = "labels made from observed values"
LONGEST = "levels made from the longest value"
MASKING = "masking"

ROLES = ((Role.QUASI,), (Role.SENSITIVE,), (Role.SENSITIVE, Role.OTHER))

_AT_ONCE = 32
# An identifier with no more values than these, in a hundred times as many rows, is a category and not a person.
_MOST_CATEGORIES = 200


def exposure(plan: Plan, table: Table, release: Release) -> tuple[Finding, ...]:
    """Everything this module counts; every finding informs."""
    quasi, sensitive, unchanged = (release.schema.named(*roles) for roles in ROLES)
    shown, groups = release.tables.shown(quasi, sensitive)
    replaced = {each.name for each in release.evidence.recoding.replaced}
    kept = [name for name in unchanged if name not in replaced]
    coarser = release.evidence.recoding.coarser
    known = (*shared(shown, groups, sensitive, coarser), *alone(release.frame, kept))
    return (*known, *repeating(table), *observed(plan, release), *longest(plan, release, table.public.heights))


def shared(
    frame: pl.DataFrame, quasi: Sequence[str], sensitive: Sequence[str], coarser: Collection[str] = ()
) -> Iterator[Finding]:
    """For each sensitive column, the groups in which all rows share one value, and the rows in them.

    In columns that are made coarser, a cell that names several values is not one.
    """
    if not sensitive:
        return
    first = _first_alike(frame, quasi)
    sizes = np.bincount(first)
    for name in sensitive:
        alike = (sizes > 0) & ~_mixed(_as_written(frame[name]), first)
        if name in coarser:
            several = frame[name].cast(pl.String).str.contains(OR, literal=True).fill_null(value=False)
            alike[first[several.to_numpy()]] = False
        yield Finding(GROUPS_SHARE, name, int(alike.sum()))
        yield Finding(ROWS_SHARE, name, int(sizes[alike].sum()))


def alone(frame: pl.DataFrame, unchanged: Sequence[str]) -> Iterator[Finding]:
    """How many rows of `frame` are unique on those columns of it that are published unchanged, if there are any."""
    there = [name for name in unchanged if name in frame.columns]
    if there:
        yield Finding(UNIQUE, "columns published unchanged", unique_rows(frame.select(there)))


def repeating(table: Table) -> Iterator[Finding]:
    """Identifiers with repeated values, where no column says who the person is."""
    if table.schema.named(Role.PERSON):
        return
    for name in table.schema.named(Role.IDENTIFIER):
        known = table.frame[name].drop_nulls()
        distinct = known.n_unique()
        categories = distinct <= _MOST_CATEGORIES and 100 * distinct < len(known)
        if distinct < len(known) and not categories:
            yield repeats(name, len(known), distinct)


def repeats(name: str, rows: int, distinct: int) -> Finding:
    """What is said of an identifier that has so many distinct values in so many rows."""
    note = (
        f"identifier column {name} repeats: {rows:,} rows, {distinct:,} distinct values; if it says "
        "who the person is, give it the role 'person', otherwise k counts rows"
    )
    return Finding(REPEATS, name, distinct, note=note)


def observed(plan: Plan, release: Release) -> Iterator[Finding]:
    """Quasi-identifiers made coarser whose labels were made from the values in the table; says how many labels."""
    if release.scheme is Scheme.BUCKETISATION:
        return
    levels = dict(zip(release.schema.named(Role.QUASI), release.evidence.recoding.levels or (), strict=False))
    for name in release.schema.named(Role.QUASI):
        chosen = plan.columns[name].hierarchy
        if not chosen or levels.get(name) == 0 or not _of_observed_values(chosen):
            continue
        finding = labels_of(release.frame[name])
        if finding.value:
            yield finding


def labels_of(column: pl.Series) -> Finding:
    """How many labels a column shows that were made from the values in the table; the root is none of them."""
    labels = column.drop_nulls().cast(pl.String).unique()
    note = (
        f"the labels of {column.name} are made from values in the table, so the lowest or highest value of one "
        "person can show in a label; give the hierarchy an `order` or a `file`, or use intervals"
    )
    return Finding(OBSERVED, column.name, len(labels.filter(labels != ROOT)), note=note)


def longest(plan: Plan, release: Release, heights: Sequence[int]) -> Iterator[Finding]:
    """Quasi-identifiers with levels that only a value longer than any published one explains; says how many."""
    if release.evidence.recoding.levels is None:
        return
    for name, height in zip(release.schema.named(Role.QUASI), heights, strict=True):
        chosen = plan.columns[name].hierarchy
        if chosen and _of_longest_value(chosen) and height > _explained(chosen, release.frame[name]):
            yield levels_of_longest(name, height)


def levels_of_longest(name: str, height: int) -> Finding:
    """What is said of a column that has so many levels because of its longest value."""
    note = (
        f"how many levels {name} has comes from the longest value in the table, even if only a row that was "
        "left out has it; give the hierarchy `keep`, or a `pad_to` that no value exceeds"
    )
    return Finding(LONGEST, name, height, note=note)


def unique_rows(columns: pl.DataFrame) -> int:
    """How many rows equal no other row; few columns are compared at a time, so wide tables stay cheap."""
    left = _by_number(columns)
    while left.width > _AT_ONCE:
        alike = _first_alike(left, left.columns[:_AT_ONCE])
        rest = left[:, _AT_ONCE:].with_columns(pl.Series("alike", alike))
        left = _by_number(rest.filter(pl.col("alike").is_duplicated()))
    return columns.height - left.height + int(left.is_unique().sum())


def _of_observed_values(chosen: Chosen) -> bool:
    declared = [chosen.parameters.get(each) for each in ("order", "file")]
    return chosen.part.name == "ordering" and declared == [None, None]


def _of_longest_value(chosen: Chosen) -> bool:
    return chosen.part.name == MASKING and chosen.parameters.get("keep") is None


def _explained(chosen: Chosen, column: pl.Series) -> int:
    """How many levels of masking the plan and the longest label explain; a label is as long as what it stands for."""
    step, pad_to = (chosen.parameters.get(each) for each in ("step", "pad_to"))
    labels = column.drop_nulls().cast(pl.String).str.replace(r"\.0$", "")
    length = labels.filter(labels != ROOT).str.len_chars().to_numpy().max(initial=pad_to or 0)
    return 1 + len(range(step or 1, int(length), step or 1))


def _mixed(column: pl.Series, first: NDArray[np.int64]) -> NDArray[np.bool_]:
    """At the first row of each group, whether some row of the group has another value."""
    differs = column.ne_missing(column.gather(first)).to_numpy()
    mixed = np.zeros(int(first.max(initial=-1)) + 1, dtype=np.bool_)
    mixed[first[differs]] = True
    return mixed


def _first_alike(frame: pl.DataFrame, names: Sequence[str]) -> NDArray[np.int64]:
    """For each row, the first row that equals it in the named columns, of which there is at least one."""
    columns = _by_number(frame.select(names))
    first = pl.col("row").first().over(columns.columns)
    return columns.with_row_index("row").select(first.cast(pl.Int64)).to_series().to_numpy()


def _by_number(columns: pl.DataFrame) -> pl.DataFrame:
    """The same columns under names that no added column can have."""
    return pl.DataFrame([_as_written(column).alias(str(number)) for number, column in enumerate(columns)])


def _as_written(column: pl.Series) -> pl.Series:
    """Minus zero is written otherwise than zero, and a reader of the file tells them apart."""
    if column.dtype.is_float() and (1 / column.filter(column == 0) < 0).any():
        return column.cast(pl.String)
    return column
