"""Whether groups hold when the values of a larger group are turned in a circle.

Claim. A `Circle` is a group whose rows stand in a circle, smaller groups being windows of it, one after the other.
Values are turned by `unit` places at a time. `always` says whether all windows hold at every turn, `ever` whether
they do at some turn. Both are told exactly, but where it takes more than `MOST` steps, or more than `MOST_UNSURE`
windows have to be asked about one by one: then `always` says no and `ever` says yes. Either answer is the same for a
circle that has been turned.

Why it holds. A window holds surely if no value is so frequent in it that the most uneven bag of such values fails,
and fails surely if one is so frequent that the most mixed bag with it fails (`Limits`), since models do not fall
where shares become more equal. What is between is asked of the model itself. How much there is to ask depends on the
sizes of the windows, and on all turns together.

Cost. One step a row and window, whatever the sizes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from openveil.disclosure.counting import Asked
from openveil.disclosure.rare import cap

MOST = 1 << 32
MOST_UNSURE = 200_000

Places = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Circle:
    """The values of a group in an order, and the sizes of the windows that it falls into."""

    values: NDArray[np.int32] = field(repr=False)
    sizes: Places
    unit: int

    @cached_property
    def starts(self) -> Places:
        """Where each window starts."""
        starts: Places = np.cumsum(self.sizes) - self.sizes
        return starts

    @cached_property
    def twice(self) -> NDArray[np.int32]:
        """The values, twice."""
        return np.concatenate([self.values, self.values])

    @property
    def turns(self) -> int:
        """How many turns may differ: windows that trade places are the same windows."""
        return 1 if (self.sizes == self.unit).all() else len(self.values) // self.unit

    @property
    def takes_too_long(self) -> bool:
        """Whether turning all windows all around takes too many steps."""
        return self.turns > 1 and len(self.values) * len(self.sizes) > MOST


def alike(sizes: Places) -> bool:
    """Whether windows are all of one size."""
    return bool((sizes == sizes[0]).all())


def unit_of(sizes: Places) -> int:
    """By how many places to turn windows: whole windows if they are alike, so that they trade places."""
    return int(sizes[0]) if alike(sizes) else 1


@dataclass(frozen=True, eq=False)
class Limits:
    """How often a value may occur in a window of each size, of so many values, and at how often it surely may."""

    asked: Asked
    domain: int
    _known: dict[int, tuple[int, int]] = field(default_factory=dict, repr=False)
    _permitted: dict[tuple[int, ...], bool] = field(default_factory=dict, repr=False)

    def of(self, sizes: Places) -> Places:
        """The two limits of windows of these sizes."""
        distinct, at = np.unique(sizes, return_inverse=True)
        return np.array([self._of(size) for size in distinct.tolist()], dtype=np.int64).reshape(-1, 2)[at]

    def _of(self, size: int) -> tuple[int, int]:
        if size not in self._known:
            most = self.asked.most(size)
            self._known[size] = (
                (self._surely(size), cap(size, self.domain, self.asked)) if most is None else (most,) * 2
            )
        return self._known[size]

    def _surely(self, size: int) -> int:
        """How often a value may occur so that the most uneven bag of such values is permitted."""
        low, high = 0, size
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self.asked.permits(_uneven(size, middle)) else (low, middle - 1)
        return low

    def permits(self, values: NDArray[np.int32]) -> bool:
        """What the model says of a bag of values."""
        counts = np.bincount(values)
        key = tuple(np.sort(counts[counts > 0]).tolist())
        if key not in self._permitted:
            self._permitted[key] = self.asked.permits(key)
        return self._permitted[key]


def _uneven(size: int, most: int) -> Sequence[int]:
    full, rest = divmod(size, most)
    return [most] * full + ([rest] if rest else [])


def always(circle: Circle, limits: Limits) -> bool:
    """Whether all windows hold at every turn; no where it takes too long to tell."""
    from openveil.kernels.turning import FAILS, HOLDS, turns, worst_of_turns

    if circle.takes_too_long:
        return False
    given = _given(circle, limits)
    worst = worst_of_turns(*given)
    if worst in {HOLDS, FAILS}:
        return bool(worst == HOLDS)
    unsure = np.flatnonzero(turns(*given) != HOLDS)
    return _can_ask(circle, unsure) and all(_holds_at(circle, limits, turn) for turn in unsure.tolist())


def ever(circle: Circle, limits: Limits) -> bool:
    """Whether all windows hold at some turn; yes where it takes too long to tell."""
    from openveil.kernels.turning import HOLDS, UNSURE, turns

    if circle.takes_too_long:
        return True
    worst = turns(*_given(circle, limits))
    unsure = np.flatnonzero(worst == UNSURE)
    if (worst == HOLDS).any() or not _can_ask(circle, unsure):
        return True
    return any(_holds_at(circle, limits, turn) for turn in unsure.tolist())


def _given(circle: Circle, limits: Limits) -> tuple[object, ...]:
    return (
        circle.twice,
        circle.starts,
        circle.sizes,
        limits.of(circle.sizes),
        circle.unit,
        circle.turns,
        limits.domain,
    )


def _can_ask(circle: Circle, unsure: Places) -> bool:
    return circle.turns == 1 or len(unsure) * len(circle.sizes) <= MOST_UNSURE


def _holds_at(circle: Circle, limits: Limits, turn: int) -> bool:
    starts = circle.starts + turn * circle.unit
    runs = zip(starts.tolist(), (starts + circle.sizes).tolist(), strict=True)
    return all(limits.permits(circle.twice[low:high]) for low, high in runs)
