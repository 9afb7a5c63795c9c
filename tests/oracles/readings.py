"""The three readings of hidden cells, from their definitions, row by row.

A row is a tuple of texts, None where a cell is hidden; `secrets` has the sensitive value of each row.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import product

Row = tuple[str | None, ...]
Holds = Callable[[Sequence[int]], bool]


def own_groups(rows: Sequence[Row]) -> Iterator[list[int]]:
    """For each row, the rows that are written alike."""
    for row in rows:
        yield [number for number, other in enumerate(rows) if other == row]


def wildcard_groups(rows: Sequence[Row]) -> Iterator[list[int]]:
    """For each row, the rows that agree with it wherever both show something."""
    for row in rows:
        yield [number for number, other in enumerate(rows) if agree(row, other)]


def agree(row: Row, other: Row) -> bool:
    return all(one is None or two is None or one == two for one, two in zip(row, other, strict=True))


def holds(groups: Iterator[list[int]], secrets: Sequence[int], model: Holds) -> bool:
    return all(model([secrets[number] for number in group]) for group in groups)


def fillings(rows: Sequence[Row], values: Sequence[str]) -> Iterator[list[Row]]:
    """Every table that may be behind the rows: hidden cells filled in, but for rows that hide everything."""
    places = [
        (number, a)
        for number, row in enumerate(rows)
        for a, cell in enumerate(row)
        if cell is None and any(each is not None for each in row)
    ]
    for filled in product(values, repeat=len(places)):
        table = [list(row) for row in rows]
        for (number, a), value in zip(places, filled, strict=True):
            table[number][a] = value
        yield [tuple(row) for row in table]
