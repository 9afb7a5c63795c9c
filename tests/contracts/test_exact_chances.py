"""Does every method know exactly how likely what it publishes is? Against all that chance can do, and all tables."""

from collections import Counter
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from openveil.core.disclosed import Safety
from openveil.core.errors import GuaranteeError, RequestError
from openveil.core.parameters import fields_of
from openveil.core.registry import Kind, Status, discover
from openveil.core.requirement import enough, together
from openveil.core.secret import ChanceError, Secret
from openveil.core.witness import Witness
from openveil.requirements.distinct_l_diversity import DistinctDiversity
from openveil.requirements.frequency_l_diversity import FrequencyDiversity
from openveil.requirements.k_anonymity import KAnonymity
from openveil.tools.dealt import Dealt
from openveil.tools.evenly import Even
from openveil.tools.grouped import Grouped
from openveil.worlds.exact import Bound, exact, marginals
from openveil.worlds.knowledge import Count, Fact, Knowledge, Relation, distribution, never
from openveil.worlds.method import Setting, by_membership, released
from openveil.worlds.sampled import sampled
from oracles import asap
from oracles.chance import columns_of
from oracles.chance import distribution as all_chances
from oracles.points import public_of_points, rows_of

GROUPED = [part for part in discover(Kind.PUBLISHER) if issubclass(part.cls, Grouped)]
# Those that draw before groups are settled have a suite of their own (test_even_cuts.py).
SETTLED = [part for part in GROUPED if not issubclass(part.cls, Even)]
RECODED = [part for part in discover(Kind.PUBLISHER) if "max_suppressed" in fields_of(part)]
SAFE = [part for part in GROUPED if part.status is not Status.KNOWN_UNSAFE and part.cls.safety is Safety.SAME_WORLDS]
TWO, THREE = FrequencyDiversity(2), FrequencyDiversity(3)
named = {"ids": lambda part: part.name}


def outcomes_of(publisher, public, values, requirement):
    """What the method says it may publish, as the oracle writes it."""
    witness, chances = Witness(columns_of(values)), Counter()
    for recoding, chance in publisher.outcomes(public, witness, requirement):
        chances[asap.published(rows_of(recoding.group), values)] += chance
    return dict(chances)


def group_of(seen, rows):
    group = np.empty(rows, dtype=np.int32)
    for number, (members, _) in enumerate(sorted(seen)):
        group[list(members)] = number
    return group


@pytest.mark.parametrize(
    ("values", "requirement"),
    [
        ("dbda", TWO),
        ("bcdba", TWO),
        ("aabbcc", TWO),
        ("abcab", TWO),
        ("abcdab", THREE),
        ("abcda", together((KAnonymity(3), TWO))),
        ([("a", "x"), ("a", "y"), ("b", "x"), ("b", "y"), ("c", "x"), ("c", "y")], TWO),
        ([("a", "x"), ("a", "y"), ("b", "z"), ("c", "x"), ("c", "y")], TWO),
    ],
    ids=str,
)
@pytest.mark.parametrize("part", SETTLED, **named)
def test_outcomes_and_odds_are_all_that_chance_can_do(part, values, requirement):
    publisher, public = part.cls(), public_of_points([(row,) for row in range(len(values))])
    values = tuple(values)
    try:
        expected = all_chances(publisher, public, values, requirement)
        publisher.solve(public, Witness(columns_of(values)), requirement, Secret(bytes(32)))
    except (GuaranteeError, RequestError):
        pytest.skip("refused")
    try:
        found = outcomes_of(publisher, public, values, requirement)
    except ChanceError:
        pytest.skip("draws, and does not say how likely what it draws is: it can only be sampled")
    assert found == expected
    for seen, chance in expected.items():
        recoding = publisher.recoded(public, group_of(seen, len(values)), group_of(seen, len(values)))
        assert publisher.odds(public, Witness(columns_of(values)), requirement, recoding) == chance


