"""Personalised privacy from the definitions: reconstructions, breach, SA-generalisation and the greedy publisher.

Everything is exact and slow. A taxonomy is a mapping of parents to lists of children, with its root; nodes are names.
A tuple of a group is (own value, guarding node or None, owner).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import permutations, product
from typing import Any

Row = tuple[str, str | None, Any]


@dataclass(frozen=True)
class Tree:
    """A taxonomy."""

    root: str
    children: Mapping[str, Sequence[str]]

    @staticmethod
    def of(written: Mapping[str, Any]) -> Tree:
        return Tree(written["root"], written["children"])

    @cached_property
    def parent(self) -> dict[str, str]:
        return {child: node for node, children in self.children.items() for child in children}

    def leaves(self, node: str) -> tuple[str, ...]:
        below = self.children.get(node)
        return (node,) if not below else tuple(leaf for child in below for leaf in self.leaves(child))

    def way(self, node: str) -> list[str]:
        """The node, its parent, and so on up to the root."""
        return [node, *self.way(self.parent[node])] if node in self.parent else [node]

    def below(self, node: str, top: str) -> bool:
        """Whether `node` lies in the subtree of `top`."""
        return top in self.way(node)


def percent(tree: Tree, star: str, guard: str) -> Fraction:
    """The share of the leaves under what is shown that lie under the guarding node."""
    shown = tree.leaves(star)
    return Fraction(len(set(shown) & set(tree.leaves(guard))), len(shown))


def reconstructions(tree: Tree, stars: Sequence[str], guard: str, people: int, *, primary: bool) -> tuple[int, int]:
    """How many possible reconstructions breach the guard of person 0, and how many there are."""
    owners = permutations(range(people), len(stars)) if primary else product(range(people), repeat=len(stars))
    values = list(product(*(tree.leaves(star) for star in stars)))
    guarded = set(tree.leaves(guard))
    breaching = total = 0
    for owner in owners:
        mine = [place for place, each in enumerate(owner) if each == 0]
        breaching += sum(any(value[place] in guarded for place in mine) for value in values)
        total += len(values)
    return breaching, total


def breach(tree: Tree, stars: Sequence[str], guard: str | None, people: int, *, primary: bool) -> Fraction:
    """P1 of the specification."""
    if guard is None:
        return Fraction(0)
    shares = [percent(tree, star, guard) for star in stars]
    if primary:
        return sum(shares, Fraction(0)) / people
    spared = Fraction(1)
    for share in shares:
        spared *= 1 - share / people
    return 1 - spared


def owners(rows: Sequence[Row]) -> int:
    return len({owner for _, _, owner in rows})


def probabilities(
    tree: Tree, rows: Sequence[Row], stars: Sequence[str], *, primary: bool, people: int | None = None
) -> list[Fraction]:
    """Of each row, with so many people who may own one: those who do, where nothing else is said."""
    people = people or (len(rows) if primary else owners(rows))
    return [breach(tree, stars, guard, people, primary=primary) for _, guard, _ in rows]


def is_safe(tree: Tree, rows: Sequence[Row], stars: Sequence[str], p: Fraction, *, primary: bool) -> bool:
    return all(each <= p for each in probabilities(tree, rows, stars, primary=primary))


def overlaps(tree: Tree, stars: Sequence[str]) -> bool:
    return any(one != other and tree.below(one, other) for one in stars for other in stars)


def safe_assignments(tree: Tree, rows: Sequence[Row], p: Fraction, *, primary: bool) -> list[tuple[str, ...]]:
    """Every SA-generalisation of a group whose values do not overlap and breach nobody."""
    ways = [tree.way(value) for value, _, _ in rows]
    return [
        stars
        for stars in product(*ways)
        if not overlaps(tree, stars)
        and all(star in tree.way(rows[i][0]) for i, star in enumerate(stars))
        and is_safe(tree, rows, stars, p, primary=primary)
    ]


def loss(tree: Tree, stars: Sequence[str]) -> Fraction:
    return sum((Fraction(len(tree.leaves(star)) - 1, len(tree.leaves(tree.root))) for star in stars), Fraction(0))


def optimum(tree: Tree, rows: Sequence[Row], p: Fraction, *, primary: bool) -> tuple[str, ...] | None:
    """The safe assignment of least loss, by trying all; None when there is none."""
    every = safe_assignments(tree, rows, p, primary=primary)
    return min(every, key=lambda stars: loss(tree, stars), default=None)


def sa_generalised(
    tree: Tree, rows: Sequence[Row], p: Fraction, order: Sequence[int], *, primary: bool, people: int | None = None
) -> tuple[str, ...] | None:
    """P2: Fig. 5 with its three repairs, tuples taken in this order."""
    stars = [value for value, _, _ in rows]

    def unsafe(place: int) -> bool:
        return probabilities(tree, rows, stars, primary=primary, people=people)[place] > p

    def absorb(top: str) -> None:
        stars[:] = [top if tree.below(star, top) else star for star in stars]

    problems = [place for place in order if rows[place][1] is not None and not _below_another(tree, rows, place)]
    for place in problems:
        guard = rows[place][1]
        if unsafe(place):
            if guard == tree.root:
                return None
            above = tree.parent[str(guard)]
            if tree.below(stars[place], above):
                stars[place] = above
                absorb(above)
    while bad := [place for place in problems if unsafe(place)]:
        if stars[bad[0]] == tree.root:
            return None
        stars[bad[0]] = tree.parent[stars[bad[0]]]
        absorb(stars[bad[0]])
    return tuple(stars)


def _below_another(tree: Tree, rows: Sequence[Row], place: int) -> bool:
    own = str(rows[place][1])
    others = (guard for _, guard, _ in rows)
    return any(guard is not None and guard != own and tree.below(own, guard) for guard in others)


def as_printed(
    tree: Tree, rows: Sequence[Row], p: Fraction, order: Sequence[int], *, primary: bool, prose: bool
) -> tuple[str, tuple[str, ...] | None]:
    """Fig. 5 as printed, or as the prose tells it: what it returns, and what is wrong with that."""
    stars = [value for value, _, _ in rows]
    guards = [guard for _, guard, _ in rows]

    def unsafe(place: int) -> bool:
        return probabilities(tree, rows, stars, primary=primary)[place] > p

    def raised(place: int, top: str) -> None:
        stars[place] = top
        for other, star in enumerate(stars):
            if other != place and tree.below(star, top):
                stars[other] = top

    problems = [
        place
        for place in order
        if guards[place] is not None
        and not any(
            guard is not None and tree.below(str(guards[place]), guard)
            for other, guard in enumerate(guards)
            if other != place
        )
    ]
    bad = [place for place in (problems if prose else order) if unsafe(place)]
    for place in bad:
        if guards[place] == tree.root:
            return "undefined", None
        raised(place, tree.parent[str(guards[place])])
    while left := [place for place in problems if unsafe(place)]:
        if stars[left[0]] == tree.root:
            return "NULL", None
        raised(left[0], tree.parent[stars[left[0]]])
    if overlaps(tree, stars):
        return "overlapping values", tuple(stars)
    return ("safe" if is_safe(tree, rows, stars, p, primary=primary) else "unsafe"), tuple(stars)


# The greedy publisher (P3). An attribute is a run of whole numbers, or a taxonomy of leaves in tree order.


@dataclass(frozen=True)
class Attribute:
    """A quasi-identifier: `positions` values in order, and its `nodes`, or None where any cut goes."""

    positions: int
    nodes: Tree | None = None

    def splits(self, part: tuple[int, int]) -> Iterator[tuple[tuple[int, int], ...]]:
        low, high = part
        if self.nodes is None:
            yield from (((low, cut), (cut + 1, high)) for cut in range(low, high))
        elif low < high:
            yield self._children(part)

    def _children(self, part: tuple[int, int]) -> tuple[tuple[int, int], ...]:
        assert self.nodes is not None
        leaves = self.nodes.leaves(self.nodes.root)
        wanted = leaves[part[0] : part[1] + 1]
        node = next(each for each in self.nodes.children if self.nodes.leaves(each) == wanted)
        while len(self.nodes.children[node]) == 1:
            node = self.nodes.children[node][0]
        runs, start = [], part[0]
        for child in self.nodes.children[node]:
            runs.append((start, start + len(self.nodes.leaves(child)) - 1))
            start = runs[-1][1] + 1
        return tuple(runs)


Function = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Greedy:
    """Fig. 4: the table, its taxonomy, p, and the weights; a weight of None forbids SA-generalisation.

    `population` are the points of the people who may be in the table, where they are known.
    """

    attributes: Sequence[Attribute]
    points: Sequence[Sequence[int]]
    rows: Sequence[Row]
    tree: Tree
    p: Fraction
    primary: bool
    weight: Fraction | None = Fraction(1)
    weights: Sequence[Fraction] = ()
    population: Sequence[Sequence[int]] = ()

    def published(self, functions: Sequence[Function]) -> tuple[Fraction, list[str]] | None:
        """The loss and what every row shows, or None where a group cannot be made safe."""
        groups: dict[tuple[Any, ...], list[int]] = {}
        for number, point in enumerate(self.points):
            cell = tuple(_part(function, at) for function, at in zip(functions, point, strict=True))
            groups.setdefault(cell, []).append(number)
        stars = [""] * len(self.rows)
        total = Fraction(0)
        for cell, members in groups.items():
            rows = [self.rows[number] for number in members]
            people = sum(_covers(cell, point) for point in self.population) or None
            shown = sa_generalised(self.tree, rows, self.p, range(len(rows)), primary=self.primary, people=people)
            if shown is None:
                return None
            lost = loss(self.tree, shown)
            if self.weight is None and lost:
                return None
            total += (self.weight or Fraction(0)) * lost + len(rows) * self._width(cell)
            for number, star in zip(members, shown, strict=True):
                stars[number] = star
        return total, stars

    def _width(self, cell: Sequence[tuple[int, int]]) -> Fraction:
        weights = self.weights or [Fraction(1)] * len(self.attributes)
        return sum(
            (
                weight * Fraction(high - low, attribute.positions)
                for weight, attribute, (low, high) in zip(weights, self.attributes, cell, strict=True)
            ),
            Fraction(0),
        )

    def refined(self, functions: Sequence[Function]) -> Iterator[list[Function]]:
        """Every single split, in the order that decides ties."""
        for number, function in enumerate(functions):
            for place, part in enumerate(function):
                for split in self.attributes[number].splits(part):
                    other = (*function[:place], *split, *function[place + 1 :])
                    yield [*functions[:number], other, *functions[number + 1 :]]

    def start(self) -> list[Function]:
        return [((0, attribute.positions - 1),) for attribute in self.attributes]

    def run(self) -> tuple[list[Function], Fraction, list[str], int] | None:
        """The functions, the loss, what rows show and the rounds; None when the start cannot be published."""
        functions = self.start()
        best = self.published(functions)
        if best is None:
            return None
        rounds = 0
        while True:
            found = None
            for other in self.refined(functions):
                tried = self.published(other)
                if tried is not None and tried[0] < best[0]:
                    best, found = tried, other
            if found is None:
                return functions, *best, rounds
            functions, rounds = found, rounds + 1

    def optimum(self) -> Fraction | None:
        """The least loss of any functions, by trying all."""
        seen, pending, least = set(), [tuple(self.start())], None
        while pending:
            functions = pending.pop()
            if functions in seen:
                continue
            seen.add(functions)
            tried = self.published(functions)
            if tried is not None and (least is None or tried[0] < least):
                least = tried[0]
            pending += [tuple(other) for other in self.refined(functions)]
        return least


def _covers(cell: Sequence[tuple[int, int]], point: Sequence[int]) -> bool:
    return all(low <= at <= high for (low, high), at in zip(cell, point, strict=True))


def _part(function: Function, at: int) -> tuple[int, int]:
    return next(part for part in function if part[0] <= at <= part[1])
