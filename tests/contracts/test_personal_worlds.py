"""Is everybody's guard safe from somebody who knows the algorithm? Every table of small sizes, for various beliefs.

A world gives every row a value and a guard. Whoever sees a release, and knows the quasi-identifiers, the method and
how likely each pair of a value and a guard is, weighs every world that would have been published in just this way.
For every person, and every node that could guard the person in one of these worlds, the chance that a value of the
person lies in it must be at most p.
"""

from collections import Counter, defaultdict
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import polars as pl
import pytest

from openveil.core.errors import GuaranteeError
from openveil.core.nodes import Nodes
from openveil.core.registry import Kind, Status, discover
from openveil.core.requirement import together
from openveil.core.secret import Secret
from openveil.core.witness import Witness
from openveil.publishers.personalised import Personalised
from openveil.publishers.personalised_plus import PersonalisedPlus
from openveil.requirements.k_anonymity import KAnonymity
from openveil.requirements.personal_breach import PersonalBreach
from oracles.guarded import guards_of, hierarchy_of
from oracles.personal import Tree
from oracles.points import public_of_points, rows_of

XY = Tree("root", {"root": ["x", "y"]})
XYZ = Tree("root", {"root": ["x", "y", "z"]})
DEEP = Tree("root", {"root": ["A", "B"], "A": ["a1", "a2"], "B": ["b1", "b2"]})
UNEVEN = Tree("root", {"root": ["A", "z"], "A": ["a1", "a2", "a3"]})
LINE = [(0,), (1,), (2,), (3,)]
TIES = [(0,), (0,), (1,), (2,)]
PLANE = [(0, 1), (1, 0), (1, 1), (0, 0)]
FIVE = [(0,), (1,), (2,), (3,), (4,)]

MADE_FOR_GUARDS = [part for part in discover(Kind.PUBLISHER) if part.cls.needs_guards]


def pairs_of(tree, *, parents=True):
    """Every value with everything that may guard it: nothing, the value itself, and its parent below the root."""
    pairs = []
    for leaf in tree.leaves(tree.root):
        above = [node for node in tree.way(leaf)[1:2] if parents and node != tree.root]
        pairs += [(leaf, guard) for guard in (None, leaf, *above)]
    return pairs


def alike(tree, level):
    """Every pair as likely as any other."""
    return dict.fromkeys(pairs_of(tree), Fraction(1))


def telling(tree, level):
    """Values are not equally likely, and guards tell of values, as far as the claim allows."""
    nodes = Nodes.of(hierarchy_of(tree))
    weights = {}
    for place, leaf in enumerate(tree.leaves(tree.root)):
        node = int(nodes.at[level][place])
        guards = [guard for value, guard in pairs_of(tree) if value == leaf]
        low = [each for each in guards if each is None or len(tree.leaves(each)) < nodes.sizes[node]]
        for guard in guards:
            if guard not in low:
                weights[leaf, guard] = Fraction(1, 2 + len(tree.leaves(guard)))
            elif guard is None:
                weights[leaf, guard] = Fraction(
                    1 if len(low) == 1 else (1 + 5 * (place % 2)), 1 if len(low) == 1 else 7
                )
            else:
                weights[leaf, guard] = Fraction(1 + 5 * (1 - place % 2), 7 * (len(low) - 1))
        for guard in guards:
            weights[leaf, guard] *= 1 + node
    return weights


def published(publisher, public, tree, rows, requirement, nodes):
    """What a reader sees of one world: groups, with the bag of what their rows show; nothing when it is refused."""
    guards = guards_of(tree, [(value, guard, None) for value, guard in rows], nodes)
    witness = Witness(pl.DataFrame({"ill": [value for value, _ in rows]}), _guards=guards)
    try:
        recoding = publisher.solve(public, witness, requirement, Secret(bytes(32)))
    except GuaranteeError:
        return None
    shown = recoding.replaced[0].shown.to_list() if recoding.replaced else [value for value, _ in rows]
    groups = frozenset(
        (tuple(group), tuple(sorted(shown[row] for row in group))) for group in rows_of(recoding.group)
    )
    return groups, recoding.cells.tobytes()


def greatest_chance(publisher, tree, points, requirement, weights, persons=None):
    """The greatest chance anywhere that a person's value lies in a node that may guard it, and how much was seen."""
    public = public_of_points(points, persons)
    owners = list(range(len(points))) if persons is None else persons
    nodes = Nodes.of(hierarchy_of(tree))
    total, inside, wanted = Counter(), Counter(), defaultdict(set)
    for rows in product(weights, repeat=len(points)):
        seen = published(publisher, public, tree, rows, requirement, nodes)
        if seen is None:
            continue
        weight = np.prod([weights[row] for row in rows])
        total[seen] += weight
        for owner in set(owners):
            mine = [rows[place] for place, each in enumerate(owners) if each == owner]
            wanted[seen].update((owner, guard) for _, guard in mine if guard is not None)
            held = {node for value, _ in mine for node in tree.way(value)}
            for node in held:
                inside[seen, owner, node] += weight
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
]
SLOW = [
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


def test_every_publisher_for_guards_is_covered():
    assert {part.cls for part in MADE_FOR_GUARDS} == {Personalised, PersonalisedPlus}
    safe = [part for part in MADE_FOR_GUARDS if part.status is not Status.KNOWN_UNSAFE]
    assert {part.cls for part in safe} == {PersonalisedPlus}
