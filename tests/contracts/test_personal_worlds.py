"""Is everybody's guard safe from somebody who knows the algorithm? Every table of small sizes, for various beliefs.

A world gives every row a value and a guard. Whoever sees a release, and knows the quasi-identifiers, the method and
how likely each pair of a value and a guard is, weighs every world that would have been published in just this way.
For every person, and every node that could guard the person in one of these worlds, the chance that a value of the
person lies in it must be at most p.
"""

import json
from collections import Counter, defaultdict
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
import polars as pl
import pytest

import openveil
from openveil.core.errors import GuaranteeError, RequestError
from openveil.core.nodes import Nodes
from openveil.core.recoding import same_groups
from openveil.core.registry import Kind, Status, discover
from openveil.core.requirement import together
from openveil.core.secret import Secret
from openveil.core.witness import Witness
from openveil.publishers.mondrian import Mondrian
from openveil.publishers.personalised import Personalised
from openveil.publishers.personalised_even import PersonalisedEven
from openveil.publishers.personalised_plus import PersonalisedPlus
from openveil.requirements.frequency_l_diversity import FrequencyDiversity
from openveil.requirements.k_anonymity import KAnonymity
from openveil.requirements.personal_breach import PersonalBreach
from openveil.tools.dealt import Dealt
from openveil.tools.grouped import Partitioned
from openveil.tools.guarded import AtLevel, most_rows
from openveil.workflow.replay import REPLAYS
from oracles.guarded import guards_of, hierarchy_of
from oracles.personal import Tree
from oracles.points import public_of_points, rows_of

XY = Tree("root", {"root": ["x", "y"]})
# Guards that are grandparents, and levels up to 2 below the root.
TALL = Tree("root", {"root": ["A", "z"], "A": ["B", "c"], "B": ["b1", "b2"]})
XYZ = Tree("root", {"root": ["x", "y", "z"]})
DEEP = Tree("root", {"root": ["A", "B"], "A": ["a1", "a2"], "B": ["b1", "b2"]})
UNEVEN = Tree("root", {"root": ["A", "z"], "A": ["a1", "a2", "a3"]})
LINE = [(0,), (1,), (2,), (3,)]
TIES = [(0,), (0,), (1,), (2,)]
PLANE = [(0, 1), (1, 0), (1, 1), (0, 0)]
FIVE = [(0,), (1,), (2,), (3,), (4,)]

MADE_FOR_GUARDS = [part for part in discover(Kind.PUBLISHER) if part.cls.needs_guards]


def pairs_of(tree):
    """Every value with everything that may guard it: nothing, or a node on its way below the root."""
    return [(leaf, guard) for leaf in tree.leaves(tree.root) for guard in (None, *tree.way(leaf)[:-1])]


def low_of(tree, level, leaf):
    """What may guard a value and lies below its node of the level, with nothing; such guards may tell of values."""
    nodes = Nodes.of(hierarchy_of(tree))
    size = nodes.sizes[nodes.at[level][tree.leaves(tree.root).index(leaf)]]
    guards = [guard for value, guard in pairs_of(tree) if value == leaf]
    return [guard for guard in guards if guard is None or len(tree.leaves(guard)) < size], guards


def alike(tree, level):
    """Every value as likely as any other, and every guard of it, where those below the level count as one."""
    weights = {}
    for leaf in tree.leaves(tree.root):
        low, guards = low_of(tree, level, leaf)
        kinds = len(guards) - len(low) + 1
        weights |= {(leaf, guard): Fraction(1, kinds * (len(low) if guard in low else 1)) for guard in guards}
    return weights


