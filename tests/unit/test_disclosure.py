"""Are disclosure sets what listing every table says, nested functions and not? Are bounds on the safe side?"""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openveil.disclosure.asking import Ratios
from openveil.disclosure.counting import Part
from openveil.disclosure.failures import learned
from openveil.disclosure.functions import Functions
from openveil.disclosure.images import Inclusive
from openveil.disclosure.judgements import Judgement, Regime
from openveil.disclosure.judging import bounded_by, by_parts, judge, upper_bound, worst
from openveil.disclosure.parts import alike, parts_of
from openveil.disclosure.sampled import ERROR
from openveil.requirements.distinct_l_diversity import DistinctDiversity
from openveil.requirements.entropy_l_diversity import EntropyDiversity
from openveil.requirements.frequency_l_diversity import FrequencyDiversity
from openveil.requirements.recursive_cl_diversity import RecursiveDiversity
from openveil.tools.stepping import how_told
from oracles import disclosure as oracle
from oracles.sequences import functions_of, image_of_table

MODELS = {
    "frequency 2": (FrequencyDiversity(2), oracle.frequency(2)),
    "recursive 2, 2": (RecursiveDiversity(Fraction(2), 2), oracle.recursive(Fraction(2), 2)),
    "recursive 2, 3": (RecursiveDiversity(Fraction(2), 3), oracle.recursive(Fraction(2), 3)),
    "entropy 2": (EntropyDiversity(Fraction(2)), oracle.entropy(Fraction(2))),
    "distinct 2": (DistinctDiversity(2), lambda counts: sum(count > 0 for count in counts) >= 2),
}
every_model = pytest.mark.parametrize(("asked", "chk"), MODELS.values(), ids=MODELS)


def groups_of(label):
    return [[row for row, each in enumerate(label) if each == group] for group in sorted(set(label))]


@st.composite
def sequences(draw, *, nested, rows=7):
    """A table of a few rows, and two or three functions."""
    size = draw(st.integers(3, rows))
    even = st.permutations("abcabca"[:size]).map(tuple)
    table = draw(st.one_of(even, st.lists(st.sampled_from("aabbc"), min_size=size, max_size=size).map(tuple)))
    number = draw(st.integers(2, 3))
    first = draw(st.lists(st.integers(0, 3), min_size=size, max_size=size))
    labels = [first]
    for _ in range(number - 1):
        if nested:
            merge = draw(st.lists(st.integers(0, 1), min_size=4, max_size=4))
            labels.append([merge[each] for each in labels[-1]])
        else:
            labels.append(draw(st.lists(st.integers(0, 2), min_size=size, max_size=size)))
    return [groups_of(label) for label in labels], table


class AsPublished(oracle.Strategies):
    """The inclusive strategy as it is published: a function whose own groups fail is not released."""

    def inclusive(self, table, upto):
        for j in range(upto):
            seen = oracle.image(self.functions[j], table)
            if self.permits(j, table) and oracle.satisfies(self.inclusive_set(j, seen), self.chk):
                return j
        return None


def compared(found, tables, whole, chk):
    assert found.holds == oracle.satisfies(tables, chk)
    assert found.ruled_out == (1 - Fraction(len(tables), len(whole)),) * 2
    if tables:
        assert found.chance[1] == oracle.largest_ratio(tables)


@every_model
@pytest.mark.parametrize("nested", [True, False])
@settings(max_examples=25)
@given(data=st.data())
def test_the_set_of_the_exclusive_strategy_is_the_one_that_is_listed(nested, asked, chk, data):
    listed, table = data.draw(sequences(nested=nested))
    functions, strategies = functions_of(listed), oracle.Strategies(listed, chk)
    for i in range(len(listed)):
        if strategies.permits(i, table):
            seen = oracle.image(listed[i], table)
            found = judge(functions, i, image_of_table(functions, i, table), asked)
            compared(found, strategies.exclusive_set(i, seen), oracle.per(listed[i], seen), chk)


