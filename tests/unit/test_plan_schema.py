"""Does an editor that knows the schema of a plan say what openveil would say?"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from typing import Any

import jsonschema
import polars as pl
import pytest
from test_plan import GOOD, changed

from openveil.core.errors import RequestError
from openveil.core.registry import Kind, discover
from openveil.core.schema import Role
from openveil.workflow.plan import Plan, json_schema
from openveil.workflow.scan import scan

AGE = ("columns", "age", "hierarchy")


def guarded(guard: dict[str, Any]) -> dict[str, Any]:
    """A plan with a sensitive column that is guarded in this way."""
    ill = {"role": "sensitive", "hierarchy": {"kind": "taxonomy", "tree": {"a": ["x", "y"]}}, "guard": guard}
    age = {"role": "quasi-identifier", "hierarchy": {"kind": "suppression"}}
    columns = {"age": age, "ill": ill, "wish": {"role": "guard"}}
    return {"columns": columns, "privacy": {"personal-breach": {"p": 0.25}}}


TAKEN: dict[str, dict[str, Any]] = {
    "the example": GOOD,
    "a bare method": changed("method", "samarati"),
    "a count": changed("method", {"name": "samarati", "max_suppressed": 5}),
    "a share": changed("method", {"name": "samarati", "max_suppressed": 0.02}),
    "a share as text": changed("method", {"name": "samarati", "max_suppressed": "0.02"}),
    "a preference by name": changed("method", {"name": "samarati", "prefer": "minimum-suppression"}),
    "the default preference": changed("method", {"name": "samarati", "prefer": "minimum-information-loss"}),
    "a preference with parameters": changed(
        "method", {"name": "samarati", "prefer": {"policy": "attribute-order", "keep": ["age"]}}
    ),
    "suppression": changed(*AGE, {"kind": "suppression"}),
    "a tree": changed(*AGE, {"kind": "taxonomy", "tree": {"a": ["1", 2]}}),
    "attacks": changed("attacks", {"skewness": {"gain": "1/3"}, "hilb-worlds": {"steps": 10}, "homogeneity": {}}),
    "no attack": changed("attacks", {}),
    "an exact weight": changed("columns", "age", "weight", "1/3"),
    "a guarded column": guarded({"column": "wish", "nodes": {"a": "none"}, "default": "value", "waived": "no"}),
}
REFUSED: dict[str, dict[str, Any]] = {
    "a guard of a quasi-identifier": changed("columns", "age", "guard", {"default": "none"}),
    "a default guard that is none": guarded({"column": "wish", "default": "parent"}),
    "a guard key that is none": guarded({"column": "wish", "colum": "wish"}),
    "a rule that is no text": guarded({"column": "wish", "nodes": {"a": 3}}),
    "a role that is none": changed("columns", "name", "role", "quasi"),
    "a format that is none": changed("output", "format", "xlsx"),
    "a word for suppressed that is none": changed("output", "suppressed", "hide"),
    "a quasi-identifier without hierarchy": changed("columns", "birth date", "role", "quasi-identifier"),
    "an identifier with hierarchy": changed("columns", "name", "hierarchy", {"kind": "suppression"}),
    "an identifier with weight": changed("columns", "name", "weight", 2),
    "a weight of nothing": changed("columns", "age", "weight", 0),
    "a kind that is none": changed(*AGE, {"kind": "interval", "widths": [5]}),
    "no kind": changed(*AGE, {"widths": [5]}),
    "a parameter of another kind": changed(*AGE, {"kind": "intervals", "widths": [5], "side": "left"}),
    "a missing parameter": changed(*AGE, {"kind": "intervals"}),
    "a method that is none": changed("method", "datafli"),
    "a preference that is none": changed("method", {"name": "samarati", "prefer": "least"}),
    "a preference without its parameters": changed("method", {"name": "samarati", "prefer": "attribute-order"}),
    "a preference with strange parameters": changed(
        "method", {"name": "samarati", "prefer": {"policy": "minimum-suppression", "keep": ["age"]}}
    ),
    "a share that is none": changed("method", {"name": "samarati", "max_suppressed": "two percent"}),
    "a negative count": changed("method", {"name": "samarati", "max_suppressed": -1}),
    "two privacy models, one wrong": changed(
        "privacy", {"k-anonymity": {"k": 5}, "frequency-l-diversity": {"l": "two"}}
    ),
    "no privacy model": changed("privacy", {}),
    "an attack that is none": changed("attacks", {"homogenity": {}}),
    "a parameter of another attack": changed("attacks", {"skewness": {"steps": 5}}),
    "an attack without its parameters": changed("attacks", {"negative-association": {}}),
    "an attack with a text for a number": changed("attacks", {"hilb-worlds": {"steps": "ten"}}),
    "a k that is no number": changed("privacy", {"k-anonymity": {"k": "five"}}),
    "a key that is none": changed("colums", {}),
}


def wrong(plan: dict[str, Any]) -> list[Any]:
    schema = json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    return list(jsonschema.Draft202012Validator(schema).iter_errors(plan))


@pytest.mark.parametrize("name", TAKEN)
def test_a_plan_that_is_taken_has_the_form_of_the_schema(name: str) -> None:
    Plan.from_dict(TAKEN[name])
    assert wrong(TAKEN[name]) == []


@pytest.mark.parametrize("name", REFUSED)
def test_a_plan_that_is_refused_has_not(name: str) -> None:
    with pytest.raises(RequestError):
        Plan.from_dict(REFUSED[name])
    assert wrong(REFUSED[name])


def test_what_is_wrong_is_told_of_the_part_that_was_meant() -> None:
    [error] = wrong(REFUSED["a parameter of another kind"])
    assert "'side'" in error.message
    [error] = wrong(REFUSED["a missing parameter"])
    assert "'widths'" in error.message
    [error] = wrong(REFUSED["a preference without its parameters"])
    assert list(error.absolute_path) == ["method", "prefer"]


def test_a_proposal_has_the_form_of_the_schema() -> None:
    frame = pl.DataFrame({"age": [*range(40)], "diagnosis": ["a", "b"] * 20, "zip": ["02138", "02139"] * 20})
    assert wrong(tomllib.loads(scan(frame, "people.csv").text)) == []


# What can be seen of the schema without a validator.


def test_a_column_says_what_its_role_asks_for() -> None:
    quasi, others, sensitive = json_schema()["$defs"]["ColumnPlan"]["allOf"]
    assert quasi["if"] == {"properties": {"role": {"const": "quasi-identifier"}}, "required": ["role"]}
    assert quasi["then"] == {"required": ["hierarchy"], "properties": {"guard": False}}
    assert others["if"]["properties"]["role"]["enum"] == ["identifier", "person", "guard", "other"]
    assert others["then"] == {"properties": {"hierarchy": False, "weight": False, "guard": False}}
    assert sensitive["if"] == {"properties": {"role": {"const": "sensitive"}}, "required": ["role"]}
    assert sensitive["then"] == {"properties": {"weight": False}}


def test_words_are_listed() -> None:
    defs = json_schema()["$defs"]
    assert defs["Role"]["enum"] == list(Role)
    assert defs["Output"]["properties"]["format"]["enum"] == ["csv", "parquet", "arrow"]
    assert defs["Output"]["properties"]["suppressed"]["enum"] == ["drop", "blank"]


def choices(node: Any) -> Iterator[dict[str, Any]]:
    """Every choice among parts in the schema."""
    if isinstance(node, dict):
        yield from [node] if "allOf" in node and "$ref" in node["allOf"][0]["then"] else []
        node = list(node.values())
    for inner in node if isinstance(node, list) else ():
        yield from choices(inner)


def test_each_choice_is_decided_by_one_word() -> None:
    schema = json_schema()
    found = list(choices(schema))
    for choice in found:
        [key] = choice["required"]
        for word, case in zip(choice["properties"][key]["enum"], choice["allOf"], strict=True):
            part = schema["$defs"][case["then"]["$ref"].removeprefix("#/$defs/")]
            assert case["if"] == {"properties": {key: {"const": word}}, "required": [key]}
            assert part["properties"][key]["const"] == word
            assert set(part["properties"]) <= set(choice["properties"])
    assert {choice["required"][0] for choice in found} == {"kind", "name", "policy"}


def test_every_preference_is_described() -> None:
    schema = json_schema()
    assert {f"preference-{part.name}" for part in discover(Kind.PREFERENCE)} <= set(schema["$defs"])
