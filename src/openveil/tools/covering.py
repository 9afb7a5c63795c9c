"""How groups of rows are shown: each attribute as the smallest thing that covers the values of the group.

Claim. `covered` gives a recoding in which every group is shown, in every attribute, as the smallest interval of the
axis that covers its rows, or as the lowest node of the hierarchy that does. It depends on the quasi-identifiers and
the groups alone.

Why it holds. Nodes of a level are intervals of the axis, so a node covers a group when it covers its least and its
greatest code. What is shown follows from groups and quasi-identifiers, both of which the adversary is taken to know.

Cost. One pass over the rows; then one look at the distinct intervals of each attribute.
"""

from __future__ import annotations

from enum import StrEnum

import numpy as np
import polars as pl
from numpy.typing import NDArray

from openveil.core.axis import Axis, Hierarchy
from openveil.core.recoding import Display, Recoding
from openveil.core.table import Public
from openveil.core.witness import Labels
from openveil.labels.runs import OR_MISSING, TO

Shown = tuple[NDArray[np.int32], Display]


class Show(StrEnum):
    """As what a group is shown: numbers and dates as intervals and the rest as nodes, or all alike."""

    FITTING = "fitting"
    INTERVALS = "intervals"
    NODES = "nodes"


def covered(public: Public, group: Labels, show: Show) -> Recoding:
    """The recoding that shows each group as the smallest interval or node that covers it."""
    from openveil.kernels.extents import extents

    groups = int(group.max(initial=-1)) + 1
    lowest, highest = extents(public.codes, group, groups)
    return shown_from_to(public, group, lowest, highest, show)


def told_apart(recoding: Recoding, public: Public) -> bool:
    """Whether groups whose labels fit the same row have the same labels."""
    from openveil.kernels.covered import people_in

    if not public.hierarchies or not len(public):
        return True
    points = np.unique(public.codes.astype(np.int32), axis=0)
    longest = int(np.argmax([len(hierarchy.axis) for hierarchy in public.hierarchies]))
    points = points[np.argsort(points[:, longest], kind="stable")]
    first = np.unique(recoding.cells, axis=0, return_index=True)[1]
    lowest, highest = (each[first] for each in boxes(recoding))
    # Every point fits some labels, so if all labels together fit no more points than there are, none fits two.
    return int(people_in(lowest, highest, points, points, longest).sum()) == len(points)


def boxes(recoding: Recoding) -> tuple[Labels, Labels]:
    """The first and the last code that each group's labels stand for, in each attribute."""
    shown = list(enumerate(recoding.displays))
    lowest = np.stack([display.lower[recoding.cells[:, a]] for a, display in shown], axis=1)
    highest = np.stack([display.upper[recoding.cells[:, a]] for a, display in shown], axis=1)
    return lowest, highest


def shown_from_to(public: Public, group: Labels, lowest: Labels, highest: Labels, show: Show) -> Recoding:
    """The recoding that shows group g, in attribute a, as the interval or node of `lowest[g, a]..highest[g, a]`."""
    groups = len(lowest)
    shown = [_shown(hierarchy, lowest[:, a], highest[:, a], show) for a, hierarchy in enumerate(public.hierarchies)]
    cells = np.stack([cell for cell, _ in shown], axis=1) if shown else np.empty((groups, 0), dtype=np.int32)
    return Recoding(group, cells, tuple(display for _, display in shown))


def _shown(hierarchy: Hierarchy, lowest: Labels, highest: Labels, show: Show) -> Shown:
    axis = hierarchy.axis
    pairs, cell = _distinct(lowest.astype(np.int64) * len(axis) + highest, len(axis) ** 2)
    low, high = (part.astype(np.int32) for part in np.divmod(pairs, max(len(axis), 1)))
    if (low == high).all():
        return cell.astype(np.int32), Display(axis.published.gather(low), low, high)
    in_intervals = show is Show.INTERVALS or (show is Show.FITTING and is_measured(axis))
    if in_intervals:
        return cell.astype(np.int32), Display(_named(axis, low, high), low, high)
    node, display = _nodes(hierarchy, low, high)
    return node[cell], display


def _distinct(numbers: NDArray[np.int64], space: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The distinct ones of numbers below `space`, ascending, and the place of each among them."""
    if space > len(numbers):
        return np.unique(numbers, return_inverse=True)
    seen = np.zeros(space, dtype=np.bool_)
    seen[numbers] = True
    return np.flatnonzero(seen), (np.cumsum(seen) - 1)[numbers]


def is_measured(axis: Axis) -> bool:
    """Whether the axis is one of numbers, dates or times, which can be cut anywhere."""
    return axis.labels.dtype.is_numeric() or axis.labels.dtype.is_temporal()


def _named(axis: Axis, low: Labels, high: Labels) -> pl.Series:
    """`first to last`, one value by itself, nothing where only missing ones are covered."""
    label = axis.published.cast(pl.String)
    last = len(axis) - 1
    missing = (high == last) & axis.missing
    top = np.where(missing & (low < high), last - 1, high)
    named = pl.DataFrame(
        {
            "first": label.gather(low),
            "last": label.gather(top),
            "one": low == top,
            "missing": missing & (low < high),
        }
    )
    run = pl.when("one").then("first").otherwise(pl.concat_str("first", pl.lit(TO), "last"))
    whole = pl.when("missing").then(pl.concat_str(run, pl.lit(OR_MISSING))).otherwise(run)
    return named.select(whole.alias(axis.name)).to_series()


def _nodes(hierarchy: Hierarchy, low: Labels, high: Labels) -> Shown:
    """The lowest node that covers each interval."""
    level = np.full(len(low), -1)
    node = np.zeros(len(low), dtype=np.int32)
    for number in range(len(hierarchy.levels)):
        of_leaf = hierarchy.node_of_leaf(number)
        fits = (level < 0) & (of_leaf[low] == of_leaf[high])
        level[fits], node[fits] = number, of_leaf[low[fits]]
    found, cell = np.unique(np.stack([level, node]), axis=1, return_inverse=True)
    labels, starts, ends = [], [], []
    for number, each in found.T.tolist():
        display = Display.of_level(hierarchy, number)
        labels.append(display.labels.cast(pl.String)[each])
        starts.append(display.lower[each])
        ends.append(display.upper[each])
    shown = pl.Series(hierarchy.axis.name, labels, dtype=pl.String)
    bounds = np.array(starts, dtype=np.int32), np.array(ends, dtype=np.int32)
    return cell.reshape(-1).astype(np.int32), Display(shown, *bounds)
