"""Do the oracle and the package reproduce the golden cases of area e: disclosure functions and rotations?"""

from collections import Counter
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openveil.disclosure.asking import Ratios
from openveil.disclosure.chains import Chain
from openveil.disclosure.optimal import optimal
from openveil.disclosure.rotations import Ascent, Reading, Rotating, is_conservatively_diverse, rotations
from openveil.disclosure.settings import (
    Setting,
    forward,
    is_monotone,
    is_tn_safe,
    online,
    precedes,
    repaired,
)
from openveil.requirements.entropy_l_diversity import EntropyDiversity
from openveil.requirements.frequency_l_diversity import FrequencyDiversity
from oracles import ddf as oracle
from oracles import rotations as turned
from oracles.disclosure import counts_of, image, known, orders
from oracles.goldens import cases, name_of
from oracles.sequences import functions_of


def predicate_of(described):
    """A predicate as the goldens write it."""
    kind = described["kind"]
    if kind == "count":
        return lambda states: len(states) >= described["k"]
    if kind == "weight":
        return lambda states: sum(described["w"][state] for state in states) >= described["threshold"]
    return lambda states: any(states >= set(each) for each in described["sets"])


def setting_of(case):
    given = case["input"]
    return Setting.of(given["states"], given["schemas"], predicate_of(given["predicate"]))


@pytest.mark.parametrize("case", cases("e_setting"), ids=name_of)
def test_settings(case):
    setting, expected = setting_of(case), case["expected"]
    given = case["input"]
    schemas, states = given["schemas"], given["states"]
    every = oracle.optimal(schemas, setting.safe, states)
    assert sorted(map(list, every)) == expected["p_optimal"]
    assert is_tn_safe(setting) == oracle.is_tn_safe(schemas, setting.safe, states) == expected["tn_safe"]
    assert list(forward(setting)) == expected["algorithm4"]
    assert [online(setting, state) for state in range(states)] == expected["algorithm4"]
    assert setting.is_safe(forward(setting)) == expected["algorithm4_p_safe"]
    assert list(repaired(setting)) == expected["algorithm3_reconstructed"]
    assert repaired(setting) in every
    pytest.importorskip("highspy", reason="the extra `optimal` is not installed")
    assert optimal(setting) in every


def partitions(states):
    return st.lists(st.integers(0, 3), min_size=states, max_size=states).map(
        lambda label: [[s for s, each in enumerate(label) if each == block] for block in sorted(set(label))]
    )


@st.composite
def small_settings(draw, *, monotone=True):
    states = draw(st.integers(2, 5))
    schemas = [draw(partitions(states)) for _ in range(draw(st.integers(1, 2)))] + [[list(range(states))]]
    sets = draw(st.lists(st.sets(st.integers(0, states - 1), min_size=1), max_size=5))
    if monotone:
        return Setting.of(states, schemas, lambda asked: any(asked >= each for each in sets)), schemas
    return Setting.of(states, schemas, lambda asked: any(asked == each for each in sets)), schemas


@settings(max_examples=150)
@given(small_settings())
def test_of_monotone_predicates(drawn):
    setting, schemas = drawn
    every = oracle.optimal(schemas, setting.safe, setting.states)
    tn_safe = oracle.is_tn_safe(schemas, setting.safe, setting.states)
    assert is_monotone(setting) == oracle.is_monotone(setting.safe, setting.states) is True
    assert is_tn_safe(setting) == tn_safe
    assert tuple(online(setting, state) for state in range(setting.states)) == forward(setting)
    if tn_safe:
        assert forward(setting) in every
    found = repaired(setting)
    assert (found is None) == (not every)
    assert found is None or found in every


@settings(max_examples=80)
@given(st.one_of(small_settings(), small_settings(monotone=False)))
def test_the_solver_finds_an_optimal_function_of_any_predicate(drawn):
    pytest.importorskip("highspy", reason="the extra `optimal` is not installed")
    setting, schemas = drawn
    every = oracle.optimal(schemas, setting.safe, setting.states)
    found = optimal(setting)
    assert (found is None) == (not every)
    if found is not None:
        assert found in every
        assert sum(found) == min(map(sum, every))
        assert not any(precedes(other, found) for other in every)


@given(small_settings(monotone=False))
def test_safety_and_monotonicity_are_as_defined(drawn):
    setting, schemas = drawn
    assert is_monotone(setting) == oracle.is_monotone(setting.safe, setting.states)
    for shown in ((0,) * setting.states, forward(setting)):
        assert setting.is_safe(shown) == oracle.is_safe(schemas, setting.safe, shown)


def test_a_setting_that_is_none_is_refused():
    for schemas in ([[[0]], [[0, 1]]], [[[0, 1]], [[0], [1]]], []):
        with pytest.raises(ValueError, match="setting"):
            Setting.of(2, schemas, bool)


def test_the_goldens_are_read(shared):
    assert len(cases("e_setting")) > 5


# Microdata: rotations, conservative diversity and the two readings of Algorithm 5.

FREQUENCY, ENTROPY = FrequencyDiversity(2), EntropyDiversity(Fraction(2))


