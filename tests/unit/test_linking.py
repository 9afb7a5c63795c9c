"""The linking attack: Fig. 1 of the paper, and a slow oracle that reads labels."""

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openveil.adversary.linking import REPEATED, Linking
from openveil.core.axis import Axis, Hierarchy, flat
from openveil.core.errors import RequestError
from openveil.core.finding import Verdict
from openveil.core.full_domain import classes_of, recode
from openveil.core.recoding import SUPPRESSED, Display, Recoding
from openveil.core.table import Public
from openveil.requirements.k_anonymity import KAnonymity
from oracles.goldens import cases
from oracles.public import public_of, small_tables

STRANGER = "never in the table"


def _levels(data, public):
    return tuple(data.draw(st.integers(0, height)) for height in public.heights)


def _release(public, levels, k):
    return recode(public, classes_of(public), levels, KAnonymity(k))


# What a reader does: for each person look through the released rows, label by label.


def by_hand(covered, respondents, people):
    """`covered[r][a]` are the values row r's label in attribute a stands for, None for all; people: tuples."""
    fits = [
        [r for r, row in enumerate(covered) if all(c is None or p in c for p, c in zip(person, row, strict=True))]
        for person in people
    ]
    told = []
    for rows in fits:
        rivals = max((sum(r in other for other in fits) for r in rows), default=0)
        one = len({respondents[r] for r in rows}) == 1
        told.append((len(rows), one, rivals, one and rivals == 1))
    return told


def measured(link):
    identified = set(link.identified.tolist())
    entries = zip(link.rows.tolist(), link.alone.tolist(), link.rivals.tolist(), strict=True)
    return [(*entry, person in identified) for person, entry in enumerate(entries)]


def covered_at(case, levels, group, shared):
    """What each shown row stands for, from the chains of the hierarchies."""
    rows = []
    for number, row in enumerate(case.table):
        if group[number] != SUPPRESSED:
            rows.append([_under(case.hierarchies[a], row[a], levels[a]) for a in shared])
    return rows


def _under(chains, value, level):
    node = chains[value][level]
    return None if node == "*" else {leaf for leaf, chain in chains.items() if chain[level] == node}


@st.composite
def attacks(draw):
    case = draw(small_tables())
    shared = sorted(draw(st.sets(st.sampled_from(range(len(case.hierarchies))), min_size=1)))
    person = st.tuples(*(st.sampled_from([*sorted(case.hierarchies[a]), STRANGER]) for a in shared))
    people = draw(st.lists(person, max_size=6))
    persons = draw(st.none() | st.lists(st.integers(0, 3), min_size=len(case.table), max_size=len(case.table)))
    return case, shared, people, persons


def _external(shared, people):
    columns = {f"a{a}": [person[i] for person in people] for i, a in enumerate(shared)}
    known = pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))
    return known.with_columns(pl.int_range(pl.len()).alias("name"))


@given(attacks(), st.data())
def test_a_release_gives_away_what_reading_its_labels_gives_away(attack, data):
    case, shared, people, persons = attack
    public = public_of(case.table, case.hierarchies, persons=persons)
    recoding = _release(public, _levels(data, public), case.k)
    group = recoding.group.tolist()
    shown = [who for row, who in enumerate(persons or range(len(case.table))) if group[row] != SUPPRESSED]
    expected = by_hand(covered_at(case, recoding.levels, group, shared), shown, people)
    assert measured(Linking().release(public, recoding, _external(shared, people))) == expected


@given(attacks(), st.data())
def test_intervals_and_levels_are_read_alike(attack, data):
    case, shared, people, persons = attack
    public = public_of(case.table, case.hierarchies, persons=persons)
    by_level = _release(public, _levels(data, public), case.k)
    by_interval = Recoding(by_level.group, by_level.cells, by_level.displays)
    external = _external(shared, people)
    one, other = (Linking().release(public, recoding, external) for recoding in (by_level, by_interval))
    assert measured(one) == measured(other)


@given(attacks())
def test_the_original_is_read_value_by_value(attack):
    case, shared, people, persons = attack
    public = public_of(case.table, case.hierarchies, persons=persons)
    # A value named like the root would cover everything; the generator has none.
    covered = [[{row[a]} for a in shared] for row in case.table]
    expected = by_hand(covered, persons or range(len(case.table)), people)
    assert measured(Linking().original(public, _external(shared, people))) == expected


