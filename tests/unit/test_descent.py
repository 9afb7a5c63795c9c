"""Is every answer about rotations the one that making them gives? Does everyone keep the chances of the group?"""

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import pairwise, permutations, product
from math import factorial, prod

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from openveil.core.secret import ChanceError
from openveil.disclosure import arrangements, turning
from openveil.disclosure.asking import Ratios
from openveil.disclosure.chains import Chain
from openveil.disclosure.descent import Descent
from openveil.disclosure.rotations import Ascent
from openveil.disclosure.turning import Circle, Limits, always, ever, unit_of
from openveil.requirements.distinct_l_diversity import DistinctDiversity
from openveil.requirements.entropy_l_diversity import EntropyDiversity
from openveil.requirements.frequency_l_diversity import FrequencyDiversity
from openveil.requirements.recursive_cl_diversity import RecursiveDiversity
from oracles import disclosure as disclosures
from oracles import rotations as oracle
from oracles.disclosure import orders
from oracles.sequences import functions_of

MODELS = {
    "frequency 2": (FrequencyDiversity(2), disclosures.frequency(2)),
    "frequency 3": (FrequencyDiversity(3), disclosures.frequency(3)),
    "recursive 2, 2": (RecursiveDiversity(Fraction(2), 2), disclosures.recursive(Fraction(2), 2)),
    "recursive 3, 3": (RecursiveDiversity(Fraction(3), 3), disclosures.recursive(Fraction(3), 3)),
    "entropy 2": (EntropyDiversity(Fraction(2)), disclosures.entropy(Fraction(2))),
    "distinct 3": (DistinctDiversity(3), lambda counts: sum(count > 0 for count in counts) >= 3),
}
every_model = pytest.mark.parametrize(("asked", "chk"), MODELS.values(), ids=MODELS)
# The last function is everyone; before it uneven groups, even ones, and uneven ones of uneven ones.
CHAINS = {
    "two and four": [[[0, 1], [2, 3, 4, 5]], [[0, 1, 2, 3, 4, 5]]],
    "twice three": [[[0, 1, 2], [3, 4, 5]], [[0, 1, 2, 3, 4, 5]]],
    "even in uneven": [[[0, 1], [2, 3], [4, 5]], [[0, 1], [2, 3, 4, 5]], [[0, 1, 2, 3, 4, 5]]],
    "two parts": [[[0], [1], [2, 3], [4, 5]], [[0, 1], [2, 3, 4, 5]]],
    "three and four": [[[0, 1, 2], [3, 4, 5, 6]], [[0, 1, 2, 3, 4, 5, 6]]],
}
BAGS = {6: ["aabbcc", "aabbcd", "aaabbc"], 7: ["aabbccd"]}
CASES = [(name, bag) for name, listed in CHAINS.items() for bag in BAGS[sum(map(len, listed[0]))]]


def codes_of(table):
    return np.array([ord(value) - ord("a") for value in table], dtype=np.int32)


def descent_of(listed, asked):
    functions = functions_of(listed)
    fitting = tuple(np.ones(functions.groups(i), dtype=np.bool_) for i in range(len(listed)))
    return Descent(Chain.downwards(functions, range(len(listed))), fitting, Ratios((asked,)))


def cut_of(group):
    return frozenset(tuple(np.flatnonzero(group == each).tolist()) for each in np.unique(group))


def outcomes_of(descent, table):
    found = Counter()
    for group, chance in descent.outcomes(codes_of(table)):
        assert descent.may_release(group)
        found[cut_of(group)] += chance
    return found


