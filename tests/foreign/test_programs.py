"""What do real programs of others write, does the audit read it, and what do they give away to who knows them?"""

from fractions import Fraction
from itertools import permutations

import numpy as np
import polars as pl
import pytest

import openveil
from openveil.workflow.audit import columns, ends, order

ZIP = ["1301", "1301", "1302", "1302", "1302", "1302"]
ILL = ("HIV", "HIV", "flu", "cold", "asthma", "cough")
SIX = {
    "columns": {
        "zip": {"role": "quasi-identifier", "hierarchy": {"kind": "masking"}},
        "disease": {"role": "sensitive"},
    },
    "privacy": {"k-anonymity": {"k": 2}, "frequency-l-diversity": {"l": 2}},
}
PROGRAMS = {
    "anjana": {"zip": ZIP, "hierarchies": {"zip": [["130*"] * 6, ["*"] * 6]}},
    "anonypy": {"zip": [int(code) for code in ZIP]},
}
ASKED = {"quasi": ["zip"], "sensitive": "disease", "k": 2, "l": 2}


def written(tmp_path, text):
    path = tmp_path / "release.csv"
    path.write_text(text)
    return path


def released(releases, program, assignments):
    """What the program writes for each assignment of the six diseases."""
    given = dict(PROGRAMS[program])
    codes = given.pop("zip")
    tables = [{"zip": codes, "disease": list(each)} for each in assignments]
    return releases(program, tables, **ASKED, **given)


def of_first(assignments):
    """How likely the first person has HIV, all assignments alike."""
    return Fraction(sum(each[0] == "HIV" for each in assignments), len(assignments))


def group_of(text):
    """What a reader sees: of each label of the quasi-identifier how often each disease occurs."""
    frame = pl.read_csv(text.encode(), infer_schema=False)
    counts = frame["count"].cast(pl.Int64) if "count" in frame.columns else pl.ones(frame.height, eager=True)
    rows = zip(frame["zip"], frame["disease"], counts, strict=True)
    return sorted((code, ill) for code, ill, times in rows for _ in range(int(times)))


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_six_rows_go_from_a_third_to_certainty_for_who_knows_the_program(releases, program, tmp_path):
    """The release keeps k = 2 and l = 2 by every reading; replayed on all tables that agree, it tells everything."""
    naive = sorted(set(permutations(ILL)))
    [own, *others] = [group_of(text) for text in released(releases, program, [ILL, *naive])]
    assert len({code for code, _ in own}) == 1
    assert of_first(naive) == Fraction(1, 3)
    smart = [each for each, release in zip(naive, others, strict=True) if release == own]
    assert of_first(smart) == 1
    text = released(releases, program, [ILL])[0]
    count = "count" if program == "anonypy" else None
    audited = openveil.audit(SIX, written(tmp_path, text), count=count)
    assert audited.holds, str(audited)
    assert [answer.reached for answer in audited.promised[1].answers] == ["l = 3"] * 3
    assert "gives away to those who know it was not examined" in str(audited)


ROWS = 300
PEOPLE = {
    "columns": {
        "who": {"role": "identifier"},
        "age": {"role": "quasi-identifier", "hierarchy": {"kind": "intervals", "widths": [5, 20]}},
        "sex": {"role": "quasi-identifier", "hierarchy": {"kind": "suppression"}},
        "disease": {"role": "sensitive"},
    },
    "privacy": {"k-anonymity": {"k": 5}},
}


def people():
    rng = np.random.default_rng(0)
    return {
        "who": [f"p{row}" for row in range(ROWS)],
        "age": rng.integers(17, 90, ROWS).tolist(),
        "sex": rng.choice(["m", "f"], ROWS).tolist(),
        "disease": rng.choice(["flu", "cold", "gout", "gastritis"], ROWS).tolist(),
    }


def interval(age, width):
    return f"[{age // width * width}, {age // width * width + width})"


def ages(width):
    return [interval(age, width) for age in people()["age"]]


def findings(audited):
    return {(each.name, each.on): each for each in audited.findings}


def test_anjana_leaves_the_rows_in_their_order_and_numbers_them_when_it_drops_some(releases, tmp_path):
    table, original = people(), pl.DataFrame(people())
    hierarchies = {"age": [ages(20), ["*"] * ROWS], "sex": [["*"] * ROWS]}
    asked = {"quasi": ["age", "sex"], "sensitive": "disease", "identifiers": ["who"], "hierarchies": hierarchies}
    whole, dropped = (
        releases("anjana", [table], k=k, suppressed=percent, **asked)[0] for k, percent in ((5, 0), (30, 60))
    )
    audited = openveil.audit(PEOPLE, written(tmp_path, whole), original=original)
    assert audited.promised[0].answers[0].verdict == "holds"
    assert findings(audited)[order.SOURCE_ORDER, "release"].verdict == "fails"
    assert {column.name: dict(column.kinds) for column in audited.columns}["sex"].keys() <= {"values", "hidden"}
    assert (columns.IDENTIFIER, "who") not in findings(audited), "anjana writes identifiers as *"
    numbered = openveil.audit(PEOPLE, written(tmp_path, dropped))
    assert findings(numbered)[columns.NUMBERING, "index"].verdict == "fails"


def test_intervals_that_anjana_makes_are_one_off_at_their_lower_end(releases, tmp_path):
    """20 is put into [0, 20): the labels of its own helper are wrong for whoever stands at an edge."""
    table, original = people(), pl.DataFrame(people())
    hierarchies = {"age": [20, ["*"] * ROWS], "sex": [["*"] * ROWS]}
    asked = {"quasi": ["age", "sex"], "sensitive": "disease", "hierarchies": hierarchies, "identifiers": ["who"]}
    [text] = releases("anjana", [table], k=5, **asked)
    audited = openveil.audit(PEOPLE, written(tmp_path, text), original=original)
    assert findings(audited)[order.WRONG, "age"].value == sum(age % 20 == 0 for age in table["age"])


def test_anonypy_counts_people_and_shows_extremes(releases, tmp_path):
    table = people()
    del table["who"]
    [text] = releases("anonypy", [table], quasi=["age", "sex"], sensitive="disease", k=5)
    path = written(tmp_path, text)
    uncounted = openveil.audit(PEOPLE, path)
    assert "--count count" in findings(uncounted)[columns.STRANGER, "count"].note
    audited = openveil.audit(PEOPLE, path, count="count", original=pl.DataFrame(people()))
    assert audited.rows == ROWS
    assert [answer.verdict for answer in audited.promised[0].answers] == ["holds"] * 3
    assert findings(audited)[ends.ENDS, "age"].verdict == "fails"
    assert {kind for column in audited.columns for kind in column.kinds} <= {"values", "intervals", "sets"}