def telling(tree, level):
    """Values are not equally likely, and guards tell of values, as far as the claim allows."""
    nodes = Nodes.of(hierarchy_of(tree))
    weights = {}
    for place, leaf in enumerate(tree.leaves(tree.root)):
        low, guards = low_of(tree, level, leaf)
        waives = Fraction(1 if len(low) == 1 else 1 + 5 * (place % 2), 1 if len(low) == 1 else 7)
        for guard in guards:
            weights[leaf, guard] = Fraction(1, 2 + len(tree.leaves(guard or leaf)))
            if guard in low:
                weights[leaf, guard] = waives if guard is None else (1 - waives) / (len(low) - 1)
        for guard in guards:
            weights[leaf, guard] *= 1 + int(nodes.at[level][place])
    return weights


def ruled(**rules):
    """A belief that follows from rules of the plan: what guards a value is known from the value."""

    def believed(tree, level):
        guards = {leaf: rules.get(leaf, leaf) for leaf in tree.leaves(tree.root)}
        node = Nodes.of(hierarchy_of(tree)).at[level]
        return {pair: Fraction(1 + int(node[place])) for place, pair in enumerate(guards.items())}

    return believed


def wished(chance, **rules):
    """The same, but a person waives, or guards the own value, with this chance of each."""

    def believed(tree, level):
        weights = {pair: (1 - 2 * chance) * weight for pair, weight in ruled(**rules)(tree, level).items()}
        for (leaf, _), weight in ruled(**rules)(tree, level).items():
            for guard in (None, leaf):
                weights[leaf, guard] = weights.get((leaf, guard), Fraction(0)) + chance * weight
        return weights

    return believed


def guards_in(tree, rows, nodes=None):
    return guards_of(tree, [(value, guard, None) for value, guard in rows], nodes)


def outcomes(publisher, public, tree, rows, requirement, nodes):
    """Every recoding that may come of one world, what its rows show, and how likely it is."""
    guards = guards_in(tree, rows, nodes)
    witness = Witness(pl.DataFrame({"ill": [value for value, _ in rows]}), _guards=guards)
    for recoding, chance in publisher.outcomes(public, witness, requirement):
        shown = recoding.replaced[0].shown.to_list() if recoding.replaced else [value for value, _ in rows]
        yield recoding, shown, chance


def by_labels(publisher, public, tree, rows, requirement, nodes):
    """The same for a reader who sees the table alone, and does not know which group anybody is in."""
    chances = Counter()
    for recoding, shown, chance in outcomes(publisher, public, tree, rows, requirement, nodes):
        labels = [recoding.cells[group].tobytes() for group in recoding.group]
        chances[tuple(sorted(zip(labels, shown, strict=True)))] += chance
    return chances


def published(publisher, public, tree, rows, requirement, nodes):
    """What a reader may see of one world, and how likely: groups, with the bag of what their rows show."""
    chances = Counter()
    for recoding, shown, chance in outcomes(publisher, public, tree, rows, requirement, nodes):
        groups = (
            (
                tuple(group),
                tuple(sorted(shown[row] for row in group)),
                recoding.cells[recoding.group[group[0]]].tobytes(),
            )
            for group in rows_of(recoding.group)
        )
        chances[frozenset(groups)] += chance
    return chances


def greatest_chance(publisher, tree, points, requirement, weights, persons=None, view=published):
    """The greatest chance anywhere that a person's value lies in a node that may guard it, and how much was seen."""
    public = public_of_points(points, persons)
    nodes = Nodes.of(hierarchy_of(tree))
    worlds = product(weights, repeat=len(points))
    seen = ((rows, view(publisher, public, tree, rows, requirement, nodes)) for rows in worlds)
    return greatest_of(seen, tree, weights, list(range(len(points))) if persons is None else persons)


