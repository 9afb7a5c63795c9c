"""Ordered axes and nested intervals over them.

Claim. Every attribute is an ordered list of labels (an `Axis`); every generalised value is an interval of codes
on it; a `Hierarchy` is a list of partitions of the axis into intervals, each coarser than the one before, the
last a single interval named `*`.

Why it holds. A taxonomy's leaves are laid out in tree order, so the leaves below a node are consecutive. This is
checked at construction: levels are nested runs that cover the axis, so an object that exists is valid.

Missing is a value of its own: an axis with `missing` has one more code, the last, which has no label; it stays
alone on every level below the top.

Cost. Linear in the axis a level, at construction only.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

ROOT = "*"
Codes = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Axis:
    """The distinct values of one attribute in order; `missing` adds one code after the last label."""

    name: str
    labels: pl.Series = field(repr=False)
    missing: bool = False

    def __post_init__(self) -> None:
        if self.labels.null_count():
            raise ValueError(f"axis {self.name!r}: labels must not be null; missing is declared by `missing`")
        if self.labels.n_unique() != len(self.labels):
            raise ValueError(f"axis {self.name!r}: labels must be distinct")

    def __len__(self) -> int:
        return len(self.labels) + int(self.missing)

    @property
    def published(self) -> pl.Series:
        """The labels as they are published, one a code: missing is an empty cell."""
        return self.labels.extend_constant(None, 1) if self.missing else self.labels

    def encode(self, values: pl.Series) -> tuple[Codes, int]:
        """The code of each value, and how many values are not on the axis (their code is -1)."""
        codes = np.full(len(values), -1, dtype=np.int32)
        if len(self.labels):
            numbers = pl.Series(np.arange(len(self.labels), dtype=np.int32))
            known = values.cast(self.labels.dtype, strict=False)
            found = known.replace_strict(self.labels, numbers, default=None, return_dtype=pl.Int32)
            codes = found.fill_null(-1).to_numpy(writable=True)
        if values.null_count():
            codes[values.is_null().to_numpy()] = len(self.labels) if self.missing else -1
        return codes, int((codes < 0).sum())


@dataclass(frozen=True, eq=False)
class Level:
    """A partition of an axis into consecutive runs: the first code of each run, and its published label.

    A null label is published as an empty cell and belongs to the run of the missing code.
    """

    starts: Codes = field(repr=False)
    labels: pl.Series = field(repr=False)

    def __len__(self) -> int:
        return len(self.starts)


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """Levels of generalisation of one axis, from the values themselves (level 0) to the single root."""

    axis: Axis
    levels: tuple[Level, ...] = field(repr=False)

    def __post_init__(self) -> None:
        name, size = self.axis.name, len(self.axis)
        if not self.levels:
            raise ValueError(f"hierarchy of {name!r}: needs at least one level")
        finer = np.arange(size, dtype=np.int32)
        for number, level in enumerate(self.levels):
            starts = level.starts
            if len(starts) != len(level.labels):
                raise ValueError(f"hierarchy of {name!r}, level {number}: one label a node, no more and no less")
            if size and (len(starts) == 0 or starts[0] != 0 or bool(np.any(np.diff(starts) <= 0))):
                raise ValueError(f"hierarchy of {name!r}, level {number}: runs must start at 0 and ascend")
            if not np.isin(starts, finer).all():
                raise ValueError(f"hierarchy of {name!r}, level {number}: cuts through a node of level {number - 1}")
            finer = starts
        if size and len(self.levels[-1]) != 1:
            raise ValueError(f"hierarchy of {name!r}: the last level must be a single node")
        if size and len(self.levels[0]) != size:
            raise ValueError(f"hierarchy of {name!r}: level 0 must be the values themselves")

    @property
    def height(self) -> int:
        """The level of the root; 0 when the attribute has a single value and nothing to generalise."""
        return len(self.levels) - 1

    def node_of_leaf(self, level: int) -> Codes:
        """For each code of the axis, the number of the node it falls into at `level`."""
        return self._maps[level]

    def leaves(self, level: int) -> NDArray[np.int64]:
        """How many codes of the axis lie under each node of `level`."""
        return np.diff(self.levels[level].starts, append=len(self.axis)).astype(np.int64)

    @cached_property
    def _maps(self) -> tuple[Codes, ...]:
        codes = np.arange(len(self.axis))
        return tuple(
            (np.searchsorted(level.starts, codes, side="right") - 1).astype(np.int32) for level in self.levels
        )


def flat(axis: Axis) -> tuple[Level, Level]:
    """The values themselves and the root: the first and last level of every hierarchy over `axis`."""
    bottom = Level(np.arange(len(axis), dtype=np.int32), axis.published.cast(pl.String).alias(axis.name))
    top = Level(
        np.zeros(min(1, len(axis)), dtype=np.int32),
        pl.Series(axis.name, [ROOT][: len(axis)], dtype=pl.String),
    )
    return bottom, top