@pytest.mark.parametrize("case", cases("e_rotation"), ids=name_of)
def test_rotations(case):
    assert sorted(map(list, rotations(tuple(case["input"]["beta"])))) == case["expected"]


@pytest.mark.parametrize("case", cases("e_smallest"), ids=name_of)
def test_the_smallest_set_with_the_entropy_of_its_group(case):
    beta = tuple(case["input"]["beta"])
    group, every = [range(len(beta))], orders(beta)
    any_entropy = EntropyDiversity(Fraction(1))
    sizes = (
        size
        for size in range(1, len(every) + 1)
        for some in combinations(every, size)
        if is_conservatively_diverse(some, group, any_entropy)
    )
    assert next(sizes) == case["expected"]


@pytest.mark.parametrize("case", cases("e_entropy_l"), ids=name_of)
def test_entropy_of_states(case):
    given, expected = case["input"], case["expected"]
    states = [tuple(state) for state in given["states"]]
    asked = EntropyDiversity(Fraction(given["l"]))
    counts = [sorted(Counter(state[row] for state in states).values()) for row in range(len(states[0]))]
    assert counts == expected["counts"]
    assert all(map(asked.permits, counts)) == expected["p"]
    assert is_conservatively_diverse(states, given["g"], asked) == expected["q"]


@pytest.mark.parametrize("case", cases("e_fig8"), ids=name_of)
def test_the_states_of_figure_8(case):
    given, expected = case["input"], case["expected"]
    asked = EntropyDiversity(Fraction(given["l"]))

    def violates(state):
        return any(not asked.permits([*Counter(state[row] for row in group).values()]) for group in given["t1"])

    every = orders(given["bag"])
    states = [state for state in every if violates(state)]
    assert (len(every), len(states)) == (expected["block"], expected["violating"])
    counts = [sorted(Counter(state[row] for state in states).values()) for row in range(len(given["bag"]))]
    assert counts == expected["counts"]
    assert all(map(asked.permits, counts)) == expected["p"]


@pytest.mark.parametrize("reading", Reading)
@pytest.mark.parametrize("case", cases("e_alg5"), ids=name_of)
def test_algorithm_5(case, reading):
    given = case["input"]
    algorithm = Rotating(given["chain"], EntropyDiversity(Fraction(given["l"])), reading)
    assert [[*map(str, levels)] for levels in case["expected"][reading]] == [
        ["".join(state), str(algorithm.level(state))] for state in orders(given["bag"])
    ]


CHAINS_OF_FOUR = [
    [[[0, 1], [2, 3]], [[0, 1, 2, 3]]],
    [[[0], [1, 2, 3]], [[0, 1, 2, 3]]],
    [[[0, 1], [2], [3]], [[0, 1], [2, 3]], [[0, 1, 2, 3]]],
    [[[0, 1, 2], [3]], [[0, 1], [2, 3]]],
]


@pytest.mark.parametrize("reading", Reading)
@pytest.mark.parametrize("chain", CHAINS_OF_FOUR)
@pytest.mark.parametrize("bag", ["AABB", "AABC", "AAAB", "ABCD"])
def test_algorithm_5_is_what_the_oracle_says_of_every_order(bag, chain, reading):
    algorithm = Rotating(chain, ENTROPY, reading)
    for state in orders(bag):
        expected = turned.level(chain, state, 2, remainder=reading is Reading.REMAINDER)
        assert algorithm.level(state) == expected


@given(st.data())
@settings(max_examples=60)
def test_conservative_diversity_is_what_its_definition_says(data):
    bag = data.draw(st.sampled_from(["AABB", "AABC", "ABBB", "AABBC"]))
    every = orders(bag)
    states = data.draw(st.lists(st.sampled_from(every), unique=True, max_size=8))
    groups = data.draw(st.sampled_from([[[0, 1], [2, 3]], [[0, 1, 2, 3]]]))
    assert is_conservatively_diverse(states, groups, ENTROPY) == turned.conservative(states, groups, 2)


@pytest.mark.parametrize("reading", Reading)
@pytest.mark.parametrize("case", cases("e_alg5"), ids=name_of)
def test_both_readings_are_safe_where_something_is_disclosed(case, reading):
    given = case["input"]
    algorithm = Rotating(given["chain"], ENTROPY, reading)
    told = known(
        orders(given["bag"]), lambda state: (algorithm.level(state), _seen(given["chain"], algorithm, state))
    )
    for (level, _), states in told.items():
        if level < len(given["chain"]):
            assert is_conservatively_diverse(states, given["chain"][level], ENTROPY)


def _seen(chain, algorithm, state):
    level = algorithm.level(state)
    return image(chain[level], state) if level < len(chain) else None


@pytest.mark.parametrize(
    ("reading", "bag", "withheld"),
    [(Reading.WHOLE, "AABB", ["AABB", "BBAA"]), (Reading.REMAINDER, "AABC", ["AABC", "AACB", "BCAA", "CBAA"])],
)
def test_claim_6_fails(reading, bag, withheld):
    """What is withheld could be disclosed in the last function: together it satisfies conservative diversity."""
    chain = [[[0, 1], [2, 3]], [[0, 1, 2, 3]]]
    algorithm = Rotating(chain, ENTROPY, reading)
    states = [state for state in orders(bag) if algorithm.level(state) == len(chain)]
    assert ["".join(state) for state in states] == withheld
    assert is_conservatively_diverse(states, chain[1], ENTROPY)


