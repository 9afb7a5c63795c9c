"""Personalised privacy: breach, coarser sensitive values and the greedy search, each against the definitions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from openveil.core.breach import Breaches
from openveil.core.nodes import NO_NODE, Nodes
from openveil.kernels.shown_coarser import is_safe, show
from openveil.requirements.personal_breach import PersonalBreach
from oracles import personal
from oracles.guarded import (
    bags_of,
    chances,
    groups,
    guards_of,
    hierarchy_of,
    name_of,
    refined_by_package,
    tables,
    tables_of_a_population,
    trees,
)
from oracles.personal import Attribute, Greedy, Tree

XY = Tree("root", {"root": ["x", "y"]})


@settings(max_examples=60)
@given(drawn=groups(most=3), people=st.integers(1, 4), primary=st.booleans(), data=st.data())
def test_the_theorems_say_what_reconstructions_are_counted(drawn, people, primary, data):
    """Theorems 1 and 2, for any stars, against every possible reconstruction."""
    tree, rows = drawn
    stars = [data.draw(st.sampled_from(tree.way(value))) for value, _, _ in rows]
    guard = rows[0][1]
    assume(guard is not None and (people >= len(rows) or not primary))
    breaching, total = personal.reconstructions(tree, stars, guard, people, primary=primary)
    assert personal.breach(tree, stars, guard, people, primary=primary) == Fraction(breaching, total)


@settings(max_examples=150)
@given(drawn=groups(most=5), people=st.integers(1, 6), primary=st.booleans(), limit=chances, data=st.data())
def test_breaches_are_those_of_the_definition(drawn, people, primary, limit, data):
    tree, rows = drawn
    stars = [data.draw(st.sampled_from(tree.way(value))) for value, _, _ in rows]
    guards = [guard for _, guard, _ in rows]
    expected = [personal.breach(tree, stars, guard, people, primary=primary) for guard in guards]
    breaches = Breaches.of(bags_of(tree, [(stars, guards)]), np.array([people]), alone=primary)
    p = Fraction(limit)
    assert breaches.greatest() == max(expected)
    assert bool(breaches.holding(p, 1)[0]) == (max(expected) <= p)
    assert sorted(breaches.near) == pytest.approx(
        sorted({guard: each for guard, each in zip(guards, expected, strict=True) if guard}.values())
    )


@pytest.mark.parametrize("rows", [2, 300, 20_000])
def test_a_breach_with_a_long_exact_form_is_told_shorter_and_never_less(rows):
    tree = Tree("root", {"root": ["x", "y", "z"]})
    bags = bags_of(tree, [(["x"] * rows + ["y"], ["x"] + [None] * rows)])
    exact = 1 - Fraction(3 * rows - 1, 3 * rows) ** rows
    told = Breaches.of(bags, np.array([3 * rows]), alone=False).greatest()
    assert exact <= told <= exact + Fraction(1, 10**8)
    assert len(str(told.denominator)) < 4300


@settings(max_examples=200)
@given(drawn=groups(most=6), limit=chances, primary=st.booleans(), data=st.data())
def test_the_coarsening_is_the_best_of_all_in_any_order(drawn, limit, primary, data):
    tree, rows = drawn
    rows = rows[:4] if len(tree.leaves("root")) > 4 else rows
    p, order = Fraction(limit), data.draw(st.permutations(range(len(rows))))
    best = personal.optimum(tree, rows, p, primary=primary)
    assert personal.sa_generalised(tree, rows, p, order, primary=primary) == best
    assert shown_by_kernel(tree, [rows[place] for place in order], p, primary=primary) == (
        None if best is None else [best[place] for place in order]
    )


def shown_by_kernel(tree, rows, p, *, primary):
    guards = guards_of(tree, rows)
    owners = [owner for _, _, owner in rows]
    heads = np.array([primary or owner not in owners[:place] for place, owner in enumerate(owners)], dtype=np.int32)
    limit = (p.numerator, p.denominator, int(primary))
    rows_of = np.array([0]), np.array([len(rows)])
    nodes = guards.nodes
    shown = show(*rows_of, guards.leaf, guards.node, heads, nodes.parent, nodes.sizes, limit)
    return None if (shown == NO_NODE).any() else [name_of(nodes, tree, node) for node in shown]


@settings(max_examples=60)
@given(drawn=groups(most=4), limit=chances, primary=st.booleans())
def test_the_least_coarsening_lies_below_every_safe_one(drawn, limit, primary):
    """Theorem 3."""
    tree, rows = drawn
    rows, p = rows[:3], Fraction(limit)
    least = personal.sa_generalised(tree, rows, p, range(len(rows)), primary=primary)
    for stars in personal.safe_assignments(tree, rows, p, primary=primary):
        assert least is not None
        assert all(tree.below(one, other) for one, other in zip(least, stars, strict=True))


@settings(max_examples=300)
@given(
    rows=st.integers(0, 5), part=st.integers(1, 4), more=st.integers(0, 4), people=st.integers(1, 6), limit=chances
)
def test_the_kernel_compares_with_the_limit_exactly(rows, part, more, people, limit):
    p, whole = Fraction(limit), part + more
    several = 1 - (1 - Fraction(part, whole * people)) ** rows
    assert is_safe(rows, part, whole, people, (p.numerator, p.denominator, 0)) == (several <= p)
    alone = Fraction(rows * part, whole * people)
    assert is_safe(rows, part, whole, people, (p.numerator, p.denominator, 1)) == (alone <= p)


@settings(max_examples=150)
@given(greedy=tables() | tables_of_a_population())
def test_the_greedy_search_is_that_of_the_paper(greedy):
    expected, found = greedy.run(), refined_by_package(greedy)
    if expected is None:
        assert found.rounds or found.unsafe
        return
    functions, lost, stars, rounds = expected
    assert (found.loss, found.rounds, found.unsafe) == (lost, rounds, 0)
    cells = [
        [
            next(part for part in function if part[0] <= at <= part[1])
            for function, at in zip(functions, point, strict=True)
        ]
        for point in greedy.points
    ]
    assert found.cells == cells
    assert [leaves_of(greedy.tree, star) for star in found.shown] == [leaves_of(greedy.tree, star) for star in stars]


def leaves_of(tree, node):
    return tree.leaves(node)


@settings(max_examples=150)
@given(greedy=tables())
def test_what_the_greedy_search_shows_is_safe(greedy):
    found = refined_by_package(greedy)
    members = {}
    for place, cell in enumerate(found.cells):
        members.setdefault(tuple(cell), []).append(place)
    unsafe = 0
    for places in members.values():
        rows, stars = [greedy.rows[place] for place in places], [found.shown[place] for place in places]
        best = personal.optimum(greedy.tree, rows, greedy.p, primary=greedy.primary) if len(rows) < 5 else ...
        if "" in stars:
            unsafe += len(rows)
            assert best in (None, ...)
            continue
        assert personal.is_safe(greedy.tree, rows, stars, greedy.p, primary=greedy.primary)
        raised = list(stars) != [row[0] for row in rows]
        unsafe += len(rows) if greedy.weight is None and raised else 0
    assert unsafe == found.unsafe


def test_where_the_start_cannot_be_published_the_search_goes_on():
    """Three people who guard nothing share a value with one who does; apart from them nobody is breached."""
    rows = [("x", "x", 0), ("y", None, 1), ("x", None, 2), ("x", None, 3)]
    points = [[0], [0], [1], [2]]
    greedy = Greedy([Attribute(3)], points, rows, XY, Fraction(1, 2), primary=True, weight=None)
    assert greedy.run() is None
    assert greedy.optimum() == Fraction(2, 3) * 0
    found = refined_by_package(greedy)
    assert found.unsafe == 0
    assert found.loss == 0


def test_where_nothing_helps_it_says_how_many_rows_are_not_safe():
    rows = [("x", "x", 0), ("x", "x", 1), ("y", None, 2)]
    found = refined_by_package(Greedy([Attribute(3)], [[0], [1], [2]], rows, XY, Fraction(1, 4), primary=True))
    assert found.unsafe == 2


@pytest.mark.parametrize(("weight", "shown"), [(Fraction(1), ["root", "root"]), (None, ["x", "y"])])
def test_an_infinite_weight_shows_every_value_as_it_is(weight, shown):
    rows = [("x", "x", 0), ("y", "y", 1)]
    greedy = Greedy(
        [Attribute(2)], [[0], [1]], rows, XY, Fraction(1, 2), primary=True, weight=weight, weights=[Fraction(9)]
    )
    assert refined_by_package(greedy).shown == shown


@given(tree=trees())
def test_nodes_are_those_of_the_taxonomy_each_once(tree):
    nodes = Nodes.of(hierarchy_of(tree))
    every = {tree.leaves(node) for node in [*tree.children, *tree.leaves("root")]}
    leaves = tree.leaves("root")
    assert {leaves[low : high + 1] for low, high in zip(nodes.lower, nodes.upper, strict=True)} == every
    assert len(nodes) == len(every)
    for node, parent in enumerate(nodes.parent):
        above = [other for other in range(len(nodes)) if other != node and bool(nodes.within(node, other))]
        assert parent == min(above, key=lambda other: nodes.sizes[other], default=NO_NODE)
        assert parent == NO_NODE or parent > node


def test_the_model_is_not_monotone():
    """Searches of full domains must not take it: two groups that hold, and do not hold together."""
    one, other = (["x", "y"], ["x", None]), (["x", "x"], [None, None])
    model = PersonalBreach(Fraction(1, 2))
    assert model.enough(bags_of(XY, [one, other])).tolist() == [True, True]
    assert model.enough(bags_of(XY, [(one[0] + other[0], one[1] + other[1])])).tolist() == [False]
