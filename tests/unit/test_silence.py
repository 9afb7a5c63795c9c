"""Is what silence tells what listing every table says? Are intervals on the safe side?"""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_disclosure import MODELS, AsPublished, sequences

from openveil.core.secret import Secret
from openveil.disclosure import silence as measured
from openveil.disclosure.asking import Ratios
from openveil.disclosure.chains import Chain
from openveil.disclosure.descent import Descent
from openveil.disclosure.functions import Functions
from openveil.disclosure.rotations import Ascent
from openveil.disclosure.silence import silence
from openveil.disclosure.strategies import exclusive, inclusive, naive, never_silent
from openveil.disclosure.subjects import Followed, Rotated, Told
from oracles import disclosure as disclosures
from oracles import rotations as oracle
from oracles.sequences import functions_of, image_of_table

STRATEGIES = {"exclusive": exclusive, "inclusive": inclusive, "naive": naive}
every_model = pytest.mark.parametrize(("asked", "chk"), MODELS.values(), ids=MODELS)
NESTED = [[[0, 1], [2, 3], [4, 5]], [[0, 1], [2, 3, 4, 5]], [[0, 1, 2, 3, 4, 5]]]


def truth(listed, table, released):
    """Of the tables that the last function shows alike, the share met with silence, and the largest chance left."""
    every = disclosures.per(listed[-1], disclosures.image(listed[-1], table))
    silent = {each: 1 - released(each) for each in every}
    size = sum(silent.values())
    if not size:
        return Fraction(0), None
    having = Counter()
    for each, number in silent.items():
        having.update(dict.fromkeys(enumerate(each), number))
    return Fraction(size, len(every)), max(having.values()) / size


def released_by(name, listed, chk):
    strategies = AsPublished(listed, chk)
    if name == "exclusive":
        return lambda table: Fraction(strategies.exclusive(table) is not None)
    if name == "inclusive":
        return lambda table: Fraction(strategies.inclusive(table, len(listed)) is not None)
    return lambda table: Fraction(any(strategies.permits(i, table) for i in range(len(listed))))


def followed(listed, asked, name):
    return Followed(functions_of(listed), Ratios((asked,)), STRATEGIES[name])


def within(found, share, chance):
    assert found.share[0] <= share <= found.share[1]
    if found.chance is not None and chance is not None:
        assert found.chance[0] <= chance <= found.chance[1]


@every_model
@pytest.mark.parametrize("name", STRATEGIES)
@pytest.mark.parametrize("nested", [True, False])
@settings(max_examples=12)
@given(data=st.data())
def test_silence_is_what_listing_the_tables_says(nested, name, asked, chk, data):
    listed, table = data.draw(sequences(nested=nested, rows=6))
    subject, image = followed(listed, asked, name), image_of_table(functions_of(listed), len(listed) - 1, table)
    share, chance = truth(listed, table, released_by(name, listed, chk))
    found = silence(subject, image)
    within(found, share, chance)
    assert found.told is Told.GONE_THROUGH or found.share[1] - found.share[0] <= Fraction(1, 1000)
    if found.told is Told.GONE_THROUGH:
        assert (found.share[0], found.chance and found.chance[0]) == (share, chance)
        assert found.silent == share * found.tables
    if AsPublished(listed, chk).permits(len(listed) - 1, table):
        within(subject.counted(len(listed) - 1, image), share, chance)


@pytest.fixture
def only_drawn(monkeypatch):
    """Nothing is gone through, and the same tables are drawn every time."""
    monkeypatch.setattr(measured, "MOST", -1)
    monkeypatch.setattr(measured, "MOST_DRAWN", 400)
    monkeypatch.setattr(Secret, "fresh", staticmethod(lambda: Secret(bytes([7]) * 32)))


CROSSING = [[[0, 1], [2, 3, 4, 5]], [[0, 1, 2, 3], [4, 5]], [[0, 5], [1, 2, 3, 4]]]


@pytest.mark.usefixtures("only_drawn")
@pytest.mark.parametrize("name", ["exclusive", "inclusive"])
@pytest.mark.parametrize("listed", [NESTED, CROSSING], ids=["nested", "crossing"])
@pytest.mark.parametrize("table", ["xxyyzw", "xxyzwv", "xyxyzz", "xyzxyz"])
def test_what_is_drawn_is_near_what_is_so(name, listed, table):
    asked, chk = MODELS["frequency 2"]
    image = image_of_table(functions_of(listed), len(listed) - 1, table)
    share, chance = truth(listed, table, released_by(name, listed, chk))
    found = silence(followed(listed, asked, name), image)
    within(found, share, chance)
    assert found.share[1] - found.share[0] < Fraction(1, 8)


