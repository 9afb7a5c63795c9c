"""Counting values group by group, against counting by hand; few groups and many are counted in different ways."""

from collections import Counter
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from openveil.kernels.tally import laid_out, tally

ONCE = np.empty(0, dtype=np.int64)


@st.composite
def items(draw):
    """Items in groups, some in none, with values of a domain that may be far larger than the number of items."""
    groups, domain = draw(st.integers(1, 40)), draw(st.sampled_from([1, 3, 50, 5000]))
    listed = draw(st.lists(st.tuples(st.integers(-2, groups - 1), st.integers(0, domain - 1)), max_size=60))
    label, values = (np.array(each, dtype=np.int32) for each in zip(*listed, strict=True)) if listed else (NONE, NONE)
    return label, values, groups, domain


NONE = np.empty(0, dtype=np.int32)


def told(starts, values, counts):
    """Each group's values in the order they are told in, with how often they occur."""
    pairs = list(zip(values.tolist(), counts.tolist(), strict=True))
    return [pairs[start:end] for start, end in pairwise(starts)]


def by_hand(label, values, weights, groups):
    counted = [Counter() for _ in range(groups)]
    for group, value, weight in zip(label.tolist(), values.tolist(), weights, strict=True):
        if group >= 0:
            counted[group][value] += weight
    return [sorted(each.items()) for each in counted]


@given(items())
def test_each_item_counts_once(drawn):
    label, values, groups, domain = drawn
    assert told(*tally(label, values, ONCE, groups, domain)) == by_hand(label, values, [1] * len(label), groups)


@given(items(), st.data())
def test_items_count_what_they_weigh(drawn, data):
    label, values, groups, domain = drawn
    weights = data.draw(st.lists(st.integers(1, 2**40), min_size=len(label), max_size=len(label)))
    heavy = np.array(weights, dtype=np.int64)
    if len(heavy):
        assert told(*tally(label, values, heavy, groups, domain)) == by_hand(label, values, weights, groups)


def test_both_ways_of_counting_say_the_same():
    rng = np.random.default_rng(1)
    label, values = rng.integers(-1, 3000, 5000).astype(np.int32), rng.integers(0, 40, 5000).astype(np.int32)
    # 3000 groups of 40 values are too many counters for 5000 items, and 300 groups are not.
    for groups in (3000, 300):
        mine = label % groups
        assert told(*tally(mine, values, ONCE, groups, 40)) == by_hand(mine, values, [1] * 5000, groups)


@given(items())
def test_items_are_laid_out_group_by_group_in_their_order(drawn):
    label, _, groups, _ = drawn
    laid, starts = laid_out(label, groups)
    found = [laid[start:end].tolist() for start, end in pairwise(starts)]
    assert found == [np.flatnonzero(label == group).tolist() for group in range(groups)]
