"""MASK, MASK+ and MASK++ by the definitions (SPEC A8, A9): what they publish, as exact distributions.

Slow and exact. What is published is a set of groups, each the tuple of its rows and the sorted tuple of the values
that are shown. `domain` lists the values in the order of their labels. `index` says how MASK+ reads frequencies:
`printed` as Algorithm 3 has it, `prose` as section 6.3 tells it, `fixed` with the test at every place. `ties` are
broken by `label` or at `random`; unread values are raised (`fill`) in order of `frequency`, by `label`, or are shown
as one set (`merged`).
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, combinations, groupby, pairwise, permutations, product

from oracles import asap

Partition = Sequence[Sequence[int]]
Bag = tuple[str, ...]


# MASK (A8).


def mask(groups: Partition, values: asap.Values, domain: Sequence[str], listed: set[str], m: int) -> asap.Chances:
    """How likely every table is that MASK may show of these groups."""
    exposed = [sum(values[row] in listed for row in rows) for rows in groups]
    fine = [Fraction(some, len(rows)) for some, rows in zip(exposed, groups, strict=True) if some * m <= len(rows)]
    ways = [
        _shown_by_mask(rows, values, [v for v in domain if v not in listed], listed, fine or [Fraction(1, m)])
        if some * m > len(rows)
        else {asap.bag(rows, values): Fraction(1)}
        for some, rows in zip(exposed, groups, strict=True)
    ]
    return combined(groups, ways)


def _shown_by_mask(
    rows: Sequence[int], values: asap.Values, others: list[str], listed: set[str], shares: list[Fraction]
) -> dict[Bag, Fraction]:
    """How likely each bag is in which a group that violates is shown."""
    sensitive = [row for row in rows if values[row] in listed]
    chances: dict[Bag, Fraction] = defaultdict(Fraction)
    for share in shares:
        changed = len(sensitive) - int(share * len(rows))
        ways = list(product(combinations(sensitive, changed), product(others, repeat=changed)))
        for victims, drawn in ways:
            shown = dict(zip(victims, drawn, strict=True))
            bag = tuple(sorted(shown.get(row, values[row]) for row in rows))
            chances[bag] += Fraction(1, len(shares) * len(ways))
    return dict(chances)


def combined(groups: Partition, ways: Sequence[Mapping[Bag, Fraction]]) -> asap.Chances:
    """What is published of all groups, when each is shown as it is by chances of its own."""
    chances: asap.Chances = defaultdict(Fraction)
    for shown in product(*(way.items() for way in ways)):
        chance = Fraction(1)
        for _, part in shown:
            chance *= part
        pairs = zip(groups, (bag for bag, _ in shown), strict=True)
        chances[frozenset((tuple(sorted(rows)), bag) for rows, bag in pairs)] += chance
    return dict(chances)


# MASK+ (A9) on one group, given by how often each value occurs.

Frequencies = Mapping[str, int]


@dataclass(frozen=True)
class Masked:
    """What MASK+ makes of one group; rows for which there is no room are unplaced."""

    published: dict[str, int]
    read: list[str]
    unplaced: int
    perturbed: bool


def fits(ascending: Sequence[int], place: int, cap: int) -> bool:
    """Whether the worst case of the frequency at this place, which counts from 1, is allowed."""
    before = ascending[: place - 1]
    worst = sum(ascending) - sum(before) - (before[-1] if before else 0)
    return worst <= cap * (len(ascending) - place)


def last_read(ascending: Sequence[int], cap: int, index: str) -> int:
    """How many frequencies are read; one less than there are means all of them."""
    last = len(ascending) - 1
    if index == "printed":
        place = 2
        while place < last and fits(ascending, place, cap):
            place += 1
        return place - 1 if place < last else last
    first = 1 if index == "prose" else 0
    return next((place - 1 for place in range(first + 1, last + 1) if not fits(ascending, place, cap)), last)


def orders(frequencies: Frequencies, ties: str) -> Iterator[list[str]]:
    """The values by ascending frequency, in every way that ties can be broken."""
    ranked = sorted(frequencies, key=lambda value: (frequencies[value], value))
    if ties == "label":
        yield ranked
        return
    alike = [list(each) for _, each in groupby(ranked, key=frequencies.__getitem__)]
    for way in product(*(permutations(each) for each in alike)):
        yield list(chain.from_iterable(way))


def masked(frequencies: Frequencies, m: int, order: Sequence[str], *, index: str = "fixed", fill: str) -> Masked:
    """What MASK+ makes of a group, when its values stand in this ascending order."""
    size, last = sum(frequencies.values()), len(order) - 1
    cap = size // m
    number = last_read([frequencies[value] for value in order], cap, index)
    if number == last:
        return Masked(dict(frequencies), list(order), 0, perturbed=False)
    least = frequencies[order[number - 1]] if number else 0
    shown = {value: frequencies[value] if place < number else least for place, value in enumerate(order)}
    unread = list(order[number:])[::-1] if fill == "frequency" else sorted(order[number:])
    for value in unread:
        left = size - sum(shown.values())
        if left > 0:
            shown[value] = min(cap, left + least)
    return Masked(shown, list(order[:number]), size - sum(shown.values()), perturbed=True)


def bag_of(frequencies: Frequencies) -> Bag:
    """The same as a bag."""
    return tuple(chain.from_iterable([value] * frequencies[value] for value in sorted(frequencies)))


def mask_plus(
    frequencies: Frequencies, m: int, *, index: str = "fixed", ties: str = "label", fill: str = "frequency"
) -> dict[Bag, Fraction]:
    """How likely each bag is that MASK+ shows of a group; with `merged`, unread values are all written alike."""
    ways = list(orders(frequencies, ties))
    chances: dict[Bag, Fraction] = defaultdict(Fraction)
    for order in ways:
        result = masked(frequencies, m, order, index=index, fill=fill)
        shown = result.published
        if fill == "merged" and result.perturbed:
            whole = "|".join(sorted(set(order) - set(result.read)))
            shown = {value: frequencies[value] for value in result.read}
            shown[whole] = sum(frequencies.values()) - sum(shown.values())
        chances[bag_of(shown)] += Fraction(1, len(ways))
    return dict(chances)


def counted(values: Sequence[str], domain: Sequence[str]) -> dict[str, int]:
    """How often each value of the domain occurs."""
    found = Counter(values)
    return {value: found[value] for value in domain}


def smart_group(
    shown: object, chances_of: Callable[[asap.Values], Mapping[object, Fraction]], domain: Sequence[str], size: int
) -> dict[asap.Values, Fraction]:
    """How likely each original of one group is to be shown in just this way; 0 is left out."""
    weights = {world: chances_of(world).get(shown, Fraction(0)) for world in product(domain, repeat=size)}
    return {world: weight for world, weight in weights.items() if weight}


# MASK++: what MASK+ shows of a group, dealt by Anatomy (SPEC A7). Rows keep their own value where they can.


def mask_plus_plus(
    values: asap.Values, domain: Sequence[str], m: int, *, ties: str = "label", fill: str = "frequency"
) -> asap.Chances:
    """How likely each partition of one group, with the bags that are shown, is to be published."""
    rows, frequencies = tuple(range(len(values))), counted(values, domain)
    ways = list(orders(frequencies, ties))
    chances: asap.Chances = defaultdict(Fraction)
    for order in ways:
        shown = list(asap.arrangements(bag_of(masked(frequencies, m, order, fill=fill).published)))
        kept = [sum(map(str.__eq__, each, values)) for each in shown]
        nearest = [each for each, number in zip(shown, kept, strict=True) if number == max(kept)]
        for each in nearest:
            for seen, chance in asap.picked_up((rows,), each, m).items():
                chances[seen] += chance / (len(nearest) * len(ways))
    return dict(chances)


# Local look-ahead, repaired (docs/decisions/0011): the runs of a domain that one group may be shown as.

Run = tuple[str, ...]


def first_runs(domain: Sequence[str], listed: set[str], m: int) -> list[Run]:
    """What the values may be merged to before anything is read."""
    if not listed:
        number = len(domain) // m
        ends = [each * len(domain) // number for each in range(number + 1)]
        return [tuple(domain[low:high]) for low, high in pairwise(ends)]
    others = iter([value for value in domain if value not in listed])
    company = [(value, *(next(others) for _ in range(m - 1))) for value in domain if value in listed]
    return [*company, *((value,) for value in others)]


def runs(values: Sequence[str], domain: Sequence[str], listed: set[str], m: int) -> list[Run]:
    """The runs that a group with these values is shown as."""
    found = first_runs(domain, listed, m)
    return (
        _opened(found, values, listed, m) if listed else [part for run in found for part in _halved(run, values, m)]
    )


def _halved(run: Run, values: Sequence[str], m: int) -> list[Run]:
    half = len(run) // 2
    rows = sum(value in run for value in values)
    if not half or Fraction(rows, half) > Fraction(len(values), m):
        return [run]
    return [part for side in (run[:half], run[half:]) for part in _halved(side, values, m)]


def _opened(found: list[Run], values: Sequence[str], listed: set[str], m: int) -> list[Run]:
    """Open closed runs in their order, as long as listed values can at worst have one m-th of the rows."""
    closed = [run for run in found if len(run) > 1]
    alone = {run[0] for run in found if len(run) == 1}
    exposed = Fraction(sum(value in listed and value in alone for value in values))
    exposed += sum(Fraction(_rows(run, values), m) for run in closed)
    opening = []
    for run in closed:
        worst = exposed - Fraction(_rows(run, values), m) + _rows(run, values)
        if worst <= Fraction(len(values), m):
            exposed = worst
            opening.append(run)
    if not opening:
        return found
    finer = [part for run in found for part in ([(value,) for value in run] if run in opening else [run])]
    return _opened(finer, values, listed, m)


def _rows(run: Run, values: Sequence[str]) -> int:
    return sum(value in run for value in values)


def cells(values: Sequence[str], found: Sequence[Run]) -> list[Run]:
    """What each row shows."""
    return [next(run for run in found if value in run) for value in values]
