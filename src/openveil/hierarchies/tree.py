"""A tree of labels, given as one row a value from the value up to the top, as a hierarchy.

Claim. `bind_rows` returns the hierarchy whose nodes are the labels of each column, over all values of the rows,
also those not observed; or one `RequestError` that lists what is wrong with the tree. A label stands for one node
of its level, and on two levels only for a node and one of its ancestors.

Order. The axis keeps the natural order of the values if every node is then a run of it; otherwise nodes and values
come in the order of their first appearance, top down.

Why it holds. If every label of a level has one label above it, sorting by the first appearance of the labels from
the top down puts the rows below each of them side by side.

Cost. A few columnar passes for each pair of levels.

Source. Samarati and Sweeney, Protecting privacy when disclosing information, 1998 (value generalisation
hierarchies).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise

import polars as pl

from openveil.core.axis import ROOT, Hierarchy
from openveil.core.errors import Problem, refuse
from openveil.hierarchies.nesting import AXIS, VALUE, nest, on_axis, refuse_all, runs
from openveil.hierarchies.spelling import natural_order

MOST_LEVELS = 100


def rows_of(columns: list[tuple[str, ...]]) -> pl.DataFrame:
    """The rows of a tree from its columns of text: the values, then each level up to below the root."""
    names = [VALUE, *(f"level {number}" for number in range(1, len(columns)))]
    frame = pl.DataFrame(
        [pl.Series(name, column, dtype=pl.String) for name, column in zip(names, columns, strict=True)]
    )
    return frame.with_columns(pl.col(names[1:]).str.strip_chars())


def bind_rows(name: str, where: str, rows: pl.DataFrame, values: pl.Series, *, missing: bool) -> Hierarchy:
    """The hierarchy of the column `name` over the values of the rows."""
    if rows.width > MOST_LEVELS:
        raise refuse(where, f"has more than {MOST_LEVELS} levels", "Keep those a reader needs", found=str(rows.width))
    refuse_all(_problems(where, rows))
    placed = on_axis(name, values, rows)
    ordered = _in_tree_order(placed)
    levels = [runs(ordered[column]) for column in rows.columns[1:]]
    return nest(name, ordered[AXIS], levels, missing=missing)


def _in_tree_order(rows: pl.DataFrame) -> pl.DataFrame:
    columns = rows.columns[1:-1]
    natural = rows[natural_order(rows[AXIS])]
    if all(len(runs(natural[column])) == natural[column].n_unique() for column in columns):
        return natural
    first_seen = [pl.col("row").min().over(column) for column in reversed(columns)]
    return rows.with_row_index("row").sort(*first_seen, "row").drop("row")


def _problems(where: str, rows: pl.DataFrame) -> Iterator[Problem]:
    yield from _repeated(where, rows[VALUE])
    for number, column in enumerate(rows.columns):
        yield from _unnamed(where, number, rows[column])
    for finer, coarser in pairwise(rows.columns):
        yield from _two_parents(where, finer, rows.select(finer, coarser).unique())
    if _some_label_is_on_two_levels(rows):
        for finer, coarser in combinations(rows.columns, 2):
            yield from _reused(where, finer, coarser, rows.select(finer, coarser).unique())


def _repeated(where: str, values: pl.Series) -> Iterator[Problem]:
    repeated = values.filter(values.is_duplicated()).unique()
    if len(repeated):
        yield Problem(where, "lists a value more than once", "Keep one line for each value", _examples(repeated))


def _unnamed(where: str, number: int, labels: pl.Series) -> Iterator[Problem]:
    level = "the values" if number == 0 else f"level {number}"
    empty, starred = int((labels.str.strip_chars() == "").sum()), int((labels == ROOT).sum())
    if empty:
        remedy = "Name it; missing cells need no line, they have a place of their own"
        yield Problem(where, f"has an empty label in {level}", remedy, f"{empty} such")
    if starred:
        remedy = f"Name it; only the last level may be {ROOT!r}, and then on every line"
        yield Problem(where, f"has {ROOT!r}, the name of the root, in {level}", remedy, f"{starred} such")


def _two_parents(where: str, finer: str, pairs: pl.DataFrame) -> Iterator[Problem]:
    torn = pairs[finer].filter(pairs[finer].is_duplicated()).unique()
    # A value listed twice has been reported as such.
    if len(torn) and finer != VALUE:
        remedy = "Put it under one parent, or give the two groups labels of their own"
        yield Problem(where, f"has the same label under two parents in {finer}", remedy, _examples(torn))


def _some_label_is_on_two_levels(rows: pl.DataFrame) -> bool:
    distinct = [rows[column].unique().alias("labels") for column in rows.columns]
    return pl.concat(distinct).n_unique() < sum(map(len, distinct))


def _reused(where: str, finer: str, coarser: str, pairs: pl.DataFrame) -> Iterator[Problem]:
    elsewhere = pairs.filter(pl.col(finer).is_in(pairs[coarser].implode()) & (pl.col(finer) != pl.col(coarser)))
    labels = elsewhere[finer].unique()
    if len(labels) and ROOT not in labels:
        what = f"has the same label for a {finer} and for a group of {coarser} that does not contain it"
        yield Problem(where, what, "Give one of them a label of its own", _examples(labels))


def _examples(labels: pl.Series) -> str:
    """Up to three of the labels; they are the hierarchy's own, not a person's."""
    shown = ", ".join(repr(label) for label in labels.sort().head(3).to_list())
    return shown if len(labels) <= 3 else f"{shown} and {len(labels) - 3} more"
