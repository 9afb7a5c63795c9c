"""From a table to what people read about its release, with the real pipeline."""

import json

import polars as pl

from openveil.report.page import render
from openveil.report.text import lines
from openveil.workflow.plan import Plan
from openveil.workflow.publish import publish, publish_files
from unit.report.reading import Read

ROWS = pl.DataFrame(
    {
        "name": [f"p{i}" for i in range(12)],
        "age": [21, 22, 23, 24, 25, 41, 42, 43, 44, 45, 46, 90],
        "<town>": ["A", "A", "A", "A", "A", "B", "B", "B", "B", "B", "B", "C"],
        "disease": ["flu", "cold"] * 6,
    }
)
COLUMNS = {
    "name": {"role": "identifier"},
    "age": {"role": "quasi-identifier", "hierarchy": {"kind": "suppression"}},
    "<town>": {"role": "quasi-identifier", "hierarchy": {"kind": "suppression"}},
    "disease": {"role": "sensitive"},
}
PLAN = {
    "columns": COLUMNS,
    "privacy": {"k-anonymity": {"k": 5}},
    "method": {"name": "samarati", "max_suppressed": 1},
}


def seen(plan, frame=ROWS):
    certificate = publish(frame, plan).certificate
    return Read(render(certificate)), lines(certificate)


def test_the_page_of_a_written_release(tmp_path):
    ROWS.write_csv(tmp_path / "in.csv")
    publish_files(Plan.from_dict({**PLAN, "input": {"path": "in.csv"}}, base=tmp_path))
    certificate = json.loads((tmp_path / "release" / "certificate.json").read_text())
    read = Read(render(certificate))
    assert read.faults == []
    assert "with at least 4 others. Asked for: k-anonymity, k = 5; smallest group measured on the" in read.text
    assert "written file: 5 rows, each taken for one person." in read.text
    assert "1 of 12 rows (8.3%) were left out" in read.text
    assert "<town> 0 of 1 as it was" in read.text
    assert "2 groups of 5 to 6 rows" in read.text
    assert certificate["file"]["sha256"] in read.text


def test_the_notebook_shows_the_same_verdict():
    published = publish(ROWS, PLAN)
    read = Read(published._repr_html_())
    assert read.faults == []
    assert read.first == lines(published.certificate)[0]


def test_no_value_of_a_person_is_in_the_page():
    read, _ = seen(PLAN)
    assert not [name for name in ROWS["name"] if name in read.text.split()]
    quasi = read.text.split("Outsiders may know (quasi-identifiers)")[1].split("Sensitive, published")[0]
    assert "name" not in quasi.split(", ")
    assert "Removed (identifiers, person numbers) name" in read.text


def test_an_unsafe_release_says_so_first():
    unsafe = {"privacy": {"mu-argus": {"k": 2}}, "method": {"name": "datafly", "max_suppressed": 1}}
    read, text = seen({**PLAN, **unsafe, "allow_unsafe": True})
    assert read.first.startswith("Not safe to release: the privacy model mu-argus")
    assert text[0] == read.first


def test_persons_are_counted_where_a_column_says_who_they_are():
    columns = {**COLUMNS, "name": {"role": "person"}}
    read, _ = seen({**PLAN, "columns": columns})
    assert "fewest persons in a group, measured before the person column was removed: 5" in read.text


def test_rows_kept_blank_are_not_said_to_be_left_out():
    ages, towns = [30] * 4 + [50] * 4 + [61, 72, 83], ["A"] * 4 + ["B"] * 4 + ["C", "D", "E"]
    frame = ROWS.head(11).with_columns(pl.Series("age", ages), pl.Series("<town>", towns))
    plan = {**PLAN, "privacy": {"k-anonymity": {"k": 3}}, "method": {"name": "samarati", "max_suppressed": 3}}
    read, _ = seen({**plan, "output": {"suppressed": "blank"}}, frame)
    assert "3 of 11 rows (27.3%) were kept without their characteristics" in read.text
    assert "3 groups of 3 to 4 rows" in read.text


def test_a_release_of_no_rows():
    plan = {**PLAN, "privacy": {"k-anonymity": {"k": 50}}, "method": {"name": "samarati", "max_suppressed": "100%"}}
    read, text = seen(plan)
    assert read.faults == []
    assert text[0].startswith("This table has no rows")
    assert "12 of 12 rows (100%) were left out" in read.text
    assert not [absurd for absurd in ("of 0 groups", "0 of 0", "0 published rows") if absurd in read.text]


def test_what_the_datafly_baseline_does_not_prove():
    read, _ = seen({**PLAN, "method": {"name": "datafly", "max_suppressed": 1}})
    assert "Not stated." in read.text


def test_the_page_says_what_groups_share_and_how_many_rows_are_unique():
    frame = ROWS.with_columns(disease=pl.Series(["flu"] * 5 + ["cold", "flu"] * 3 + ["rare"]))
    read, _ = seen(PLAN, frame)
    assert "In 1 of 2 groups everyone has the same disease: 5 rows." in read.text
    assert "0 of 11 published rows are unique on the columns published unchanged" in read.text


def test_the_page_and_the_lines_caution_about_rows_of_one_person():
    frame = ROWS.with_columns(name=pl.Series([f"p{i // 2}" for i in range(12)]))
    read, text = seen(PLAN, frame)
    caution = (
        "Caution: identifier column name repeats: 12 rows, 6 distinct values; if it says who the person is, give it "
        "the role 'person', otherwise k counts rows."
    )
    assert text[1] == caution
    assert caution in read.text
    assert "Caution" not in seen(PLAN)[0].text


def test_an_unsafe_hierarchy_would_be_told_first():
    certificate = publish(ROWS, PLAN).certificate
    assert certificate["hierarchies"]["age"] == {"kind": "suppression", "status": "proved", "parameters": {}}
    certificate["hierarchies"]["age"]["status"] = "known unsafe"
    assert Read(render(certificate)).first.startswith("Not safe to release: the hierarchy suppression of age")
