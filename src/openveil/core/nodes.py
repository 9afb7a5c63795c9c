"""The nodes of a taxonomy as runs of leaves, each once.

Claim. `Nodes` numbers the distinct runs of leaves of a hierarchy: the leaves first, in the order of the axis, then
every larger node behind all that lie in it; the root is the last. A node that repeats itself on several levels is one
node. `at[level][leaf]` is the node that a leaf lies in at a level, `parent` the next larger one (the root has none).

Why it holds. The levels of a hierarchy are nested, so runs that are met later are as large or larger, and the nodes
that hold a leaf are a chain.

Cost. One pass over the leaves a level.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np
import polars as pl
from numpy.typing import NDArray

from openveil.core.axis import Codes, Hierarchy

NO_NODE = -1


@dataclass(frozen=True, eq=False)
class Nodes:
    """Runs `lower[v]..upper[v]` of leaves, what each is called, and which run each lies in next."""

    hierarchy: Hierarchy = field(repr=False)
    lower: Codes = field(repr=False)
    upper: Codes = field(repr=False)
    parent: Codes = field(repr=False)
    labels: pl.Series = field(repr=False)
    at: tuple[Codes, ...] = field(repr=False)

    @staticmethod
    def of(hierarchy: Hierarchy) -> Nodes:
        """The nodes of a hierarchy."""
        leaves = len(hierarchy.axis)
        lower: list[Codes] = [np.arange(leaves, dtype=np.int32)]
        upper: list[Codes] = [np.arange(leaves, dtype=np.int32)]
        labels = [hierarchy.axis.published.cast(pl.String)]
        at = [np.arange(leaves, dtype=np.int32)]
        for number in range(1, len(hierarchy.levels)):
            starts, ends = _runs(hierarchy, number)
            node = at[-1][starts].copy()
            known_ends = np.concatenate(upper)[node]
            larger = np.flatnonzero(known_ends != ends)
            node[larger] = sum(map(len, lower)) + np.arange(len(larger))
            lower.append(starts[larger])
            upper.append(ends[larger])
            labels.append(hierarchy.levels[number].labels.gather(larger))
            at.append(node[hierarchy.node_of_leaf(number)].astype(np.int32))
        low, high = (np.concatenate(part).astype(np.int32) for part in (lower, upper))
        return Nodes(hierarchy, low, high, _parents(at, len(low)), pl.concat(labels), tuple(at))

    def __len__(self) -> int:
        return len(self.lower)

    @property
    def leaves(self) -> int:
        """How many leaves there are; they are the first nodes."""
        return len(self.hierarchy.axis)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """How many leaves lie in each node."""
        return (self.upper - self.lower + 1).astype(np.int64)

    @cached_property
    def largest_child(self) -> NDArray[np.int64]:
        """How many leaves lie in the largest node strictly inside each; 0 in a leaf."""
        largest = np.zeros(len(self), dtype=np.int64)
        inner = np.flatnonzero(self.parent != NO_NODE)
        np.maximum.at(largest, self.parent[inner], self.sizes[inner])
        return largest

    def highest(self, among: Codes) -> Codes:
        """For each node the highest of some nodes that holds it; NO_NODE where none does."""
        found = np.full(len(self), NO_NODE, dtype=np.int32)
        found[among] = among
        # Larger nodes come after those that lie in them.
        for node in range(len(self) - 1, -1, -1):
            above = self.parent[node]
            if above != NO_NODE and found[above] != NO_NODE:
                found[node] = found[above]
        return found

    @property
    def ambiguous(self) -> int:
        """How many nodes bear the label of another one."""
        return len(self) - self.labels.n_unique()

    def within(self, inner: Codes, outer: Codes) -> NDArray[np.bool_]:
        """Whether every leaf of each inner node lies in the outer one beside it."""
        inside: NDArray[np.bool_] = (self.lower[outer] <= self.lower[inner]) & (
            self.upper[inner] <= self.upper[outer]
        )
        return inside

    def leaf_of(self, values: pl.Series) -> tuple[Codes, int]:
        """The leaf of each value of the column, and how many values are no leaves (theirs is -1)."""
        return self.hierarchy.axis.encode(values)

    def shown_as(self, texts: pl.Series) -> Codes:
        """The node whose label is shown; NO_NODE where no node bears it. An empty cell is the missing leaf."""
        numbers = pl.DataFrame({"text": self.labels, "node": np.arange(len(self), dtype=np.int32)})
        asked = pl.DataFrame({"text": texts.cast(pl.String)})
        found = asked.join(numbers, on="text", how="left", nulls_equal=True, maintain_order="left")["node"]
        return found.fill_null(NO_NODE).cast(pl.Int32).to_numpy()

    def above(self, leaf: Codes, names: pl.Series) -> Codes:
        """The highest node on the way from each leaf to the root that has the name beside it; NO_NODE if none has."""
        wanted = names.cast(pl.String)
        found = np.full(len(leaf), NO_NODE, dtype=np.int32)
        for number, level in enumerate(self.hierarchy.levels):
            own = level.labels.cast(pl.String).gather(self.hierarchy.node_of_leaf(number)[leaf])
            same = (own == wanted).fill_null(value=False).to_numpy()
            found[same] = self.at[number][leaf[same]]
        return found

    def names(self) -> pl.Series:
        """Every name that a level gives a node."""
        return pl.concat([level.labels.cast(pl.String) for level in self.hierarchy.levels]).drop_nulls().unique()


def _runs(hierarchy: Hierarchy, number: int) -> tuple[Codes, Codes]:
    starts = hierarchy.levels[number].starts
    return starts, np.append(starts[1:], len(hierarchy.axis)).astype(np.int32) - 1


def _parents(at: list[Codes], nodes: int) -> Codes:
    parent = np.full(nodes, NO_NODE, dtype=np.int32)
    for finer, coarser in pairwise(at):
        rises = finer != coarser
        parent[finer[rises]] = coarser[rises]
    return parent
