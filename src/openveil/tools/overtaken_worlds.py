"""Count the ways groups in a line can have their values when each row passed over has a value from before it.

Claim. `counted` is given groups in a line (`Link`), each with its rows and all ways it can have its values, and for
each group the rows of later groups it reaches past. Of all joint ways in which every such row has a value that one of
the group's rows before it has, it counts how many there are, and how many give each row each value; exactly, or not
at all where more than `steps` steps would be needed.

Why it holds. Groups are taken one after the other. What an earlier group means for later ones is, for each row it
reaches past, which values stand before that row; ways that agree in this are counted together. So a state is what all
earlier groups still mean, and counts go forward from state to state and back again. What a way of a group adds is the
product of both; the sum over all is the number of ways with that value in that row.

Cost. For each pair of a state and a class of ways of the next group one step, and one for each row the state speaks
of.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Way = tuple[int, ...]
Meaning = tuple[tuple[int, frozenset[int]], ...]
Counts = dict[Meaning, int]


@dataclass(frozen=True, slots=True)
class Link:
    """A group: its rows in the order of the line, all its ways to have values, and the rows it reaches past."""

    rows: tuple[int, ...]
    ways: Sequence[Way]
    passed: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Tally:
    """`used` steps; `ways` joint ways, and of them so many with each value in each row. None: not counted."""

    used: int
    ways: int | None
    rows: Mapping[int, Counter[int]]


@dataclass(frozen=True, slots=True)
class _Kind:
    """Ways of a group that are alike to all others: what they have in passed rows, and what they mean for later."""

    asked: Mapping[int, int]
    meaning: Meaning
    ways: int
    rows: Mapping[tuple[int, int], int]


@dataclass(frozen=True, slots=True)
class _Move:
    before: Meaning
    kind: _Kind
    after: Meaning


def counted(links: Sequence[Link], steps: int) -> Tally:
    """How many joint ways there are, and for each row how many of them give it each value."""
    passed = {row for link in links for row in link.passed}
    reached: list[Counts] = [{(): 1}]
    moves: list[list[_Move]] = []
    used = 0
    for link in links:
        kinds = _kinds(link, passed)
        used += len(link.ways) + sum((1 + len(state)) * len(kinds) for state in reached[-1])
        if used > steps:
            return Tally(used, None, {})
        moves.append([move for state in reached[-1] for kind in kinds if (move := _moved(state, kind))])
        forward: Counts = defaultdict(int)
        for move in moves[-1]:
            forward[move.after] += reached[-1][move.before] * move.kind.ways
        reached.append(forward)
    return Tally(used, sum(reached[-1].values()), _summed(reached, moves))


def _summed(reached: list[Counts], moves: list[list[_Move]]) -> dict[int, Counter[int]]:
    """Go back from the last group to the first, and add up what each kind of way adds."""
    rows: dict[int, Counter[int]] = defaultdict(Counter)
    backward: Counts = dict.fromkeys(reached[-1], 1)
    for before, made in zip(reversed(reached[:-1]), reversed(moves), strict=True):
        behind: Counts = defaultdict(int)
        of_kind: dict[int, int] = defaultdict(int)
        kinds = {id(move.kind): move.kind for move in made}
        for move in made:
            behind[move.before] += backward[move.after] * move.kind.ways
            of_kind[id(move.kind)] += before[move.before] * backward[move.after]
        for name, times in of_kind.items():
            for (row, value), number in kinds[name].rows.items():
                rows[row][value] += times * number
        backward = behind
    return rows


def _kinds(link: Link, passed: set[int]) -> list[_Kind]:
    """The ways of a group, those that are alike to all others together."""
    asked = [(place, row) for place, row in enumerate(link.rows) if row in passed]
    before = [(row, sum(own < row for own in link.rows)) for row in link.passed]
    ways: Counter[tuple[tuple[tuple[int, int], ...], Meaning]] = Counter()
    rows: dict[tuple[tuple[tuple[int, int], ...], Meaning], Counter[tuple[int, int]]] = defaultdict(Counter)
    for way in link.ways:
        kind = (
            tuple((row, way[place]) for place, row in asked),
            tuple((row, frozenset(way[:several])) for row, several in before),
        )
        ways[kind] += 1
        rows[kind].update(zip(link.rows, way, strict=True))
    return [_Kind(dict(asks), means, number, rows[asks, means]) for (asks, means), number in ways.items()]


def _moved(state: Meaning, kind: _Kind) -> _Move | None:
    """What is left to be asked when the group has been taken this way; None where it cannot be."""
    if any(kind.asked[row] not in values for row, values in state if row in kind.asked):
        return None
    left = {row: values for row, values in state if row not in kind.asked}
    for row, values in kind.meaning:
        left[row] = left[row] & values if row in left else values
    return _Move(state, kind, tuple(sorted(left.items())))
