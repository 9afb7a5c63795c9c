"""Disclosure functions of finite settings: what is disclosed of each state, and what that tells.

Claim. A `Setting` has states, a sequence of schemas (partitions of the states, the last of which is one block:
nothing is disclosed) and a safety predicate on sets of states. A disclosure function says in which schema each state
is shown. It is safe when the predicate holds of every disclosure set: the states that look alike and are shown in the
same schema. One safe function precedes another if it shows no state later and some state earlier; it is optimal if no
safe one precedes it. `forward` is Algorithm 4 of the paper, `online` its form for one state, `repaired` Algorithm 3.

What is known of them. Where a safe set of states is in no safe block of any schema but the last (`is_tn_safe`) and
the predicate holds of all that contains a set it holds of (`is_monotone`), Algorithm 4 is optimal (Claim 5;
enumerated). Elsewhere its last set may be unsafe: Algorithm 3 repairs that. Its listing is lost; this is a
reconstruction from the text and Fig. 5, optimal in all settings that were enumerated. The online form gives what
Algorithm 4 gives.

Cost. One question a block for Algorithm 4 and the online form; Algorithm 3 tries subsets of one set, smallest first.
`is_monotone` asks about every set of states, so there is a limit on their number.

Source. Zhang, Jajodia, Brodsky 2007, sections 3.2 and 3.3 (Algorithms 3 and 4, Definition 11, Claims 4 and 5).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

States = frozenset[int]
Predicate = Callable[[States], bool]
# The number of the schema in which each state is shown.
Shown = tuple[int, ...]
_MOST_ENUMERATED = 16


@dataclass(frozen=True)
class Setting:
    """The states 0 to `states` - 1, the schemas in the order in which they are preferred, and the predicate."""

    states: int
    schemas: tuple[tuple[States, ...], ...]
    safe: Predicate

    def __post_init__(self) -> None:
        everyone = frozenset(range(self.states))
        for number, schema in enumerate(self.schemas):
            if sum(map(len, schema)) != self.states or frozenset().union(*schema) != everyone:
                raise ValueError(f"setting: schema {number} is no partition of the states")
        if not self.schemas or len(self.schemas[-1]) > 1:
            raise ValueError("setting: the last schema must be one block, which discloses nothing")

    @staticmethod
    def of(states: int, schemas: Sequence[Sequence[Sequence[int]]], safe: Predicate) -> Setting:
        """The setting with schemas as lists of blocks."""
        return Setting(states, tuple(tuple(map(frozenset, schema)) for schema in schemas), safe)

    @property
    def last(self) -> int:
        """The schema that discloses nothing."""
        return len(self.schemas) - 1

    @cached_property
    def everyone(self) -> States:
        """All states."""
        return frozenset(range(self.states))

    def block(self, schema: int, state: int) -> States:
        """The block of a state."""
        return next(block for block in self.schemas[schema] if state in block)

    def disclosure_set(self, shown: Shown, state: int) -> States:
        """The states that look like this one, to someone who knows the function."""
        block = self.block(shown[state], state)
        return frozenset(other for other in block if shown[other] == shown[state])

    def is_safe(self, shown: Shown) -> bool:
        """Whether the predicate holds of every disclosure set."""
        return all(map(self.safe, {self.disclosure_set(shown, state) for state in range(self.states)}))

    @property
    def cells(self) -> Iterator[tuple[int, States]]:
        """Every block of every schema, in order."""
        return ((i, block) for i, schema in enumerate(self.schemas) for block in schema)


def precedes(one: Shown, other: Shown) -> bool:
    """Whether `one` shows no state later than `other`, and some state earlier."""
    return one != other and all(mine <= theirs for mine, theirs in zip(one, other, strict=True))


def forward(setting: Setting) -> Shown:
    """Algorithm 4: block by block, what is left of a block is shown there if that is safe; the rest is not shown."""
    shown = [setting.last] * setting.states
    left = setting.everyone
    for i, block in setting.cells:
        here = left & block
        if here and setting.safe(here):
            left -= here
            for state in here:
                shown[state] = i
    return tuple(shown)


def online(setting: Setting, state: int) -> int:
    """The schema of one state, worked out for the states of its blocks alone (section 3.3)."""

    def shown(other: int, upto: int) -> int | None:
        for i in range(upto):
            block = setting.block(i, other)
            if setting.safe(frozenset(each for each in block if shown(each, i) is None)):
                return i
        return None

    found = shown(state, setting.last)
    return setting.last if found is None else found


def repaired(setting: Setting) -> Shown | None:
    """Algorithm 3, as reconstructed: a safe function even where the states left over are not; None where none is."""
    if not setting.safe(setting.everyone):
        return None
    cells = [*setting.cells]
    accepted: list[tuple[int, States]] = []
    left, place = setting.everyone, 0
    while True:
        for number in range(place, len(cells)):
            here = left & cells[number][1]
            if here and setting.safe(here):
                accepted.append((number, here))
                left -= here
        if not left:
            return _shown(setting, [(cells[number][0], each) for number, each in accepted])
        number, donor = accepted.pop()
        borrowed = _borrowed(setting, left, donor)
        if borrowed is not None:
            schema, taken = borrowed
            done = [(cells[k][0], each) for k, each in accepted]
            return _shown(setting, [*done, (cells[number][0], donor - taken), (schema, left | taken)])
        left, place = left | donor, number + 1


def _borrowed(setting: Setting, left: States, donor: States) -> tuple[int, States] | None:
    """The fewest states of a set that make those left over safe, and itself stay safe; and where both are shown."""
    for size in range(1, len(donor)):
        found = []
        for taken in map(frozenset, combinations(sorted(donor), size)):
            if setting.safe(left | taken) and setting.safe(donor - taken):
                schema = next(i for i, block in setting.cells if left | taken <= block)
                found.append((schema, sorted(taken)))
        if found:
            schema, states = min(found)
            return schema, frozenset(states)
    return None


def _shown(setting: Setting, sets: Sequence[tuple[int, States]]) -> Shown:
    schema = {state: i for i, each in sets for state in each}
    return tuple(schema[state] for state in range(setting.states))


def is_tn_safe(setting: Setting) -> bool:
    """Whether the states that are in no safe block of any schema but the last are safe together (Definition 11).

    The predicate is taken to be monotone: then some safe set of them exists if and only if they all are one.
    """
    withheld = frozenset(
        state
        for state in range(setting.states)
        if not any(setting.safe(setting.block(i, state)) for i in range(setting.last))
    )
    return bool(withheld) and setting.safe(withheld)


def is_monotone(setting: Setting) -> bool:
    """Whether the predicate holds of every set of states that contains one it holds of."""
    if setting.states > _MOST_ENUMERATED:
        raise ValueError(f"setting: more than {_MOST_ENUMERATED} states; their sets cannot be gone through")
    every = range(setting.states)
    sets = (frozenset(each) for size in every for each in combinations(every, size))
    return all(setting.safe(each | {state}) for each in sets if setting.safe(each) for state in every)
