"""Hilb and its repair, written from SPEC A3, A4 and A5 alone: lists, no heaps, everything counted anew each time.

Also the Hilbert curve as a walk: each curve is 2^d turned copies of the one with a bit less, found by trying turns.
"""

from collections import Counter, defaultdict
from itertools import pairwise, permutations, product


def most(values):
    return max(Counter(values).values(), default=0)


def heads(rest):
    """The first row of each value; `rest` is a list of (rank, value) by rank."""
    first = {}
    for rank, value in rest:
        first.setdefault(value, rank)
    return first


def diverse_without(rest, group, l):  # noqa: E741
    left = [value for rank, value in rest if rank not in group]
    return len(left) >= l * most(left)


def hilb(values, l):  # noqa: E741
    """A3: the published groups, in the order they are formed."""
    rest, groups = list(enumerate(values)), []
    while rest:
        first = heads(rest)
        sizes = Counter(value for _, value in rest)
        near = sorted(first.values())
        large = sorted(first.values(), key=lambda rank: (-sizes[values[rank]], rank))
        group = next(
            set(ranked[:g])
            for ranked in (near, large)
            for g in range(l, len(ranked) + 1)
            if diverse_without(rest, set(ranked[:g]), l)
        )
        groups.append(sorted(group))
        rest = [each for each in rest if each[0] not in group]
    return groups


def hilb_plus(values, l):  # noqa: E741
    """A4."""
    rest, groups = list(enumerate(values)), []
    while rest:
        group = set(sorted(heads(rest).values())[:l])
        if len(rest) - l < l * most(value for _, value in rest):
            group = {rank for rank, _ in rest}
        groups.append(sorted(group))
        rest = [each for each in rest if each[0] not in group]
    return groups


def hilb_plus_r(places, values, l):  # noqa: E741
    """A5 with rows of one place kept together: the published groups of row numbers."""
    at = defaultdict(list)
    for row, place in enumerate(places):
        at[place].append(row)
    stacks, groups = [at[place] for place in sorted(at)], []
    while stacks:
        k = l * most(values[row] for stack in stacks for row in stack)
        group, after = [], list(stacks)
        while len(group) < k and after:
            group += after.pop(0)
        if sum(map(len, after)) < k:
            group, after = [row for stack in stacks for row in stack], []
        groups.append(sorted(group))
        stacks = after
    return groups


def runs_with_persons(persons, least, least_persons):
    """Runs of a line without ties: the shortest of enough rows and persons that leave enough of both."""
    groups, start = [], 0
    while start < len(persons):
        ends = range(start + 1, len(persons) + 1)
        end = next((e for e in ends if fits(persons[start:e], least, least_persons)), len(persons))
        if not fits(persons[end:], least, least_persons):
            end = len(persons)
        groups.append(list(range(start, end)))
        start = end
    return groups


def fits(persons, least, least_persons):
    return len(persons) >= least and len(set(persons)) >= least_persons


def curve_2d(bits):
    """The points of the Hilbert curve in the plane, in order, by its four turned copies."""
    if bits == 0:
        return [(0, 0)]
    inner, half = curve_2d(bits - 1), 1 << (bits - 1)
    return (
        [(y, x) for x, y in inner]
        + [(x, y + half) for x, y in inner]
        + [(x + half, y + half) for x, y in inner]
        + [(2 * half - 1 - y, half - 1 - x) for x, y in inner]
    )


def is_walk(points):
    """Whether each point is one step in one coordinate from the one before."""
    return all(sum(abs(p - q) for p, q in zip(a, b, strict=True)) == 1 for a, b in pairwise(points))


def alike(points, others):
    """Whether two lists of points are the same up to the names and directions of the coordinates."""
    dimensions, top = len(points[0]), max(max(point) for point in points)
    return any(
        [tuple(top - p[a] if flip else p[a] for a, flip in zip(order, flips, strict=True)) for p in points] == others
        for order in permutations(range(dimensions))
        for flips in product((False, True), repeat=dimensions)
    )


def point_at(place, dimensions, bits):
    """The point the curve passes after `place` others, in whole numbers of any size."""
    point = [0] * dimensions
    for j in range(dimensions * bits):
        point[j % dimensions] = point[j % dimensions] << 1 | (place >> (dimensions * bits - 1 - j) & 1)
    last = point[-1] >> 1
    for a in range(dimensions - 1, 0, -1):
        point[a] ^= point[a - 1]
    point[0] ^= last
    for bit in range(1, bits):
        below = (1 << bit) - 1
        for a in range(dimensions - 1, -1, -1):
            swapped = below if point[a] >> bit & 1 else (point[0] ^ point[a]) & below
            point[0] ^= swapped
            point[a] ^= 0 if point[a] >> bit & 1 else swapped
    return tuple(point)


def naive_world(groups, values):
    """Every assignment of values to rows that gives each group the bag it has."""
    worlds = [list(values)]
    for group in groups:
        dealt = set(permutations(values[row] for row in group))
        worlds = [replaced(world, group, new) for world in worlds for new in dealt]
    return [tuple(world) for world in worlds]


def replaced(world, group, new):
    changed = list(world)
    for row, value in zip(group, new, strict=True):
        changed[row] = value
    return changed
