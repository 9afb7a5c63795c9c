"""Cuts along the Hilbert curve: groups are runs of rows that follow each other on it.

Claim. The groups depend on the quasi-identifiers, the persons and the numbers of rows asked for alone, not on the
order of the rows. Each has as many rows as `least` asked for when it was closed and as many persons as the
requirement asks for, and so has what is left over after it.

Why it holds. There is one open group, what is left of the curve. A group is the shortest run at its front that has
the rows and persons and parts no rows that tie; where too little would be left over, it is all that is left. Rows
tie when their quasi-identifiers are equal, since the coordinates are their codes spread one-to-one over the grid.
Tied rows are interchangeable to everyone who sees the quasi-identifiers, so an order among them would have to come
from where they stand in the file, which nobody can replay and which may follow the sensitive values; kept together,
they need none, and they widen no group (docs/decisions/0010-ties-on-the-curve.md).

One answer is good for a sixteenth of the rows it was about: groups are closed until they have so many rows
together, and only then is it asked anew. That is as safe, for what is enough for every part of some rows is enough
for every part of fewer of them; it can only make groups larger than they had to be. Where `least` is a sixteenth of
the rows or more, one group is closed at a time, as in SPEC A5. Without it there would be a look at all rows for
every group.

Cost. One sort of the rows; about 16 log n rounds at most, 16 n rows looked at in them.

Source. Jin, Zhang, Das 2011, section 6.2.2; SPEC A5.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from openveil.core.bags import Counts
from openveil.core.requirement import Requirement
from openveil.core.shares import rows_in_shares
from openveil.core.table import Public
from openveil.core.witness import NOT_ASKED, Labels
from openveil.tools.cuts import Cuts, crowd

_SHARE = 16


class HilbertCuts(Cuts):
    """Runs of the Hilbert curve over the codes of the attributes, closed from its start on."""

    def __init__(self, public: Public, requirement: Requirement) -> None:
        from openveil.kernels.runs import persons_from

        keys = keys_of(public)
        self._order = order_of(keys)
        self._parted = _parted(keys[self._order])
        persons, self._least_persons = crowd(public, requirement)
        self._persons = persons[self._order] if len(persons) else persons
        self._left: Counts = persons_from(self._persons)
        self._starts = np.zeros(len(public), dtype=np.bool_)
        self._starts[:1] = True
        self._label = np.zeros(len(public), dtype=np.int32)
        self._low = 0

    @property
    def open(self) -> int:
        """One group, what is left, as long as anything is."""
        return int(self._low < len(self._order))

    def label(self) -> Labels:
        """0 for each row that is left; NOT_ASKED for rows of closed groups."""
        return self._label.copy()

    def groups(self) -> Labels:
        """The group of each row in the order of the curve; what is left is the last."""
        group = np.empty(len(self._order), dtype=np.int32)
        group[self._order] = np.cumsum(self._starts, dtype=np.int32) - 1
        return group

    def cut(self, least: Counts) -> None:
        """Close groups of at least `least` rows at the start of what is left: a sixteenth of it, or all."""
        from openveil.kernels.runs import run_ends

        rows = len(self._order)
        wanted = max((rows - self._low) // _SHARE, 1)
        needed = max(int(least[0]), 1)
        ends: Counts = run_ends(
            self._parted, self._persons, self._left, self._low, needed, self._least_persons, wanted
        )
        self._starts[ends[ends < rows]] = True
        closed = slice(self._low, int(ends[-1]))
        self._label[self._order[closed]] = NOT_ASKED
        self._low = closed.stop


def keys_of(public: Public) -> NDArray[np.uint64]:
    """The place of each row on the Hilbert curve, in words of 64 bits, the most significant first."""
    from openveil.kernels.hilbert import curve_keys

    sizes = np.array([len(hierarchy.axis) for hierarchy in public.hierarchies], dtype=np.int64)
    bits = max(int(sizes.max(initial=1)) - 1, 1).bit_length()
    return np.concatenate(rows_in_shares(lambda share: curve_keys(public.codes[share], sizes, bits), len(public)))


def order_of(keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """The rows by their keys; rows that tie by their number."""
    if keys.shape[1] == 1:
        return np.argsort(keys[:, 0], kind="stable")
    return np.lexsort(keys.T[::-1])


def _parted(keys: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Whether each key in the order of the curve differs from the one before."""
    parted = np.ones(len(keys), dtype=np.bool_)
    parted[1:] = (keys[1:] != keys[:-1]).any(axis=1)
    return parted