@every_model
@settings(max_examples=60)
@given(data=st.data())
def test_windows_are_turned_as_the_oracle_turns_them(asked, chk, data):
    word = data.draw(st.lists(st.sampled_from("aaabbcd"), min_size=2, max_size=12))
    sizes, left = [], len(word)
    while left:
        sizes.append(data.draw(st.integers(1, left)))
        left -= sizes[-1]
    sizes = data.draw(st.sampled_from([sizes, [len(word) // 2] * 2 if len(word) % 2 == 0 else sizes]))
    unit = data.draw(st.sampled_from([1, unit_of(np.array(sizes)), len(word)]))
    circle = Circle(codes_of(word), np.array(sizes), unit)
    expected = oracle.turns_that_hold(word, sizes, unit, chk)
    limits = Limits(Ratios((asked,)), 4)
    assert always(circle, limits) == all(expected)
    assert ever(circle, limits) == any(expected)


@every_model
@settings(max_examples=60)
@given(st.lists(st.integers(1, 6), min_size=1, max_size=5))
@example([3, 3, 1, 1])
def test_what_is_taken_for_sure_is_so(asked, chk, counts):
    low, high = Limits(Ratios((asked,)), len(counts)).of(np.array([sum(counts)]))[0]
    if max(counts) <= low:
        assert chk(sorted(counts, reverse=True))
    if max(counts) > high:
        assert not chk(sorted(counts, reverse=True))


@pytest.mark.parametrize(("name", "bag"), CASES)
@pytest.mark.parametrize("model", ["frequency 2", "entropy 2"])
def test_what_comes_of_a_table_is_as_likely_as_making_every_rotation_says(name, bag, model):
    asked, chk = MODELS[model]
    descent = descent_of(CHAINS[name], asked)
    for table in orders(bag)[::29]:
        assert outcomes_of(descent, table) == oracle.descended(CHAINS[name], table, chk)


@every_model
@pytest.mark.parametrize(("name", "bag"), CASES)
def test_everyone_has_each_value_as_likely_as_the_group_shows_and_silence_tells_only_of_the_last(
    name, bag, asked, chk
):
    descent, weighed = descent_of(CHAINS[name], asked), defaultdict(list)
    for table in orders(bag):
        outcomes = outcomes_of(descent, table)
        last = all(oracle.holds([table[row] for row in rows], chk) for rows in CHAINS[name][-1])
        assert sum(outcomes.values()) == last
        for cut, chance in outcomes.items():
            weighed[frozenset((rows, tuple(sorted(table[row] for row in rows))) for rows in cut)].append(
                (table, chance)
            )
    assert not weighed or wrong_chances(weighed) == 0


def wrong_chances(weighed):
    """How often someone is told a value with another chance than the group shows."""
    wrong = 0
    for seen, tables in weighed.items():
        whole = sum(chance for _, chance in tables)
        for rows, values in seen:
            for row, value in product(rows, set(values)):
                told = sum(chance for table, chance in tables if table[row] == value)
                wrong += told / whole != Fraction(values.count(value), len(values))
    return wrong


def test_something_comes_of_chance_and_something_finer_than_the_last_is_released():
    asked = MODELS["frequency 2"][0]
    chances = [
        outcomes
        for name, bag in CASES
        for table in orders(bag)
        for outcomes in [outcomes_of(descent_of(CHAINS[name], asked), table)]
    ]
    assert any(len(outcomes) > 1 for outcomes in chances)
    assert any(len(cut) == 3 for outcomes in chances for cut in outcomes)


def test_taking_apart_what_holds_as_it_stands_would_tell():
    """The test can fail: groups of two and four rows, taken apart whenever both hold."""
    listed, chk = CHAINS["two and four"], MODELS["frequency 2"][1]
    weighed = defaultdict(list)
    for table in orders("aabbcd"):
        held = all(oracle.holds([table[row] for row in rows], chk) for rows in listed[0])
        weighed[
            frozenset((tuple(rows), tuple(sorted(table[row] for row in rows))) for rows in listed[not held])
        ].append((table, Fraction(1)))
    assert wrong_chances(weighed) > 0


def test_orders_that_are_drawn_come_to_what_is_counted():
    """All permutations that may be drawn, for two groups of two and four rows."""
    descent, table = descent_of(CHAINS["two and four"], MODELS["frequency 2"][0]), "abcabd"
    found = Counter()
    for groups, rows in product(permutations(range(2)), permutations(range(6))):
        drawn = {1: np.arange(1), 2: np.array(groups), 6: np.array(rows)}
        found[cut_of(descent.groups(codes_of(table), lambda purpose, size, drawn=drawn: drawn[size]))] += 1
    expected = outcomes_of(descent, table)
    assert len(expected) == 2
    assert {cut: Fraction(number, 1440) for cut, number in found.items()} == expected


@pytest.fixture
def nothing_remembered():
    """Shares that are counted under other limits are neither used nor kept."""
    arrangements._share.cache_clear()
    yield
    arrangements._share.cache_clear()


@pytest.mark.usefixtures("nothing_remembered")
@pytest.mark.parametrize("limit", ["MOST", "MOST_UNSURE"])
def test_what_takes_too_long_to_tell_is_not_done_and_tells_nothing(limit, monkeypatch):
    monkeypatch.setattr(turning, limit, 0)
    circle, asked = Circle(codes_of("aabbcd"), np.array([4, 2]), 1), MODELS["entropy 2"][0]
    assert not always(circle, Limits(Ratios((asked,)), 4))
    assert ever(circle, Limits(Ratios((asked,)), 4))
    weighed = defaultdict(list)
    for table in orders("aabbcc"):
        for cut, chance in outcomes_of(descent_of(CHAINS["two parts"], asked), table).items():
            seen = frozenset((rows, tuple(sorted(table[row] for row in rows))) for rows in cut)
            weighed[seen].append((table, chance))
    assert weighed
    assert wrong_chances(weighed) == 0


def test_groups_that_are_too_small_are_not_asked_about():
    listed = [[[0, 1, 2], [3, 4, 5]], [[0, 1, 2, 3, 4, 5]]]
    descent = descent_of(listed, DistinctDiversity(2))
    small = Descent(descent.chain, (np.array([True, False]), np.array([True])), descent.asked)
    assert len(descent.groups(codes_of("abcabc"), lambda _, size: np.arange(size))) == 6
    assert descent.groups(codes_of("abcabc"), lambda _, size: np.arange(size)).max() == 1
    assert small.groups(codes_of("abcabc"), lambda _, size: np.arange(size)).max() == 0
    assert [chance for _, chance in small.outcomes(codes_of("abcabc"))] == [1]
    assert not small.may_release(np.array([0, 0, 0, 1, 1, 1]))
    assert not descent.may_release(np.array([0, 0, 1, 1, 1, 1]))


@pytest.mark.parametrize("name", CHAINS)
@pytest.mark.parametrize("bag", ["aabbccd", "abcabca"])
def test_orders_are_as_many_as_they_are_said_to_be_and_none_comes_twice(name, bag, monkeypatch):
    listed = CHAINS[name]
    chain = Chain.upwards(functions_of(listed), range(len(listed)))
    values = codes_of(bag[: sum(map(len, listed[0]))])
    every = [tuple(order.tolist()) for order in arrangements.arrangements(chain, values)]
    assert len(every) == len(set(every)) == expected_orders(listed, values)
    monkeypatch.setattr(arrangements, "MOST", len(every) - 1)
    with pytest.raises(ChanceError):
        next(arrangements.arrangements(chain, values))


def expected_orders(listed, values):
    """Orders of smaller groups in groups that are taken apart, times orders of values in the smallest of these."""
    number = 1
    for coarse, fine in pairwise(reversed(listed)):
        number *= prod(factorial(len(oracle.inner(tuple(group), fine))) for group in coarse)
    apart = {tuple(rows) for rows in listed[0]} - {tuple(rows) for rows in listed[-1]}
    return number * prod(
        factorial(len(rows)) // prod(map(factorial, Counter(values[list(rows)].tolist()).values())) for rows in apart
    )


def test_more_orders_than_can_be_gone_through_are_refused():
    rows = [*range(8)]
    descent = descent_of([[rows[:1], rows[1:]], [rows]], FrequencyDiversity(2))
    with pytest.raises(ChanceError):
        [*descent.outcomes(np.arange(8, dtype=np.int32))]
    assert len([*descent.outcomes(codes_of("aabbaabb"))]) >= 1


@pytest.mark.parametrize("bag", ["aabbc", "aaabc", "abcde"])
@pytest.mark.parametrize("sizes", [(2, 3), (1, 4)])
def test_no_two_functions_make_plain_rotation_never_silent_unless_one_of_them_always_or_never_holds(bag, sizes):
    """Why the safe variant is another method: groups of unequal size cannot be left out until it is."""
    first = [[*range(sizes[0])], [*range(sizes[0], 5)]]
    asked, chk = MODELS["frequency 2"]
    chain = Chain.upwards(functions_of([first, [[*range(5)]]]), range(2))
    ascent = Ascent(chain, Ratios((asked,)))
    held = [all(oracle.holds([table[row] for row in rows], chk) for rows in first) for table in orders(bag)]
    silent = [
        sum(chance for _, chance in ascent.outcomes(codes_of(table))) < oracle.holds(table, chk)
        for table in orders(bag)
    ]
    assert any(silent) == (any(held) and not all(held))