def greatest_of(worlds, tree, weights, owners):
    """The same, from every world with what may be seen of it, and how likely."""
    total, inside, wanted = Counter(), Counter(), defaultdict(set)
    for rows, chances in worlds:
        weight = prod(weights[row] for row in rows)
        for seen, chance in chances.items():
            total[seen] += weight * chance
            for owner in set(owners):
                mine = [rows[place] for place, each in enumerate(owners) if each == owner]
                wanted[seen].update((owner, guard) for _, guard in mine if guard is not None)
                for node in {node for value, _ in mine for node in tree.way(value)}:
                    inside[seen, owner, node] += weight * chance
    chances = [inside[seen, *each] / total[seen] for seen, those in wanted.items() for each in those]
    return max(chances), len(total)


HALF, THIRD, FORTY = Fraction(1, 2), Fraction(1, 3), Fraction(2, 5)
QUICK = [
    (XY, LINE, 0, HALF),
    (XY, TIES, 0, HALF),
    (UNEVEN, LINE[:3], 1, FORTY),
    # A third of a sealed node is more than is allowed.
    (UNEVEN, LINE[:3], 1, Fraction(3, 10)),
    (DEEP, LINE[:2], 1, HALF),
    (TALL, LINE[:2], 0, HALF),
    (TALL, LINE[:2], 1, FORTY),
    (TALL, LINE[:2], 2, Fraction(2, 3)),
]
SLOW = [
    (TALL, LINE[:3], 0, Fraction(2, 3)),
    (TALL, TIES[:3], 1, HALF),
    (TALL, LINE[:3], 2, HALF),
    (TALL, LINE[:3], 2, Fraction(2, 3)),
    (XYZ, LINE, 0, HALF),
    (XYZ, PLANE, 0, FORTY),
    (XYZ, TIES, 0, HALF),
    (DEEP, LINE[:3], 1, HALF),
    (DEEP, TIES[:3], 1, Fraction(2, 3)),
    (DEEP, LINE[:3], 0, Fraction(2, 3)),
    (UNEVEN, LINE[:3], 1, HALF),
    (UNEVEN, LINE[:3], 1, Fraction(2, 3)),
    (XY, FIVE, 0, HALF),
]


@pytest.mark.parametrize("beliefs", [alike, telling])
@pytest.mark.parametrize(("tree", "points", "level", "p"), QUICK)
def test_every_guard_is_safe_from_who_knows_the_algorithm(tree, points, level, p, beliefs):
    publisher = PersonalisedPlus(level=level)
    chance, seen = greatest_chance(publisher, tree, points, PersonalBreach(p), beliefs(tree, level))
    assert chance <= p
    assert seen > 1


@pytest.mark.slow
@pytest.mark.parametrize("beliefs", [alike, telling])
@pytest.mark.parametrize(("tree", "points", "level", "p"), SLOW)
def test_every_guard_is_safe_from_who_knows_the_algorithm_in_larger_tables(tree, points, level, p, beliefs):
    publisher = PersonalisedPlus(level=level)
    chance, seen = greatest_chance(publisher, tree, points, PersonalBreach(p), beliefs(tree, level))
    assert chance <= p
    assert seen > 1


FIFTH = Fraction(1, 5)
BY_RULES = {
    "apart": (0, ruled(b1="A", b2="b2", c=None), Fraction(2, 3)),
    "apart, with wishes": (0, wished(FIFTH, b1="B", c="A"), HALF),
    "a node, level 1": (1, ruled(b1="A", b2="A", c="A"), Fraction(2, 3)),
    "a node, level 1, with wishes": (1, wished(FIFTH, b1="B", b2="B"), HALF),
    "below the level": (2, ruled(b1="B", b2=None, c=None), Fraction(2, 3)),
    "a node, level 2, with wishes": (2, wished(FIFTH, b1="A", b2="A", c="A"), Fraction(2, 3)),
    "below the level, with wishes": (2, wished(FIFTH, b1="B", b2="B", c=None), HALF),
}


@pytest.mark.parametrize("name", BY_RULES)
def test_every_guard_is_safe_from_who_knows_the_rules_of_the_plan(name):
    level, beliefs, p = BY_RULES[name]
    points = LINE[:3] if "wishes" in name else LINE
    publisher = PersonalisedPlus(level=level)
    chance, seen = greatest_chance(publisher, TALL, points, PersonalBreach(p), beliefs(TALL, level))
    assert chance <= p
    assert seen > 1


