"""The minimality attack: what a release tells because a finer one was not published.

Claim. A minimal method publishes a group only because its finer parts failed. The attack asks for each finer step
that the method tried and gave up, how likely each value of each part is *given* that some part fails; exposed is
whoever has a value of a greater chance than was promised. On the six rows 1301,1301,1302,1302,1302,1302 /
HIV,HIV,flu,cold,asthma, cough with l = 2 it raises HIV in 1301 from 1/3 to certainty. It bets where a chance is
greater than the group shows; the baseline bets on the most frequent value of the group.

Why it holds. Without knowing the method every arrangement of a group's values over its rows is equally likely, and
groups do not tell of each other. Of several sensitive columns each step may have failed because of another one than
that which is looked at; then nothing is decided. Arrangements in which every part holds are counted exactly
(`tools/arranging.py`); what is left after taking them away are the tables the method would have gone on to publish
like this. Each step that was given up is a condition, asked by itself, so what is certain here is certain for whoever
combines them all; a chance below 1 is that of an adversary who knows this one condition. What several steps tell
together is found by exact worlds, which small tables can be put to.

Which steps: *cuts*, halving a group at the median of one attribute, as `mondrian` tries, each of which failed in its
own group; or *levels*, showing one attribute a level lower in the whole table, as full-domain methods try, of which
it is known only that some group somewhere failed. Rows that were left out are not considered, and a release at levels
that left some out is not attacked.

Cost. One pass over the rows an attribute, and for each group and step about values x rows x cap steps; groups that
would need more than 200,000 are undecided.

Source. R. Wong, A. Fu, K. Wang, J. Pei, Minimality attack in privacy preserving data publishing, 2007; X. Jin,
N. Zhang, G. Das, ASAP, 2011, sections 2.1 and 4.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from math import prod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from openveil.core.attack import NO_GUESS, Beliefs, Guessing, Sensitive, Target, commonest
from openveil.core.bags import Bags
from openveil.core.errors import refuse
from openveil.core.full_domain import maps_of
from openveil.core.registry import Kind, Status, discover, find, part
from openveil.core.requirement import Requirement
from openveil.core.witness import Labels
from openveil.requirements.frequency_l_diversity import FrequencyDiversity
from openveil.tools.arranging import arrangements, spread_over
from openveil.tools.cuts import MedianCuts, Widths

# More groups than these that may fail make the condition say next to nothing of each.
_MOST_OPEN = 64
SEVERAL = "a step may have been given up because of another sensitive column, which this attack does not count"


class Steps(StrEnum):
    """The finer steps a method tries and gives up."""

    CUTS = "cuts"
    LEVELS = "levels"


@part(Kind.ATTACK, "minimality", source="Wong, Fu, Wang, Pei 2007", status=Status.MEASURED)
@dataclass(frozen=True)
class Minimality(Guessing):
    """Work out what must be true because a finer table was not published.

    `steps` says what finer tables the method tries: "cuts" of a group at the median of one attribute, or lower
    "levels" of one attribute. Left out, it follows from the method, where that is known to be minimal; what
    contradicts a method that is known is refused.
    """

    applies_to: ClassVar[str] = "frequency-l-diverse releases of methods that stop at the finest groups that hold"

    steps: Steps | None = None

    def believe(self, target: Target, column: Sensitive) -> Beliefs | None:
        """The chances that follow from the steps that were given up."""
        spread = _spread(target.requirement)
        steps = self._steps(target)
        if spread is None or steps is None:
            return None
        if len(target.sensitive) > 1:
            return _untold(target, column)
        ledger = Ledger(target, target.bags(column), spread)
        if steps is Steps.CUTS:
            _from_cuts(ledger)
        elif target.recoding.levels is None or target.recoding.suppressed:
            return None
        else:
            _from_levels(ledger, target.recoding.levels)
        return ledger.beliefs()

    def _steps(self, target: Target) -> Steps | None:
        """The steps to ask about; those of a method that is registered are known, and others are refused."""
        known = _steps_of(target)
        if self.steps is None or self.steps is known or not _is_registered(target):
            return self.steps or known
        does = f'gives up "{known}"' if known else "publishes nothing because of finer steps that it gave up"
        remedy = "Leave steps out: what the method does is known"
        raise refuse("attacks: minimality", f"steps contradicts the method of the plan, which {does}", remedy)


@dataclass(eq=False)
class Ledger:
    """The greatest chance found so far for each row, as a fraction, and the value it is the chance of."""

    target: Target
    bags: Bags
    spread: int
    best: dict[int, tuple[Fraction, int]] = field(default_factory=dict)
    undecided: set[int] = field(default_factory=set)
    counted: int = 0

    def parts(self, label: NDArray[np.integer[Any]], several: int) -> Iterator[tuple[int, list[NDArray[np.int64]]]]:
        """The groups that `label` cuts into parts, `several` labels a group, with the rows of each part."""
        asked = np.flatnonzero(label >= 0)
        rows = asked[np.argsort(label[asked], kind="stable")]
        starts = np.flatnonzero(np.diff(label[rows], prepend=-1))
        pieces = np.split(rows, starts[1:])
        owner = label[rows[starts]] // several if len(rows) else starts
        for piece in np.split(np.arange(len(starts)), np.flatnonzero(np.diff(owner)) + 1):
            if len(piece) > 1:
                yield int(self.target.group[pieces[piece[0]][0]]), [pieces[each] for each in piece]

    def split(self, group: int, parts: list[NDArray[np.int64]]) -> Split | None:
        """How a group can lie in its parts; None, and undecided, where that is too much work."""
        entries = slice(self.bags.starts[group], self.bags.starts[group + 1])
        counts, values = self.bags.counts[entries].tolist(), self.bags.values[entries].tolist()
        merged, sizes, caps = _merged(parts, max(counts), self.spread)
        found = spread_over(counts, sizes, caps)
        self.counted += 1
        if found is None:
            self.undecided.add(group)
            return None
        return Split(merged, values, counts, sizes, found.ways, found.rows)

    def note(self, split: Split, chances: list[list[Fraction]]) -> None:
        """Keep the greatest chance of any value for the rows of each part."""
        for rows, of_part in zip(split.parts, chances, strict=True):
            best = max(range(len(of_part)), key=of_part.__getitem__)
            for row in rows.tolist():
                if row not in self.best or of_part[best] > self.best[row][0]:
                    self.best[row] = (of_part[best], split.values[best])

    def beliefs(self) -> Beliefs:
        """What is believed of each row in the end."""
        target, bags = self.target, self.bags
        rows, limit = len(target.group), target.limit
        guess, chance = np.full(rows, NO_GUESS, dtype=np.int32), np.zeros(rows)
        exposed = np.zeros(rows, dtype=np.bool_)
        for row, (share, value) in self.best.items():
            group = target.group[row]
            if share > Fraction(int(bags.largest[group]), int(bags.sizes[group])):
                guess[row], chance[row] = value, float(share)
                exposed[row] = share > limit or share == 1
        naive = target.of_groups(commonest(bags), NO_GUESS).astype(np.int32)
        open_ = np.isin(target.group, list(self.undecided)) & ~exposed
        return Beliefs(guess, chance, exposed, naive, self.counted, "groups and steps counted", open_)


@dataclass(frozen=True, eq=False)
class Split:
    """A group in parts: in `ways` of all arrangements every part holds; `rows` as `Spread` says."""

    parts: list[NDArray[np.int64]]
    values: list[int]
    counts: list[int]
    sizes: list[int]
    ways: int
    rows: tuple[tuple[int, ...], ...]

    @property
    def whole(self) -> int:
        """All arrangements."""
        return arrangements(self.counts)

    @property
    def chance_to_hold(self) -> Fraction:
        """How likely every part holds, for whoever does not know the method."""
        return Fraction(self.ways, self.whole)

    def failing(self, others: Fraction) -> list[list[Fraction]]:
        """The chance of each value in each part, given that this or another group fails.

        `others` is the chance that all other groups hold.
        """
        fails = 1 - self.chance_to_hold * others
        size = sum(self.sizes)
        return [
            [
                (Fraction(count, size) - others * Fraction(of_value, self.whole * rows)) / fails
                for count, of_value in zip(self.counts, of_part, strict=True)
            ]
            for rows, of_part in zip(self.sizes, self.rows, strict=True)
        ]


def _untold(target: Target, column: Sensitive) -> Beliefs:
    """Nothing is decided of anyone."""
    rows = len(target.group)
    return Beliefs(
        guess=np.full(rows, NO_GUESS, dtype=np.int32),
        chance=np.zeros(rows),
        exposed=np.zeros(rows, dtype=np.bool_),
        naive=target.of_groups(commonest(target.bags(column)), NO_GUESS).astype(np.int32),
        cost=0,
        counted="groups and steps counted",
        undecided=target.published,
        note=SEVERAL,
    )


def _from_cuts(ledger: Ledger) -> None:
    """Each cut that was tried failed, in every group by itself."""
    target = ledger.target
    requirement = target.requirement
    assert requirement is not None  # noqa: S101  a spread was read from it
    widths = getattr(target.publisher, "widths", Widths.RELATIVE)
    if target.recoding.suppressed:
        return
    cuts = MedianCuts(target.public, requirement, widths, target.group)
    least = np.full(cuts.open, _least(requirement), dtype=np.int64)
    for place in range(cuts.attributes):
        sides = cuts.sides(*cuts.chosen(least, range(place, place + 1)))
        for group, parts in ledger.parts(sides, 2):
            split = ledger.split(group, parts)
            if split is not None and split.ways < split.whole:
                ledger.note(split, split.failing(Fraction(1)))


def _from_levels(ledger: Ledger, levels: tuple[int, ...]) -> None:
    """Of each table one level lower in one attribute some group fails."""
    for attribute, level in enumerate(levels):
        if level:
            lower = tuple(each - (a == attribute) for a, each in enumerate(levels))
            _from_lower(ledger, _classes(ledger.target, lower))


def _from_lower(ledger: Ledger, label: Labels) -> None:
    several = int(label.max(initial=0)) + 1
    within = ledger.target.group.astype(np.int64) * several + label
    splits = [(group, ledger.split(group, parts)) for group, parts in ledger.parts(within, several)]
    known = [split for _, split in splits if split is not None and split.ways < split.whole]
    # A group left out of the product would make the others look less likely to hold than they are.
    if any(split is None for _, split in splits) or len(known) > _MOST_OPEN:
        ledger.undecided.update(group for group, _ in splits)
        return
    everywhere = prod((split.chance_to_hold for split in known), start=Fraction(1))
    for split in known:
        ledger.note(split, split.failing(everywhere / split.chance_to_hold if split.ways else Fraction(0)))


def _classes(target: Target, levels: tuple[int, ...]) -> Labels:
    """The number of each row's class at these levels."""
    maps = maps_of(target.public, levels)
    cells = np.stack([maps[a][target.public.codes[:, a]] for a in range(len(maps))], axis=1)
    return np.unique(cells, axis=0, return_inverse=True)[1].ravel().astype(np.int32)


