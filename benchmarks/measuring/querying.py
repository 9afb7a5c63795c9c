"""How far COUNT queries on a published table are from those on the original (section 5.2 of Xiao and Tao).

Claim. `errors` gives the relative errors of a workload of two types of queries: type 1 asks how many tuples have an
income in five thousand, type 2 how many have one in ten thousand and a quasi-identifier in a range of a fifth of its
axis, of one value, or of one node. Queries that fewer than a hundredth of the tuples answer are drawn anew.

Why it holds. A tuple counts with the share of what it shows that the query covers, in each condition. The sum over
all tuples is kept as a table of shares, one for each code and leaf, and a query is a sum over a rectangle of it.

Cost. One pass over the tuples an attribute; a query is four look-ups.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from measuring.personal import LEAVES, Dataset, Shown
from openveil.core.nodes import Nodes
from openveil.core.table import Public
from openveil.core.witness import Labels
from openveil.tools.covering import is_measured

QUERIES = 10_000
_LEAST = 0.01
_SHORT, _LONG = 5, 10
Mass = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Query:
    """An attribute (none: -1) with its range of codes, and a range of incomes."""

    attribute: int
    low: int
    high: int
    first: int
    last: int


@dataclass(frozen=True, eq=False)
class Sums:
    """For each attribute how many tuples, or shares of them, have up to so many of the codes and incomes."""

    tables: tuple[Mass, ...] = field(repr=False)

    @staticmethod
    def of(public: Public, shown: Shown, nodes: Nodes) -> Sums:
        """The sums over what is shown."""
        low, high = shown.lowest[shown.group], shown.highest[shown.group]
        first, last = nodes.lower[shown.node], nodes.upper[shown.node]
        sizes = [len(each.axis) for each in public.hierarchies]
        return Sums(tuple(_sums(low[:, a], high[:, a], first, last, size) for a, size in enumerate(sizes)))

    def answer(self, query: Query) -> float:
        """How many tuples are in the rectangle."""
        table = self.tables[max(query.attribute, 0)]
        top = len(table) - 1
        low, high = (0, top) if query.attribute < 0 else (query.low, query.high + 1)
        first, last = query.first, query.last + 1
        return float(table[high, last] - table[low, last] - table[high, first] + table[low, first])


def _sums(low: Labels, high: Labels, first: Labels, last: Labels, size: int) -> Mass:
    weight = 1 / ((high - low + 1) * (last - first + 1))
    steps = np.zeros((size + 2, LEAVES + 2))
    for row, column, sign in ((low, first, 1), (high + 1, first, -1), (low, last + 1, -1), (high + 1, last + 1, 1)):
        np.add.at(steps, (row, column), sign * weight)
    mass = steps.cumsum(axis=0).cumsum(axis=1)[:size, :LEAVES]
    sums = np.zeros((size + 1, LEAVES + 1))
    sums[1:, 1:] = mass.cumsum(axis=0).cumsum(axis=1)
    return sums


def as_it_is(data: Dataset) -> Shown:
    """The original, every tuple a group of its own."""
    codes = data.public.codes.astype(np.int32)
    everyone = np.arange(len(codes), dtype=np.int32)
    return Shown("original", everyone, codes, codes, data.guards.leaf)


def workload(data: Dataset, share: float, seed: int) -> tuple[list[Query], list[float]]:
    """Queries, of which this share are of type 1, and their answers on the original."""
    rng = np.random.default_rng(seed)
    truth = Sums.of(data.public, as_it_is(data), data.guards.nodes)
    queries: list[Query] = []
    answers: list[float] = []
    while len(queries) < QUERIES:
        first_type = rng.random() < share
        query = _of_income(rng) if first_type else _of_both(data.public, rng)
        answer = truth.answer(query)
        if answer >= _LEAST * len(data.public):
            queries.append(query)
            answers.append(answer)
    return queries, answers


def errors(data: Dataset, shown: Shown, asked: tuple[list[Query], list[float]]) -> NDArray[np.float64]:
    """The relative error of each query."""
    sums = Sums.of(data.public, shown, data.guards.nodes)
    return np.array([abs(sums.answer(query) - answer) / answer for query, answer in zip(*asked, strict=True)])


def _of_income(rng: np.random.Generator) -> Query:
    first = int(rng.integers(0, LEAVES - _SHORT + 1))
    return Query(-1, 0, 0, first, first + _SHORT - 1)


def _of_both(public: Public, rng: np.random.Generator) -> Query:
    first = int(rng.integers(0, LEAVES - _LONG + 1))
    attribute = int(rng.integers(0, len(public.hierarchies)))
    hierarchy = public.hierarchies[attribute]
    size = len(hierarchy.axis)
    if is_measured(hierarchy.axis):
        wide = max(size // 5, 1)
        low = int(rng.integers(0, size - wide + 1))
        return Query(attribute, low, low + wide - 1, first, first + _LONG - 1)
    level = 1 if hierarchy.height > 1 else 0
    starts = np.append(hierarchy.levels[level].starts, size)
    node = int(rng.integers(0, len(starts) - 1))
    return Query(attribute, int(starts[node]), int(starts[node + 1]) - 1, first, first + _LONG - 1)