def test_a_rule_that_is_refused_would_tell_a_value_for_certain():
    """Who has b1 is known by what look-ahead protects; see `Guards.ruled_apart`."""
    chance, _ = greatest_chance(
        PersonalisedPlus(level=1), TALL, LINE[:3], PersonalBreach(HALF), ruled(b1="B")(TALL, 1)
    )
    assert chance == 1


def certified(plan, points, rows):
    """All that is published of one world: the table, the certificate as it is written, and who is in which group."""
    frame = pl.DataFrame(
        {
            "age": [point[0] for point in points],
            "ill": [value for value, _ in rows],
            "wish": [guard or "none" for _, guard in rows],
        }
    )
    try:
        release = openveil.publish(frame, plan)
    except GuaranteeError:
        return {}
    told = {key: value for key, value in release.certificate.items() if key != "secret_commitment"}
    # Replays draw anew, from values in a random order: how they come out says nothing of which row has which value.
    told["findings"] = [each for each in told["findings"] if each["name"] != REPLAYS[0]]
    group = release.release.evidence.recoding.group
    return {(tuple(sorted(release.data.rows())), json.dumps(told, sort_keys=True), tuple(group.tolist())): 1}


def plan_for(tree, method, p):
    def below(node):
        return {child: below(child) for child in tree.children.get(node, [])}

    taxonomy = {"kind": "taxonomy", "tree": below(tree.root)}
    return {
        "columns": {
            "age": {"role": "quasi-identifier", "hierarchy": {"kind": "intervals", "widths": [2]}},
            "ill": {"role": "sensitive", "hierarchy": taxonomy, "guard": {"column": "wish"}},
            "wish": {"role": "guard"},
        },
        "privacy": {"personal-breach": {"p": str(p)}},
        "method": method,
    }


CERTIFIED = [
    pytest.param(XY, 0, LINE[:2], HALF, id="XY"),
    pytest.param(UNEVEN, 1, LINE[:2], HALF, id="UNEVEN, level 1", marks=pytest.mark.slow),
    pytest.param(XY, 0, LINE, HALF, id="XY, 4 rows", marks=pytest.mark.slow),
    pytest.param(TALL, 2, LINE[:2], Fraction(2, 3), id="TALL, level 2", marks=pytest.mark.slow),
]


@pytest.mark.parametrize("method", ["personalised+", "personalised-even"])
@pytest.mark.parametrize(("tree", "level", "points", "p"), CERTIFIED)
def test_every_guard_is_safe_from_who_reads_the_certificate_too(tree, level, points, p, method):
    """What is written of a release that is safe by itself tells no more than the release does; nothing is drawn."""
    plan, weights = plan_for(tree, {"name": method, "level": level}, p), telling(tree, level)
    worlds = ((rows, certified(plan, points, rows)) for rows in product(weights, repeat=len(points)))
    chance, seen = greatest_of(worlds, tree, weights, range(len(points)))
    assert chance <= p
    assert seen > 1


# Even cuts draw, so every draw is gone through too. Ties in the middle are drawn apart.
MIDDLE = [(0,), (1,), (1,), (2,)]
EVENLY = [
    (XY, LINE[:3], 0, HALF),
    (XY, LINE, 0, FORTY),
    (XY, MIDDLE, 0, HALF),
    (UNEVEN, LINE[:2], 1, HALF),
    (TALL, LINE[:2], 2, Fraction(2, 3)),
]
EVENLY_SLOW = [
    (XYZ, LINE[:3], 0, Fraction(2, 3)),
    (XYZ, MIDDLE, 0, HALF),
    (TALL, LINE[:3], 0, HALF),
    (TALL, LINE[:3], 2, HALF),
    (UNEVEN, LINE[:3], 1, HALF),
]


