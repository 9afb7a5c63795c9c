"""Taxonomies against a walk of the tree."""

import json

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openveil.core.errors import RequestError
from openveil.hierarchies.taxonomy import Taxonomy
from oracles.hierarchies import labels_of, ways

TREE = {"Europe": {"North": ["SE", "NO"], "MT": {}}, "Asia": ["JP"], "AQ": {}}


@st.composite
def trees(draw):
    counter = iter(range(10_000))

    def node(depth):
        names = [f"n{next(counter)}" for _ in range(draw(st.integers(1, 3)))]
        kinds = draw(st.lists(st.integers(0, 2 if depth else 1), min_size=len(names), max_size=len(names)))
        return {
            name: ({}, [f"v{next(counter)}" for _ in range(2)], None)[kind] if kind < 2 else node(depth - 1)
            for name, kind in zip(names, kinds, strict=True)
        }

    return node(draw(st.integers(0, 3)))


@given(trees())
def test_trees_of_uneven_depth(tree):
    expected = dict(ways(tree))
    shown = labels_of(Taxonomy(tree=tree).bind("t", pl.Series(list(expected)), missing=True))
    deepest = max(map(len, expected.values())) + 1
    for value, above in expected.items():
        filling = [value] * (deepest - len(above))
        assert shown[value] == [*filling, *above, "*"]


def test_a_shallow_value_stays_itself_while_deeper_ones_are_groups():
    shown = labels_of(Taxonomy(tree=TREE).bind("c", pl.Series(["SE"]), missing=False))
    assert shown["SE"] == ["SE", "North", "Europe", "*"]
    assert shown["MT"] == ["MT", "MT", "Europe", "*"]
    assert shown["AQ"] == ["AQ", "AQ", "AQ", "*"]


def test_toml_json_and_inline_are_the_same(tmp_path):
    toml, spec = tmp_path / "tree.toml", tmp_path / "tree.json"
    toml.write_text('AQ = {}\nAsia = ["JP"]\n[Europe]\nNorth = ["SE", "NO"]\nMT = {}\n')
    spec.write_text(json.dumps({"*": TREE}))
    bound = [
        labels_of(rule.bind("c", pl.Series(["SE"]), missing=False))
        for rule in (Taxonomy(tree=TREE), Taxonomy(file=toml), Taxonomy(file=spec))
    ]
    assert bound[0] == bound[1] == bound[2]


def test_groups_keep_the_order_they_are_written_in():
    tree = {"II": {"z": ["d"], "y": ["a"]}, "I": {"x": ["c", "b"]}}
    shown = Taxonomy(tree=tree).bind("t", pl.Series(["a"]), missing=False)
    assert shown.axis.labels.to_list() == ["d", "a", "c", "b"]


def test_numbers_as_values():
    shown = Taxonomy(tree={"few": [0, 1], "many": [2.0, "3"]}).bind("n", pl.Series([3, 0]), missing=False)
    assert labels_of(shown)[2] == ["2", "many", "*"]


def test_a_thousand_levels_are_walked_without_recursion():
    tree = {"leaf": {}}
    for depth in range(1500):
        tree = {f"n{depth}": tree}
    with pytest.raises(RequestError, match="more than 100 levels"):
        Taxonomy(tree=tree).bind("t", pl.Series(["leaf"]), missing=False)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('{"a": ["x"], "a": ["y"]}', "comes twice"),
        ('{"a": ', "cannot read"),
        ("[" * 100_000, "nested too deeply"),
        ('["a", "b"', "cannot read"),
        ('{"a": null}', "'a' is neither a table nor a list"),
        ("null", "neither a table nor a list"),
        (" ", "is empty"),
    ],
)
def test_broken_json(tmp_path, text, what):
    file = tmp_path / "tree.json"
    file.write_text(text)
    with pytest.raises(RequestError, match=what):
        Taxonomy(file=file).bind("t", pl.Series(["x"]), missing=False)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("a = [", "cannot read"),
        ("a = ['x']\na = ['y']", "cannot read"),
        ("a = " + "[" * 100_000, "nested too deeply"),
    ],
)
def test_broken_toml(tmp_path, text, what):
    file = tmp_path / "tree.toml"
    file.write_text(text)
    with pytest.raises(RequestError, match=what):
        Taxonomy(file=file).bind("t", pl.Series(["x"]), missing=False)
