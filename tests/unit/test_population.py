"""Verdicts with a known population: against every reconstruction of who in an external table may own which row."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openveil.core.alternatives import Readable
from openveil.core.errors import RequestError
from openveil.core.nodes import Nodes
from openveil.core.recoding import Display, Recoding
from openveil.core.release import regroup
from openveil.core.table import Population
from openveil.core.witness import view_with_guards
from openveil.requirements.personal_breach import Adversary, PersonalBreach
from openveil.workflow.population import fitting
from oracles import personal
from oracles.guarded import chances, hierarchy_of, node_of, trees
from oracles.points import public_of_points

# Two boxes of a plane of four by four places, apart from each other.
BOXES = (((0, 1), (0, 3)), ((2, 3), (1, 2)))


@dataclass(frozen=True)
class Row:
    """A row of a box: its owner, what it shows of its value, and what guards that."""

    box: int
    owner: int
    star: str
    guard: str | None


@st.composite
def releases(draw):
    """A taxonomy, published rows, and an external table that has the owners of all of them and others."""
    tree = draw(trees())
    rows, external = [], []
    for number, box in enumerate(BOXES):
        place = st.tuples(*(st.integers(low, high) for low, high in box))
        owners = range(10 * number, 10 * number + draw(st.integers(1, 2)))
        external += [draw(place) for _ in owners]
        for owner in owners:
            for _ in range(draw(st.integers(1, 2))):
                leaf = draw(st.sampled_from(tree.leaves("root")))
                star = draw(st.sampled_from(tree.way(leaf)))
                rows.append(Row(number, owner, star, draw(st.sampled_from([None, leaf, *tree.way(leaf)]))))
    anywhere = st.tuples(st.integers(0, 3), st.integers(0, 3))
    return tree, rows, external + draw(st.lists(anywhere, max_size=3))


def classes_of(tree, rows, external):
    """The classes that a reader of the boxes sees, with as many people as the external table has for each."""
    public, nodes = public_of_points([(at, at) for at in range(4)]), Nodes.of(hierarchy_of(tree))
    displays = tuple(
        Display(pl.Series([str(box[a]) for box in BOXES]), *np.array([box[a] for box in BOXES], dtype=np.int32).T)
        for a in range(2)
    )
    group = np.array([row.box for row in rows], dtype=np.int32)
    recoding = Recoding(group, np.array([[0, 0], [1, 1]], dtype=np.int32), displays)
    codes = np.array(external, dtype=np.int32)
    people = fitting(recoding, public.hierarchies, Population(codes, codes))
    shown, guard = (
        np.array([node_of(nodes, tree, name) for name in names], dtype=np.int32)
        for names in zip(*((row.star, row.guard) for row in rows), strict=True)
    )
    values = Readable(pl.DataFrame({"ill": [row.star for row in rows]}))
    owners = np.array([row.owner for row in rows], dtype=np.int32)
    view = view_with_guards(nodes, shown, guard)
    return regroup(pl.DataFrame({"box": group}), ["box"], values, owners, (view,), people[group])


def inside(box, place):
    return all(low <= at <= high for (low, high), at in zip(box, place, strict=True))


@settings(max_examples=100)
@given(drawn=releases(), limit=chances)
def test_a_verdict_with_a_population_is_that_of_all_reconstructions_of_the_external_table(drawn, limit):
    tree, rows, external = drawn
    primary = len({row.owner for row in rows}) == len(rows)
    worst = Fraction(0)
    for number, box in enumerate(BOXES):
        people = sum(inside(box, place) for place in external)
        stars = [row.star for row in rows if row.box == number]
        for guard in {row.guard for row in rows if row.box == number} - {None}:
            counted = personal.reconstructions(tree, stars, guard, people, primary=primary)
            worst = max(worst, Fraction(*counted))
    model = PersonalBreach(limit, "people.csv", Adversary.POPULATION)
    classes = classes_of(tree, rows, external)
    assert bool(model.holds(classes).all()) == (worst <= model.p)
    # Who knows who is in the table is never less sure.
    assert model.holds(classes)[PersonalBreach(limit).holds(classes)].all()


def test_a_promise_with_a_population_names_one():
    with pytest.raises(RequestError, match='adversary = "population" needs one'):
        PersonalBreach("1/2", adversary=Adversary.POPULATION)
