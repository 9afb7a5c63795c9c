"""Down a chain of functions, group by group, for as long as every rotation of a group allows it.

Claim. `Descent.groups` starts with the groups of the last function and takes each apart into the groups of the next
finer one if these hold however the values of the group are rotated; those that came of it are gone on with in the
same way. If the groups of the last function hold, something is always released, and silence tells that they do not,
and no more. To whoever knows the method, the quasi-identifiers and the published groups, every person has each value
with exactly the chance that the group shows.

Why it holds. Take a release, and a table that agrees with it: how likely is it to come of that table? For each group
that was taken apart, as likely as all rotations of it allow that; for each that was not, though it could have been,
as likely as some does not. The orders in which values are rotated are drawn anew for each function.
- A group that was taken apart: the question is about the bags of windows that are turned over the values. What can be
  read there depends on the values that each smaller group has, in an order that is drawn: exchanging values within a
  smaller group changes nothing but that order. So the chance depends on the bags of the smaller groups alone, which
  the release shows, as published groups are parts of these: it is the same for all tables that agree.
- A group that was not: for each order, the tables of which some rotation fails are closed under rotation, over which
  everyone has every value as often as the group has. Where all smaller groups are of one size, they are rotated as a
  whole, which leaves the question as it is, and so does exchanging values within one: again everyone has every value
  as often.
So the tables that agree are weighed by a product over published groups, and in each, by itself, everyone has the
chances of its bag. Groups that are too small to be published are never looked at: that follows from
quasi-identifiers. It is about one person at a time: of several together a group that was not taken apart may tell
something.

Why it is never silent. A function that is not reached is not refused: its larger groups are released instead. A
sequence of which some functions are left out could not do that for `rotations.Ascent`: between two functions, the
tables of which the finer one holds would have to be closed under all rotations in all orders, so under all exchanges,
and then it would hold of all of them or of none.

Cost. One step for each row and smaller group of each group that is asked about (`turning.py`). How likely a release
is, is counted where there are at most `arrangements.MOST` arrangements of a group.

Source. The rotations are those of Zhang, Jajodia, Brodsky 2007, section 4.3; asking for all of them, from the
coarsest function down, is openveil's own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from openveil.core.secret import ChanceError
from openveil.core.witness import Labels
from openveil.disclosure.arrangements import MOST, share_of_orders
from openveil.disclosure.asking import Ratios
from openveil.disclosure.chains import Chain, Draw, Places, parts
from openveil.disclosure.rotations import holds
from openveil.disclosure.turning import Circle, Limits, always, unit_of


@dataclass(frozen=True, eq=False)
class Descent:
    """A chain of functions, and which groups of each of them are large enough to be published."""

    chain: Chain
    fitting: tuple[NDArray[np.bool_], ...] = field(repr=False)
    asked: Ratios

    def groups(self, values: NDArray[np.int32], draw: Draw) -> Labels | None:
        """The groups that are released of a table; None where those of the last function do not all hold."""
        limits = Limits(self.asked, int(values.max(initial=0)) + 1)
        if not self._last_holds(values, limits):
            return None
        found, opened = self.chain.labels[-1].astype(np.int64), np.ones(len(values), dtype=np.bool_)
        for step in range(len(self.chain) - 1, 0, -1):
            opened &= self._taken_apart(step, values, opened, draw, limits)
            found = np.where(opened, self.chain.labels[step - 1] - (step * len(values)), found)
        return np.unique(found, return_inverse=True)[1].astype(np.int32)

    def outcomes(self, values: NDArray[np.int32]) -> Iterator[tuple[Labels, Fraction]]:
        """All groups that may be released of a table, and how likely."""
        if not self._last_holds(values, Limits(self.asked, int(values.max(initial=0)) + 1)):
            return
        every = [[*self._cuts(len(self.chain) - 1, rows, values)] for rows in self._every]
        if prod(map(len, every)) > MOST:
            raise ChanceError
        for chosen in product(*every):
            group = np.empty(len(values), dtype=np.int32)
            for number, rows in enumerate(rows for cut, _ in chosen for rows in cut):
                group[rows] = number
            yield group, prod((chance for _, chance in chosen), start=Fraction(1))

    def may_release(self, group: Labels) -> bool:
        """Whether these are groups that may be released of some table."""
        found = np.zeros(len(group), dtype=np.bool_)
        for i in range(len(self.chain)):
            found |= self._has(i, group)
        return bool(found.all())

    def functions_of(self, group: Labels) -> list[int]:
        """The functions, by their numbers, that have some of these groups."""
        return [number for i, number in enumerate(self.chain.numbers) if self._has(i, group).any()]

    def _has(self, i: int, group: Labels) -> NDArray[np.bool_]:
        """The rows whose group is one that a function has, and that is large enough."""
        label = self.chain.labels[i]
        _, pair, sizes = np.unique(np.stack([group, label]), axis=1, return_inverse=True, return_counts=True)
        together = sizes[pair.reshape(-1)]
        same = (together == np.bincount(group)[group]) & (together == np.bincount(label)[label])
        has: NDArray[np.bool_] = same & self.fitting[i][label]
        return has

    def _cuts(self, step: int, rows: Places, values: NDArray[np.int32]) -> Iterator[tuple[list[Places], Fraction]]:
        """All that a group of a function may come to, and how likely."""
        chance = self._chance(step, rows, values) if step else Fraction(0)
        if chance < 1:
            yield [rows], 1 - chance
        if chance > 0:
            inner = [[*self._cuts(step - 1, each, values)] for each in self._inner(step, rows)]
            for chosen in product(*inner):
                cut = [each for part, _ in chosen for each in part]
                yield cut, prod((one for _, one in chosen), start=chance)

    def _chance(self, step: int, rows: Places, values: NDArray[np.int32]) -> Fraction:
        """How likely a group of a function is taken apart."""
        if not self._may(step)[rows[0]]:
            return Fraction(0)
        inner, most = self._inner(step, rows), int(values.max()) + 1
        return share_of_orders([np.bincount(values[each], minlength=most).tolist() for each in inner], self.asked)

    @property
    def _every(self) -> list[Places]:
        """The rows of each group of the last function."""
        return parts(np.arange(len(self.chain.labels[-1])), self.chain.labels[-1])

    def _inner(self, step: int, rows: Places) -> list[Places]:
        """The groups of the next finer function in a group of a function."""
        return parts(rows, self.chain.labels[step - 1])

    def _last_holds(self, values: NDArray[np.int32], limits: Limits) -> bool:
        if not len(self.chain):
            return False
        last = self.chain.labels[-1]
        return holds(values[np.argsort(last, kind="stable")], np.bincount(last), limits)

    def _taken_apart(
        self, step: int, values: NDArray[np.int32], opened: NDArray[np.bool_], draw: Draw, limits: Limits
    ) -> NDArray[np.bool_]:
        """The rows of open groups of a function that are taken apart into those of the next finer one."""
        laid = Chain(self.chain.numbers[step - 1 : step + 1], self.chain.labels[step - 1 : step + 1]).laid(draw)
        word, may = values[laid.order], (opened & self._may(step))[laid.order]
        done = np.zeros(len(values), dtype=np.bool_)
        for low, high in laid.runs(1):
            if may[low]:
                done[laid.order[low:high]] = _allowed(word[low:high], laid.sizes(0, low, high), limits)
        return done

    def _may(self, step: int) -> NDArray[np.bool_]:
        """The rows of those groups of a function of which all groups of the next finer one may be published."""
        finer, own = self.chain.labels[step - 1 : step + 1]
        small = own[~self.fitting[step - 1][finer]]
        may: NDArray[np.bool_] = ~np.isin(own, small)
        return may


def _allowed(word: NDArray[np.int32], sizes: Places, limits: Limits) -> bool:
    """Whether smaller groups of these sizes hold however the values are rotated."""
    return always(Circle(word, sizes, unit_of(sizes)), limits)
