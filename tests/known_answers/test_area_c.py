"""The goldens of area c: Xiao and Tao's examples and counterexamples, by the oracle and by the package."""

from fractions import Fraction

import numpy as np
import pytest

from openveil.core.breach import Breaches
from oracles import personal
from oracles.goldens import cases, name_of
from oracles.guarded import bags_of, refined_by_package
from oracles.personal import Attribute, Greedy, Tree

named = {"ids": name_of}


def group_of(case):
    given = case["input"]
    rows = [tuple(row) for row in given["tuples"]]
    order = given.get("order") or range(len(rows))
    return Tree.of(given["taxonomy"]), rows, Fraction(given["p"]), order, given["primary"]


@pytest.mark.parametrize("case", cases("c_breach"), **named)
def test_breach(case):
    given, expected = case["input"], case["expected"]
    tree = Tree.of(given["taxonomy"])
    stars, guard, people, primary = given["starred"], given["gn"], given["n"], given["primary"]
    if expected["total"] <= 10_000:
        found = personal.reconstructions(tree, stars, guard, people, primary=primary)
        assert found == (expected["breaching"], expected["total"])
    assert personal.breach(tree, stars, guard, people, primary=primary) == Fraction(expected["theorem"])
    guards = [guard, *[None] * (len(stars) - 1)]
    breaches = Breaches.of(bags_of(tree, [(stars, guards)]), np.array([people]), alone=primary)
    assert breaches.greatest() == Fraction(expected["probability"])


@pytest.mark.parametrize("case", cases("c_percent"), **named)
def test_percent(case):
    given = case["input"]
    tree = Tree.of(given["taxonomy"])
    assert personal.percent(tree, given["star"], given["gn"]) == Fraction(case["expected"])


@pytest.mark.parametrize("case", cases("c_group"), **named)
def test_group(case):
    tree, rows, p, order, primary = group_of(case)
    expected = case["expected"]
    every = personal.safe_assignments(tree, rows, p, primary=primary)
    best = personal.optimum(tree, rows, p, primary=primary)
    assert personal.sa_generalised(tree, rows, p, order, primary=primary) == best
    starred = expected if expected is None else expected["starred"]
    assert (None if best is None else list(best)) == starred
    if starred is not None:
        after = personal.probabilities(tree, rows, best, primary=primary)
        assert [str(each) for each in after] == expected["breach_after"]
        assert personal.loss(tree, best) == Fraction(expected["il_sum"])
        assert len(every) == expected["safe_assignments"]


@pytest.mark.parametrize("case", cases("c_fig5_variant"), **named)
def test_what_is_printed(case):
    """The printed figure and its prose fail as recorded; the repaired one gives the optimum."""
    tree, rows, p, order, primary = group_of(case)
    expected, variant = case["expected"], case["input"]["variant"]
    if variant == "fixed":
        stars = personal.sa_generalised(tree, rows, p, order, primary=primary)
        assert stars == personal.optimum(tree, rows, p, primary=primary)
        assert (None if stars is None else list(stars)) == expected.get("starred")
        return
    outcome, stars = personal.as_printed(tree, rows, p, order, primary=primary, prose=variant == "text")
    assert outcome == expected["outcome"]
    if "starred" in expected:
        assert list(stars) == expected["starred"]


def attribute_of(written):
    """A quasi-identifier of a golden case: its axis for the oracle, what it is, and the names of its values."""
    if written["kind"] == "num":
        low, high = written["lo"], written["hi"]
        return Attribute(high - low + 1), list(range(low, high + 1))
    tree = Tree.of(written["taxonomy"])
    leaves = list(tree.leaves(tree.root))
    return Attribute(len(leaves), tree), leaves


@pytest.mark.parametrize("case", cases("c_greedy"), **named)
def test_greedy(case):
    given, expected = case["input"], case["expected"]["greedy"]
    attributes, names = zip(*map(attribute_of, given["attributes"]), strict=True)
    points = [[name.index(cell) for name, cell in zip(names, row[0], strict=True)] for row in given["rows"]]
    rows = [tuple(row[1:]) for row in given["rows"]]
    tree, p = Tree.of(given["taxonomy"]), Fraction(given["p"])
    weight = Fraction(given.get("ws", "1"))
    greedy = Greedy(attributes, points, rows, tree, p, given["primary"], weight)
    found = refined_by_package(greedy)
    assert found.loss == Fraction(expected["loss"])
    assert found.rounds == expected["rounds"]
    assert found.shown == [star for _, star in expected["table"]]
    cells = [
        [
            [name[low], name[high]] if isinstance(name[0], int) else (name[low] if low == high else "*")
            for name, (low, high) in zip(names, cell, strict=True)
        ]
        for cell in found.cells
    ]
    assert cells == [cell for cell, _ in expected["table"]]
    if "optimum_loss" in case["expected"]:
        assert greedy.optimum() == Fraction(case["expected"]["optimum_loss"])


@pytest.mark.parametrize("case", cases("c_il"), **named)
def test_information_loss(case):
    given = case["input"]
    if "node" in given:
        tree = Tree.of(given["taxonomy"])
        assert personal.loss(tree, [given["node"]]) == Fraction(case["expected"])
        return
    (low, high), (first, last) = given["interval"], given["domain"]
    assert Fraction(high - low, last - first + 1) == Fraction(case["expected"])


@pytest.mark.parametrize("case", cases("c_split_count"), **named)
def test_how_many_single_splits_there_are(case):
    attribute, names = attribute_of(case["input"]["attribute"])
    function = case["input"]["function"]
    if attribute.nodes is None:
        parts = [(names.index(low), names.index(high)) for low, high in function]
    else:
        below = [attribute.nodes.leaves(node) for node in function]
        parts = [(names.index(leaves[0]), names.index(leaves[-1])) for leaves in below]
    assert sum(1 for part in parts for _ in attribute.splits(part)) == case["expected"]
