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


def ascended(functions: Sequence[Sequence[Sequence[int]]], table: Sequence[str], chk: Check) -> Counter[int | None]:
    """In how many of all orders each function is released, none standing for nothing."""
    found: Counter[int | None] = Counter()
    for ordered in orders_of_all(functions):
        held = (
            i
            for i, groups in enumerate(functions)
            if all(holds([table[row] for row in rows], chk) for rows in groups)
        )
        free = (i for i in held if not any(_in_the_way(functions, ordered, i, j, table, chk) for j in range(i)))
        found[next(free, None)] += 1
    return found


def orders_of_all(functions: Sequence[Sequence[Sequence[int]]]) -> Iterator[list[int]]:
    """Every order of all rows that tears no group of any function apart."""
    rows = sum(map(len, functions[-1]))
    for order in permutations(range(rows)):
        place = {row: number for number, row in enumerate(order)}
        spans = (sorted(place[row] for row in group) for function in functions for group in function)
        if all(span[-1] - span[0] == len(span) - 1 for span in spans):
            yield list(order)


def _in_the_way(
    functions: Sequence[Sequence[Sequence[int]]],
    ordered: list[int],
    i: int,
    j: int,
    table: Sequence[str],
    chk: Check,
) -> bool:
    """Whether some rotation of the groups of function i makes function j hold, rows standing in this order.

    Groups of one size are rotated as a whole; where all functions before i have such groups, nothing is.
    """
    for group in functions[i]:
        rows = [row for row in ordered if row in group]
        sizes = [_sizes_in(rows, functions[k]) for k in range(i)]
        even = all(len(set(each)) == 1 for each in sizes)
        unit = len(rows) if even else unit_of(sizes[0])
        if not any(turns_that_hold([table[row] for row in rows], sizes[j], unit, chk)):
            return False
    return True


def _sizes_in(rows: list[int], function: Sequence[Sequence[int]]) -> list[int]:
    groups = inner(tuple(rows), function)
    return [len(group) for group in sorted(groups, key=lambda group: min(map(rows.index, group)))]


# Algorithm 5 of the p-safety paper in both readings, as SPEC S5 has it: `l` is a whole number, the model entropy.


def states_of(groups: Sequence[Sequence[int]], state: Sequence[str]) -> set[tuple[str, ...]]:
    """The tables in which the values of each group are shifted cyclically."""
    found = set()
    for shifts in product(*(range(len(group)) for group in groups)):
        other = list(state)
        for group, shift in zip(groups, shifts, strict=True):
            for place, row in enumerate(group):
                other[row] = state[group[(place + shift) % len(group)]]
        found.add(tuple(other))
    return found


def perplexity_to(counts: Sequence[int], power: int) -> Fraction:
    """Two to the entropy of these counts, to a power that is a multiple of their sum."""
    whole = sum(counts)
    value = Fraction(whole**whole)
    for count in counts:
        value /= count**count
    return value ** (power // whole)


def entropy_reaches(one: Sequence[int], other: Sequence[int]) -> bool:
    power = sum(one) * sum(other)
    return perplexity_to(one, power) >= perplexity_to(other, power)


def conservative(states: Sequence[Sequence[str]], groups: Sequence[Sequence[int]], l: int) -> bool:  # noqa: E741
    """Definition of conservative l-diversity: entropies of everyone, in the states and against the own group."""
    if not states:
        return False
    for group in groups:
        shown = [*Counter(states[0][row] for row in group).values()]
        for row in group:
            told = [*Counter(state[row] for state in states).values()]
            if not entropy_reaches(told, [1] * l) or not entropy_reaches(told, shown):
                return False
    return True


def level(
    chain: Sequence[Sequence[Sequence[int]]],
    state: Sequence[str],
    l: int,  # noqa: E741
    *,
    remainder: bool,
) -> int:
    """The function that Algorithm 5 releases a table in."""
    for i, groups in enumerate(chain):
        if not all(entropy_reaches([*Counter(state[row] for row in group).values()], [1] * l) for group in groups):
            continue
        every = states_of(groups, state)
        left = [each for each in every if level(chain[:i], each, l, remainder=remainder) == i]
        if conservative(left, groups, l) if remainder else len(left) == len(every):
            return i
    return len(chain)
