"""The groups of a release along the Hilbert curve, as whoever replays the algorithm lines them up.

Claim. A `CurveGroups` knows of each group where it starts and ends on the curve, in the order of the groups' first
rows, and how often each value occurs in it; never which row has which value. `foreseen` groups from the first on were
taken from the heads of the queues in which each value's rows wait, for certain, when `hilb` made the release.

Why it holds. Quasi-identifiers say where each row is on the curve, and ties go by row number. Where as many rows as l
times the largest count of what was left remain after a group, the l first heads leave a diverse rest, so `hilb` took
them and nothing else (SPEC A3 and A10).

Cost. One sort of the rows and two passes over them.

Source. X. Jin, N. Zhang, G. Das, ASAP: Eliminating algorithm-based disclosure in privacy-preserving data publishing,
2011, section 8.3.1.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from openveil.core.bags import Bags, Counts
from openveil.core.table import Public
from openveil.core.witness import Labels
from openveil.tools.hilbert_cuts import keys_of, order_of


@dataclass(frozen=True, eq=False)
class CurveGroups:
    """Groups by place; `order[i]` is the row at i of the curve, `place[i]` the place of its group.

    `first`, `last` and `sizes` are told by place, `bags` too. `spread` is the l of frequency l-diversity.
    """

    order: NDArray[np.int64] = field(repr=False)
    place: Labels = field(repr=False)
    first: Counts = field(repr=False)
    last: Counts = field(repr=False)
    sizes: Counts = field(repr=False)
    bags: Bags = field(repr=False)
    foreseen: int
    spread: int

    @staticmethod
    def of(public: Public, group: Labels, values: Labels, domain: int, spread: int) -> CurveGroups:
        """Line up the groups of the published rows; `values` are the published ones."""
        from openveil.kernels.overtaking import foreseen, lined_up

        order = order_of(keys_of(public))
        order = order[group[order] >= 0]
        shown = values[order]
        place, first, last, sizes = lined_up(group[order], int(group.max(initial=-1)) + 1)
        whole = np.bincount(shown, minlength=domain).astype(np.int64)
        bags = Bags.of_rows("", whole, place, shown, len(first))
        until = int(foreseen(place, sizes, shown, domain, spread))
        return CurveGroups(order, place, first, last, sizes, bags, until, spread)

    def __len__(self) -> int:
        return len(self.first)

    @property
    def reaches(self) -> NDArray[np.bool_]:
        """By place, whether the group reaches past a row of a later one."""
        past = np.zeros(len(self), dtype=np.bool_)
        past[:-1] = self.first[1:] < self.last[:-1]
        return past

    def in_rows(self, answers: NDArray[np.generic], rows: int, otherwise: float) -> NDArray[np.generic]:
        """The answer for each row's place, for the rows of the table."""
        spread = np.full(rows, otherwise, dtype=answers.dtype)
        spread[self.order] = answers[self.place]
        return spread