# The first function that holds is not released, and a later one that holds would be.
STOPPED = [
    ([[[0, 1, 3], [2, 4]], [[0, 2, 4], [1, 3]], [[0, 1, 2, 3, 4]]], "bacad"),
    ([[[0, 3], [1, 4, 5], [2, 6]], [[1, 2, 3, 4, 6], [0, 5]], [[2, 4, 6], [0, 1, 3, 5]]], "dadbaab"),
]


@pytest.mark.parametrize(("listed", "table"), STOPPED)
def test_the_exclusive_strategy_is_silent_where_the_first_function_that_holds_is_not_released(listed, table):
    asked, chk = MODELS["frequency 2"]
    share, chance = truth(listed, table, released_by("exclusive", listed, chk))
    found = silence(followed(listed, asked, "exclusive"), image_of_table(functions_of(listed), 2, table))
    assert share > 0
    assert (found.share, found.chance) == ((share,) * 2, (chance,) * 2)


def test_where_the_first_function_holds_of_every_table_nothing_is_silent():
    listed = [[[0, 1], [2, 3]], [[0, 1, 2, 3]]]
    image = image_of_table(functions_of(listed), 1, "abcd")
    for name in ("exclusive", "inclusive"):
        found = silence(followed(listed, MODELS["frequency 2"][0], name), image)
        assert (found.share, found.chance) == ((0, 0), None)


@pytest.mark.parametrize("name", ["exclusive", "inclusive"])
def test_functions_are_left_out_until_there_is_no_silence(name):
    """With all three functions both strategies are silent about 24 of these tables."""
    asked, functions = MODELS["frequency 2"][0], functions_of(NESTED)
    every = disclosures.orders("xxyzwv")
    shown = [Shown(functions, table, asked) for table in every]
    kept = never_silent(functions, shown[0], Ratios((asked,)), STRATEGIES[name])
    plain, safe = (
        sum(STRATEGIES[name](tried, each, Ratios((asked,))).released is None for each in shown)
        for tried in (functions, kept)
    )
    assert (plain, safe) == (24, 0)


@pytest.mark.usefixtures("only_drawn")
def test_what_takes_too_long_to_judge_counts_both_ways(monkeypatch):
    asked = MODELS["frequency 2"][0]
    image = image_of_table(functions_of(NESTED), 2, "xxyzwv")
    monkeypatch.setattr(Followed, "counted", lambda *_: None)
    monkeypatch.setattr(measured, "MOST_DRAWN", 900)
    known = silence(followed(NESTED, asked, "exclusive"), image)
    assert known.told is Told.DRAWN
    assert known.chance is not None
    subject = followed(NESTED, asked, "exclusive")
    subject._left = 0
    untold = silence(subject, image)
    assert untold.share[0] < known.share[0]
    assert untold.share[1] > known.share[1]
    assert untold.chance is None


def rotated(listed, asked, way):
    functions = functions_of(listed)
    chosen, ratios = range(len(listed)), Ratios((asked,))
    fitting = tuple(np.ones(functions.groups(i), dtype=np.bool_) for i in chosen)
    up, down = Chain.upwards(functions, chosen), Chain.downwards(functions, chosen)
    return Rotated(functions, ratios, Ascent(up, ratios) if way == "up" else Descent(down, fitting, ratios))


@pytest.mark.parametrize("bag", ["aabbc", "aabcd", "aaabb"])
def test_how_likely_rotation_is_silent_is_what_going_through_orders_says(bag):
    listed = [[[0], [1, 2], [3, 4]], [[0, 1, 2], [3, 4]], [[0, 1, 2, 3, 4]]]
    asked, chk = MODELS["frequency 2"]
    subject = rotated(listed[1:], asked, "up")

    def released(table):
        found = oracle.ascended(listed[1:], table, chk)
        return 1 - Fraction(found[None], found.total())

    share, chance = truth(listed, bag, released)
    found = silence(subject, image_of_table(functions_of(listed), 2, bag))
    assert (found.share, found.chance) == ((share,) * 2, chance and (chance,) * 2)


