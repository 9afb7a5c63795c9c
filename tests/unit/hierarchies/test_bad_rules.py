"""Rules that cannot be: each gives one clear error that says where, what and what to do."""

from pathlib import Path

import polars as pl
import pytest
from pydantic import TypeAdapter

from openveil.core.errors import RequestError
from openveil.core.registry import Kind, discover

KINDS = {part.name: part.cls for part in discover(Kind.HIERARCHY)}
INF, NAN = float("inf"), float("nan")

BAD = [
    ("intervals", {"widths": ()}, "`widths` is empty"),
    ("intervals", {"widths": (0,)}, "`widths` must be above 0"),
    ("intervals", {"widths": (-5, 10)}, "`widths` must be above 0"),
    ("intervals", {"widths": (5, 12)}, "multiple of the one before.*5, 12"),
    ("intervals", {"widths": (10, 5)}, "multiple of the one before.*10, 5"),
    ("intervals", {"widths": (5, 5)}, "multiple of the one before"),
    ("intervals", {"widths": (0.1, 0.25)}, "multiple of the one before"),
    ("intervals", {"widths": (INF,)}, "`widths` must be made of finite numbers"),
    ("intervals", {"widths": (True,)}, "`widths` must be made of finite numbers"),
    ("intervals", {"widths": (5,), "start": NAN}, "`start` must be made of finite numbers"),
    ("intervals", {"widths": (5,), "highest": INF}, "`highest` must be made of finite numbers"),
    ("intervals", {"widths": (5,), "lowest": 9, "highest": 9}, "`lowest` must be below `highest`"),
    ("ordering", {"sizes": ()}, "`sizes` is empty"),
    ("ordering", {"sizes": (1,)}, "whole numbers from 2"),
    ("ordering", {"sizes": (2.5,)}, "whole numbers from 2"),
    ("ordering", {"sizes": (2,), "order": ()}, "`order` is empty"),
    ("ordering", {"sizes": (2,), "order": ("a", "b", "a")}, "'a' is listed more than once"),
    ("ordering", {"sizes": (2,), "order": ("1", 1.0)}, "'1' is listed more than once"),
    ("ordering", {"sizes": (2,), "order": ("a",), "file": Path("x")}, "both `order` and `file`"),
    ("masking", {"step": 0}, "`step` must be at least 1"),
    ("masking", {"step": 1, "keep": (2,)}, "both `step` and `keep`"),
    ("masking", {"keep": ()}, "`keep` is empty"),
    ("masking", {"keep": (3, 0)}, "`keep` must be at least 1"),
    ("masking", {"keep": (2, 3)}, "`keep` must descend"),
    ("masking", {"character": "**"}, "must be a single sign"),
    ("masking", {"character": "0"}, "must be a single sign"),
    ("masking", {"character": ""}, "must be a single sign"),
    ("masking", {"side": "middle"}, "`side` must be 'right' or 'left'"),
    ("masking", {"pad_to": 0}, "`pad_to` must be at least 1"),
    ("dates", {"levels": ()}, "`levels` is empty"),
    ("dates", {"levels": ("week",)}, "a level must be .*'week'"),
    ("dates", {"levels": ("0 years",)}, "a level must be"),
    ("dates", {"levels": ("year", "month")}, "'year' does not fit into 'month'"),
    ("dates", {"levels": ("year", "1 years")}, "'year' does not fit"),
    ("dates", {"levels": ("2 years", "5 years")}, "'2 years' does not fit into '5 years'"),
    ("dates", {"format": "%m/%Y"}, "does not tell the day"),
    ("dates", {"format": ""}, "does not tell the day"),
    ("dates", {"last_year": 25}, "`last_year` must be from"),
    ("taxonomy", {}, "either `tree` or `file`"),
    ("taxonomy", {"tree": {"a": ["b"]}, "file": Path("t.toml")}, "either `tree` or `file`"),
    ("taxonomy", {"file": Path("t.csv")}, "must end in .toml or .json"),
    ("taxonomy", {"tree": {}}, "the tree is empty"),
    ("taxonomy", {"tree": {"a": {"b": []}}}, "'a > b' is empty"),
    ("taxonomy", {"tree": {"a": "b"}}, "'a' is neither a table nor a list"),
    ("taxonomy", {"tree": {"a": [["b"]]}}, "list of 'a' holds something"),
]


@pytest.mark.parametrize(("kind", "parameters", "what"), BAD)
def test_bad_parameters_are_refused_at_construction(kind, parameters, what):
    with pytest.raises(RequestError, match=what) as caught:
        KINDS[kind](**parameters)
    assert len(caught.value.problems) == 1
    problem = caught.value.problems[0]
    assert problem.where == f"hierarchy {kind!r}"
    assert problem.remedy


TREES = [
    ({"a": ["x", "x"]}, "more than once.*'x'"),
    ({"a": ["x"], "b": ["x"]}, "more than once.*'x'"),
    ({"a": {"c": ["x"]}, "b": {"c": ["y"]}}, "two parents.*'c'"),
    ({"a": ["b", "x"], "b": ["y"]}, "label for a value and for a group of level 1.*'b'"),
    ({"a": {"b": ["x"]}, "b": {"c": ["y"]}}, "label for a level 1 and for a group of level 2.*'b'"),
    ({"a": ["*", "x"]}, "the name of the root"),
    ({"a": [""], "b": ["x"]}, "empty label"),
    ({" ": ["x"]}, "empty label"),
    ({"a": ["y"]}, "1 of 1 distinct values are not in the hierarchy"),
]


@pytest.mark.parametrize(("tree", "what"), TREES)
def test_bad_trees_are_refused_before_anything_runs(tree, what):
    with pytest.raises(RequestError, match=what) as caught:
        KINDS["taxonomy"](tree=tree).bind("x", pl.Series(["x"]), missing=False)
    assert len(caught.value.problems) == 1


def test_all_problems_of_a_rule_come_at_once():
    with pytest.raises(RequestError) as caught:
        KINDS["intervals"](widths=(0, 5, 7), lowest=3, highest=2)
    assert len(caught.value.problems) == 3


def test_pydantic_lets_the_request_error_through():
    with pytest.raises(RequestError, match="`widths` is empty"):
        TypeAdapter(KINDS["intervals"]).validate_python({"widths": []})
