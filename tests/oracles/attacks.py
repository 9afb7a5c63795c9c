"""Attacks written from their definitions: lists, fractions, everything enumerated."""

from collections import Counter
from fractions import Fraction
from itertools import permutations

from oracles import hilbert

Z = 1.959963984540054


def algorithm_7(groups, values, l):  # noqa: E741
    """SPEC A10: the flagged groups of ranks; `values[rank]` are used as bags of groups alone."""
    left = sorted((sorted(group) for group in groups), key=lambda group: group[0])
    flagged = []
    while left:
        first, rest = left[0], left[1:]
        everyone = [rank for group in left for rank in group]
        if len(everyone) - len(first) < l * hilbert.most(values[rank] for rank in everyone):
            break
        inside = any(first[0] < rank < first[-1] for group in rest for rank in group)
        if inside and len(first) + 1 < 2 * l:
            flagged.append(first)
        left = rest
    return flagged


def smart_world(groups, values, publish):
    """The tables with the published bags that are published in the same groups."""
    published = sorted(map(sorted, groups))
    return [
        world for world in hilbert.naive_world(groups, values) if sorted(map(sorted, publish(world))) == published
    ]


def chances(worlds, row):
    """How likely each value of a row is when all these tables are."""
    return {value: Fraction(n, len(worlds)) for value, n in Counter(world[row] for world in worlds).items()}


def orders(bag):
    """The distinct arrangements of a bag."""
    return sorted(set(permutations(bag)))


def parts_hold(arrangement, parts, caps):
    """Whether no part has a value more often than its cap."""
    return all(
        cap is None or hilbert.most(arrangement[row] for row in part) <= cap
        for part, cap in zip(parts, caps, strict=True)
    )


def wilson_holds(successes, tries, rate):
    """Whether a true rate is compatible with so many successes, as Wilson's test has it."""
    return (successes / tries - rate) ** 2 <= Z * Z * rate * (1 - rate) / tries
