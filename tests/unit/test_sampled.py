"""What is told by drawing tables: do bounds hold, is a yes never wrong, does everyone draw the same tables?"""

from collections import Counter
from fractions import Fraction
from math import comb, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openveil.disclosure import images, sampled
from openveil.disclosure.asking import Ratios
from openveil.disclosure.functions import Functions
from openveil.disclosure.images import Inclusive
from openveil.disclosure.judgements import Regime
from openveil.disclosure.judging import judge, without_drawing
from openveil.disclosure.parts import whole_of
from openveil.disclosure.sampled import ERROR, Deal, above, by_sample
from openveil.requirements.distinct_l_diversity import DistinctDiversity
from openveil.requirements.entropy_l_diversity import EntropyDiversity
from openveil.requirements.frequency_l_diversity import FrequencyDiversity
from openveil.requirements.recursive_cl_diversity import RecursiveDiversity
from oracles import disclosure as oracle
from oracles.fillings import fillings
from oracles.sequences import functions_of, image_of_table

MODELS = {
    "frequency 2": (FrequencyDiversity(2), oracle.frequency(2)),
    "recursive 2, 3": (RecursiveDiversity(Fraction(2), 3), oracle.recursive(Fraction(2), 3)),
    "entropy 2": (EntropyDiversity(Fraction(2)), oracle.entropy(Fraction(2))),
    "distinct 2": (DistinctDiversity(2), lambda counts: sum(count > 0 for count in counts) >= 2),
}
every_model = pytest.mark.parametrize(("asked", "chk"), MODELS.values(), ids=MODELS)
TWO = Ratios((FrequencyDiversity(2),))
UNEVEN = Functions.of([np.repeat([0, 1, 2, 3, 4], [20, 27, 23, 31, 19]), np.repeat([0, 1], [70, 50])])
SHOWN = (((0, 26), (1, 20), (2, 14), (3, 10)), ((0, 20), (1, 13), (2, 12), (3, 5)))
ASKED = Ratios((RecursiveDiversity(Fraction(2), 3),))


def groups_of(label):
    return [[row for row, each in enumerate(label) if each == group] for group in sorted(set(label))]


@st.composite
def sequences(draw):
    """A table of a few rows, and two or three functions, nested or not."""
    rows = draw(st.integers(4, 7))
    number = draw(st.integers(1, 2))
    labels = [draw(st.lists(st.integers(0, 2), min_size=rows, max_size=rows)) for _ in range(number)]
    last = draw(st.one_of(st.just([0] * rows), st.lists(st.integers(0, 1), min_size=rows, max_size=rows)))
    table = tuple(draw(st.permutations("abcabdc"[:rows])))
    return [groups_of(label) for label in (*labels, last)], table


@every_model
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_bounds_contain_what_is_true_and_a_yes_is_true(asked, chk, data):
    listed, table = data.draw(sequences())
    functions, strategies = functions_of(listed), oracle.Strategies(listed, chk)
    i = len(listed) - 1
    if not strategies.permits(i, table):
        return
    seen = oracle.image(listed[i], table)
    tables, whole = strategies.exclusive_set(i, seen), oracle.per(listed[i], seen)
    found = by_sample(functions, image_of_table(functions, i, table), Ratios((asked,)), ERROR)
    if found is not None:
        assert oracle.satisfies(tables, chk)
        assert found.ruled_out[0] <= 1 - Fraction(len(tables), len(whole)) <= found.ruled_out[1]
        assert oracle.largest_ratio(tables) <= found.chance[1]


def truth(sizes, bag, chk):
    """The chances of everyone in the tables of one group in which some atom fails."""
    known, every = [Counter() for _ in sizes], 0
    for filling, ways in fillings(sizes, [0] * len(sizes), (bag,)):
        if not all(chk(sorted(row)) for row in filling):
            every += ways
            for having, row, size in zip(known, filling, sizes, strict=True):
                having.update({value: Fraction(ways * count, size) for value, count in enumerate(row)})
    return [{value: number / every for value, number in having.items()} for having in known] if every else []


# Atoms of a group, its values, and how surely someone has one of them if some atom has too much of a value.
CLOSE = [
    ((5, 9), (6, 4, 4), Fraction(261, 365)),
    ((5, 9), (7, 3, 4), Fraction(26, 35)),
    ((4, 8), (6, 3, 3), Fraction(2, 3)),
    ((2, 9), (7, 3, 1), Fraction(7, 9)),
    ((2, 9), (6, 3, 2), Fraction(3, 5)),
    ((2, 9), (6, 4, 1), Fraction(5, 7)),
    ((2, 9), (5, 3, 3), Fraction(5, 8)),
]


def close_calls():
    """Groups in which someone has a value a little more surely than is permitted."""
    for sizes, bag, chance in CLOSE:
        limit = chance - Fraction(1, 100_000)
        known = truth(sizes, bag, oracle.recursive(limit, 1))
        assert max(max(each.values()) for each in known) == chance
        functions = Functions.of([np.repeat(range(len(sizes)), sizes), np.zeros(sum(sizes))])
        yield functions, (tuple(enumerate(bag)),), Ratios((RecursiveDiversity(limit, 1),))


def test_sets_that_fail_by_a_little_are_never_released(monkeypatch):
    failing = [*close_calls()]
    assert not any(by_sample(*each, ERROR) for each in failing)
    monkeypatch.setattr(sampled, "above", lambda mean, *_: mean)
    assert any(by_sample(*each, ERROR) for each in failing)


def test_a_set_at_its_limit_is_undecided_however_often_is_drawn():
    """Halves of a group: everyone has the most frequent value with a chance of one half, and no sample tells that."""
    functions = Functions.of([[0, 0, 0, 1, 1, 1], [0] * 6])
    assert by_sample(functions, (((0, 3), (1, 2), (2, 1)),), TWO, ERROR) is None