@pytest.mark.parametrize("part", [part for part in GROUPED if issubclass(part.cls, Dealt)], **named)
@given(values=st.text("abcd", min_size=4, max_size=8), l=st.integers(2, 3))
@settings(max_examples=10)
def test_odds_of_all_outcomes_make_a_whole(part, values, l):  # noqa: E741
    publisher, public = part.cls(), public_of_points([(row,) for row in range(len(values))])
    chances = outcomes_of(publisher, public, tuple(values), FrequencyDiversity(l))
    assume(chances)
    assert sum(chances.values()) == 1
    for seen, chance in chances.items():
        recoding = publisher.recoded(public, group_of(seen, len(values)), group_of(seen, len(values)))
        assert (
            publisher.odds(public, Witness(pl.DataFrame({"ill": list(values)})), FrequencyDiversity(l), recoding)
            == chance
        )


@pytest.mark.slow
@pytest.mark.parametrize("part", SETTLED, **named)
@given(
    points=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=4, max_size=6),
    letters=st.text("abcd", min_size=6, max_size=6),
)
@settings(max_examples=10)
def test_worlds_are_those_of_the_definition(part, points, letters):
    """Compared with the oracle's chances of every table of the oracle's naive world."""
    values, public = tuple(letters[: len(points)]), public_of_points(points)
    setting = Setting.of(part.cls(), public, pl.DataFrame({"ill": list(values)}), TWO)
    try:
        recoding = released(setting)
    except GuaranteeError:
        assume(False)
    worlds = exact(by_membership(setting, recoding))
    seen = asap.published(rows_of(recoding.group), values)
    names = setting.people.values["ill"].to_list()
    found = {
        tuple(names[v] for v in world): chance for world, chance in zip(worlds.naive, worlds.chances, strict=True)
    }
    assert set(found) == asap.naive_world(seen)
    for world, chance in found.items():
        assert chance == of_oracle(part.cls(), public, world).get(seen, 0)
    assert worlds.equal or part not in SAFE


def of_oracle(publisher, public, values):
    try:
        publisher.solve(public, Witness(pl.DataFrame({"ill": values})), TWO, Secret(bytes(32)))
    except GuaranteeError:
        return {}
    return all_chances(publisher, public, values, TWO)


@pytest.mark.parametrize("part", RECODED, **named)
def test_methods_that_draw_nothing_publish_one_thing(part):
    public = public_of_points([(1,), (1,), (2,), (2,), (3,)])
    setting = Setting.of(part.cls(max_suppressed=1), public, pl.DataFrame({"ill": list("abcab")}), KAnonymity(2))
    recoding = released(setting)
    case = by_membership(setting, recoding)
    worlds = exact(case)
    assert worlds.equal
    assert set(worlds.chances) == {Fraction(1)}
    # Whoever is suppressed may have any of the three values.
    agreeing = asap.naive_world(
        asap.published([r for r in rows_of(recoding.group) if recoding.group[r[0]] >= 0], "abcab")
    )
    assert len(worlds.naive) == len(agreeing) * 3**recoding.suppressed
    sample = sampled(case, tries=30)
    assert sample.different == 0
    assert (sample.kept == 30).all()
    hidden = np.flatnonzero(recoding.group < 0)
    assert hidden.size == recoding.suppressed
    for person in hidden:
        mine = sample.entries.owner == person
        assert sample.before[mine].tolist() == [1 / 3] * 3
        assert sample.tally.smart[mine].sum() == 30


def test_a_method_that_draws_and_does_not_say_how_is_refused():
    class Silent(Grouped):
        def settled(self, public, witness, requirement):
            return np.zeros(len(public), dtype=np.int32)

        def drawn(self, strata, witness, requirement, secret):
            return (secret.permutation("x", len(strata)) % 2).astype(np.int32)

    public, values = public_of_points([(1,), (2,), (3,), (4,)]), pl.DataFrame({"ill": list("abcd")})
    setting = Setting.of(Silent(), public, values, TWO)
    with pytest.raises(ChanceError, match="probabilities that are not known"):
        exact(by_membership(setting, released(setting)))


