"""`openveil check`: a steward asks what knowing the method adds to what a plan publishes."""

import json
from pathlib import Path

import pytest

from openveil.cli.main import main
from oracles.six_rows import PLAN, SIX


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the six rows, where the person sits."""
    (tmp_path / "six.csv").write_text(SIX)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def checked(desk, capsys, method):
    """The exit code, the text, and the same for machines."""
    (desk / "plan.toml").write_text(PLAN.replace('"mondrian"', f'"{method}"'))
    code, text = main(["check", "plan.toml"]), capsys.readouterr().out
    assert main(["check", "plan.toml", "--json"]) == code
    assert {path.name for path in desk.iterdir()} == {"six.csv", "plan.toml"}
    assert "zq" not in text
    return code, text, json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(("method", "verdict", "code"), [("mondrian", "fails", 1), ("mondrian++", "holds", 0)])
def test_the_six_rows(desk, capsys, method, verdict, code):
    said, text, found = checked(desk, capsys, method)
    assert said == code
    assert (found["verdict"], found["holds"]) == (verdict, code == 0)
    assert {each["verdict"] for each in found["conditions"]} == {verdict}
    assert ("can learn more" in text) == (code == 1)
    assert "  2  people whose most likely value goes from 1/3 to 1\n" in text or code == 0


def test_too_many_tables_are_no_sign_of_safety(desk, capsys):
    rows = [f"{1000 + row * 37 % 400},zq{row * row % 11 % 6}" for row in range(200)]
    (desk / "six.csv").write_text("\n".join(["zip,disease", *rows]) + "\n")
    code, text, found = checked(desk, capsys, "mondrian")
    assert (code, found["holds"]) == (1, False)
    assert found["verdict"] in {"undecided", "fails"}
    assert "nothing from this release" not in text


def test_a_plan_without_sensitive_columns_is_a_wrong_request(desk, capsys):
    plan = PLAN.replace("METHOD", "mondrian").replace('"sensitive"', '"other"').replace("frequency-l-diversity", "#")
    (desk / "plan.toml").write_text(plan)
    assert main(["check", "plan.toml"]) == 2
    assert "no sensitive column" in capsys.readouterr().err
