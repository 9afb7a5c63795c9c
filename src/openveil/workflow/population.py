"""Breach probabilities for an adversary who knows the people that may be in the table, and no more.

Claim. Of a release under `personal-breach` with a `population`, the finding bounds the greatest breach probability
when so many people may own a tuple of a group as the population has people in the group's labels (S_ext). It promises
nothing: another adversary may know better. It is never less than what such an adversary can reckon, and it follows
from p, the groups and the population alone, so it tells nothing of what guards values.

Why it holds. A group counts at least its own people, who are in the table whether the population has them or not.
People with a value that the axis of a text column does not have are not counted, nor is a number outside of the
numbers that an interval is named after; fewer people make a greater probability. Where every person has one row a
probability is a sum divided by the number of people (Theorem 1), so at most p with the n persons of a group is at
most p n / m with m. Where persons have several rows it falls slower than that (Theorem 2), and p itself is told.

Cost. One pass over the people in a group's range of the longest axis, for every group.

Source. Xiao and Tao, Personalized privacy preservation, 2006, Definitions 7 and 8.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import polars as pl

from openveil.core.axis import Axis
from openveil.core.bags import Counts
from openveil.core.errors import refuse
from openveil.core.finding import Finding
from openveil.core.recoding import Recoding, Scheme
from openveil.core.requirement import Requirement
from openveil.core.table import Table
from openveil.core.witness import Labels
from openveil.io.read import Source, read
from openveil.requirements.personal_breach import GREATEST, KNOWN, PersonalBreach


def known_population(requirement: Requirement, table: Table, recoding: Recoding) -> Iterator[Finding]:
    """A bound of the breach probability with the people of the population, where one is given."""
    models = (model for model in requirement.parts() if isinstance(model, PersonalBreach) and model.population)
    model = next(models, None)
    if model is None or model.population is None or table.guards is None:
        return
    if recoding.scheme is Scheme.BUCKETISATION:
        return
    people = people_of(recoding, table, read(Source(model.population)))
    note = "at most, with the people in `population`; the promise is kept with those in the table alone"
    yield Finding(GREATEST, KNOWN, bound_with(recoding, table, people, model.p), note=note)


def bound_with(recoding: Recoding, table: Table, people: Counts, p: Fraction) -> Fraction:
    """What no breach probability exceeds with so many people for each group, if none exceeds p without them."""
    own = persons_of(recoding, table)
    if own.sum() != (recoding.group >= 0).sum():
        return p
    shares = (Fraction(n, max(n, m)) for n, m in zip(own.tolist(), people.tolist(), strict=True))
    return p * max(shares, default=Fraction(1))


def persons_of(recoding: Recoding, table: Table) -> Counts:
    """How many persons of the table each group has; all rows of a person are in one."""
    groups = len(recoding.cells)
    if table.public.persons is None:
        return np.bincount(recoding.group[recoding.group >= 0], minlength=groups).astype(np.int64)
    first = np.unique(table.public.persons, return_index=True)[1]
    home = recoding.group[first]
    return np.bincount(home[home >= 0], minlength=groups).astype(np.int64)


def people_of(recoding: Recoding, table: Table, population: pl.DataFrame) -> Counts:
    """How many people of the population each group may be about."""
    from openveil.kernels.covered import people_in

    names = table.public.names
    missing = [name for name in names if name not in population.columns]
    if missing:
        what = f"the population has no column {', '.join(map(repr, missing))}"
        raise refuse("privacy: personal-breach: population", what, "It must have every quasi-identifier")
    axes = [hierarchy.axis for hierarchy in table.public.hierarchies]
    places = [_between(axis, population[axis.name]) for axis in axes]
    below, above = (np.stack(each, axis=1) for each in zip(*places, strict=True))
    known = (below >= 0).all(axis=1) & (above < np.array([len(axis) for axis in axes])).all(axis=1)
    longest = int(np.argmax([len(axis) for axis in axes]))
    order = np.flatnonzero(known)[np.argsort(below[known, longest], kind="stable")]
    lowest, highest = _boxes(recoding)
    counted: Counts = people_in(lowest, highest, below[order], above[order], longest)
    return counted


def _boxes(recoding: Recoding) -> tuple[Labels, Labels]:
    """The codes that each group's labels stand for."""
    shown = list(enumerate(recoding.displays))
    lowest = np.stack([display.lower[recoding.cells[:, a]] for a, display in shown], axis=1)
    highest = np.stack([display.upper[recoding.cells[:, a]] for a, display in shown], axis=1)
    return lowest, highest


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
