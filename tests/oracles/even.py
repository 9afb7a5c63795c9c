"""Even cuts by their definition, as a distribution over what is published, and ways to get them wrong.

A `Law` says of a group, by quasi-identifiers alone, which pair of halves may be looked at, and how likely each is.
What is published, and how likely, follows from the definition; so does what it tells of each person. Slow and exact.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import permutations, product
from math import prod

from oracles import asap
from oracles.asap import Chances, Partition, Point, Published, Rows, Values

Halves = tuple[Rows, Rows]
# What may be looked at, one after the other, until all pairs of one look hold: the first of these is then made.
Looks = tuple[tuple[Halves, ...], ...]
Law = Callable[[Sequence[Point], Rows], Mapping[Looks, Fraction]]
Holds = Callable[[Sequence[str]], bool]
Needs = Callable[[Sequence[str]], int]


def frequency(l: int) -> tuple[Holds, Needs]:  # noqa: E741
    """Frequency l-diversity of the values; of those of every column, where there are several (a+x)."""

    def most(values: Sequence[str]) -> int:
        columns = [*zip(*(value.split("+") for value in values), strict=True), tuple(values)]
        return max((max(Counter(column).values()) for column in columns if column), default=0)

    return lambda values: bool(values) and l * most(values) <= len(values), lambda values: l * most(values)


# Laws.


def orders(points: Sequence[Point], rows: Rows) -> list[Rows]:
    """The orders by the widest attribute, then the next, each as likely: equal rows stand in any order."""
    ranked = asap.by_width(points, rows)
    alike = defaultdict(list)
    for row in rows:
        alike[tuple(points[row][a] for a in ranked)].append(row)
    parts = [list(permutations(alike[each])) for each in sorted(alike)]
    return [tuple(row for part in whole for row in part) for whole in product(*parts)]


def even(points: Sequence[Point], rows: Rows) -> Mapping[Looks, Fraction]:
    """Halves; of an odd number of rows one is drawn and joins either by a coin, and just this is looked at."""
    return _drawn(orders(points, rows), lambda order: (ways[:1] for ways in _joining(order, lambda place, k: [0, 1])))


def uneven(points: Sequence[Point], rows: Rows) -> Mapping[Looks, Fraction]:
    """Wrong: the row in the middle is always in the lower half."""
    half = -(-len(rows) // 2)
    return _drawn(orders(points, rows), lambda order: iter([((order[:half], order[half:]),)]))


def by_a_coin(points: Sequence[Point], rows: Rows) -> Mapping[Looks, Fraction]:
    """Wrong: the row in the middle joins either half, so it is always in the larger one."""
    k = len(rows) // 2
    ends = (k,) if len(rows) % 2 == 0 else (k, k + 1)
    return _drawn(orders(points, rows), lambda order: (((order[:end], order[end:]),) for end in ends))


def swinging(points: Sequence[Point], rows: Rows) -> Mapping[Looks, Fraction]:
    """Wrong: both ways for a drawn row to join are looked at, and it joins the half it lies in."""
    return _drawn(orders(points, rows), lambda order: _joining(order, lambda place, k: [int(place > k)]))


def told(points: Sequence[Point], rows: Rows) -> Mapping[Looks, Fraction]:
    """Wrong: the same, but it joins either half by a coin, wherever it lies."""
    return _drawn(orders(points, rows), lambda order: _joining(order, lambda place, k: [0, 1]))


def _joining(order: Rows, joined: Callable[[int, int], Sequence[int]]) -> Iterator[tuple[Halves, ...]]:
    k = len(order) // 2
    if len(order) % 2 == 0:
        yield ((order[:k], order[k:]),)
        return
    for place, row in enumerate(order):
        others = (*order[:place], *order[place + 1 :])
        ways = ((*others[:k], row), others[k:]), (others[:k], (*others[k:], row))
        for upper in joined(place, k):
            yield ways[::-1] if upper else ways


def twice(points: Sequence[Point], rows: Rows) -> Mapping[Looks, Fraction]:
    """Wrong: where the halves by one attribute fail, those by the next are tried."""
    lines = [even([tuple(point[a : a + 1]) for point in points], rows) for a in asap.by_width(points, rows)]
    found: dict[Looks, Fraction] = defaultdict(Fraction)
    for chosen in product(*(line.items() for line in lines)):
        found[tuple(pair for looks, _ in chosen for pair in looks)] += prod((c for _, c in chosen), start=Fraction(1))
    return found


def _drawn(every: list[Rows], looks: Callable[[Rows], Iterator[tuple[Halves, ...]]]) -> Mapping[Looks, Fraction]:
    """Every order is as likely, and of each order every look."""
    found: dict[Looks, Fraction] = defaultdict(Fraction)
    for order in every:
        ways = [*looks(order)]
        for way in ways:
            pairs = tuple((tuple(sorted(lower)), tuple(sorted(upper))) for lower, upper in way)
            found[(pairs,)] += Fraction(1, len(every) * len(ways))
    return found


# What is published.


def chances(
    points: Sequence[Point], values: Values, asked: tuple[Holds, Needs], *, law: Law = even, fewest: int = 1
) -> Chances:
    """What is published of a table that holds as a whole, and how likely."""
    cut = _Cutting(points, values, *asked, law, fewest)
    found: dict[Published, Fraction] = defaultdict(Fraction)
    for partition, chance in cut.partitions(tuple(range(len(values)))).items():
        found[asap.published(partition, values)] += chance
    return dict(found)


class _Cutting:
    def __init__(self, points, values, holds, needs, law, fewest) -> None:  # type: ignore[no-untyped-def]
        self.points, self.values, self.law, self.fewest = points, values, law, fewest
        self.holds, self.needs = holds, needs
        self.known: dict[Rows, dict[Partition, Fraction]] = {}

    def partitions(self, rows: Rows) -> dict[Partition, Fraction]:
        """The groups that come of some rows, and how likely."""
        rows = tuple(sorted(rows))
        if rows not in self.known:
            self.known[rows] = self._partitions(rows)
        return self.known[rows]

    def _partitions(self, rows: Rows) -> dict[Partition, Fraction]:
        ahead = asap.first_cut(self.points, rows, self.needs([self.values[row] for row in rows]))
        if ahead:
            return self._of_both(ahead)
        whole: dict[Partition, Fraction] = {(rows,): Fraction(1)}
        if len({self.points[row] for row in rows}) == 1 or len(rows) < 2 * max(self.fewest, 1):
            return whole
        found: dict[Partition, Fraction] = defaultdict(Fraction)
        for looks, chance in self.law(self.points, rows).items():
            held = (pairs[0] for pairs in looks if all(self._hold(half) for pair in pairs for half in pair))
            pair = next(held, None)
            for partition, part in (self._of_both(pair) if pair else whole).items():
                found[partition] += chance * part
        return dict(found)

    def _hold(self, rows: Rows) -> bool:
        return self.holds([self.values[row] for row in rows])

    def _of_both(self, pair: Halves) -> dict[Partition, Fraction]:
        found: dict[Partition, Fraction] = defaultdict(Fraction)
        for lower, chance in self.partitions(pair[0]).items():
            for upper, part in self.partitions(pair[1]).items():
                found[tuple(sorted(lower + upper))] += chance * part
        return found


# What it tells.


def learned(every: Mapping[Values, Chances]) -> Iterator[tuple[Published, int, dict[str, Fraction], Rows]]:
    """For all that may be published: of each row, how likely each value is to who knows the method, and its group.

    `every` has the chances of all tables that have their values, each of which is as likely.
    """
    worlds: dict[Published, dict[Values, Fraction]] = defaultdict(dict)
    for table, each in every.items():
        for seen, chance in each.items():
            worlds[seen][table] = chance
    for seen, weights in worlds.items():
        told = asap.marginals(weights)
        for rows, _ in seen:
            for row in rows:
                yield seen, row, told[row], rows


def telling(every: Mapping[Values, Chances]) -> int:
    """Of how many rows, over all that may be published, more is known than the share in the group."""
    number = 0
    for seen, _, told, rows in learned(every):
        [bag] = [values for each, values in seen if each == rows]
        number += any(chance != asap.share(bag, list(told))[value] for value, chance in told.items()) or any(
            value not in told for value in bag
        )
    return number
