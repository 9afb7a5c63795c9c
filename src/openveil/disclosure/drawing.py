"""Tables that agree with the groups of a function, drawn at random, and what functions show of them.

Claim. Every table that agrees is as likely as any other. A `Table` says what functions show of it as a look through a
witness would.

Cost. One sort of the rows a table; one pass over them a function.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from openveil.core.bags import Bags
from openveil.disclosure.chains import Places
from openveil.disclosure.counting import Asked
from openveil.disclosure.functions import Functions, Image, image_of
from openveil.disclosure.images import Filling
from openveil.disclosure.rotations import holds
from openveil.disclosure.turning import Limits


@dataclass(frozen=True, eq=False)
class Tables:
    """All tables that function `last` shows so; their values are numbered from 0 without gaps."""

    functions: Functions
    last: int
    image: Image = field(repr=False)
    asked: Asked

    @cached_property
    def _distinct(self) -> Places:
        """The values that occur."""
        return np.array(sorted({value for group in self.image for value, _ in group}), dtype=np.int64)

    @cached_property
    def _values(self) -> NDArray[np.int32]:
        """The values of each group of the last function, one group after the other."""
        return self._numbered(pair for group in self.image for pair in group)

    def _numbered(self, pairs: Iterable[tuple[int, int]]) -> NDArray[np.int32]:
        """Values as often as they occur, numbered from 0."""
        values, counts = np.array([*pairs], dtype=np.int64).T
        return np.repeat(np.searchsorted(self._distinct, values), counts).astype(np.int32)

    @cached_property
    def limits(self) -> Limits:
        """How often values may occur, among as many values as there are."""
        return Limits(self.asked, len(self._distinct))

    @cached_property
    def orders(self) -> tuple[Places, ...]:
        """For each function, its rows group by group."""
        return tuple(np.argsort(label, kind="stable") for label in self.functions.labels)

    @cached_property
    def sizes(self) -> tuple[Places, ...]:
        """For each function, how large its groups are."""
        return tuple(np.bincount(label) for label in self.functions.labels)

    def drawn(self, random: np.random.Generator) -> Table:
        """One of them, all being as likely."""
        label = self.functions.labels[self.last]
        values = np.empty(len(label), dtype=np.int32)
        values[np.lexsort((random.random(len(label)), label))] = self._values
        return Table(self, values)

    def filled(self, filling: Filling) -> Table:
        """One whose atoms are filled so."""
        values = np.empty(len(self.functions.atom), dtype=np.int32)
        values[np.argsort(self.functions.atom, kind="stable")] = self._numbered(
            pair for atom in filling for pair in atom
        )
        return Table(self, values)


@dataclass(frozen=True, eq=False)
class Table:
    """One table: the value of each row."""

    among: Tables
    values: NDArray[np.int32] = field(repr=False)

    def holds(self, i: int) -> bool:
        """Whether each group of function i holds by itself."""
        return holds(self.values[self.among.orders[i]], self.among.sizes[i], self.among.limits)

    def image(self, i: int) -> Image:
        """The groups of function i."""
        functions, whole = self.among.functions, np.bincount(self.values)
        return image_of(Bags.of_rows("", whole, functions.labels[i], self.values, functions.groups(i)))
