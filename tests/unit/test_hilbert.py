"""Are the Hilbert curve, the cuts along it, and the groups of Hilb what their definitions say?"""

from collections import defaultdict
from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openveil.core.errors import GuaranteeError, RequestError
from openveil.core.registry import Kind, find
from openveil.core.requirement import together
from openveil.core.secret import Secret
from openveil.core.witness import NOT_ASKED, Shown, Witness, unlike
from openveil.kernels.hilbert import curve_keys
from openveil.requirements.frequency_l_diversity import FrequencyDiversity
from openveil.requirements.k_anonymity import KAnonymity
from openveil.tools.hilbert_cuts import HilbertCuts, keys_of, order_of
from openveil.tools.look_ahead import look_ahead
from oracles import hilbert as oracle
from oracles.public import public_of, small_tables
from oracles.ranked import listed, public_of_places, settled, solved, witness_of

UNSAFE = ("hilb", "hilb+", "hilb++")


@st.composite
def eligible(draw, most=14):
    """Values in the order of the curve, and an l that all of them together meet."""
    values = draw(st.lists(st.sampled_from("abcdef"), min_size=2, max_size=most))
    attainable = len(values) // oracle.most(values)
    return values, draw(st.integers(min(2, attainable), attainable))


def whole_grid(dimensions, bits):
    return np.array(list(product(range(1 << bits), repeat=dimensions)), dtype=np.uint16)


def key_of(words):
    return sum(word << 64 * place for place, word in enumerate(reversed(words)))


@pytest.mark.parametrize(("dimensions", "bits"), [(1, 5), (2, 1), (2, 4), (3, 1), (3, 3), (4, 2), (5, 2), (7, 1)])
def test_the_curve_passes_every_point_once_by_single_steps(dimensions, bits):
    grid = whole_grid(dimensions, bits)
    keys = curve_keys(grid, np.full(dimensions, 1 << bits), bits)
    assert sorted(keys[:, 0].tolist()) == list(range(len(grid)))
    assert oracle.is_walk(grid[np.argsort(keys[:, 0])].astype(int).tolist())


@pytest.mark.parametrize("bits", [1, 2, 3, 4])
def test_in_the_plane_it_is_the_curve_of_four_turned_copies(bits):
    grid = whole_grid(2, bits)
    keys = curve_keys(grid, np.full(2, 1 << bits), bits)
    walked = [tuple(point) for point in grid[np.argsort(keys[:, 0])].tolist()]
    assert oracle.alike(walked, oracle.curve_2d(bits))


