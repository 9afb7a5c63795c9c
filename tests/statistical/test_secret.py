"""Is the secret order uniform, and does nothing but the secret decide it?"""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openveil.core.secret import ChanceError, NoChance, Secret


def test_every_order_of_four_rows_is_equally_likely():
    draws = 24_000
    seen = Counter(tuple(Secret.fresh().permutation("row order", 4).tolist()) for _ in range(draws))
    assert set(seen) == set(permutations(range(4)))
    expected = draws / 24
    chi_square = sum((count - expected) ** 2 / expected for count in seen.values())
    # 23 degrees of freedom: a fair generator exceeds 65 about once in 130,000 runs.
    assert chi_square < 65


def test_source_neighbours_are_not_neighbours_more_often_than_by_chance():
    rows, runs = 1000, 200
    touching = [int((np.abs(np.diff(Secret.fresh().permutation("row order", rows))) == 1).sum()) for _ in range(runs)]
    # Two neighbours touch in about 2 places a permutation; the mean of 200 runs has a deviation of 0.1.
    assert 1.4 < np.mean(touching) < 2.6


@given(st.binary(min_size=32, max_size=32), st.text(max_size=5), st.integers(0, 50))
def test_the_same_secret_and_purpose_give_the_same_order(key, purpose, size):
    first, second = (Secret(key).permutation(purpose, size) for _ in range(2))
    assert np.array_equal(first, second)
    assert sorted(first.tolist()) == list(range(size))


@given(st.binary(min_size=32, max_size=32), st.text(max_size=5), st.text(max_size=5))
def test_purposes_have_streams_of_their_own(key, one, other):
    assert (Secret(key).stream(one, 32) == Secret(key).stream(other, 32)) == (one == other)


def test_fresh_secrets_differ_and_commit_to_themselves():
    secrets = [Secret.fresh() for _ in range(100)]
    assert len({secret.key for secret in secrets}) == 100
    assert len({secret.commitment for secret in secrets}) == 100
    assert Secret(secrets[0].key).commitment == secrets[0].commitment


@given(st.binary(min_size=32, max_size=32), st.lists(st.integers(1, 1000), max_size=20))
def test_numbers_are_below_what_they_are_asked_to_be_and_come_again(key, below):
    first, second = (Secret(key).numbers("places", np.array(below, dtype=np.int64)) for _ in range(2))
    assert np.array_equal(first, second)
    assert ((first >= 0) & (first < below)).all()


def test_numbers_below_six_are_equally_likely():
    counts = np.bincount(Secret.fresh().numbers("dice", np.full(60_000, 6)), minlength=6)
    # 5 degrees of freedom: a fair generator exceeds 35 about once in 600,000 runs.
    assert ((counts - 10_000) ** 2 / 10_000).sum() < 35


def test_where_no_number_is_asked_for_nothing_is_drawn():
    assert len(NoChance().numbers("none", np.empty(0, dtype=np.int64))) == 0
    with pytest.raises(ChanceError):
        NoChance().numbers("one", np.ones(1, dtype=np.int64))
