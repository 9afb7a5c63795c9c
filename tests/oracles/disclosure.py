"""Disclosure sets from their definitions: every table is listed, every ratio is a fraction. Slow, for small tables.

A table is the sequence of its sensitive values; a generalisation function is a partition of its rows. `chk` is asked
of the counts of the values one person has in a set of tables.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import factorial, prod

Values = tuple[str, ...]
Function = Sequence[Sequence[int]]
Image = tuple[tuple[str, ...], ...]
Check = Callable[[Sequence[int]], bool]


def recursive(c: Fraction, l: int) -> Check:  # noqa: E741
    def holds(counts: Sequence[int]) -> bool:
        ranked = sorted(counts, reverse=True)
        return ranked[0] < c * sum(ranked[l - 1 :])

    return holds


def frequency(l: int) -> Check:  # noqa: E741
    return lambda counts: l * max(counts) <= sum(counts)


def entropy(l: Fraction) -> Check:  # noqa: E741
    return lambda counts: sum(counts) ** sum(counts) >= l ** sum(counts) * prod(c**c for c in counts)


def image(function: Function, table: Values) -> Image:
    return tuple(tuple(sorted(table[row] for row in group)) for group in function)


def orders(bag: Iterable[str]) -> list[tuple[str, ...]]:
    """Every order of a bag, each once."""
    left = Counter(bag)
    if not left:
        return [()]
    return [(value, *rest) for value in sorted(left) for rest in orders((left - Counter([value])).elements())]


def per(function: Function, seen: Image) -> list[Values]:
    """Every table with this image."""
    rows = sum(map(len, function))
    tables = []
    for filled in product(*map(orders, seen)):
        table = [""] * rows
        for group, values in zip(function, filled, strict=True):
            for row, value in zip(group, values, strict=True):
                table[row] = value
        tables.append(tuple(table))
    return tables


def counts_of(tables: Sequence[Values], row: int) -> Counter[str]:
    return Counter(table[row] for table in tables)


def satisfies(tables: Sequence[Values], chk: Check) -> bool:
    """CHK: nobody's values are told too well; no table at all is no protection."""
    return bool(tables) and all(
        chk(sorted(counts_of(tables, row).values(), reverse=True)) for row in range(len(tables[0]))
    )


def largest_ratio(tables: Sequence[Values]) -> Fraction:
    return max(
        Fraction(max(counts_of(tables, row).values()), len(tables)) for row in range(len(tables[0]) if tables else 0)
    )


class Strategies:
    """Both strategies of a sequence of functions; what was computed is remembered."""

    def __init__(self, functions: Sequence[Function], chk: Check) -> None:
        self.functions, self.chk = functions, chk
        self._sets: dict[tuple[int, Image], list[Values]] = {}
        self._kept: dict[tuple[int, Image], bool] = {}

    def permits(self, i: int, table: Values) -> bool:
        """CHK of PER(g_i(table))."""
        seen = image(self.functions[i], table)
        if (i, seen) not in self._kept:
            self._kept[i, seen] = satisfies(per(self.functions[i], seen), self.chk)
        return self._kept[i, seen]

    def inclusive_set(self, i: int, seen: Image) -> list[Values]:
        if (i, seen) not in self._sets:
            # A snapshot: nothing is taken out of what is being gone through.
            whole = per(self.functions[i], seen)
            self._sets[i, seen] = [table for table in whole if self.inclusive(table, i) is None]
        return self._sets[i, seen]

    def inclusive(self, table: Values, upto: int) -> int | None:
        for j in range(upto):
            if satisfies(self.inclusive_set(j, image(self.functions[j], table)), self.chk):
                return j
        return None

    def exclusive_set(self, i: int, seen: Image) -> list[Values]:
        return [table for table in per(self.functions[i], seen) if not any(self.permits(j, table) for j in range(i))]

    def exclusive(self, table: Values) -> int | None:
        for i, function in enumerate(self.functions):
            if self.permits(i, table):
                return i if satisfies(self.exclusive_set(i, image(function, table)), self.chk) else None
        return None

    def naive(self, table: Values) -> int | None:
        return next((i for i in range(len(self.functions)) if self.permits(i, table)), None)


def known(tables: Iterable[Values], outcome: Callable[[Values], object]) -> Mapping[object, list[Values]]:
    """What everyone who knows the algorithm takes to be possible, for each thing it may publish."""
    told: dict[object, list[Values]] = {}
    for table in tables:
        told.setdefault(outcome(table), []).append(table)
    return told


def naive_size(seen: Iterable[tuple[Sequence[int], Sequence[str]]]) -> int:
    """How many tables agree with groups of rows and their bags."""
    return prod(factorial(len(bag)) // prod(map(factorial, Counter(bag).values())) for _, bag in seen)
