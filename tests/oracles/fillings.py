"""Every way to fill atoms from the bags of published groups, and how many tables each stands for. Slow."""

from collections.abc import Iterator, Sequence
from math import comb, prod

Row = tuple[int, ...]
Filling = tuple[Row, ...]


def rows_of(bag: Sequence[int], size: int) -> Iterator[Row]:
    """Every way to take so many rows of a bag."""
    if not bag:
        if size == 0:
            yield ()
        return
    for number in range(max(0, size - sum(bag[1:])), min(bag[0], size) + 1):
        for others in rows_of(bag[1:], size - number):
            yield (number, *others)


def ways(row: Sequence[int]) -> int:
    """In how many orders so many rows of each value can stand."""
    return prod(comb(sum(row[: place + 1]), count) for place, count in enumerate(row))


def fillings(sizes: Sequence[int], homes: Sequence[int], bags: Sequence[Row]) -> Iterator[tuple[Filling, int]]:
    """Every way to fill atoms of these sizes, each from the bag of its home, until all bags are empty."""
    if not sizes:
        if not any(map(any, bags)):
            yield (), 1
        return
    home = homes[0]
    for row in rows_of(bags[home], sizes[0]):
        left = tuple(there - taken for there, taken in zip(bags[home], row, strict=True))
        after = (*bags[:home], left, *bags[home + 1 :])
        for others, number in fillings(sizes[1:], homes[1:], after):
            yield (row, *others), ways(row) * number


def merged(filling: Sequence[Row], homes: Sequence[int]) -> Filling:
    """The bags of groups of atoms."""
    return tuple(
        tuple(map(sum, zip(*(row for row, home in zip(filling, homes, strict=True) if home == group), strict=True)))
        for group in range(max(homes) + 1)
    )