@pytest.mark.parametrize("bag", ["AABB", "AABC"])
@pytest.mark.parametrize("chain", [CHAINS_OF_FOUR[0], [[[0, 1], [2, 3]], [[0, 2], [1, 3]], [[0, 1, 2, 3]]]])
def test_no_function_with_whole_rotation_sets_comes_before_the_whole_reading(chain, bag):
    """Claim 6 holds among disclosure functions whose sets are unions of whole rotation sets."""
    states = orders(bag)
    whole = Rotating(chain, ENTROPY, Reading.WHOLE)
    own = tuple(whole.level(state) for state in states)
    fitting = [
        [i for i, groups in enumerate(chain) if all(map(ENTROPY.permits, bags(groups, state)))] + [len(chain)]
        for state in states
    ]
    allowed = [[i for i in levels if i <= mine] for levels, mine in zip(fitting, own, strict=True)]
    better = [
        shown
        for shown in product(*allowed)
        if precedes(shown, own) and all(_of_whole_rotation_sets(chain, i, states, shown) for i in range(len(chain)))
    ]
    assert better == []
    assert any(len(levels) > 1 for levels in allowed)


def _of_whole_rotation_sets(chain, i, states, shown):
    """Whether with every state that is shown in function i all its rotations are."""
    there = {state for state, level in zip(states, shown, strict=True) if level == i}
    return all(turned.states_of(chain[i], state) <= there for state in there)


@pytest.mark.parametrize("bag", ["AABBC", "AABBCC", "AAABBC", "AABCDE"])
def test_what_is_released_on_real_tables_is_the_whole_reading_of_two_functions_and_no_more_of_three(bag):
    rows = range(len(bag))
    chains = [[[rows[:2], rows[2:]], [rows]]]
    if len(bag) == 6:
        chains.append([[rows[:1], rows[1:3], rows[3:]], [rows[:3], rows[3:]], [rows]])
    for listed in chains:
        whole = Rotating(listed, FREQUENCY, Reading.WHOLE)
        chain = Chain.upwards(functions_of(listed), range(len(listed)))
        ascent, laid = Ascent(chain, Ratios((FREQUENCY,))), chain.ordered(np.arange(len(bag)))
        for state in orders(bag):
            codes = np.array([ord(value) - ord("A") for value in state], dtype=np.int32)
            found = ascent.released(laid, codes)
            level = len(listed) if found is None else found
            assert level == whole.level(state) or (len(listed) > 2 and level > whole.level(state))


EVEN = [
    ([[[0, 1], [2, 3], [4, 5]], [[0, 1, 2, 3, 4, 5]]], "AABBCD"),
    ([[[0, 1], [2, 3], [4, 5], [6, 7]], [[0, 1, 2, 3], [4, 5, 6, 7]], [[*range(8)]]], "AAABBBCC"),
]


@pytest.mark.parametrize(("listed", "bag"), EVEN, ids=["two functions", "three functions"])
def test_of_groups_of_one_size_the_function_that_holds_first_is_released_and_tells_nothing(listed, bag):
    chain = Chain.upwards(functions_of(listed), range(len(listed)))
    ascent, laid = Ascent(chain, Ratios((FREQUENCY,))), chain.ordered(np.arange(len(bag)))

    def shown(state):
        i = ascent.released(laid, np.array([ord(value) - ord("A") for value in state], dtype=np.int32))
        assert i == next(
            k for k, groups in enumerate(listed) if all(FREQUENCY.permits(n) for n in bags(groups, state))
        )
        return i, image(listed[i], state)

    told = known(orders(bag), shown)
    assert {i for i, _ in told} == {*range(len(listed))}
    for (i, seen), states in told.items():
        for rows, values in zip(listed[i], seen, strict=True):
            shares = {value: Fraction(number, len(rows)) for value, number in Counter(values).items()}
            for row in rows:
                found = counts_of(states, row)
                assert {value: Fraction(number, len(states)) for value, number in found.items()} == shares


def bags(groups, state):
    return ([*Counter(state[row] for row in rows).values()] for rows in groups)


def test_the_last_schema_is_safe_by_symmetry_but_not_for_a_bag_that_is_known():
    """Whoever knows the bag AAB learns from silence; who knows only which values there may be does not."""
    chain = [[[0, 1], [2]]]
    algorithm = Rotating(chain, EntropyDiversity(Fraction(2)), Reading.WHOLE)
    everything = [state for state in product("AB", repeat=3) if algorithm.level(state) == 1]
    known_bag = [state for state in orders("AAB") if algorithm.level(state) == 1]
    assert all(ENTROPY.permits([*Counter(state[row] for state in everything).values()]) for row in range(3))
    assert not all(ENTROPY.permits([*Counter(state[row] for state in known_bag).values()]) for row in range(3))
