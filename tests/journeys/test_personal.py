"""From the wishes of persons to a release that keeps them: plan, publish, verify."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

import openveil
from openveil.cli import publishing
from openveil.core.errors import GuaranteeError, RequestError
from openveil.core.finding import Verdict
from openveil.core.recoding import Replaced
from openveil.publishers.personalised import Personalised
from openveil.publishers.personalised_plus import PersonalisedPlus
from openveil.report.page import render
from openveil.requirements.personal_breach import GREATEST, GUARDED, KNOWN
from openveil.tools.guarded import AtLevel
from openveil.workflow.plan import Plan

DISEASES = {
    "respiratory": {"infection": ["flu", "pneumonia", "bronchitis"], "other respiratory": ["asthma", "copd"]},
    "digestive": {"stomach": ["gastric ulcer", "dyspepsia", "gastritis"], "other digestive": ["ibs", "colitis"]},
}
VALUES = [value for part in DISEASES.values() for group in part.values() for value in group]
ROWS = 80
CANARY = "Wunschkennwort-4711"
METHODS = ["personalised+", "personalised-even", "personalised", "mondrian+", "mondrian++", "hilb+r", "anatomy"]


def people(**changed):
    columns = {
        "id": [f"p{row}" for row in range(ROWS)],
        "age": [20 + row * 7 % 40 for row in range(ROWS)],
        "sex": ["f" if row % 3 else "m" for row in range(ROWS)],
        "ill": [VALUES[row * 3 % len(VALUES)] for row in range(ROWS)],
    }
    return pl.DataFrame(columns | changed)


def wishes():
    """Some waive, some want the group of their illness guarded, the others say nothing."""
    group = {value: name for part in DISEASES.values() for name, values in part.items() for value in values}
    ill = people()["ill"].to_list()
    return [["none", None, "", group[each], each][row % 5] for row, each in enumerate(ill)]


def plan_of(guard=None, method="personalised+", p=0.25, *, privacy=None, **columns):
    return {
        "columns": {
            "id": {"role": "identifier"},
            "age": {"role": "quasi-identifier", "hierarchy": {"kind": "intervals", "widths": [10, 20]}},
            "sex": {"role": "quasi-identifier", "hierarchy": {"kind": "suppression"}},
            "ill": {
                "role": "sensitive",
                "hierarchy": {"kind": "taxonomy", "tree": DISEASES},
                **({} if guard is None else {"guard": guard}),
            },
            **columns,
        },
        "privacy": privacy or {"personal-breach": {"p": p}},
        "method": method,
        "allow_unsafe": True,
    }


WISH = {"wish": {"role": "guard"}}


def guards_of(frame, plan):
    """What guards each row, as the name of a node."""
    from openveil.workflow.planned import as_plan
    from openveil.workflow.taking import encode

    guards = encode(frame, as_plan(plan)).guards
    names = guards.nodes.labels.to_list()
    return ["none" if node < 0 else names[node] for node in guards.node]


def failing(folder):
    return [each for each in openveil.verify(folder) if each.verdict in (Verdict.FAILS, Verdict.UNDECIDED)]


@pytest.mark.parametrize(
    "method", [*METHODS, {"name": "personalised+", "level": 1}, {"name": "personalised-even", "level": 1}]
)
def test_wishes_are_kept_and_the_release_verifies(method, tmp_path):
    frame = people(wish=wishes())
    release = openveil.publish(frame, plan_of({"column": "wish"}, method, 0.4, **WISH))
    [greatest] = [each for each in release.findings if (each.name, each.on) == (GREATEST, GUARDED)]
    assert greatest.verdict is Verdict.HOLDS
    assert greatest.value == Fraction(2, 5)
    folder = release.write(tmp_path / "release").folder
    assert not failing(folder)
    assert "wish" not in (folder / "table.csv").read_text().splitlines()[0]
    assert "wish" in release.certificate["removed"]
    told = json.dumps(release.certificate) + render(release.certificate)
    assert "gastric ulcer" not in told
    assert "personal-breach" in told


TWO_NODES = {"A": {"B": ["b1", "b2"], "C": ["c1"]}, "Z": {"Y": ["y1"], "W": ["w1"]}}


def plan_of_two(p, level, guard, **columns):
    """Two people and a taxonomy of two large nodes."""
    return {
        "columns": {
            "age": {"role": "quasi-identifier", "hierarchy": {"kind": "suppression"}},
            "ill": {"role": "sensitive", "hierarchy": {"kind": "taxonomy", "tree": TWO_NODES}, "guard": guard},
            **columns,
        },
        "privacy": {"personal-breach": {"p": p}},
        "method": {"name": "personalised+", "level": level},
        "allow_unsafe": True,
    }


SAID = [("b1", "B"), ("b1", "b1"), ("b1", "none"), ("c1", "c1"), ("c1", "none")]


@pytest.mark.parametrize(
    ("level", "p", "said", "other"), [(0, "1", SAID[:3], "b2"), (2, "7/10", SAID, "y1")], ids=["0", "2"]
)
def test_nothing_that_is_told_of_a_release_follows_from_guards(level, p, said, other):
    """With the figure that was measured, the certificate told who has c1, though all is shown as A and Z."""
    told = set()
    for ill, wish in said:
        frame = pl.DataFrame({"age": [20, 20], "ill": [ill, other], "wish": [wish, other]})
        release = openveil.publish(frame, plan_of_two(p, level, {"column": "wish"}, **WISH))
        findings = json.dumps([each.as_json() for each in release.findings])
        told.add((findings, json.dumps(release.certificate["findings"])))
    assert len(told) == 1


@pytest.mark.parametrize(
    ("guard", "level"),
    [
        ({"nodes": {"b1": "A", "y1": "Z"}}, 1),
        ({"nodes": {"b1": "A", "y1": "Z"}}, 2),
        ({"nodes": {"B": "A"}}, 2),
        ({"nodes": {"b1": "B"}, "default": "none"}, 1),
    ],
)
def test_rules_that_tell_the_value_in_a_node_are_refused_above_level_0(guard, level):
    """Which rows look-ahead protects would say which value in the node they have."""
    frame = pl.DataFrame({"age": [20, 70] * 4, "ill": ["b1", "y1", "c1", "w1", "b2", "y1", "c1", "w1"]})
    with pytest.raises(RequestError, match="in another way than others"):
        openveil.publish(frame, plan_of_two("7/10", level, guard))
    for harmless in ({"nodes": {"A": "A", "Z": "Z"}}, {"nodes": {"B": "B"}, "default": "none"}):
        assert openveil.publish(frame, plan_of_two("7/10", 1, harmless)).data.height == 8
    assert openveil.publish(frame, plan_of_two("7/10", 0, guard)).data.height == 8


def test_only_level_0_claims_to_be_proved(tmp_path):
    """What is said of a level above 0 is that it is measured, and what it rests on; nothing else verifies."""
    claimed = []
    for level in (0, 1):
        release = openveil.publish(people(), plan_of(method={"name": "personalised+", "level": level}, p=0.4))
        claimed.append(release.certificate["method"]["status"])
        written = release.write(tmp_path / str(level))
        assert not failing(written.folder)
        assert ("oftener than people with another" in written.report.read_text()) is bool(level)
    assert claimed == ["proved", "measured"]
    path = tmp_path / "1" / "certificate.json"
    told = json.loads(path.read_text())
    told["method"]["status"] = "proved"
    path.write_text(json.dumps(told))
    assert failing(tmp_path / "1")


def test_the_default_method_is_the_safe_one():
    plan = plan_of()
    del plan["method"]
    assert openveil.publish(people(), plan).certificate["method"]["name"] == "personalised+"


def test_whose_guard_is_low_is_shown_with_less_detail_lost():
    """Nobody guards anything: everything is shown. Everybody guards a group of illnesses: much less is."""
    frame = people()
    losses = []
    for nodes in (dict.fromkeys(VALUES, "none"), {}, dict.fromkeys(VALUES[5:], "digestive")):
        release = openveil.publish(frame, plan_of({"nodes": nodes}, p=0.6))
        losses.append(next(each.value for each in release.findings if each.name == "information loss"))
    assert losses[0] == 0
    assert losses == sorted(set(losses))


def test_a_row_is_guarded_by_its_wish_then_by_a_rule_then_by_the_default():
    frame = people(wish=wishes())
    rules = {"flu": "none", "stomach": "digestive", "gastritis": "value"}
    found = guards_of(frame, plan_of({"column": "wish", "nodes": rules, "default": "none"}, **WISH))
    for row, (ill, wish) in enumerate(zip(frame["ill"], frame["wish"], strict=True)):
        ruled = {"flu": "none", "gastric ulcer": "digestive", "dyspepsia": "digestive", "gastritis": "gastritis"}
        assert found[row] == (wish or ruled.get(ill, "none"))


def test_where_guards_come_from_is_told_on_a_terminal_and_nowhere_else(tmp_path, monkeypatch, capsys):
    """Counts of what persons said are for the data holder: not in the release, in JSON, or in what is piped away."""
    people(wish=wishes()).write_csv(tmp_path / "people.csv")
    rules = {"flu": "none", "stomach": "digestive"}
    plan = plan_of({"column": "wish", "nodes": rules}, p=0.6, **WISH) | {"input": {"path": "people.csv"}}
    written = publishing.published(Plan.from_dict(plan, base=tmp_path))
    left = [ill for ill, wish in zip(people()["ill"], wishes(), strict=True) if not wish]
    ruled = sum(ill in ("flu", "gastric ulcer", "dyspepsia", "gastritis") for ill in left)
    line = f"32 by wish, 16 waived, {ruled:,} by rule, {32 - ruled:,} by default."
    capsys.readouterr()
    for watched, as_json in ((True, False), (False, False), (True, True)):
        monkeypatch.setattr(sys.stdout, "isatty", lambda watched=watched: watched)
        publishing.tell(written, as_json=as_json)
        captured = capsys.readouterr()
        assert (line in captured.out) is (watched and not as_json)
        assert "by wish" not in captured.err + repr(written)
    assert not [path for path in (tmp_path / "release").iterdir() if "by wish" in path.read_text()]


def test_a_consent_file_is_keyed_by_person(tmp_path):
    """Several lines of a person: the highest node on the way counts. Strangers are passed over where that is said."""
    ill = people()["ill"].to_list()
    lines = ["id,wants", "p0,none", f"p1,{ill[1]}", "p1,digestive" if ill[1] in VALUES[5:] else "p1,respiratory"]
    lines += ["p2,none", f"p2,{ill[2]}", "p3,  ", "nobody,flu", f" p4 ,{ill[4]}"]
    (tmp_path / "consent.csv").write_text("\n".join(lines) + "\n")
    guard = {"file": str(tmp_path / "consent.csv"), "key": "id", "node": "wants", "others": "ignore"}
    found = guards_of(people(), plan_of(guard))
    assert found[:5] == ["none", lines[3].split(",")[1], ill[2], ill[3], ill[4]]
    assert found[5:] == ill[5:]


OFF = "not on the way from the row's own value"
WRONG_LINES = {
    "nobody's": (["0,none", "x1,flu"], "ignore", "2 of 2 lines"),
    "somebody's and nobody's": (["p0,none", "p01,none", ",flu"], "error", "2 of 3 lines"),
    "off the way beside none": (["p1,none", f"p1,{CANARY}"], "error", "1 of 2 lines"),
    "off the way beside one on it": (["p1,{1}", f"p1,{CANARY}", "p2,none"], "error", "1 of 3 lines"),
    "off the way": ([f"p1,{CANARY}", "p2,{2}"], "error", "1 of 2 lines"),
}


@pytest.mark.parametrize("name", WRONG_LINES)
def test_a_line_that_would_be_passed_over_is_an_error_that_counts(name, tmp_path):
    lines, others, said = WRONG_LINES[name]
    own = [line.format(*people()["ill"]) for line in lines]
    (tmp_path / "consent.csv").write_text("\n".join(["id,node", *own]) + "\n")
    with pytest.raises(RequestError) as caught:
        openveil.publish(people(), plan_of({"file": str(tmp_path / "consent.csv"), "key": "id", "others": others}))
    assert said in str(caught.value)
    assert (OFF in str(caught.value)) is ("off the way" in name)
    assert CANARY not in str(caught.value)


def test_each_line_of_a_person_with_several_rows_is_on_the_way_of_one(tmp_path):
    """The lines speak of the person, so one that suits a single row is none too many."""
    frame = pl.concat([people(), people().head(1).with_columns(ill=pl.lit("ibs"))])
    (tmp_path / "consent.csv").write_text(f"id,node\np0,{people()['ill'][0]}\np0,digestive\n")
    guard = {"file": str(tmp_path / "consent.csv"), "key": "id"}
    found = guards_of(frame, plan_of(guard, id={"role": "person"}))
    assert (found[0], found[-1]) == (people()["ill"][0], "digestive")


def test_a_key_that_repeats_must_be_the_persons(tmp_path):
    frame = pl.concat([people(), people().head(2)])
    (tmp_path / "consent.csv").write_text("id,node\np0,none\n")
    plan = plan_of({"file": str(tmp_path / "consent.csv"), "key": "id"})
    with pytest.raises(
        RequestError, match=r"2 of 82 rows repeat one[\s\S]*role 'person'|role 'person'[\s\S]*2 of 82"
    ):
        openveil.publish(frame, plan)
    plan["columns"]["id"] = {"role": "person"}
    assert guards_of(frame, plan)[80:] == ["none", frame["ill"][1]]
    blanks = frame.with_columns(
        id=pl.col("id") + pl.when(pl.int_range(pl.len()) == 80).then(pl.lit(" ")).otherwise(pl.lit(""))
    )
    with pytest.raises(RequestError, match="differ in blanks alone"):
        guards_of(blanks, plan)


def test_a_wish_off_the_way_is_counted_and_nobody_is_named():
    wanted = wishes()
    wanted[3], wanted[4], wanted[8] = CANARY, "flu" if people()["ill"][4] != "flu" else "ibs", "*"
    frame = people(wish=wanted)
    with pytest.raises(RequestError) as caught:
        openveil.publish(frame, plan_of({"column": "wish"}, **WISH))
    assert "2 of 80 rows" in str(caught.value)
    for said in (CANARY, "p3", "flu"):
        assert said not in str(caught.value)


def test_missing_values_are_guarded_too():
    ill = people()["ill"].to_list()
    frame = people(ill=[None, *ill[1:]], wish=["*", *wishes()[1:]])
    assert guards_of(frame, plan_of({"column": "wish"}, **WISH))[0] == "*"
    release = openveil.publish(people(ill=[None, *ill[1:]]), plan_of())
    assert release.data["ill"].null_count() == 1


def test_persons_with_several_rows_are_kept_to_what_their_rows_say_together(tmp_path):
    frame = pl.concat([people(), people().with_columns(ill=pl.col("ill").reverse())[:20]])
    plan = plan_of(p=0.4, id={"role": "person"})
    release = openveil.publish(frame, plan)
    assert not failing(release.write(tmp_path / "release").folder)
    with pytest.raises(RequestError, match="counts rows"):
        openveil.publish(frame, plan | {"method": "mondrian+"})
    moved = frame.with_columns(age=pl.when(pl.int_range(pl.len()) == 80).then(99).otherwise("age"))
    with pytest.raises(RequestError, match="1 persons whose rows differ"):
        openveil.publish(moved, plan)
    assert not failing(
        openveil.publish(frame, plan | {"method": "personalised-even"}).write(tmp_path / "even").folder
    )


def test_a_known_population_makes_breaches_less_likely(tmp_path):
    """Of everyone in the table there are three more, and some are of an age that nobody in it has."""
    many = pl.concat([people().select("age", "sex")] * 4)
    many = pl.concat([many, many.with_columns(age=pl.col("age") * 2 + 1)])
    many.write_csv(tmp_path / "voters.csv")
    privacy = {"personal-breach": {"p": 0.4, "population": str(tmp_path / "voters.csv")}}
    release = openveil.publish(people(), plan_of(privacy=privacy))
    by_place = {each.on: each for each in release.findings if each.name == GREATEST}
    assert by_place[KNOWN].value <= by_place[GUARDED].value / 4
    assert by_place[KNOWN].verdict is Verdict.INFORMS
    assert not failing(release.write(tmp_path / "release").folder)


def of_population(tmp_path, voters, p=0.25):
    """What is promised with these people for a population."""
    voters.write_csv(tmp_path / "voters.csv")
    return {
        "personal-breach": {"p": p, "population": str(tmp_path / "voters.csv"), "adversary": "population"},
    }


@pytest.mark.parametrize("method", ["personalised", "personalised+"])
def test_a_promise_reckoned_with_a_population_says_so_and_verifies(method, tmp_path):
    """It is measured, not proved, and whoever changes that is noticed."""
    voters = pl.concat([people().select("age", "sex")] * 4)
    privacy = of_population(tmp_path, voters)
    release = openveil.publish(people(), plan_of(privacy=privacy, method=method))
    [greatest] = [each for each in release.findings if each.name == GREATEST]
    assert (greatest.on, greatest.verdict, greatest.value) == (KNOWN, Verdict.HOLDS, Fraction(1, 4))
    written = release.write(tmp_path / "release")
    assert not failing(written.folder)
    certificate = written.certificate
    assert certificate["promise"][0]["status"] == "measured"
    assert "people of the population" in certificate["adversary"]
    assert "someone who knows better who of them is in this table" in written.report.read_text().lower()
    path = written.folder / "certificate.json"
    usual = openveil.publish(people(), plan_of(p=0.4)).certificate["adversary"]
    path.write_text(json.dumps(json.loads(path.read_text()) | {"adversary": usual}))
    assert failing(written.folder)


def test_the_greedy_publisher_keeps_more_detail_where_a_population_hides_people(tmp_path):
    """With nobody else in it, a population is the table; the more people it has, the less is lost."""

    def lost(privacy):
        release = openveil.publish(people(), plan_of(privacy=privacy, method="personalised"))
        return next(each.value for each in release.findings if each.name == "information loss")

    known = people().select("age", "sex")
    by_people = [lost(of_population(tmp_path, pl.concat([known] * times))) for times in (1, 2, 8)]
    assert by_people[0] == lost({"personal-breach": {"p": 0.25}})
    assert by_people == sorted(set(by_people), reverse=True)


@pytest.mark.parametrize("method", ["personalised", "personalised+"])
def test_a_population_that_lacks_people_of_the_table_is_refused_in_counts(method, tmp_path):
    voters = people().select("age", "sex").tail(-3)
    with pytest.raises(RequestError, match=r"does not have everyone who is in the table \(found at least \d+ of 80"):
        openveil.publish(people(), plan_of(privacy=of_population(tmp_path, voters, 0.4), method=method))


def test_a_population_with_enough_people_for_the_labels_but_not_for_the_table_is_refused(tmp_path):
    voters = pl.concat([people().select("age", "sex").head(70)] * 3)
    with pytest.raises(RequestError, match=r"at least \d+ of 80 people"):
        openveil.publish(people(), plan_of(privacy=of_population(tmp_path, voters, 0.4), method="personalised"))


def test_people_of_a_population_whom_the_labels_of_several_groups_fit_are_refused(tmp_path):
    """Of the person of 6 x could be told with 2/3: the labels of two groups fit."""
    frame = pl.DataFrame({"age": [0, 2, 4, 6], "ill": list("zyxx"), "wish": ["none", "y", "none", "x"]})
    voters = pl.DataFrame({"age": [0, 2, 4, 6, 6]})
    plan = at_work("personalised", show="nodes")
    plan["columns"]["age"] = {"role": "quasi-identifier", "hierarchy": {"kind": "intervals", "widths": [2, 4]}}
    del plan["columns"]["job"]
    plan["privacy"] = of_population(tmp_path, voters, "1/2")
    plan["allow_unsafe"] = True
    plan["method"]["weight"] = "infinite"
    with pytest.raises(RequestError, match="fit the labels of several groups"):
        openveil.publish(frame, plan)


def test_a_population_without_a_quasi_identifier_is_refused(tmp_path):
    people().select("age").write_csv(tmp_path / "voters.csv")
    privacy = {"personal-breach": {"p": 0.4, "population": str(tmp_path / "voters.csv")}}
    with pytest.raises(RequestError, match="no column 'sex'"):
        openveil.publish(people(), plan_of(privacy=privacy))


def test_what_cannot_be_kept_is_refused_with_what_could():
    with pytest.raises(GuaranteeError, match=r"p = 1/50 was asked for, but all 80 rows together reach only p = 0\."):
        openveil.publish(people(), plan_of(p=0.02))
    with pytest.raises(GuaranteeError, match="rows are in groups that no split made safe"):
        openveil.publish(people(), plan_of(method="personalised", p=0.02))


def several():
    """People of whom some have two rows and some three, all of which differ in what is ill."""
    rows = [(row, again) for row in range(ROWS) for again in range(1 + (row % 4 == 1) + 2 * (row % 8 == 2))]
    ill = [VALUES[(row * 3 + again * 4) % len(VALUES)] for row, again in rows]
    return people()[[row for row, _ in rows]].with_columns(ill=pl.Series(ill))


@pytest.mark.parametrize(
    "method", ["personalised+", "personalised-even", {"name": "personalised-even", "level": 1}], ids=str
)
def test_where_persons_with_many_rows_are_in_the_way_it_is_said_what_would_help(method):
    """Each p that is named is the least one with which the table without these persons is published."""
    frame, rows = several(), pl.len().over("id")
    nodes = {"digestive": "digestive", "flu": "none"}

    def told(p, most):
        kept = frame.filter(rows <= most)
        try:
            openveil.publish(kept, plan_of({"nodes": nodes}, method, p, id={"role": "person"}))
        except GuaranteeError as error:
            return str(error)
        return "published"

    said = told(0.1, 3)
    assert "10 persons have 3 rows each" in said
    reached = re.search(r"reach only (.*?);", said)[1]
    named = dict(re.findall(r"with more than (\d) rows? \((p = [0-9.]+|no p)", said))
    assert [*named] == ["2", "1"]
    for most, p in {**named, "3": reached}.items():
        if p.startswith("no p"):
            assert "reach only" in told(1, int(most))
            continue
        least = Fraction(p.removeprefix("p = "))
        assert told(str(least), int(most)) == "published"
        assert p in told(str(least - Fraction(1, 1000)), int(most))


def test_the_gate_refuses_even_cuts_that_tell_apart_what_is_shown_as_one(monkeypatch):
    look = AtLevel.look

    def closer(self, label, groups):
        self.witness.tally(label, groups)
        return look(self, label, groups)

    plan = plan_of({"nodes": {"infection": "infection"}}, {"name": "personalised-even", "level": 1}, 0.3)
    assert openveil.publish(people(), plan).certificate["replaced"]
    monkeypatch.setattr(AtLevel, "look", closer)
    with pytest.raises(GuaranteeError, match="not derivable from what is published"):
        openveil.publish(people(), plan)


JOBS = {"N": ["j1", "j2", "j3", "j4", "j5", "j6"]}


def at_work(method, *, show="fitting"):
    """A plan for people whose jobs have no node in common but the one of all."""
    jobs = {"role": "quasi-identifier", "hierarchy": {"kind": "taxonomy", "tree": JOBS}}
    ill = {"role": "sensitive", "hierarchy": {"kind": "taxonomy", "tree": {"X": ["x"], "Y": ["y", "z"]}}}
    return {
        "columns": {"job": jobs, "ill": ill | {"guard": {"column": "wish"}}, **WISH},
        "privacy": {"personal-breach": {"p": "1/3"}},
        "method": {"name": method, "show": show},
    }


def test_groups_that_nodes_would_show_alike_are_shown_as_intervals_where_guards_could_be_breached_together():
    wish = ["x", "none", "none", "z", "none", "none"]
    frame = pl.DataFrame({"job": JOBS["N"], "ill": list("xyyzyy"), "wish": wish})
    shown = {show: openveil.publish(frame, at_work("personalised+", show=show)) for show in ("fitting", "nodes")}
    assert shown["fitting"].data["job"].n_unique() == 2
    assert shown["nodes"].data["job"].n_unique() == 1


def test_the_gate_says_that_groups_shown_alike_do_not_hold_together(monkeypatch):
    """Equal rows in two groups, of which a reader sees one: in one x is guarded, in the other nothing is."""
    frame = pl.DataFrame(
        {"job": ["j1"] * 8 + ["j2"] * 6, "ill": list("xyzyxxxxyzyzyz"), "wish": ["x", *["none"] * 13]}
    )
    plan = at_work("personalised+", show="nodes") | {"privacy": {"personal-breach": {"p": "1/2"}}}
    group = np.repeat(np.arange(3, dtype=np.int32), [4, 4, 6])
    monkeypatch.setattr(PersonalisedPlus, "grouped", lambda *_: group)
    with pytest.raises(
        GuaranteeError, match=r'1 of 2 sets of groups that are shown alike fail\. Write show = "intervals"'
    ):
        openveil.publish(frame, plan)


WRONG = {
    "two sources": ({"column": "wish", "file": "a.csv", "key": "id"}, "names both a column and a consent file"),
    "a column of another role": ({"column": "sex"}, "is not a column with the role 'guard'"),
    "a file without a key": ({"file": "a.csv"}, "guard.key: is missing"),
    "a key of another role": ({"file": "a.csv", "key": "sex"}, "'person' or 'identifier'"),
    "a rule for no node": ({"nodes": {CANARY: "none"}}, "1 of 1"),
    "a rule that is not above": ({"nodes": {"stomach": "flu"}}, "not above them"),
    "a word that is a node": ({"waived": "flu"}, "the taxonomy has a node that is called 'flu' too"),
    "a default that is none": ({"default": "parent"}, "is not one of the words"),
    "a key that is none": ({"nods": {}}, "Did you mean 'nodes'?"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_with_guards_is_told(name):
    guard, said = WRONG[name]
    columns = WISH if "column" in guard and guard["column"] == "wish" else {}
    frame = people(wish=wishes()) if columns else people()
    with pytest.raises(RequestError) as caught:
        openveil.publish(frame, plan_of(guard, **columns))
    assert said in str(caught.value)
    assert CANARY not in str(caught.value)


def test_a_guard_column_that_nothing_uses_is_told():
    with pytest.raises(RequestError, match="no sensitive column takes its guards from it"):
        openveil.publish(people(wish=wishes()), plan_of(**WISH))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"privacy": {"k-anonymity": {"k": 2}}, "method": "samarati"}, "protects what persons want guarded"),
        ({"privacy": {"frequency-l-diversity": {"l": 2}}}, "personalised+ is made for what persons want guarded"),
        ({"method": "samarati"}, "cannot promise personal-breach"),
        ({"method": {"name": "personalised+", "level": 9}}, "the taxonomy has no such level"),
    ],
)
def test_guards_without_a_use_and_methods_that_do_not_fit_are_told(change, said):
    with pytest.raises(RequestError) as caught:
        openveil.publish(people(), plan_of() | change)
    assert said in str(caught.value)


THERE = "the findings of the original are there, once"


@pytest.mark.parametrize(
    "told",
    [
        {"value": 0.5, "exact": "1/2"},
        {"value": 0.25, "exact": "1/4"},
        {"limit": 0.9},
        {"verdict": "informs"},
        {"on": KNOWN},
        {"value": -0.5, "exact": "-1/2"},
    ],
)
def test_a_certificate_that_tells_the_breach_otherwise_is_noticed(told, tmp_path):
    folder = openveil.publish(people(), plan_of(p=0.4)).write(tmp_path / "release").folder
    path = folder / "certificate.json"
    certificate = json.loads(path.read_text())
    [greatest] = [each for each in certificate["findings"] if each["name"] == GREATEST]
    greatest.update(told)
    path.write_text(json.dumps(certificate))
    assert THERE in {each.name for each in failing(folder)}


@pytest.fixture
def raising(monkeypatch):
    """Make a method show other nodes than it decided."""

    def patch(change, method=Personalised):
        solve = method.solve

        def other(self, public, witness, requirement, secret):
            recoding = solve(self, public, witness, requirement, secret)
            guards = witness.guarded
            return replace(recoding, replaced=(Replaced.raised(change(guards), guards),))

        monkeypatch.setattr(method, "solve", other)

    return patch


def roots(guards):
    return np.full(len(guards), len(guards.nodes) - 1, dtype=np.int32)


def test_the_gate_asks_for_the_breach_of_what_is_shown(raising):
    """Everything shown as the root breaches nobody; where some show the node that guards them, they are known."""
    frame = people(wish=["digestive" if ill in VALUES[5:] else "respiratory" for ill in people()["ill"]])
    plan = plan_of({"column": "wish"}, "personalised", 0.6, **WISH)
    raising(roots)
    assert openveil.publish(frame, plan).data["ill"].unique().to_list() == ["*"]
    raising(lambda guards: np.where(guards.node == guards.node.max(), guards.node, roots(guards)).astype(np.int32))
    with pytest.raises(GuaranteeError, match=r"personal-breach cannot be met: .* classes fail"):
        openveil.publish(frame, plan)


def test_the_gate_refuses_nodes_that_do_not_hold_the_own_value(raising):
    raising(lambda guards: np.roll(guards.leaf, 1).astype(np.int32))
    with pytest.raises(GuaranteeError, match="do not hold people's own values"):
        openveil.publish(people(), plan_of(method="personalised"))


def test_the_gate_refuses_values_made_coarser_than_what_was_asked_about(raising):
    raising(roots, PersonalisedPlus)
    with pytest.raises(GuaranteeError, match="not derivable from what is published"):
        openveil.publish(people(), plan_of())
