"""Stratified pick-up: deal the rows of a group into smaller ones, at random, so that each is as mixed as can be.

Claim. Every published group meets the requirement. Strata that are unions of published groups stay what they are, and
a publisher whose strata are algorithm-safe stays so when their rows are picked up: every table that agrees with the
published groups and their bags is published in just this way with the same probability.

Why it holds. Which values go together, and whether a stratum is dealt at all, is decided from its bag, the
requirement and chance alone (`kernels/anatomy.py`); every group that comes of it is asked about before. Who fills the
slots is drawn uniformly among the rows of the stratum that have the value (`Witness.deal`). The bag of a stratum is
the sum of the bags of its groups, so it is the same in every table that agrees with the release, and the number of
ways to draw the published groups depends on bags only.

How many values go together is the least number of values, each once, that may be published; as soon as there are
twice as many rows in a stratum it is dealt. For frequency l-diversity that is Anatomy with l.

Cost. One tally, one heap operation a row, one sort of the rows.

Source. Jin, Zhang, Das 2011, section 7; Xiao and Tao, Anatomy, 2006. Left-overs and ties as SPEC A6 and A7 have them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from openveil.core.bags import Bags
from openveil.core.progress import report
from openveil.core.requirement import Requirement, enough
from openveil.core.secret import Secret
from openveil.core.witness import Labels, Slots, Witness

_MOST = 1000


def pick_up(strata: Labels, witness: Witness, requirement: Requirement, secret: Secret) -> Labels:
    """The group of each row, when the rows of each stratum are dealt into groups as small as may be."""
    spread = least_spread(requirement) if requirement.reads_sensitive else None
    number = int(strata.max(initial=-1)) + 1
    if spread is None or not number:
        return strata
    report("picking up")
    finest = witness.tally(strata, number)[-1]
    large = finest.sizes >= 2 * spread
    planned = _planned(finest.among(large), spread, secret)
    holds = _holding(planned, witness, requirement)
    dealt = np.flatnonzero(large)[np.bincount(planned.strata[holds], minlength=int(large.sum())) > 0]
    if not len(dealt):
        return strata
    renumbered = np.full(number, -1, dtype=np.int32)
    renumbered[dealt] = np.arange(len(dealt))
    slots = Slots(_from_0(planned.strata[holds]), planned.values[holds], planned.groups[holds])
    group = witness.deal(renumbered[strata], slots, secret)
    untouched = group < 0
    group[untouched] = strata[untouched] + int(slots.groups.max()) + 1
    return _from_0(group)


def _from_0(label: Labels) -> Labels:
    """The same groups numbered from 0 without gaps, in their order."""
    number: Labels = np.cumsum(np.bincount(label) > 0, dtype=np.int32) - 1
    return number[label]


def least_spread(requirement: Requirement) -> int | None:
    """The least number of values, each of them once, that may be published together; None when many are too few."""
    numbers = np.arange(1, _MOST + 1)
    starts = np.concatenate([[0], np.cumsum(numbers)]).astype(np.int64)
    values = (np.arange(starts[-1]) - np.repeat(starts[:-1], numbers)).astype(np.int32)
    bags = Bags("", np.ones(_MOST, dtype=np.int64), starts, values, np.ones(len(values), dtype=np.int64))
    rows = max((int(each.needs(bags)[0]) for each in requirement.parts() if not each.reads_sensitive), default=1)
    may = enough(requirement, [bags]) & (numbers >= rows)
    return int(numbers[may][0]) if may.any() else None


def _planned(finest: Bags, spread: int, secret: Secret) -> Slots:
    """The slots of each bag, in groups numbered through; -1 for slots of bags that cannot be dealt."""
    from openveil.kernels.anatomy import plan

    stream = secret.stream("left-overs", 8 * spread * len(finest))
    random = np.frombuffer(stream, dtype=np.uint64).reshape(len(finest), spread)
    entries, groups, _ = plan(finest.starts, finest.counts, spread, random)
    return Slots(finest.owner[entries].astype(np.int32), finest.values[entries], groups)


def _holding(planned: Slots, witness: Witness, requirement: Requirement) -> NDArray[np.bool_]:
    """The slots of the strata all groups of which may be published."""
    number = int(planned.groups.max(initial=-1)) + 1
    bags = witness.bags_of(planned.groups, planned.values, number)
    fails = np.append(~enough(requirement, bags), True)  # the last for slots without a group
    strata = int(planned.strata.max(initial=-1)) + 1
    failing = np.zeros(strata, dtype=np.bool_)
    failing[planned.strata[fails[planned.groups]]] = True
    held: NDArray[np.bool_] = ~failing[planned.strata]
    return held
