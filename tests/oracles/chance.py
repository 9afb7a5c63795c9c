"""All that chance can do: every way a publisher's draws can turn out, so that probabilities are exact fractions.

Publishers draw from a `Secret` alone: an order of the rows, and numbers for left-overs, which are used modulo the
number of groups to choose from. `Chance` stands in for a secret and gives one order and one line of numbers;
`distribution` goes through all of them.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cache
from itertools import islice, permutations, product
from math import lcm
from typing import TypeVar
from unittest import mock

import numpy as np
import polars as pl
from numpy.typing import NDArray

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


class Chance(Secret):
    """A secret that gives one order of the rows, and one line of numbers, to whoever asks for randomness."""

    def __init__(self, order: Order, numbers: tuple[int, ...] | None) -> None:
        super().__init__(bytes(32))
        self.__dict__.update(order=order, numbers=numbers, wanted=0)

    def permutation(self, purpose: str, size: int) -> Order:
        assert size == len(self.__dict__["order"])
        return self.__dict__["order"]

    def stream(self, purpose: str, size: int) -> bytes:
        assert self.__dict__["wanted"] == 0, "numbers are drawn twice: go through both"
        self.__dict__["wanted"] = size // 8
        numbers = self.__dict__["numbers"]
        return np.array(numbers or [0] * (size // 8), dtype=np.uint64).tobytes()


class Dealing(Witness):
    """A witness that notes what it was asked to deal, and can start anew without encoding its columns again."""

    dealt = b""

    def anew(self) -> "Dealing":
        self.dealt = b""
        self._looks.clear()
        return self

    def deal(self, stratum: Labels, slots: Slots, secret: Secret) -> Labels:
        assert not self.dealt, "rows are dealt twice: go through both orders"
        self.dealt = b"".join(part.tobytes() for part in (stratum, slots.strata, slots.values, slots.groups))
        return super().deal(stratum, slots, secret)


def columns_of(values: Iterable[str]) -> pl.DataFrame:
    """The sensitive columns of rows; `a+x` is a in the first one and x in the second."""
    apart = zip(*(value.split("+") for value in values), strict=True)
    return pl.DataFrame({f"ill {number}": column for number, column in enumerate(apart)})


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
    def drawn(order: Order, numbers: tuple[int, ...] | None) -> tuple[bytes, bytes, int]:
        chance = Chance(order, numbers)
        group = publisher.drawn(strata, witness.anew(), requirement, chance)
        return group.astype(np.int32).tobytes(), witness.dealt, chance.__dict__["wanted"]

    wanted = drawn(listed[0], None)[2]
    # Numbers that lead to the same question to the witness lead to the same answers: try the orders once for each.
    asked: dict[bytes, list[tuple[int, ...]]] = {}
    for numbers in product(range(lcm(*range(1, len(values) // 2 + 1))), repeat=wanted):
        asked.setdefault(drawn(listed[0], numbers)[1], []).append(numbers)
    counted: Counter[bytes] = Counter()
    for dealt, alike in asked.items():
        for order in listed if dealt else islice(listed, 1):
            counted[drawn(order, alike[0])[0]] += len(alike) * (1 if dealt else len(listed))
    chances: Counter[asap.Published] = Counter()
    for group, number in counted.items():
        chances[asap.published(rows_of(np.frombuffer(group, dtype=np.int32)), values)] += number
    return {seen: Fraction(number, chances.total()) for seen, number in chances.items()}
