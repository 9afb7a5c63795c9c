"""Plans: what is accepted, what is refused, and that every problem is told at once and in its place."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from copy import deepcopy
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from openveil.core.errors import RequestError
from openveil.core.registry import Kind, discover
from openveil.core.schema import Column, Role
from openveil.workflow.plan import Plan, json_schema

GOOD: dict[str, Any] = {
    "input": {"path": "people.csv", "separator": ";", "missing": ["?", "NA"]},
    "columns": {
        "name": {"role": "identifier"},
        "age": {"role": "quasi-identifier", "weight": 2, "hierarchy": {"kind": "intervals", "widths": [5, 10]}},
        "birth date": {"role": "other"},
    },
    "privacy": {"k-anonymity": {"k": 5}},
    "method": {"name": "samarati", "max_suppressed": "2%"},
    "output": {"folder": "out", "format": "parquet", "suppressed": "blank"},
}


def changed(*steps: object) -> dict[str, Any]:
    """GOOD with the value at a path (all steps but the last) set to the last."""
    plan = deepcopy(GOOD)
    *path, key, value = steps
    inner: Any = plan
    for step in path:
        inner = inner[step]
    inner[key] = value
    return plan


def problems(plan: dict[str, Any]) -> dict[str, str]:
    with pytest.raises(RequestError) as caught:
        Plan.from_dict(plan)
    return {problem.where: str(problem) for problem in caught.value.problems}


def test_a_good_plan_is_taken_as_written() -> None:
    plan = Plan.from_dict(GOOD)
    assert plan.input is not None
    assert plan.input.separator == ";"
    assert plan.requirement.promise == "k = 5"
    assert type(plan.publisher).__name__ == "Samarati"
    assert list(plan.rules) == ["age"]
    assert plan.output.suppressed == "blank"


def test_what_is_left_out_has_defaults() -> None:
    plan = Plan.from_dict({key: GOOD[key] for key in ("columns", "privacy")})
    assert plan.input is None
    assert plan.method.part.name == "samarati"
    assert (plan.output.folder, plan.output.format, plan.output.suppressed) == ("release", "csv", "drop")


def test_a_bare_method_is_the_same_as_one_without_parameters() -> None:
    bare, full = changed("method", "samarati"), changed("method", {"name": "samarati"})
    assert Plan.from_dict(bare).digest == Plan.from_dict(full).digest


def test_the_digest_knows_the_content_and_not_the_order() -> None:
    turned = {key: GOOD[key] for key in reversed(GOOD)}
    assert Plan.from_dict(turned).digest == Plan.from_dict(GOOD).digest
    assert Plan.from_dict(changed("privacy", {"k-anonymity": {"k": 6}})).digest != Plan.from_dict(GOOD).digest


def test_a_plan_survives_being_written_as_plain_values() -> None:
    plan = Plan.from_dict(changed("columns", "age", "weight", "1/3"))
    assert Plan.from_dict(json.loads(json.dumps(plan.as_dict()))).digest == plan.digest


@pytest.mark.parametrize(("written", "exact"), [(2, Fraction(2)), (0.1, Fraction(1, 10)), ("1/3", Fraction(1, 3))])
def test_weights_are_exact(written: object, exact: Fraction) -> None:
    plan = Plan.from_dict(changed("columns", "age", "weight", written))
    assert plan.columns["age"].weight == exact


@pytest.mark.parametrize("written", [0, -1, "infinite", float("inf"), float("nan"), True, [1]])
def test_weights_are_positive_and_finite(written: object) -> None:
    assert set(problems(changed("columns", "age", "weight", written))) == {"plan: columns.age.weight"}


def test_the_schema_follows_the_order_of_the_table() -> None:
    schema = Plan.from_dict(GOOD).schema_for(["age", "birth date", "name"])
    assert schema.columns[0] == Column("age", Role.QUASI, Fraction(2))
    assert [column.name for column in schema.columns] == ["age", "birth date", "name"]


def test_columns_without_a_role_and_roles_without_a_column_are_told_together() -> None:
    with pytest.raises(RequestError) as caught:
        Plan.from_dict(GOOD).check_columns(["age", "birthdate", "name", "zip"])
    told = [str(problem) for problem in caught.value.problems]
    assert "2 columns of the file have no role: birthdate, zip" in told[0]
    assert told[1].startswith('plan: columns."birth date"')
    assert "'birthdate'" in told[1]


def test_files_of_hierarchies_are_found_from_the_folder_of_the_plan(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(
        '[columns.age]\nrole = "quasi-identifier"\nhierarchy = { kind = "file", file = "h/age.csv" }\n'
        "[privacy]\nk-anonymity = { k = 2 }\n"
    )
    rule: Any = Plan.from_toml(tmp_path / "plan.toml").rules["age"]
    assert rule.file == tmp_path / "h" / "age.csv"


def test_all_problems_are_told_at_once() -> None:
    plan = {
        "colums": {},
        "columns": {
            "a": {"role": "quasi-identifier"},
            "b": {"role": "quasi"},
            "c": {"role": "identifier", "hierarchy": {"kind": "suppression"}},
            "d": {"role": "quasi-identifier", "hierarchy": {"kind": "intervals", "widths": ["five"], "strat": 1}},
        },
        "privacy": {"mu-argus": {"k": "five"}},
        "method": {"name": "datafli"},
    }
    assert set(problems(plan)) == {
        "plan: colums",
        "plan: columns.a",
        "plan: columns.b.role",
        "plan: columns.c.hierarchy",
        "plan: columns.d.hierarchy.widths[0]",
        "plan: columns.d.hierarchy.strat",
        "plan: privacy.mu-argus.k",
        "plan: privacy.mu-argus",
        "plan: method.name",
    }


@pytest.mark.parametrize(
    "hierarchy",
    [
        {"kind": "taxonomy"},
        {"kind": "taxonomy", "tree": {"a": 3}},
        {"kind": "ordering", "sizes": [1]},
        {"kind": "masking", "keep": [1, 3]},
        {"kind": "intervals", "widths": []},
        {"kind": "dates", "levels": ["yer"]},
    ],
)
def test_what_is_wrong_with_a_hierarchy_names_the_column(hierarchy: dict[str, Any]) -> None:
    assert set(problems(changed("columns", "age", "hierarchy", hierarchy))) == {"plan: columns.age.hierarchy"}


def test_a_plan_of_quite_another_table_is_one_problem() -> None:
    with pytest.raises(RequestError) as caught:
        Plan.from_dict(GOOD).check_columns(["x", "y"])
    [problem] = caught.value.problems
    assert problem.what == "no column of the plan is in the file"
    assert problem.found == "2 columns"


def test_known_unsafe_parts_need_to_be_allowed() -> None:
    unsafe = changed("privacy", {"mu-argus": {"k": 2}})
    assert "allow_unsafe = true" in problems(unsafe)["plan: privacy.mu-argus"]
    plan = Plan.from_dict({**unsafe, "allow_unsafe": True})
    assert [part.name for part in plan.unsafe_parts] == ["mu-argus"]


def test_no_message_repeats_what_a_hierarchy_lists() -> None:
    secret = "Kanarienvogel"
    hierarchy = {"kind": "ordering", "sizes": secret, "order": {secret: [secret]}, "file": [secret]}
    told = problems(changed("columns", "age", "hierarchy", hierarchy))
    assert told
    assert secret not in " ".join(told.values())


@pytest.mark.parametrize("written", [{"a": "Kanarienvogel"}, ["Kanarienvogel"], "Kanarienvogel " * 9])
def test_only_a_short_word_is_repeated(written: object) -> None:
    told = problems(changed("columns", "name", "role", written))
    assert set(told) == {"plan: columns.name.role"}
    assert "Kanarienvogel" not in told["plan: columns.name.role"]


def test_plans_are_frozen() -> None:
    plan = Plan.from_dict(GOOD)
    with pytest.raises(ValueError, match="frozen"):
        plan.allow_unsafe = True
    with pytest.raises(dataclasses.FrozenInstanceError):
        plan.privacy[0].value = None  # type: ignore[misc]
    with pytest.raises(TypeError):
        plan.privacy[0].parameters["k"] = 1  # type: ignore[index]


def test_the_schema_describes_every_registered_part() -> None:
    schema = json_schema()
    for part in discover(Kind.HIERARCHY, Kind.PUBLISHER, Kind.REQUIREMENT):
        described = schema["$defs"][f"{part.kind}-{part.name}"]
        assert described["additionalProperties"] is False
        assert part.summary.split(".")[0] in described["description"].replace("\n", " ")


def test_every_reference_of_the_schema_leads_somewhere() -> None:
    schema = json_schema()

    def references(node: Any) -> Iterator[str]:
        if isinstance(node, dict):
            yield from (value for key, value in node.items() if key == "$ref")
        for inner in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
            yield from references(inner)

    found = set(references(schema))
    assert found
    assert all(reference.removeprefix("#/$defs/") in schema["$defs"] for reference in found)
