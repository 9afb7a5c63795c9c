"""What does a data steward live through who audits somebody else's release: exit code, text, and never a cell?"""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import openveil
from openveil.cli.main import main

CANARY = "Zaphod7341"
PLAN = f"""
[columns.id]
role = "identifier"
[columns.age]
role = "quasi-identifier"
hierarchy = {{ kind = "intervals", widths = [10] }}
[columns.zip]
role = "quasi-identifier"
hierarchy = {{ kind = "masking" }}
[columns.job]
role = "quasi-identifier"
hierarchy = {{ kind = "taxonomy", tree = {{ Office = ["clerk", "lawyer"], Craft = ["baker", "{CANARY}"] }} }}
[columns.ill]
role = "sensitive"
[privacy]
k-anonymity = {{ k = 2 }}
"""


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a plan, where the steward sits."""
    (tmp_path / "plan.toml").write_text(PLAN)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def told(capsys, *arguments):
    code = main(["audit", "plan.toml", *arguments, "--json"])
    captured = capsys.readouterr()
    assert captured.err == ""
    return code, json.loads(captured.out)


# Releases in the notations in which the programs of others write them.
SAMPLES = {
    "arx.csv": """age;zip;job;ill
[20, 30[;021**;Office;flu
[20, 30[;021**;Office;cold
>=60;021**;{baker, clerk};flu
>=60;021**;{baker, clerk};gout
*;*;*;flu
*;*;*;cold
""",
    "sdcmicro.csv": """"age","zip","job","ill"
"(20,30]","02138","clerk","flu"
"(20,30]","02138","clerk","cold"
"(1e+03,2e+03]",NA,"baker","gout"
"(1e+03,2e+03]",NA,"baker","flu"
""",
    "amnesia.csv": """age,zip,job,ill
20-30,021**,Office,flu
20-30,021**,Office,cold
30.5-40.25,021**,Craft,flu
30.5-40.25,021**,Craft,gout
""",
    "anjana.csv": """id,age,zip,job,ill
*,"[20, 30)",0213*,clerk,flu
*,"[20, 30)",0213*,clerk,cold
*,"[30, 40)",0214*,Craft,gout
*,"[30, 40)",0214*,Craft,gout
""",
    "mondrian.txt": """age;zip;job;ill
20~30;02138~02139;clerk~lawyer;flu
20~30;02138~02139;clerk~lawyer;cold
30~40;02138;baker;flu
30~40;02138;baker;flu
""",
    "anonypy.csv": """age,zip,job,ill
['20-30'],['02138'],"['clerk,lawyer']",flu
['20-30'],['02138'],"['clerk,lawyer']",cold
['30-40'],['02139'],['baker'],flu
['30-40'],['02139'],['baker'],flu
""",
}
READ = {
    "arx.csv": {
        "age": {"intervals", "hidden"},
        "zip": {"masked codes", "hidden"},
        "job": {"groups", "sets", "hidden"},
    },
    "sdcmicro.csv": {"age": {"intervals"}, "zip": {"values", "hidden"}, "job": {"values"}},
    "amnesia.csv": {"age": {"intervals"}, "zip": {"masked codes"}, "job": {"groups"}},
    "anjana.csv": {"age": {"intervals"}, "zip": {"masked codes"}, "job": {"values", "groups"}},
    "mondrian.txt": {"age": {"intervals"}, "zip": {"values", "intervals"}, "job": {"values", "sets"}},
    "anonypy.csv": {"age": {"intervals"}, "zip": {"values"}, "job": {"values", "sets"}},
}


@pytest.mark.parametrize("name", SAMPLES)
def test_what_the_programs_of_others_write_is_read(desk, capsys, name):
    (desk / name).write_text(SAMPLES[name])
    code, audited = told(capsys, name)
    assert {column["column"]: set(column["labels"]) for column in audited["labels"]} == READ[name]
    assert [each["verdict"] for each in audited["promised"][0]["readings"]] == ["holds"] * 3
    assert code == 0


@dataclass(frozen=True)
class Hostile:
    """A release that is not as it should be: what comes of it (an exit code, and words that must be told)."""

    name: str
    data: bytes
    code: int
    says: tuple[str, ...]
    options: tuple[str, ...] = field(default=())


def table(*rows, header="age,zip,job,ill"):
    return "\n".join([header, *rows, ""]).encode()


GOOD = ("20-29,021**,clerk,flu", "20-29,021**,clerk,cold")
HOSTILE = [
    Hostile("nothing.csv", b"", 2, ("is empty",)),
    Hostile("header.csv", table(), 2, ("has no rows",)),
    Hostile("blank.csv", b"\n\n\n", 2, ("is empty",)),
    Hostile("other.csv", table("1,2", header="apples,pears"), 2, ("only 0 of its 2 columns are in the plan",)),
    Hostile("headless.csv", b"\n".join(table(*GOOD).split(b"\n")[1:]), 2, ("line of column names",)),
    Hostile(
        "latin.csv",
        table(f"20-29,{CANARY},\xb2\xb3,flu").decode().encode("cp1251", "replace") + b"\x98\n",
        2,
        ("utf-8",),
    ),
    Hostile("utf16.csv", b"\xff\xfe" + table(*GOOD).decode().encode("utf-16-le")[:-1], 2, ("utf-16",)),
    Hostile("nul.csv", table(f"20-29,{CANARY}\0,clerk,flu"), 2, ("NUL",)),
    Hostile("ragged.csv", table(*GOOD, f"20-29,{CANARY}"), 2, ("fewer or more fields",)),
    Hostile("r_table.csv", table("1,20-29,021**,clerk,flu", "2,20-29,021**,clerk,cold"), 2, ("row index",)),
    Hostile("quotes.csv", table(f'20-29,"{CANARY},clerk,flu'), 2, ("quote",)),
    Hostile(
        "twice.csv", table("20-29,20-29,x,flu", header="age,age,job,ill"), 2, ("has the name of another column",)
    ),
    Hostile("pattern.csv", table("a,b,c,d", header="age,zip,*,ill"), 2, ("stands for several columns",)),
    Hostile("book.xlsx", b"PK", 2, ("ending that is not known",)),
    Hostile("torn.parquet", b"PAR1", 2, ("damaged",)),
    Hostile("torn.csv.gz", gzip.compress(table(*GOOD))[:-6], 2, ("damaged",)),
    Hostile(
        "count.csv", table("20-29,0,c,flu,-3", header="age,zip,job,ill,n"), 2, ("whole numbers",), ("--count", "n")
    ),
    Hostile("uncounted.csv", table(*GOOD), 2, ("does not have",), ("--count", "n")),
    Hostile(
        "huge_count.csv",
        table("20-29,0,c,flu,99999999", header="age,zip,job,ill,n"),
        2,
        ("10,000,000",),
        ("--count", "n"),
    ),
    Hostile(
        "longer_count.csv",
        table("1,0,c,flu,999999999999", header="age,zip,job,ill,n"),
        2,
        ("whole",),
        ("--count", "n"),
    ),
    Hostile("reversed.csv", table(*["29-20,021**,clerk,flu"] * 2), 1, ("not decided", "not read")),
    Hostile("unclosed.csv", table(*['"[20, 30",021**,clerk,flu'] * 2), 1, ("not decided", "not read")),
    Hostile("huge.csv", table(*["9" * 5000 + ",021**,clerk,flu"] * 2), 1, ("not decided", "not read")),
    Hostile("exponent.csv", table(*["1e999999999,021**,clerk,flu"] * 2), 1, ("not decided", "not read")),
    Hostile("formula.csv", table(*[f"=1+1,021**,{CANARY},flu"] * 2), 1, ("spreadsheet", "not read")),
    Hostile(
        "mixed.csv",
        table("20-29,021**,clerk,flu", "1964-09,021**,clerk,flu", f"{CANARY},021**,clerk,x"),
        1,
        ("not read",),
    ),
    Hostile("stranger.csv", table(*[f"20-29,021**,{CANARY}y,flu"] * 2), 1, ("not decided", "not read")),
    Hostile("digits.csv", table(*["٢٠-٢٩,021**,clerk,flu"] * 2), 1, ("not decided", "not read")),
    Hostile(
        "control.csv",
        table(*["20-29,021**,clerk,flu,\x1b[31m"] * 2, header="age,zip,job,ill,\x1b[2J"),
        1,
        ("\\x1b[2J",),
    ),
    Hostile("single.csv", table(GOOD[0]), 1, ("fails (k = 1)",)),
    Hostile("hidden.csv", table(*["*,*,*,*"] * 3), 0, ("3 rows hide all",)),
]


@pytest.mark.parametrize("hostile", HOSTILE, ids=lambda hostile: hostile.name)
def test_a_release_that_is_not_as_it_should_be_gets_one_clear_answer(desk, capsys, hostile):
    (desk / hostile.name).write_bytes(hostile.data)
    code = main(["audit", "plan.toml", hostile.name, *hostile.options])
    captured = capsys.readouterr()
    said = captured.err if hostile.code == 2 else captured.out
    assert code == hostile.code, said
    for words in hostile.says:
        assert words in said
    assert captured.err == "" or code == 2
    assert CANARY not in captured.out + captured.err
    assert "\x1b[2J" not in captured.out
    assert "defect" not in said
    assert "in a way it should not" not in said


@pytest.mark.parametrize("rows", [60_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
def test_too_many_labels_are_not_read_one_by_one(desk, capsys, rows):
    ages = np.random.default_rng(1).permutation(rows)
    frame = pl.DataFrame({"age": ages, "zip": ["021**"] * rows, "ill": ["flu"] * rows})
    frame.write_parquet(desk / "many.parquet")
    code, audited = told(capsys, "many.parquet")
    assert code == 1
    assert audited["labels"][0]["unread_cells"] == rows
    assert [each["verdict"] for each in audited["promised"][0]["readings"]] == ["fails"] * 3


def test_many_patterns_of_hidden_cells_are_undecided_and_not_endless():
    rng = np.random.default_rng(2)
    names = [f"c{number}" for number in range(10)]
    cells = {name: rng.choice(["a", "b", "*"], 3000) for name in names}
    columns = {name: {"role": "quasi-identifier", "hierarchy": {"kind": "suppression"}} for name in names}
    found = openveil.audit({"columns": columns, "privacy": {"k-anonymity": {"k": 2}}}, pl.DataFrame(cells))
    assert [str(each.verdict) for each in found.promised[0].answers] == ["fails", "undecided", "undecided"]


def test_the_first_line_says_it_all(desk, capsys):
    (desk / "good.csv").write_bytes(table(*GOOD))
    assert main(["audit", "plan.toml", "good.csv"]) == 0
    assert capsys.readouterr().out.startswith(
        "The plan's promise holds under every reading, and no accident of weight"
    )
    (desk / "bad.csv").write_bytes(table(*GOOD, "30-39,021**,clerk,flu"))
    assert main(["audit", "plan.toml", "bad.csv"]) == 1
    assert capsys.readouterr().out.startswith("Do not rely on this release: it does not keep the plan's promise.")
    (desk / "open.csv").write_bytes(table(*GOOD, "*,021**,clerk,flu"))
    assert main(["audit", "plan.toml", "open.csv"]) == 1
    assert capsys.readouterr().out.startswith("Do not rely on this release: it does not keep")
    (desk / "unread.csv").write_bytes(table(*["29-20,021**,clerk,flu"] * 2))
    assert main(["audit", "plan.toml", "unread.csv"]) == 1
    assert capsys.readouterr().out.startswith("It is not decided whether this release can be relied on")


def test_the_page_says_what_the_terminal_says_and_is_never_written_over(desk, capsys):
    (desk / "bad.csv").write_bytes(table(*GOOD, "30-39,*,<b>,flu", header="age,zip,job,ill"))
    assert main(["audit", "plan.toml", "bad.csv", "--page", "audit.html"]) == 1
    said, page = capsys.readouterr().out, (desk / "audit.html").read_text()
    assert "<b>" not in page
    assert said.splitlines()[0].replace("'", "&#39;") in page
    for words in ("k-anonymity, k = 2", "wildcard", "labels that cannot be read", "not examined"):
        assert words in page
        assert words in said
    assert main(["audit", "plan.toml", "bad.csv", "--page", "audit.html"]) == 2
    assert "is already there" in capsys.readouterr().err


def test_how_a_release_is_written_can_be_said(desk, capsys):
    (desk / "two.csv").write_bytes(table(*[row.replace(",", "|") for row in GOOD], header="age|zip|job|ill"))
    assert main(["audit", "plan.toml", "two.csv", "--separator", "|", "--encoding", "ascii"]) == 0
    assert main(["audit", "plan.toml", "two.csv", "--separator", "x"]) == 2
    assert "--separator" in capsys.readouterr().err


def test_the_original_is_read_as_the_plan_says(desk, capsys):
    plan = '[input]\nseparator = ";"\n' + PLAN
    (desk / "plan.toml").write_text(plan)
    (desk / "original.csv").write_text("id;age;zip;job;ill\n1;21;02138;clerk;flu\n2;22;02139;clerk;cold\n")
    (desk / "release.csv").write_bytes(table(*GOOD))
    code, audited = told(capsys, "release.csv", "--original", "original.csv")
    assert (code, audited["compared_with_the_original"]) == (0, True)
    (desk / "original.csv").write_text("id;zip\n1;02138\n")
    assert main(["audit", "plan.toml", "release.csv", "--original", "original.csv"]) == 2
    assert "lacks quasi-identifiers of the plan: age, job" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["path", "polars", "pandas", "pyarrow"])
def test_from_python_a_path_or_any_frame_will_do(desk, kind):
    (desk / "release.csv").write_bytes(table(*GOOD))
    frame = pl.read_csv(desk / "release.csv", infer_schema=False)
    given = {"path": lambda: desk / "release.csv", "polars": lambda: frame, "pandas": frame.to_pandas}
    audited = openveil.audit("plan.toml", given.get(kind, frame.to_arrow)())
    assert audited.holds
    assert str(audited).startswith("The plan's promise holds")
    assert audited.as_json()["promised"][0]["readings"][0] == {
        "reading": "own value",
        "verdict": "holds",
        "reached": "k = 2",
    }


@pytest.mark.parametrize("method", ["samarati", "mondrian++", "hilb++r"])
def test_our_own_releases_are_read_back_and_hold(tmp_path, method):
    rng = np.random.default_rng(5)
    people = pl.DataFrame(
        {
            "age": rng.integers(20, 60, 300),
            "job": rng.choice(["clerk", "lawyer", "baker"], 300),
            "ill": rng.choice(["flu", "cold", "gout", "none"], 300),
        }
    )
    tree = {"Office": ["clerk", "lawyer"], "Craft": ["baker"]}
    plan = {
        "columns": {
            "age": {"role": "quasi-identifier", "hierarchy": {"kind": "intervals", "widths": [5, 10, 20]}},
            "job": {"role": "quasi-identifier", "hierarchy": {"kind": "taxonomy", "tree": tree}},
            "ill": {"role": "sensitive"},
        },
        "privacy": {"k-anonymity": {"k": 5}} if method == "samarati" else {"frequency-l-diversity": {"l": 2}},
        "method": {"name": method},
    }
    release = openveil.publish(people, plan)
    audited = openveil.audit(plan, release.data, original=people)
    assert {str(each.verdict) for each in audited.promised[0].answers} == {"holds"}
    assert all(column.unread_cells == 0 for column in audited.columns)
    found = {finding.name for finding in audited.findings if finding.verdict == "fails"}
    assert found <= {"interval ends that are somebody's value"}, "which methods that fit boxes to people do show"
    assert method != "samarati" or not found
