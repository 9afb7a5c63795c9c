"""Is the smart world the naive world? Every original table of small sizes, for every publisher that claims it.

A reader of a release knows the quasi-identifiers, which group each person is in and, for each published group, its
bag of sensitive values. The naive world is every table that agrees with that; in the smart world each counts as much
as it is likely that the algorithm publishes it in the same way. All must count alike. What is drawn at random is
gone through in full, so that the probabilities are exact.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np
import polars as pl
import pytest

from openveil.core.disclosed import Safety
from openveil.core.errors import GuaranteeError
from openveil.core.publisher import Publisher
from openveil.core.recoding import SUPPRESSED
from openveil.core.registry import Kind, Status, discover
from openveil.core.requirement import Requirement, enough, together
from openveil.core.secret import Secret
from openveil.core.table import Public
from openveil.core.witness import Labels, Witness
from openveil.requirements.distinct_l_diversity import DistinctDiversity
from openveil.requirements.entropy_l_diversity import EntropyDiversity
from openveil.requirements.frequency_l_diversity import FrequencyDiversity
from openveil.requirements.k_anonymity import KAnonymity
from openveil.requirements.recursive_cl_diversity import RecursiveDiversity
from openveil.requirements.t_closeness import TCloseness
from openveil.tools.grouped import Grouped, Partitioned
from openveil.tools.masked import Masked
from openveil.tools.pick_up import pick_up
from oracles import asap
from oracles.chance import Chance, columns_of, distribution, orders_within, quickly
from oracles.points import public_of_points, rows_of
from oracles.public import public_of

# Publishers for what persons want guarded have a suite of their own (test_personal_worlds.py).
PARTS = [part for part in discover(Kind.PUBLISHER) if not part.cls.needs_guards]
SAFE = [part for part in PARTS if part.status is not Status.KNOWN_UNSAFE]
RECODED = [part for part in SAFE if not issubclass(part.cls, Partitioned)]
# Those that are safe in another sense: see test_disclosure_sets.py.
BY_SET = [part for part in SAFE if part.cls.safety is Safety.DISCLOSURE_SET]
GROUPED = [part for part in SAFE if issubclass(part.cls, Grouped) and part not in BY_SET]
UNSAFE = [part for part in PARTS if part.status is Status.KNOWN_UNSAFE]
DRAWN = [part for part in GROUPED if part.cls.drawn is not Grouped.drawn]
SETTLED = [part for part in GROUPED if part.cls.drawn is Grouped.drawn]
# test_masked_worlds.py has those that show other values.
MASKED = [part for part in SAFE if issubclass(part.cls, Masked)]

TWO, THREE = FrequencyDiversity(2), FrequencyDiversity(3)
THREE_AND_TWO = together((KAnonymity(3), TWO))

OTHERS = [
    DistinctDiversity(2),
    EntropyDiversity(Fraction(3, 2)),
    RecursiveDiversity(Fraction(2), 2),
    TCloseness(Fraction(1, 2)),
]
# Two sensitive columns: `a+x` is a in the first and x in the second. Either may be the one that is less mixed.
FOUR_PAIRS = [("a+x", "b+x", "c+y", "d+y"), ("a+w", "a+x", "b+y", "b+z"), ("a+x", "a+x", "b+y", "c+y")]
SIX_PAIRS = [("a+x", "b+x", "c+x", "d+y", "e+y", "f+z"), ("a+x", "a+x", "b+x", "b+y", "c+y", "c+z")]

# A table that each unsafe publisher discloses something of (l = 2); values are at 0, 1, 2, ... of one attribute.
DISCLOSED = {"mondrian": "aabb", "hilb": "ccdbb", "hilb+": "ccbdbd", "hilb++": "ccdbbd"}

LINES = {4: [(1,), (2,), (3,), (4,)], 5: [(1,), (2,), (3,), (4,), (5,)]}
POINTS = {
    "line": LINES[4],
    "ties": [(1,), (1,), (2,), (2,)],
    "many ties": [(1,), (2,), (2,), (2,)],
    "square": [(0, 0), (0, 1), (1, 0), (1, 1)],
    "plane with ties": [(0, 3), (1, 0), (1, 0), (2, 1)],
}
FIVE = {"line": LINES[5], "plane with ties": [(1, 0), (0, 2), (1, 1), (1, 0), (0, 5)]}
SIX = [(4, 0), (0, 1), (1, 1), (1, 2), (3, 0), (2, 2)]
EIGHT = {
    "line": [(row,) for row in range(8)],
    "ties": [(row,) for row in (1, 1, 2, 2, 2, 3, 3, 4)],
    "plane": [(1, 2), (5, 4), (5, 1), (4, 4), (1, 2), (2, 6), (6, 5), (3, 2)],
    "two values": [(0, 0), (0, 1), (0, 0), (0, 1), (1, 0), (1, 1), (1, 3), (0, 3)],
}

named = {"ids": lambda part: part.name}
labelled = {"ids": lambda requirement: requirement.promise}


@quickly
def chances_of(
    publisher: Grouped, points, values: asap.Values, requirement: Requirement, public: Public | None = None
) -> asap.Chances:
    """What is published of one table, and how likely; nothing when it is refused."""
    public = public or public_of_points(points)
    witness = Witness(columns_of(values))
    try:
        solved = publisher.solve(public, witness, requirement, Secret(bytes(32)))
    except GuaranteeError:
        return {}
    chances = distribution(publisher, public, values, requirement)
    assert chances[asap.published(rows_of(solved.group), values)] > 0
    return chances


def leak(chances: Mapping[asap.Values, asap.Chances]) -> asap.Published | None:
    """Something published of which not all tables that agree with it are as likely; `chances` has all tables."""
    for seen in {seen for each in chances.values() for seen in each}:
        if len({chances[world].get(seen, 0) for world in asap.naive_world(seen)}) > 1:
            return seen
    return None


def leak_around(publisher: Grouped, points, values: asap.Values, requirement: Requirement) -> asap.Published | None:
    """Something published of one table, of which not all tables that agree with it are as likely."""
    public = public_of_points(points)
    chances = {values: chances_of(publisher, points, values, requirement, public)}
    for seen in chances[values]:
        for world in asap.naive_world(seen):
            if world not in chances:
                chances[world] = chances_of(publisher, points, world, requirement, public)
            if chances[world].get(seen, 0) != chances[values][seen]:
                return seen
    return None


def of_every_table(publisher, points, tables, requirement, *, least=1):
    """The chances of every one of `tables`, of which `least` are not refused."""
    public = public_of_points(points)
    chances = {values: chances_of(publisher, points, values, requirement, public) for values in tables}
    assert sum(map(bool, chances.values())) >= least
    return chances


@pytest.mark.parametrize("points", POINTS.values(), ids=POINTS)
@pytest.mark.parametrize("part", GROUPED, **named)
def test_smart_world_equals_naive_world_of_four_rows(part, points):
    tables = product("xyz", repeat=4)
    assert leak(of_every_table(part.cls(), points, tables, TWO, least=50)) is None


@pytest.mark.parametrize(("bag", "requirement"), [("abcd", THREE), ("abcd", TWO), ("abcd", THREE_AND_TWO)])
@pytest.mark.parametrize("part", GROUPED, **named)
def test_smart_world_equals_naive_world_of_distinct_values(part, bag, requirement):
    assert leak(of_every_table(part.cls(), POINTS["line"], asap.arrangements(bag), requirement)) is None


@pytest.mark.parametrize("requirement", OTHERS, **labelled)
@pytest.mark.parametrize("bag", ["aabc", "aabb"])
@pytest.mark.parametrize("part", GROUPED, **named)
def test_smart_world_equals_naive_world_of_other_models(part, bag, requirement):
    assert leak(of_every_table(part.cls(), POINTS["line"], asap.arrangements(bag), requirement)) is None


def unmet(seen: asap.Published) -> list[asap.Rows]:
    """The groups in which half of the rows do not differ: in a column, or in both together (l = 2)."""

    def columns(values):
        return [*zip(*(value.split("+") for value in values), strict=True), values]

    return [
        rows
        for rows, values in seen
        if any(2 * column.count(each) > len(rows) for column in columns(values) for each in column)
    ]


@pytest.mark.parametrize("values", FOUR_PAIRS)
@pytest.mark.parametrize("part", GROUPED, **named)
def test_smart_world_equals_naive_world_of_two_sensitive_columns(part, values):
    chances = of_every_table(part.cls(), POINTS["line"], asap.arrangements(values), TWO)
    assert leak(chances) is None
    assert not any(map(unmet, {seen for each in chances.values() for seen in each}))


@pytest.mark.slow
@pytest.mark.parametrize("values", SIX_PAIRS)
@pytest.mark.parametrize("part", SETTLED, **named)
def test_smart_world_equals_naive_world_of_six_rows_with_two_sensitive_columns(part, values):
    chances = of_every_table(part.cls(), SIX, asap.arrangements(values), TWO)
    assert leak(chances) is None
    assert not any(map(unmet, {seen for each in chances.values() for seen in each}))


@pytest.mark.slow
@pytest.mark.parametrize("requirement", OTHERS, **labelled)
@pytest.mark.parametrize("part", SETTLED, **named)
def test_smart_world_equals_naive_world_of_six_rows_and_other_models(part, requirement):
    assert leak(of_every_table(part.cls(), SIX, asap.arrangements("aabbcc"), requirement)) is None


@pytest.mark.slow
@pytest.mark.parametrize("points", FIVE.values(), ids=FIVE)
@pytest.mark.parametrize("part", GROUPED, **named)
def test_smart_world_equals_naive_world_of_five_rows(part, points):
    tables = product("xyz", repeat=5)
    assert leak(of_every_table(part.cls(), points, tables, TWO, least=90)) is None


@pytest.mark.slow
@pytest.mark.parametrize("requirement", [TWO, THREE, THREE_AND_TWO], **labelled)
@pytest.mark.parametrize("part", GROUPED, **named)
def test_smart_world_equals_naive_world_of_six_rows(part, requirement):
    assert leak(of_every_table(part.cls(), SIX, asap.arrangements("aabbcc"), requirement)) is None


@pytest.mark.slow
@pytest.mark.parametrize("points", EIGHT.values(), ids=EIGHT)
@pytest.mark.parametrize("part", SETTLED, **named)
def test_smart_world_equals_naive_world_of_eight_rows(part, points):
    chances = of_every_table(part.cls(), points, asap.arrangements("aabbccdd"), TWO)
    assert leak(chances) is None


@pytest.mark.slow
@pytest.mark.parametrize("values", ["abcabdcd", "aabbccdd", "abacdcbd"])
@pytest.mark.parametrize("part", DRAWN, **named)
def test_smart_world_equals_naive_world_where_strata_are_dealt(part, values):
    """Two strata of four rows, each dealt; only the order of rows within a stratum is gone through."""
    publisher, public = part.cls(), public_of_points(EIGHT["line"])
    strata = publisher.settled(public, Witness(pl.DataFrame({"ill": list(values)})), TWO)
    if strata.max() == 0:
        pytest.skip("one stratum: test_smart_world_equals_naive_world_of_six_rows has it")
    every_order = orders_within(strata)
    known = {tuple(values): distribution(publisher, public, tuple(values), TWO, every_order)}
    assert len(known[tuple(values)]) > 1
    for seen, chance in known[tuple(values)].items():
        for world in asap.naive_world(seen):
            if world not in known:
                known[world] = distribution(publisher, public, world, TWO, every_order)
            assert known[world].get(seen) == chance


# Two sensitive columns, the values of which are spelled one after the other.
TWO_COLUMNS = [
    (("ax", "ay", "bx", "by"), TWO),
    (("ax", "ay", "bz", "cx", "cy"), TWO),
    (("ax", "ax", "by", "by", "cx"), TWO),
]


@pytest.mark.slow
@pytest.mark.parametrize(("bag", "requirement"), TWO_COLUMNS, ids=str)
@pytest.mark.parametrize("name", ["anatomy", "mondrian++"])
def test_smart_world_equals_naive_world_of_two_sensitive_columns_dealt_by_plans(name, bag, requirement):
    publisher = next(part.cls for part in PARTS if part.name == name)()
    values = tuple(map(tuple, bag))
    assert leak_around(publisher, [(row,) for row in range(len(values))], values, requirement) is None


@pytest.mark.parametrize("part", [part for part in UNSAFE if issubclass(part.cls, Grouped)], **named)
def test_the_same_test_finds_every_unsafe_publisher(part):
    values = tuple(DISCLOSED[part.name])
    assert leak_around(part.cls(), [(row,) for row in range(len(values))], values, TWO) is not None


# The test can fail: publishers that leak, each in one way.


@dataclass(frozen=True)
class FirstOfEachBucket(Grouped):
    """Anatomy that takes rows in their order instead of at random."""

    def settled(self, public: Public, witness: Witness, requirement: Requirement) -> Labels:
        return np.zeros(len(public), dtype=np.int32)

    def drawn(self, strata: Labels, witness: Witness, requirement: Requirement, secret: Secret) -> Labels:
        return pick_up(strata, witness, requirement, Chance(np.arange(len(strata)), (0, 0)))


@dataclass(frozen=True)
class FirstCutThatHolds(Grouped):
    """Cut the rows in two as soon as both parts turn out to be diverse."""

    def settled(self, public: Public, witness: Witness, requirement: Requirement) -> Labels:
        for size in range(1, len(public)):
            group = (np.arange(len(public)) >= size).astype(np.int32)
            if enough(requirement, witness.tally(group, 2)).all():
                return group
        return np.zeros(len(public), dtype=np.int32)


@dataclass(frozen=True)
class Loaded(Grouped):
    """Anatomy with dice that favour the first row of each bucket; every outcome is possible, but not as likely."""

    def settled(self, public: Public, witness: Witness, requirement: Requirement) -> Labels:
        return np.zeros(len(public), dtype=np.int32)

    def drawn(self, strata: Labels, witness: Witness, requirement: Requirement, secret: Secret) -> Labels:
        order = secret.permutation("loaded", len(strata))
        kept = np.sort(order) if order[0] < order[1] else order
        return pick_up(strata, witness, requirement, Chance(kept, (0, 0)))


@pytest.mark.parametrize(
    ("publisher", "values"), [(FirstOfEachBucket(), "dbda"), (FirstCutThatHolds(), "abab"), (Loaded(), "dbda")]
)
def test_a_publisher_that_leaks_is_found(publisher, values):
    tables = asap.arrangements(values)
    seen = leak({table: distribution(publisher, public_of_points(LINES[4]), table, TWO) for table in tables})
    assert seen is not None


@pytest.mark.parametrize("values", ["dbda", "bcdba", "aabbcc"])
@pytest.mark.parametrize("name", ["anatomy", "mondrian++"])
def test_what_is_gone_through_is_what_the_oracle_says(name, values):
    publisher = next(part.cls for part in PARTS if part.name == name)()
    points = [(row,) for row in range(len(values))]
    expected = asap.outcomes(name, points, tuple(values), 2)
    assert chances_of(publisher, points, tuple(values), TWO) == expected
    assert sum(expected.values()) == Fraction(1)


# Publishers that read quasi-identifiers only, and may suppress.

CHAINS = [{"a": ["a", "*"], "b": ["b", "*"]}, {"0": ["0", "low", "*"], "1": ["1", "low", "*"], "2": ["2", "2", "*"]}]
CELLS = list(product(*CHAINS))


def recoded(part, public, sensitive, k, maxsup):
    """What a reader sees: the groups with their bags, and what they are shown as; or the refusal."""
    witness = Witness(pl.DataFrame({"ill": sensitive}))
    publisher: Publisher = part.cls(max_suppressed=maxsup)
    try:
        recoding = publisher.solve(public, witness, KAnonymity(k), Secret(bytes(32)))
    except GuaranteeError:
        return None
    kept = [rows for rows in rows_of(recoding.group) if recoding.group[rows[0]] != SUPPRESSED]
    return asap.published(kept, sensitive), recoding.group.tobytes(), recoding.cells.tobytes()


def naive_world(seen, rows, values):
    """Every table that gives each published group its bag; suppressed rows may have any value."""
    hidden = sorted(set(range(rows)) - {row for group, _ in seen for row in group})
    worlds = set()
    for guess in product(values, repeat=len(hidden)):
        worlds |= asap.naive_world(seen | {((row,), (value,)) for row, value in zip(hidden, guess, strict=True)})
    return worlds


@pytest.mark.slow
@pytest.mark.parametrize("part", RECODED, **named)
@pytest.mark.parametrize(("rows", "values"), [(3, "xyz"), (4, "xy")])
def test_smart_world_equals_naive_world_of_generalised_tables(part, rows, values):
    compared = 0
    for table in combinations_with_replacement(CELLS, rows):
        public = public_of(table, CHAINS)
        for k, maxsup in ((2, 0), (2, 1), (3, 0)):
            smart = {}
            for world in product(values, repeat=rows):
                smart.setdefault(recoded(part, public, world, k, maxsup), set()).add(world)
            smart.pop(None, None)
            for seen, worlds in smart.items():
                assert worlds == naive_world(seen[0], rows, values)
                compared += 1
    assert compared > 100


def test_every_publisher_is_covered():
    assert {part.name for part in (*RECODED, *GROUPED, *BY_SET, *MASKED, *UNSAFE)} == {part.name for part in PARTS}
    assert {part.name for part in UNSAFE if issubclass(part.cls, Grouped)} <= set(DISCLOSED)
