"""What a replay rests on: rows dealt anew within their groups, and labels compared as partitions."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from openveil.core.recoding import refines, same_groups
from openveil.core.secret import Secret
from openveil.worlds.shuffling import shuffled_within

labels = st.lists(st.integers(-1, 4), max_size=12)


def partition(label):
    return {frozenset(np.flatnonzero(label == each).tolist()) for each in np.unique(label)}


def numbered(label):
    return np.array(label, dtype=np.int32)


@given(st.lists(st.tuples(st.integers(-1, 3), st.integers(-1, 3)), max_size=8))
def test_labels_are_compared_as_partitions(pairs):
    one, other = (numbered([pair[side] for pair in pairs]) for side in (0, 1))
    assert same_groups(one, other) == (partition(one) == partition(other))
    within = all(any(fine <= coarse for coarse in partition(other)) for fine in partition(one))
    assert refines(one, other) == within


@given(labels, st.binary(min_size=32, max_size=32))
def test_every_row_gets_the_value_of_one_of_its_group(label, key):
    group = numbered(label)
    order = shuffled_within(group, Secret(key))
    assert sorted(order.tolist()) == list(range(len(group)))
    assert (group[order] == group).all()


def test_all_arrangements_within_groups_come_up():
    group = numbered([0, -1, 0, 1, 0, -1])
    seen = {tuple(shuffled_within(group, Secret.fresh()).tolist()) for _ in range(400)}
    assert len(seen) == 12
