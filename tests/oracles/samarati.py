"""Samarati's definitions, read literally: slow, exact, on lists of tuples and hierarchies value -> [value, ..., top].

Nothing here knows the package. Section numbers K1 to K6 and B1 are those of the specification. `persons` names the
person of each row; k then counts persons, where otherwise every row is a person of its own.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product

Chains = Mapping[str, Sequence[str]]
Hierarchies = Sequence[Chains]
Row = Sequence[str]
Table = Sequence[Row]
Vector = tuple[int, ...]
Persons = Sequence[int] | None


def heights(hierarchies: Hierarchies) -> Vector:
    return tuple(len(next(iter(chains.values()))) - 1 for chains in hierarchies)


def vectors(hierarchies: Hierarchies) -> list[Vector]:
    """The whole lattice, in ascending lexicographic order."""
    return list(product(*(range(height + 1) for height in heights(hierarchies))))


def below(v: Vector, w: Vector) -> bool:
    """v < w: nowhere above, somewhere below."""
    return v != w and all(a <= b for a, b in zip(v, w, strict=True))


def generalised(table: Table, hierarchies: Hierarchies, v: Vector) -> list[tuple[str, ...]]:
    """K1: each cell replaced by its v[a]-th ancestor."""
    return [tuple(hierarchies[a][cell][v[a]] for a, cell in enumerate(row)) for row in table]


def suppressed(table: Table, hierarchies: Hierarchies, v: Vector, k: int, persons: Persons = None) -> list[int]:
    """K1: the numbers of exactly the rows whose generalised tuple occurs with fewer than k persons."""
    rows = generalised(table, hierarchies, v)
    who = range(len(rows)) if persons is None else persons
    count = Counter(row for row, _ in set(zip(rows, who, strict=True)))
    return [number for number, row in enumerate(rows) if count[row] < k]


def released(table: Table, hierarchies: Hierarchies, v: Vector, k: int, persons: Persons = None) -> list[list[str]]:
    """K1: what remains, sorted."""
    rows = generalised(table, hierarchies, v)
    gone = set(suppressed(table, hierarchies, v, k, persons))
    return sorted(list(row) for number, row in enumerate(rows) if number not in gone)


def sup(table: Table, hierarchies: Hierarchies, v: Vector, k: int, persons: Persons = None) -> int:
    return len(suppressed(table, hierarchies, v, k, persons))


def acceptable(table: Table, hierarchies: Hierarchies, k: int, maxsup: int, persons: Persons = None) -> set[Vector]:
    return {v for v in vectors(hierarchies) if sup(table, hierarchies, v, k, persons) <= maxsup}


def largest_k(table: Table, hierarchies: Hierarchies, v: Vector) -> int:
    """The largest k that the generalised table satisfies without suppression."""
    return min(Counter(generalised(table, hierarchies, v)).values())


def occurrences(table: Sequence[Sequence[str | None]], pattern: Sequence[str | None]) -> int:
    """How many rows match a pattern; None in the pattern matches any cell."""
    return sum(all(p is None or p == cell for p, cell in zip(pattern, row, strict=True)) for row in table)


def distance(x: Row, y: Row, hierarchies: Hierarchies) -> Vector:
    """K2: for each attribute the least level at which the two values are equal."""
    pairs = zip(x, y, hierarchies, strict=True)
    return tuple(next(i for i, (p, q) in enumerate(zip(h[a], h[b], strict=True)) if p == q) for a, b, h in pairs)


def matrix(table: Table, hierarchies: Hierarchies) -> list[list[Vector]]:
    return [[distance(x, y, hierarchies) for y in table] for x in table]


def matrix_bounds(table: Table, hierarchies: Hierarchies, row: int) -> dict[str, object]:
    """Of the distances from one row: the minimal ones and the least height; of all distances: the least bound."""
    whole = matrix(table, hierarchies)
    others = {v for number, v in enumerate(whole[row]) if number != row}
    return {
        "minimal_in_row": minimal(others),
        "least_height_in_row": min(map(sum, others)),
        "least_upper_bound": tuple(max(column) for column in zip(*(v for line in whole for v in line), strict=True)),
    }


def sup_by_matrix(table: Table, hierarchies: Hierarchies, v: Vector, k: int) -> int:
    """K2: the number of suppressed rows from the distances between tuples alone."""
    count = Counter(tuple(row) for row in table)
    total = 0
    for x in count:
        if count[x] < k:
            near = [y for y in count if all(d <= e for d, e in zip(distance(x, y, hierarchies), v, strict=True))]
            if sum(count[y] for y in near) < k:
                total += count[x]
    return total


def minimal(chosen: set[Vector]) -> list[Vector]:
    return sorted(v for v in chosen if not any(below(w, v) for w in chosen))


def k_minimal(table: Table, hierarchies: Hierarchies, k: int, maxsup: int, persons: Persons = None) -> list[Vector]:
    """K3."""
    return minimal(acceptable(table, hierarchies, k, maxsup, persons))


def find_vector_allowed(table: Table, hierarchies: Hierarchies, k: int, maxsup: int) -> list[Vector]:
    """K4: every acceptable vector of least height; none when no vector is acceptable."""
    fine = acceptable(table, hierarchies, k, maxsup)
    least = min(map(sum, fine), default=0)
    return sorted(v for v in fine if sum(v) == least)


def find_vector(
    table: Table, hierarchies: Hierarchies, k: int, maxsup: int, persons: Persons = None
) -> Vector | None:
    """K4: the binary search itself, with ties tried in ascending lexicographic order."""
    solution = heights(hierarchies)
    low, high = 0, sum(solution)
    while low < high:
        height = (low + high) // 2
        level = [v for v in vectors(hierarchies) if sum(v) == height]
        found = next((v for v in level if sup(table, hierarchies, v, k, persons) <= maxsup), None)
        if found is None:
            low = height + 1
        else:
            solution, high = found, height
    return solution if sup(table, hierarchies, solution, k, persons) <= maxsup else None


def relative_distance(hierarchies: Hierarchies, v: Vector) -> Fraction:
    pairs = zip(v, heights(hierarchies), strict=True)
    return sum((Fraction(d, h) for d, h in pairs if h), Fraction(0))


def preferred(table: Table, hierarchies: Hierarchies, k: int, maxsup: int) -> dict[str, list[Vector]]:
    """K5: the k-minimal vectors each policy prefers, ties kept."""
    policies: dict[str, Callable[[Vector], int | Fraction]] = {
        "min_absolute": sum,
        "min_relative": lambda v: relative_distance(hierarchies, v),
        "max_distribution": lambda v: -len({tuple(row) for row in released(table, hierarchies, v, k)}),
        "min_suppression": lambda v: sup(table, hierarchies, v, k),
    }
    candidates = k_minimal(table, hierarchies, k, maxsup)
    return {name: _least(candidates, cost) for name, cost in policies.items()}


def _least(candidates: list[Vector], cost: Callable[[Vector], int | Fraction]) -> list[Vector]:
    costs = {v: cost(v) for v in candidates}
    return [v for v in candidates if costs[v] == min(costs.values())]


def strategies(hierarchies: Hierarchies) -> Iterator[tuple[Vector, ...]]:
    """K6: every chain of single steps from bottom to top."""
    top = heights(hierarchies)

    def climb(chain: tuple[Vector, ...]) -> Iterator[tuple[Vector, ...]]:
        if chain[-1] == top:
            yield chain
        for a, level in enumerate(chain[-1]):
            if level < top[a]:
                yield from climb((*chain, (*chain[-1][:a], level + 1, *chain[-1][a + 1 :])))

    return climb(((0,) * len(top),))


def locally_minimal(table: Table, hierarchies: Hierarchies, k: int, maxsup: int) -> list[Vector]:
    """K6: the first acceptable vector of every strategy that has one, as a set."""
    fine = acceptable(table, hierarchies, k, maxsup)
    firsts = (next((v for v in chain if v in fine), None) for chain in strategies(hierarchies))
    return sorted({v for v in firsts if v is not None})


def datafly(table: Table, hierarchies: Hierarchies, k: int, maxsup: int) -> tuple[list[Vector], bool]:
    """B1: Datafly's path of vectors, and whether it ended at an acceptable one."""
    top = heights(hierarchies)
    path = [(0,) * len(top)]
    while sup(table, hierarchies, path[-1], k) > maxsup:
        steps = _datafly_steps(table, hierarchies, path[-1])
        if not steps:
            return path, False
        path.append(steps[0])
    return path, True


