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


def fillings(rows: Sequence[Row], values: Sequence[str]) -> Iterator[list[tuple[str, ...]]]:
    """Everybody's true values: whatever may be behind the hidden cells."""
    behind = [[(cell,) if cell is not None else values for cell in row] for row in rows]
    yield from product(*(list(product(*cells)) for cells in behind))


def fitting_groups(rows: Sequence[Row], people: Sequence[tuple[str, ...]]) -> Iterator[list[int]]:
    """For each person, whose true values are known, the rows that fit."""
    for person in people:
        yield [number for number, row in enumerate(rows) if agree(row, person)]
