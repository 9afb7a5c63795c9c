"""What a release shows to someone who knows more than the privacy model assumes, or counts people otherwise.

Claim. Every figure is an exact count and promises nothing. How many groups share one value of a sensitive column,
and how many rows nobody equals in the columns published unchanged, can be counted by anyone from the published
table. An empty cell counts as a value. How often a removed identifier repeats is a count over the original, and is
said because k then may count rows where people were meant.

Why it holds. The groups are the rows that are equal in every published quasi-identifier. A group shares one value
when every row equals the first row of its group. A row that is alone in some of the columns is alone in all of
them, so such rows are set aside as soon as they are found.

Cost. One grouping of the rows, then one comparison a sensitive column; one grouping of a few columns at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from openveil.core.axis import ROOT
from openveil.core.finding import Finding
from openveil.core.release import Release
from openveil.core.schema import Role
from openveil.core.table import Table
from openveil.workflow.plan import Chosen, Plan

_AT_ONCE = 32


def exposure(plan: Plan, table: Table, release: Release) -> tuple[Finding, ...]:
    """Everything this module counts; every finding informs."""
    return (*shared(release), *alone(release), *repeating(table), *observed(plan, release))


def shared(release: Release) -> Iterator[Finding]:
    """For each sensitive column, the groups in which all rows share one value, and the rows in them."""
    sensitive = release.schema.named(Role.SENSITIVE)
    if not sensitive:
        return
    first = _first_alike(release.frame, release.schema.named(Role.QUASI))
    sizes = np.bincount(first)
    for name in sensitive:
        alike = (sizes > 0) & ~_mixed(release.frame[name], first)
        yield Finding("groups in which all rows share one value", name, int(alike.sum()))
        yield Finding("rows in groups that share one value", name, int(sizes[alike].sum()))


def alone(release: Release) -> Iterator[Finding]:
    """How many published rows are unique on the columns published unchanged, if there are any."""
    unchanged = release.schema.named(Role.SENSITIVE, Role.OTHER)
    if unchanged:
        rows = unique_rows(release.frame.select(unchanged))
        yield Finding("rows that are unique", "columns published unchanged", rows)


def repeating(table: Table) -> Iterator[Finding]:
    """Identifiers with repeated values, where no column says who the person is."""
    if table.schema.named(Role.PERSON):
        return
    for name in table.schema.named(Role.IDENTIFIER):
        known = table.frame[name].drop_nulls()
        distinct = known.n_unique()
        if distinct < len(known):
            note = (
                f"identifier column {name} repeats: {len(known):,} rows, {distinct:,} distinct values; if it says "
                "who the person is, give it the role 'person', otherwise k counts rows"
            )
            yield Finding("distinct values of an identifier that repeats", name, distinct, note=note)


def observed(plan: Plan, release: Release) -> Iterator[Finding]:
    """Quasi-identifiers made coarser whose labels were made from the values in the table; says how many labels."""
    levels = dict(zip(release.schema.named(Role.QUASI), release.evidence.recoding.levels or (), strict=False))
    for name in release.schema.named(Role.QUASI):
        chosen = plan.columns[name].hierarchy
        if not chosen or levels.get(name) == 0 or not _of_observed_values(chosen):
            continue
        labels = release.frame[name].drop_nulls().cast(pl.String).unique()
        shown = len(labels.filter(labels != ROOT))
        if shown:
            note = (
                f"the labels of {name} are made from values in the table, so the lowest or highest value of one "
                "person can show in a label; give the hierarchy an `order` or a `file`, or use intervals"
            )
            yield Finding("labels made from observed values", name, shown, note=note)


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
    return columns.rename(dict(zip(columns.columns, map(str, range(columns.width)), strict=True)))