@settings(max_examples=200)
@given(st.data())
def test_keys_of_any_length_are_places_on_a_walk(data):
    dimensions, bits = data.draw(st.integers(1, 12)), data.draw(st.integers(1, 30))
    length = dimensions * bits
    near_a_word = st.integers(1, 5).map(lambda word: min(2 ** (64 * word), 2**length) - 1)
    place = data.draw(st.one_of(near_a_word, st.integers(0, 2**length - 1)))
    places = [place - 1, place] if place else [place]
    points = [oracle.point_at(each, dimensions, bits) for each in places]
    keys = curve_keys(np.array(points, dtype=np.uint32), np.full(dimensions, 1 << bits), bits)
    assert oracle.is_walk(points)
    assert keys.shape[1] == -(-length // 64)
    assert [key_of(words) for words in keys.tolist()] == places


def test_axes_that_differ_in_length_are_spread_one_to_one():
    sizes = np.array([5, 1, 17])
    codes = np.array([(i, 0, j) for i in range(5) for j in range(17)], dtype=np.uint8)
    assert len(np.unique(curve_keys(codes, sizes, 5), axis=0)) == len(codes)


def test_words_are_sorted_from_the_most_significant_on():
    keys = np.array([[1, 0], [0, 2**63], [0, 5], [1, 0]], dtype=np.uint64)
    assert order_of(keys).tolist() == [2, 1, 0, 3]


@given(small_tables())
def test_rows_tie_when_their_quasi_identifiers_do(case):
    keys = keys_of(case.public).tolist()
    for one, here in zip(case.table, keys, strict=True):
        for other, there in zip(case.table, keys, strict=True):
            assert (one == other) == (here == there)


@settings(max_examples=300)
@given(eligible(), st.data())
def test_look_ahead_along_the_curve_is_a5(drawn, data):
    values, l = drawn  # noqa: E741
    places = data.draw(st.lists(st.integers(0, 6), min_size=len(values), max_size=len(values)))
    assert settled("hilb+r", values, l, places) == sorted(oracle.hilb_plus_r(places, values, l))


@given(st.lists(st.integers(0, 5), max_size=20), st.integers(1, 6), st.integers(1, 4))
def test_persons_are_counted_on_both_sides(persons, k, needed):
    public = public_of_places(range(len(persons)), persons)
    cuts = HilbertCuts(public, KAnonymity(needed))
    while cuts.open:
        cuts.cut(np.array([k]))
    assert listed(cuts.groups()) == sorted(oracle.runs_with_persons(persons, k, needed))


def test_one_answer_is_good_for_a_sixteenth_of_the_rows():
    cuts = HilbertCuts(public_of_places(range(1600)), KAnonymity(1))
    cuts.cut(np.array([30]))
    assert (cuts.label() == NOT_ASKED).sum() == 120
    cuts.cut(np.array([93]))
    assert (cuts.label() == NOT_ASKED).sum() == 213


@settings(max_examples=30)
@given(st.integers(0, 2**32), st.integers(2, 40), st.integers(2, 4))
def test_larger_groups_than_a5_hold_all_the_same(seed, domain, l):  # noqa: E741
    values = np.random.default_rng(seed).integers(0, domain * l, 1200)
    witness = Witness(pl.DataFrame({"ill": values}))
    cuts = HilbertCuts(public_of_places(range(1200)), FrequencyDiversity(l))
    group = look_ahead(cuts, witness, FrequencyDiversity(l))
    assert all(FrequencyDiversity(l).enough(bags).all() for bags in witness.tally(group, group.max() + 1))
    assert not list(unlike(witness.looks, Shown(group, np.zeros(len(group), dtype=np.bool_))))


@settings(max_examples=50)
@given(eligible(), st.data())
def test_the_order_of_rows_decides_nothing(drawn, data):
    values, l = drawn  # noqa: E741
    order = data.draw(st.permutations(range(len(values))))
    places = [rank // 2 for rank in range(len(values))]
    first = settled("hilb+r", values, l, places)
    second = settled("hilb+r", [values[i] for i in order], l, [places[i] for i in order])
    assert first == sorted(sorted(order[row] for row in group) for group in second)


@pytest.mark.parametrize("name", ["hilb+r", "hilb++r", *UNSAFE])
def test_a_table_without_rows_has_no_groups(name):
    assert settled(name, [], 2) == []


@pytest.mark.parametrize(("name", "slow"), [("hilb", oracle.hilb), ("hilb+", oracle.hilb_plus)])
@settings(max_examples=400)
@given(drawn=eligible(24))
def test_groups_of_heads_are_a3_and_a4(name, slow, drawn):
    assert settled(name, *drawn) == sorted(slow(*drawn))


@pytest.mark.parametrize(("name", "slow"), [("hilb", oracle.hilb), ("hilb+", oracle.hilb_plus)])
@pytest.mark.parametrize("l", [2, 3, 5])
def test_groups_of_heads_where_one_value_is_as_frequent_as_can_be(name, slow, l):  # noqa: E741
    rng = np.random.default_rng(l)
    for _ in range(20):
        values = ["x"] * 8 + rng.choice(list("abcdefgh"), 8 * (l - 1) + int(rng.integers(0, l))).tolist()
        values = [values[i] for i in rng.permutation(len(values))]
        if len(values) >= l * oracle.most(values):
            assert settled(name, values, l) == sorted(slow(values, l))


@pytest.mark.parametrize("name", UNSAFE)
@given(drawn=eligible())
def test_rows_that_tie_stand_by_row_number(name, drawn):
    assert settled(name, *drawn, [0] * len(drawn[0])) == settled(name, *drawn)


def naive_and_smart(name, values, l):  # noqa: E741
    """How many tables agree with what is settled, and how many of them are settled in the same way."""
    groups = settled(name, values, l)
    worlds = oracle.naive_world(groups, values)
    return len(worlds), sum(settled(name, world, l) == groups for world in worlds)


@pytest.mark.parametrize(
    ("name", "values", "worlds"),
    [("hilb", "ccdbb", (12, 2)), ("hilb+", "ccbdbd", (24, 6)), ("hilb+", "aabcdc", (24, 3))],
)
def test_what_is_known_to_be_unsafe_is(name, values, worlds):
    assert naive_and_smart(name, values, 2) == worlds


@pytest.mark.parametrize("values", ["ccdbb", "ccbdbd", "aabcdc"])
def test_the_repair_is_safe_where_they_are_not(values):
    naive, smart = naive_and_smart("hilb+r", values, 2)
    assert naive == smart


@pytest.mark.parametrize("places", [[0, 1, 2, 3, 4, 5], [0, 0, 1, 1, 2, 3], [1, 0, 2, 2, 0, 1]])
def test_every_table_of_six_rows_that_agrees_with_hilb_plus_r_is_settled_alike(places):
    seen = defaultdict(set)
    for world in product("abc", repeat=6):
        if 2 * oracle.most(world) <= 6:
            groups = settled("hilb+r", world, 2, places)
            bags = tuple((tuple(group), *sorted(world[row] for row in group)) for group in groups)
            seen[bags].add(world)
    assert len(seen) > 1
    for bags, smart in seen.items():
        assert smart == set(oracle.naive_world([list(group) for group, *_ in bags], next(iter(smart))))


@pytest.mark.parametrize("name", UNSAFE)
def test_the_gate_sees_that_single_rows_were_looked_at(name):
    public, witness = public_of_places(range(6)), witness_of("ccbdbd")
    publisher = find(Kind.PUBLISHER, name).cls()
    recoding = publisher.solve(public, witness, FrequencyDiversity(2), Secret.fresh())
    assert [look.question for look in unlike(witness.looks, recoding.shown)] == ["which row has which value"]


@pytest.mark.parametrize("name", ["hilb+r", "hilb++r"])
@settings(max_examples=60)
@given(drawn=eligible())
def test_the_repairs_look_at_unions_of_published_groups_only(name, drawn):
    values, l = drawn  # noqa: E741
    witness = witness_of(values)
    publisher = find(Kind.PUBLISHER, name).cls()
    recoding = publisher.solve(public_of_places(range(len(values))), witness, FrequencyDiversity(l), Secret.fresh())
    assert not list(unlike(witness.looks, recoding.shown))
    assert all(
        FrequencyDiversity(l).enough(bags).all() for bags in witness.tally(recoding.group, len(recoding.cells))
    )


def test_values_of_rows_that_were_not_asked_about_are_not_told():
    witness = witness_of("babc")
    assert witness.values(np.array([0, -1, 7, 0], dtype=np.int32)).tolist() == [1, NOT_ASKED, 1, 2]
    assert witness.looks[0].label.tolist() == [0, NOT_ASKED, 1, 2]


@pytest.mark.parametrize("name", UNSAFE)
def test_more_than_frequency_diversity_is_refused(name):
    publisher, public, witness = find(Kind.PUBLISHER, name).cls(), public_of_places(range(4)), witness_of("abab")
    models = [KAnonymity(2)], [FrequencyDiversity(2), KAnonymity(3)]
    for parts in models:
        with pytest.raises(RequestError, match=r"hilb\+\+r"):
            publisher.settled(public, witness, together(parts))
    several = Witness(pl.DataFrame({"ill": list("abab"), "paid": [1, 2, 3, 4]}))
    with pytest.raises(RequestError, match="one sensitive column"):
        publisher.settled(public, several, FrequencyDiversity(2))
    group = publisher.settled(public, witness, together([FrequencyDiversity(2), KAnonymity(2)]))
    assert listed(group) == settled(name, "abab", 2)


@pytest.mark.parametrize("name", ["hilb+r", "hilb++r", *UNSAFE])
def test_a_table_that_cannot_be_published_is_refused(name):
    with pytest.raises(GuaranteeError):
        solved(name, "aab", 2)


def test_several_attributes_are_taken_along_the_curve():
    chains = [{v: [v, "*"] for v in "0123"}] * 2
    table = list(product("0123", repeat=2))
    public = public_of(table, chains)
    group = find(Kind.PUBLISHER, "hilb+r").cls().settled(public, witness_of(range(16)), FrequencyDiversity(4))
    quarters = {
        frozenset((int(x) // 2, int(y) // 2) for x, y in (table[row] for row in rows)) for rows in listed(group)
    }
    assert len(quarters) == 4
    assert all(len(quarter) == 1 for quarter in quarters)
