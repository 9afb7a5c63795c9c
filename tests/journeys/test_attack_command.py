"""`openveil attack`: a steward looks what could be learned before anything is released."""

import json
from pathlib import Path

import polars as pl
import pytest

import openveil
from openveil.cli.main import main
from openveil.core.errors import RequestError
from openveil.core.registry import Kind, discover
from openveil.workflow.plan import Plan
from oracles.six_rows import PLAN, SIX


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the six rows and their plan, where the person sits."""
    (tmp_path / "six.csv").write_text(SIX)
    (tmp_path / "plan.toml").write_text(PLAN)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def plan_with(desk, old, new):
    (desk / "plan.toml").write_text(PLAN.replace(old, new))


def attacked(capsys, *arguments):
    code = main(["attack", "plan.toml", "--json", *arguments])
    captured = capsys.readouterr()
    assert captured.err == ""
    return code, json.loads(captured.out)


def of(found, name):
    return next(each for each in found["attacks"] if each["name"] == name)


def value(outcome, name):
    return next(finding["value"] for finding in outcome["findings"] if finding["name"] == name)


def test_the_six_rows_are_given_away_by_mondrian(desk, capsys):
    code, found = attacked(capsys)
    assert (code, found["verdict"]) == (1, "fails")
    [after] = of(found, "minimality")["after"]
    assert value(after, "people exposed") == 2
    assert value(after, "greatest certainty") == 1
    [before], [after] = (of(found, "homogeneity")[when] for when in ("before", "after"))
    assert (value(before, "people exposed"), value(after, "people exposed")) == (2, 0)
    assert {path.name for path in desk.iterdir()} == {"six.csv", "plan.toml"}


@pytest.mark.parametrize("method", ["mondrian++", "mondrian-even", "mondrian-even++"])
def test_the_six_rows_are_not_given_away_by_a_repair(desk, capsys, method):
    plan_with(desk, '"mondrian"', f'"{method}"')
    code, found = attacked(capsys)
    assert (code, found["verdict"]) == (0, "holds")
    assert all(value(after, "people exposed") == 0 for each in found["attacks"] for after in each["after"])
    assert set(found["not_made"]) >= {"minimality", "hilb-worlds", "negative-association"}


def test_every_attack_is_made_or_said_not_to_be(desk, capsys):
    _, found = attacked(capsys)
    told = {each["name"] for each in found["attacks"]} | set(found["not_made"])
    assert told == {part.name for part in discover(Kind.ATTACK)}


def test_the_text_says_first_what_matters_and_shows_no_value(desk, capsys):
    assert main(["attack", "plan.toml"]) == 1
    captured = capsys.readouterr()
    assert captured.out.startswith("More can be learned of people in this release than it promises, by minimality")
    assert "zq" not in captured.out
    assert "minimality, disease: 2 people exposed, certainty up to 100%" in captured.out
    assert "There is no control group" in captured.out
    assert "Not made:" in captured.out


@pytest.mark.parametrize(("sides", "learned"), [(2, True), (1, False)])
def test_where_nothing_is_promised_of_the_sensitive_column_that_is_said_first(sides, learned):
    """k-anonymity says nothing of illnesses, even where they follow from the zip code."""
    zips = [f"{row % 2}000" for row in range(400)]
    ill = [["flu", "cold"][row % sides] if row % 10 else "gout" for row in range(400)]
    columns = {
        "zip": {"role": "quasi-identifier", "hierarchy": {"kind": "masking"}},
        "disease": {"role": "sensitive"},
    }
    plan = {"columns": columns, "privacy": {"k-anonymity": {"k": 5}}}
    table = pl.DataFrame({"zip": zips, "disease": ill})
    found = openveil.attack(table, plan)
    more = ", and attacks are right about it more often than guesses" if learned else ""
    assert str(found).startswith(f"Nothing is promised about disease{more}. ")
    assert found.as_json()["nothing_promised_about"] == ["disease"]
    diverse = openveil.attack(table, plan | {"privacy": {"distinct-l-diversity": {"l": 2}}})
    assert diverse.as_json()["nothing_promised_about"] == []
    assert "Nothing is promised" not in str(diverse)


@pytest.mark.parametrize(
    ("attacks", "said"),
    [
        ("[attacks.homogenity]", "Did you mean 'homogeneity'?"),
        ("[attacks.skewness]\ngian = 0.5", "Did you mean 'gain'?"),
        ("[attacks.skewness]\ngain = 1.5", "less than 1"),
        ("[attacks.hilb-worlds]\nsteps = true", "must be a whole number"),
        ('[attacks.negative-association]\namong = "zip"', "rare"),
        ("attacks.skewness = 5", "must be a table"),
    ],
)
def test_wrong_parameters_are_told_with_their_place(desk, capsys, attacks, said):
    (desk / "plan.toml").write_text(f"{attacks}\n{PLAN}" if attacks.startswith("attacks") else f"{PLAN}\n{attacks}\n")
    assert main(["attack", "plan.toml"]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert "attacks" in told


def test_parameters_change_what_is_found(desk, capsys):
    plan_with(desk, '"mondrian"', '"mondrian++"')
    exposed = []
    for gain in ("0", "0.9"):
        with (desk / "plan.toml").open("a") as plan:
            plan.write(f"[attacks.skewness]\ngain = {gain}\n")
        _, found = attacked(capsys)
        exposed.append(value(of(found, "skewness")["after"][0], "people exposed"))
        plan_with(desk, '"mondrian"', '"mondrian++"')
    assert exposed == [6, 0]


def test_attacks_in_a_plan_do_not_make_it_another_plan():
    plain = {
        "columns": {"a": {"role": "quasi-identifier", "hierarchy": {"kind": "suppression"}}},
        "privacy": {"k-anonymity": {"k": 2}},
    }
    more = {**plain, "attacks": {"skewness": {"gain": 0.25}}}
    assert Plan.from_dict(plain).digest == Plan.from_dict(more).digest
    assert Plan.from_dict(more).as_dict()["attacks"] == {"skewness": {"gain": 0.25}}
    assert "attacks" not in Plan.from_dict(plain).as_dict()


# From Python, on a table large enough for a control group.


def patients(rows=400):
    ages = [20 + row * 7 % 60 for row in range(rows)]
    ill = [["flu", "cold", "asthma", "cough"][row * row % 7 % 4] for row in range(rows)]
    return pl.DataFrame({"age": ages, "ill": ill})


def wishes(**changed):
    plan = {
        "columns": {
            "age": {"role": "quasi-identifier", "hierarchy": {"kind": "intervals", "widths": [10, 20]}},
            "ill": {"role": "sensitive"},
        },
        "privacy": {"frequency-l-diversity": {"l": 2}},
    }
    return {**plan, **changed}


def test_from_python_with_a_control_group():
    found = openveil.attack(patients(), wishes())
    assert found.left_out == 40
    assert found.people == 400
    outcomes = [outcome for each in found.tried for outcome in each.after]
    assert all(outcome.control is not None for outcome in outcomes)
    assert all(outcome.people == 400 for outcome in outcomes)
    assert "control group: 40 people" in repr(found)


def test_the_same_seed_finds_the_same(capsys):
    one, again, other = (openveil.attack(patients(), wishes(), seed=seed).as_json() for seed in (1, 1, 2))
    assert one == again
    assert one != other


def test_people_with_several_rows_are_left_out_together():
    frame = patients().with_columns(who=pl.int_range(400) // 2)
    plan = wishes(
        privacy={"k-anonymity": {"k": 3}},
        columns={**wishes()["columns"], "who": {"role": "person"}},
    )
    found = openveil.attack(frame, plan)
    assert found.people == 200
    assert found.left_out == 40


def test_a_plan_that_cannot_be_kept_is_refused_as_publish_refuses_it():
    with pytest.raises(openveil.GuaranteeError):
        openveil.attack(patients(), wishes(privacy={"frequency-l-diversity": {"l": 50}}))


def test_another_release_and_a_table_with_names_are_read_from_the_plan_s_folder(tmp_path, monkeypatch):
    patients().write_csv(tmp_path / "table.csv")
    release = openveil.publish(patients(), wishes(method={"name": "hilb+r"}))
    release.data.write_csv(tmp_path / "earlier.csv")
    attacks = {"intersection": {"other": "earlier.csv"}, "linking": {"external": "table.csv"}}
    plan = Plan.from_dict(wishes(input={"path": "table.csv"}, attacks=attacks), base=tmp_path)
    found = openveil.attack(tmp_path / "table.csv", plan)
    made = {each.part.name: each for each in found.tried}
    assert made["intersection"].after[0].attack.tries > 0
    assert made["linking"].after[0].attack.tries > 0


def test_a_rule_about_a_column_that_is_not_there_is_refused(tmp_path):
    rule = {"among": "zip", "rare": ["flu"], "most": 25}
    plan = wishes(
        allow_unsafe=True,
        attacks={"negative-association": rule},
        privacy={"m-confidentiality": {"m": 2, "values": ["flu"]}},
    )
    with pytest.raises(RequestError, match="no quasi-identifier"):
        openveil.attack(patients(), plan)
