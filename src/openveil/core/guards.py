"""What nobody may learn of each row: the node of a taxonomy that guards the row's sensitive value.

Claim. `Guards` has for every row the leaf of its own value and the node that guards it, which lies on the way from
that leaf to the root, or is `NO_NODE`, where the person waives protection. Nothing of it is ever published: who knows
the guarding node of a person knows that the person's value lies in it.

`paired` makes of guards and of what is shown a view of sensitive values, in which a value is a pair: the node that is
shown and the node that guards. So classes, bags and looks carry guards as they carry values.

Why it holds. That guards lie above their leaves is checked at construction.

Cost. One number a row; a view is one pass over the rows.

Source. Xiao and Tao, Personalized privacy preservation, 2006, Definition 2.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from openveil.core.axis import Codes
from openveil.core.bags import Counts, Pairs
from openveil.core.nodes import NO_NODE, Nodes

WITH_GUARDS = "values and what guards them"
_DENSE = 1 << 22


@dataclass(frozen=True, slots=True)
class Origins:
    """How many rows are guarded as a person wished, waived by a person, and left to a rule or to the default.

    It follows from what persons said, so it is for the data holder alone.
    """

    wished: int
    waived: int
    ruled: int
    default: int


@dataclass(frozen=True, eq=False)
class Guards:
    """The guarding node of every row's value in the sensitive column `column`, and the leaf of the value itself.

    `ruled` is what guards each leaf where nobody says otherwise, which is no secret. `origins` counts where the
    guards of a whole table come from.
    """

    column: str
    nodes: Nodes = field(repr=False)
    leaf: Codes = field(repr=False)
    node: Codes = field(repr=False)
    ruled: Codes | None = field(default=None, repr=False)
    origins: Origins | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        guarded = np.flatnonzero(self.node != NO_NODE)
        if not self.nodes.within(self.leaf[guarded], self.node[guarded]).all():
            raise ValueError("guards: a guarding node must hold the value it guards")

    def __len__(self) -> int:
        return len(self.node)

    def of(self, rows: NDArray[np.int64]) -> Guards:
        """The guards of these rows."""
        return Guards(self.column, self.nodes, self.leaf[rows], self.node[rows], self.ruled)

    def ruled_apart(self, level: int) -> int:
        """How many nodes of a level have values that rules guard by different nodes, none of them below it."""
        if self.ruled is None:
            return 0
        leaves = np.arange(len(self.ruled), dtype=np.int32)
        shown, guard = Guards(self.column, self.nodes, leaves, self.ruled).at_level(level)
        apart = np.unique(np.stack([shown, guard]), axis=1).shape[1]
        return int(apart - len(np.unique(shown)))

    def at_level(self, level: int) -> tuple[Codes, Codes]:
        """For each row the node its value has at a level, and its guard if that is not below this node."""
        shown = self.nodes.at[level][self.leaf]
        held = self.node != NO_NODE
        held[held] = self.nodes.within(shown[held], self.node[held])
        return shown, np.where(held, self.node, NO_NODE).astype(np.int32)


def paired(nodes: Nodes, shown: Codes, guard: Codes) -> tuple[Codes, Counts, Pairs]:
    """The number of each row's pair of nodes, shown and guarding, how often each occurs, and what they stand for."""
    width = len(nodes) + 1
    keys = shown.astype(np.int64) * width + guard + 1
    if width * width <= _DENSE:
        whole = np.bincount(keys, minlength=width * width)
        known = np.flatnonzero(whole)
        codes = (np.cumsum(whole > 0) - 1)[keys]
    else:
        known, codes = np.unique(keys, return_inverse=True)
    counts = np.bincount(codes, minlength=len(known)).astype(np.int64)
    pairs = Pairs(nodes, (known // width).astype(np.int32), (known % width - 1).astype(np.int32))
    return codes.astype(np.int32), counts, pairs
