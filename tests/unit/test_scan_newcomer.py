"""Proposals for the tables a newcomer brings: keys that repeat, names and remarks, German headers, bands."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from openveil.core.errors import RequestError
from openveil.core.schema import Role
from openveil.workflow.advice import Advice
from openveil.workflow.plan import Plan
from openveil.workflow.proposal import Proposal
from openveil.workflow.scan import scan

ROWS = 600
WORDS = ("Amsel", "Drossel", "Fink", "Star", "Meise", "Zeisig", "Specht", "Kauz", "Rabe", "Elster")


def column(name: str, values: list[Any]) -> Advice:
    """The advice for a column beside a harmless one."""
    return scan(pl.DataFrame({name: values, "sex": (["f", "m"] * len(values))[: len(values)]})).columns[0]


def keys(distinct: int, rows: int = ROWS) -> list[int]:
    """Numbers given out one by one, with gaps; about half of the rows share theirs with another."""
    return [1000 + 37 * (row % distinct) for row in range(rows)]


@pytest.mark.parametrize(
    "name",
    ["MRN", "pid", "PatNr", "PATNR", "Fallnummer", "Patienten-ID", "patient_id", "subject", "Versichertennummer"],
)
@pytest.mark.parametrize("spelled", [int, lambda key: f"P{key:06}"])
def test_a_key_that_repeats_is_the_person_and_is_to_be_checked(name: str, spelled: Any) -> None:
    advice = column(name, [spelled(key) for key in keys(420)])
    assert (advice.role, advice.doubtful) == (Role.PERSON, True)


@pytest.mark.parametrize("name", ["key", "x17", "Nummer", "pseudonym"])
def test_a_key_is_told_by_its_values_too(name: str) -> None:
    advice = column(name, keys(420))
    assert (advice.role, advice.doubtful) == (Role.PERSON, True)
    assert "420" in advice.reason


@pytest.mark.parametrize("name", ["fnlwgt", "instance_weight", "encounter_id", "doctor_id", "Betrag"])
def test_what_is_no_number_of_a_person_stays_an_identifier(name: str) -> None:
    assert column(name, keys(420)).role is Role.IDENTIFIER


def test_a_key_without_repeats_is_an_identifier() -> None:
    assert column("MRN", keys(ROWS)).role is Role.IDENTIFIER


def test_of_several_keys_the_likeliest_is_the_person() -> None:
    frame = pl.DataFrame(
        {"x17": keys(420), "Fallnummer": [2 * key for key in keys(420)], "PatNr": keys(300), "sex": ["f", "m"] * 300}
    )
    roles = {advice.name: advice for advice in scan(frame).columns}
    assert [name for name, advice in roles.items() if advice.role is Role.PERSON] == ["PatNr"]
    for name in ("x17", "Fallnummer"):
        assert roles[name].role is Role.IDENTIFIER
        assert "PatNr" in roles[name].reason


@pytest.mark.parametrize(
    "columns",
    [
        {
            "Patienten-Nr": [*range(100, 100 + ROWS)],
            "Name": ["a", "b"] * 300,
            "Kosten": [f"{row} EUR" for row in range(ROWS)],
        },
        {"Patienten-Nr": keys(40), "Name": ["a", "b", "c"] * 200},
        {"Name": ["a"] * ROWS, "Nachname": ["a", "b"] * 300},
        {"Name": ["a", "b"] * 300, "Diagnose": [f"word{row}" for row in range(ROWS)]},
        {"Hausarzt": ["anna", "berta", "clara"] * 200, "Telefon": ["1", "2"] * 300},
    ],
)
def test_a_column_that_names_people_is_never_made_a_quasi_identifier(columns: Any) -> None:
    proposal = scan(pl.DataFrame(columns))
    assert Role.QUASI not in {advice.role for advice in proposal.columns}
    assert not {advice.role for advice in proposal.columns if "ame" in advice.name} - {Role.IDENTIFIER}
    assert "# No quasi-identifier found: every column seems to name people" in proposal.text
    with pytest.raises(RequestError, match="quasi-identifier"):
        Plan.from_dict(tomllib.loads(proposal.text))


def test_sensitive_is_never_said_to_be_withheld() -> None:
    proposal = scan(pl.DataFrame({"diagnosis": ["a", "b", "c"] * 20, "sex": ["f", "m"] * 30}))
    assert "nobody must learn" not in proposal.text
    said = "published as it is; what nobody should learn of a person"
    assert proposal.text.count(said) == 2


def pairs(count: int) -> list[str]:
    return [f"{WORDS[row % 10]} {WORDS[row // 10 % 10]}{'x' * (row // 100)}" for row in range(count)]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("Patient", WORDS),
        ("Hausarzt", WORDS[:3]),
        ("doctor", WORDS[:2]),
        ("Notiz", ["a", "b"]),
        ("Bemerkung", ["a", "b", None]),
        ("Bemerkungen", ["a", "b"]),
        ("note", ["a", "b"]),
        ("treatment_comment", ["a", "b"]),
        ("remark", ["a", "b"]),
        ("who", pairs(60)),
        ("contact2", [f"{one} {two}-{one}" for one in WORDS for two in WORDS]),
        ("said", [f"das hat {word.lower()} am {day} so erzählt" for word in WORDS for day in "abcdef"]),
        ("product name", [word + other.lower() for word in WORDS for other in WORDS[:4]]),
    ],
)
def test_names_and_free_text_are_removed_and_to_be_checked(name: str, values: Any) -> None:
    cells = [values[row % len(values)] for row in range(ROWS)]
    advice = column(name, cells)
    assert (advice.role, advice.doubtful) == (Role.IDENTIFIER, True)


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("Hauptdiagnose", ["I10", "E11", "J45"], Role.SENSITIVE),
        ("Nebendiagnosen", ["I10", "E11", "J45"], Role.SENSITIVE),
        ("Medikation", ["a", "b", "c"], Role.SENSITIVE),
        ("Dauermedikation", ["a", "b", "c"], Role.SENSITIVE),
        ("Lebensalter", list(range(20, 60)), Role.QUASI),
        ("member_of_a_labor_union", ["a", "b"], Role.SENSITIVE),
    ],
)
def test_german_names_are_understood(name: str, values: list[Any], role: Role) -> None:
    advice = column(name, [values[row % len(values)] for row in range(ROWS)])
    assert (advice.role, advice.doubtful) == (role, False)


def hierarchy(name: str, values: list[Any]) -> tuple[dict[str, Any], Proposal]:
    """What is proposed for a column, once it was found to cover every value."""
    frame = pl.DataFrame({name: values, "sex": (["f", "m"] * len(values))[: len(values)]})
    proposal = scan(frame)
    mapping = tomllib.loads(proposal.text)
    Plan.from_dict(mapping).rules[name].bind(name, frame[name].unique(), missing=False)
    written: dict[str, Any] = mapping["columns"][name]["hierarchy"]
    return written, proposal


@pytest.mark.parametrize(
    ("values", "written"),
    [
        (["27.09.1964 10:30", "02.01.1965 23:59"], "%d.%m.%Y %H:%M"),
        (["27.09.1964 10:30:00", "02.01.1965 23:59:59"], "%d.%m.%Y %H:%M:%S"),
        (["1964-09-27T10:30:00", "1965-01-02T23:59:59"], "%Y-%m-%dT%H:%M:%S"),
        (["27.09.1964", "02.01.1965"], "%d.%m.%Y"),
    ],
)
def test_dates_with_a_time_are_dates(values: list[str], written: str) -> None:
    found, _ = hierarchy("Aufnahme", values * 30)
    assert (found["kind"], found["format"]) == ("dates", written)


@pytest.mark.parametrize(
    "values",
    [
        [f"[{ten}-{ten + 10})" for ten in range(0, 100, 10)],
        [f"{ten} to {ten + 9}" for ten in range(10, 90, 10)],
        [f"{ten}-{ten + 9}" for ten in range(10, 60, 10)] + ["60+"],
        ["18-25", "26-64", ">65"],
    ],
)
def test_ordered_groups_are_joined(values: list[str]) -> None:
    found, proposal = hierarchy("age", values * 9)
    assert found["kind"] == "ordering"
    assert "order" not in found
    assert not any(value in proposal.text for value in values)


@pytest.mark.parametrize(
    "values", [["<18", "18-25", ">65"], ["0-4", "5-9", "10-14"], [f"[{ten}-{ten + 10})" for ten in range(0, 120, 10)]]
)
def test_groups_in_another_order_than_their_text_need_the_order(values: list[str]) -> None:
    found, proposal = hierarchy("age", values * 9)
    assert found["kind"] == "suppression"
    assert all(word in proposal.text for word in ('kind = "ordering"', "order = [", "taxonomy"))


@pytest.mark.parametrize("values", [list(range(20, 29)), ["20", "21", "107"], ["1.5", "2.25", "3.50"]])
def test_numbers_are_never_joined_by_order(values: list[Any]) -> None:
    found, _ = hierarchy("age", values * 9)
    assert found["kind"] != "ordering"


@pytest.mark.parametrize("values", [[2138, 94142, 2139], [501, 2138, 94142], ["2138", "94142", "2139"]])
def test_lost_zeros_of_postal_codes_are_given_back(values: list[Any]) -> None:
    found, proposal = hierarchy("zip", values * 20)
    assert found == {"kind": "masking", "side": "right", "pad_to": 5}
    assert "leading zeros" in proposal.text


@pytest.mark.parametrize("values", [[12138, 94142], ["02138", "94142"], [1010, 1020]])
def test_other_postal_codes_are_masked_as_they_are(values: list[Any]) -> None:
    assert "pad_to" not in hierarchy("zip", values * 20)[0]


def scanned(folder: Path, text: str, **settings: Any) -> tuple[dict[str, Any], str]:
    (folder / "table.csv").write_text(text, encoding="utf-8")
    proposed = scan(folder / "table.csv", "table.csv", **settings).text
    return tomllib.loads(proposed), proposed


def semicolons(weights: list[str]) -> str:
    return "weight;sex\n" + "".join(f"{weights[row % len(weights)]};{'fm'[row % 2]}\n" for row in range(90))


def test_a_decimal_comma_is_detected(tmp_path: Path) -> None:
    text = semicolons([f"{kilos},{row}" for row, kilos in enumerate(range(50, 59), 1)])
    plan, said = scanned(tmp_path, text)
    assert plan["input"]["decimal"] == ","
    assert plan["columns"]["weight"]["hierarchy"]["kind"] == "intervals"
    assert "decimal comma" in said
    assert "decimal" not in scanned(tmp_path, text, decimal=".")[0]["input"]


@pytest.mark.parametrize("extra", [[], ["k.A."], ["unbekannt"]])
def test_decimal_commas_with_as_many_decimals_everywhere_are_numbers(extra: list[str], tmp_path: Path) -> None:
    plan, said = scanned(tmp_path, semicolons([*(f"{euros},{euros % 10}0" for euros in range(50, 80)), *extra]))
    assert plan["columns"]["weight"]["hierarchy"]["kind"] == "intervals"
    assert plan["input"].get("missing", []) == extra
    assert "stay text" not in said


@pytest.mark.parametrize("weights", [["36.224,57", "1.000,20"], ["36,224", "51,000"], ["1.234.567", "2.345.678"]])
def test_marks_of_thousands_are_told(tmp_path: Path, weights: list[str]) -> None:
    plan, said = scanned(tmp_path, semicolons(weights))
    assert "decimal" not in plan["input"]
    assert "marks of thousands" in said


def test_points_and_commas_in_one_file_leave_the_mark_open(tmp_path: Path) -> None:
    text = "weight;height\n" + "".join(f"5{row % 9},5;1.{row % 9 + 1}\n" for row in range(90))
    plan, said = scanned(tmp_path, text)
    assert "decimal" not in plan["input"]
    assert "decimal comma" in said


def table(name: str, values: list[Any], other: str = "sex", others: Any = "fm") -> str:
    """A file with two columns, whose values repeat."""
    cells = (f"{values[row % len(values)]};{others[row % len(others)]}\n" for row in range(ROWS))
    return f"{name};{other}\n" + "".join(cells)


AGES = list(range(18, 90))


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        (table("Ort", ["Ulm", "k.A.", "Kiel", "k. A."]), ["k.A.", "k. A."]),
        (table("Ort", ["Ulm", "keine Angabe", "o.A."]), []),
        (table("Alter", [*AGES, "keine Angabe"]), ["keine Angabe"]),
        (table("Alter", [*AGES, -99]), ["-99"]),
        (table("Alter", [*AGES, -999], "Tage", AGES), ["-999"]),
        (table("Alter", [*AGES, -99, -1]), []),
        (table("Alter", [*AGES, -98]), []),
        (table("Kosten", [*range(0, 90_000, 1000), -99]), []),
        (table("Alter", [*AGES, -99], "Saldo", [-99, -50, 20, 70]), []),
        (table("Kilo", [*(age + 0.5 for age in AGES), -99]), []),
    ],
)
def test_more_spellings_of_not_known_are_declared(text: str, missing: list[str], tmp_path: Path) -> None:
    plan, _ = scanned(tmp_path, text)
    assert plan["input"].get("missing", []) == missing


def test_a_number_that_may_mean_not_known_is_told_where_it_is_not_declared(tmp_path: Path) -> None:
    assert "8 cells hold -99" in scanned(tmp_path, table("Kilo", [*(age + 0.5 for age in AGES), -99]))[1]
    assert "cells hold -99" in scan(pl.DataFrame({"Alter": [*AGES, -99] * 5})).text
    assert "cells hold" not in scanned(tmp_path, table("Kosten", [*range(0, 90_000, 1000), -99]))[1]


DAYS = [f"{day:02}.0{month}.1950" for day in range(1, 29) for month in range(1, 6)]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([*DAYS, "Zeisig"], "1 are dates written %d.%m.%Y"),
        ([*AGES, "Zeisig", "Kauz"], "2 are numbers"),
        ([*(f"{age},50" for age in AGES), "Zeisig"], "1 are numbers with a decimal comma"),
    ],
)
def test_values_that_are_nearly_all_alike_are_told_and_never_shown(
    values: list[Any], kind: str, tmp_path: Path
) -> None:
    said = scanned(tmp_path, table("x", values))[1]
    assert f"All distinct values but {kind}. If what remains means 'not known'" in said
    assert not any(word in said for word in ("Zeisig", "Kauz"))


@pytest.mark.parametrize("values", [[*AGES, *WORDS[:3]], [*range(9), "a"], AGES, [*AGES, "k.A."]])
def test_other_columns_are_not_told_to_be_nearly_alike(values: list[Any], tmp_path: Path) -> None:
    assert "All distinct values but" not in scanned(tmp_path, table("x", values))[1]


def test_a_plan_says_how_an_editor_can_help() -> None:
    text = scan(pl.DataFrame({"sex": ["f", "m"]})).text
    assert text.startswith("#:schema plan.schema.json\n")
    assert "openveil schema > plan.schema.json" in text
