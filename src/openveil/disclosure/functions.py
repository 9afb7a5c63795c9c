"""A sequence of generalisation functions, as an adversary knows them: partitions of the rows.

Claim. `Functions` says which group each row is in under each function. `Image` is all that a function shows: how
often each value occurs in each of its groups. Rows that no function tells apart are one atom.

Cost. One sort of the rows, by their groups.

Source. Zhang, Wang, Jajodia, Brodsky 2008, section 2.1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from openveil.core.bags import Bags
from openveil.core.witness import Labels

# Of each group, the values that occur in it and how often, ascending.
Group = tuple[tuple[int, int], ...]
Image = tuple[Group, ...]
Places = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Functions:
    """The partitions `labels`, each numbering its groups from 0; `fits[i]` where its groups are large enough.

    What `fits` says follows from the partition alone. A function that does not fit is never tried.
    """

    labels: tuple[Labels, ...]
    fits: tuple[bool, ...]

    @staticmethod
    def of(labels: Sequence[Labels], fits: Sequence[bool] | None = None) -> Functions:
        """Partitions with any labels; all fit unless it is said otherwise."""
        numbered = tuple(np.unique(label, return_inverse=True)[1].astype(np.int32) for label in labels)
        return Functions(numbered, tuple(fits) if fits is not None else (True,) * len(numbered))

    def __len__(self) -> int:
        return len(self.labels)

    @cached_property
    def _together(self) -> tuple[Places, NDArray[np.int64], NDArray[np.int64]]:
        rows = np.arange(len(self.labels[0]) if self.labels else 0)
        atom = np.zeros(len(rows), dtype=np.int64)
        for label in self.labels:
            atom = np.unique(atom * (int(label.max(initial=0)) + 1) + label, return_inverse=True)[1]
        _, first, sizes = np.unique(atom, return_index=True, return_counts=True)
        return atom, first, sizes.astype(np.int64)

    @property
    def atom(self) -> Places:
        """The atom of each row."""
        return self._together[0]

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The rows of each atom."""
        return self._together[2]

    @cached_property
    def homes(self) -> tuple[Places, ...]:
        """For each function, the group of each atom."""
        return tuple(label[self.firsts].astype(np.int64) for label in self.labels)

    def among(self, chosen: Sequence[int]) -> Functions:
        """These functions alone, in this order; rows that they do not tell apart become one atom."""
        return Functions(tuple(self.labels[j] for j in chosen), tuple(self.fits[j] for j in chosen))

    def fitting_only(self, chosen: Collection[int]) -> Functions:
        """The same functions, of which only the chosen ones are tried."""
        return Functions(self.labels, tuple(fits and j in chosen for j, fits in enumerate(self.fits)))

    @cached_property
    def firsts(self) -> Places:
        """A row of each atom."""
        return self._together[1]

    def groups(self, i: int) -> int:
        """How many groups a function has."""
        return int(self.labels[i].max(initial=-1)) + 1

    def rows(self, i: int) -> list[int]:
        """The rows of each group of a function."""
        rows: list[int] = np.bincount(self.labels[i], minlength=self.groups(i)).tolist()
        return rows

    def refines(self, i: int, j: int) -> bool:
        """Whether every group of function i lies in one of function j."""
        pairs = np.unique(self.homes[i] * self.groups(j) + self.homes[j])
        return len(pairs) == self.groups(i)

    @property
    def fitting(self) -> tuple[int, ...]:
        """The functions that are tried at all."""
        return tuple(i for i, fits in enumerate(self.fits) if fits)

    @cached_property
    def nested(self) -> bool:
        """Whether each function that is tried refines the next one that is."""
        return all(self.refines(i, j) for i, j in pairwise(self.fitting))

    def even(self, i: int, j: int) -> NDArray[np.bool_]:
        """For each group of function j, whether the groups of function i in it are equally large; i refines j."""
        inside = np.bincount(self.labels[i])[self.labels[i]]
        most = np.zeros(self.groups(j), dtype=np.int64)
        np.maximum.at(most, self.labels[j], inside)
        uneven = np.bincount(self.labels[j], weights=inside != most[self.labels[j]], minlength=len(most))
        even: NDArray[np.bool_] = uneven == 0
        return even

    def merged(self, i: int, image: Image, j: int) -> Image:
        """What function j, which i refines, shows of every table of which i shows this."""
        return gathered(self.groups(j), self.above(i, j), image)

    def above(self, i: int, j: int) -> list[int]:
        """For each group of function i, the group of function j that it lies in."""
        above = np.zeros(self.groups(i), dtype=np.int64)
        above[self.homes[i]] = self.homes[j]
        found: list[int] = above.tolist()
        return found

    def tried(self, i: int) -> tuple[int, ...]:
        """The functions before i that fit, without those that hold only where another of them does."""
        earlier = [j for j in range(i) if self.fits[j]]
        return tuple(j for j in earlier if not any(self._covers(k, j) for k in earlier))

    def _covers(self, k: int, j: int) -> bool:
        """Whether k holds wherever j does, its groups being unions of those of j; of equal functions the last one."""
        return k != j and self.refines(j, k) and (j < k or not self.refines(k, j))


def gathered(number: int, homes: Iterable[int], bags: Iterable[Group]) -> Image:
    """So many bags put together of others, each of which goes to its home."""
    groups: list[Counter[int]] = [Counter() for _ in range(number)]
    for group, bag in zip(homes, bags, strict=True):
        for value, count in bag:
            groups[group][value] += count
    return tuple(tuple(sorted(each.items())) for each in groups)


def image_of(bags: Bags) -> Image:
    """The bags of the groups, as values that can be compared."""
    values, counts, starts = bags.values.tolist(), bags.counts.tolist(), bags.starts.tolist()
    pairs = list(zip(values, counts, strict=True))
    return tuple(tuple(pairs[low:high]) for low, high in pairwise(starts))


def largest_share(image: Image) -> Fraction:
    """The largest share of a value in a group."""
    return max(
        (Fraction(max(counts), sum(counts)) for counts in {tuple(n for _, n in group) for group in image}),
        default=Fraction(0),
    )
