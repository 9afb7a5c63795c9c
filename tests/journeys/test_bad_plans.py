"""Plans that are wrong: one clear error in the right place, exit code 2, and nothing on the disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from openveil.cli.main import main

CANARY = "Kanarienvogel"
PEOPLE = "name,age,town,illness\n" + "".join(f"{CANARY} {row},{row},{CANARY},{CANARY}\n" for row in range(30))
GOOD = """\
[input]
path = "people.csv"
[columns.name]
role = "identifier"
[columns.age]
role = "quasi-identifier"
hierarchy = { kind = "intervals", widths = [5, 10] }
[columns.town]
role = "quasi-identifier"
hierarchy = { kind = "suppression" }
[columns.illness]
role = "sensitive"
[privacy]
k-anonymity = { k = 3 }
[method]
name = "samarati"
[output]
folder = "release"
"""
AGE = 'hierarchy = { kind = "intervals", widths = [5, 10] }'
MODEL = "k-anonymity = { k = 3 }"
DIVERSITY = "frequency-l-diversity = { l = 2 }"
METHOD = 'name = "samarati"'


def _preferring(policy: str, place: str, *hints: str) -> tuple[str, str, tuple[str, ...]]:
    """A plan with this preference, and what is said of it."""
    return METHOD, f"{METHOD}\nprefer = {{ policy = {policy} }}", (f"plan: method.{place}", *hints)


# What is replaced in the good plan, by what, and what the error has to say.
MISTAKES: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "not TOML": ("[input]", "[input", ("not valid TOML", "line 1")),
    "cell in broken TOML": (AGE, f"hierarchy = {CANARY}", ("not valid TOML", "line 7, column")),
    "a key twice": ('path = "people.csv"', 'path = "people.csv"\npath = "b"', ("not valid TOML", "line 3")),
    "nothing at all": (GOOD, "", ("plan: columns", "plan: privacy")),
    "unknown section": ("[output]", "[outputs]", ("plan: outputs", "Did you mean 'output'?")),
    "unknown key of a column": ("role = ", "rolle = ", ("plan: columns.name.rolle", "Did you mean 'role'?")),
    "unknown key of input": ("path = ", "seperator = ';'\npath = ", ("plan: input.seperator", "'separator'")),
    "unknown role": ('"identifier"', '"quasi"', ("plan: columns.name.role", "Did you mean 'quasi-identifier'?")),
    "role of a wrong type": ('"identifier"', "7", ("plan: columns.name.role",)),
    "no role": ('role = "sensitive"', "", ("plan: columns.illness.role", "is missing")),
    "column is no table": ("[columns.name]\nrole", "[columns]\nname", ("plan: columns.name", "table of keys")),
    "no quasi-identifier": ("quasi-identifier", "sensitive", ("plan: columns", "quasi-identifier")),
    "two persons": ('"identifier"', '"person"\n[columns.other]\nrole = "person"', ("at most one", "'person'")),
    "no hierarchy": (AGE, "", ("plan: columns.age", "needs a hierarchy", "suppression")),
    "hierarchy where none belongs": ('"sensitive"', f'"sensitive"\n{AGE}', ("plan: columns.illness.hierarchy",)),
    "weight where none belongs": ('"sensitive"', '"sensitive"\nweight = 2', ("plan: columns.illness.weight",)),
    "weight of nothing": (AGE, f"{AGE}\nweight = 0", ("plan: columns.age.weight", "more than 0")),
    "infinite weight": (AGE, f'{AGE}\nweight = "infinite"', ("plan: columns.age.weight",)),
    "hierarchy is a word": (AGE, 'hierarchy = "intervals"', ("plan: columns.age.hierarchy", "kind")),
    "hierarchy without a kind": ('kind = "intervals", ', "", ("plan: columns.age.hierarchy.kind", "is missing")),
    "unknown kind": ('"intervals"', '"interval"', ("plan: columns.age.hierarchy.kind", "'intervals'")),
    "no widths": (", widths = [5, 10]", "", ("plan: columns.age.hierarchy.widths", "is missing")),
    "unknown parameter": ("widths", "width", ("plan: columns.age.hierarchy.width", "Did you mean 'widths'?")),
    "widths as words": ("[5, 10]", '["5"]', ("plan: columns.age.hierarchy.widths[0]", "number")),
    "widths that do not nest": ("[5, 10]", "[5, 12]", ("plan: columns.age.hierarchy", "12")),
    "cell among the widths": ("[5, 10]", f'["{CANARY}"]', ("plan: columns.age.hierarchy.widths[0]", "a text")),
    "hierarchy file that is not there": (AGE, 'hierarchy = {kind = "file", file = "h.csv"}', ("h.csv",)),
    "no model": (MODEL, "", ("plan: privacy", "k-anonymity = { k = 5 }")),
    "two models, both wrong": (
        MODEL,
        f'k-anonymity = {{ k = "five" }}\n{DIVERSITY.replace("2", "0")}',
        ("plan: privacy.k-anonymity.k", "plan: privacy.frequency-l-diversity", "l must be a positive"),
    ),
    "diversity of nothing": (
        f'role = "sensitive"\n[privacy]\n{MODEL}',
        f'role = "other"\n[privacy]\n{DIVERSITY}',
        ("plan: columns", "no column has the role 'sensitive'"),
    ),
    "a method that looks at quasi-identifiers alone": (
        MODEL,
        DIVERSITY,
        ("plan: method", "cannot promise frequency-l-diversity", "mondrian++"),
    ),
    "k-anonymity of buckets": (METHOD, 'name = "anatomy"', ("plan: method.scheme", "k-anonymity cannot hold")),
    "a column called as one of ours": (
        METHOD,
        'name = "anatomy"\n[columns.group]\nrole = "other"',
        ("plan: columns.group", "bucketisation adds"),
    ),
    "unknown model": ("k-anonymity", "k-anonimity", ("plan: privacy.k-anonimity", "Did you mean 'k-anonymity'?")),
    "k as a word": ("k = 3", 'k = "five"', ("plan: privacy.k-anonymity.k", "whole number")),
    "k with decimals": ("k = 3", "k = 3.5", ("plan: privacy.k-anonymity.k", "whole number")),
    "k true": ("k = 3", "k = true", ("plan: privacy.k-anonymity.k", "whole number")),
    "k negative": ("k = 3", "k = -3", ("plan: privacy.k-anonymity", "positive")),
    "no k": ("{ k = 3 }", "{}", ("plan: privacy.k-anonymity.k", "is missing")),
    "model is a number": ("{ k = 3 }", "3", ("plan: privacy.k-anonymity", "table")),
    "unsafe model": ("k-anonymity", "mu-argus", ("known to be unsafe", "allow_unsafe = true")),
    "allow_unsafe as a word": ("[input]", 'allow_unsafe = "yes"\n[input]', ("plan: allow_unsafe", "true or false")),
    "unknown method": (METHOD, 'name = "samarty"', ("plan: method.name", "Did you mean 'samarati'?")),
    "method without a name": (METHOD, "max_suppressed = 1", ("plan: method.name", "is missing")),
    "suppression of more than all": (METHOD, f'{METHOD}\nmax_suppressed = "120%"', ("plan: method",)),
    "suppression as a list": (METHOD, f"{METHOD}\nmax_suppressed = [1]", ("plan: method.max_suppressed",)),
    "suppression of a number too long": (
        METHOD,
        f'{METHOD}\nmax_suppressed = "{"9" * 5000}"',
        ("plan: method.max_suppressed", "whole number of rows"),
    ),
    "number too long": (METHOD, f"{METHOD}\nmax_suppressed = {'9' * 5000}", ("plan 'plan.toml'", "fewer digits")),
    "unknown preference": (
        METHOD,
        f'{METHOD}\nprefer = "minimum-supression"',
        ("plan: method.prefer", "Did you mean 'minimum-suppression'?"),
    ),
    "preference of a wrong type": (METHOD, f"{METHOD}\nprefer = {{ policy = 3 }}", ("plan: method.prefer",)),
    "costs as a list": _preferring('"attribute-cost", costs = ["age"]', "prefer.costs", "table of keys"),
    "costs as a text": _preferring('"attribute-cost", costs = "age"', "prefer.costs", "table of keys"),
    "cost of a word": _preferring('"attribute-cost", costs = { age = "much" }', "prefer.costs", "numbers such as 2"),
    "cost that is enormous": _preferring('"attribute-cost", costs = { age = "1e999999999" }', "prefer.costs"),
    "order as a text": _preferring('"attribute-order", keep = "age"', "prefer.keep", "must be a list"),
    "order of numbers": _preferring('"attribute-order", keep = [1]', "prefer.keep[0]", "must be a text"),
    "no order": _preferring('"attribute-order"', "prefer.keep", "is missing"),
    "unknown parameter of a preference": _preferring(
        '"attribute-order", kep = ["age"]', "prefer.kep", "Did you mean 'keep'?"
    ),
    "preference without parameters": _preferring(
        '"minimum-information-loss", keep = ["age"]', "prefer", "no parameters"
    ),
    "pad_to beyond reason": (
        'kind = "suppression"',
        'kind = "masking", pad_to = 100000',
        ("plan: columns.town.hierarchy", "`pad_to` must be at most 100"),
    ),
    **{
        f"taxonomy {depth} deep": (
            'kind = "suppression"',
            f'kind = "taxonomy", tree = {"{ a = " * depth}["x"]{" }" * depth}',
            ("levels", *hints),
        )
        for depth, hints in {
            100: ("more than 100",),
            180: ("plan: columns.town.hierarchy", "nested too deeply"),
            250: ("plan: columns.town.hierarchy", "nested too deeply"),
            900: ("plan 'plan.toml'", "nested too deeply"),
        }.items()
    },
    "unknown format": ('"release"', '"release"\nformat = "xls"', ("plan: output.format", "csv, parquet, arrow")),
    "unknown suppression": ('"release"', '"release"\nsuppressed = "dropp"', ("plan: output.suppressed", "'drop'")),
    "folder without a name": ('"release"', '""', ("plan: output.folder", "empty")),
    "separator of three": ("path = ", "separator = ';;;'\npath = ", ("plan: input.separator",)),
    "unknown encoding": ("path = ", "encoding = 'utf-9'\npath = ", ("plan: input.encoding",)),
    "unknown decimal mark": ("path = ", "decimal = ';'\npath = ", ("plan: input.decimal",)),
    "missing as a word": ("path = ", "missing = '?'\npath = ", ("plan: input.missing", "list")),
    "no path": ('path = "people.csv"', "", ("plan: input", "names no file")),
    "no input": ('[input]\npath = "people.csv"', "", ("plan: input", "names no file")),
    "input that is not there": ("people.csv", "peple.csv", ("peple.csv",)),
    "column without a role": (
        '[columns.town]\nrole = "quasi-identifier"\nhierarchy = { kind = "suppression" }',
        "",
        ("plan: columns", "1 column of the file has no role: town"),
    ),
    "column that is not there": ("[columns.illness]", "[columns.ilness]", ("plan: columns.ilness", "'illness'")),
    "intervals of words": (
        'hierarchy = { kind = "suppression" }',
        'hierarchy = { kind = "intervals", widths = [5] }',
        ("'town'", "1 of 1"),
    ),
}


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "people.csv").write_text(PEOPLE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(capsys: pytest.CaptureFixture[str], plan: str = "plan.toml") -> str:
    """What is said about a plan that must be refused."""
    before = set(Path().rglob("*"))
    assert main(["publish", plan]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "Traceback" not in captured.err
    assert CANARY not in captured.err
    assert "  > " in captured.err, "an error has to say the way out"
    assert set(Path().rglob("*")) == before
    return captured.err


def test_the_good_plan_is_good(desk: Path) -> None:
    (desk / "plan.toml").write_text(GOOD)
    assert main(["publish", "plan.toml"]) == 0


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_in_its_place(desk: Path, capsys: pytest.CaptureFixture[str], mistake: str) -> None:
    right, wrong, hints = MISTAKES[mistake]
    assert right in GOOD
    (desk / "plan.toml").write_text(GOOD.replace(right, wrong))
    told = refused(capsys)
    assert [hint for hint in hints if hint not in told] == [], told


@pytest.mark.parametrize("line", [f"39,{CANARY},{CANARY} 2,age", f"39,town,{CANARY},age", "name,39,41,x"])
def test_a_file_without_its_header_line_shows_no_cell(
    desk: Path, capsys: pytest.CaptureFixture[str], line: str
) -> None:
    (desk / "plan.toml").write_text(GOOD)
    (desk / "people.csv").write_text(PEOPLE.replace("name,age,town,illness", line))
    told = refused(capsys)
    assert not {"39", "41"} & set(told.replace(",", " ").split())
    assert "found 4 columns" in told
    assert "If the file has no line of column names, add one" in told


def test_a_plan_that_is_not_there(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "no such file" in refused(capsys)


def test_a_plan_that_is_a_folder(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (desk / "plan.toml").mkdir()
    assert "is a folder" in refused(capsys)


def test_a_plan_that_is_not_text(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (desk / "plan.toml").write_bytes(GOOD.encode("utf-16"))
    assert "UTF-8" in refused(capsys)


def test_the_table_given_as_its_own_plan(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "not valid TOML at line 1" in refused(capsys, "people.csv")


def test_every_mistake_of_a_plan_is_told_at_once(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = GOOD.replace("widths", "width").replace("k = 3", "k = 0").replace('"sensitive"', '"sensible"')
    (desk / "plan.toml").write_text(plan.replace("samarati", "datafyl"))
    told = refused(capsys)
    assert told.startswith("This cannot be done as asked: 5 problems.")
    assert all(
        f"{place}\n" in told for place in ("hierarchy.width", "hierarchy.widths", "illness.role", "method.name")
    )