@every_model
@pytest.mark.parametrize("nested", [True, False])
@settings(max_examples=20)
@given(data=st.data())
def test_the_set_of_the_inclusive_strategy_is_the_one_that_is_listed(nested, asked, chk, data):
    listed, table = data.draw(sequences(nested=nested, rows=6))
    functions, strategies = functions_of(listed), AsPublished(listed, chk)
    inclusive = Inclusive(functions, asked)
    for i in range(len(listed)):
        seen = oracle.image(listed[i], table)
        found = inclusive.decide(i, image_of_table(functions, i, table))
        if strategies.permits(i, table):
            compared(found, strategies.inclusive_set(i, seen), oracle.per(listed[i], seen), chk)
        else:
            assert not found.holds


@pytest.mark.parametrize(
    "labels", [([1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 0, 1]), ([0, 0, 0, 1, 1, 1], [0, 1, 0, 2, 1, 2])], ids=["no", "yes"]
)
def test_what_can_never_hold_here_may_have_been_the_reason_to_withhold_elsewhere(labels):
    """No table of these groups makes the first function hold; but tables of the second one's groups do."""
    asked, chk = MODELS["frequency 2"]
    listed, table = [groups_of(each) for each in (*labels, [0, 0, 0, 0, 1, 1])], tuple("ababcd")
    functions, strategies = functions_of(listed), AsPublished(listed, chk)
    seen = oracle.image(listed[2], table)
    assert strategies.inclusive_set(2, seen) != strategies.exclusive_set(2, seen)
    found = Inclusive(functions, asked).decide(2, image_of_table(functions, 2, table))
    compared(found, strategies.inclusive_set(2, seen), oracle.per(listed[2], seen), chk)


@every_model
@settings(max_examples=25)
@given(data=st.data())
def test_where_functions_are_nested_the_inclusive_strategy_is_that_of_the_paper(asked, chk, data):
    listed, table = data.draw(sequences(nested=True, rows=6))
    paper, ours = oracle.Strategies(listed, chk), AsPublished(listed, chk)
    assert paper.inclusive(table, len(listed)) == ours.inclusive(table, len(listed))


@every_model
@pytest.mark.parametrize("nested", [True, False])
@settings(max_examples=25)
@given(data=st.data())
def test_an_answer_by_parts_is_no_less_strict_and_exact_where_it_says_so(nested, asked, chk, data):
    listed, table = data.draw(sequences(nested=nested))
    functions, strategies = functions_of(listed[-2:]), oracle.Strategies(listed[-2:], chk)
    if not strategies.permits(1, table):
        return
    seen = oracle.image(listed[-1], table)
    tables, whole = strategies.exclusive_set(1, seen), oracle.per(listed[-1], seen)
    image = image_of_table(functions, 1, table)
    found = by_parts(functions, 1, image, asked, 0)
    assert found.holds == oracle.satisfies(tables, chk)
    assert Regime.UNDECIDED not in found.groups
    share = 1 - Fraction(len(tables), len(whole))
    assert found.ruled_out[0] <= share <= found.ruled_out[1]
    assert share <= upper_bound(functions, 1, image, asked)
    if tables and found.holds:
        assert found.chance[0] <= oracle.largest_ratio(tables) <= found.chance[1]


@every_model
@settings(max_examples=40)
@given(data=st.data())
def test_what_is_permitted_at_a_bound_is_permitted_whatever_is_ruled_out(asked, chk, data):
    listed, table = data.draw(sequences(nested=True, rows=5))
    seen = oracle.image(listed[-1], table)
    tables = oracle.per(listed[-1], seen)
    removed = data.draw(st.sets(st.sampled_from(range(len(tables)))))
    left = [each for number, each in enumerate(tables) if number not in removed]
    functions = functions_of(listed[-1:])
    found = bounded_by(image_of_table(functions, 0, table), asked, Fraction(len(removed), len(tables)))
    assert not found.holds or oracle.satisfies(left, chk)


@pytest.mark.parametrize("name", ["frequency 2", "recursive 2, 2"])
@settings(max_examples=60)
@given(data=st.data())
def test_what_is_told_by_rare_failures_is_bounded(name, data):
    asked, chk = MODELS[name]
    listed, table = data.draw(sequences(nested=True))
    functions, strategies = functions_of(listed[-2:]), oracle.Strategies(listed[-2:], chk)
    tables = strategies.exclusive_set(1, oracle.image(listed[-1], table))
    placed = parts_of(functions, 1, image_of_table(functions, 1, table), [0])
    found = learned(alike(placed), asked)
    if not tables or found is None:
        return
    for each in placed:
        for row in [row for row in range(len(table)) if functions.labels[1][row] in each.groups]:
            counts = oracle.counts_of(tables, row)
            assert Fraction(max(counts.values()), len(tables)) <= found.chance[each.folded]
            assert chk(sorted(counts.values())) or not found.permitted[each.folded]


