"""Every order in which the rows of a chain of functions may be laid out, for tables of a few rows.

Claim. `arrangements` gives each order that `Chain.laid` may draw equally often, rows with equal values being alike,
and raises `ChanceError` where there are more than `MOST` of them. `share_of_orders` says in which share of them every
rotation of a group lets its smaller groups hold.

Why it holds. Smaller groups stand in any order in a group, rows in any order in a group of the finest function, all
as likely. A group of the coarsest function need not be arranged with others, which are rotated by themselves, nor one
that the finest function does not take apart, as its rows are never asked about apart from each other.

Cost. One order a step.

Source. None; by definition.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import permutations, product
from math import factorial, prod

import numpy as np
from numpy.typing import NDArray

from openveil.core.secret import ChanceError
from openveil.core.witness import Labels
from openveil.disclosure.asking import Ratios
from openveil.disclosure.chains import Chain, Places, parts
from openveil.disclosure.counting import orders
from openveil.disclosure.turning import Circle, Limits, always

MOST = 2_000

Word = tuple[int, ...]
Bags = tuple[tuple[int, ...], ...]


def arrangements(chain: Chain, values: NDArray[np.int32]) -> Iterator[Places]:
    """The orders in which the rows may stand, as many of each as of any other."""
    every = parts(np.arange(len(values)), chain.labels[-1])
    still = np.concatenate([[], *(rows for rows in every if _is_one(chain.labels[0][rows]))]).astype(np.int64)
    moved = [_Group(rows, values, chain.labels[-2::-1]) for rows in every if not _is_one(chain.labels[0][rows])]
    if prod(group.number for group in moved) > MOST:
        raise ChanceError
    for several in product(*(group.orders for group in moved)):
        yield np.concatenate([still, *several])


def share_of_orders(bags: Sequence[Sequence[int]], asked: Ratios) -> Fraction:
    """In which share of the orders every rotation of a group lets the smaller ones hold, which have these bags."""
    return _share(tuple(sorted(map(tuple, bags))), asked)


@lru_cache(maxsize=10_000)
def _share(bags: Bags, asked: Ratios) -> Fraction:
    sizes = [sum(bag) for bag in bags]
    label = np.repeat(np.arange(len(bags)), sizes).astype(np.int32)
    values = np.concatenate([np.repeat(np.arange(len(bag)), bag) for bag in bags]).astype(np.int32)
    chain, limits = Chain((0, 1), (label, np.zeros_like(label))), Limits(asked, len(bags[0]))
    if len(set(sizes)) == 1:
        return Fraction(always(Circle(values, np.array(sizes), len(values)), limits))
    held = [_always(chain, order, values, limits) for order in arrangements(chain, values)]
    return Fraction(sum(held), len(held))


def _always(chain: Chain, order: Places, values: NDArray[np.int32], limits: Limits) -> bool:
    sizes = chain.ordered(order).sizes(0)
    return always(Circle(values[order], sizes, 1), limits)


@dataclass(frozen=True, eq=False)
class _Group:
    """A group, the values of its rows, and how finer functions take it apart, the coarsest of these first."""

    rows: Places
    values: NDArray[np.int32]
    labels: tuple[Labels, ...]

    @property
    def inner(self) -> list[_Group]:
        """The groups of the next finer function."""
        return [_Group(rows, self.values, self.labels[1:]) for rows in parts(self.rows, self.labels[0])]

    @property
    def number(self) -> int:
        """How many orders there are."""
        if self.labels:
            return factorial(len(self.inner)) * prod(each.number for each in self.inner)
        return orders([len(rows) for rows in self._alike])

    @property
    def orders(self) -> Iterator[Places]:
        """Each of them; rows that have the same value keep their order."""
        if not self.labels:
            for word in _words(tuple(len(rows) for rows in self._alike)):
                rows = [iter(each.tolist()) for each in self._alike]
                yield np.array([next(rows[kind]) for kind in word], dtype=np.int64)
            return
        for several in permutations(self.inner):
            yield from map(np.concatenate, product(*(each.orders for each in several)))

    @property
    def _alike(self) -> list[Places]:
        return parts(self.rows, self.values)


def _words(counts: tuple[int, ...]) -> Iterator[Word]:
    """Every order of so many of each kind."""
    if not any(counts):
        yield ()
    for kind, count in enumerate(counts):
        if count:
            left = (*counts[:kind], count - 1, *counts[kind + 1 :])
            yield from ((kind, *rest) for rest in _words(left))


def _is_one(label: Labels) -> bool:
    return bool((label == label[0]).all())
