"""What a release tells a reader: groups with their bags of values, and who may be in which.

Claim. `worlds` gives every table that agrees with a release and with what else is known, each once: the naive world.
`Memberships` is for a reader who knows the group of everyone; `Covering` for one who sees labels and knows of each
person which labels cover it, so that any matching of people to published rows may be the true one. Rows that are not
published, or that show another value than their own, may have any value.

Why it holds. People are given values one after the other; a value is possible while some way to fill the places of
the groups is left. All such ways are carried along, so a table is found once however many explain it.

Cost. The number of tables, times the ways to explain each; beyond `most` tables, or a hundred steps for each, it is
refused.

Source. Jin, Zhang, Das 2011, Definition 3.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import factorial, prod

import numpy as np
from numpy.typing import NDArray

from openveil.core.errors import Problem, RequestError, refuse
from openveil.core.witness import Labels
from openveil.worlds.knowledge import Asked, Knowledge
from openveil.worlds.people import People, Persons, World

# The values that are left of each group; None is left of a place where every value is possible.
Left = tuple[frozenset[tuple[int | None, int]], ...]
DEEPEST = 400
# How many steps are taken at most for each table there may be.
_STEPS = 100


class Seen(ABC):
    """The groups of a release."""

    @abstractmethod
    def persons(self, people: People, groups: Sequence[int] | None) -> Persons:
        """Who is asked about when the question is about these groups, or about all."""

    @abstractmethod
    def places(self, people: People, who: Persons) -> tuple[Left, list[tuple[int, ...]]]:
        """The values of the groups that `who` share among them, and for each of `who` the groups it may be in."""

    def at_least(self, people: People, who: Persons) -> int:
        """A number of tables there surely are as far as the release goes; 1 where nothing is known."""
        return 1

    @abstractmethod
    def certain(self) -> Memberships | None:
        """The group of everyone, where the release tells it."""


@dataclass(frozen=True, eq=False)
class Memberships(Seen):
    """`group` is the published group of each person; negative for those whose value is not published."""

    group: Labels = field(repr=False)

    def certain(self) -> Memberships:
        """Just this."""
        return self

    def persons(self, people: People, groups: Sequence[int] | None) -> Persons:
        """The members of these groups, or everyone."""
        return people.everyone if groups is None else np.flatnonzero(np.isin(self.group, np.array([*groups])))

    def places(self, people: People, who: Persons) -> tuple[Left, list[tuple[int, ...]]]:
        """Each group has the values of its members."""
        numbers, of_each = np.unique(self.group[who], return_inverse=True)
        bags = [Counter[int | None]() for _ in numbers]
        for place, value in zip(of_each.tolist(), people.own[who].tolist(), strict=True):
            bags[place][value if numbers[place] >= 0 else None] += 1
        return tuple(frozenset(bag.items()) for bag in bags), [(place,) for place in of_each.tolist()]

    def at_least(self, people: People, who: Persons) -> int:
        """The product over the groups of the number of orders of their bags."""
        left, _ = self.places(people, who)
        return prod(_orders(dict(bag), people.values.height) for bag in left)


def _orders(bag: dict[int | None, int], values: int) -> int:
    if None in bag:
        return int(values ** bag[None])
    return factorial(sum(bag.values())) // prod(factorial(count) for count in bag.values())


@dataclass(frozen=True, eq=False)
class Covering(Seen):
    """`fits` says of each person and each published class whether its labels cover the person.

    `bags` are the values of each class, None for every row of it that may have any; `hidden` rows are not published.
    """

    fits: NDArray[np.bool_] = field(repr=False)
    bags: tuple[tuple[int | None, ...], ...] = field(repr=False)
    hidden: int = 0

    def certain(self) -> Memberships | None:
        """The class of everyone, where labels cover each person once and all values are people's own."""
        alone = (self.fits.sum(axis=1) == 1).all()
        if not alone or self.hidden or any(None in bag for bag in self.bags):
            return None
        return Memberships(self.fits.argmax(axis=1).astype(np.int32))

    def persons(self, people: People, groups: Sequence[int] | None) -> Persons:
        """Everyone, or those who fit some of these classes and no other."""
        if groups is None:
            return people.everyone
        inside = np.zeros(self.fits.shape[1], dtype=np.bool_)
        inside[list(groups)] = True
        fit = (self.fits & inside).any(axis=1)
        if self.hidden or (self.fits[fit] & ~inside).any():
            raise refuse(
                "groups",
                "share people with other groups, as labels go",
                "Ask about all groups whose labels cover the same people, or about everyone",
            )
        return np.flatnonzero(fit)

    def places(self, people: People, who: Persons) -> tuple[Left, list[tuple[int, ...]]]:
        """Each class has its published values; whoever is not published is in a class of its own."""
        asked = np.flatnonzero(self.fits[who].any(axis=0)) if len(who) < len(people) else range(len(self.bags))
        bags = [Counter(self.bags[number]) for number in asked]
        fits = self.fits[np.ix_(who, np.array([*asked], dtype=np.int64))]
        if self.hidden:
            bags.append(Counter({None: self.hidden}))
            fits = np.column_stack([fits, np.ones(len(who), dtype=np.bool_)])
        return tuple(frozenset(bag.items()) for bag in bags), [tuple(np.flatnonzero(row).tolist()) for row in fits]