@pytest.mark.parametrize("tries", [1, 7, 30])
@pytest.mark.parametrize("odds", [0.5, 2.0, 5.0])
def test_the_bound_is_passed_as_seldom_as_it_says(tries, odds):
    """Exact binomial chances of every outcome whose bound lies below the expectation."""
    bounds = above(np.arange(tries + 1) / tries, tries, odds)
    for p in (Fraction(number, 40) for number in range(41)):
        chances = [comb(tries, k) * p**k * (1 - p) ** (tries - k) for k in range(tries + 1)]
        assert sum(chance for chance, bound in zip(chances, bounds, strict=True) if bound < p) <= np.exp(-odds)


def test_the_bound_is_that_of_a_coin_that_always_falls_alike():
    odds = log(1e9)
    assert above(0.0, 100, odds) == pytest.approx(1 - 1e-9 ** (1 / 100), abs=1e-8)
    assert above(1.0, 100, odds) == 1.0


def deal_of(functions, image):
    return Deal.of(functions, whole_of(functions, len(functions) - 1, image))


def test_every_dealing_is_as_likely_as_the_tables_it_stands_for():
    functions = Functions.of([[0, 0, 1, 1, 1, 2, 2], [0, 0, 0, 0, 0, 1, 1]])
    deal = deal_of(functions, (((0, 3), (1, 1), (2, 1)), ((0, 1), (2, 1))))
    drawn = Counter(tuple(map(tuple, each.tolist())) for some in deal.drawn() for each in some)
    exact = dict(fillings(deal.part.atoms, deal.part.home, deal.part.bags))
    tables, every = drawn.total(), sum(exact.values())
    assert drawn.keys() == exact.keys()
    for filling, ways in exact.items():
        share = ways / every
        assert abs(drawn[filling] / tables - share) < 5 * (share * (1 - share) / tables) ** 0.5


def renamed(functions, image, random):
    """The same published groups and functions, where groups, rows and values go by other names."""
    rows = random.permutation(len(functions.labels[0]))
    labels = [random.permutation(functions.groups(i))[functions.labels[i]][rows] for i in range(len(functions))]
    names = random.permutation(9)
    before = functions.labels[-1][rows]
    bags = {
        int(new): tuple(sorted((int(names[value]), count) for value, count in image[old]))
        for new, old in zip(labels[-1], before, strict=True)
    }
    return Functions.of(labels), tuple(bags[group] for group in sorted(bags))


def test_everyone_draws_the_same_tables_whatever_things_are_called():
    random, said = np.random.default_rng(3), by_sample(UNEVEN, SHOWN, ASKED, ERROR)
    assert said is not None
    for _ in range(5):
        assert by_sample(*renamed(UNEVEN, SHOWN, random), ASKED, ERROR) == said
    other = (SHOWN[0], ((0, 20), (1, 12), (2, 13), (3, 5)))
    assert deal_of(UNEVEN, other)._stream.random_raw() != deal_of(UNEVEN, SHOWN)._stream.random_raw()


def test_what_is_neither_counted_nor_bounded_may_be_told_by_drawing():
    assert Regime.UNDECIDED in without_drawing(UNEVEN, 1, SHOWN, ASKED).groups
    said = judge(UNEVEN, 1, SHOWN, ASKED)
    assert said.holds
    assert said.groups == {Regime.SAMPLED: 2}
    assert Fraction(2, 5) == said.chance[0] < said.chance[1] < Fraction(1, 2)
    assert 0.4 < said.ruled_out[0] < said.ruled_out[1] < 0.5


def nested(sizes):
    """Atoms in two groups in one whole."""
    flat = [size for group in sizes for size in group]
    labels = [np.repeat(range(4), flat), np.repeat([0, 0, 1, 1], flat), np.zeros(sum(flat))]
    return Functions.of(labels)


@pytest.mark.parametrize(("sizes", "bag"), [(((4, 5), (5, 4)), (6, 6, 6)), (((5, 4), (6, 5)), (7, 7, 6))])
def test_the_inclusive_strategy_asks_of_drawn_tables_what_it_would_release(sizes, bag, monkeypatch):
    asked, image = Ratios((RecursiveDiversity(Fraction(3), 3),)), (tuple(enumerate(bag)),)
    monkeypatch.setattr(images, "MOST", 10_000)
    listed = Inclusive(nested(sizes), asked).decide(2, image)
    monkeypatch.setattr(images, "MOST", 1_500)
    drawn = Inclusive(nested(sizes), asked).decide(2, image)
    assert (listed.groups, drawn.groups) == ({Regime.LISTED: 1}, {Regime.SAMPLED: 1})
    assert listed.holds
    assert drawn.holds
    assert drawn.ruled_out[0] <= listed.ruled_out[0] <= drawn.ruled_out[1]
    assert listed.chance[1] <= drawn.chance[1]


def test_tables_of_too_many_kinds_are_not_drawn_for_the_inclusive_strategy(monkeypatch):
    asked = Ratios((RecursiveDiversity(Fraction(3), 3),))
    monkeypatch.setattr(images, "MOST", 100)
    said = Inclusive(nested(((4, 5), (5, 4))), asked).decide(2, (((0, 6), (1, 6), (2, 6)),))
    assert said.groups == {Regime.UNDECIDED: 1}


def test_nothing_is_drawn_of_tables_that_are_too_large(monkeypatch):
    monkeypatch.setattr(sampled, "MOST_ROWS", 120 * 999)
    assert by_sample(UNEVEN, SHOWN, ASKED, ERROR) is None
