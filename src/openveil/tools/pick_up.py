"""Stratified pick-up: deal the rows of a group into smaller ones, at random, so that each is as mixed as can be.

Claim. Every published group meets the requirement. Strata that are unions of published groups stay what they are, and
a publisher whose strata are algorithm-safe stays so when their rows are picked up: every table that agrees with the
published groups and their bags is published in just this way with the same probability.

Why it holds. Which values go together, and whether a stratum is dealt at all, is decided from its bag, the
requirement and chance alone (`kernels/anatomy.py`); every group that comes of it is asked about before. Who fills the
slots is drawn uniformly among the rows of the stratum that have the value (`Witness.deal`). The bag of a stratum is
the sum of the bags of its groups, so it is the same in every table that agrees with the release, and the number of
ways to draw the published groups depends on bags only.

How many values go together is at first the least number of values, each once, that may be published: for frequency
l-diversity l, as in Anatomy. Where several columns are sensitive, or a model asks more than that values be many,
groups of different values may fail all the same, since the values of one column repeat in them. So with several
columns a plan first lets no value of a column be in a group more often than its share, one in that least number; and
where a plan does not hold, the stratum is planned anew, with numbers drawn anew, without that limit and then for a
quarter more values, at least one more (`Plans`), as long as it has twice as many rows and none of its values is too
frequent to be in no group twice; if none of these plans holds it is one group. With one sensitive column and
frequency diversity the first plan holds.

How likely the published groups are (`odds`): every placing of the left-overs is as likely as any other, and a plan is
as likely as that those before it failed. Where a placing gives groups with the published bags, as many dealings lead
to the published groups as there are ways to tell groups of equal bags apart, times the orders of equal values inside
each; all dealings are as many as there are orders of the rows of each value.

Where a model reads what guards values, nothing is dealt: the strata are the groups.

Cost. One tally, one heap operation a row and a plan, one sort of the rows. There are at most 60 plans of a
stratum; for `odds` and `dealings` one a placing.

Source. Jin, Zhang, Das 2011, section 7; Xiao and Tao, Anatomy, 2006. Left-overs and ties as SPEC A6 and A7 have them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
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
_NO_SLOTS = Slots(*(np.empty(0, dtype=np.int32) for _ in range(3)))

# A bag of values: each value and how often it occurs, ascending. What a stratum is dealt into: how often each bag.
Bag = tuple[tuple[int, int], ...]
Dealing = frozenset[tuple[Bag, int]]
Chances = Mapping[Dealing, Fraction]
Rows = tuple[int, ...]


@dataclass(frozen=True)
class Plans:
    """The plans of a stratum in the order in which they are tried: how many values go together, and how many alike.

    `columns` says of each value of the finest view which value it has in each column, where there are several.
    """

    least: int
    witness: Witness = field(repr=False)
    requirement: Requirement
    columns: Labels = field(repr=False)

    @staticmethod
    def of(least: int, witness: Witness, requirement: Requirement) -> Plans:
        """The plans for what the witness knows; of no row anything is asked."""
        values = np.arange(len(witness.labels), dtype=np.int32)
        each = [bags.values for bags in witness.bags_of(values, values, len(values))[:-1]]
        return Plans(least, witness, requirement, np.array(each, dtype=np.int32).reshape(len(each), len(values)))

    def __iter__(self) -> Iterator[tuple[int, int]]:
        spread = self.least
        while spread <= _MOST:
            if len(self.columns):
                yield spread, spread // self.least
            yield spread, spread
            spread += max(spread // 4, 1)

    def planned(self, finest: Bags, most: int, random: NDArray[np.uint64]) -> Slots:
        """The slots of each bag, in groups numbered through; -1 for slots of bags that cannot be dealt.

        As many values go together as each line of random numbers has.
        """
        from openveil.kernels.anatomy import plan

        columns = np.ascontiguousarray(self.columns[:, finest.values])
        entries, groups, _ = plan(finest.starts, finest.counts, columns, random.shape[1], most, random)
        return Slots(finest.owner[entries].astype(np.int32), finest.values[entries], groups)

    def tried(self, finest: Bags, spread: int, most: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """How many groups are made of each bag, whatever is drawn, and which bags surely need no further plan."""
        planned = self.planned(finest, most, np.zeros((len(finest), spread), dtype=np.uint64))
        pairs = np.unique(np.stack([planned.strata, planned.groups])[:, planned.groups >= 0], axis=1)
        number = np.bincount(pairs[0], minlength=len(finest))
        held = np.bincount(planned.strata[self.holding(planned)], minlength=len(finest)) > 0
        return number, held & (number * spread == finest.sizes)

    def holding(self, planned: Slots) -> NDArray[np.bool_]:
        """The slots of the strata all groups of which may be published."""
        number = int(planned.groups.max(initial=-1)) + 1
        bags = self.witness.bags_of(planned.groups, planned.values, number)
        fails = np.append(~enough(self.requirement, bags), True)  # the last for slots without a group
        strata = int(planned.strata.max(initial=-1)) + 1
        failing = np.zeros(strata, dtype=np.bool_)
        failing[planned.strata[fails[planned.groups]]] = True
        held: NDArray[np.bool_] = ~failing[planned.strata]
        return held


def pick_up(strata: Labels, witness: Witness, requirement: Requirement, secret: Secret) -> Labels:
    """The group of each row, when the rows of each stratum are dealt into groups as small as may be."""
    least = _dealt_by(requirement)
    number = int(strata.max(initial=-1)) + 1
    if least is None or not number:
        return strata
    report("picking up")
    slots = _slots(witness.tally(strata, number)[-1], Plans.of(least, witness, requirement), secret)
    if not len(slots.groups):
        return strata
    dealt = np.bincount(slots.strata, minlength=number) > 0
    group = witness.deal(np.where(dealt[strata], strata, np.int32(-1)), slots, secret)
    untouched = group < 0
    group[untouched] = strata[untouched] + int(slots.groups.max()) + 1
    return _from_0(group)


def _slots(finest: Bags, plans: Plans, secret: Secret) -> Slots:
    """The slots of the strata that are dealt, each as the first of its plans that holds has it."""
    found, groups = [_NO_SLOTS], 0
    waiting = np.ones(len(finest), dtype=np.bool_)
    for again, (spread, most) in enumerate(plans):
        waiting &= _roomy(finest, spread)
        if not waiting.any():
            break
        here = np.flatnonzero(waiting).astype(np.int32)
        planned = plans.planned(finest.among(waiting), most, _random(len(here), spread, again, secret))
        holds = plans.holding(planned)
        held = Slots(here[planned.strata[holds]], planned.values[holds], _from_0(planned.groups[holds]) + groups)
        groups = int(held.groups.max(initial=groups - 1)) + 1
        waiting[held.strata] = False
        found.append(held)
    return Slots(
        np.concatenate([each.strata for each in found]),
        np.concatenate([each.values for each in found]),
        np.concatenate([each.groups for each in found]),
    )


def _roomy(finest: Bags, spread: int) -> NDArray[np.bool_]:
    """Which bags may make two groups of so many values, or more, with no value twice in a group."""
    roomy: NDArray[np.bool_] = np.maximum(finest.largest, 2) * spread <= finest.sizes
    return roomy


def _from_0(label: Labels) -> Labels:
    """The same groups numbered from 0 without gaps, in their order."""
    number: Labels = np.cumsum(np.bincount(label) > 0, dtype=np.int32) - 1
    return number[label]


def _dealt_by(requirement: Requirement) -> int | None:
    """The least number of values that groups are planned with; None where strata stay as they are."""
    # Groups are planned from values alone, and what guards these would have to be known too.
    deals = requirement.reads_sensitive and not requirement.reads_guards
    return least_spread(requirement) if deals else None


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
    spread = _dealt_by(requirement)
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
    plans = Plans.of(spread, witness, requirement)
    of_strata = (_chance(_dealings_of(whole, s, plans), frozenset(published[s].items())) for s in range(number))
    return prod(of_strata, start=Fraction(1))


def possible(strata: Labels, group: Labels, witness: Witness, requirement: Requirement) -> bool:
    """Whether groups that lie in strata are as many, and as large, as `pick_up` may make them of each stratum.

    That is necessary, not sufficient, for `odds` to be positive, and it is asked of tables of any size.
    """
    least = _dealt_by(requirement)
    if least is None:
        return same_groups(strata, group)
    finest = witness.tally(strata, int(strata.max(initial=-1)) + 1)[-1]
    sizes = np.bincount(group)
    above = np.zeros(len(sizes), dtype=np.int32)
    above[group] = strata
    above, sizes = above[sizes > 0], sizes[sizes > 0]
    number, smallest = np.bincount(above, minlength=len(finest)), finest.sizes.copy()
    np.minimum.at(smallest, above, sizes)
    fits = np.zeros(len(finest), dtype=np.bool_)
    waiting, undealt = np.ones((2, len(finest)), dtype=np.bool_)
    plans = Plans.of(least, witness, requirement)
    for spread, most in plans:
        waiting &= _roomy(finest, spread)
        if not waiting.any():
            break
        planned, settles = plans.tried(finest.among(waiting), spread, most)
        here = np.flatnonzero(waiting)
        fits[here] |= (planned == number[here]) & (planned > 0) & (smallest[here] >= spread)
        waiting[here[settles]] = False
        undealt[here[settles]] = False
    return bool((fits | undealt & (number == 1)).all())


def dealings(
    strata: Labels, witness: Witness, requirement: Requirement
) -> Iterator[tuple[tuple[Rows, ...], Fraction]]:
    """Every way `pick_up` may partition the rows, and how likely it is; for small tables."""
    spread = _dealt_by(requirement)
    number = int(strata.max(initial=-1)) + 1
    strata_rows = [tuple(np.flatnonzero(strata == s).tolist()) for s in range(number)]
    if spread is None:
        yield tuple(strata_rows), Fraction(1)
        return
    whole, codes = witness.tally(strata, number)[-1], witness.values(strata)
    plans = Plans.of(spread, witness, requirement)
    dealt = (_partitions(_dealings_of(whole, s, plans), strata_rows[s], codes) for s in range(number))
    for parts in product(*(list(each.items()) for each in dealt)):
        groups = chain.from_iterable(sorted(partition) for partition, _ in parts)
        yield tuple(groups), prod((chance for _, chance in parts), start=Fraction(1))


def _partitions(ways: Chances, rows: Rows, codes: Labels) -> dict[frozenset[Rows], Fraction]:
    """Every partition of the rows of a stratum that one of its dealings leads to, and how likely it is."""
    buckets = {int(value): tuple(r for r in rows if codes[r] == value) for value in np.unique(codes[list(rows)])}
    return {
        partition: _chance(ways, dealing)
        for dealing in ways
        for partition in _filled(sorted(chain.from_iterable([bag] * times for bag, times in dealing)), buckets)
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


def _chance(ways: Chances, wanted: Dealing) -> Fraction:
    """How likely certain groups are, which have the bags of the wanted dealing."""
    return ways.get(wanted, Fraction(0)) * _filling(wanted)


def _filling(dealing: Dealing) -> Fraction:
    """How likely certain rows fill groups of these bags, when rows of a value are drawn for its places at random."""
    rows: Counter[int] = Counter()
    for bag, groups in dealing:
        for value, count in bag:
            rows[value] += groups * count
    alike = prod(factorial(n) * prod(factorial(c) for _, c in bag) ** n for bag, n in dealing)
    return Fraction(alike, prod(factorial(n) for n in rows.values()))


def _dealings_of(whole: Bags, stratum: int, plans: Plans) -> Chances:
    """What a stratum is dealt into, and how likely: the first plan that holds, or else the stratum itself."""
    one = whole.among(np.arange(len(whole)) == stratum)
    chances: dict[Dealing, Fraction] = {}
    left = Fraction(1)
    for spread, most in plans:
        if not left or not _roomy(one, spread).all():
            break
        placings, found = _placed(one, spread, most, plans)
        for dealing, times in found.items():
            chances[dealing] = chances.get(dealing, Fraction(0)) + left * Fraction(times, placings)
        left *= 1 - Fraction(found.total(), placings)
    if left:
        chances[frozenset({(_bag(whole, stratum), 1)})] = left
    return chances


def _placed(one: Bags, spread: int, most: int, plans: Plans) -> tuple[int, Counter[Dealing]]:
    """In how many ways the left-overs of a stratum are placed, all as likely, and how many give what holds."""
    choices = _choices(one, spread, most, plans)
    placings = prod(choices)
    if placings > _PLACINGS:
        raise refuse("pick-up", "can place left-overs in too many ways to go through", "Take a smaller table")
    random = np.zeros((placings, spread), dtype=np.uint64)
    random[:, : len(choices)] = np.array([*product(*map(range, choices))], dtype=np.uint64).reshape(placings, -1)
    several = Bags(
        one.view,
        one.whole,
        np.arange(placings + 1) * len(one.values),
        np.tile(one.values, placings),
        np.tile(one.counts, placings),
    )
    planned = plans.planned(several, most, random)
    held = _bags_of_slots(planned, plans.holding(planned)).values()
    bags = (Counter(tuple(sorted(Counter(values).items())) for values in groups.values()) for groups in held)
    return placings, Counter(frozenset(each.items()) for each in bags)


def _bags_of_slots(planned: Slots, holds: NDArray[np.bool_]) -> dict[int, dict[int, list[int]]]:
    """The values of each group of each stratum that is dealt."""
    found: dict[int, dict[int, list[int]]] = {}
    for stratum, group, value in zip(
        planned.strata[holds].tolist(), planned.groups[holds].tolist(), planned.values[holds].tolist(), strict=True
    ):
        found.setdefault(stratum, {}).setdefault(group, []).append(value)
    return found


def _choices(one: Bags, spread: int, most: int, plans: Plans) -> list[int]:
    """Among how many groups each left-over of a bag chooses; it does not depend on what others chose."""
    planned = plans.planned(one, most, np.zeros((1, spread), dtype=np.uint64))
    number = int(planned.groups.max(initial=-1)) + 1
    if not number or planned.groups.min() < 0:
        return []
    left_over = range(number * spread, len(planned.groups))
    return [number - int((planned.values[:place] == planned.values[place]).sum()) for place in left_over]


def _bag(bags: Bags, group: int) -> Bag:
    here = slice(bags.starts[group], bags.starts[group + 1])
    return tuple(zip(bags.values[here].tolist(), bags.counts[here].tolist(), strict=True))


def _random(strata: int, spread: int, again: int, secret: Secret) -> NDArray[np.uint64]:
    """A line of numbers for the left-overs of each stratum, drawn anew each time it is planned again."""
    stream = secret.stream("left-overs" + " again" * again, 8 * spread * strata)
    return np.frombuffer(stream, dtype=np.uint64).reshape(strata, spread)