def datafly_ends(table: Table, hierarchies: Hierarchies, k: int, maxsup: int) -> list[Vector]:
    """Every acceptable vector Datafly may end at when ties may be broken in any way."""
    ends, seen, todo = set(), set(), [(0,) * len(hierarchies)]
    while todo:
        v = todo.pop()
        if sup(table, hierarchies, v, k) <= maxsup:
            ends.add(v)
        elif v not in seen:
            seen.add(v)
            todo += _datafly_steps(table, hierarchies, v)
    return sorted(ends)


def _datafly_steps(table: Table, hierarchies: Hierarchies, v: Vector) -> list[Vector]:
    """One step up in each attribute below its top that has the most distinct values, first attribute first."""
    columns = list(zip(*generalised(table, hierarchies, v), strict=True))
    rising = [a for a, height in enumerate(heights(hierarchies)) if v[a] < height]
    most = max((len(set(columns[a])) for a in rising), default=0)
    chosen = [a for a in rising if len(set(columns[a])) == most]
    return [(*v[:a], v[a] + 1, *v[a + 1 :]) for a in chosen]


def value_loss(chains: Chains, value: str, level: int) -> Fraction:
    """[001] Eq. 4: (values under the node - 1) / values in the domain."""
    under = sum(chain[level] == chains[value][level] for chain in chains.values())
    return Fraction(under - 1, len(chains))


def information_loss(
    table: Table,
    hierarchies: Hierarchies,
    v: Vector,
    k: int,
    weights: Sequence[Fraction],
    persons: Persons = None,
) -> Fraction:
    """[001] Eq. 5 and 6; a suppressed row counts as one shown as the root in every attribute."""
    gone = set(suppressed(table, hierarchies, v, k, persons))
    top = heights(hierarchies)
    total = Fraction(0)
    for number, row in enumerate(table):
        shown = top if number in gone else v
        for a, cell in enumerate(row):
            total += weights[a] * value_loss(hierarchies[a], cell, shown[a])
    return total


def least_loss(
    table: Table,
    hierarchies: Hierarchies,
    k: int,
    maxsup: int,
    weights: Sequence[Fraction],
    persons: Persons = None,
) -> tuple[Fraction, list[Vector]] | None:
    """The least loss over all acceptable vectors, and every vector that has it; None when there is none."""
    fine = sorted(acceptable(table, hierarchies, k, maxsup, persons))
    if not fine:
        return None
    losses = {v: information_loss(table, hierarchies, v, k, weights, persons) for v in fine}
    least = min(losses.values())
    return least, [v for v in fine if losses[v] == least]
