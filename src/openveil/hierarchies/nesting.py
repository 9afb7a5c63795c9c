"""From ordered values and the label of each value a level, to a hierarchy that a reader can tell apart.

Claim. `nest` returns a hierarchy in which no label stands for two groups of a level, no label below the root is
`*` or empty, and missing stays alone with a null label on every level below the root; or it raises one
`RequestError` that lists all that is wrong and shows no value.

Why it holds. A node is a run of values. A label that stands for two runs is found by counting; that the runs are
nested is checked by `core.Hierarchy` itself.

Cost. A few columnar passes over the axis a level.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import polars as pl

from openveil.core.axis import ROOT, Axis, Hierarchy, Level
from openveil.core.errors import Problem, RequestError, refuse
from openveil.hierarchies.spelling import SUPPORTED, is_supported, read_as, spelled

AXIS = "axis"
VALUE = "value"


def refuse_all(problems: Iterable[Problem]) -> None:
    """Raise one error that lists every problem, if there is any."""
    listed = tuple(problems)
    if listed:
        raise RequestError(listed)


def refuse_type(name: str, dtype: pl.DataType) -> None:
    """Raise if a column of this type cannot have a hierarchy."""
    if not is_supported(dtype):
        raise wrong_type(name, SUPPORTED, dtype)


def wrong_type(name: str, taken: str, dtype: pl.DataType) -> RequestError:
    """The error of a kind of hierarchy that takes columns of other types; `taken` names them."""
    # The bare name: the full type of an enumeration lists the values of the column.
    found = f"type {dtype.base_type().__name__}"
    return refuse(
        f"hierarchy of {name!r}", f"is for {taken}", "Change the column's type or use another kind", found=found
    )


def runs(labels: pl.Series, *, nodes: pl.Series | None = None) -> Level:
    """One node for each run of equal `nodes`; the labels say which node it is when `nodes` is not given."""
    node = labels if nodes is None else nodes
    starts = (node != node.shift()).fill_null(value=True).arg_true()
    return Level(starts.cast(pl.Int32).to_numpy(), labels.gather(starts))


def nest(
    name: str, values: pl.Series, levels: Sequence[Level], *, missing: bool, shown: pl.Series | None = None
) -> Hierarchy:
    """The hierarchy over `values` in that order; `levels` lie strictly between the values and the root.

    `shown` is how the values themselves are published; plain text when it is not given.
    """
    refuse_type(name, values.dtype)
    axis = Axis(name, values, missing)
    bottom = Level(np.arange(len(values), dtype=np.int32), spelled(values) if shown is None else shown)
    below = (bottom, *levels)
    refuse_all(problem for number, level in enumerate(below) for problem in _unreadable(name, number, level))
    return Hierarchy(axis, (*(_beside_missing(level, axis) for level in below), _root(axis)))


def on_axis(name: str, values: pl.Series, rows: pl.DataFrame) -> pl.DataFrame:
    """The rows of a hierarchy written as text, with its values (column `VALUE`) read as the column's own.

    Rows that cannot be a value of the column's type are left out: such a value cannot occur. Values are taken as
    they stand when the column has them so, and without the blanks around them otherwise.
    """
    refuse_type(name, values.dtype)
    text = rows[VALUE]
    if values.dtype == pl.String:
        as_it_stands = text.is_in(values.implode())
        text = text.zip_with(as_it_stands, text.str.strip_chars())
    placed = rows.with_columns(read_as(text, values.dtype).alias(AXIS)).filter(pl.col(AXIS).is_not_null())
    same = placed.height - placed[AXIS].n_unique()
    if same:
        raise refuse(
            f"hierarchy of {name!r}",
            f"lists values that are the same one in a column of type {values.dtype.base_type().__name__}",
            "Keep one line for each value",
            found=f"{same} too many",
        )
    strangers = Axis(name, placed[AXIS]).encode(values)[1]
    refuse_all(uncovered(name, strangers, len(values), "Add them to the hierarchy"))
    return placed


def uncovered(name: str, strangers: int, total: int, remedy: str) -> tuple[Problem, ...]:
    """The problem of values without a place in the hierarchy, as counts; none if all have one."""
    if not strangers:
        return ()
    what = f"{strangers} of {total} distinct values are not in the hierarchy"
    way_out = f"{remedy}, or list their spelling under `missing` if they mean 'not known'"
    return (Problem(f"hierarchy of {name!r}", what, way_out),)


def _beside_missing(level: Level, axis: Axis) -> Level:
    if not axis.missing:
        return level
    starts = np.append(level.starts, len(axis.labels)).astype(np.int32)
    return Level(starts, pl.concat([level.labels, pl.Series([None], dtype=pl.String)]))


def _root(axis: Axis) -> Level:
    held = min(1, len(axis))
    return Level(np.zeros(held, dtype=np.int32), pl.Series([ROOT] * held, dtype=pl.String))


def _unreadable(name: str, number: int, level: Level) -> Iterable[Problem]:
    where = f"hierarchy of {name!r}, level {number}"
    labels = level.labels
    doubled = len(labels) - labels.n_unique()
    if doubled:
        what = "has the same label for different groups of values, so a reader could not tell them apart"
        yield Problem(where, what, "Give each group a label of its own", f"{doubled} labels too many")
    starred = int((labels == ROOT).sum())
    if starred:
        what = f"has a label {ROOT!r}, which is the name of the root"
        yield Problem(where, what, "Rename it, or list it under `missing` if it means 'not known'", f"{starred} such")
    empty = int((labels == "").sum())
    if empty:
        what = "has an empty label, which would be published like a missing cell"
        yield Problem(where, what, "Rename it, or list '' under `missing`", f"{empty} such")
