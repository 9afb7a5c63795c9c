"""The one door to the sensitive columns.

Claim. A publisher can learn about sensitive values only through a `Witness`, and every look is recorded: which
rows, and what was asked. An algorithm whose record is empty decided on public data alone, so replaying it on
any table with the same quasi-identifiers gives the same groups, and knowing it teaches nothing about anyone's
sensitive value.

Cost. The columns are encoded at the first question; a histogram is one pass over the rows asked about.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from openveil.core.classes import Counts, label_rows
from openveil.core.table import axes_of, code_matrix


@dataclass(frozen=True, eq=False)
class Look:
    """One question that was asked of the sensitive columns, and about which rows: a set, and a copy of its own."""

    question: str
    rows: NDArray[np.int64]

    def __post_init__(self) -> None:
        rows = np.unique(np.asarray(self.rows, dtype=np.int64))
        rows.flags.writeable = False
        object.__setattr__(self, "rows", rows)


@dataclass(eq=False)
class Witness:
    """Answers questions about the sensitive columns and remembers each."""

    _columns: pl.DataFrame = field(repr=False)
    _looks: list[Look] = field(default_factory=list, init=False, repr=False)

    @property
    def looks(self) -> tuple[Look, ...]:
        """Everything that was asked so far."""
        return tuple(self._looks)

    def histogram(self, rows: NDArray[np.int64]) -> Counts:
        """The multiplicities, largest first, of the sensitive values (all columns together) of distinct `rows`."""
        look = Look("histogram", rows)
        if len(look.rows) != len(rows) or (len(rows) and not 0 <= look.rows[0] <= look.rows[-1] < len(self._values)):
            raise ValueError("witness: ask about distinct rows of the table")
        self._looks.append(look)
        counts = np.bincount(self._values[look.rows])
        return np.sort(counts[counts > 0])[::-1].astype(np.int64)

    @cached_property
    def _values(self) -> NDArray[np.int32]:
        """For each row the number of its combination of sensitive values."""
        axes = axes_of(self._columns, self._columns.columns)
        if not axes:
            return np.zeros(self._columns.height, dtype=np.int32)
        codes, _ = code_matrix(self._columns, axes)
        return label_rows(codes, [np.arange(len(axis), dtype=np.int32) for axis in axes])