# External knowledge, against a filter of all tables.

KNOWN = [
    (never(0, "ill", "a"), lambda world: world[0] != "a"),
    (Fact(Count.of({"ill": "a", "q0": 0}), Relation.AT_LEAST, Fraction(1)), lambda world: world[0] == "a"),
    (
        Fact(Count.of({"ill": "b"}, among=(0, 1, 2)), Relation.LESS, Fraction(1, 2), Count.of({"ill": "b"})),
        lambda world: world[:3].count("b") < Fraction(world.count("b"), 2),
    ),
    (Fact(Count.of({"ill": "c"}, among=(3, 4, 5)), Relation.AT_MOST, Fraction(1)), lambda w: w[3:].count("c") <= 1),
    (Fact(Count.of({"ill": "b"}, among=(3, 4)), Relation.MORE, Fraction(0)), lambda world: "b" in world[3:5]),
    (distribution("ill", {"a": 2})[0], lambda world: world.count("a") == 2),
    (distribution("ill", {"a": 3})[0], lambda world: world.count("a") == 3),
]


@given(facts=st.lists(st.sampled_from(KNOWN), max_size=3), part=st.sampled_from(GROUPED))
@settings(max_examples=60)
def test_what_else_is_known_leaves_the_tables_that_agree_with_it(facts, part):
    values = tuple("aabbcc")
    setting = Setting.of(part.cls(), public_of_points([(r,) for r in range(6)]), pl.DataFrame({"ill": values}), TWO)
    recoding = released(setting)
    worlds = exact(by_membership(setting, recoding), Knowledge(tuple(fact for fact, _ in facts)))
    names = setting.people.values["ill"].to_list()
    agreeing = asap.naive_world(asap.published(rows_of(recoding.group), values))
    expected = {world for world in agreeing if all(holds(world) for _, holds in facts)}
    assert {tuple(names[v] for v in world) for world in worlds.naive} == expected


def test_facts_about_strangers_are_refused():
    setting = Setting.of(GROUPED[0].cls(), public_of_points([(0,), (1,)]), pl.DataFrame({"ill": ["a", "b"]}), TWO)
    case = by_membership(setting, released(setting))
    with pytest.raises(RequestError, match="column 'sex' there is not"):
        exact(case, Knowledge((Fact(Count.of({"sex": "F"}), Relation.EQUAL, Fraction(0)),)))
    with pytest.raises(RequestError, match="numbered 0 to 1"):
        exact(case, Knowledge((never(2, "ill", "a"),)))


def test_a_question_about_some_groups_takes_the_others_to_be_known():
    values = "ccbdbd"
    setting = Setting.of(
        next(part.cls for part in GROUPED if part.name == "hilb+")(),
        public_of_points([(row,) for row in range(6)]),
        pl.DataFrame({"ill": list(values)}),
        TWO,
    )
    case = by_membership(setting, released(setting))
    whole = exact(case)
    group = int(case.seen.group[1])
    some = exact(case, groups=[group])
    members = [row for row in range(6) if case.seen.group[row] == group]
    assert some.who.tolist() == members
    own = case.people.own.tolist()
    left = {
        tuple(world[row] for row in members): chance
        for world, chance in zip(whole.naive, whole.chances, strict=True)
        if all(world[row] == own[row] for row in range(6) if row not in members)
    }
    assert dict(zip(some.naive, some.chances, strict=True)) == left


def test_several_sensitive_columns_are_guessed_together():
    sensitive = pl.DataFrame({"ill": list("aabb"), "rich": list("xyxy")})
    setting = Setting.of(
        next(part.cls for part in GROUPED if part.name == "mondrian+")(),
        public_of_points([(1,), (2,), (3,), (4,)]),
        sensitive,
        DistinctDiversity(2),
    )
    worlds = exact(by_membership(setting, released(setting)))
    assert setting.people.values.height == 4
    assert worlds.equal
    assert setting.people.sensitive(setting.people.own).equals(sensitive)


