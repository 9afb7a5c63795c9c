"""The one door to the sensitive columns.

Claim. A publisher can learn about sensitive values only through a `Witness`, and every look is recorded: which
rows, and what was asked. An algorithm whose record is empty decided on public data alone, so replaying it on
any table with the same quasi-identifiers gives the same groups, and knowing it teaches nothing about anyone's
sensitive value.

Cost. A histogram is one pass over the rows asked about.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Look:
    """One question that was asked of the sensitive column, and about which rows."""

    question: str
    rows: NDArray[np.int64]


@dataclass(eq=False)
class Witness:
    """Answers questions about the sensitive columns and remembers each."""

    _columns: pl.DataFrame = field(repr=False)
    _looks: list[Look] = field(default_factory=list, init=False)

    @property
    def looks(self) -> tuple[Look, ...]:
        """Everything that was asked so far."""
        return tuple(self._looks)

    def histogram(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The multiplicities, largest first, of the sensitive values (all columns together) of `rows`."""
        self._looks.append(Look("histogram", rows))
        chosen = self._columns[rows]
        counts = chosen.group_by(chosen.columns).len()["len"].to_numpy()
        return np.sort(counts.astype(np.int64))[::-1]
