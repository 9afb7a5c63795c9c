"""Disclosure functions of finite settings, from the definitions of p-safety: everything is listed.

A setting has the states 0..n-1, schemas (partitions of them) and a predicate on sets of states; a disclosure function
is the number of the schema each state is shown in.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, product

Schemas = Sequence[Sequence[Sequence[int]]]
Predicate = Callable[[frozenset[int]], bool]
Ddf = tuple[int, ...]


def block(schema: Sequence[Sequence[int]], state: int) -> frozenset[int]:
    return next(frozenset(each) for each in schema if state in each)


def disclosure_set(schemas: Schemas, shown: Ddf, state: int) -> frozenset[int]:
    return frozenset(e for e in block(schemas[shown[state]], state) if shown[e] == shown[state])


def is_safe(schemas: Schemas, p: Predicate, shown: Ddf) -> bool:
    return all(p(disclosure_set(schemas, shown, state)) for state in range(len(shown)))


def precedes(one: Ddf, other: Ddf) -> bool:
    return one != other and all(a <= b for a, b in zip(one, other, strict=True))


def safe_functions(schemas: Schemas, p: Predicate, states: int) -> list[Ddf]:
    every = product(range(len(schemas)), repeat=states)
    return [shown for shown in every if is_safe(schemas, p, shown)]


def optimal(schemas: Schemas, p: Predicate, states: int) -> list[Ddf]:
    safe = safe_functions(schemas, p, states)
    return [shown for shown in safe if not any(precedes(other, shown) for other in safe)]


def subsets(states: int) -> Iterator[frozenset[int]]:
    for size in range(states + 1):
        yield from map(frozenset, combinations(range(states), size))


def is_monotone(p: Predicate, states: int) -> bool:
    every = list(subsets(states))
    return all(p(large) for small in every if p(small) for large in every if small < large)


def is_tn_safe(schemas: Schemas, p: Predicate, states: int) -> bool:
    """Some safe set of states is in no safe block of any schema but the last."""
    everyone = range(states)
    bad = [d for d in everyone if not any(p(block(schema, d)) for schema in schemas[:-1])]
    return any(p(each) for each in subsets(states) if each <= frozenset(bad) and each)