@pytest.mark.parametrize("beliefs", [alike, telling])
@pytest.mark.parametrize(("tree", "points", "level", "p"), EVENLY)
def test_every_guard_is_safe_where_groups_are_cut_evenly(tree, points, level, p, beliefs):
    publisher = PersonalisedEven(level=level)
    chance, seen = greatest_chance(publisher, tree, points, PersonalBreach(p), beliefs(tree, level))
    assert chance <= p
    assert seen > 1


@pytest.mark.slow
@pytest.mark.parametrize(("tree", "points", "level", "p"), EVENLY_SLOW)
def test_every_guard_is_safe_where_larger_groups_are_cut_evenly(tree, points, level, p):
    publisher = PersonalisedEven(level=level)
    chance, seen = greatest_chance(publisher, tree, points, PersonalBreach(p), telling(tree, level))
    assert chance <= p
    assert seen > 1


# Of some who have x it is guarded.
SOME = {("x", "x"): Fraction(1, 8), ("x", None): Fraction(1, 2), ("y", None): Fraction(3, 8)}
EVENLY_OF_SOME = {
    "five": (FIVE, None, HALF),
    "five, rare": (FIVE, None, Fraction(3, 5)),
    "six": ([*FIVE, (5,)], None, FORTY),
    "two rows in the middle": ([(0,), (1,), (2,), (2,), (3,), (4,)], [0, 1, 2, 2, 3, 4], Fraction(2, 3)),
    "two persons of two": ([(0,), (0,), (2,), (2,), (3,), (4,)], [0, 0, 2, 2, 3, 4], Fraction(4, 5)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", EVENLY_OF_SOME)
def test_every_guard_of_some_is_safe_where_groups_are_cut_evenly(name):
    points, persons, p = EVENLY_OF_SOME[name]
    chance, seen = greatest_chance(PersonalisedEven(), XY, points, PersonalBreach(p), SOME, persons)
    assert chance <= p
    assert seen > 1


@pytest.mark.parametrize("persons", [[0, 1, 1, 2], [0, 1, 1, 1]])
def test_every_guard_is_safe_of_persons_whose_rows_are_cut_evenly(persons):
    p = Fraction(3, 4)
    chance, _ = greatest_chance(PersonalisedEven(), XY, MIDDLE, PersonalBreach(p), telling(XY, 0), persons)
    assert chance <= p


class OfTheirGroups(PersonalisedEven):
    """Asks each group about its own guards alone, though rows of a person come into several."""

    def asked(self, public, witness, requirement):
        return AtLevel(self.level, most_rows(public), requirement, witness)


@pytest.mark.parametrize("points", [MIDDLE, LINE], ids=["ties", "no ties"])
def test_nobody_is_surer_who_does_not_know_who_is_in_which_group(points):
    """Equal rows in two groups: a reader of labels does not know in which of them a guard was asked about."""
    chance, _ = greatest_chance(PersonalisedEven(), XY, points, PersonalBreach(HALF), SOME, view=by_labels)
    assert chance <= HALF


def test_the_same_test_finds_groups_that_are_asked_about_their_own_guards_alone():
    chance, _ = greatest_chance(OfTheirGroups(), XY, MIDDLE, PersonalBreach(HALF), SOME, view=by_labels)
    assert chance > HALF


@pytest.mark.slow
def test_the_same_test_finds_guards_that_protect_one_row_of_a_person():
    points, persons, p = EVENLY_OF_SOME["two rows in the middle"]
    chance, _ = greatest_chance(OfTheirGroups(), XY, points, PersonalBreach(p), SOME, persons)
    assert chance == 1


@pytest.mark.parametrize(("tree", "level"), [(XY, 0), (UNEVEN, 1)])
def test_every_guard_is_safe_of_persons_with_several_rows(tree, level):
    points, persons, p = [(0,), (0,), (1,)], [0, 0, 1], Fraction(3, 4)
    publisher = PersonalisedPlus(level=level)
    chance, _ = greatest_chance(publisher, tree, points, PersonalBreach(p), alike(tree, level), persons)
    assert chance <= p


def test_every_guard_is_safe_where_other_models_are_asked_for_too():
    asked = together([PersonalBreach(HALF), KAnonymity(2)])
    chance, _ = greatest_chance(PersonalisedPlus(), XY, LINE, asked, alike(XY, 0))
    assert chance <= HALF


@pytest.mark.parametrize(("tree", "points"), [(UNEVEN, [(0,), (0,)]), (DEEP, LINE[:2])])
def test_the_same_test_finds_the_greedy_publisher(tree, points):
    """Somebody's guarded value comes out for certain."""
    chance, _ = greatest_chance(Personalised(), tree, points, PersonalBreach(HALF), alike(tree, 0))
    assert chance == 1


def test_the_same_test_finds_cuts_that_are_revoked():
    """Of three people in one group it is known that a cut failed."""
    chance, _ = greatest_chance(Mondrian(), XY, LINE[:3], PersonalBreach(HALF), alike(XY, 0))
    assert chance == 1


def test_what_the_greedy_publisher_shows_as_the_root_is_known_for_certain():
    requirement, nodes = PersonalBreach(HALF), Nodes.of(hierarchy_of(UNEVEN))
    public = public_of_points([(0,), (0,)])
    leaves = UNEVEN.leaves("root")
    rooted = [
        values
        for values in product(leaves, repeat=2)
        if "*" in str(published(Personalised(), public, UNEVEN, [(v, v) for v in values], requirement, nodes))
    ]
    assert rooted == [("z", "z")]


class Obliging(PersonalisedPlus):
    """Seals only where a guard is breached otherwise, which tells that there is one."""

    def solve(self, public, witness, requirement, secret):
        found = super().solve(public, witness, requirement, secret)
        guards = witness.guarded
        rows = np.bincount(guards.leaf, minlength=guards.nodes.leaves)
        own = guards.node == guards.leaf
        breached = own & (rows[guards.leaf] > requirement.p * len(own))
        return found if breached.any() else replace(found, replaced=())


def test_the_same_test_finds_a_publisher_that_seals_where_a_guard_needs_it():
    weights = {(leaf, None): Fraction(1, 10) for leaf in ("a1", "z")}
    weights |= {("a1", "a1"): Fraction(9, 10), ("z", "z"): Fraction(9, 10)}
    for leaf in ("a2", "a3"):
        weights |= {(leaf, None): Fraction(9, 10), (leaf, leaf): Fraction(1, 10)}
    points, requirement = [(0,), (0,)], PersonalBreach(FORTY)
    assert greatest_chance(PersonalisedPlus(level=1), UNEVEN, points, requirement, weights)[0] <= FORTY
    assert greatest_chance(Obliging(level=1), UNEVEN, points, requirement, weights)[0] > FORTY


# Publishers that are not made for guards and keep them all the same; they read values and guards at level 0.
OTHERS = [
    part
    for part in discover(Kind.PUBLISHER)
    if issubclass(part.cls, Partitioned) and part.status is not Status.KNOWN_UNSAFE and not part.cls.needs_guards
]
KEEPING = {"anatomy", "hilb++r", "hilb+r", "mondrian++", "mondrian+"}
CUTTING = {"hilb+r", "mondrian+"}
REFUSING = {"exclusive", "inclusive", "mask++r", "mask+r", "mondrian-even", "mondrian-even++", "rotation"}
NEEDED = {name: {"domain": ("x", "y")} for name in ("mask+r", "mask++r")}
KEEPERS = [part for part in OTHERS if part.name in KEEPING]
BREACH = PersonalBreach(HALF)
MIXED_TOO = together([BREACH, FrequencyDiversity(2)])
named = {"ids": lambda part: part.name}
AMONG_OTHERS = [(XY, LINE[:3], BREACH), (XY, LINE, MIXED_TOO), (TALL, LINE[:2], BREACH)]
AMONG_OTHERS_SLOWLY = [
    (XY, TIES, BREACH),
    (XYZ, TIES, MIXED_TOO),
    (XY, FIVE, BREACH),
    (DEEP, TIES[:3], BREACH),
]


@pytest.mark.parametrize("part", KEEPERS, **named)
@pytest.mark.parametrize(("tree", "points", "asked"), AMONG_OTHERS)
def test_every_guard_is_safe_with_methods_that_are_not_made_for_guards(part, tree, points, asked):
    p = asked.parts()[0].p
    assert greatest_chance(part.cls(), tree, points, asked, telling(tree, 0))[0] <= p


# The others have the groups of one of these, or one group.
@pytest.mark.slow
@pytest.mark.parametrize("part", [part for part in KEEPERS if part.name in CUTTING], **named)
@pytest.mark.parametrize(("tree", "points", "asked"), AMONG_OTHERS_SLOWLY)
def test_every_guard_is_safe_with_methods_that_are_not_made_for_guards_in_larger_tables(part, tree, points, asked):
    p = asked.parts()[0].p
    assert greatest_chance(part.cls(), tree, points, asked, telling(tree, 0))[0] <= p


@pytest.mark.parametrize("part", [part for part in OTHERS if part.name in REFUSING], **named)
def test_a_method_that_cannot_keep_guards_says_so(part):
    rows = [("x", "x"), ("y", None), ("x", None), ("y", "y")]
    witness = Witness(pl.DataFrame({"ill": [value for value, _ in rows]}), _guards=guards_in(XY, rows))
    with pytest.raises(RequestError):
        part.cls(**NEEDED.get(part.name, {})).solve(
            public_of_points(LINE), witness, PersonalBreach(HALF), Secret(bytes(32))
        )


def test_every_publisher_that_may_be_asked_about_guards_is_covered():
    assert {part.name for part in OTHERS} == KEEPING | REFUSING


@pytest.mark.parametrize("part", [part for part in KEEPERS if issubclass(part.cls, Dealt)], **named)
@pytest.mark.parametrize("asked", [BREACH, MIXED_TOO])
def test_where_guards_are_read_nothing_is_dealt_and_the_odds_say_so(part, asked):
    """What may come out is what comes out: the strata, for certain, whatever other models are asked for too."""
    rows = [(value, value) for value in "xyzxyzxyzxyz"]
    witness = Witness(pl.DataFrame({"ill": [value for value, _ in rows]}), _guards=guards_in(XYZ, rows))
    public, publisher = public_of_points([(place // 3,) for place in range(12)]), part.cls()
    recoding = publisher.solve(public, witness, asked, Secret(bytes(32)))
    [(only, chance)] = publisher.outcomes(public, witness, asked)
    assert (same_groups(only.group, recoding.group), chance) == (True, 1)
    assert same_groups(recoding.group, recoding.settled)
    assert publisher.odds(public, witness, asked, recoding) == 1
    assert publisher.may_deal(recoding.settled, recoding.group, witness, asked)
    finer = np.arange(12, dtype=np.int32)
    assert publisher.odds(public, witness, asked, replace(recoding, group=finer)) == 0
    assert not publisher.may_deal(recoding.settled, finer, witness, asked)


def test_every_publisher_for_guards_is_covered():
    assert {part.cls for part in MADE_FOR_GUARDS} == {Personalised, PersonalisedEven, PersonalisedPlus}
    safe = [part for part in MADE_FOR_GUARDS if part.status is not Status.KNOWN_UNSAFE]
    assert {part.cls for part in safe} == {PersonalisedEven, PersonalisedPlus}
