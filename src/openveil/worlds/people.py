"""The people a release is about: what is known of each, and what may be sensitive about them.

Claim. A world is one guess at the table: for each person the number of a sensitive value (of a combination, where
several columns are sensitive). `table` is that guess as a frame.

Cost. One encoding of the sensitive columns; one gather a world.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from openveil.core.witness import Labels, views_of

World = tuple[int, ...]
Persons = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class People:
    """One row of `known` a person; `values` are the sensitive values there may be, `own` the number of each one's."""

    known: pl.DataFrame = field(repr=False)
    values: pl.DataFrame = field(repr=False)
    own: Labels = field(repr=False)

    @staticmethod
    def of(known: pl.DataFrame, sensitive: pl.DataFrame, *, further: pl.DataFrame | None = None) -> People:
        """The people of a table; `further` are sensitive values nobody may have that an adversary reckons with."""
        whole = sensitive if further is None else pl.concat([sensitive, further.select(sensitive.columns)])
        codes = views_of(whole)[-1].codes
        numbers, first = np.unique(codes, return_index=True)
        return People(known, whole[first], np.searchsorted(numbers, codes[: sensitive.height]).astype(np.int32))

    def __len__(self) -> int:
        return len(self.own)

    @property
    def everyone(self) -> Persons:
        """The number of every person."""
        return np.arange(len(self.own), dtype=np.int64)

    def with_values(self, who: Persons, world: Sequence[int] | Labels) -> Labels:
        """The value of every person when those of `who` are as in this world, and the others' as they are."""
        codes = self.own.copy()
        codes[who] = np.array(world, dtype=np.int32)
        return codes

    def sensitive(self, codes: Labels) -> pl.DataFrame:
        """The sensitive columns of a table in which each person has the value of this number."""
        return self.values[codes]

    def table(self, codes: Labels) -> pl.DataFrame:
        """That table."""
        return pl.concat([self.known, self.sensitive(codes)], how="horizontal")

    @cached_property
    def _counted(self) -> NDArray[np.int64]:
        return np.bincount(self.own, minlength=self.values.height)

    def rearranges(self, codes: Labels) -> bool:
        """Whether each value occurs as often as in the table itself."""
        return np.array_equal(np.bincount(codes, minlength=self.values.height), self._counted)

    def order_of(self, codes: Labels) -> NDArray[np.int64]:
        """For such a table, whose value each person has: one of the orders of the people that make it."""
        order = np.empty(len(codes), dtype=np.int64)
        order[np.argsort(codes, kind="stable")] = np.argsort(self.own, kind="stable")
        return order
