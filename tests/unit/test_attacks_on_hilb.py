"""Do the two attacks on Hilb find what Algorithm 7, and what enumeration, say?"""

from collections import Counter
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from openveil.adversary.hilb_algorithm_7 import VULNERABLE, HilbAlgorithm7, vulnerable
from openveil.adversary.hilb_worlds import HilbWorlds
from openveil.core.attack import Sensitive, Target
from openveil.core.errors import RequestError
from openveil.core.finding import Verdict
from openveil.core.registry import Kind, find
from openveil.core.secret import Secret
from openveil.requirements.frequency_l_diversity import FrequencyDiversity
from openveil.tools.curve_groups import CurveGroups
from oracles import hilbert
from oracles.attacks import algorithm_7, chances, smart_world
from oracles.goldens import cases, name_of
from oracles.ranked import listed, public_of_places, solved, witness_of
from oracles.targets import target_of

ORACLES = {"hilb": hilbert.hilb, "hilb+": hilbert.hilb_plus}


def release_of(name, groups, values, l):  # noqa: E741
    group = [0] * len(values)
    for number, rows in enumerate(groups):
        for row in rows:
            group[row] = number
    return target_of(range(len(values)), values, group, FrequencyDiversity(l), find(Kind.PUBLISHER, name).cls())


def published(name, values, l):  # noqa: E741
    groups = solved(name, values, l)
    return groups, release_of(name, groups, values, l)


def flagged(groups, values, l):  # noqa: E741
    """The groups our Algorithm 7 labels, as ranks."""
    group = np.zeros(len(values), dtype=np.int32)
    for number, rows in enumerate(groups):
        group[rows] = number
    codes = np.unique(list(values), return_inverse=True)[1].astype(np.int32)
    line = CurveGroups.of(public_of_places(range(len(values))), group, codes, len(set(values)), l)
    labelled = vulnerable(line)
    return [np.flatnonzero(line.place == place).tolist() for place in np.flatnonzero(labelled)]


@st.composite
def tables(draw, most):
    """Values along the curve that meet l, and l."""
    values = draw(st.lists(st.sampled_from("abcdef"), min_size=4, max_size=most))
    attainable = len(values) // hilbert.most(values)
    assume(attainable > 1)
    return values, draw(st.integers(2, attainable))


@pytest.mark.parametrize("case", cases("f_attack"), ids=name_of)
def test_the_example_of_the_paper(case):
    given_ = case["input"]
    values = [None] * sum(len(rows) for rows, _ in given_["published"])
    for rows, bag in given_["published"]:
        for row, value in zip(rows, bag, strict=True):
            values[row] = value
    assert flagged([rows for rows, _ in given_["published"]], values, given_["l"]) == case["expected"]


def test_four_tuples_of_the_example_are_compromised_and_named_rightly():
    values = ["gastritis", "gastritis", "heart", "diabetes", "flu", "cancer", "pneumonia", "pneumonia"]
    [outcome] = HilbAlgorithm7().attempt(release_of("hilb", [[0, 2], [1, 3], [4, 6], [5, 7]], values, 2))
    assert outcome.exposed == 4
    assert (outcome.attack.tries, outcome.attack.successes) == (2, 2)


@settings(max_examples=200)
@given(tables(16))
def test_algorithm_7_labels_what_its_listing_says(table):
    values, l = table  # noqa: E741
    groups = solved("hilb", values, l)
    assert flagged(groups, values, l) == algorithm_7(groups, values, l)


@settings(max_examples=100)
@given(st.lists(st.sampled_from("abcd"), min_size=2, max_size=14), st.integers(1, 4), st.data())
def test_it_labels_the_same_groups_of_any_partition(values, l, data):  # noqa: E741
    group = data.draw(st.lists(st.integers(0, 4), min_size=len(values), max_size=len(values)))
    groups = listed(np.array(group))
    assert flagged(groups, values, l) == algorithm_7(groups, values, l)


@pytest.mark.parametrize(("l", "labelled"), [(2, []), (3, [[0, 2, 4]])])
def test_a_group_is_small_enough_below_twice_l_with_one_row_more(l, labelled):  # noqa: E741
    """A group of three: with one row more it is as large as two of two, and smaller than two of three."""
    groups, values = [[0, 2, 4], [1, 3, 5]], list("abcdef")
    assert flagged(groups, values, l) == algorithm_7(groups, values, l) == labelled


def test_the_printed_attack_is_unsound():
    """It labels a group of this table, of which nobody's value is likelier than 1/2."""
    values = list("bbccddba")
    groups, target = published("hilb", values, 2)
    worlds = smart_world(groups, values, lambda world: hilbert.hilb(world, 2))
    assert all(max(chances(worlds, row).values()) <= Fraction(1, 2) for row in range(len(values)))
    [printed] = HilbAlgorithm7().attempt(target)
    assert printed.exposed > 0
    [exact] = HilbWorlds().attempt(target)
    assert (exact.exposed, exact.verdict) == (0, Verdict.HOLDS)


