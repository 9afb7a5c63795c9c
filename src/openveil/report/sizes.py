"""The distribution of group sizes, in few bins.

Claim. The bins cover every size from the smallest to the largest and each size lies in exactly one. There are at
most `MOST` of them, however many sizes there are, in a table of fewer than 10^13 rows.

Why. Sizes span decades; bins of one size each show a small spread exactly, bins of 1-2-5 or of tens a wide one.

Cost. One pass over the distinct sizes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count, takewhile
from typing import Any

from openveil.report.wording import counted, whole

MOST = 14


@dataclass(frozen=True, slots=True)
class Bin:
    """The groups of `first` to `last` rows: how many there are, and how many rows they have together."""

    first: int
    last: int
    groups: int
    rows: int

    @property
    def words(self) -> str:
        """The sizes in the bin."""
        return whole(self.first) if self.first == self.last else f"{whole(self.first)} to {whole(self.last)}"


@dataclass(frozen=True, slots=True)
class Groups:
    """How many groups there are, the rows of the smallest and the largest, and how the sizes are spread."""

    count: int
    smallest: int
    largest: int
    bins: tuple[Bin, ...]

    @staticmethod
    def of(shape: Mapping[str, Any]) -> Groups:
        """The groups as a certificate describes them; where it contradicts itself, the smaller size counts."""
        sizes = {int(size): int(number) for size, number in shape["of_size"].items()}
        smallest = min(*sizes, int(shape["smallest"])) if sizes else 0
        return Groups(int(shape["count"]), smallest, max(sizes, default=0), binned(sizes))

    @property
    def tallest(self) -> int:
        """The number of groups in the fullest bin, at least 1 so that bars can be drawn against it."""
        return max((1, *(each.groups for each in self.bins)))

    @property
    def words(self) -> str:
        """How many groups, and how large."""
        if not self.count:
            return "no groups"
        if self.count == 1:
            return f"1 group of {counted(self.largest, 'row', 'rows')}"
        return f"{whole(self.count)} groups of {whole(self.smallest)} to {whole(self.largest)} rows"


def binned(sizes: Mapping[int, int]) -> tuple[Bin, ...]:
    """The bins for so many groups of each size."""
    if not sizes:
        return ()
    smallest, largest = min(sizes), max(sizes)
    starts = _starts(smallest, largest)
    ends = [start - 1 for start in starts[1:]] + [largest]
    groups, rows = [0] * len(starts), [0] * len(starts)
    for size, number in sizes.items():
        place = bisect_right(starts, size) - 1
        groups[place] += number
        rows[place] += number * size
    return tuple(map(Bin, starts, ends, groups, rows))


def _starts(smallest: int, largest: int) -> list[int]:
    """The first size of each bin, from the finest series that gives few bins."""
    if largest - smallest < MOST:
        return list(range(smallest, largest + 1))
    fine, coarse = (_within(steps, smallest, largest) for steps in ((1, 2, 5), (1,)))
    return fine if len(fine) <= MOST else coarse


def _within(steps: tuple[int, ...], smallest: int, largest: int) -> list[int]:
    return [
        smallest,
        *(start for start in takewhile(lambda start: start <= largest, _series(steps)) if start > smallest),
    ]


def _series(steps: tuple[int, ...]) -> Iterator[int]:
    return (step * 10**power for power in count() for step in steps)
