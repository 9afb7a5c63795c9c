"""From a table as a list of tuples, with hierarchies value -> [value, level 1, ..., top], to a `Public` and back.

Also the strategy `small_tables`, which draws such tables with the parameters of a release.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import polars as pl
from hypothesis import strategies as st

from openveil.core.axis import Axis, Hierarchy, Level
from openveil.core.recoding import SUPPRESSED, Recoding
from openveil.core.table import Public

Chains = Mapping[str, Sequence[str]]


def hierarchy_of(name: str, chains: Chains) -> Hierarchy:
    """The hierarchy of one attribute, its axis laid out in tree order."""
    values = sorted(chains, key=lambda value: list(reversed(chains[value])))
    height = len(chains[values[0]]) - 1
    axis = Axis(name, pl.Series(name, values, dtype=pl.String))
    return Hierarchy(axis, tuple(_level(name, chains, values, level) for level in range(height + 1)))


def _level(name: str, chains: Chains, values: list[str], level: int) -> Level:
    # The path above a node is part of its identity: two nodes of one level may carry the same label.
    paths = [tuple(chains[value][level:]) for value in values]
    starts = [i for i, path in enumerate(paths) if i == 0 or path != paths[i - 1]]
    labels = pl.Series(name, [paths[i][0] for i in starts], dtype=pl.String)
    return Level(np.array(starts, dtype=np.int32), labels)


def public_of(
    table: Sequence[Sequence[str]],
    hierarchies: Sequence[Chains],
    weights: Sequence[Fraction] | None = None,
    persons: Sequence[int] | None = None,
) -> Public:
    """The public part of a table; attributes are named a0, a1, ..."""
    bound = tuple(hierarchy_of(f"a{number}", chains) for number, chains in enumerate(hierarchies))
    codes = np.empty((len(table), len(bound)), dtype=np.uint16)
    for a, hierarchy in enumerate(bound):
        column = pl.Series(hierarchy.axis.name, [row[a] for row in table], dtype=pl.String)
        codes[:, a], strangers = hierarchy.axis.encode(column)
        assert strangers == 0
    prices = tuple(weights) if weights is not None else (Fraction(1),) * len(bound)
    return Public(bound, codes, prices, None if persons is None else np.array(persons, dtype=np.int32))


def released_rows(recoding: Recoding) -> list[list[str]]:
    """The quasi-identifiers a reader of the release sees, sorted."""
    shown = [group for group in recoding.group.tolist() if group != SUPPRESSED]
    labels = [display.labels.to_list() for display in recoding.displays]
    return sorted([labels[a][node] for a, node in enumerate(recoding.cells[group].tolist())] for group in shown)


@dataclass(frozen=True)
class Case:
    """A small table with its hierarchies and the parameters of a release."""

    table: tuple[tuple[str, ...], ...]
    hierarchies: tuple[dict[str, list[str]], ...]
    k: int
    maxsup: int
    weights: tuple[Fraction, ...]
    persons: tuple[int, ...] | None = None

    @property
    def public(self) -> Public:
        """The same table as the package sees it."""
        return public_of(self.table, self.hierarchies, self.weights, self.persons)


@st.composite
def chains(draw: st.DrawFn) -> dict[str, list[str]]:
    """One hierarchy of height 0 to 3 over 1 to 5 values."""
    height = draw(st.integers(0, 3))
    size = draw(st.integers(1, 5)) if height else 1
    nodes = [f"v{leaf}" for leaf in range(size)]
    above: dict[str, list[str]] = {value: [value] for value in nodes}
    for level in range(1, height + 1):
        parents = {
            node: "*" if level == height else f"n{level}.{draw(st.integers(0, len(nodes) - 1))}" for node in nodes
        }
        for chain in above.values():
            chain.append(parents[chain[-1]])
        nodes = sorted(set(parents.values()))
    return above


@st.composite
def small_tables(draw: st.DrawFn, *, least: int = 0) -> Case:
    """A table of 1 to 4 attributes and `least` to 14 rows, with k, MaxSup and weights."""
    hierarchies = tuple(draw(st.lists(chains(), min_size=1, max_size=4)))
    row = st.tuples(*(st.sampled_from(sorted(part)) for part in hierarchies))
    table = tuple(draw(st.lists(row, min_size=least, max_size=14)))
    weight = st.fractions(0, 3, max_denominator=4)
    weights = tuple(draw(weight) for _ in hierarchies)
    return Case(table, hierarchies, draw(st.integers(1, 5)), draw(st.integers(0, 4)), weights)


@st.composite
def tables_of_persons(draw: st.DrawFn) -> Case:
    """A small table in which a person may have several rows."""
    case = draw(small_tables())
    rows = len(case.table)
    return replace(case, persons=tuple(draw(st.lists(st.integers(0, 5), min_size=rows, max_size=rows))))