@pytest.mark.parametrize("bag", ["aabb", "aabc", "abcd"])
def test_what_comes_of_three_functions_is_what_going_through_orders_says(bag):
    listed = [[[0], [1], [2, 3]], [[0, 1], [2, 3]], [[0, 1, 2, 3]]]
    asked, chk = MODELS["distinct 2"]
    for table in disclosures.orders(bag):
        found, expected = Counter(), oracle.ascended(listed, table, chk)
        codes = np.array([*map(ord, table)], dtype=np.int32) - ord("a")
        subject = rotated(listed, asked, "up")
        for group, chance in subject.way.outcomes(codes):
            [i] = [i for i in subject.way.functions_of(group) if i in subject.way.chain.numbers][:1]
            found[i] += chance
        assert found == {i: Fraction(n, expected.total()) for i, n in expected.items() if i is not None}


@pytest.mark.usefixtures("only_drawn")
def test_rotation_is_drawn_where_it_cannot_be_gone_through():
    listed = [[[0, 1], [2, 3, 4]], [[0, 1, 2, 3, 4]]]
    asked, chk = MODELS["frequency 2"]

    def released(table):
        found = oracle.ascended(listed, table, chk)
        return 1 - Fraction(found[None], found.total())

    share, chance = truth(listed, "aabbc", released)
    found = silence(rotated(listed, asked, "up"), image_of_table(functions_of(listed), 1, "aabbc"))
    assert found.told is Told.DRAWN
    assert 0 < share < 1
    within(found, share, chance)


def test_going_down_is_never_silent():
    found = silence(
        rotated(NESTED, MODELS["frequency 2"][0], "down"), image_of_table(functions_of(NESTED), 2, "xxyyzw")
    )
    assert found.share == (0, 0)
    assert found.chance is None


def test_silence_because_the_last_function_fails_tells_only_that():
    image = image_of_table(functions_of(NESTED), 2, "xxxxyz")
    for subject in (
        followed(NESTED, MODELS["frequency 2"][0], "exclusive"),
        rotated(NESTED, MODELS["frequency 2"][0], "up"),
    ):
        found = silence(subject, image)
        assert (found.share, found.chance) == ((1, 1), (Fraction(2, 3),) * 2)
        assert found.told is Told.COUNTED


def test_nothing_is_told_where_no_function_is_tried():
    functions = Functions.of([np.zeros(3)], [False])
    assert silence(Followed(functions, Ratios((MODELS["frequency 2"][0],)), exclusive), (((0, 3),),)) is None


def test_large_tables_are_counted_and_not_drawn():
    """Two functions; the first holds of next to no table by chance, so silence tells next to nothing."""
    rows = 4000
    functions = Functions.of([np.arange(rows) // 4, np.zeros(rows)])
    image = (((0, 1200), (1, 1000), (2, 1000), (3, 800)),)
    for strategy in (exclusive, inclusive):
        found = silence(Followed(functions, Ratios((MODELS["frequency 2"][0],)), strategy), image)
        assert found.told is Told.COUNTED
        assert found.share == (0, 0)


@every_model
@given(data=st.data())
@settings(max_examples=15)
def test_where_the_first_function_always_holds_it_is_released_and_nothing_else(asked, chk, data):
    """Safe refusals keep a function that holds of every table."""
    listed, table = data.draw(sequences(nested=True, rows=6))
    functions = functions_of(listed)
    strategies = AsPublished(listed, chk)
    if not strategies.permits(len(listed) - 1, table):
        return
    every = disclosures.per(listed[-1], disclosures.image(listed[-1], table))
    for name in ("exclusive", "inclusive"):
        kept = never_silent(functions, Shown(functions, table, asked), Ratios((asked,)), STRATEGIES[name])
        for each in every:
            outcome = STRATEGIES[name](kept, Shown(functions, each, asked), Ratios((asked,)))
            assert outcome.released is not None
        always = [i for i in range(len(listed)) if all(strategies.permits(i, each) for each in every)]
        assert min(i for i, fits in enumerate(kept.fits) if fits) <= min(always)


class Shown:
    """What functions show of a table that is given as its values."""

    def __init__(self, functions, table, asked):
        self.functions, self.table, self.asked = functions, table, asked

    def image(self, i):
        return image_of_table(self.functions, i, self.table)

    def holds(self, i):
        return all(self.asked.permits([n for _, n in group]) for group in self.image(i))
