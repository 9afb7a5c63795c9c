"""Are halves put together as they are defined, and is every way to draw gone through?"""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openveil.core.errors import RequestError
from openveil.core.requirement import together
from openveil.core.secret import ChanceError, Secret
from openveil.disclosure.asking import fewest_rows
from openveil.requirements.frequency_l_diversity import FrequencyDiversity
from openveil.requirements.k_anonymity import KAnonymity
from openveil.requirements.recursive_cl_diversity import RecursiveDiversity
from openveil.requirements.t_closeness import TCloseness
from openveil.tools.cuts import MedianCuts, Widths
from openveil.tools.every_draw import every_draw
from oracles.points import public_of_points

# Of the second axis all values are far apart, so that there are too many to be counted one by one.
WIDE = 40_000


def halved(points, secret):
    """The rows of the lower and of the upper half; none where the rows are all alike."""
    cuts = MedianCuts(public_of_points(points), KAnonymity(1), Widths.RAW)
    label = cuts.in_halves(cuts.halves(np.ones(cuts.open, dtype=np.bool_), 1, secret, "halves"))
    return [set(np.flatnonzero(label == side).tolist()) for side in (0, 1)]


def ranked(points):
    """The rows by the widest attribute, then by the next."""
    widths = np.ptp(np.array(points), axis=0)
    keys = [[point[a] for point in points] for a in np.argsort(-widths, kind="stable")]
    return np.lexsort(keys[::-1])


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=40),
    st.binary(min_size=32, max_size=32),
)
def test_halves_are_the_first_and_the_last_rows(points, key):
    lower, upper = halved(points, Secret(key))
    if len(set(points)) == 1:
        assert not lower | upper
        return
    assert lower | upper == set(range(len(points)))
    assert abs(len(lower) - len(upper)) == len(points) % 2
    ordered = [points[row] for row in ranked(points)]
    middle = ordered.index(ordered[len(points) // 2])
    later = [row for row in lower if ordered.index(points[row]) > middle]
    earlier = [row for row in upper if ordered.index(points[row]) < middle]
    # One row that was drawn may be on the other side, of an odd number of rows.
    assert len(later) + len(earlier) <= len(points) % 2


@pytest.mark.parametrize("rows", [3_000, 3_001])
def test_halves_are_found_where_values_are_too_many_to_be_counted(rows):
    random = np.random.default_rng(rows)
    points = np.stack([random.integers(0, 2, rows), random.permutation(WIDE)[:rows]], axis=1)
    cuts = MedianCuts(public_of_points(points.tolist()), KAnonymity(1), Widths.RAW)
    for _ in range(9):
        tried = np.ones(cuts.open, dtype=np.bool_)
        nothing = np.full(cuts.open, -1, dtype=np.int32), np.zeros(cuts.open, dtype=np.int64)
        before, halves = cuts.label(), cuts.halves(tried, 1, Secret.fresh(), "halves")
        label = cuts.in_halves(halves)
        cuts.make_or_halve(*nothing, halves)
        for group in range(before.max() + 1):
            inside = np.flatnonzero(before == group)
            lower = set(points[inside[label[inside] % 2 == 0], 1].tolist())
            assert len(lower) in (len(inside) // 2, -(-len(inside) // 2))
            # One row that was drawn may be on the other side, of an odd number of rows.
            assert len(set(np.sort(points[inside, 1])[: len(lower)].tolist()) - lower) <= len(inside) % 2
        assert np.array_equal(cuts.label(), label)


def test_of_an_odd_number_of_rows_each_is_in_the_larger_half_with_the_same_chance():
    found = Counter()
    for sides, chance in every_draw(lambda secret: halved([(row,) for row in range(7)], secret)):
        found.update(dict.fromkeys(max(sides, key=len), chance))
    assert found == dict.fromkeys(range(7), Fraction(4, 7))


@pytest.mark.parametrize(
    ("requirement", "rows"),
    [
        (KAnonymity(5), 5),
        (FrequencyDiversity(3), 3),
        (together((KAnonymity(2), FrequencyDiversity(4))), 4),
        (RecursiveDiversity(Fraction(1, 2), 2), 4),
        (TCloseness(Fraction(1, 2)), 1),
    ],
    ids=lambda each: getattr(each, "promise", each),
)
def test_the_fewest_rows_that_may_hold(requirement, rows):
    assert fewest_rows(requirement) == rows


def test_every_way_to_draw_is_gone_through_with_its_chance():
    def run(secret):
        [first] = secret.numbers("first", np.array([3]))
        return int(first), *secret.numbers("then", np.array([2] * first, dtype=np.int64)).tolist()

    found = dict(every_draw(run))
    third, sixth, twelfth = Fraction(1, 3), Fraction(1, 6), Fraction(1, 12)
    pairs = [(2, a, b) for a in (0, 1) for b in (0, 1)]
    assert found == {(0,): third, (1, 0): sixth, (1, 1): sixth, **dict.fromkeys(pairs, twelfth)}


def test_a_run_that_draws_an_order_is_not_gone_through():
    with pytest.raises(ChanceError):
        next(every_draw(lambda secret: secret.permutation("order", 3)))


def test_more_ways_to_draw_than_can_be_gone_through_are_refused():
    with pytest.raises(RequestError, match="too many ways"):
        next(every_draw(lambda secret: secret.numbers("many", np.full(20, 2))))
