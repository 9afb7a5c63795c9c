"""Do exported hierarchies say the same when they are read back?"""

import json

import polars as pl
import pytest

import openveil
from openveil.cli.main import main
from openveil.core.errors import RequestError

FRAME = pl.DataFrame(
    {"age": [23, 37, 41, None], "zip code": ["02138", "02139", "02141", "02142"], "zip/code": list("abab")}
)
RULES = {
    "age": {"kind": "intervals", "widths": [10, 20]},
    "zip code": {"kind": "masking"},
    "zip/code": {"kind": "suppression"},
}


def plan_of(rules):
    return {
        "columns": {name: {"role": "quasi-identifier", "hierarchy": rule} for name, rule in rules.items()},
        "privacy": {"k-anonymity": {"k": 2}},
        "method": {"name": "samarati", "max_suppressed": 1},
    }


def test_a_plan_with_the_exported_files_publishes_the_same(tmp_path):
    files = openveil.export_hierarchies(plan_of(RULES), tmp_path / "hierarchies", frame=FRAME)
    assert [path.name for path in files.values()] == ["age.csv", "zip_code.csv", "zip_code-2.csv"]
    assert files["zip code"].read_text().splitlines()[0] == "02138;0213*;021**;02***;0****;*"
    assert (tmp_path / "hierarchies").stat().st_mode & 0o777 == 0o700
    again = plan_of({name: {"kind": "file", "file": str(path)} for name, path in files.items()})
    one, other = (openveil.publish(FRAME, plan) for plan in (plan_of(RULES), again))
    assert one.certificate["levels"] == other.certificate["levels"]
    assert sorted(one.data.rows(), key=str) == sorted(other.data.rows(), key=str)


def test_the_command_line_writes_them_into_a_new_folder(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    FRAME.write_csv("people.csv")
    quasi = "".join(
        f"[columns.{json.dumps(name)}]\nrole = 'quasi-identifier'\nhierarchy = {{ kind = '{kind}' }}\n"
        for name, kind in {"age": "suppression", "zip code": "masking", "zip/code": "suppression"}.items()
    )
    privacy = "[privacy]\nk-anonymity = { k = 2 }\n"
    (tmp_path / "plan.toml").write_text(f"[input]\npath = 'people.csv'\n{quasi}{privacy}")
    assert main(["hierarchies", "plan.toml", "out", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["files"]["age"] == "out/age.csv"
    assert main(["hierarchies", "plan.toml", "out"]) == 2
    assert "is already there" in capsys.readouterr().err
    assert main(["hierarchies", "plan.toml", "missing/out"]) == 2
    assert main(["hierarchies", "plan.toml", "fresh"]) == 0
    assert "handle them as you handle the data" in capsys.readouterr().out


def test_a_plan_that_does_not_fit_leaves_no_folder(tmp_path):
    with pytest.raises(RequestError):
        openveil.export_hierarchies(plan_of({"age": RULES["age"]}), tmp_path / "out", frame=FRAME)
    assert list(tmp_path.iterdir()) == []
