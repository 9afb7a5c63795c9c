"""What rotations allow, from the definitions: every order of the rows is gone through, every rotation is made.

A table is the sequence of its sensitive values; functions are partitions of its rows, the finest first, each of which
refines the next.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import permutations, product

Rows = tuple[int, ...]
Check = Callable[[Sequence[int]], bool]
Cut = frozenset[Rows]


def holds(values: Sequence[str], chk: Check) -> bool:
    return chk(sorted(Counter(values).values(), reverse=True))


def windows_hold(word: Sequence[str], sizes: Sequence[int], chk: Check) -> bool:
    """Whether runs of these sizes hold, one after the other."""
    left = list(word)
    return all(holds([left.pop(0) for _ in range(size)], chk) for size in sizes)


def turns_that_hold(word: Sequence[str], sizes: Sequence[int], unit: int, chk: Check) -> list[bool]:
    """For each rotation by so many places, whether all runs hold."""
    return [windows_hold([*word[k:], *word[:k]], sizes, chk) for k in range(0, len(word), unit)]


def unit_of(sizes: Sequence[int]) -> int:
    return sizes[0] if len(set(sizes)) == 1 else 1


def orders(groups: Sequence[Rows]) -> Iterator[list[Rows]]:
    """Every order of groups, and of the rows in each."""
    for several in permutations(groups):
        yield from map(list, product(*(permutations(group) for group in several)))


def chance_of_taking_apart(groups: Sequence[Rows], table: Sequence[str], chk: Check) -> Fraction:
    """In which share of the orders all rotations let these groups hold."""
    found = []
    for ordered in orders(groups):
        word, sizes = [table[row] for group in ordered for row in group], [len(group) for group in ordered]
        found.append(all(turns_that_hold(word, sizes, unit_of(sizes), chk)))
    return Fraction(sum(found), len(found))


def inner(group: Rows, function: Sequence[Sequence[int]]) -> list[Rows]:
    return [tuple(rows) for rows in function if set(rows) <= set(group)]


def descended(
    functions: Sequence[Sequence[Sequence[int]]], table: Sequence[str], chk: Check
) -> Mapping[Cut, Fraction]:
    """All groups that may come of a table, from the last function down, and how likely."""
    *finer, last = functions
    if not all(holds([table[row] for row in rows], chk) for rows in last):
        return {}
    return _together([_of_group(tuple(rows), finer, table, chk) for rows in last])


def _of_group(
    group: Rows, finer: Sequence[Sequence[Sequence[int]]], table: Sequence[str], chk: Check
) -> Mapping[Cut, Fraction]:
    if not finer:
        return {frozenset([group]): Fraction(1)}
    *still_finer, next_finer = finer
    groups = inner(group, next_finer)
    chance = chance_of_taking_apart(groups, table, chk)
    found = Counter({frozenset([group]): 1 - chance})
    for cut, likely in _together([_of_group(each, still_finer, table, chk) for each in groups]).items():
        found[cut] += chance * likely
    return {cut: likely for cut, likely in found.items() if likely}


def _together(several: Sequence[Mapping[Cut, Fraction]]) -> Mapping[Cut, Fraction]:
    found: Counter[Cut] = Counter()
    for chosen in product(*(each.items() for each in several)):
        likely = Fraction(1)
        for _, one in chosen:
            likely *= one
        found[frozenset().union(*(cut for cut, _ in chosen))] += likely
    return found