def _merged(
    parts: list[NDArray[np.int64]], most: int, spread: int
) -> tuple[list[NDArray[np.int64]], list[int], list[int | None]]:
    """The parts with how often a value may occur in each; parts in which none can be too frequent become one."""
    tight = [rows for rows in parts if min(most, len(rows)) > len(rows) // spread]
    loose = [rows for rows in parts if min(most, len(rows)) <= len(rows) // spread]
    merged = [*tight, *([np.concatenate(loose)] if loose else [])]
    caps: list[int | None] = [len(rows) // spread for rows in tight]
    return merged, [len(rows) for rows in merged], caps + [None] * bool(loose)


def _least(requirement: Requirement) -> int:
    """How many rows each side of a cut needs whatever its values."""
    one = Bags.of_counts("", [[1]])
    return max((int(each.needs(one)[0]) for each in requirement.parts() if not each.reads_sensitive), default=1)


def _spread(requirement: Requirement | None) -> int | None:
    """The l of frequency l-diversity, where no other model reads sensitive values."""
    reading = [model for model in requirement.parts() if model.reads_sensitive] if requirement else []
    asked = [model.l for model in reading if isinstance(model, FrequencyDiversity)]
    return max(asked) if asked and len(asked) == len(reading) else None


def _is_registered(target: Target) -> bool:
    return any(type(target.publisher) is each.cls for each in discover(Kind.PUBLISHER))


def _steps_of(target: Target) -> Steps | None:
    """What is known of the method; of one that is not known, whether it shows every attribute at one level."""
    mondrian = find(Kind.PUBLISHER, "mondrian")
    if mondrian and type(target.publisher) is mondrian.cls:
        return Steps.CUTS
    return Steps.LEVELS if target.publisher is None and target.recoding.levels is not None else None