@pytest.mark.parametrize("rows", ["ax ay bx by cx cy", "ax ax ay bx by by", "ax ax ay bz by cz"])
@pytest.mark.parametrize("part", [part for part in SAFE if issubclass(part.cls, Dealt)], **named)
def test_worlds_of_two_sensitive_columns_are_as_likely(part, rows):
    sensitive = pl.DataFrame([tuple(row) for row in rows.split()], schema=["ill", "rich"], orient="row")
    setting = Setting.of(part.cls(), public_of_points([(row,) for row in range(6)]), sensitive, TWO)
    worlds = exact(by_membership(setting, released(setting)))
    assert len(worlds.naive) > 1
    assert worlds.equal


@pytest.mark.parametrize(("first", "second", "l"), [(6, 3, 2), (6, 6, 2), (6, 6, 3), (20, 10, 3)])
@pytest.mark.parametrize("part", [part for part in SAFE if issubclass(part.cls, Dealt)], **named)
def test_several_sensitive_columns_are_dealt(part, first, second, l):  # noqa: E741
    draw, rows = np.random.default_rng(1), 2000
    witness = Witness(pl.DataFrame({"ill": draw.integers(0, first, rows), "rich": draw.integers(0, second, rows)}))
    public = public_of_points([(row,) for row in range(rows)])
    group = part.cls().solve(public, witness, FrequencyDiversity(l), Secret(bytes(32))).group
    groups = int(group.max()) + 1
    assert groups > rows / (8 * l)
    assert enough(FrequencyDiversity(l), witness.tally(group, groups)).all()


# What is said without going through tables.


@given(
    part=st.sampled_from(GROUPED),
    points=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=4, max_size=7),
    letters=st.text("abcd", min_size=7, max_size=7),
)
@settings(max_examples=60)
def test_what_is_proved_by_looks_is_true(part, points, letters):
    setting = Setting.of(
        part.cls(), public_of_points(points), pl.DataFrame({"ill": list(letters[: len(points)])}), TWO
    )
    try:
        case = by_membership(setting, released(setting))
    except GuaranteeError:
        assume(False)
    if case.algorithm.looks_at_groups_only:
        assert exact(case).equal
    else:
        assert part not in SAFE


def part_by_part(points, values):
    """The chances of everyone's values in the runs in which its part came out again, beside those that are exact."""
    mondrian = next(part.cls for part in GROUPED if part.name == "mondrian")
    setting = Setting.of(mondrian(), public_of_points(points), pl.DataFrame({"ill": list(values)}), TWO)
    case = by_membership(setting, released(setting))
    worlds, local = exact(case, bound=Bound(2000)), case.algorithm.local()
    came = [local.reproduced(setting.people.order_of(np.array(world))) for world in worlds.naive]
    for person, number in enumerate(local.related.part.tolist()):
        weights = [Fraction(int(each[number])) for each in came]
        yield marginals(worlds.naive, weights, len(worlds.who))[person], worlds.after[person]
    assert [bool(each.all()) for each in came] == [chance == 1 for chance in worlds.chances]


def test_a_part_that_came_out_again_in_another_way_does_not_count():
    """A group that is formed by other questions, since other people's values differ, would mislead."""
    points = [(0, 1), (2, 4), (3, 1), (0, 0), (1, 2), (0, 0), (3, 2), (1, 0), (1, 2), (1, 0)]
    assert all(found == exactly for found, exactly in part_by_part(points, "accdbbddab"))


@pytest.mark.slow
@given(seed=st.integers(0, 10**6))
@settings(max_examples=60)
def test_parts_judged_by_themselves_give_the_exact_chances(seed):
    random = np.random.default_rng(seed)
    rows = int(random.integers(7, 10))
    points = [tuple(int(x) for x in random.integers(0, 6, 2)) for _ in range(rows)]
    try:
        compared = list(part_by_part(points, random.choice(list("abcd"), rows)))
    except (GuaranteeError, RequestError):
        assume(False)
    assert all(found == exactly for found, exactly in compared)
