"""Do plans for both halves of a group have as much of one as of the other, and are they found where there are any?"""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openveil.core.bags import Bags
from openveil.core.requirement import together
from openveil.kernels.both_halves import plan
from openveil.requirements.entropy_l_diversity import EntropyDiversity
from openveil.requirements.frequency_l_diversity import FrequencyDiversity
from openveil.requirements.k_anonymity import KAnonymity
from openveil.tools.even_dealing import ways


@st.composite
def halves(draw):
    """Two halves of as many rows, as how often each value occurs; groups of a side; how many may be alike."""
    side, groups, most = draw(st.integers(1, 4)), draw(st.integers(1, 6)), draw(st.integers(1, 3))
    rows, values = side * groups, draw(st.integers(2, 7))
    drawn = st.lists(st.integers(0, values - 1), min_size=rows, max_size=rows)
    return [np.bincount(draw(drawn), minlength=values).tolist() for _ in range(2)], side, most


def planned(pair, side, most, second_first=False):
    bags = Bags.of_counts("", pair)
    flags = np.array([second_first] * (len(pair) // 2))
    return list(
        zip(*(each.tolist() for each in plan(bags.starts, bags.values, bags.counts, flags, side, most)), strict=True)
    )


@settings(max_examples=300, deadline=None)
@given(halves(), st.booleans())
def test_a_plan_is_found_where_no_value_is_too_frequent_and_has_as_much_of_either_half(drawn, second_first):
    pair, side, most = drawn
    groups = sum(pair[0]) // side
    found = planned(pair, side, most, second_first)
    totals = [one + other for one, other in zip(*pair, strict=True)]
    if max(-(-total // most) for total in totals) > groups:
        assert {group for _, _, group in found} == {-1}
        return
    assert {group for _, _, group in found} == set(range(groups))
    for half in (0, 1):
        rows = Counter(value for here, value, _ in found if here == half)
        assert [rows[value] for value in range(len(pair[0]))] == pair[half]
        assert set(Counter(group for here, _, group in found if here == half).values()) == {side}
    assert max(Counter((value, group) for _, value, group in found).values()) <= most


def test_rows_that_are_left_over_make_groups_wider():
    found = planned([[1, 1, 1, 1, 1, 0, 0, 0], [0, 0, 1, 1, 0, 1, 1, 1]], 2, 1)
    sizes = Counter((half, group) for half, _, group in found)
    assert sizes == {(0, 0): 3, (1, 0): 3, (0, 1): 2, (1, 1): 2}
    assert planned([[1], [1]], 2, 1) == [(0, 0, -1), (0, 0, -1)]


def test_the_half_that_comes_first_trades_places_with_the_other():
    pair = [[3, 1, 2, 0], [0, 2, 2, 2]]
    one, other = planned(pair, 1, 1), planned(pair[::-1], 1, 1, second_first=True)
    assert one == [(1 - half, value, group) for half, value, group in other]


def test_pairs_are_planned_one_by_one_with_groups_numbered_through():
    pair, hopeless = [[1, 1], [1, 1]], [[2, 0], [2, 0]]
    found = planned([*pair, *hopeless, *pair], 1, 1)
    assert [(half // 2, group) for half, _, group in found] == [(0, 0), (0, 0), (0, 1), (0, 1)] + [(1, -1)] * 4 + [
        (2, 2),
        (2, 2),
        (2, 3),
        (2, 3),
    ]


@pytest.mark.parametrize(
    ("requirement", "least", "found"),
    [
        (FrequencyDiversity(2), 2, [(1, 1), (2, 2), (3, 3)]),
        (FrequencyDiversity(3), 3, [(2, 1), (3, 2), (4, 2)]),
        (together((KAnonymity(5), FrequencyDiversity(2))), 5, [(3, 3), (4, 4), (5, 5)]),
        (EntropyDiversity(Fraction(5, 2)), 3, [(2, 1), (3, 2), (4, 3)]),
    ],
    ids=["l = 2", "l = 3", "k = 5", "entropy"],
)
def test_groups_are_as_small_as_may_be_with_as_many_alike_as_may_be(requirement, least, found):
    assert list(ways(requirement, least))[:3] == found
