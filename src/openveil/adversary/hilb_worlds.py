"""The attack on Hilb and Hilb+ by exact worlds: what follows from knowing the algorithm, no more and no less.

Claim. For everyone the attack decides of, the chance of each value is exactly its share among all tables that agree
with the release and would have been published in the same groups; exposed is whoever has a value of a greater chance
than was promised. Of the others it decides only who is certain beyond doubt, and they stay undecided otherwise. The
attack bets where it knows more than the group shows; the baseline bets on the most frequent value of the group.

Why it holds. Groups at the front of the curve that leave enough rows behind were the l first heads, for certain
(`tools/curve_groups.py`). So a table gives the same groups exactly when each row that such a group reaches past has a
value of one of the group's rows before it, and the rows behind those groups are grouped as published, which is asked
of the algorithm itself. Groups that no such condition connects do not tell of each other; what is connected is
counted without listing it (`tools/overtaken_worlds.py`), the smallest parts first, as long as no more than `steps`
steps are made in all. Compared with a replay of every table in the tests. Where a group and the next one share a
single value, the row passed over has it whatever the others have.

Hilb+ leaves one group behind, of which nothing is asked. Methods that cut the curve without looking at single values
give the same groups for every table, so to them this attack is not made; nor to those that deal rows anew.

Cost. One sort of the rows, and up to `steps` steps of counting.

Source. The definition of X. Jin, N. Zhang, G. Das, ASAP, 2011, section 4, asked of Hilb; SPEC 5.2 on Algorithm 7.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations, product
from math import factorial, prod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from openveil.core.attack import NO_GUESS, Beliefs, Guessing, Sensitive, Target, commonest
from openveil.core.errors import refuse
from openveil.core.registry import Kind, Status, find, part
from openveil.tools.arranging import arrangements
from openveil.tools.curve_groups import CurveGroups
from openveil.tools.heads import spread_along_the_curve
from openveil.tools.overtaken_worlds import Link, Tally, counted

Chance = tuple[int, int, int]
_MOST_PASSED = 1000
# No part may use more than this share of what is left, so that one that is too large leaves the others something.
_SHARE = 4
_DECIDED = ("hilb", "hilb+")


@part(Kind.ATTACK, "hilb-worlds", source="after Jin, Zhang, Das 2011, sections 4 and 8.3.1", status=Status.PROVED)
@dataclass(frozen=True)
class HilbWorlds(Guessing):
    """Count the tables that Hilb or Hilb+ would have published in the same groups.

    `steps` is how many steps of counting may be made in all, a few microseconds each.
    """

    applies_to: ClassVar[str] = "releases of hilb and hilb+"

    steps: int = 1_000_000

    def __post_init__(self) -> None:
        if self.steps < 1:
            raise refuse("hilb-worlds", "steps must be a positive whole number", "Ask for 100000 or more")

    def believe(self, target: Target, column: Sensitive) -> Beliefs | None:
        """The chance of each value for all whom a condition concerns, as far as it can be counted."""
        spread = spread_along_the_curve(target.publisher, target.requirement)
        if spread is None or type(target.publisher) not in [_class(name) for name in _DECIDED]:
            return None
        line = CurveGroups.of(target.public, target.group, column.shown, len(column.labels), spread)
        deduction = Deduction.of(line, replayed=isinstance(target.publisher, _class("hilb")))
        return deduction.counted(self.steps).beliefs(target)


@dataclass(frozen=True, eq=False)
class Deduction:
    """The conditions a table has to meet: `passed[p]` are the rows (by their place on the curve) p reaches past.

    `parts` are the sets of groups that conditions connect; `tail` the first place that is asked of the algorithm.
    """

    line: CurveGroups
    passed: dict[int, list[int]] = field(repr=False)
    parts: list[list[int]] = field(repr=False)
    tail: int
    endless: frozenset[int]
    rows_of: list[list[int]] = field(repr=False)
    chances: dict[int, Chance] = field(default_factory=dict, repr=False)
    undecided: frozenset[int] = frozenset()
    looked: int = 0

    @staticmethod
    def of(line: CurveGroups, *, replayed: bool) -> Deduction:
        """The conditions on the groups of `line`; the rows behind the foreseen groups are replayed or free."""
        from openveil.kernels.overtaking import joined, reached_past

        pairs = reached_past(line.place, line.first, line.last, line.foreseen, _MOST_PASSED)
        passed: dict[int, list[int]] = defaultdict(list)
        for place, row in pairs.tolist():
            passed[place].append(row)
        endless = frozenset(place for place, rows in passed.items() if rows[-1] < 0)
        links = pairs[pairs[:, 1] >= 0]
        above, below = links[:, 0], line.place[links[:, 1]].astype(np.int64)
        behind = np.arange(line.foreseen, max(len(line) - 1, line.foreseen))
        if replayed:
            above, below = np.append(above, behind), np.append(below, behind + 1)
        tail = line.foreseen if replayed else len(line)
        return Deduction(line, dict(passed), _parts(joined(above, below, len(line))), tail, endless, _rows(line))

    def counted(self, steps: int) -> Deduction:
        """The same with chances counted, in the parts that so many steps are enough for; small parts first."""
        chances: dict[int, Chance] = {}
        undecided: set[int] = set()
        left = steps
        for part_of in sorted(self.parts, key=len):
            most = max(left // _SHARE, 1)
            tally = counted(links, most) if (links := self._links(part_of, most)) else Tally(0, None, {})
            left -= min(tally.used, left)
            if tally.ways is None:
                undecided.update(part_of)
                chances.update(self._certain(part_of))
            else:
                chances.update(_likeliest(tally.ways, tally.rows))
        return replace(self, chances=chances, undecided=frozenset(undecided), looked=steps - left)

    def beliefs(self, target: Target) -> Beliefs:
        """What follows for the rows of the table."""
        line, rows = self.line, len(target.group)
        naive = line.in_rows(commonest(line.bags), rows, NO_GUESS).astype(np.int32)
        guess, chance = np.full(rows, NO_GUESS, dtype=np.int32), np.zeros(rows)
        exposed = np.zeros(rows, dtype=np.bool_)
        for place, (value, up, down) in self.chances.items():
            row = line.order[place]
            share = self._share(place)
            more = up * target.limit.denominator > target.limit.numerator * down
            exposed[row] = up == down if target.limit == 1 else more
            if up * share[1] > share[0] * down:
                guess[row], chance[row] = value, up / down
        open_ = np.isin(np.arange(len(line)), list(self.undecided))
        undecided = line.in_rows(open_, rows, otherwise=False).astype(np.bool_) & ~exposed
        return Beliefs(guess, chance, exposed, naive, self.looked, "steps of counting", undecided)

    def _share(self, row: int) -> tuple[int, int]:
        """The largest count in the group of the row, and the size of the group."""
        place = self.line.place[row]
        return int(self.line.bags.largest[place]), int(self.line.sizes[place])

    def _bag(self, place: int) -> list[int]:
        bags = self.line.bags
        entries = slice(bags.starts[place], bags.starts[place + 1])
        return np.repeat(bags.values[entries], bags.counts[entries]).tolist()

    def _links(self, part_of: Sequence[int], most: int) -> list[Link]:
        """The groups of the part with all they can have, those behind the foreseen ones as one; none if too much."""
        early = [place for place in part_of if place < self.tail]
        behind = [place for place in part_of if place >= self.tail]
        bags = [self._bag(place) for place in part_of]
        together = prod(arrangements(list(Counter(self._bag(place)).values())) for place in behind)
        if together + sum(factorial(len(bag)) for bag in bags[: len(early)]) > most or self.endless & set(part_of):
            return []
        links = [
            Link(tuple(self.rows_of[place]), orders_of(bag), tuple(self.passed.get(place, ())))
            for place, bag in zip(early, bags, strict=False)
        ]
        return [*links, self._behind(behind)] if behind else links

    def _behind(self, places: Sequence[int]) -> Link:
        """The groups behind the foreseen ones: the ways in which Hilb groups them as they are published."""
        rows = [row for place in places for row in self.rows_of[place]]
        order = sorted(range(len(rows)), key=rows.__getitem__)
        ways = []
        for chosen in product(*(orders_of(self._bag(place)) for place in places)):
            values = [value for of_group in chosen for value in of_group]
            way = tuple(values[each] for each in order)
            if self._grouped_alike(sorted(rows), way):
                ways.append(way)
        return Link(tuple(sorted(rows)), ways, ())

    def _grouped_alike(self, behind: list[int], way: tuple[int, ...]) -> bool:
        """Whether Hilb groups the rows behind the foreseen groups as they are published."""
        from openveil.kernels.heads import tried_groups

        values = np.array(way, dtype=np.int32)
        made = tried_groups(values, int(values.max()) + 1, self.line.spread)
        published = self.line.place[behind]
        pairs = len(set(zip(made.tolist(), published.tolist(), strict=True)))
        return pairs == len(set(made.tolist())) == len(set(published.tolist()))

    def _certain(self, part_of: Sequence[int]) -> Iterator[tuple[int, Chance]]:
        """Rows whose value follows from two groups alone: the two share one value only."""
        line = self.line
        for place in part_of:
            if place not in self.passed:
                continue
            row, own = int(line.first[place + 1]), self.rows_of[place]
            shared = set(self._bag(place)) & set(self._bag(place + 1))
            if len(shared) == 1:
                yield row, (next(iter(shared)), 1, 1)
                if own[1] > row:
                    yield own[0], (next(iter(shared)), 1, 1)


def orders_of(bag: list[int]) -> list[tuple[int, ...]]:
    """The distinct orders of a bag."""
    return sorted(set(permutations(bag)))


def _likeliest(worlds: int, rows: Mapping[int, Counter[int]]) -> Iterator[tuple[int, Chance]]:
    """For each row its likeliest value, how many tables have it, and how many tables there are."""
    for row, values in rows.items():
        value, up = values.most_common(1)[0]
        yield row, (value, up, worlds)


def _class(name: str) -> type:
    known = find(Kind.PUBLISHER, name)
    return known.cls if known else type(None)


def _parts(root: NDArray[np.int64]) -> list[list[int]]:
    """The places that are connected with another."""
    members: dict[int, list[int]] = defaultdict(list)
    several = np.bincount(root, minlength=len(root))[root] > 1
    for place in np.flatnonzero(several).tolist():
        members[int(root[place])].append(place)
    return list(members.values())


def _rows(line: CurveGroups) -> list[list[int]]:
    """The rows of each place, in the order of the curve."""
    order = np.argsort(line.place, kind="stable")
    ends = np.cumsum(line.sizes)[:-1]
    return [rows.tolist() for rows in np.split(order, ends)] if len(line) else []
