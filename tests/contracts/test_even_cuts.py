"""Does everyone keep the chances that the published group shows? Every arrangement of small tables, in fractions.

A reader knows the quasi-identifiers, the group of every person, and the method. Of even cuts each row must have each
combination of values with exactly its share in the group; of cuts that are not quite even it has not.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import permutations

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from openveil.core.disclosed import CHANCE
from openveil.core.recoding import same_groups
from openveil.core.requirement import together
from openveil.core.secret import Secret
from openveil.core.witness import Shown, Witness, unlike
from openveil.publishers.mondrian_even import MondrianEven
from openveil.publishers.mondrian_even_plus_plus import MondrianEvenPlusPlus
from openveil.requirements.distinct_l_diversity import DistinctDiversity
from openveil.requirements.entropy_l_diversity import EntropyDiversity
from openveil.requirements.frequency_l_diversity import FrequencyDiversity
from openveil.requirements.k_anonymity import KAnonymity
from openveil.requirements.personal_breach import PersonalBreach
from openveil.requirements.recursive_cl_diversity import RecursiveDiversity
from openveil.requirements.t_closeness import TCloseness
from openveil.tools.cuts import MedianCuts, Widths
from openveil.tools.even_cuts import Asked, cut_evenly
from openveil.tools.even_dealing import Dealing, cut_and_deal
from openveil.tools.evenly import Even
from openveil.tools.every_draw import every_draw
from openveil.workflow.replay import disclosed
from openveil.worlds.exact import exact
from openveil.worlds.method import Setting, by_membership
from oracles import asap, even
from oracles.chance import columns_of
from oracles.guarded import guards_of
from oracles.personal import Tree
from oracles.points import public_of_points, rows_of

TWO = FrequencyDiversity(2)
LINE = [(row,) for row in range(12)]
PLANE = [(0, 3), (1, 0), (1, 2), (2, 1), (4, 2), (3, 0), (5, 3), (4, 1), (0, 0)]
TIES = [(1, 0), (1, 0), (2, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 0)]
TABLES = {
    "four": (LINE[:4], "aabb"),
    "five": (LINE[:5], "aabbc"),
    "five, ties": (TIES[:5], "aabbc"),
    "six": (PLANE[:6], "aabbcc"),
    "six, ties": (TIES[1:7], "aabbcd"),
    "seven": (PLANE[:7], "aaabbcd"),
    "eight": (LINE[:8], "aaabbbcc"),
    "two columns": (PLANE[:5], ("a+x", "a+y", "b+x", "b+z", "c+y")),
    "a chain": (LINE[:8], "aabbccdd"),
}
SLOW = {
    "nine": (PLANE, "aaaabbbcc"),
    "seven, ties": (TIES[:7], "aaabbcd"),
    "ten, two deep": (LINE[:10], "aaaaabbbbb"),
    "six, two columns": (PLANE[:6], ("a+x", "a+x", "b+x", "b+y", "c+y", "c+z")),
}
WRONG = {
    "uneven": (even.uneven, LINE[:5], "aabbc"),
    "by a coin": (even.by_a_coin, LINE[:5], "aabbc"),
    "swinging": (even.swinging, LINE[:5], "aabbc"),
    "told": (even.told, LINE[:5], "aabbc"),
    "twice": (even.twice, [*zip(range(8), (2, 3, 4, 5, 1, 0, 7, 6), strict=True)], "aaabbbcc"),
}


def every_table(points, bag, law=even.even):
    """By the definition, the chances of every arrangement; no group of fewer than two rows holds."""
    asked = even.frequency(2)
    return {table: even.chances(points, table, asked, law=law, fewest=2) for table in asap.arrangements(bag)}


@pytest.mark.parametrize(("points", "bag"), TABLES.values(), ids=TABLES)
def test_everyone_has_the_chances_that_the_group_shows(points, bag):
    assert even.telling(every_table(points, bag)) == 0


@pytest.mark.slow
@pytest.mark.parametrize(("points", "bag"), SLOW.values(), ids=SLOW)
def test_everyone_has_the_chances_that_the_group_shows_in_larger_tables(points, bag):
    assert even.telling(every_table(points, bag)) == 0


@pytest.mark.parametrize(("law", "points", "bag"), WRONG.values(), ids=WRONG)
def test_cuts_that_are_not_quite_even_are_found(law, points, bag):
    assert even.telling(every_table(points, bag, law)) > 0


def cut(points, values, requirement=TWO, persons=None):
    """What the tool makes of a table, and how likely."""
    return cut_of(public_of_points(points, persons), Witness(columns_of(values)), values, requirement)


def cut_of(public, witness, values, requirement):
    def run(secret):
        cuts = MedianCuts(public, requirement, Widths.RAW)
        return cut_evenly(cuts, Asked.of(requirement, witness), secret)

    found = defaultdict(Fraction)
    for group, chance in every_draw(run):
        found[asap.published(rows_of(group), values)] += chance
    assert sum(found.values()) == 1
    return dict(found)


@pytest.mark.parametrize("name", ["four", "five, ties", "six, ties", "two columns"])
def test_the_tool_does_what_the_definition_says(name):
    points, bag = TABLES[name]
    for table, expected in every_table(points, bag).items():
        assert cut(points, table) == expected


@st.composite
def tables(draw):
    """A few rows of one to three attributes, with many ties, and values."""
    rows, attributes = draw(st.integers(1, 7)), draw(st.integers(1, 3))
    points = draw(st.lists(st.tuples(*[st.integers(0, 3)] * attributes), min_size=rows, max_size=rows))
    alike = Counter(points).most_common(1)[0][1]
    assume(alike < 5)  # the definition goes through every order of rows that are alike
    return points, tuple(draw(st.lists(st.sampled_from("abcd"), min_size=rows, max_size=rows)))


@settings(max_examples=60, deadline=None)
@given(drawn=tables())
def test_the_tool_does_what_the_definition_says_of_any_table(drawn):
    points, values = drawn
    assume(even.frequency(2)[0](values))
    assert cut(points, values) == even.chances(points, values, even.frequency(2), fewest=2)


def published(points, values, requirement, method=MondrianEven):
    """What a publisher makes of a table, and how likely."""
    public, found = public_of_points(points), defaultdict(Fraction)
    for recoding, chance in method().outcomes(public, Witness(columns_of(values)), requirement):
        found[asap.published(rows_of(recoding.group), values)] += chance
    assert sum(found.values()) in (0, 1)
    return dict(found)


MODELS = {
    "frequency": (TWO, "aabbc"),
    "frequency, three": (FrequencyDiversity(3), "aabbcc"),
    "distinct": (DistinctDiversity(2), "aaabb"),
    "entropy": (EntropyDiversity(Fraction(3, 2)), "aabbc"),
    "recursive": (RecursiveDiversity(Fraction(2), 2), "aabbc"),
    "closeness": (TCloseness(Fraction(2, 5)), "aabb"),
    "k and frequency": (together((KAnonymity(3), TWO)), "aaabbbcc"),
    "two models": (together((TWO, EntropyDiversity(Fraction(2)))), "aabbcd"),
    "two columns": (TWO, ("a+x", "a+y", "b+x", "b+y")),
}


@pytest.mark.parametrize(("requirement", "bag"), MODELS.values(), ids=MODELS)
def test_everyone_has_the_chances_that_a_group_of_the_publisher_shows(requirement, bag):
    points = TIES[: len(bag)] if len(bag) < 7 else LINE[: len(bag)]
    every = {table: published(points, table, requirement) for table in asap.arrangements(bag)}
    assert len({seen for each in every.values() for seen in each}) > 1
    assert even.telling(every) == 0


DEALT = {
    "four": (LINE[:4], TWO, "aabb"),
    "four, ties": (TIES[1:5], TWO, "aabc"),
    "five": (PLANE[:5], TWO, "aabbc"),
    "entropy": (LINE[:4], EntropyDiversity(Fraction(3, 2)), "aabb"),
    "two columns": (LINE[:4], TWO, ("a+x", "a+y", "b+x", "b+z")),
}
DEALT_SLOWLY = {
    "k and frequency": (LINE[:6], together((KAnonymity(3), TWO)), "aabbcc"),
    "six": (PLANE[:6], TWO, "aabbcd"),
    "six, one frequent": (LINE[:6], TWO, "aaabbc"),
    "three": (LINE[:6], FrequencyDiversity(3), "aabbcc"),
    "recursive": (LINE[:6], RecursiveDiversity(Fraction(2), 2), "aabbcc"),
    "two columns": (LINE[:5], TWO, ("a+x", "a+y", "b+x", "b+z", "c+y")),
    "eight": (LINE[:8], TWO, "aaaabbbc"),
}


def dealt_of_all(points, requirement, bag, method=MondrianEvenPlusPlus):
    return {table: published(points, table, requirement, method) for table in asap.arrangements(bag)}


@pytest.mark.parametrize(("points", "requirement", "bag"), DEALT.values(), ids=DEALT)
def test_everyone_has_the_chances_that_the_group_shows_where_rows_are_dealt(points, requirement, bag):
    every = dealt_of_all(points, requirement, bag)
    assert len({seen for each in every.values() for seen in each}) > 1
    assert even.telling(every) == 0


@pytest.mark.slow
@pytest.mark.parametrize(("points", "requirement", "bag"), DEALT_SLOWLY.values(), ids=DEALT_SLOWLY)
def test_everyone_has_the_chances_that_the_group_shows_where_more_rows_are_dealt(points, requirement, bag):
    assert even.telling(dealt_of_all(points, requirement, bag)) == 0


@dataclass(frozen=True)
class Freely(Even):
    """Wrong: rows of a group whose halves failed are drawn from the whole group, as those of any other would be."""

    def partition(self, public, witness, requirement, secret):
        dealing = Dealing.of(requirement, Drawn.of(witness))
        return cut_and_deal(MedianCuts(public, requirement, self.widths), dealing, secret)


@dataclass(eq=False)
class Drawn(Witness):
    @staticmethod
    def of(witness):
        return Drawn(witness._columns)

    def deal(self, stratum, slots, secret, *, purpose="who is drawn"):
        if "both halves" not in purpose:
            return super().deal(stratum, slots, secret, purpose=purpose)
        whole = np.where(stratum >= 0, stratum // 2, -1).astype(np.int32)
        return super().deal(whole, replace(slots, strata=slots.strata // 2), secret, purpose=purpose)


@pytest.mark.slow
def test_dealing_that_does_not_treat_both_halves_alike_is_found():
    assert even.telling(dealt_of_all(LINE[:6], TWO, "aabbcc", Freely)) > 0


# The persons of rows, and how many a group must have.
PERSONS = [((0, 0, 1, 1, 2, 3), 2), ((0, 1, 2, 3, 4), 2)]


@pytest.mark.parametrize(("persons", "k"), PERSONS, ids=["several rows", "one row each"])
def test_every_row_has_the_chances_of_its_group_whoever_it_belongs_to(persons, k):
    requirement = together((KAnonymity(k), TWO))
    bag = "aabbcd"[: len(persons)]
    every = {table: cut(LINE[: len(bag)], table, requirement, persons) for table in asap.arrangements(bag)}
    groups = {rows for each in every.values() for seen in each for rows, _ in seen}
    assert len(groups) > 1
    assert all(len({persons[row] for row in rows}) >= k for rows in groups)
    assert even.telling(every) == 0


def test_no_half_has_too_few_persons_whichever_row_is_drawn():
    requirement, values = together((KAnonymity(2), TWO)), tuple("abcab")
    whole = asap.published([range(5)], values)
    # Both halves have two persons, as long as the row in the middle is in them.
    assert cut(LINE[:5], values, requirement, (0, 0, 1, 2, 2)) == {whole: 1}
    assert len(cut(LINE[:5], values, requirement, (0, 1, 2, 3, 4))) > 1


TREE = Tree("root", {"root": ["low", "high"], "low": ["v", "w"], "high": ["x", "y"]})
# Values and what guards them.
GUARDED = [("v", "v"), ("v", None), ("w", None), ("y", "y")]


def test_every_row_has_the_chances_of_its_group_of_a_value_and_what_guards_it():
    requirement, every = PersonalBreach(Fraction(1, 2)), {}
    for order in set(permutations(GUARDED)):
        guards = guards_of(TREE, [(value, guard, None) for value, guard in order])
        witness = Witness(pl.DataFrame({"ill": [value for value, _ in order]}), _guards=guards)
        pairs = tuple(f"{value}+{guard}" for value, guard in order)
        every[pairs] = cut_of(public_of_points(LINE[:4]), witness, pairs, requirement)
    assert len({seen for each in every.values() for seen in each}) > 1
    assert even.telling(every) == 0


# Tables of which each method may publish something after its halves have failed.
FAILED = [(MondrianEven(), "aabbc"), (MondrianEvenPlusPlus(), "aabb")]


@pytest.mark.parametrize(("method", "values"), FAILED, ids=["cut", "dealt"])
def test_the_worlds_of_a_release_differ_but_everyone_keeps_their_chances(method, values):
    setting = Setting.of(method, public_of_points(LINE[: len(values)]), columns_of(values), TWO)
    found = [recoding for recoding, _ in setting.outcomes(setting.people.own)]
    worlds = [exact(by_membership(setting, recoding)) for recoding in found]
    assert all(each.marginals_equal for each in worlds)
    assert not all(each.equal for each in worlds)


@pytest.mark.parametrize("method", [MondrianEven(), MondrianEvenPlusPlus()])
def test_odds_are_those_of_the_outcomes(method):
    public, witness = public_of_points(LINE[:5]), Witness(columns_of("aabbc"))
    found = [*method.outcomes(public, witness, TWO)]
    assert sum(chance for _, chance in found) == 1
    for recoding, _ in found[:3]:
        alike = [chance for other, chance in found if same_groups(other.group, recoding.group)]
        assert method.odds(public, witness, TWO, recoding) == sum(alike)
    assert not [*method.outcomes(public, Witness(columns_of("aaaab")), TWO)]


def test_rows_that_are_alike_are_told_apart_by_chance_alone():
    points, table = [(1,), (2,), (2,), (2,)], tuple("abcd")
    found = cut(points, table)
    assert len(found) == 3
    assert set(found.values()) == {Fraction(1, 3)}


@pytest.mark.parametrize("method", [MondrianEven(), MondrianEvenPlusPlus()])
@pytest.mark.parametrize("rows", [2_000, 2_001])
def test_of_large_tables_every_look_is_accounted_for_and_every_group_holds(rows, method):
    random = np.random.default_rng(rows)
    public = public_of_points(random.integers(0, 60, (rows, 3)).tolist())
    values = pl.DataFrame({"ill": random.integers(0, 7, rows), "cured": random.integers(0, 3, rows)})
    witness, requirement = Witness(values), FrequencyDiversity(2)
    group = method.solve(public, witness, requirement, Secret.fresh()).group
    said = disclosed(method, public, witness, requirement, group)
    assert [finding.verdict for finding in said.told(witness.looks)][:2] == ["holds", "holds"]
    assert group.max() > rows / 40
    assert any(unlike(witness.looks, Shown.of_groups(group)))


def test_groups_that_no_even_cuts_lead_to_are_not_said_to_hold():
    public, witness = public_of_points(LINE[:8]), Witness(columns_of("abcdabcd"))
    method = MondrianEven()
    assert method.disclosed(public, witness, TWO, np.array([0, 0, 1, 1, 2, 2, 3, 3], dtype=np.int32)).holds
    whole, other = np.zeros(8, dtype=np.int32), np.array([0, 1] * 4, dtype=np.int32)
    assert not method.disclosed(public, witness, TWO, whole).holds
    assert not method.disclosed(public, witness, TWO, other).holds


def test_the_largest_chance_is_the_largest_share_in_a_group():
    public, witness = public_of_points(LINE[:5]), Witness(columns_of("aabbc"))
    said = MondrianEven().disclosed(public, witness, TWO, np.zeros(5, dtype=np.int32))
    assert said.holds
    [chance] = said.findings
    assert ((chance.name, chance.on), chance.value) == (CHANCE, Fraction(2, 5))
