"""The privacy models that read sensitive values, from their definitions: one group, a list of values, at a time.

Everything is a whole number or a fraction. The earth mover's distance is found by moving earth: as a transport of
least cost, not by the closed forms of the package.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import prod

Ground = Callable[[int, int], Fraction]


def is_distinct_diverse(values: Sequence[int], l: int) -> bool:  # noqa: E741
    return len(set(values)) >= l


def is_entropy_diverse(values: Sequence[int], l: Fraction) -> bool:  # noqa: E741
    """- sum p log p >= log l, with both sides taken N times and to the power of e."""
    size = len(values)
    return size**size >= l**size * prod(count**count for count in Counter(values).values())


def is_recursively_diverse(values: Sequence[int], c: Fraction, l: int) -> bool:  # noqa: E741
    r = sorted(Counter(values).values(), reverse=True)
    return r[0] < c * sum(r[l - 1 :])


def is_alpha_k_anonymous(values: Sequence[int], alpha: Fraction, k: int) -> bool:
    shares = [Fraction(count, len(values)) for count in Counter(values).values()]
    return len(values) >= k and all(share <= alpha for share in shares)


def is_m_confidential(values: Sequence[int], m: int, listed: set[int]) -> bool:
    """Whether the listed values together, or every value where none are listed, are at most one m-th."""
    sets = [listed] if listed else [{value} for value in values]
    return all(Fraction(sum(value in each for value in values), len(values)) <= Fraction(1, m) for each in sets)


def is_close(values: Sequence[int], whole: Sequence[int], t: Fraction, ground: Ground) -> bool:
    return earth_movers_distance(values, whole, ground) <= t


def earth_movers_distance(values: Sequence[int], whole: Sequence[int], ground: Ground) -> Fraction:
    """The least cost of turning the distribution of `values` into that of the table of these counts."""
    size, rows, counts = len(values), sum(whole), Counter(values)
    supply = [counts[value] * rows for value in range(len(whole))]
    demand = [count * size for count in whole]
    return transport(supply, demand, ground) / (size * rows)


def transport(supply: list[int], demand: list[int], ground: Ground) -> Fraction:
    """Successive shortest paths: each path from what is left to what is missing is the cheapest one there is.

    Flow along cheapest paths is always one of least cost for the amount moved (Busacker and Gowen 1960).
    """
    supply, demand, places = list(supply), list(demand), range(len(supply))
    moved = dict.fromkeys(product(places, places), 0)
    while any(supply):
        path = cheapest_path(supply, demand, moved, ground)
        forth, back = path[::2], path[1::2]
        amount = min([supply[path[0][0]], demand[path[-1][1]], *(moved[pair] for pair in back)])
        for pair in forth:
            moved[pair] += amount
        for pair in back:
            moved[pair] -= amount
        supply[path[0][0]] -= amount
        demand[path[-1][1]] -= amount
    return sum((amount * ground(*pair) for pair, amount in moved.items()), Fraction(0))


def cheapest_path(
    supply: list[int], demand: list[int], moved: Mapping[tuple[int, int], int], ground: Ground
) -> list[tuple[int, int]]:
    """The moves of the path, every second one undone, from a place with supply to one with demand (Bellman-Ford)."""
    places = range(len(supply))
    sources: dict[int, tuple[Fraction, list[tuple[int, int]]]] = {i: (Fraction(0), []) for i in places if supply[i]}
    sinks: dict[int, tuple[Fraction, list[tuple[int, int]]]] = {}
    for _ in range(2 * len(supply)):
        for i, j in product(list(sources), places):
            cost, path = sources[i]
            if j not in sinks or cost + ground(i, j) < sinks[j][0]:
                sinks[j] = (cost + ground(i, j), [*path, (i, j)])
        for i, j in product(places, list(sinks)):
            cost, path = sinks[j]
            if moved[i, j] and (i not in sources or cost - ground(i, j) < sources[i][0]):
                sources[i] = (cost - ground(i, j), [*path, (i, j)])
    return min((sinks[j] for j in places if demand[j] and j in sinks), key=lambda found: found[0])[1]


def apart(first: int, second: int) -> Fraction:
    """The equal ground distance."""
    return Fraction(first != second)


def in_order(place: Sequence[int]) -> Ground:
    """The ordered ground distance, where value v has the place `place[v]`."""
    return lambda first, second: Fraction(abs(place[first] - place[second]), max(len(place) - 1, 1))


def in_tree(ways: Sequence[Sequence[str]]) -> Ground:
    """The hierarchical ground distance, where `ways[v]` leads from the root to value v, the value last."""
    height = max(map(len, ways))

    def ground(first: int, second: int) -> Fraction:
        if first == second:
            return Fraction(0)
        shared = 0
        while ways[first][shared] == ways[second][shared]:
            shared += 1
        return Fraction(height - shared, height)

    return ground


def parts(values: Sequence[int]) -> Iterator[list[int]]:
    """Every part of a bag, but the empty one."""
    counts = Counter(values)
    for taken in product(*(range(count + 1) for count in counts.values())):
        if any(taken):
            yield [value for value, times in zip(counts, taken, strict=True) for _ in range(times)]
