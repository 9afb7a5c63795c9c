"""Is what a finer step that was given up tells counted right? Compared with enumeration throughout."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from openveil.adversary.minimality import SEVERAL, Minimality, Steps
from openveil.adversary.smart_world import SmartWorld
from openveil.core.attack import Sensitive, Target
from openveil.core.errors import RequestError
from openveil.core.finding import Verdict
from openveil.core.full_domain import classes_of, recode
from openveil.core.recoding import Recoding
from openveil.core.registry import Kind, find
from openveil.core.requirement import together
from openveil.core.secret import Secret
from openveil.core.witness import Witness
from openveil.requirements.distinct_l_diversity import DistinctDiversity
from openveil.requirements.frequency_l_diversity import FrequencyDiversity
from openveil.requirements.k_anonymity import KAnonymity
from openveil.tools.arranging import arrangements, spread_over
from openveil.tools.cuts import Widths
from oracles import asap, hilbert
from oracles.attacks import chances, orders, parts_hold
from oracles.points import public_of_points
from oracles.public import public_of
from oracles.targets import ILL, target_of

# Counting.


@st.composite
def cut_bags(draw):
    """A bag, the parts its rows are cut into, and the caps of the parts."""
    values = draw(st.lists(st.sampled_from("abcd"), min_size=1, max_size=7))
    label = draw(st.lists(st.integers(0, 2), min_size=len(values), max_size=len(values)))
    parts = [[row for row, each in enumerate(label) if each == number] for number in sorted(set(label))]
    caps = draw(st.lists(st.none() | st.integers(0, 4), min_size=len(parts), max_size=len(parts)))
    return sorted(values), parts, caps


@given(cut_bags())
def test_arrangements_are_counted_as_they_are_enumerated(bag):
    values, parts, caps = bag
    distinct = sorted(set(values))
    found = spread_over([values.count(v) for v in distinct], [len(part) for part in parts], caps)
    holding = [each for each in orders(values) if parts_hold(each, parts, caps)]
    assert arrangements([values.count(v) for v in distinct]) == len(orders(values))
    assert found.ways == len(holding)
    for part, of_part in zip(parts, found.rows, strict=True):
        for value, rows in zip(distinct, of_part, strict=True):
            assert rows == sum(each[row] == value for each in holding for row in part)


def test_too_much_work_is_refused_not_guessed():
    assert spread_over([40] * 40, [800, 800], [20, 20]) is None


# The six rows.

ZIPS = ["1301", "1301", "1302", "1302", "1302", "1302"]
DISEASES = ["HIV", "HIV", "flu", "cold", "asthma", "cough"]


def full_domain(table, hierarchies, values, levels, model):
    """A release at these levels by somebody's method, which is not told."""
    public = public_of(table, hierarchies)
    recoding = recode(public, classes_of(public), levels, KAnonymity(1))
    column = Sensitive.of(pl.Series(ILL, list(values)), recoding)
    return Target(public, recoding, (column,), model.greatest_chance, model)


def test_six_rows_go_from_a_third_to_certainty():
    chain = {"1301": ["1301", "130*", "*"], "1302": ["1302", "130*", "*"]}
    target = full_domain([(z,) for z in ZIPS], [chain], DISEASES, (1,), FrequencyDiversity(2))
    [outcome] = Minimality().attempt(target)
    assert (outcome.exposed, outcome.certainty, outcome.verdict) == (2, 1.0, Verdict.FAILS)
    assert (outcome.attack.tries, outcome.attack.successes) == (2, 2)
    assert outcome.baseline.rate == Fraction(1, 3)


def test_mondrian_gives_the_six_rows_away_and_its_repair_is_not_attacked():
    places = [int(each) for each in ZIPS]
    mondrian, repair = (find(Kind.PUBLISHER, name).cls() for name in ("mondrian", "mondrian+"))
    model = together([KAnonymity(2), FrequencyDiversity(2)])
    [outcome] = Minimality().attempt(target_of(places, DISEASES, [0] * 6, model, mondrian))
    assert (outcome.exposed, outcome.certainty) == (2, 1.0)
    assert Minimality().attempt(target_of(places, DISEASES, [0] * 6, model, repair)) == ()


