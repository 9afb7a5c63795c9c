"""In how many of the tables that agree with published groups do all groups of an earlier function hold?

Claim. `counted` gives, exactly, how many ways there are to give the rows of a `Part` its published bags (`total`), in
how many of them every tested set of rows holds (`kept`), and for each row and value in how many of those the row has
the value (`at`). It gives nothing where that takes more than `MOST` steps, which depends on the part alone.

Why it holds. Rows of one atom (in the same group of every function) are alike, so only how often each value occurs
in an atom counts; a way to fill an atom of n rows stands for n! / (x1! x2! ...) orders. Atoms are filled one after
the other; what is still to be handed out, and what was handed out to tested sets that are not yet complete, is all
that the rest depends on. Where every tested set is one atom and one bag is handed out (each function refines the
next), values with equally many rows left are alike too, because a `RatioDiversity` does not tell values apart: so few
states are left that groups of many rare values are as easy as groups of few frequent ones. Where the requirement only
caps how often a value may occur in so many rows, and there are fewer atoms than values, values are handed out one
after the other instead, and what is left of the caps and of the rows of each atom is the state.

Cost. One step a state and way to fill the next atom. Atoms of bounded size in a group of n rows with m values: at
most n^m states; linear in the number of groups.

Source. Zhang, Wang, Jajodia, Brodsky 2008, sections 2 and 3, where the tables are listed: n! of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, pairwise
from math import comb, factorial, prod
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from openveil.core.bags import Bags

MOST = 60_000
# Groups of more atoms are never counted; `rare.py` bounds them.
MOST_ATOMS = 200
# Drawing from classes of values takes about so many times as long as any other step.
_A_DRAW = 8
# Numbers of orders of so many rows are short; those of more take as many times as long.
_SHORT = 256
# Values with equally many rows are drawn from together, unless they may give so many rows each.
_MOST_ALIKE = 200
# Above so many atoms, what is left of their caps is no smaller a state than what is left of the values.
_FEW_ATOMS = 4

Counts = tuple[int, ...]
# How many values have so many rows left, the most frequent first.
Left = tuple[tuple[int, int], ...]


class Asked(Protocol):
    """What is asked of the values of a set of rows, or of one person in a set of tables."""

    def permits(self, counts: Sequence[int]) -> bool:
        """Whether values may occur so often, be it in rows or in tables."""

    def enough(self, bags: Bags) -> NDArray[np.bool_]:
        """The same of many bags."""

    def most(self, rows: int) -> int | None:
        """How often a value may occur in so many rows, where that is all that is asked."""


@dataclass(frozen=True, slots=True)
class Part:
    """Rows that can be filled without regard to other rows.

    `atoms` are their numbers of rows, `home` the published group of each, `bags` how often each value occurs in each
    published group, `tested` the sets of atoms that must hold.
    """

    atoms: Counts
    home: Counts
    bags: tuple[Counts, ...]
    tested: tuple[Counts, ...]

    @property
    def total(self) -> int:
        """How many ways there are to hand out the bags."""
        return prod(map(orders, self.bags))

    @property
    def nested(self) -> bool:
        """Whether there is one published group, and every tested set is one atom of it."""
        return len(self.bags) == 1 and all(len(each) == 1 for each in self.tested)

    @property
    def even(self) -> bool:
        """Whether all rows are alike: there is one published group, cut into tested sets of equal size."""
        return self.nested and len(set(self.atoms)) == 1 and len(self.tested) == len(self.atoms)


@dataclass(frozen=True, slots=True)
class Counted:
    """How many ways there are in all, how many are kept, and in how many a row of atom a has value v: `at[a][v]`."""

    total: int
    kept: int
    at: tuple[Counts, ...]


class TooManyError(Exception):
    """Counting takes more steps than are allowed."""


@dataclass(slots=True)
class Steps:
    """How many steps are left, of one part or of several."""

    left: int = MOST

    def take(self, number: int) -> None:
        """Take so many of them, or give up."""
        self.left -= number
        if self.left < 0:
            raise TooManyError


def orders(counts: Sequence[int]) -> int:
    """In how many orders a bag can be laid out."""
    return factorial(sum(counts)) // prod(map(factorial, counts))


def counted(part: Part, asked: Asked, of_all: Steps | None = None) -> Counted | None:
    """How often the tested sets all hold; None where it takes too many steps to tell, of these or of all parts."""
    if len(part.atoms) == len(part.bags):
        return _of_whole_groups(part, asked)
    if len(part.atoms) > MOST_ATOMS:
        return None
    steps = Steps()
    try:
        found = _way_to_count(part, asked, steps).counted()
        if of_all is not None:
            of_all.take(MOST - steps.left)
    except TooManyError:
        return None
    return found


def _of_whole_groups(part: Part, asked: Asked) -> Counted:
    """Each atom is a published group, so what it has is known."""
    bags = [[part.bags[part.home[a]] for a in each] for each in part.tested]
    holds = all(asked.permits(tuple(map(sum, zip(*each, strict=True)))) for each in bags)
    kept = part.total if holds else 0
    groups = [part.bags[home] for home in part.home]
    return Counted(part.total, kept, tuple(tuple(kept * count // sum(bag) for count in bag) for bag in groups))


def _way_to_count(part: Part, asked: Asked, steps: Steps) -> _Capped | _Nested | _Crossing:
    permits = cache(asked.permits)
    if not part.nested:
        return _Crossing(part, permits, steps)
    capped = asked.most(part.atoms[0]) is not None
    if capped and len(part.atoms) <= _FEW_ATOMS and len(part.atoms) < len(set(part.bags[0])):
        return _Capped(part, asked, steps)
    return _Nested(part, permits, steps)


def _weight(rows: int) -> int:
    """How many steps it is to work with numbers of so many rows."""
    return 1 + rows // _SHORT


def possible(bag: Sequence[int], size: int, asked: Asked) -> bool:
    """Whether some part of `size` rows of a bag holds: the one that mixes its values most does if any does."""
    return asked.permits(flattest(bag, size))


def may_fail(part: Part, asked: Asked) -> bool:
    """Whether in some table a tested atom of a nested part fails: the one that mixes its values least."""
    bag = sorted(part.bags[0], reverse=True)
    return any(not asked.permits(_steepest(bag, part.atoms[atom])) for (atom,) in part.tested)


def _steepest(bag: Sequence[int], size: int) -> Counts:
    """The part of `size` rows of a bag, most frequent values first, that takes them as they come."""
    ends = [*accumulate(bag, initial=0)]
    return tuple(max(min(size, end) - start, 0) for start, end in pairwise(ends))


def flattest(bag: Sequence[int], size: int) -> Counts:
    """The part of `size` rows of a bag in which values are as equally frequent as can be."""
    level, taken = 0, 0
    while taken < size:
        wide = sum(count > level for count in bag)
        if taken + wide > size:
            break
        level, taken = level + 1, taken + wide
    flat = [min(count, level) for count in bag]
    higher = (v for v, count in enumerate(bag) if count > level)
    for v in higher:
        if taken == size:
            break
        flat[v] += 1
        taken += 1
    return tuple(flat)


# Of each atom, how many rows are not filled yet, and how often one value may occur in it.
Room = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class _Capped:
    """Counts as `_Nested` does, value by value, where all that is asked is that no value occurs too often."""

    part: Part
    asked: Asked
    steps: Steps

    def counted(self) -> Counted:
        bag = self.part.bags[0]
        room = self._room
        known = {count: self._first(count, room) for count in sorted(set(bag))}
        kept = next(iter(known.values()))[0]
        return Counted(self.part.total, kept, tuple(tuple(known[c][1][a] for c in bag) for a in range(len(room))))

    @property
    def _room(self) -> Room:
        tested = {each[0] for each in self.part.tested}
        return tuple((n, (self.asked.most(n) or 0) if a in tested else n) for a, n in enumerate(self.part.atoms))

    def _first(self, count: int, room: Room) -> tuple[int, Counts]:
        """How many ways are kept, and in how many a row of each atom has a value of so many rows."""
        rest = sorted(self.part.bags[0], reverse=True)
        rest.remove(count)
        ways = self._rest(tuple(rest))
        kept, having = 0, [0] * len(room)
        for given in self._spread(count, room):
            number = _choices(given, room) * ways(_after(given, room), 0)
            kept += number
            having = [known + number * rows for known, rows in zip(having, given, strict=True)]
        return kept, tuple(total // size for total, size in zip(having, self.part.atoms, strict=True))

    def _rest(self, counts: Counts) -> Callable[[Room, int], int]:
        @cache
        def ways(room: Room, place: int) -> int:
            if place == len(counts):
                return 1
            spread = self._spread(counts[place], room)
            return sum(_choices(given, room) * ways(_after(given, room), place + 1) for given in spread)

        return ways

    def _spread(self, count: int, room: Room) -> Iterator[Counts]:
        """Every way to spread so many rows of one value over the atoms."""
        for given in rows_of(tuple(min(each) for each in room), count):
            self.steps.take(_weight(count))
            yield given


def _choices(given: Counts, room: Room) -> int:
    return prod(comb(left, rows) for rows, (left, _) in zip(given, room, strict=True))


def _after(given: Counts, room: Room) -> Room:
    """What is left of the room; atoms with equal room are alike."""
    return tuple(sorted((left - rows, cap) for rows, (left, cap) in zip(given, room, strict=True)))


@dataclass(frozen=True)
class _Nested:
    """Counts where one bag is handed out to atoms, each of which is tested by itself or not at all."""

    part: Part
    permits: Callable[[Counts], bool]
    steps: Steps

    def counted(self) -> Counted:
        bag, atoms = self.part.bags[0], self.part.atoms
        tested = {each[0] for each in self.part.tested}
        kinds = [(size, a in tested) for a, size in enumerate(atoms)]
        known = {kind: self._first(kind, kinds) for kind in sorted(set(kinds))}
        kept = next(iter(known.values()))[0]
        at = tuple(tuple(known[kind][1].get(count, 0) for count in bag) for kind in kinds)
        return Counted(self.part.total, kept, at)

    def _first(self, kind: tuple[int, bool], kinds: list[tuple[int, bool]]) -> tuple[int, dict[int, int]]:
        """How many ways are kept, and in how many a row of an atom of this kind has a value of so many rows."""
        rest = sorted(kinds)
        rest.remove(kind)
        ways = self._rest(tuple(rest))
        whole = _left(self.part.bags[0])
        kept, having = 0, Counter[int]()
        for drawn in self._drawn(whole, *kind):
            number = drawn.ways * ways(drawn.left, 0)
            kept += number
            for (count, _), rows in zip(whole, drawn.rows, strict=True):
                having[count] += number * rows
        values = dict(whole)
        return kept, {count: total // (kind[0] * values[count]) for count, total in having.items()}

    def _rest(self, kinds: tuple[tuple[int, bool], ...]) -> Callable[[Left, int], int]:
        @cache
        def ways(left: Left, place: int) -> int:
            if place == len(kinds):
                return 1
            return sum(each.ways * ways(each.left, place + 1) for each in self._drawn(left, *kinds[place]))

        return ways

    def _drawn(self, left: Left, size: int, tested: bool) -> Iterator[_Drawn]:  # noqa: FBT001
        for drawn in _draws(left, size, self.steps):
            self.steps.take(_A_DRAW * _weight(size))
            if not tested or self.permits(drawn.row):
                yield drawn


@dataclass(frozen=True, slots=True)
class _Drawn:
    """One way to fill an atom: the counts in it, what is left, how many rows each class of values gave."""

    row: Counts
    left: Left
    rows: Counts
    ways: int


def _left(bag: Sequence[int]) -> Left:
    return tuple(sorted(Counter(count for count in bag if count).items(), reverse=True))


def _draws(left: Left, size: int, steps: Steps) -> Iterator[_Drawn]:
    """Every way to draw `size` rows, values with equally many rows being alike."""
    for chosen in _chosen(left, size, sum(count * values for count, values in left), steps):
        row = tuple(sorted((c for given in chosen for c, values in given for _ in range(values)), reverse=True))
        ways = factorial(size) // prod(map(factorial, row))
        remains: Counter[int] = Counter()
        for (count, values), given in zip(left, chosen, strict=True):
            idle = values
            for copies, number in given:
                ways *= comb(idle, number)
                idle -= number
                remains[count - copies] += number
            remains[count] += idle
        after = tuple(sorted(((c, n) for c, n in remains.items() if c and n), reverse=True))
        rows = tuple(sum(copies * number for copies, number in given) for given in chosen)
        yield _Drawn(row, after, rows, ways)


Given = tuple[tuple[int, int], ...]


def _chosen(left: Left, size: int, there: int, steps: Steps) -> Iterator[tuple[Given, ...]]:
    """For each class, how many of its values give how many rows; together `size` of the rows that are there."""
    if not left:
        yield ()
        return
    (count, values), rest = left[0], left[1:]
    later = there - count * values
    for given, rows in _given(min(count, size), values, size - later, size, steps):
        for others in _chosen(rest, size - rows, later, steps):
            yield (given, *others)


def _given(copies: int, values: int, least: int, most: int, steps: Steps) -> Iterator[tuple[Given, int]]:
    """How many of so many values give `copies` rows each, how many one less, and so on; and their rows."""
    steps.take(1)
    if copies == 0:
        yield (), 0
        return
    if values == 1:
        for each in range(max(least, 0), min(copies, most) + 1):
            yield (((each, 1),) if each else ()), each
        return
    if copies > _MOST_ALIKE:
        raise TooManyError
    for number in range(max(least - (copies - 1) * values, 0), min(values, most // copies) + 1):
        taken = number * copies
        for given, rows in _given(copies - 1, values - number, least - taken, most - taken, steps):
            yield (((copies, number), *given) if number else given), rows + taken


State = tuple[tuple[Counts, ...], tuple[Counts, ...]]


@dataclass(frozen=True)
class _Crossing:
    """Counts in general: several bags are handed out, and tested sets may reach across them."""

    part: Part
    permits: Callable[[Counts], bool]
    steps: Steps

    def counted(self) -> Counted:
        order = sorted(range(len(self.part.atoms)), key=lambda a: (self.part.home[a], self._sets_of(a)))
        ahead = [{self._start: 1}]
        moves: list[list[tuple[State, State, Counts, int]]] = []
        for place, atom in enumerate(order):
            moves.append([*self._moves(ahead[-1], order, place, atom)])
            after: dict[State, int] = {}
            for before, state, _, ways in moves[-1]:
                after[state] = after.get(state, 0) + ahead[-1][before] * ways
            ahead.append(after)
        return self._gathered(order, ahead, moves)

    @property
    def _start(self) -> State:
        values = len(self.part.bags[0])
        return self.part.bags, tuple((0,) * values for _ in self.part.tested)

    def _gathered(
        self, order: list[int], ahead: list[dict[State, int]], moves: list[list[tuple[State, State, Counts, int]]]
    ) -> Counted:
        """Back from the end: in how many kept ways each value is given to a row of each atom."""
        behind = dict.fromkeys(ahead[-1], 1)
        at: dict[int, list[int]] = {}
        for place in reversed(range(len(order))):
            atom, before = order[place], Counter[State]()
            having = [0] * len(self.part.bags[0])
            for state, after, row, ways in moves[place]:
                before[state] += ways * behind.get(after, 0)
                number = ahead[place][state] * ways * behind.get(after, 0)
                for v, rows in enumerate(row):
                    having[v] += number * rows
            at[atom] = [total // self.part.atoms[atom] for total in having]
            behind = dict(before)
        kept = sum(ahead[-1].values())
        return Counted(self.part.total, kept, tuple(tuple(at[a]) for a in range(len(order))))

    def _moves(
        self, states: dict[State, int], order: list[int], place: int, atom: int
    ) -> Iterator[tuple[State, State, Counts, int]]:
        size, home, sets = self.part.atoms[atom], self.part.home[atom], self._sets_of(atom)
        full = [s for s in sets if not any(a in self.part.tested[s] for a in order[place + 1 :])]
        for state in states:
            for row in rows_of(state[0][home], size):
                self.steps.take(1)
                bags = _put(state[0], home, tuple(map(int.__sub__, state[0][home], row)))
                open_sets = state[1]
                for s in sets:
                    open_sets = _put(open_sets, s, tuple(map(int.__add__, open_sets[s], row)))
                if all(self.permits(tuple(sorted(open_sets[s], reverse=True))) for s in full):
                    for s in full:
                        open_sets = _put(open_sets, s, ())
                    yield state, (bags, open_sets), row, orders(row)

    def _sets_of(self, atom: int) -> Counts:
        return tuple(s for s, atoms in enumerate(self.part.tested) if atom in atoms)


def _put(several: tuple[Counts, ...], place: int, one: Counts) -> tuple[Counts, ...]:
    return (*several[:place], one, *several[place + 1 :])


def rows_of(bag: Counts, size: int) -> Iterator[Counts]:
    """Every way to take `size` rows of a bag."""
    if not bag:
        if size == 0:
            yield ()
        return
    later = sum(bag[1:])
    for number in range(max(0, size - later), min(bag[0], size) + 1):
        for others in rows_of(bag[1:], size - number):
            yield (number, *others)
