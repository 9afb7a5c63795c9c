"""The rows of a release, in parts that can be filled without regard to each other.

Claim. `parts_of` splits the published groups into the fewest parts such that no group of a tested function reaches
across two of them: a table agrees with the published groups, and all groups of the tested functions hold, if and
only if that is so in every part. So numbers of tables are products over parts. `alike` folds parts of equal numbers.

Where each function refines the next, a part is a single published group.

Cost. One pass over the atoms.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from openveil.disclosure.counting import Part
from openveil.disclosure.functions import Functions, Group, Image


@dataclass(frozen=True)
class Placed:
    """A part, and where it is: the first row of each of its atoms, its published groups, and its values."""

    part: Part
    rows: tuple[int, ...]
    groups: tuple[int, ...]
    values: tuple[int, ...]

    @cached_property
    def folded(self) -> Part:
        """A part that has the same numbers, up to the order of atoms and of values."""
        return self.ordered[0]

    @cached_property
    def ordered(self) -> tuple[Part, tuple[int, ...], tuple[int, ...]]:
        """The part with groups, atoms and values in an order that hardly depends on what it was; and which are which.

        Parts that are alike come out the same where that is easily said: always where one group is cut.
        """
        part = self.part
        sets = _sets_of(part)
        inside: list[list[tuple[int, list[tuple[int, int]]]]] = [[] for _ in part.bags]
        for size, home, each in zip(part.atoms, part.home, sets, strict=True):
            inside[home].append((size, each))
        homes = sorted(range(len(part.bags)), key=lambda home: (sorted(inside[home]), sorted(part.bags[home])))
        some = [v for v in range(len(self.values)) if any(bag[v] for bag in part.bags)]
        values = sorted(some, key=lambda v: tuple(-part.bags[home][v] for home in homes))
        place = {home: number for number, home in enumerate(homes)}
        atoms = sorted(range(len(part.atoms)), key=lambda a: (place[part.home[a]], part.atoms[a], sets[a]))
        number = {atom: n for n, atom in enumerate(atoms)}
        again = Part(
            tuple(part.atoms[a] for a in atoms),
            tuple(place[part.home[a]] for a in atoms),
            tuple(tuple(part.bags[home][v] for v in values) for home in homes),
            tuple(sorted(tuple(sorted(number[a] for a in each)) for each in part.tested)),
        )
        return again, tuple(atoms), tuple(values)


def _sets_of(part: Part) -> list[list[tuple[int, int]]]:
    """For each atom, of how many atoms and rows the tested sets are that it is in."""
    sets: list[list[tuple[int, int]]] = [[] for _ in part.atoms]
    for each in part.tested:
        size = len(each), sum(part.atoms[a] for a in each)
        for atom in each:
            sets[atom].append(size)
    return [sorted(each) for each in sets]


def parts_of(functions: Functions, i: int, image: Image, tested: Sequence[int]) -> list[Placed]:
    """The parts of the published groups of function i, when these functions, and no others, are tested."""
    functions = functions.among((*tested, i))
    i, tested = len(tested), range(len(tested))
    component = _components(functions, i, tested)
    atoms: defaultdict[int, list[int]] = defaultdict(list)
    for atom, group in enumerate(functions.homes[i].tolist()):
        atoms[component[group]].append(atom)
    sets = [functions.homes[j].tolist() for j in tested]
    home, sizes, first = functions.homes[i].tolist(), functions.sizes.tolist(), functions.firsts.tolist()
    return [_placed(each, home, sizes, first, sets, image) for each in atoms.values()]


def whole_of(functions: Functions, i: int, image: Image) -> Placed:
    """All published groups of function i as one part, in which every other function is tested."""
    sets = [homes.tolist() for j, homes in enumerate(functions.homes) if j != i]
    home, sizes, first = functions.homes[i].tolist(), functions.sizes.tolist(), functions.firsts.tolist()
    return _placed([*range(len(sizes))], home, sizes, first, sets, image)


def alike(placed: Iterable[Placed]) -> Mapping[Part, int]:
    """How many parts have the numbers of each of these."""
    return Counter(each.folded for each in placed)


def _components(functions: Functions, i: int, tested: Sequence[int]) -> list[int]:
    """For each published group, the first of those that tested groups tie it to."""
    root = list(range(functions.groups(i)))

    def found(group: int) -> int:
        while root[group] != group:
            root[group] = root[root[group]]
            group = root[group]
        return group

    for j in tested:
        if functions.refines(j, i):
            continue
        first: dict[int, int] = {}
        for of_tested, group in zip(functions.homes[j].tolist(), functions.homes[i].tolist(), strict=True):
            one, other = found(first.setdefault(of_tested, group)), found(group)
            root[max(one, other)] = min(one, other)
    return [found(group) for group in range(len(root))]


def _placed(
    atoms: list[int], home: list[int], sizes: list[int], first: list[int], sets: list[list[int]], image: Image
) -> Placed:
    groups = sorted({home[atom] for atom in atoms})
    values = sorted({value for group in groups for value, _ in image[group]})
    place = {group: number for number, group in enumerate(groups)}
    tested: list[tuple[int, ...]] = []
    for label in sets:
        members: defaultdict[int, list[int]] = defaultdict(list)
        for number, atom in enumerate(atoms):
            members[label[atom]].append(number)
        tested += [tuple(each) for each in members.values()]
    part = Part(
        tuple(sizes[atom] for atom in atoms),
        tuple(place[home[atom]] for atom in atoms),
        tuple(dense(image[group], values) for group in groups),
        tuple(dict.fromkeys(tested)),
    )
    return Placed(part, tuple(first[atom] for atom in atoms), tuple(groups), tuple(values))


def dense(group: Group, values: Sequence[int]) -> tuple[int, ...]:
    """How often each of these values occurs in a group."""
    counts = dict(group)
    return tuple(counts.get(value, 0) for value in values)
