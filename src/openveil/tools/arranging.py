"""In how many ways a bag of values can be spread over the parts of a group when no value may be frequent in a part.

Claim. `spread_over` counts, exactly, the arrangements of a bag over rows in which no part has a value more often than
its cap allows (None: as often as may be), and for each part and value how many rows of the part have the value,
summed over these arrangements. `arrangements` counts them all. None is returned where more than `_MOST` steps would
be needed.

Why it holds. Values are placed one after the other. How many ways are left for a value depends on what room the parts
still have, not on who has it; so ways are counted by room, from the first value on and from the last one back, and
the two meet at each value. Whole numbers throughout.

Cost. For two parts the number of values times the rows of one part times its cap.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import comb, factorial, prod

Room = tuple[int, ...]
Ways = dict[Room, int]
_MOST = 200_000


@dataclass(frozen=True, slots=True)
class Spread:
    """`ways` arrangements; over all of them `rows[part][value]` rows of a part have a value."""

    ways: int
    rows: tuple[tuple[int, ...], ...]


def arrangements(counts: Sequence[int]) -> int:
    """In how many ways rows can have the values of a bag."""
    return factorial(sum(counts)) // prod(factorial(count) for count in counts)


def spread_over(counts: Sequence[int], sizes: Sequence[int], caps: Sequence[int | None]) -> Spread | None:
    """Spread a bag, in which the values occur so often, over parts of these sizes."""
    allowed = tuple(size if cap is None else min(size, cap) for size, cap in zip(sizes, caps, strict=True))
    if _steps(counts, sizes, allowed) > _MOST:
        return None
    after = _behind(counts, tuple(sizes), allowed)
    before: Ways = {tuple(sizes): 1}
    rows = [[0] * len(counts) for _ in sizes]
    for value, count in enumerate(counts):
        reached: Ways = {}
        for room, ways in before.items():
            for placed, new in _placed(count, room, allowed):
                left = tuple(r - p for r, p in zip(room, placed, strict=True))
                whole = ways * new
                reached[left] = reached.get(left, 0) + whole
                together = whole * after[value + 1].get(left, 0)
                for part, of_it in enumerate(placed):
                    rows[part][value] += of_it * together
        before = reached
    return Spread(sum(before.values()), tuple(map(tuple, rows)))


def _behind(counts: Sequence[int], sizes: Room, allowed: Room) -> list[Ways]:
    """For each value the ways to place it and those after it, by the room there is before."""
    ways: list[Ways] = [{} for _ in counts] + [{(0,) * len(sizes): 1}]
    for value in range(len(counts) - 1, -1, -1):
        for room_after, further in ways[value + 1].items():
            room_before = tuple(sizes)
            for placed in _splits(counts[value], allowed):
                room_before = tuple(r + p for r, p in zip(room_after, placed, strict=True))
                if all(r <= s for r, s in zip(room_before, sizes, strict=True)):
                    new = prod(comb(r, p) for r, p in zip(room_before, placed, strict=True))
                    ways[value][room_before] = ways[value].get(room_before, 0) + new * further
    return ways


def _placed(count: int, room: Room, allowed: Room) -> Iterator[tuple[Room, int]]:
    """How many rows of each part may have the value, and in how many ways."""
    for placed in _splits(count, tuple(map(min, room, allowed))):
        yield placed, prod(comb(r, p) for r, p in zip(room, placed, strict=True))


def _splits(count: int, most: Room) -> Iterator[Room]:
    """All ways to write `count` as a sum of whole numbers, each up to its most."""
    if len(most) == 1:
        if count <= most[0]:
            yield (count,)
        return
    for first in range(max(0, count - sum(most[1:])), min(count, most[0]) + 1):
        yield from ((first, *rest) for rest in _splits(count - first, most[1:]))


def _steps(counts: Sequence[int], sizes: Sequence[int], allowed: Room) -> int:
    """A bound on the work: values, times rooms, times splits."""
    rooms = prod(size + 1 for size in sorted(sizes)[:-1])
    splits = prod(min(each, max(counts, default=0)) + 1 for each in sorted(allowed)[:-1])
    return len(counts) * rooms * splits
