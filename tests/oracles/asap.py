"""ASAP by the definitions: every algorithm as a distribution over what it publishes, worlds by enumeration.

Slow and exact. A table is a list of points (tuples of whole numbers) and, beside it, one sensitive value a row. What
is published is a set of groups, each the tuple of its rows and the tuple of its sorted values; an algorithm takes
points, values and l and gives the probability of everything that it may publish. `options` bring in the variants
that leak: `pick="first"`, `residue="nearest"`, `tie="lowest"` (Anatomy), `choose="gain"` (Mondrian+).
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain, combinations, product
from math import prod

Point = tuple[int, ...]
Values = tuple[str, ...]
Rows = tuple[int, ...]
Partition = tuple[Rows, ...]
Published = frozenset[tuple[Rows, Values]]
Chances = dict[Published, Fraction]


# What a reader sees.


def bag(rows: Sequence[int], values: Values) -> Values:
    """The sensitive values of some rows, sorted."""
    return tuple(sorted(values[row] for row in rows))


def published(partition: Sequence[Sequence[int]], values: Values) -> Published:
    """The groups of a partition with their bags."""
    return frozenset((tuple(sorted(rows)), bag(rows, values)) for rows in partition)


def listed(seen: Published) -> list[list[list[object]]]:
    """The same as the goldens write it."""
    return [[list(rows), list(values)] for rows, values in sorted(seen)]


def arrangements(values: Sequence[str]) -> Iterator[Values]:
    """Every distinct order of a bag, in order."""
    left = Counter(values)

    def rest(number: int) -> Iterator[Values]:
        if not number:
            yield ()
        for value in sorted(left):
            if left[value]:
                left[value] -= 1
                yield from ((value, *tail) for tail in rest(number - 1))
                left[value] += 1

    return rest(len(values))


# Worlds (SPEC A1).


def naive_world(seen: Published) -> set[Values]:
    """Every assignment of values that gives each published group its bag."""
    groups = sorted(seen)
    worlds = set()
    for chosen in product(*(list(arrangements(values)) for _, values in groups)):
        rows = [row for group, _ in groups for row in group]
        world = dict(zip(rows, chain.from_iterable(chosen), strict=True))
        worlds.add(tuple(world[row] for row in sorted(world)))
    return worlds


def smart_world(
    seen: Published, chances_of: Callable[[Values], Mapping[Published, Fraction]]
) -> dict[Values, Fraction]:
    """How likely each table of the naive world is to be published in just this way; 0 is left out."""
    weights = {world: chances_of(world).get(seen, Fraction(0)) for world in naive_world(seen)}
    return {world: weight for world, weight in weights.items() if weight}


def marginals(weights: Mapping[Values, Fraction]) -> list[dict[str, Fraction]]:
    """For each row, how likely each value is, when tables are as likely as their weights say."""
    total = sum(weights.values(), Fraction(0))
    rows = len(next(iter(weights)))
    found: list[dict[str, Fraction]] = [defaultdict(Fraction) for _ in range(rows)]
    for world, weight in weights.items():
        for row, value in enumerate(world):
            found[row][value] += weight / total
    return [dict(sorted(each.items())) for each in found]


def share(values: Sequence[str], domain: Sequence[str]) -> dict[str, Fraction]:
    """How likely each value is for a member of a group with this bag."""
    return {value: Fraction(list(values).count(value), len(values)) for value in domain}


# Frequency l-diversity.


def most(rows: Sequence[int], values: Values) -> int:
    """How often the most frequent value of some rows occurs."""
    return max(Counter(values[row] for row in rows).values(), default=0)


def diverse(rows: Sequence[int], values: Values, l: int) -> bool:  # noqa: E741
    """Whether no value is more than one l-th of these rows."""
    return len(rows) >= l * most(rows, values)


# Mondrian and Mondrian+ (SPEC A2).


def sides(points: Sequence[Point], rows: Sequence[int], a: int) -> Iterator[tuple[Rows, Rows]]:
    """The cuts of one dimension at the median: equals of the median below, then above."""
    places = sorted(points[row][a] for row in rows)
    middle = places[(len(rows) + 1) // 2 - 1]
    yield tuple(r for r in rows if points[r][a] <= middle), tuple(r for r in rows if points[r][a] > middle)
    yield tuple(r for r in rows if points[r][a] < middle), tuple(r for r in rows if points[r][a] >= middle)


def by_width(points: Sequence[Point], rows: Sequence[int]) -> list[int]:
    """The dimensions from the widest to the narrowest as the numbers are; of equals the first."""

    def width(a: int) -> int:
        return max(points[r][a] for r in rows) - min(points[r][a] for r in rows)

    return sorted(range(len(points[0])), key=lambda a: (-width(a), a)) if rows else []


def first_cut(points: Sequence[Point], rows: Sequence[int], least: int) -> tuple[Rows, Rows] | None:
    """The first cut both sides of which have `least` rows and one at least."""
    for a in by_width(points, rows):
        for cut in sides(points, rows, a):
            if min(map(len, cut)) >= max(least, 1):
                return cut
    return None


def recursive(rows: Rows, cut: Callable[[Rows], tuple[Rows, Rows] | None]) -> list[Rows]:
    """The groups that are left when every group is cut as long as it can be."""
    halves = cut(rows)
    return [group for half in halves for group in recursive(half, cut)] if halves else [rows]


def mondrian(points: Sequence[Point], values: Values, l: int) -> Partition:  # noqa: E741
    """Cut where both sides turn out to be diverse; of a dimension, the first median cut that has two sides."""

    def cut(rows: Rows) -> tuple[Rows, Rows] | None:
        for a in by_width(points, rows):
            halves = next((each for each in sides(points, rows, a) if all(each)), None)
            if halves and all(diverse(half, values, l) for half in halves):
                return halves
        return None

    return tuple(recursive(tuple(range(len(points))), cut))


def mondrian_plus(points: Sequence[Point], values: Values, l: int, *, choose: str = "width") -> Partition:  # noqa: E741
    """Cut only where no arrangement of the values could make a side undiverse.

    `choose="gain"` takes of all admissible dimensions the one that separates the sensitive values best.
    """

    def by_gain(rows: Rows) -> tuple[Rows, Rows] | None:
        least = max(l * most(rows, values), 1)
        admissible = [
            next((each for each in sides(points, rows, a) if min(map(len, each)) >= least), None)
            for a in by_width(points, rows)
        ]
        return min((cut for cut in admissible if cut), key=lambda cut: _mixed(cut, values), default=None)

    def by_widths(rows: Rows) -> tuple[Rows, Rows] | None:
        return first_cut(points, rows, l * most(rows, values))

    return tuple(recursive(tuple(range(len(points))), by_gain if choose == "gain" else by_widths))


def _mixed(cut: tuple[Rows, Rows], values: Values) -> Fraction:
    """The entropy within the sides of a cut, as a number that orders cuts alike: the product of n^n / prod c^c."""
    parts = [Counter(values[row] for row in side).values() for side in cut]
    return Fraction(prod(sum(part) ** sum(part) for part in parts), prod(c**c for part in parts for c in part))


# Anatomy and stratified pick-up (SPEC A6 and A7), as distributions.

State = tuple[Partition, frozenset[tuple[str, Rows]]]


def anatomy(rows: Sequence[int], values: Values, l: int, **options: str) -> dict[Partition, Fraction]:  # noqa: E741
    """How likely each partition of some rows is; groups are told apart by when they were made."""
    buckets = {value: tuple(r for r in rows if values[r] == value) for value in set(bag(rows, values))}
    states: dict[State, Fraction] = {((), frozenset(buckets.items())): Fraction(1)}
    ended: dict[State, Fraction] = defaultdict(Fraction)
    while states:
        following: dict[State, Fraction] = defaultdict(Fraction)
        for (groups, left), chance in states.items():
            if len(left) < l:
                ended[groups, left] += chance
                continue
            for picked, part in _picks(left, l, options):
                following[(*groups, picked), _without(left, picked)] += chance * part
        states = following
    outcomes: dict[Partition, Fraction] = defaultdict(Fraction)
    for (groups, left), chance in ended.items():
        for whole, part in _placed(groups, sorted((v, r) for v, members in left for r in members), values, options):
            outcomes[whole] += chance * part
    return dict(outcomes)


def _picks(left: frozenset[tuple[str, Rows]], l: int, options: Mapping[str, str]) -> Iterator[tuple[Rows, Fraction]]:  # noqa: E741
    """Every way to take one member of each of the l largest buckets."""
    lowest = options.get("tie") == "lowest"
    largest = sorted(left, key=lambda each: (-len(each[1]), min(each[1]) if lowest else each[0]))[:l]
    offered = [(min(members),) if options.get("pick") == "first" else members for _, members in largest]
    for picked in product(*offered):
        yield picked, Fraction(1, prod(map(len, offered)))


def _without(left: frozenset[tuple[str, Rows]], picked: Rows) -> frozenset[tuple[str, Rows]]:
    fewer = ((value, tuple(row for row in members if row not in picked)) for value, members in left)
    return frozenset((value, members) for value, members in fewer if members)


def _placed(
    groups: Partition, waiting: list[tuple[str, int]], values: Values, options: Mapping[str, str]
) -> Iterator[tuple[Partition, Fraction]]:
    """Every way to give the left-overs, in the order of their values, to groups that lack them."""
    if not waiting:
        yield groups, Fraction(1)
        return
    (value, row), *rest = waiting
    lacking = [g for g, group in enumerate(groups) if value not in bag(group, values)]
    if options.get("residue") == "nearest":
        lacking = sorted(lacking, key=lambda g: (abs(row - Fraction(sum(groups[g]), len(groups[g]))), groups[g]))[:1]
    for g in lacking:
        grown = (*groups[:g], (*groups[g], row), *groups[g + 1 :])
        for whole, part in _placed(grown, rest, values, options):
            yield whole, part / len(lacking)


def picked_up(strata: Partition, values: Values, l: int, **options: str) -> Chances:  # noqa: E741
    """Anatomy in every stratum of at least 2l rows; the others stay."""
    ways = [anatomy(rows, values, l, **options) if len(rows) >= 2 * l else {(rows,): Fraction(1)} for rows in strata]
    chances: Chances = defaultdict(Fraction)
    for parts in product(*(way.items() for way in ways)):
        whole = [group for partition, _ in parts for group in partition]
        chances[published(whole, values)] += prod((chance for _, chance in parts), start=Fraction(1))
    return dict(chances)


# The algorithms by the names the goldens and the package know them by.


def outcomes(name: str, points: Sequence[Point], values: Values, l: int, **options: str) -> Chances:  # noqa: E741
    """What the algorithm publishes, and how likely; nothing where no partition is diverse."""
    rows = tuple(range(len(values)))
    if not diverse(rows, values, l):
        return {}
    if name == "anatomy":
        return picked_up((rows,), values, l, **options)
    if name == "mondrian":
        return {published(mondrian(points, values, l), values): Fraction(1)}
    strata = mondrian_plus(points, values, l, **options)
    return picked_up(strata, values, l) if name == "mondrian++" else {published(strata, values): Fraction(1)}


# Boxes published instead of memberships.

Box = tuple[tuple[int, int], ...]
Boxes = tuple[tuple[Box, Values], ...]


def boxed(seen: Published, points: Sequence[Point]) -> Boxes:
    """Groups as a reader of a generalised table sees them: the extent in every dimension, and the bag."""
    return tuple(
        sorted(
            (tuple((min(side), max(side)) for side in zip(*(points[r] for r in rows), strict=True)), values)
            for rows, values in seen
        )
    )


def naive_world_of_boxes(boxes: Boxes, points: Sequence[Point]) -> set[Values]:
    """Every assignment that some partition explains whose groups lie in their boxes and have their bags."""
    found = set()
    for partition in _covered(tuple(range(len(points))), [(box, len(values)) for box, values in boxes], points):
        groups = zip(partition, (values for _, values in boxes), strict=True)
        found |= naive_world(frozenset(groups))
    return found


def _covered(left: Rows, boxes: list[tuple[Box, int]], points: Sequence[Point]) -> Iterator[Partition]:
    if not boxes:
        yield ()
        return
    (box, size), *rest = boxes
    inside = [r for r in left if all(low <= x <= high for x, (low, high) in zip(points[r], box, strict=True))]
    for rows in combinations(inside, size):
        others = tuple(r for r in left if r not in rows)
        yield from ((rows, *tail) for tail in _covered(others, rest, points))
