"""k-anonymity counts persons, says what it found, and agrees with the definition."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openveil.core.errors import RequestError
from openveil.core.finding import Verdict
from openveil.core.full_domain import classes_and_homes, classes_of, maps_of
from openveil.requirements.k_anonymity import KAnonymity
from oracles.public import public_of, small_tables
from oracles.samarati import generalised


def told(findings):
    return {(finding.name, finding.on): (finding.value, finding.verdict) for finding in findings}


@given(small_tables(), st.data())
def test_a_class_holds_with_k_rows_of_k_persons(case, data):
    persons = data.draw(st.none() | st.lists(st.integers(0, 4), min_size=14, max_size=14))
    public = public_of(case.table, case.hierarchies, persons=persons and persons[: len(case.table)])
    levels = tuple(data.draw(st.integers(0, height)) for height in public.heights)
    classes, home = classes_and_homes(public)
    lifted = classes.lift(maps_of(public, levels))
    crowds = defaultdict(set)
    shown = generalised(case.table, case.hierarchies, levels)
    for number, row in enumerate(shown):
        crowds[row].add(persons[number] if persons else number)
    holds = KAnonymity(case.k).holds(lifted)[lifted.label[home]]
    assert holds.tolist() == [len(crowds[row]) >= case.k for row in shown]
    smallest = min(map(len, crowds.values()), default=case.k)
    findings = KAnonymity(case.k).measure(lifted)
    assert (smallest < case.k) == any(finding.verdict is Verdict.FAILS for finding in findings)


def test_five_rows_of_one_person_hide_nobody():
    public = public_of([("x",)] * 5, [{"x": ["x"]}], persons=[3] * 5)
    classes = classes_of(public)
    assert not KAnonymity(2).holds(classes).any()
    findings = told(KAnonymity(2).measure(classes))
    assert findings["smallest class", "rows"] == (5, Verdict.HOLDS)
    assert findings["smallest class", "persons"] == (1, Verdict.FAILS)


def test_without_a_person_column_nothing_is_said_of_persons():
    classes = classes_of(public_of([("x",), ("x",), ("y",)], [{"x": ["x", "*"], "y": ["y", "*"]}]))
    assert told(KAnonymity(2).measure(classes)) == {
        ("smallest class", "rows"): (1, Verdict.FAILS),
        ("classes", "release"): (2, Verdict.INFORMS),
        ("median class", "rows"): (1.5, Verdict.INFORMS),
    }


def test_one_promises_nothing_and_says_so():
    classes = classes_of(public_of([("x",)], [{"x": ["x"]}]))
    smallest = KAnonymity(1).measure(classes)[0]
    assert smallest.verdict is Verdict.INFORMS
    assert "promises nothing" in smallest.note


def test_nothing_published_is_no_failure():
    classes = classes_of(public_of([], [{"x": ["x"]}]))
    assert told(KAnonymity(5).measure(classes)) == {("classes", "release"): (0, Verdict.INFORMS)}


@pytest.mark.parametrize("k", [0, -3])
def test_less_than_one_is_refused(k):
    with pytest.raises(RequestError, match="positive whole number"):
        KAnonymity(k)


def test_the_promise_and_what_survives():
    assert KAnonymity(5).promise == "k = 5"
    assert [KAnonymity(5).survives(np.array([9]), size) for size in (4, 5)] == [False, True]