def worlds(seen: Seen, people: People, knowledge: Knowledge, who: Persons, most: int) -> list[World]:
    """Every table that agrees with the release and the knowledge, as the values of `who`; refused beyond `most`."""
    if len(who) > DEEPEST or (not knowledge.facts and seen.at_least(people, who) > most):
        raise TooManyError(most)
    asked = Asked(knowledge, people, who)
    forbidden = asked.forbidden()
    if forbidden is None:
        forbidden = np.zeros((len(who), people.values.height), dtype=np.bool_)
    left, groups_of = seen.places(people, who)
    allowed = tuple(np.flatnonzero(~row).tolist() for row in forbidden)
    search = _Search(tuple(groups_of), allowed, most, _STEPS * most)
    found: list[World] = []
    for world in search.filled(frozenset([left]), 0):
        if asked.holds(np.array(world, dtype=np.int32)):
            found.append(world)
        if len(found) > most:
            raise TooManyError(most)
    return found


class TooManyError(RequestError):
    """More tables agree with a release than may be gone through."""

    def __init__(self, most: int, remedy: str = "Ask about fewer groups, allow more work, or sample") -> None:
        what = f"more than {most:,} tables agree with the release, too many to go through"
        super().__init__([Problem("worlds", what, remedy)])


@dataclass
class _Search:
    """Gives people values one after the other; `steps` ways to do so may still be looked at."""

    groups_of: tuple[tuple[int, ...], ...]
    allowed: tuple[list[int], ...]
    most: int
    steps: int

    def filled(self, ways: frozenset[Left], person: int) -> Iterator[World]:
        """The values of this person and the following ones, when the places are left in one of these ways."""
        if person == len(self.groups_of):
            yield ()
            return
        for value in self.allowed[person]:
            further = self._taken(ways, person, value)
            if further:
                yield from ((value, *rest) for rest in self.filled(further, person + 1))

    def _taken(self, ways: frozenset[Left], person: int, value: int) -> frozenset[Left]:
        """The ways that are left when this person has this value."""
        self.steps -= len(ways) * len(self.groups_of[person])
        if self.steps < 0:
            raise TooManyError(self.most)
        return frozenset(
            _without(left, group, taken)
            for left in ways
            for group in self.groups_of[person]
            for taken in (value, None)
            if any(each == taken for each, _ in left[group])
        )


def _without(left: Left, group: int, value: int | None) -> Left:
    """What is left when one of the values of a group is taken."""
    fewer = frozenset((each, count - (each == value)) for each, count in left[group] if each != value or count > 1)
    return (*left[:group], fewer, *left[group + 1 :])