def test_of_several_sensitive_columns_a_cut_that_failed_tells_nothing_certain():
    """HIV may be one of two values that were parted, for the other column is what the cut failed by."""
    other = list("wwxxyy")
    values = ["HIV", "flu", "HIV", "cold", "asthma", "cough"]
    places = [int(each) for each in ZIPS]
    mondrian = find(Kind.PUBLISHER, "mondrian").cls()
    one = target_of(places, values, [0] * 6, FrequencyDiversity(2), mondrian)
    both = replace(one, sensitive=(*one.sensitive, Sensitive.of(pl.Series("other", other), one.recoding)))
    assert Minimality().believe(one, one.sensitive[0]).exposed.sum() == 2
    for outcome in Minimality().attempt(both):
        assert (outcome.exposed, outcome.certainty, outcome.undecided) == (0, 0, 6)
        assert (outcome.verdict, outcome.note) == (Verdict.UNDECIDED, SEVERAL)


@pytest.mark.parametrize("name", ["mondrian+", "mondrian++", "hilb", "mondrian"])
@pytest.mark.parametrize("steps", Steps)
def test_steps_that_contradict_a_registered_method_are_refused(name, steps):
    places = [int(each) for each in ZIPS]
    target = target_of(places, DISEASES, [0] * 6, FrequencyDiversity(2), find(Kind.PUBLISHER, name).cls())
    if (name, steps) == ("mondrian", Steps.CUTS):
        assert Minimality(steps).attempt(target) == Minimality().attempt(target)
    else:
        with pytest.raises(RequestError, match="contradicts the method of the plan"):
            Minimality(steps).attempt(target)


def test_so_does_the_smart_world_of_any_method():
    places = [int(each) for each in ZIPS]
    model = together([KAnonymity(2), FrequencyDiversity(2)])
    for name, exposed in (("mondrian", 2), ("mondrian+", 0), ("hilb+r", 0)):
        method = find(Kind.PUBLISHER, name).cls()
        target = target_of(places, DISEASES, [0] * 6, model, method)
        [outcome] = SmartWorld().attempt(target)
        assert (outcome.exposed, outcome.undecided) == (exposed, 0)


@pytest.mark.parametrize(("name", "verdict"), [("mondrian", Verdict.UNDECIDED), ("mondrian++", Verdict.HOLDS)])
def test_of_too_many_tables_only_methods_that_ask_about_groups_are_decided(name, verdict):
    values = ["abcdef"[row % 6] for row in range(60)]
    public, model = public_of_points([(row,) for row in range(60)]), FrequencyDiversity(2)
    method = find(Kind.PUBLISHER, name).cls()
    column = pl.Series(ILL, values)
    recoding = method.solve(public, Witness(column.to_frame()), model, Secret(bytes(32)))
    target = Target(public, recoding, (Sensitive.of(column, recoding),), Fraction(1, 2), model, method)
    [outcome] = SmartWorld(runs=10).attempt(target)
    assert outcome.verdict is verdict
    assert outcome.exposed == 0


def test_a_cut_that_leaves_too_few_rows_was_never_tried():
    places = [int(each) for each in ZIPS]
    mondrian = find(Kind.PUBLISHER, "mondrian").cls()
    model = together([KAnonymity(3), FrequencyDiversity(2)])
    [outcome] = Minimality().attempt(target_of(places, DISEASES, [0] * 6, model, mondrian))
    assert (outcome.exposed, outcome.attack.tries) == (0, 0)


@pytest.mark.parametrize("model", [KAnonymity(2), DistinctDiversity(2), None])
def test_it_is_made_on_frequency_l_diversity_only(model):
    assert Minimality(Steps.CUTS).attempt(target_of([1, 2], "ab", [0, 0], model)) == ()


# Levels: the whole table one level lower fails somewhere.


@st.composite
def leveled(draw):
    """A table of one attribute with two levels above, and values that hold at level 1 and fail at level 0."""
    rows = draw(st.integers(4, 7))
    places = draw(st.lists(st.sampled_from(["p", "q", "r", "s"]), min_size=rows, max_size=rows))
    values = draw(st.lists(st.sampled_from("abcd"), min_size=rows, max_size=rows))
    chain = {"p": ["p", "pq", "*"], "q": ["q", "pq", "*"], "r": ["r", "rs", "*"], "s": ["s", "rs", "*"]}
    chain = {value: chain[value] for value in set(places)}
    assume(len(chain) > 1)
    return places, values, chain


