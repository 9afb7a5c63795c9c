"""From an oracle's taxonomy and tuples to what the package works with, and generated ones."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import polars as pl
from hypothesis import strategies as st

from openveil.core.axis import Axis, Hierarchy, Level, flat
from openveil.core.bags import Bags
from openveil.core.guards import Guards
from openveil.core.nodes import NO_NODE, Nodes
from openveil.core.table import Population, Public
from openveil.core.witness import view_with_guards
from openveil.tools.refining import Refinement, refined
from oracles.personal import Attribute, Greedy, Row, Tree, loss


def hierarchy_of(tree: Tree, name: str = "ill") -> Hierarchy:
    """The levels of a taxonomy; a leaf closer to the root repeats itself, and so does its way, at the bottom."""
    leaves = tree.leaves(tree.root)
    ways = [tree.way(leaf)[:-1] for leaf in leaves]
    deepest = max(map(len, ways))
    even = [[way[0]] * (deepest - len(way)) + way for way in ways]
    axis = Axis(name, pl.Series(name, leaves, dtype=pl.String))
    levels = [_level(name, [way[number] for way in even]) for number in range(deepest)]
    if len(leaves) > 1 or not levels:
        levels.append(Level(np.zeros(1, dtype=np.int32), pl.Series(name, ["*"])))
    return Hierarchy(axis, tuple(levels))


def _level(name: str, labels: list[str]) -> Level:
    starts = [i for i, label in enumerate(labels) if i == 0 or label != labels[i - 1]]
    return Level(np.array(starts, dtype=np.int32), pl.Series(name, [labels[i] for i in starts], dtype=pl.String))


def node_of(nodes: Nodes, tree: Tree, name: str | None) -> int:
    """The number of a node; nodes that hold the same leaves are one."""
    if name is None:
        return NO_NODE
    leaves = tree.leaves(tree.root)
    inside = tree.leaves(name)
    low = leaves.index(inside[0])
    return int(np.flatnonzero((nodes.lower == low) & (nodes.upper == low + len(inside) - 1))[0])


def guards_of(tree: Tree, rows: Sequence[Row], nodes: Nodes | None = None) -> Guards:
    nodes = nodes or Nodes.of(hierarchy_of(tree))
    leaf = np.array([node_of(nodes, tree, value) for value, _, _ in rows], dtype=np.int32)
    guard = np.array([node_of(nodes, tree, node) for _, node, _ in rows], dtype=np.int32)
    return Guards("ill", nodes, leaf, guard)


def bags_of(tree: Tree, groups: Sequence[tuple[Sequence[str], Sequence[str | None]]]) -> Bags:
    """The bags of groups, each given by what is shown and what guards it."""
    nodes = Nodes.of(hierarchy_of(tree))
    shown = [node_of(nodes, tree, star) for stars, _ in groups for star in stars]
    guard = [node_of(nodes, tree, node) for _, guards in groups for node in guards]
    label = np.repeat(np.arange(len(groups), dtype=np.int32), [len(stars) for stars, _ in groups])
    view = view_with_guards(nodes, np.array(shown, dtype=np.int32), np.array(guard, dtype=np.int32))
    return view.bags(label, len(groups))


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    """A taxonomy of two to seven leaves, and of depth one to three."""
    children: dict[str, list[str]] = {}
    number = iter(range(100))

    def grown(node: str, depth: int) -> None:
        wide = draw(st.integers(2, 3)) if depth == 0 else draw(st.sampled_from([0, 0, 2, 3]))
        if wide and depth < 3:
            children[node] = [f"n{next(number)}" for _ in range(wide)]
            for child in children[node]:
                grown(child, depth + 1)

    grown("root", 0)
    return Tree("root", children)


@st.composite
def groups(draw: st.DrawFn, *, most: int = 4) -> tuple[Tree, list[Row]]:
    """A taxonomy and a group of one to `most` tuples."""
    tree = draw(trees())
    rows = []
    for _ in range(draw(st.integers(1, most))):
        leaf = draw(st.sampled_from(tree.leaves("root")))
        guard = draw(st.sampled_from([None, leaf, leaf, *tree.way(leaf)]))
        rows.append((leaf, guard, draw(st.integers(0, 3))))
    return tree, rows


chances = st.sampled_from(["1/4", "1/3", "2/5", "1/2", "3/5", "7/16", "3/4", "1"])


# The greedy publisher, on the table of an oracle.


@dataclass(frozen=True)
class Found:
    """What the package makes of the table: the loss, what each row shows, where it lies, and how that was found."""

    loss: Fraction
    shown: list[str]
    cells: list[list[tuple[int, int]]]
    rounds: int
    tried: int
    unsafe: int


def public_of(greedy: Greedy) -> Public:
    """The quasi-identifiers of the table; runs of numbers where any cut goes, taxonomies elsewhere."""
    hierarchies = []
    for number, attribute in enumerate(greedy.attributes):
        if attribute.nodes is not None:
            hierarchies.append(hierarchy_of(attribute.nodes, f"q{number}"))
            continue
        axis = Axis(f"q{number}", pl.Series(f"q{number}", range(attribute.positions)))
        hierarchies.append(Hierarchy(axis, flat(axis) if len(axis) > 1 else flat(axis)[:1]))
    codes = np.array(greedy.points, dtype=np.uint16).reshape(len(greedy.rows), -1)
    weights = tuple(greedy.weights) or (Fraction(1),) * len(hierarchies)
    numbers = {owner: place for place, owner in enumerate(dict.fromkeys(owner for _, _, owner in greedy.rows))}
    persons = np.array([numbers[owner] for _, _, owner in greedy.rows], dtype=np.int32)
    return Public(tuple(hierarchies), codes, weights, None if greedy.primary else persons)


def refined_by_package(greedy: Greedy) -> Found:
    nodes = Nodes.of(hierarchy_of(greedy.tree))
    guards = guards_of(greedy.tree, greedy.rows, nodes)
    public = public_of(greedy)
    people = None
    if greedy.population:
        codes = np.array(greedy.population, dtype=np.int32)
        people = Population(codes, codes)
    found = refined(public, guards, Refinement(greedy.p, 1, greedy.weight, people))
    names = [name_of(nodes, greedy.tree, int(node)) for node in found.shown]
    cells = [
        [(int(low), int(high)) for low, high in zip(found.lowest[group], found.highest[group], strict=True)]
        for group in found.group
    ]
    weights = [Fraction(weight) for weight in public.weights]
    wide = sum(
        (
            weight * Fraction(high - low, attribute.positions)
            for cell in cells
            for weight, attribute, (low, high) in zip(weights, greedy.attributes, cell, strict=True)
        ),
        Fraction(0),
    )
    lost = Fraction(0) if found.unsafe else (greedy.weight or Fraction(0)) * loss(greedy.tree, names)
    return Found(wide + lost, names, cells, found.rounds, found.tried, found.unsafe)


def name_of(nodes: Nodes, tree: Tree, node: int) -> str:
    """The lowest node of the oracle's taxonomy with these leaves."""
    if node == NO_NODE:
        return ""
    leaves = tree.leaves(tree.root)[nodes.lower[node] : nodes.upper[node] + 1]
    return max(
        (each for each in tree.way(leaves[0]) if tree.leaves(each) == leaves), key=lambda each: len(tree.way(each))
    )