@given(attacks(), st.data())
def test_nobody_is_found_alone_in_a_k_anonymous_release(attack, data):
    case, shared, people, persons = attack
    public = public_of(case.table, case.hierarchies, persons=persons)
    recoding = _release(public, _levels(data, public), max(2, case.k))
    link = Linking().release(public, recoding, _external(shared, people))
    assert len(link.identified) == 0
    assert np.all((link.rows == 0) | (link.rows >= max(2, case.k)))


@given(st.data())
def test_overlapping_boxes_are_read_as_intervals(data):
    size = data.draw(st.integers(1, 6))
    rows = data.draw(st.integers(0, 8))
    names = [f"v{code}" for code in range(size)]
    axis = Axis("a0", pl.Series("a0", names))
    public = Public((Hierarchy(axis, flat(axis)),), np.zeros((rows, 1), dtype=np.uint8), ())
    ends = st.tuples(st.integers(0, size - 1), st.integers(0, size - 1)).map(sorted)
    boxes = data.draw(st.lists(ends, min_size=1, max_size=5))
    lower, upper = np.array(boxes, dtype=np.int32).T
    display = Display(pl.Series("a0", [f"{low}..{high}" for low, high in boxes]), lower, upper)
    group = data.draw(st.lists(st.integers(-1, len(boxes) - 1), min_size=rows, max_size=rows))
    cells = np.arange(len(boxes), dtype=np.int32)[:, None]
    recoding = Recoding(np.array(group, dtype=np.int32), cells, (display,))
    people = data.draw(st.lists(st.sampled_from([*names, STRANGER]).map(lambda value: (value,)), max_size=6))
    covered = [[set(names[boxes[g][0] : boxes[g][1] + 1])] for g in group if g != SUPPRESSED]
    shown = [row for row, g in enumerate(group) if g != SUPPRESSED]
    link = Linking().release(public, recoding, _external([0], people))
    assert measured(link) == by_hand(covered, shown, people)


# Fig. 1.

MEDICAL = ("Race", "DateOfBirth", "Sex", "ZIP", "MaritalStatus")
VOTERS = pl.DataFrame(
    {
        "Name": ["Sue J. Carlson", "somebody else", "a neighbour"],
        "ZIP": ["94142", "94139", "94142"],
        "DateOfBirth": ["09/15/61", "04/18/64", "01/01/70"],
        "Sex": ["female", "female", "female"],
    }
)


@pytest.fixture
def medical(shared):
    given = next(case for case in cases("a_k_minimal") if case["id"] == "a-fig6-minimal")["input"]
    public = public_of(given["table"], given["hierarchies"])
    renamed = tuple(
        Hierarchy(Axis(name, hierarchy.axis.labels), hierarchy.levels)
        for name, hierarchy in zip(MEDICAL, public.hierarchies, strict=True)
    )
    return Public(renamed, public.codes, public.weights)


def test_sue_carlson_is_found_in_the_table_of_figure_1(medical):
    link = Linking().original(medical, VOTERS)
    assert VOTERS["Name"][link.identified.tolist()].to_list() == ["Sue J. Carlson"]
    assert link.rows.tolist() == [1, 0, 0]
    assert link.strangers == {"DateOfBirth": 1, "Sex": 0, "ZIP": 0}


@pytest.mark.parametrize("levels", [(0, 2, 1, 2, 2), (1, 3, 0, 1, 1), (0, 1, 0, 0, 0)])
def test_nobody_is_found_in_the_releases_of_figures_6_and_7(medical, levels):
    link = Linking().release(medical, _release(medical, levels, 2), VOTERS)
    assert len(link.identified) == 0
    assert len(link.unique) == 0


def test_a_second_voter_with_the_same_values_protects_sue_carlson(medical):
    twin = VOTERS.head(1).with_columns(Name=pl.lit("her twin"))
    link = Linking().original(medical, pl.concat([VOTERS, twin]))
    assert link.unique.tolist() == [0, 3]
    assert len(link.identified) == 0
    assert told(link)["share all quasi-identifiers with another"] == 2


def test_a_voter_who_is_listed_twice_is_one_person_and_not_protected(medical):
    link = Linking().original(medical, pl.concat([VOTERS, VOTERS.head(1)]))
    assert link.identified.tolist() == [0]
    assert link.identified_rows.tolist() == [True, False, False, True]
    assert told(link) | {"external persons": 3, REPEATED: 1, "re-identified": 1} == told(link)


