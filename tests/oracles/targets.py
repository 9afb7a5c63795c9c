"""Releases for the laboratory, written down row by row.

Rows have one quasi-identifier, a whole number, and one sensitive value; `group` says which rows are shown alike.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import polars as pl

from openveil.core.attack import Outsiders, Sensitive, Target
from openveil.core.publisher import Publisher
from openveil.core.recoding import Change, Replaced
from openveil.core.requirement import Requirement
from openveil.tools.covering import Show, covered
from openveil.tools.fitting import look_alikes
from oracles.points import public_of_points

ILL = "ill"


def target_of(
    places: Sequence[int],
    values: Sequence[str],
    group: Sequence[int],
    requirement: Requirement | None = None,
    publisher: Publisher | None = None,
    shown: Sequence[str] | None = None,
) -> Target:
    """The release of rows at these places, which have these values and are in these groups."""
    public = public_of_points([(place,) for place in places])
    recoding = covered(public, np.array(group, dtype=np.int32), Show.INTERVALS)
    if shown is not None:
        recoding = replace(recoding, replaced=(_replaced(shown, values),))
    limit = requirement.greatest_chance if requirement else Fraction(1)
    column = Sensitive.of(pl.Series(ILL, list(values)), recoding)
    return Target(public, recoding, (column,), limit, requirement, publisher)


def with_outsiders(target: Target, places: Sequence[int], values: Sequence[str]) -> Target:
    """The same release, and people who are not in it."""
    axis = target.public.hierarchies[0].axis
    codes = axis.encode(pl.Series(list(places)))[0].reshape(-1, 1).astype(np.int32)
    row = look_alikes(target.public, target.recoding, codes)
    return replace(target, outsiders=Outsiders(codes, row, {ILL: pl.Series(ILL, list(values))}))


def _replaced(shown: Sequence[str], values: Sequence[str]) -> Replaced:
    labels = sorted(set(shown))
    code = np.array([labels.index(each) for each in shown], dtype=np.int32)
    touched = np.array([a != b for a, b in zip(shown, values, strict=True)])
    return Replaced(ILL, Change.PERTURBED, pl.Series(ILL, labels), code, touched)
