"""A table of people: its schema, the frame as read, and its dictionary-encoded public part.

Claim. `Public` is what an adversary may know of a table: for each row the code of each quasi-identifier on its
axis, and which rows belong to one person. A publisher sees this and a `Witness`, and nothing else.

Cost. One narrow matrix of codes, row by row (the narrowest unsigned integers that hold every axis), so a row is
one or two cache lines whatever the number of attributes; encoding is one join a column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from openveil.core.axis import Axis, Hierarchy
from openveil.core.errors import Problem, RequestError
from openveil.core.guards import Guards
from openveil.core.schema import Role, Schema

CodeMatrix = NDArray[np.unsignedinteger[Any]]


@dataclass(frozen=True, eq=False)
class Population:
    """People who may be in a table: on every axis each lies between two codes, which are one where it has the value.

    `below` is the last code that is not above the value and -1 where there is none; `above` the first that is not
    below it, or the end of the axis.
    """

    below: NDArray[np.int32] = field(repr=False)
    above: NDArray[np.int32] = field(repr=False)


@dataclass(frozen=True, eq=False)
class Public:
    """The quasi-identifiers of a table, encoded: one hierarchy and one column of `codes` an attribute.

    `persons[i]` numbers the person row `i` belongs to; None says that every row is a person of its own.
    `weights` are the prices of precision, one an attribute. `population` are the people who may be in the table,
    where they are known.
    """

    hierarchies: tuple[Hierarchy, ...] = field(repr=False)
    codes: CodeMatrix = field(repr=False)
    weights: tuple[Fraction, ...]
    persons: NDArray[np.int32] | None = field(default=None, repr=False)
    population: Population | None = field(default=None, repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the quasi-identifiers, in table order."""
        return tuple(hierarchy.axis.name for hierarchy in self.hierarchies)

    @property
    def heights(self) -> tuple[int, ...]:
        """The height of each attribute's hierarchy: the top of the lattice of levels."""
        return tuple(hierarchy.height for hierarchy in self.hierarchies)

    def __len__(self) -> int:
        return len(self.codes)


@dataclass(frozen=True, eq=False)
class Table:
    """A frame, what its columns are, its public part, and what guards its rows. The frame is never changed."""

    schema: Schema
    frame: pl.DataFrame = field(repr=False)
    public: Public
    guards: Guards | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return self.frame.height

    @staticmethod
    def encode(schema: Schema, frame: pl.DataFrame, hierarchies: tuple[Hierarchy, ...]) -> Table:
        """Encode the quasi-identifiers of `frame`; every value must lie on its axis."""
        names = schema.named(Role.QUASI)
        if names != tuple(hierarchy.axis.name for hierarchy in hierarchies):
            raise ValueError("table: one hierarchy a quasi-identifier, in table order")
        codes, strangers = code_matrix(frame, [hierarchy.axis for hierarchy in hierarchies])
        problems = [
            _uncovered(name, count, frame.height) for name, count in zip(names, strangers, strict=True) if count
        ]
        if problems:
            raise RequestError(problems)
        weights = tuple(column.weight for column in schema.columns if column.role is Role.QUASI)
        return Table(schema, frame, Public(hierarchies, codes, weights, _persons(schema, frame)))


def axes_of(frame: pl.DataFrame, names: Sequence[str]) -> list[Axis]:
    """An axis for each named column, of the distinct values in it; which values are equal is all that counts."""
    distinct = [told_apart(frame[name]).unique() for name in names]
    return [Axis(each.name, each.drop_nulls(), missing=each.null_count() > 0) for each in distinct]


def told_apart(values: pl.Series) -> pl.Series:
    """Floats as they are written: a reader tells -0.0 from 0.0, and NaN from an empty cell."""
    return values.cast(pl.String) if values.dtype.is_float() else values


def differing(one: pl.DataFrame, other: pl.DataFrame) -> NDArray[np.bool_]:
    """The rows in which two frames of the same columns are written otherwise."""
    written = ([told_apart(each[name]).cast(pl.String) for each in (one, other)] for name in one.columns)
    rows: NDArray[np.bool_] = np.logical_or.reduce(
        [np.zeros(one.height, dtype=np.bool_), *(own.ne_missing(shown).to_numpy() for own, shown in written)]
    )
    return rows


def code_matrix(frame: pl.DataFrame, axes: Sequence[Axis]) -> tuple[CodeMatrix, list[int]]:
    """The codes of the columns the axes are named after, row by row, and how many values of each are not covered."""
    widest = max((len(axis) for axis in axes), default=0)
    codes = np.empty((frame.height, len(axes)), dtype=np.min_scalar_type(max(widest - 1, 0)))
    strangers = []
    for column, axis in enumerate(axes):
        encoded, uncovered = axis.encode(frame[axis.name])
        codes[:, column] = encoded
        strangers.append(uncovered)
    codes.flags.writeable = False
    return codes, strangers


def _uncovered(name: str, strangers: int, rows: int) -> Problem:
    return Problem(
        f"column {name!r}",
        "has values its hierarchy does not cover",
        "Add them to the hierarchy, or list their spelling under `missing` if they mean 'not known'",
        f"{strangers} of {rows} rows",
    )


def _persons(schema: Schema, frame: pl.DataFrame) -> NDArray[np.int32] | None:
    """Number the persons; all rows whose person is not known count as one, so that k is never overstated."""
    named = schema.named(Role.PERSON)
    if not named:
        return None
    ranks = frame[named[0]].rank("dense")
    return ranks.fill_null(0).cast(pl.Int32).to_numpy()
