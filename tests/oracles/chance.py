"""All that chance can do: every way a publisher's draws can turn out, so that probabilities are exact fractions.

Publishers draw from a `Secret` alone: an order of the rows, and numbers for left-overs, which are used modulo the
number of groups to choose from. `Chance` stands in for a secret and gives one order and one line of numbers, of which
every question takes the next; `distribution` goes through all of them.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from math import lcm
from typing import TypeVar
from unittest import mock

import numpy as np
import polars as pl
from numpy.typing import NDArray

from openveil.core.bags import Bags
from openveil.core.requirement import Requirement
from openveil.core.secret import Secret
from openveil.core.table import Public
from openveil.core.witness import Labels, Slots, Witness
from openveil.tools import pick_up
from openveil.tools.grouped import Grouped
from oracles import asap
from oracles.points import rows_of

Order = NDArray[np.int64]

Function = TypeVar("Function", bound=Callable[..., object])
_known_spread = cache(pick_up.least_spread)


def quickly(function: Function) -> Function:
    """Have the least spread, which depends on the requirement alone and takes longer than a draw, computed once."""
    return mock.patch.object(pick_up, "least_spread", _known_spread)(function)


class MoreNumbersError(Exception):
    """So many more numbers are asked for than the line has."""


class Chance(Secret):
    """A secret that gives one order of the rows, and the next of a line of numbers (none: zeros without end)."""

    def __init__(self, order: Order, numbers: tuple[int, ...] | None) -> None:
        super().__init__(bytes(32))
        self.__dict__.update(order=order, numbers=numbers)

    def permutation(self, purpose: str, size: int) -> Order:
        assert size == len(self.__dict__["order"])
        return self.__dict__["order"]

    def mixed(self, purpose: str, first: Labels, second: Labels) -> Order:
        order = self.permutation(purpose, len(first))
        order = order[first[order] >= 0]
        return order[np.lexsort([second[order], first[order]])]

    def stream(self, purpose: str, size: int) -> bytes:
        wanted, numbers = size // 8, self.__dict__["numbers"]
        if numbers is None:
            return bytes(size)
        if wanted > len(numbers):
            raise MoreNumbersError(wanted - len(numbers))
        self.__dict__["numbers"] = numbers[wanted:]
        return np.array(numbers[:wanted], dtype=np.uint64).tobytes()


class Dealing(Witness):
    """A witness that notes what it was told, and can start anew without encoding its columns again."""

    dealt = b""
    planned: tuple[bytes, ...] = ()

    def anew(self) -> "Dealing":
        self.dealt, self.planned = b"", ()
        self._looks.clear()
        return self

    def bags_of(self, label: Labels, values: Labels, groups: int) -> tuple[Bags, ...]:
        self.planned += (label.tobytes(), values.tobytes())
        return super().bags_of(label, values, groups)

    def deal(self, stratum: Labels, slots: Slots, secret: Secret) -> Labels:
        assert not self.dealt, "rows are dealt twice: go through both orders"
        self.dealt = b"".join(part.tobytes() for part in (stratum, slots.strata, slots.values, slots.groups))
        return super().deal(stratum, slots, secret)


def columns_of(values: Iterable[str | tuple[str, ...]]) -> pl.DataFrame:
    """The sensitive columns of rows; `a+x`, or a and x together, is a in the first one and x in the second."""
    rows = (value if isinstance(value, tuple) else value.split("+") for value in values)
    return pl.DataFrame({f"ill {number}": column for number, column in enumerate(zip(*rows, strict=True))})


@cache
def orders(rows: int) -> tuple[Order, ...]:
    """Every order of the rows."""
    return tuple(np.array(order, dtype=np.int64) for order in permutations(range(rows)))


def orders_within(strata: Labels) -> tuple[Order, ...]:
    """Every order that takes one stratum after the other.

    They stand for all orders where only the order of rows within a stratum counts: restricted to disjoint sets of
    rows, a uniform order of all rows is a uniform order of each, independent of the others.
    """
    parts = (permutations(rows) for rows in rows_of(strata))
    return tuple(np.array([row for part in whole for row in part], dtype=np.int64) for whole in product(*parts))


def distribution(
    publisher: Grouped,
    public: Public,
    values: asap.Values,
    requirement: Requirement,
    every_order: Iterable[Order] | None = None,
) -> asap.Chances:
    """The exact probability of everything the publisher may publish of a table that can meet the requirement."""
    witness = Dealing(columns_of(values))
    strata = publisher.settled(public, witness, requirement)
    listed = orders(len(values)) if every_order is None else tuple(every_order)

    @quickly
    def drawn(order: Order, numbers: tuple[int, ...]) -> bytes:
        return publisher.drawn(strata, witness.anew(), requirement, Chance(order, numbers)).astype(np.int32).tobytes()

    counted: Counter[bytes] = Counter()
    # A left-over row has at most so many groups to choose from: those of its stratum, of two rows or more.
    below = lcm(*range(1, max(map(len, rows_of(strata))) // 2 + 1))
    for numbers, weight in _lines(lambda line: drawn(listed[0], line), witness, below):
        drawn(listed[0], numbers)
        tried = listed if witness.dealt else listed[:1]
        for order in tried:
            counted[drawn(order, numbers)] += weight / len(tried)
    chances: Counter[asap.Published] = Counter()
    for group, chance in counted.items():
        chances[asap.published(rows_of(np.frombuffer(group, dtype=np.int32)), values)] += chance
    assert chances.total() == 1
    return dict(chances)


def _lines(
    draw: Callable[[tuple[int, ...]], object], witness: Dealing, below: int
) -> Iterator[tuple[tuple[int, ...], Fraction]]:
    """Lines of numbers, as long as is asked for, that stand for all, and how likely what each stands for is.

    Numbers that led to the same questions to the witness lead to the same answers: one line goes on for them all.
    """
    waiting = [((), Fraction(1))]
    while waiting:
        line, weight = waiting.pop()
        try:
            draw(line)
        except MoreNumbersError as more:
            longer = [(*line, *next_numbers) for next_numbers in product(range(below), repeat=more.args[0])]
            alike: dict[tuple[bytes, ...], list[tuple[int, ...]]] = {}
            for each in longer:
                with suppress(MoreNumbersError):
                    draw(each)
                alike.setdefault((*witness.planned, witness.dealt), []).append(each)
            waiting += [(each[0], weight * Fraction(len(each), len(longer))) for each in alike.values()]
        else:
            yield line, weight
