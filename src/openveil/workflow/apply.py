"""From a decision to the rows that are published.

Claim. `apply` gives the published columns of the rows a recoding keeps, generalised as it says, in an order that
depends on a secret alone. Identifiers and the person column are not in it, and neither is any index. Suppressed rows
are left out, or kept with `*` in every quasi-identifier; they are kept only when they satisfy the privacy model as a
class of their own, since who is missing from all other classes is known to be in it. Under bucketisation it gives the
quasi-identifiers as they are, with a number for the group, and the sensitive values of each group in a table of their
own; groups are numbered in a secret order too. Where the recoding replaces sensitive values, what it shows instead is
published in either scheme. The frames share no memory with the original.

Cost. One gather and one copy a column.
"""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO

import numpy as np
import polars as pl
from numpy.typing import NDArray

from openveil.core.alternatives import Readable, unnamed
from openveil.core.axis import ROOT
from openveil.core.recoding import SUPPRESSED, Recoding, Scheme
from openveil.core.release import COUNT, GROUP, Tables, published_columns, regroup
from openveil.core.requirement import Requirement
from openveil.core.schema import Role
from openveil.core.secret import Secret
from openveil.core.table import Table, differing

ROW_ORDER, GROUP_NUMBERS = "row order", "group numbers"


@dataclass(frozen=True, eq=False)
class Applied:
    """What is published, the original row and the person of each published row, and how many rows are blank.

    `differing` are the rows of the original of which other sensitive values are published than their own; `untrue`
    says how many cells of columns that are made coarser do not name the row's own value.
    """

    tables: Tables
    order: NDArray[np.int64]
    persons: NDArray[np.int32] | None
    blank: int = 0
    differing: NDArray[np.bool_] | None = None
    untrue: int = 0


def leave_out(table: Table, recoding: Recoding, secret: Secret) -> Applied:
    """Publish without the suppressed rows."""
    return _published(table, recoding, np.flatnonzero(recoding.group != SUPPRESSED), secret)


def keep_blank(table: Table, recoding: Recoding, secret: Secret, requirement: Requirement) -> Applied:
    """Publish the suppressed rows too, blank, if together they may be published."""
    if recoding.scheme is Scheme.BUCKETISATION or not recoding.suppressed or requirement.reads_guards:
        return leave_out(table, recoding, secret)
    everyone = np.arange(len(recoding.group))
    applied = _published(table, recoding, everyone, secret)
    quasi, sensitive = table.schema.named(Role.QUASI), table.schema.named(Role.SENSITIVE)
    values = Readable(applied.tables.frame.select(sensitive), recoding.coarser)
    classes = regroup(applied.tables.frame, quasi, values, applied.persons)
    asked = requirement.for_values(values.names)
    if asked.holds(classes).all():
        return applied
    return leave_out(table, recoding, secret)


def _published(table: Table, recoding: Recoding, rows: NDArray[np.int64], secret: Secret) -> Applied:
    order = rows[secret.permutation(ROW_ORDER, len(rows))]
    persons = table.public.persons
    of_rows = None if persons is None else persons[order]
    own = table.frame.select(each.name for each in recoding.replaced)
    others = differing(own, recoding.shows(own)) if recoding.replaced else None
    untrue = sum(unnamed(own[name], recoding.shows(own)[name]) for name in recoding.coarser)
    if recoding.scheme is Scheme.BUCKETISATION:
        return Applied(_bucketised(table, recoding, order, secret), order, of_rows, 0, others, untrue)
    group = recoding.group[order]
    blank = int((group == SUPPRESSED).sum())
    shown = dict(zip(table.public.names, _labels(recoding, group, blank), strict=True))
    kept = recoding.shows(table.frame.select(name for name in table.schema.published if name not in shown))
    columns = [
        (shown[name] if name in shown else kept[name].gather(order)).alias(name) for name in table.schema.published
    ]
    return Applied(Tables(_severed(pl.DataFrame(columns))), order, of_rows, blank, others, untrue)


def _bucketised(table: Table, recoding: Recoding, order: NDArray[np.int64], secret: Secret) -> Tables:
    numbers = 1 + secret.permutation(GROUP_NUMBERS, len(recoding.cells))
    group = pl.Series(GROUP, numbers[recoding.group[order]], dtype=pl.Int64)
    sensitive = table.schema.named(Role.SENSITIVE)
    rows = table.frame.select(published_columns(table.schema, recoding.scheme)[1:])[order].insert_column(0, group)
    values = recoding.shows(table.frame.select(sensitive))[order].insert_column(0, group)
    counts = values.group_by(GROUP, *sensitive).agg(pl.len().cast(pl.Int64).alias(COUNT))
    return Tables(_severed(rows), _severed(counts.sort(GROUP, *sensitive)))


def _severed(frame: pl.DataFrame) -> pl.DataFrame:
    """The same table in memory of its own.

    Text columns share buffers with what they were cut from: the suppressed rows, and labels nobody is shown as.
    Whoever pickles or sends such a frame sends those along.
    """
    copy = BytesIO()
    frame.write_ipc(copy, compat_level=pl.CompatLevel.oldest())
    copy.seek(0)
    return pl.read_ipc(copy)


def _labels(recoding: Recoding, group: NDArray[np.int32], blank: int) -> list[pl.Series]:
    hidden = pl.Series(group == SUPPRESSED)
    columns = []
    for attribute, display in enumerate(recoding.displays):
        cells = recoding.cells[:, attribute]
        nodes = cells[group] if len(cells) else np.zeros(len(group), dtype=np.int32)
        labels = display.labels.cast(pl.String) if blank else display.labels
        shown = labels.gather(nodes)
        columns.append(shown.zip_with(~hidden, pl.Series([ROOT])) if blank else shown)
    return columns
