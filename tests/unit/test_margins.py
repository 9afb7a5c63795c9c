"""Is the inclusive strategy safe as it is for tables too large to go through? On tables that are not too large."""

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import islice, product
from math import comb

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from openveil.disclosure import images
from openveil.disclosure.asking import Ratios
from openveil.disclosure.functions import Functions
from openveil.disclosure.images import Inclusive
from openveil.disclosure.judging import judge, nothing_ruled_out
from openveil.disclosure.margins import Margins
from openveil.disclosure.tails import having
from openveil.requirements.entropy_l_diversity import EntropyDiversity
from openveil.requirements.frequency_l_diversity import FrequencyDiversity
from openveil.requirements.recursive_cl_diversity import RecursiveDiversity
from oracles import disclosure as oracle
from oracles.fillings import fillings, merged

MODELS = {
    "frequency 2": (FrequencyDiversity(2), oracle.frequency(2)),
    "recursive 3, 2": (RecursiveDiversity(Fraction(3), 2), oracle.recursive(Fraction(3), 2)),
    "recursive 5, 2": (RecursiveDiversity(Fraction(5), 2), oracle.recursive(Fraction(5), 2)),
}
# Atoms within groups, the bag of all rows, and which functions are released of some table.
TREES = [
    ("recursive 3, 2", ((8, 6), (10,)), (8, 8, 8), {0, 1, 2}),
    ("recursive 5, 2", ((3, 7), (6,)), (7, 6, 3), {0, 1, 2}),
    ("recursive 5, 2", ((3, 4), (5, 4)), (5, 5, 6), {0, 1, 2}),
    ("frequency 2", ((9, 6), (12,)), (9, 9, 9), {1, 2}),
]


def image_of(filling):
    return tuple(tuple((value, count) for value, count in enumerate(row) if count) for row in filling)


class Tree:
    """Atoms within groups within one whole, and every filling of them."""

    def __init__(self, tree, bag, chk):
        self.sizes = [size for group in tree for size in group]
        self.homes = [number for number, group in enumerate(tree) for _ in group]
        self.chk = chk
        rows = [np.repeat(np.arange(len(self.sizes)), self.sizes), np.repeat(self.homes, self.sizes)]
        self.functions = Functions.of([*rows, np.zeros(sum(self.sizes))])
        self.every = list(islice(fillings(self.sizes, [0] * len(self.sizes), (bag,)), 1000))

    def images(self, filling):
        return [
            image_of(filling),
            image_of(merged(filling, self.homes)),
            image_of(merged(filling, [0] * len(filling))),
        ]

    def told(self, released):
        """For each function and image that is released: how often each atom has each value, in all such tables."""
        known = defaultdict(lambda: [Counter() for _ in self.sizes])
        for filling, number in self.every:
            seen = self.images(filling)
            i = released(seen)
            for having_, row in zip(known[i, None if i is None else seen[i]], filling, strict=True):
                having_.update({value: number * count for value, count in enumerate(row)})
        return known

    def largest(self, known):
        return max(Fraction(max(each.values()), each.total()) for each in known)

    def satisfied(self, known):
        return all(self.chk([*each.values()]) for each in known)


def first(inclusive):
    def released(seen):
        return next((i for i, image in enumerate(seen) if inclusive.decide(i, image).holds), None)

    return released


