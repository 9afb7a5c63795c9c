"""How many people of a known population each group may be about, and what that makes of breach probabilities.

Claim. `fitting` says for every group how many people of the population its labels fit (S_ext). Where a promise is
reckoned with them, a population that lacks people of the table is refused, and so are labels of which several fit one
person: the theorems are about groups that do not overlap. `known_population` bounds the greatest breach probability
where the promise is not reckoned with them: that informs of an adversary who knows no more than the population,
follows from p, the groups and the population alone, and so tells nothing of what guards values.

Why it holds. People with a value that the axis of a text column does not have are not counted, nor is a number
outside of the numbers that an interval is named after; fewer people make a greater probability. Where every person
has one row a probability is a sum divided by the number of people (Theorem 1), so at most p with the n persons of a
group is at most p n / m with m. Where persons have several rows it falls slower than that (Theorem 2), and p itself
is told. For the bound a group counts at least its own people, who are in the table whether the population has them or
not.

Under bucketisation quasi-identifiers are shown as they are, and the people of a group count alone.

Cost. One pass over the people in a group's range of the longest axis, for every group.

Source. Xiao and Tao, Personalized privacy preservation, 2006, Definitions 7 and 8.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import polars as pl

from openveil.core.axis import Axis, Hierarchy
from openveil.core.bags import Counts
from openveil.core.errors import refuse
from openveil.core.finding import Finding
from openveil.core.recoding import Recoding, Scheme
from openveil.core.requirement import Requirement
from openveil.core.table import Population, Table
from openveil.core.witness import Labels
from openveil.io.read import Source, read
from openveil.requirements.personal_breach import GREATEST, KNOWN, PersonalBreach
from openveil.tools.covering import boxes

_WHERE = "privacy: personal-breach: population"


def population_of(requirement: Requirement, hierarchies: tuple[Hierarchy, ...]) -> Population | None:
    """The people of the population that the requirement names, on the axes of a table; None where it names none."""
    model = _model(requirement)
    if model is None or model.population is None:
        return None
    people = read(Source(model.population))
    axes = [hierarchy.axis for hierarchy in hierarchies]
    missing = [axis.name for axis in axes if axis.name not in people.columns]
    if missing:
        what = f"the population has no column {', '.join(map(repr, missing))}"
        raise refuse(_WHERE, what, "It must have every quasi-identifier")
    places = [_between(axis, people[axis.name]) for axis in axes]
    below, above = (np.stack(each, axis=1) for each in zip(*places, strict=True))
    return Population(below, above)


def people_for(requirement: Requirement, table: Table, recoding: Recoding) -> Counts | None:
    """How many people each group may be about, where the promise is reckoned with them; None where it is not.

    Raises `RequestError` if the population lacks people of the table, or has some whom several labels fit.
    """
    model, population = _model(requirement), table.public.population
    if model is None or not model.by_population or population is None or recoding.scheme is Scheme.BUCKETISATION:
        return None
    _refuse_strangers(table, population)
    _refuse_overlaps(recoding, table.public.hierarchies, population)
    return fitting(recoding, table.public.hierarchies, population)


def _refuse_strangers(table: Table, population: Population) -> None:
    """Refuse a population that lacks people: of each combination of quasi-identifiers it has as many as the table."""
    exact = (population.below == population.above).all(axis=1)
    rows = table.public.codes
    if table.public.persons is not None:
        rows = rows[np.unique(table.public.persons, return_index=True)[1]]
    both = np.concatenate([rows, population.below[exact].astype(rows.dtype)])
    place = np.unique(both, axis=0, return_inverse=True)[1].reshape(-1)
    here, there = place[: len(rows)], place[len(rows) :]
    lacking = np.maximum(np.bincount(here, minlength=len(both)) - np.bincount(there, minlength=len(both)), 0)
    if lacking.any():
        what = "does not have everyone who is in the table"
        remedy = (
            "Give a table with one line for each person who may be in yours, with values written as yours has them"
        )
        raise refuse(_WHERE, what, remedy, found=f"at least {int(lacking.sum()):,} of {len(rows):,} people")


def _refuse_overlaps(recoding: Recoding, hierarchies: tuple[Hierarchy, ...], population: Population) -> None:
    """Refuse labels that overlap: the theorems are about people who can be in one group only, or in groups alike."""
    from openveil.kernels.covered import people_in

    first = np.unique(recoding.cells, axis=0, return_index=True)[1]
    lowest, highest = (each[first] for each in boxes(recoding))
    below, above = population.below, population.above
    longest = int(np.argmax([len(hierarchy.axis) for hierarchy in hierarchies]))
    # Whether a box holds a person is whether the person's place, turned round, holds the box, turned round.
    order = np.argsort(-lowest[:, longest], kind="stable")
    several = int((people_in(-below, -above, -lowest[order], -highest[order], longest) > 1).sum())
    if several:
        what = "people of the population fit the labels of several groups, so their chances would add up"
        remedy = 'Write show = "intervals" or another method, or leave `adversary` out'
        raise refuse(_WHERE, what, remedy, found=f"{several:,} of {len(below):,} people")


def known_population(requirement: Requirement, table: Table, recoding: Recoding) -> Iterator[Finding]:
    """A bound of the breach probability with the people of a population that the promise is not reckoned with."""
    model, population = _model(requirement), table.public.population
    if model is None or model.by_population or population is None or recoding.scheme is Scheme.BUCKETISATION:
        return
    note = "at most, with the people in `population`; the promise is kept with those in the table alone"
    people = fitting(recoding, table.public.hierarchies, population)
    yield Finding(GREATEST, KNOWN, bound_with(recoding, table, people, model.p), note=note)


def _model(requirement: Requirement) -> PersonalBreach | None:
    return next((model for model in requirement.parts() if isinstance(model, PersonalBreach)), None)


def bound_with(recoding: Recoding, table: Table, people: Counts, p: Fraction) -> Fraction:
    """What no breach probability exceeds with so many people for each group, if none exceeds p without them."""
    own = persons_of(recoding, table)
    if table.public.persons is not None and len(np.unique(table.public.persons)) < len(table):
        return p
    shares = (Fraction(n, max(n, m)) for n, m in zip(own.tolist(), people.tolist(), strict=True))
    return p * max(shares, default=Fraction(1))


def persons_of(recoding: Recoding, table: Table) -> Counts:
    """How many persons of the table have rows in each group."""
    kept = recoding.group >= 0
    home = recoding.group[kept]
    if table.public.persons is not None:
        home = np.unique(np.stack([home, table.public.persons[kept]]), axis=1)[0]
    return np.bincount(home, minlength=len(recoding.cells)).astype(np.int64)


def fitting(recoding: Recoding, hierarchies: tuple[Hierarchy, ...], population: Population) -> Counts:
    """How many people of the population the labels of each group fit."""
    from openveil.kernels.covered import people_in

    below, above = population.below, population.above
    sizes = np.array([len(hierarchy.axis) for hierarchy in hierarchies])
    known = (below >= 0).all(axis=1) & (above < sizes).all(axis=1)
    longest = int(np.argmax(sizes))
    order = np.flatnonzero(known)[np.argsort(below[known, longest], kind="stable")]
    lowest, highest = boxes(recoding)
    counted: Counts = people_in(lowest, highest, below[order], above[order], longest)
    return counted


def _between(axis: Axis, values: pl.Series) -> tuple[Labels, Labels]:
    """The last code that is not above each value, and the first that is not below it; -1 and the end for none."""
    codes, _ = axis.encode(values)
    absent = codes < 0
    below, above = codes.copy(), np.where(absent, len(axis), codes).astype(np.int32)
    labels = axis.labels
    measured = labels.dtype.is_numeric() or labels.dtype.is_temporal()
    if measured and labels.is_sorted() and absent.any():
        asked = values.cast(labels.dtype, strict=False).filter(pl.Series(absent))
        places = np.flatnonzero(absent)[asked.is_not_null().to_numpy()]
        below[places] = labels.search_sorted(asked.drop_nulls(), side="right").to_numpy().astype(np.int32) - 1
        # The end of the labels is the code of missing where there is one, and no number lies there.
        next_above = labels.search_sorted(asked.drop_nulls(), side="left").to_numpy().astype(np.int32)
        above[places] = np.where(next_above == len(labels), len(axis), next_above)
    return below, above
