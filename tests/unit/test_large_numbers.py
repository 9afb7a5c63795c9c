"""Numbers that no table reaches are refused, and those that are asked are compared exactly, beyond 64 bits too."""

import json

import polars as pl
import pytest

import openveil
from openveil.cli.main import main
from openveil.core.bags import Bags
from openveil.core.errors import GuaranteeError, OpenveilError, RequestError
from openveil.core.registry import Kind, discover, find
from openveil.core.requirement import MOST_ROWS

PARTS = {
    "alpha-k-anonymity": ("k", {"alpha": "1/2"}),
    "distinct-l-diversity": ("l", {}),
    "frequency-l-diversity": ("l", {}),
    "k-anonymity": ("k", {}),
    "m-confidentiality": ("m", {}),
    "mu-argus": ("k", {}),
    "recursive-cl-diversity": ("l", {"c": 2}),
}
BY_FACTOR = ["frequency-l-diversity", "m-confidentiality"]
ALIKE = pl.DataFrame({"x": [0, 0, 0, 0, 1, 1, 1, 1], "ill": ["HIV"] * 8})


def model_of(name, number):
    key, others = PARTS[name]
    return find(Kind.REQUIREMENT, name).cls(**{key: number}, **others)


def plan_of(privacy, method="mondrian++"):
    quasi = {"role": "quasi-identifier", "hierarchy": {"kind": "intervals", "widths": [2]}}
    return {"columns": {"x": quasi, "ill": {"role": "sensitive"}}, "privacy": privacy, "method": method}


def test_every_model_that_is_asked_a_whole_number_is_here():
    asked = {part.name for part in discover(Kind.REQUIREMENT) if "int" in part.cls.__annotations__.values()}
    assert asked == set(PARTS)


@pytest.mark.parametrize(
    "number", [MOST_ROWS + 1, 2**62, 2**63, 10**40, 10**5000], ids=lambda number: f"{number.bit_length()} bits"
)
@pytest.mark.parametrize("name", PARTS)
def test_a_number_that_no_table_reaches_is_refused(name, number):
    with pytest.raises(RequestError, match=r"more than 2,147,483,647"):
        model_of(name, number)


@pytest.mark.parametrize("name", PARTS)
def test_the_largest_number_is_asked_of_a_table_and_not_reached(name):
    privacy = {name: {PARTS[name][0]: MOST_ROWS, **PARTS[name][1]}}
    method = "mondrian++" if model_of(name, 2).reads_sensitive else "mondrian"
    with pytest.raises(GuaranteeError):
        openveil.publish(ALIKE, plan_of(privacy, method) | {"allow_unsafe": True})


@pytest.mark.parametrize("part", discover(Kind.PUBLISHER), ids=lambda part: part.name)
@pytest.mark.parametrize("values", [["HIV"] * 8, list("aabbccdd")], ids=["alike", "four values"])
@pytest.mark.parametrize("name", BY_FACTOR)
def test_no_method_publishes_what_does_not_reach_it(part, values, name):
    method = {"name": part.name} | (
        {"domain": ["HIV", *"abcd"]} if part.name.endswith("r") and "mask" in part.name else {}
    )
    plan = plan_of({name: {PARTS[name][0]: MOST_ROWS}}, method) | {"allow_unsafe": True}
    with pytest.raises(OpenveilError):
        openveil.publish(ALIKE.with_columns(ill=pl.Series(values)), plan)


@pytest.mark.parametrize("name", BY_FACTOR)
@pytest.mark.parametrize("number", [2, 3, 2**30, MOST_ROWS])
@pytest.mark.parametrize("rows", [1, 3, 2**31, 2**33, 2**61])
def test_products_are_compared_as_whole_numbers(name, number, rows):
    bags = Bags.of_counts("ill", [[rows, 0], [rows, rows], [rows, rows - 1]])
    model = model_of(name, number)
    sizes = [rows, 2 * rows, 2 * rows - 1]
    assert model.enough(bags).tolist() == [number * rows <= size for size in sizes]
    assert model.needs(bags).tolist() == [min(number * rows, size + 1) for size in sizes]


@pytest.mark.parametrize("number", [2**62, 2**63, 10**40])
def test_a_certificate_that_asks_for_such_a_number_is_refused(number, tmp_path, capsys):
    mixed = ALIKE.with_columns(ill=pl.Series(["HIV", "flu"] * 4))
    openveil.publish(mixed, plan_of({"frequency-l-diversity": {"l": 2}})).write(tmp_path / "out")
    path = tmp_path / "out" / "certificate.json"
    certificate = json.loads(path.read_text())
    certificate["promise"][0]["parameters"]["l"] = number
    path.write_text(json.dumps(certificate))
    with pytest.raises(RequestError, match="not those that the model takes"):
        openveil.verify(tmp_path / "out")
    assert main(["verify", str(tmp_path / "out")]) != 70
    assert "should not" not in capsys.readouterr().err