def test_one_failure_among_many_groups_tells_hardly_anything():
    """Each of 40 atoms of some 100 rows nearly always holds; that one does not is no news about anyone."""
    functions = Functions.of([(np.arange(4000) + (np.arange(4000) == 99)) // 100, np.zeros(4000)])
    image = (((0, 1200), (1, 1000), (2, 1000), (3, 800)),)
    found = by_parts(functions, 1, image, FrequencyDiversity(2), 0)
    assert found.holds
    assert found.groups == {Regime.FAILURES: 1}
    assert Fraction(3, 10) <= found.chance[0] <= found.chance[1] < Fraction(1, 2)
    small = Functions.of([np.arange(1000) < 4, np.zeros(1000)])
    assert not by_parts(small, 1, (((0, 450), (1, 200), (2, 200), (3, 150)),), FrequencyDiversity(2), 0).holds


def test_a_certificate_says_how_it_was_told_group_by_group():
    known = Judgement(
        True, {Regime.RARE: 1200, Regime.COUNTED: 3}, (Fraction(0), Fraction(1, 9)), (Fraction(1, 3),) * 2
    )
    assert how_told(known) == (
        "of the groups, answered: 3 exact (counted), 1,200 bounded (hardly anything is ruled out)"
    )
    sampled = Judgement(True, {Regime.SAMPLED: 2}, (Fraction(0), Fraction(1, 9)), (Fraction(1, 3),) * 2)
    assert how_told(sampled).endswith("2 sampled (wrong with a chance of at most 1 in 10^9)")
    assert ERROR == 1e-9


def test_the_worst_case_fills_the_most_frequent_values_first():
    assert worst((1, 3, 2), Fraction(1, 4)) == (12, 6, 0)
    assert worst((2, 2), Fraction(0)) == (2, 2)


def test_a_function_whose_groups_are_too_small_for_any_table_rules_nothing_out():
    functions = functions_of([[[0], [1, 2, 3]], [[0, 1, 2, 3]]])
    found = judge(functions, 1, image_of_table(functions, 1, "aabc"), FrequencyDiversity(2))
    assert found.holds
    assert found.ruled_out == (0, 0)


def test_the_six_rows_of_the_readme_are_refused_unless_the_finer_function_is_not_tried():
    labels = functions_of([[[0, 1], [2, 3, 4, 5]], [[0, 1, 2, 3, 4, 5]]]).labels
    asked, table = FrequencyDiversity(2), "aabcde"
    for fits, holds in (((True, True), False), ((False, True), True)):
        functions = Functions.of(labels, fits)
        assert judge(functions, 1, image_of_table(functions, 1, table), asked).holds == holds


def test_a_large_part_in_which_an_earlier_function_never_holds_rules_nothing_out():
    small, large = 120, "aababc"
    fine = [group for group in range(2 * small) for _ in range(2)] + [2 * small] * 3 + [2 * small + 1] * 3
    coarse = [group for group in range(small) for _ in range(4)] + [small] * 6
    functions = Functions.of([np.array(fine), np.array(coarse)])
    image = image_of_table(functions, 1, "abac" * small + large)
    judgement = judge(functions, 1, image, FrequencyDiversity(2))
    assert judgement.holds
    assert judgement.ruled_out == (0, 0)
    assert judgement.chance == (Fraction(1, 2), Fraction(1, 2))
    assert judgement.groups == {Regime.NOTHING: small + 1}


def test_a_difference_too_small_for_floating_point_is_none():
    part = Part((8, 9), (0, 0), ((11, 5, 1),), ((0,), (1,)))
    told = learned({part: 1}, Ratios((RecursiveDiversity(Fraction(2), 2),)))
    assert told is None or told.chance[part] >= 11 / 17