@st.composite
def tables(draw: st.DrawFn) -> Greedy:
    """A small table with one to three quasi-identifiers of both kinds, guards and weights."""
    tree = draw(trees())
    attributes = []
    for _ in range(draw(st.integers(1, 3))):
        nodes = draw(trees()) if draw(st.booleans()) else None
        attributes.append(Attribute(len(nodes.leaves("root")) if nodes else draw(st.integers(1, 5)), nodes))
    primary = draw(st.booleans())
    homes: dict[int, list[int]] = {}
    points, rows = [], []
    for number in range(draw(st.integers(1, 8))):
        owner = number if primary else draw(st.integers(0, 4))
        point = [draw(st.integers(0, attribute.positions - 1)) for attribute in attributes]
        leaf = draw(st.sampled_from(tree.leaves("root")))
        rows.append((leaf, draw(st.sampled_from([None, leaf, leaf, *tree.way(leaf)[:-1]])), owner))
        points.append(homes.setdefault(owner, point))
    # Where every person has one row, that is the primary case.
    primary = len({owner for _, _, owner in rows}) == len(rows)
    p = Fraction(draw(chances))
    weight = draw(st.sampled_from([Fraction(1), Fraction(1, 3), Fraction(5), None]))
    weights = [draw(st.sampled_from([Fraction(1), Fraction(2, 3), Fraction(3)])) for _ in attributes]
    return Greedy(attributes, points, rows, tree, p, primary, weight, weights)


@st.composite
def tables_of_a_population(draw: st.DrawFn) -> Greedy:
    """The same, of a population that has the owners of all rows and further people."""
    table = draw(tables())
    homes = {owner: point for (_, _, owner), point in zip(table.rows, table.points, strict=True)}
    others = [
        [draw(st.integers(0, attribute.positions - 1)) for attribute in table.attributes]
        for _ in range(draw(st.integers(0, 6)))
    ]
    return replace(table, population=[*homes.values(), *others])
