"""Ordered grouping: consecutive items of an ordered list are joined.

Claim. Each level joins `sizes[i]` consecutive groups of the level below, counted from the first item; the last
group may be smaller. A group is labelled `first to last`, a group of one by its item.

Why it holds. Group g of a level holds the items from g*s to g*s+s-1, where s is the product of the sizes so far,
and each s divides the next.

With `order` or `file` the labels are the plan's own and the axis is the whole list. Without either, the order is
the natural one of the values observed, and then the labels come from observed values: which values are first and
last in a group depends on the table. Give the order when that must not be known.

Cost. One sort and a pass a level.

Source. Samarati and Sweeney, Protecting privacy when disclosing information, 1998 (generalisation of ordered
domains).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from operator import mul
from pathlib import Path

import numpy as np
import polars as pl

from openveil.core.axis import Hierarchy, Level
from openveil.core.errors import Problem
from openveil.core.registry import Kind, Status, part
from openveil.core.rule import Rule
from openveil.hierarchies.nesting import AXIS, VALUE, nest, on_axis, refuse_all, refuse_type, runs
from openveil.hierarchies.reading import read_text
from openveil.hierarchies.spelling import natural_order, spelled, spelled_item

WHERE = "hierarchy 'ordering'"


@part(
    Kind.HIERARCHY,
    "ordering",
    source="Samarati and Sweeney, Protecting privacy when disclosing information, 1998",
    status=Status.PROVED,
)
@dataclass(frozen=True, kw_only=True)
class Ordering(Rule):
    """Joins consecutive items of an ordered list.

    `sizes`: how many groups of the level below each level joins. `order`: the items from first to last, or `file`:
    a text file with one item a line. Without either the values observed are sorted, and labels come from them.
    """

    sizes: tuple[int, ...]
    order: tuple[str | int | float | bool, ...] | None = None
    file: Path | None = None

    def __post_init__(self) -> None:
        refuse_all((*self._wrong_sizes(), *self._wrong_order()))

    def bind(self, name: str, values: pl.Series, *, missing: bool) -> Hierarchy:
        """The levels over the declared list, or over the values observed."""
        refuse_type(name, values.dtype)
        items = self._items()
        if items is None:
            ordered = values.gather(natural_order(values))
            text, place = spelled(ordered), pl.int_range(len(ordered), eager=True)
        else:
            text = pl.Series(VALUE, items, dtype=pl.String)
            placed = on_axis(name, values, pl.DataFrame({VALUE: text}).with_row_index("place"))
            ordered, place = placed[AXIS], placed["place"]
        levels = [_joined(text, place, size) for size in accumulate(self.sizes, mul)]
        return nest(name, ordered, levels, missing=missing)

    def _items(self) -> list[str] | None:
        if self.file is None:
            return None if self.order is None else [spelled_item(item) for item in self.order]
        items = [line for line in read_text(WHERE, self.file).splitlines() if line.strip()]
        refuse_all(_repeated(items))
        return items

    def _wrong_sizes(self) -> Iterator[Problem]:
        if not self.sizes:
            yield Problem(WHERE, "`sizes` is empty", "Say how many items to join, such as sizes = [2, 2]")
        for size in self.sizes:
            if size < 2 or size % 1:
                yield Problem(
                    WHERE, "`sizes` must be whole numbers from 2", "Write such as sizes = [2, 2]", repr(size)
                )

    def _wrong_order(self) -> Iterator[Problem]:
        if self.order is not None and self.file is not None:
            yield Problem(WHERE, "has both `order` and `file`", "Keep one of them")
        if self.order is not None:
            if not self.order:
                yield Problem(WHERE, "`order` is empty", "List the items, or leave `order` out for the natural order")
            yield from _repeated([spelled_item(item) for item in self.order])


def _joined(items: pl.Series, place: pl.Series, size: int) -> Level:
    """The groups of `size` consecutive items, over those of the items that have a place on the axis."""
    count = len(items)
    # A group larger than the list is the list: keeps the arithmetic within machine integers.
    size = min(size, max(count, 1))
    first = np.arange(0, count, size)
    last = np.minimum(first + size, count) - 1
    groups = pl.DataFrame({"first": items.gather(first), "last": items.gather(last), "one": first == last})
    label = pl.when("one").then("first").otherwise(pl.format("{} to {}", "first", "last"))
    group = place // size
    return runs(groups.select(label).to_series().gather(group), nodes=group)


def _repeated(items: list[str]) -> Iterator[Problem]:
    for item, times in Counter(items).items():
        if times > 1:
            yield Problem(WHERE, f"{item!r} is listed more than once", "Keep one", f"{times} times")