def test_the_printed_attack_is_incomplete():
    """It labels nothing of the smallest table that Hilb discloses, although the third value is certain."""
    values = list("ccdbb")
    _, target = published("hilb", values, 2)
    [printed] = HilbAlgorithm7().attempt(target)
    assert printed.exposed == 0
    [exact] = HilbWorlds().attempt(target)
    assert exact.exposed > 0
    assert exact.certainty == 1


def test_the_paper_s_own_attack_breaks_hilb_plus():
    _, target = published("hilb+", list("aabcdc"), 2)
    [outcome] = HilbAlgorithm7().attempt(target)
    assert outcome.exposed > 0
    beliefs = HilbWorlds().believe(target, target.sensitive[0])
    assert beliefs.chance.tolist() == pytest.approx([1, 1, 1, 2 / 3, 2 / 3, 2 / 3])
    assert beliefs.exposed.all()


@pytest.mark.parametrize("name", ["hilb", "hilb+"])
@settings(max_examples=100)
@given(table=tables(8))
def test_exact_worlds_say_what_enumeration_says(name, table):
    values, l = table  # noqa: E741
    groups, target = published(name, values, l)
    worlds = smart_world(groups, values, lambda world: ORACLES[name](world, l))
    beliefs = HilbWorlds().believe(target, target.sensitive[0])
    limit = Fraction(1, l)
    known = [max(chances(worlds, row).values()) for row in range(len(values))]
    assert beliefs.exposed.tolist() == [best > limit for best in known]
    for row, best in enumerate(known):
        if beliefs.guess[row] >= 0:
            assert beliefs.chance[row] == pytest.approx(float(best))
        else:
            own = Counter(values[each] for each in next(group for group in groups if row in group))
            assert best <= Fraction(max(own.values()), sum(own.values()))


@settings(max_examples=60)
@given(tables(12))
def test_with_little_work_it_says_less_and_never_something_else(table):
    values, l = table  # noqa: E741
    _, target = published("hilb", values, l)
    whole, little = (HilbWorlds(steps=n).believe(target, target.sensitive[0]) for n in (10**7, 1))
    assert not (little.exposed & ~whole.exposed).any()
    assert not (whole.exposed & ~little.exposed & ~little.undecided).any()
    assert little.cost <= 1


def test_what_cannot_be_counted_is_undecided():
    _, target = published("hilb", list("aabbccddaabbccdd"), 2)
    [outcome] = HilbWorlds(steps=1).attempt(target)
    assert outcome.undecided + outcome.exposed > 0
    assert outcome.verdict in {Verdict.UNDECIDED, Verdict.FAILS}


def test_steps_must_be_positive():
    with pytest.raises(RequestError, match="steps"):
        HilbWorlds(steps=0)


def dealt(name, values, l):  # noqa: E741
    """A release whose rows are dealt anew, as the publisher gives it."""
    public, model = public_of_places(range(len(values))), FrequencyDiversity(l)
    method = find(Kind.PUBLISHER, name).cls()
    recoding = method.solve(public, witness_of(values), model, Secret(bytes(32)))
    column = Sensitive.of(pl.Series("ill", values), recoding)
    return Target(public, recoding, (column,), model.greatest_chance, model, method)


@settings(max_examples=60)
@given(tables(20))
def test_dealing_rows_anew_hides_nothing_of_groups_of_heads(table):
    values, l = table  # noqa: E741
    _, before = published("hilb+", values, l)
    [outcome] = HilbAlgorithm7().attempt(dealt("hilb++", values, l))
    [expected] = HilbAlgorithm7().attempt(before)
    assert outcome.exposed == expected.exposed
    assert outcome.attack == expected.attack


@pytest.mark.parametrize("name", ["hilb+r", "hilb++r"])
@settings(max_examples=60)
@given(table=tables(20))
def test_nothing_is_labelled_of_the_repairs(name, table):
    values, l = table  # noqa: E741
    target = dealt(name, values, l)
    [outcome] = HilbAlgorithm7().attempt(target)
    assert outcome.exposed == 0
    assert outcome.attack.tries == 0
    assert {finding.name: finding.value for finding in outcome.further}[VULNERABLE] == 0
    assert HilbWorlds().attempt(target) == ()


def test_other_methods_are_not_attacked():
    mondrian = find(Kind.PUBLISHER, "mondrian").cls()
    target = target_of(range(4), "abab", [0, 0, 1, 1], FrequencyDiversity(2), mondrian)
    assert HilbAlgorithm7().attempt(target) == HilbWorlds().attempt(target) == ()
    assert HilbAlgorithm7().attempt(target_of(range(4), "abab", [0, 0, 1, 1])) == ()
