"""Does `examine` say what a release gives away, in counts and chances alone, and does its page say the same?"""

import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import openveil
from openveil.core.finding import Verdict
from openveil.core.secret import Secret
from openveil.worlds import Bound, Knowledge, Reader, Roster, Sample, Worlds, never
from openveil.worlds.findings import ABOVE, ALONE, MORE, RISING, SMART, TABLES, UNDECIDED

PAGE = Path(__file__).parents[2] / "docs" / "worlds.md"
SIX = pl.DataFrame(
    {
        "zip": ["1301", "1301", "1302", "1302", "1302", "1302"],
        "disease": ["HIV", "HIV", "flu", "cold", "asthma", "cough"],
    }
)
READER = Reader(["zip"], ["disease"])


def plan(method="mondrian++", **more):
    return {
        "columns": {
            "zip": {"role": "quasi-identifier", "hierarchy": {"kind": "masking"}},
            "disease": {"role": "sensitive"},
        },
        "privacy": {"k-anonymity": {"k": 2}, "frequency-l-diversity": {"l": 2}},
        "method": method,
        **more,
    }


def many(rows=3000):
    random = np.random.default_rng(7)
    codes = random.integers(10000, 99999, rows).astype(str)
    ills = random.choice(["HIV", "flu", "cold", "asthma", "cough", "gout"], rows)
    return pl.DataFrame({"zip": codes, "disease": ills})


def by_name(examined):
    return {finding.name: finding for finding in examined.findings}


def test_the_page_says_what_comes_out(capsys):
    blocks = re.findall(r"```(python|text)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    scope = {}
    exec(compile(blocks[0][1], "worlds.md", "exec"), scope)
    assert capsys.readouterr().out == blocks[1][1]
    for language, block in blocks[2:]:
        assert language == "python"
        exec(compile(block, "worlds.md", "exec"), scope)
    shown = capsys.readouterr().out
    assert "[holds]" in shown
    assert "HIV" not in shown


@pytest.mark.parametrize(
    "method", ["mondrian++", "mondrian+", "hilb++r", {"name": "anatomy", "scheme": "generalisation"}], ids=str
)
def test_a_safe_plan_gives_nothing_more_away(method):
    found = by_name(openveil.examine(SIX, plan(method), limit=Fraction(1, 2)))
    assert found[TABLES].value == found[SMART].value
    assert found[MORE].verdict is Verdict.HOLDS
    assert found[ABOVE].verdict is Verdict.HOLDS
    assert found[RISING].value == 0


def test_an_unsafe_plan_raises_the_first_two_from_a_third_to_certainty():
    examined = openveil.examine(SIX, plan("mondrian", allow_unsafe=True), limit=Fraction(1, 2))
    assert isinstance(examined.worlds, Worlds)
    assert "2  people whose most likely value goes from 1/3 to 1" in repr(examined)
    assert by_name(examined)[ABOVE].verdict is Verdict.FAILS
    assert "HIV" not in repr(examined)
    assert "1301" not in repr(examined)


def test_what_is_too_much_is_sampled_and_a_proof_is_told_as_one():
    safe = openveil.examine(many(), plan(), limit=Fraction(1, 2), bound=Bound(tries=5))
    found = by_name(safe)
    assert isinstance(safe.worlds, Sample)
    assert found[MORE].verdict is Verdict.HOLDS
    assert "unions of published groups" in found[MORE].note
    assert found[ABOVE].verdict is Verdict.HOLDS
    assert {each.verdict for each in openveil.check(many(), plan()).conditions} == {Verdict.HOLDS}


def test_an_unsafe_plan_is_caught_where_there_are_too_many_tables():
    frame, wishes = many(600), plan("mondrian", allow_unsafe=True)
    unsafe = openveil.examine(frame, wishes, bound=Bound(tries=200), secret=Secret(bytes(32)))
    found = by_name(unsafe)
    assert found[MORE].verdict is Verdict.FAILS
    assert found[UNDECIDED].value < 300, "parts are judged by themselves"
    assert found[ALONE].value > 0
    assert unsafe.worlds.witnesses is not None
    checked = openveil.check(frame, wishes, bound=Bound(tries=5))
    assert checked.simulation.verdict is Verdict.FAILS
    assert checked.simulation.witnesses.more.height == 600
    assert "HIV" not in repr(checked) + repr(unsafe) + repr(checked.simulation)


def test_a_tool_with_labels_that_overlap_stays_undecided_when_there_are_too_many_tables():
    frame = many(40)

    def overlapping(table):
        return table.with_columns(zip=pl.when(pl.int_range(pl.len()) % 2 == 0).then(pl.lit("*")).otherwise("zip"))

    examined = openveil.examine(frame, overlapping, READER, bound=Bound(500))
    assert examined.worlds is None
    assert [finding.verdict for finding in examined.findings] == [Verdict.UNDECIDED]
    checked = openveil.check(frame, overlapping, READER, bound=Bound(500))
    assert {condition.verdict for condition in checked.conditions} == {Verdict.UNDECIDED}


def test_a_large_sample_in_which_nothing_differs_proves_nothing():
    frame = many(600)

    def leak_free(table):
        return table.with_columns(zip=pl.lit("*")).sort("disease")

    examined = openveil.examine(frame, leak_free, READER, limit=Fraction(1, 2), bound=Bound(tries=40))
    found = by_name(examined)
    assert isinstance(examined.worlds, Sample)
    assert examined.worlds.different == 0
    assert found[MORE].verdict is Verdict.UNDECIDED
    assert not {finding.verdict for finding in examined.findings} & {Verdict.HOLDS, Verdict.FAILS}
    checked = openveil.check(frame, leak_free, READER, bound=Bound(tries=40))
    assert {condition.verdict for condition in checked.conditions} == {Verdict.UNDECIDED}


def test_further_knowledge_and_no_roster():
    unsafe = plan("mondrian", allow_unsafe=True)
    known = openveil.examine(SIX, unsafe, knowledge=Knowledge((never(2, "disease", "flu"),)))
    assert by_name(known)[TABLES].value < 360
    nobody = openveil.examine(SIX, unsafe, knowledge=Knowledge(roster=Roster.NONE))
    assert by_name(nobody)[MORE].verdict is Verdict.FAILS


def test_the_secret_decides_what_is_drawn():
    one, other = (
        openveil.examine(
            many(200), plan("mondrian", allow_unsafe=True), secret=Secret(bytes(32)), bound=Bound(tries=9)
        )
        for _ in range(2)
    )
    assert np.array_equal(one.worlds.tally.smart, other.worlds.tally.smart)


@pytest.mark.parametrize(
    ("by", "reader", "said"),
    [
        (lambda table: table, None, "must say which columns"),
        (lambda table: table, Reader(["town"], ["disease"]), "has no column 'town'"),
        (lambda table: table.drop("disease"), READER, "release: has no column 'disease'"),
        (lambda table: None, READER, "refuses the table"),
    ],
)
def test_what_is_asked_wrongly_is_said(by, reader, said):
    with pytest.raises(openveil.RequestError, match=said):
        openveil.examine(SIX, by, reader)


def test_a_plan_without_a_sensitive_column_is_refused():
    wishes = plan("samarati")
    wishes["columns"]["disease"] = {"role": "other"}
    wishes["privacy"] = {"k-anonymity": {"k": 2}}
    with pytest.raises(openveil.RequestError, match="no sensitive column"):
        openveil.examine(SIX, wishes)
