"""Sensitive values that are shown coarser: one label for a few values, and what it says of each.

Claim. `Readable` gives the bags of published rows as someone reads them who takes, where a cell names several values,
each of them for equally likely: a row counts for each in equal parts. Counts are whole multiples of one part, so
shares are exact; a privacy model that is asked about such bags answers for values, not for labels.

Why it holds. A label names its values, separated by ` | `. With n alternatives in a cell, of which the reader knows
nothing else, each is the person's value in one of n of the tables that agree with the release.

Cost. One entry for each row and alternative.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from math import lcm

import numpy as np
import polars as pl
from numpy.typing import NDArray

from openveil.core.bags import Bags, Counts
from openveil.core.errors import refuse
from openveil.core.table import told_apart
from openveil.core.witness import Labels, Spelled, View, views_of

OR = " | "
_MOST = 1 << 62


def named(values: pl.Series, lower: Labels, upper: Labels) -> pl.Series:
    """The labels of runs of values: all of them by name."""
    texts = values.cast(pl.String).to_list()
    pairs = zip(lower.tolist(), upper.tolist(), strict=True)
    return pl.Series([OR.join(texts[low : high + 1]) for low, high in pairs], dtype=pl.String)


def unnamed(own: pl.Series, cells: pl.Series) -> int:
    """How many cells do not name the value beside them."""
    pairs = pl.DataFrame([told_apart(own).cast(pl.String).alias("own"), cells.cast(pl.String).alias("cell")])
    named_there = pl.col("cell").str.split(OR).list.contains(pl.col("own"))
    both_empty = pl.col("own").is_null() & pl.col("cell").is_null()
    fine = both_empty | (pl.col("own").is_not_null() & named_there.fill_null(value=False))
    return pairs.height - int(pairs.select(fine.sum()).item())


@dataclass(frozen=True, eq=False)
class Readable:
    """The sensitive columns of published rows; those in `coarser` may name several values in a cell."""

    columns: pl.DataFrame = field(repr=False)
    coarser: Collection[str] = ()

    @property
    def names(self) -> Spelled:
        """The texts of the values that are named."""
        return Spelled(self._items[0])

    def bags(self, home: Labels, classes: int) -> tuple[Bags, ...]:
        """The bags of the classes that the rows are in, view by view."""
        return tuple(self._bags(home, classes))

    def _bags(self, home: Labels, classes: int) -> Iterator[Bags]:
        from openveil.kernels.tally import tally

        items, row = self._items
        views: tuple[View, ...] = views_of(items)
        if items.height == self.columns.height:
            yield from (view.bags(home, classes) for view in views)
            return
        parts = self._parts(row)
        for view in views:
            whole = np.zeros(len(view.whole), dtype=np.int64)
            np.add.at(whole, view.codes, parts)
            yield Bags(view.name, whole, *tally(home[row], view.codes, parts, classes, len(whole)))

    def _parts(self, row: NDArray[np.int64]) -> Counts:
        """As how many parts each alternative counts."""
        alternatives = np.bincount(row, minlength=self.columns.height)
        unit = lcm(*np.unique(alternatives).tolist())
        if unit * self.columns.height >= _MOST:
            what = "names so many values in its cells that their shares cannot be told exactly"
            raise refuse("sensitive column", what, "Name fewer values in a cell")
        parts: Counts = (unit // alternatives)[row].astype(np.int64)
        return parts

    @cached_property
    def _items(self) -> tuple[pl.DataFrame, NDArray[np.int64]]:
        """One line for each row and alternative, and the row."""
        row = " ".join(["row", *self.columns.columns])
        items = self.columns.with_columns(pl.int_range(pl.len(), dtype=pl.Int64).alias(row))
        for name in self.columns.columns:
            if name in self.coarser:
                split = pl.col(name).cast(pl.String).str.split(OR)
                items = items.with_columns(split).explode(name, empty_as_null=True, keep_nulls=True)
        return items.drop(row), items[row].to_numpy()
