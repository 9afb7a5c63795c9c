"""The attack of ASAP on Hilb, as it is printed: groups whose members' values can be narrowed down.

Claim. Reported as exposed is everyone in a group that Algorithm 7 labels as vulnerable, and in a group that has a row
which a vulnerable one reaches past. The attack bets on the first row that each vulnerable group reaches past, and on
the group's first row where no other of its rows comes before that one: both have a value that the two groups share.
The baseline bets on the most frequent value of the same person's group.

It is neither sound nor complete, and kept as published. It labels groups of which nothing more can be learned than
1/l (on b b c c d d b a, with l = 2), and it misses what follows from several groups together; `hilb-worlds` does
neither.

Where rows are dealt anew into smaller groups (`hilb++`, `hilb++r`), it is made on the strata they are dealt from, of
which the published groups tell the bags; an adversary could do no better than know them. Of groups that are dealt the
labels would mean nothing, for these lie across each other whatever the values are.

Why it does what it does. A row that was passed over has a value of the group that passed it, and one of its own
group.

Cost. One sort of the rows; one comparison a group (the published one compares every two groups).

Source. X. Jin, N. Zhang, G. Das, ASAP: Eliminating algorithm-based disclosure in privacy-preserving data publishing,
2011, Algorithm 7 (SPEC A10).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from openveil.core.attack import NO_GUESS, Beliefs, Guessing, Sensitive, Target, commonest
from openveil.core.bags import Bags
from openveil.core.finding import Finding
from openveil.core.registry import Kind, Status, part
from openveil.core.witness import Labels
from openveil.tools.curve_groups import CurveGroups
from openveil.tools.heads import spread_along_the_curve

VULNERABLE = "groups labelled as vulnerable"


@part(Kind.ATTACK, "hilb-algorithm-7", source="Jin, Zhang, Das 2011, Algorithm 7", status=Status.MEASURED)
@dataclass(frozen=True)
class HilbAlgorithm7(Guessing):
    """Look for groups along the Hilbert curve that reach past rows of later ones; as published."""

    applies_to: ClassVar[str] = "frequency-l-diverse releases of methods that follow the Hilbert curve"

    def believe(self, target: Target, column: Sensitive) -> Beliefs | None:
        """What the labels say, and bets on the rows they say most of."""
        spread = spread_along_the_curve(target.publisher, target.requirement)
        if spread is None:
            return None
        rows = len(target.group)
        settled = target.recoding.settled
        group = target.group if settled is None else settled
        line = CurveGroups.of(target.public, group, column.shown, len(column.labels), spread)
        labelled = vulnerable(line)
        guess, chance = _bets(line, labelled, rows)
        naive = line.in_rows(commonest(line.bags), rows, NO_GUESS).astype(np.int32)
        exposed = line.in_rows(concerned(line, labelled), rows, otherwise=False).astype(np.bool_)
        told = Finding(VULNERABLE, column.name, int(labelled.sum()))
        return Beliefs(guess, chance, exposed, naive, rows, "rows read", further=(told,))


def vulnerable(line: CurveGroups) -> NDArray[np.bool_]:
    """The groups Algorithm 7 labels, by place."""
    early = np.arange(len(line)) < line.foreseen
    few: NDArray[np.bool_] = line.sizes + 1 < 2 * line.spread
    return early & line.reaches & few


def concerned(line: CurveGroups, labelled: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The labelled groups, and those with a row that one of them reaches past."""
    ends = np.maximum.accumulate(np.where(labelled, line.last, -1))
    before = np.append(-1, ends[:-1]) if len(line) else ends
    answer: NDArray[np.bool_] = labelled | (line.first < before)
    return answer


def _bets(line: CurveGroups, labelled: NDArray[np.bool_], rows: int) -> tuple[Labels, NDArray[np.float64]]:
    """For each labelled group a value it shares with the next, bet on that one's first row and perhaps on its own."""
    guess, chance = np.full(rows, NO_GUESS, dtype=np.int32), np.zeros(rows)
    places = np.flatnonzero(labelled)
    value, candidates = _shared(line.bags, places)
    some = candidates > 0
    places, value, candidates = places[some], value[some], candidates[some]
    passed = line.first[places + 1]
    alone = passed == line.first[places] + 1
    for bet, of in ((line.first[places][alone], alone), (passed, np.ones(len(places), dtype=np.bool_))):
        guess[line.order[bet]] = value[of]
        chance[line.order[bet]] = 1 / candidates[of]
    return guess, chance


def _shared(bags: Bags, places: NDArray[np.int64]) -> tuple[Labels, NDArray[np.int64]]:
    """For each place the first value its group shares with the next group, and how many it shares."""
    domain = max(bags.domain, 1)
    keys = bags.owner * domain + bags.values
    follows = np.isin(keys + domain, keys)
    number = np.bincount(bags.owner[follows], minlength=len(bags))
    first = np.full(len(bags), NO_GUESS, dtype=np.int32)
    first[bags.owner[follows][::-1]] = bags.values[follows][::-1]
    return first[places], number[places]