@given(attacks(), st.data())
def test_naming_everyone_again_changes_nothing(attack, data):
    case, shared, people, persons = attack
    public = public_of(case.table, case.hierarchies, persons=persons)
    external = _external(shared, people)
    rows = data.draw(st.lists(st.integers(0, max(0, len(people) - 1)), max_size=6)) if people else []
    again = pl.concat([external, external[rows]])
    one, other = (Linking().original(public, each) for each in (external, again))
    assert measured(one) == measured(other)
    assert other.people.repeated == len(rows)
    assert other.people.of_row.tolist() == [*range(len(people)), *rows]


def test_it_is_told_what_was_compared_and_what_could_not_be(medical):
    people = Linking().original(medical, VOTERS).people
    assert people.used == ("DateOfBirth", "Sex", "ZIP")
    assert people.unused == ("Race", "MaritalStatus")
    assert people.blind == 1


def told(link):
    return {finding.name: finding.value for finding in link.findings}


@pytest.mark.parametrize(("known", "verdict"), [(1, Verdict.UNDECIDED), (2, Verdict.INFORMS), (0, Verdict.UNDECIDED)])
def test_where_most_cannot_be_compared_the_verdict_is_open(known, verdict):
    public = public_of([("x",)], [{"x": ["x", "*"]}])
    external = pl.DataFrame({"a0": ["x"] * known + ["u", "v"], "name": range(known + 2)})
    assert Linking().original(public, external).verdict is verdict


def test_nobody_outside_leaves_the_verdict_open():
    public = public_of([("x",)], [{"x": ["x", "*"]}])
    assert Linking().original(public, pl.DataFrame({"a0": []}, schema={"a0": pl.String})).verdict is Verdict.UNDECIDED


def test_lost_zeros_are_noticed():
    axis = Axis("zip", pl.Series("zip", ["02138", "94142"]))
    public = Public((Hierarchy(axis, flat(axis)),), np.array([[0], [1]], dtype=np.uint8), ())
    link = Linking().original(public, pl.DataFrame({"zip": [2138, 94142]}))
    assert link.people.unpadded == ("zip",)
    note = next(finding.note for finding in link.findings if finding.note)
    assert "leading zeros" in note
    assert "2138" not in note
    assert Linking().original(public, pl.DataFrame({"zip": [77, 94142]})).people.unpadded == ()


def test_two_rows_of_one_person_hide_nobody():
    table = [("x",), ("x",), ("y",)]
    public = public_of(table, [{"x": ["x", "*"], "y": ["y", "*"]}], persons=[7, 7, 8])
    link = Linking().original(public, pl.DataFrame({"a0": ["x"]}))
    assert link.rows.tolist() == [2]
    assert link.identified.tolist() == [0]


def test_missing_is_a_value_of_its_own():
    axis = Axis("a0", pl.Series("a0", ["x"]), missing=True)
    public = Public((Hierarchy(axis, flat(axis)),), np.array([[0], [1]], dtype=np.uint8), ())
    link = Linking().original(public, pl.DataFrame({"a0": ["x", None]}))
    assert link.rows.tolist() == [1, 1]
    assert link.identified.tolist() == [0, 1]


def test_numbers_are_looked_up_as_numbers():
    axis = Axis("a0", pl.Series("a0", [3, 7]), missing=True)
    public = Public((Hierarchy(axis, flat(axis)),), np.array([[0], [1], [2]], dtype=np.uint8), ())
    external = pl.DataFrame({"a0": ["7", "8", None]})
    assert Linking().original(public, external).rows.tolist() == [1, 0, 1]
    assert Linking().release(public, _release(public, (1,), 3), external).rows.tolist() == [3, 3, 3]


def test_an_attack_that_knows_no_column_is_refused():
    public = public_of([("x",)], [{"x": ["x", "*"]}])
    with pytest.raises(RequestError, match="none of the quasi-identifiers"):
        Linking().original(public, pl.DataFrame({"name": ["x"]}))


def test_a_column_that_never_matches_leaves_the_verdict_open():
    public = public_of([("x",)], [{"x": ["x", "*"]}])
    findings = Linking().original(public, pl.DataFrame({"a0": ["X", " x"]})).findings
    found = {finding.name: finding for finding in findings}
    assert found["re-identified"].verdict is Verdict.UNDECIDED
    assert "a0" in found["could not be compared"].note


def test_findings_never_show_a_value(medical):
    findings = Linking().original(medical, VOTERS).findings
    text = json.dumps([finding.as_json() for finding in findings])
    values = {value for name in VOTERS.columns for value in VOTERS[name]}
    assert not [value for value in values if value in text]