def diverse_at(places, values, chain, level):
    classes = {chain[place][level] for place in places}
    bags = [[v for p, v in zip(places, values, strict=True) if chain[p][level] == each] for each in classes]
    return all(len(bag) >= 2 * hilbert.most(bag) for bag in bags)


@settings(max_examples=150, suppress_health_check=[HealthCheck.filter_too_much])
@given(leveled())
def test_chances_at_levels_are_those_of_all_tables_that_fail_lower(case):
    places, values, chain = case
    assume(diverse_at(places, values, chain, 1))
    assume(not diverse_at(places, values, chain, 0))
    target = full_domain([(place,) for place in places], [chain], values, (1,), FrequencyDiversity(2))
    groups = [np.flatnonzero(target.group == number).tolist() for number in range(target.groups)]
    worlds = [w for w in hilbert.naive_world(groups, values) if not diverse_at(places, w, chain, 0)]
    beliefs = Minimality().believe(target, target.sensitive[0])
    for row, place in enumerate(places):
        known = chances(worlds, row)
        own = [values[each] for each in range(len(places)) if chain[places[each]][1] == chain[place][1]]
        naive = Fraction(hilbert.most(own), len(own))
        assert beliefs.exposed[row] == (max(known.values()) > Fraction(1, 2))
        if max(known.values()) > naive:
            assert beliefs.chance[row] == pytest.approx(float(max(known.values())))
        else:
            assert beliefs.guess[row] == -1


# Cuts: certain here is certain to whoever knows the algorithm.


@settings(max_examples=150)
@given(
    st.lists(st.sampled_from([(1, 1), (2, 1), (2, 2), (2, 2)]), min_size=4, max_size=7),
    st.lists(st.sampled_from("aabcde"), min_size=7, max_size=7),
)
def test_who_is_certain_by_cuts_is_certain_in_every_table_mondrian_publishes_so(points, values):
    values = tuple(values[: len(points)])
    assume(len(values) >= 2 * hilbert.most(values))
    public, model = public_of_points(points), FrequencyDiversity(2)
    method = find(Kind.PUBLISHER, "mondrian").cls(widths=Widths.RAW)

    def groups_of(world):
        return method.settled(public, Witness(pl.DataFrame({ILL: world})), model)

    group = groups_of(values)
    recoding = Recoding(group, np.zeros((int(group.max()) + 1, 2), dtype=np.int32), ())
    column = Sensitive.of(pl.Series(ILL, values), recoding)
    target = Target(public, recoding, (column,), Fraction(1, 2), model, method)
    beliefs = Minimality().believe(target, column)
    sure = np.flatnonzero(beliefs.chance == 1)
    if len(sure):
        seen = asap.published([np.flatnonzero(group == g) for g in range(int(group.max()) + 1)], values)
        worlds = [w for w in asap.naive_world(seen) if np.array_equal(groups_of(w), group)]
        for row in sure:
            assert {world[row] for world in worlds} == {values[row]}


def by_hand(values, parts):
    """The chance of each value in each row, given that some part has a value too often."""
    worlds = [w for w in orders(sorted(values)) if not parts_hold(w, parts, [len(part) // 2 for part in parts])]
    return [chances(worlds, row) for row in range(len(values))] if worlds else None


@settings(max_examples=100)
@given(st.lists(st.sampled_from("aabbcdef"), min_size=4, max_size=8), st.integers(1, 7))
def test_chances_by_cuts_are_those_of_all_tables_that_fail_the_cut(values, left):
    assume(left <= len(values) // 2)
    assume(len(values) >= 2 * hilbert.most(values))
    parts = [list(range(left)), list(range(left, len(values)))]
    known = by_hand(values, parts)
    assume(known is not None)
    places = [1] * left + [2] * (len(values) - left)
    method = find(Kind.PUBLISHER, "mondrian").cls()
    target = target_of(places, values, [0] * len(values), FrequencyDiversity(2), method)
    beliefs = Minimality().believe(target, target.sensitive[0])
    naive = Fraction(hilbert.most(values), len(values))
    for row, chance in enumerate(known):
        best = max(chance.values())
        assert beliefs.exposed[row] == (best > Fraction(1, 2))
        if best > naive:
            assert beliefs.chance[row] == pytest.approx(float(best))