def with_margins(tree, asked):
    """What is released, and told, as if the table were too large to go through."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(images, "MOST", 0)
        inclusive = Inclusive(tree.functions, Ratios((asked,)))
        known = tree.told(first(inclusive))
    return inclusive, known


def checked(tree, asked):
    inclusive, known = with_margins(tree, asked)
    if any(inclusive._spare.values()):
        assert (None, None) not in known
    for (i, image), having_ in known.items():
        if i is not None:
            assert tree.satisfied(having_)
            bounds = inclusive.decide(i, image).chance
            assert bounds[0] <= tree.largest(having_) <= bounds[1]
    return inclusive, known


@pytest.mark.parametrize(("name", "sizes", "bag", "released"), TREES)
def test_what_is_released_with_room_to_spare_is_safe(name, sizes, bag, released):
    asked, chk = MODELS[name]
    _, known = checked(Tree(sizes, bag, chk), asked)
    assert {i for i, _ in known} == released


@pytest.mark.parametrize("name", MODELS)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_what_is_released_of_generated_trees_is_safe(name, data):
    asked, chk = MODELS[name]
    atoms = st.lists(st.integers(1, 5), min_size=1, max_size=3).map(tuple)
    sizes = data.draw(st.lists(atoms, min_size=1, max_size=2).map(tuple))
    rows = sum(map(sum, sizes))
    shares = data.draw(st.lists(st.integers(1, 4), min_size=2, max_size=4))
    bag = tuple(np.diff([0, *(rows * np.cumsum(shares) // sum(shares))]).tolist())
    assume(min(bag) > 0 and rows > 3)
    tree = Tree(sizes, bag, chk)
    assume(len(tree.every) < 300)
    checked(tree, asked)


def test_without_room_to_spare_it_would_not_be_safe():
    asked, chk = MODELS["recursive 5, 2"]
    tree = Tree(((3, 7), (6,)), (7, 6, 3), chk)
    caps = {i: tuple(asked.most(rows) for rows in tree.functions.rows(i)) for i in range(3)}
    careless = Margins(tree.functions, asked, caps)
    known = tree.told(lambda seen: next(i for i in range(3) if careless.stays_within(i, seen[i])))
    assert not all(map(tree.satisfied, known.values()))


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_the_chance_is_bounded_whatever_the_caps(data):
    """Atoms in two published groups, of which one exceeds its cap somewhere."""
    atoms = st.lists(st.integers(1, 4), min_size=1, max_size=3).map(tuple)
    sizes = data.draw(st.tuples(atoms, atoms))
    homes = [number for number, group in enumerate(sizes) for _ in group]
    rows = [sum(group) for group in sizes]
    bags = []
    for number in rows:
        values = data.draw(st.lists(st.integers(0, 2), min_size=number, max_size=number))
        bags.append(tuple(values.count(value) for value in range(3)))
    flat = [size for group in sizes for size in group]
    caps = tuple(data.draw(st.integers(1, size)) for size in flat)
    known, every = [Counter() for _ in flat], 0
    for filling, ways in fillings(flat, homes, tuple(bags)):
        if any(max(row) > cap for row, cap in zip(filling, caps, strict=True)):
            every += ways
            for having_, row, size in zip(known, filling, flat, strict=True):
                having_.update({value: Fraction(ways * count, size) for value, count in enumerate(row)})
    functions = Functions.of([np.repeat(np.arange(len(flat)), flat), np.repeat([0, 1], rows), np.zeros(sum(rows))])
    bound = Margins(functions, FrequencyDiversity(2), {0: caps, 1: (9, 9), 2: (9,)}).chance(1, image_of(bags))
    assert (bound is None) == (every == 0)
    if bound is not None:
        assert max(max(each.values()) for each in known) / every <= bound


def test_the_chance_may_be_that_of_someone_whose_own_atom_stays_within_its_cap():
    """Four of `aaabb` exceed their cap of 2 only if they have all three `a`; so the fifth has `b`."""
    functions = Functions.of([[0, 1, 1, 1, 1], [0] * 5])
    margins = Margins(functions, FrequencyDiversity(1), {0: (1, 2), 1: (3,)})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("openveil.disclosure.margins.learned", lambda *_: None)
        assert margins.chance(1, (((0, 3), (1, 2)),)) >= 1


def test_a_function_that_would_never_be_released_is_none_that_was_passed_over():
    functions = Functions.of([np.arange(24) // size for size in (4, 12, 24)])
    margins = Margins.of(functions, (((0, 8), (1, 8), (2, 8)),), FrequencyDiversity(2))
    assert [*margins.caps] == [1, 2]
    assert margins.before(1) is None


def test_tables_that_are_few_enough_are_gone_through_and_need_no_room_to_spare():
    asked, chk = MODELS["recursive 3, 2"]
    tree = Tree(((8, 6), (10,)), (8, 8, 8), chk)
    inclusive = Inclusive(tree.functions, Ratios((asked,)))
    known = tree.told(first(inclusive))
    assert not any(inclusive._spare.values())
    assert all(tree.satisfied(having_) for (i, _), having_ in known.items() if i is not None)
    assert all(regime.exact for each in known if each[0] is not None for regime in inclusive.decide(*each).groups)


def test_which_functions_may_be_released_is_the_same_for_all_tables_of_the_last_one():
    asked, chk = MODELS["recursive 3, 2"]
    tree = Tree(((8, 6), (10,)), (8, 8, 8), chk)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(images, "MOST", 0)
        inclusive = Inclusive(tree.functions, Ratios((asked,)))
        for filling, _ in tree.every:
            for i, image in enumerate(tree.images(filling)):
                inclusive.decide(i, image)
    assert len(inclusive._spare) == 1


def test_caps_of_groups_that_are_parts_of_others_are_no_larger_shares():
    functions = Functions.of([np.arange(400) // size for size in (10, 20, 40, 200, 400)])
    margins = Margins.of(functions, (((0, 120), (1, 100), (2, 100), (3, 80)),), FrequencyDiversity(2))
    assert [*margins.caps] == [0, 1, 2, 3, 4]
    shares = [max(margins.caps[i]) / (400 / functions.groups(i)) for i in range(4)]
    assert shares == sorted(shares)
    assert shares[3] < 1 / 2 < shares[3] + 0.02


@given(st.integers(1, 9), st.integers(0, 9), st.integers(1, 9), st.integers(0, 4))
def test_having_a_value_that_the_atom_has_too_often_is_counted(size, others, count, most):
    rows = size + others
    assume(count <= rows)
    ways = {x: comb(count, x) * comb(rows - count, size - x) for x in range(most + 1, min(size, count) + 1)}
    found = having(size, count, rows, most)
    if not any(ways.values()):
        assert found == 0
        return
    exact = Fraction(sum(x * number for x, number in ways.items()), size * sum(ways.values()))
    assert exact <= Fraction(found) <= min(exact * (1 + Fraction(1, 10**5)), 1)


def test_the_chance_grows_with_the_cap_and_with_how_often_the_value_occurs():
    for size, rows in product((3, 5, 8), (8, 11)):
        for most, count in product(range(size), range(1, rows)):
            here = having(size, count, rows, most)
            for larger in (having(size, count, rows, most + 1), having(size, count + 1, rows, most)):
                assert here <= larger * (1 + 1e-5) or larger == 0


def even(groups, atoms, size):
    """Groups of equal atoms in one whole, each cut into a few."""
    rows = np.arange(groups * atoms * size)
    return Functions.of([rows // size, rows // (atoms * size), np.zeros(len(rows))])


def test_where_groups_are_cut_evenly_whatever_holds_is_released_and_everyone_is_as_the_group_shows():
    asked = Ratios((EntropyDiversity(Fraction(3)),))
    functions = even(4, 3, 40)
    mixed = tuple((value, 30) for value in range(4))
    inclusive = Inclusive(functions, asked)
    middle = inclusive.decide(1, (mixed,) * 4)
    assert middle.holds
    assert middle.chance == (Fraction(1, 4), Fraction(1, 4))
    last = inclusive.decide(2, (tuple((value, 120) for value in range(4)),))
    assert last.holds
    assert last.chance == (Fraction(1, 4), Fraction(1, 4))


def test_even_groups_that_hold_in_any_table_leave_no_table():
    functions = Functions.of([np.arange(8) // 4, np.zeros(8)])
    assert not judge(functions, 1, (((0, 1), (1, 1), (2, 2), (3, 2), (4, 2)),), FrequencyDiversity(2)).holds


@settings(max_examples=40)
@given(st.lists(st.sampled_from("abcd"), min_size=8, max_size=8).map(tuple))
def test_where_groups_are_cut_evenly_both_strategies_rule_out_the_same(table):
    """Four pairs, two halves, the whole; listed."""
    listed = [[[0, 1], [2, 3], [4, 5], [6, 7]], [[0, 1, 2, 3], [4, 5, 6, 7]], [[*range(8)]]]
    strategies = oracle.Strategies(listed, oracle.frequency(2))
    for i in range(3):
        if strategies.permits(i, table):
            seen = oracle.image(listed[i], table)
            assert strategies.inclusive_set(i, seen) == strategies.exclusive_set(i, seen)


def test_functions_that_never_hold_are_not_gone_through():
    """Of five functions the first three never hold, so the last is as if there were two."""
    asked = Ratios((FrequencyDiversity(2),))
    rows = np.arange(600)
    labels = [rows // 3, rows // 3, rows // 3, (rows >= 290).astype(int), np.zeros(600)]
    odd = Functions.of([*labels[:3], *labels[3:]])
    image = (((0, 300), (1, 200), (2, 100)),)
    inclusive = Inclusive(odd, asked)
    assert inclusive.decide(4, image).groups == judge(odd, 4, image, asked).groups
    assert nothing_ruled_out(image).holds
