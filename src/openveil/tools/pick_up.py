"""Stratified pick-up: deal the rows of a group into smaller ones, at random, so that each is as mixed as can be.

Claim. Every published group meets the requirement. Strata that are unions of published groups stay what they are, and
a publisher whose strata are algorithm-safe stays so when their rows are picked up: every table that agrees with the
published groups and their bags is published in just this way with the same probability.

Why it holds. Which values go together, and whether a stratum is dealt at all, is decided from its bag, the
requirement and chance alone (`kernels/anatomy.py`); every group that comes of it is asked about before. Who fills the
slots is drawn uniformly among the rows of the stratum that have the value (`Witness.deal`). The bag of a stratum is
the sum of the bags of its groups, so it is the same in every table that agrees with the release, and the number of
ways to draw the published groups depends on bags only.

How many values go together is the least number of values, each once, that may be published; as soon as there are
twice as many rows in a stratum it is dealt. For frequency l-diversity that is Anatomy with l.

How likely the published groups are (`odds`): every placing of the left-overs is as likely as any other. Where it
gives groups with the published bags, as many dealings lead to the published groups as there are ways to tell groups
of equal bags apart, times the orders of equal values inside each; all dealings are as many as there are orders of
the rows of each value.

Cost. One tally, one heap operation a row, one sort of the rows. For `odds` and `dealings` one plan a placing.

Source. Jin, Zhang, Das 2011, section 7; Xiao and Tao, Anatomy, 2006. Left-overs and ties as SPEC A6 and A7 have them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import chain, combinations, product
from math import factorial, prod

import numpy as np
from numpy.typing import NDArray

from openveil.core.bags import Bags
from openveil.core.errors import refuse
from openveil.core.progress import report
from openveil.core.recoding import same_groups
from openveil.core.requirement import Requirement, enough
from openveil.core.secret import Secret
from openveil.core.witness import Labels, Slots, Witness

_FEW, _MOST = 20, 1000
_PLACINGS = 50_000

# A bag of values: each value and how often it occurs, ascending. What a stratum is dealt into: how often each bag.
Bag = tuple[tuple[int, int], ...]
Dealing = Counter[Bag]
Rows = tuple[int, ...]


def pick_up(strata: Labels, witness: Witness, requirement: Requirement, secret: Secret) -> Labels:
    """The group of each row, when the rows of each stratum are dealt into groups as small as may be."""
    # Groups are planned from values alone, and what guards these would have to be known too.
    deals = requirement.reads_sensitive and not requirement.reads_guards
    spread = least_spread(requirement) if deals else None
    number = int(strata.max(initial=-1)) + 1
    if spread is None or not number:
        return strata
    report("picking up")
    finest = witness.tally(strata, number)[-1]
    large = finest.sizes >= 2 * spread
    dealing = finest.among(large)
    planned = _planned(dealing, spread, _random(dealing, spread, secret))
    holds = _holding(planned, witness, requirement)
    dealt = np.flatnonzero(large)[np.bincount(planned.strata[holds], minlength=int(large.sum())) > 0]
    if not len(dealt):
        return strata
    renumbered = np.full(number, -1, dtype=np.int32)
    renumbered[dealt] = np.arange(len(dealt))
    slots = Slots(_from_0(planned.strata[holds]), planned.values[holds], planned.groups[holds])
    group = witness.deal(renumbered[strata], slots, secret)
    untouched = group < 0
    group[untouched] = strata[untouched] + int(slots.groups.max()) + 1
    return _from_0(group)


def _from_0(label: Labels) -> Labels:
    """The same groups numbered from 0 without gaps, in their order."""
    number: Labels = np.cumsum(np.bincount(label) > 0, dtype=np.int32) - 1
    return number[label]


def least_spread(requirement: Requirement) -> int | None:
    """The least number of values, each of them once, that may be published together; None when many are too few."""
    return _least_up_to(_FEW, requirement) or _least_up_to(_MOST, requirement)


def _least_up_to(most: int, requirement: Requirement) -> int | None:
    numbers = np.arange(1, most + 1)
    starts = np.concatenate([[0], np.cumsum(numbers)]).astype(np.int64)
    values = (np.arange(starts[-1]) - np.repeat(starts[:-1], numbers)).astype(np.int32)
    bags = Bags("", np.ones(_MOST, dtype=np.int64), starts, values, np.ones(len(values), dtype=np.int64))
    rows = max((int(each.needs(bags)[0]) for each in requirement.parts() if not each.reads_sensitive), default=1)
    may = enough(requirement, [bags]) & (numbers >= rows)
    return int(numbers[may][0]) if may.any() else None


def odds(strata: Labels, group: Labels, witness: Witness, requirement: Requirement) -> Fraction:
    """How likely `pick_up` makes these groups of these strata; rows in no stratum (negative) do not count."""
    spread = least_spread(requirement) if requirement.reads_sensitive else None
    number = int(strata.max(initial=-1)) + 1
    if spread is None or not number:
        return Fraction(same_groups(strata, group))
    above = np.full(int(group.max(initial=-1)) + 1, -1, dtype=np.int32)
    above[group[strata >= 0]] = strata[strata >= 0]
    if not np.array_equal(above[group[strata >= 0]], strata[strata >= 0]):
        return Fraction(0)
    own = np.where(strata >= 0, group, np.int32(-1)).astype(np.int32)
    whole, parts = witness.tally(strata, number)[-1], witness.tally(own, len(above))[-1]
    published = [Counter[Bag]() for _ in range(number)]
    for g in np.flatnonzero(above >= 0).tolist():
        published[above[g]][_bag(parts, g)] += 1
    of_strata = (
        _share(_dealings_of(whole, s, spread, witness, requirement), published[s]) * _ways(published[s])
        for s in range(number)
    )
    return prod(of_strata, start=Fraction(1))


def dealings(
    strata: Labels, witness: Witness, requirement: Requirement
) -> Iterator[tuple[tuple[Rows, ...], Fraction]]:
    """Every way `pick_up` may partition the rows, and how likely it is; for small tables."""
    spread = least_spread(requirement) if requirement.reads_sensitive else None
    number = int(strata.max(initial=-1)) + 1
    strata_rows = [tuple(np.flatnonzero(strata == s).tolist()) for s in range(number)]
    if spread is None:
        yield tuple(strata_rows), Fraction(1)
        return
    whole, codes = witness.tally(strata, number)[-1], witness.values(strata)
    dealt = (
        _partitions(_dealings_of(whole, s, spread, witness, requirement), strata_rows[s], codes)
        for s in range(number)
    )
    for parts in product(*(list(each.items()) for each in dealt)):
        groups = chain.from_iterable(sorted(partition) for partition, _ in parts)
        yield tuple(groups), prod((chance for _, chance in parts), start=Fraction(1))


def _partitions(ways: list[Dealing], rows: Rows, codes: Labels) -> dict[frozenset[Rows], Fraction]:
    """Every partition of the rows of a stratum that one of its dealings leads to, and how likely it is."""
    buckets = {int(value): tuple(r for r in rows if codes[r] == value) for value in np.unique(codes[list(rows)])}
    return {
        partition: _share(ways, dealing) * _ways(dealing)
        for dealing in {frozenset(way.items()): way for way in ways}.values()
        for partition in _filled(sorted(dealing.elements()), buckets)
    }


def _filled(bags: list[Bag], buckets: dict[int, Rows]) -> set[frozenset[Rows]]:
    """Every way to fill groups of these bags with the rows of each value."""
    if not bags:
        return {frozenset()}
    (first, *rest), found = bags, set()
    for picked in product(*(combinations(buckets[value], count) for value, count in first)):
        taken = set(chain.from_iterable(picked))
        left = {value: tuple(row for row in rows if row not in taken) for value, rows in buckets.items()}
        found |= {partition | {tuple(sorted(taken))} for partition in _filled(rest, left)}
    return found


def _share(ways: list[Dealing], wanted: Dealing) -> Fraction:
    """The share of the ways, all as likely, that are the wanted one."""
    return Fraction(ways.count(wanted), len(ways))


def _ways(dealing: Dealing) -> Fraction:
    """How likely certain rows fill groups of these bags, when rows of a value are drawn for its places at random."""
    rows: Counter[int] = Counter()
    for bag, groups in dealing.items():
        for value, count in bag:
            rows[value] += groups * count
    alike = prod(factorial(n) * prod(factorial(c) for _, c in bag) ** n for bag, n in dealing.items())
    return Fraction(alike, prod(factorial(n) for n in rows.values()))


def _dealings_of(whole: Bags, stratum: int, spread: int, witness: Witness, requirement: Requirement) -> list[Dealing]:
    """The groups a stratum is dealt into, once for every placing of its left-overs, all of which are as likely."""
    alone = Counter([_bag(whole, stratum)])
    if whole.sizes[stratum] < 2 * spread:
        return [alone]
    one = whole.among(np.arange(len(whole)) == stratum)
    choices = _choices(one, spread)
    if prod(choices) > _PLACINGS:
        raise refuse("pick-up", "can place left-overs in too many ways to go through", "Take a smaller table")
    random = np.zeros((prod(choices), spread), dtype=np.uint64)
    random[:, : len(choices)] = np.array([*product(*map(range, choices))], dtype=np.uint64).reshape(len(random), -1)
    several = Bags(
        one.view,
        one.whole,
        np.arange(len(random) + 1) * len(one.values),
        np.tile(one.values, len(random)),
        np.tile(one.counts, len(random)),
    )
    planned = _planned(several, spread, random)
    holds = _holding(planned, witness, requirement)
    found = [Counter[Bag]() for _ in range(len(random))]
    for placing, groups in _bags_of_slots(planned, holds).items():
        found[placing] = Counter(tuple(sorted(Counter(values).items())) for values in groups.values())
    return [each or alone for each in found]


def _bags_of_slots(planned: Slots, holds: NDArray[np.bool_]) -> dict[int, dict[int, list[int]]]:
    """The values of each group of each stratum that is dealt."""
    found: dict[int, dict[int, list[int]]] = {}
    for stratum, group, value in zip(
        planned.strata[holds].tolist(), planned.groups[holds].tolist(), planned.values[holds].tolist(), strict=True
    ):
        found.setdefault(stratum, {}).setdefault(group, []).append(value)
    return found


def _choices(one: Bags, spread: int) -> list[int]:
    """Among how many groups each left-over of a bag chooses; it does not depend on what others chose."""
    planned = _planned(one, spread, np.zeros((1, spread), dtype=np.uint64))
    number = int(planned.groups.max(initial=-1)) + 1
    if not number or planned.groups.min() < 0:
        return []
    left_over = range(number * spread, len(planned.groups))
    return [number - int((planned.values[:place] == planned.values[place]).sum()) for place in left_over]


def _bag(bags: Bags, group: int) -> Bag:
    here = slice(bags.starts[group], bags.starts[group + 1])
    return tuple(zip(bags.values[here].tolist(), bags.counts[here].tolist(), strict=True))


def _random(finest: Bags, spread: int, secret: Secret) -> NDArray[np.uint64]:
    """A line of numbers for the left-overs of each bag."""
    stream = secret.stream("left-overs", 8 * spread * len(finest))
    return np.frombuffer(stream, dtype=np.uint64).reshape(len(finest), spread)


def _planned(finest: Bags, spread: int, random: NDArray[np.uint64]) -> Slots:
    """The slots of each bag, in groups numbered through; -1 for slots of bags that cannot be dealt."""
    from openveil.kernels.anatomy import plan

    entries, groups, _ = plan(finest.starts, finest.counts, spread, random)
    return Slots(finest.owner[entries].astype(np.int32), finest.values[entries], groups)


def _holding(planned: Slots, witness: Witness, requirement: Requirement) -> NDArray[np.bool_]:
    """The slots of the strata all groups of which may be published."""
    number = int(planned.groups.max(initial=-1)) + 1
    bags = witness.bags_of(planned.groups, planned.values, number)
    fails = np.append(~enough(requirement, bags), True)  # the last for slots without a group
    strata = int(planned.strata.max(initial=-1)) + 1
    failing = np.zeros(strata, dtype=np.bool_)
    failing[planned.strata[fails[planned.groups]]] = True
    held: NDArray[np.bool_] = ~failing[planned.strata]
    return held
