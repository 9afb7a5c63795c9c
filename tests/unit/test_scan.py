"""Proposals: roles judged as a data steward would, a plan that is valid, and no cell in it."""

from __future__ import annotations

import tomllib
from datetime import date, time
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openveil.core.errors import RequestError
from openveil.core.schema import Role
from openveil.io.read import Source, read
from openveil.workflow.plan import Plan
from openveil.workflow.scan import scan
from openveil.workflow.taking import bind
from openveil.workflow.widths import widths_for

ROWS = 60


def column(name: str, values: list[Any]) -> pl.DataFrame:
    """A table with the column and a harmless one."""
    return pl.DataFrame({name: values, "sex": ["f", "m"] * (len(values) // 2) + ["f"] * (len(values) % 2)})


def repeated(*values: Any) -> list[Any]:
    return [values[row % len(values)] for row in range(ROWS)]


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("surname", repeated("a", "b"), Role.IDENTIFIER),
        ("contact", [f"p{row}@example.org" for row in range(ROWS)], Role.IDENTIFIER),
        ("call", [f"+49 30 12345{row:02}" for row in range(ROWS)], Role.IDENTIFIER),
        ("remark", [f"text number {row}" for row in range(ROWS)], Role.IDENTIFIER),
        ("running", list(range(ROWS)), Role.IDENTIFIER),
        ("encounter_id", [7 * row for row in range(ROWS)], Role.IDENTIFIER),
        ("patient_nbr", repeated(*range(100, 140)), Role.PERSON),
        ("PatientID", repeated(*range(100, 140)), Role.PERSON),
        ("patient_nbr", [11 * row for row in range(ROWS)], Role.IDENTIFIER),
        ("num_persons_worked", [row % 3 for row in range(400)], Role.QUASI),
        ("diagnosis", repeated("a", "b", "c"), Role.SENSITIVE),
        ("Income", repeated(1, 2, 3), Role.SENSITIVE),
        ("HIV", repeated("yes", "no"), Role.SENSITIVE),
        ("religion", repeated("a", "b"), Role.SENSITIVE),
        ("metformin", repeated("No", "Up"), Role.SENSITIVE),
        ("age", repeated(*range(18, 48)), Role.QUASI),
        ("colour", repeated("a", "b", "c"), Role.QUASI),
        ("constant", repeated("a"), Role.OTHER),
        ("nothing", [None] * ROWS, Role.OTHER),
        ("at", repeated(time(8), time(9)), Role.IDENTIFIER),
    ],
)
def test_roles(name: str, values: list[Any], role: Role) -> None:
    assert scan(column(name, values)).columns[0].role is role


@pytest.mark.parametrize(
    ("name", "values", "kind"),
    [
        ("zip", repeated("02138", "02139", "02141"), "masking"),
        ("area", repeated("02138", "12139", "92141"), "masking"),
        ("born", repeated(date(1964, 9, 27), date(1965, 1, 2)), "dates"),
        ("born", repeated("1964-09-27", "1965-01-02"), "dates"),
        ("seen", repeated("27.09.1964", "02.01.1965"), "dates"),
        ("age", repeated(*range(18, 48)), "intervals"),
        ("height", repeated(1.71, 1.8, 1.65), "intervals"),
        ("height", repeated("1.71", "1.80", "1.65"), "intervals"),
        ("job_code", repeated(*range(40)), "suppression"),
        ("town", repeated("a", "b"), "suppression"),
    ],
)
def test_hierarchies(name: str, values: list[Any], kind: str) -> None:
    frame = column(name, values)
    plan = tomllib.loads(scan(frame).text)
    assert plan["columns"][name]["hierarchy"]["kind"] == kind
    rule = Plan.from_dict(plan).rules[name]
    assert rule.bind(name, frame[name].unique(), missing=False).height >= 1


def test_of_two_columns_that_say_the_same_one_is_removed() -> None:
    levels = {"low": 1, "some": 2, "more": 3, "most": 4, "all": 5}
    words = repeated(*levels)
    frame = pl.DataFrame({"education-num": [levels[word] for word in words], "education": words})
    assert [advice.role for advice in scan(frame).columns] == [Role.IDENTIFIER, Role.QUASI]


def test_there_is_always_a_quasi_identifier_and_at_most_one_person() -> None:
    ids = repeated(*range(40))
    proposal = scan(pl.DataFrame({"patient_id": ids, "member_id": [2 * each for each in ids], "income": ids}))
    roles = [advice.role for advice in proposal.columns]
    assert roles.count(Role.PERSON) == 1
    assert Role.QUASI in roles
    Plan.from_dict(tomllib.loads(proposal.text))


def test_a_row_of_data_is_not_taken_for_names() -> None:
    frame = pl.DataFrame({"39": [50, 38], "Bachelors": ["Bachelors", "HS-grad"], "Kanarienvogel": ["x", "y"]})
    with pytest.raises(RequestError, match="first line") as caught:
        scan(frame)
    assert "Kanarienvogel" not in str(caught.value)


def test_a_table_without_rows_is_refused() -> None:
    with pytest.raises(RequestError, match="no rows"):
        scan(pl.DataFrame({"a": []}))


def test_odd_names_are_quoted(tmp_path: Path) -> None:
    names = ['a "b"', "c\nd", "e.f", "", "g'\\h", "\x7f"]
    frame = pl.DataFrame({name or "blank": repeated("x", "y") for name in names})
    (tmp_path / "plan.toml").write_text(scan(frame, 'odd "file" \\.csv').text, encoding="utf-8")
    plan = Plan.from_toml(tmp_path / "plan.toml")
    assert list(plan.columns) == frame.columns


def test_no_cell_appears_in_a_plan() -> None:
    cells = {
        "town": repeated("Kanarienvogel", "Zeisig"),
        "who": [f"Kanarienvogel {row}" for row in range(ROWS)],
        "age": repeated(*range(7919, 7969)),
        "zip": repeated("79190", "79191"),
        "born": repeated(date(1919, 7, 9), date(1919, 7, 10)),
        "income": repeated(79.19, 791.9),
    }
    text = scan(pl.DataFrame(cells)).text
    assert not any(canary in text for canary in ("Kanarienvogel", "Zeisig", "7919", "7968", "79.19", "1919"))


def declared(folder: Path, columns: dict[str, list[Any]]) -> list[str]:
    """The spellings of 'not known' that the plan proposed for a file with these columns declares."""
    pl.DataFrame(columns).write_csv(folder / "table.csv")
    plan = tomllib.loads(scan(folder / "table.csv", "table.csv").text)
    missing: list[str] = plan["input"].get("missing", [])
    return missing


@pytest.mark.parametrize(
    ("columns", "marks"),
    [
        ({"age": repeated("18", "25", "?")}, ["?"]),
        ({"born": repeated("1964-09-27", "NA", " n/a ")}, ["NA", "n/a"]),
        ({"seen": repeated("27.09.1964", "-", "unknown")}, ["-", "unknown"]),
        ({"town": repeated("a", "b", "?")}, ["?"]),
        ({"town": repeated("a", "b", "unknown", "-")}, []),
        ({"town": repeated("a", "unknown"), "age": repeated("18", "unknown")}, ["unknown"]),
        ({"rhesus": repeated("+", "-"), "age": repeated("18", "-")}, []),
        ({"country": repeated("DE", "FR", "NA"), "age": repeated("18", "NA")}, []),
        ({"state": repeated("CA", "NY", "NA"), "age": repeated("18", "NA")}, ["NA"]),
        ({"town": repeated("a", "b")}, []),
    ],
)
def test_marks_of_not_known_are_declared(columns: dict[str, list[Any]], marks: list[str], tmp_path: Path) -> None:
    assert declared(tmp_path, {**columns, "sex": repeated("f", "m")}) == marks


def test_a_column_is_judged_as_the_plan_will_have_it_read(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text(
        "age,sex\n" + "".join(f"{age},f\n" for age in repeated("18", "33", "?", "61"))
    )
    plan = Plan.from_dict(tomllib.loads(scan(tmp_path / "table.csv", "table.csv").text))
    hierarchy = plan.columns["age"].hierarchy
    assert hierarchy is not None
    assert hierarchy.part.name == "intervals"


def test_where_marks_cannot_be_declared_they_are_values() -> None:
    proposal = scan(column("height", repeated("171", "180", "?")))
    plan = tomllib.loads(proposal.text)
    assert plan["columns"]["height"]["hierarchy"]["kind"] == "suppression"
    assert "20 cells seem to mean 'not known'" in proposal.text


def test_infinite_numbers_have_no_intervals() -> None:
    plan = tomllib.loads(scan(column("height", [*map(float, repeated(*range(40))), float("inf")])).text)
    assert plan["columns"]["height"]["hierarchy"]["kind"] == "suppression"


CELLS = st.one_of(
    st.integers(0, 99).map(str),
    st.sampled_from(
        ["1.50", "0.7", "1,5", "+3", ".5", "1e3", "007", "02139", "inf", "-4", "02*", "12345678901234567890" * 2]
    ),
    st.dates().map(str),
    st.sampled_from(["27.09.1964", "31/12/1999", "12/31/1999", "27.09.64", "20190101", "0064-01-01"]),
    st.sampled_from(["?", "NA", "n/a", "-", "+", ".", "unknown", "None", " ? ", "nan", "", "word", "DE", "a@b.de"]),
)
KINDS = st.one_of(st.lists(CELLS, min_size=1, max_size=4), st.lists(CELLS, min_size=30, max_size=60))


@given(
    st.lists(KINDS, min_size=1, max_size=4),
    st.lists(st.sampled_from(["age", "born", "zip", "height", "country", "x"]), min_size=4, max_size=4, unique=True),
)
def test_what_is_proposed_covers_every_cell(
    tmp_path_factory: pytest.TempPathFactory, columns: list[list[str]], names: list[str]
) -> None:
    texts = {name: repeated(*cells) for name, cells in zip(names, columns, strict=False)}
    # An empty text in a data frame is no cell that any hierarchy takes: in a file it is a missing one.
    frame = pl.DataFrame({**texts, "sex": repeated("f", "m")}).with_columns(pl.all().replace("", None))
    file = tmp_path_factory.mktemp("covered") / "table.csv"
    frame.write_csv(file)
    for table, name in ((frame, ""), (file, "table.csv")):
        plan = Plan.from_dict(tomllib.loads(scan(table, name).text))
        cells = read(plan.input.source(file.parent)) if plan.input else frame
        schema = plan.schema_for(cells.columns)
        assert len(bind(cells, schema, plan)) == len(schema.named(Role.QUASI))


def test_the_settings_of_a_source_are_in_its_plan(tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    file.write_bytes("Größe;Maß\n1,5;Øst\n2,5;Øst\n".encode("latin-1"))
    text = scan(Source(file, ";", "latin-1", ",", ("k. A.",)), "table.csv").text
    assert tomllib.loads(text)["input"] == {
        "path": "table.csv",
        "separator": ";",
        "encoding": "latin-1",
        "decimal": ",",
        "missing": ["k. A."],
    }


@given(st.floats(min_value=1e-12, max_value=1e15), st.booleans())
def test_widths_are_round_nested_and_below_the_spread(spread: float, whole: bool) -> None:
    widths = widths_for(spread, whole=whole)
    assert all(width < Decimal(spread) for width in widths)
    assert all(width.normalize().as_tuple().digits in {(1,), (2,), (5,)} for width in widths)
    assert all(coarse % fine == 0 and coarse > fine for fine, coarse in pairwise(widths))
    assert not whole or all(width == int(width) for width in widths)


@pytest.mark.parametrize("spread", [0.0, -1.0, float("inf"), float("nan")])
def test_no_spread_no_widths(spread: float) -> None:
    assert widths_for(spread, whole=False) == ()


TRUTH = {
    "adult": {
        "identifier": "fnlwgt education-num",
        "sensitive": "capital-gain capital-loss salary-class",
        "quasi-identifier": "age workclass education marital-status relationship race sex native-country",
    },
    "census_income_kdd": {
        "identifier": "instance_weight",
        "sensitive": "wage_per_hour member_of_a_labor_union reason_for_unemployment capital_gains",
        "quasi-identifier": "age education marital_stat race hispanic_origin sex country_of_birth_self citizenship",
    },
    "diabetes130": {
        "identifier": "encounter_id",
        "person": "patient_nbr",
        "sensitive": "diag_1 diag_2 diag_3 max_glu_serum A1Cresult readmitted",
        "quasi-identifier": "race gender age weight admission_type_id time_in_hospital payer_code",
    },
}


@pytest.mark.parametrize("table", TRUTH)
def test_real_tables_are_judged_as_their_descriptions_do(table: str, shared: Path) -> None:
    proposal = scan(shared / "data" / f"{table}.parquet", f"{table}.parquet")
    roles = {advice.name: str(advice.role) for advice in proposal.columns}
    for role, names in TRUTH[table].items():
        assert {name: roles[name] for name in names.split()} == dict.fromkeys(names.split(), role)
    Plan.from_dict(tomllib.loads(proposal.text)).check_columns(roles)
