"""Even cuts, and rows dealt at random within groups whose halves failed.

Claim. Every published group holds. Of whoever knows the algorithm, every quasi-identifier and which group each person
is in: each row has each combination of sensitive values with exactly the chance that its published group shows. Of
several rows together more may be known.

Why it holds. Cuts are those of `even_cuts.py`, and so is the argument, with two additions.

(1) Groups of an odd number of rows are made even before they are looked at: a few rows, the most frequent values once
    each, are dealt out of them and published as a group of their own. Which values follows from the group's bag,
    which rows have them is drawn among all rows of the value; so all arrangements of what is left are as likely as
    before. Where that cannot be, because one of the two would not hold, one row joins a half by a coin, as by even
    cuts.
(2) Where the halves L and R of 2k rows did not both hold, groups are planned from the two bags of L and R, with as
    many values from one as from the other; a coin says which of them comes first. Who fills the places for a value of
    a half is drawn among the rows of that half which have it. Now let two rows of a published group that are in the
    same half trade values; or let, in all published groups at once, the rows of L trade values with those of R. Then
    L and R have the bags they had, or those of each other, so they fail as before; the plan is the same, or the same
    with the coin fallen the other way; and what was drawn is as likely. So all rows of a published group have the
    same chances, which are its shares. Where no plan is found, which follows from the two bags and the coin too, the
    group stays whole, and (2) of even cuts holds of it.

Were the rows of such a group dealt freely, this would not be true: a value that is too frequent in one half is
known to be there, so its rows would be told by the half they are in.

Values are told apart in the finest view; plans that do not hold in each view, or for each model, are given up for
wider ones (`ways`).

Cost. That of even cuts, one sort of the rows a round and one in the end, and what `kernels/both_halves.py` costs.

Source. New. Dealing rows after cutting is stratified pick-up, Jin, Zhang, Das 2011, section 7.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from openveil.core.bags import Bags, Counts
from openveil.core.progress import report
from openveil.core.requirement import Requirement, enough
from openveil.core.secret import Secret
from openveil.core.witness import NOT_ASKED, Labels, Slots, Witness
from openveil.tools.cuts import Flags, Halves, MedianCuts
from openveil.tools.even_cuts import Asked, holding
from openveil.tools.pick_up import least_spread

_WAYS = 6
Way = tuple[int, int]


@dataclass(frozen=True)
class Dealing:
    """How rows are dealt: `witness` deals them, `asked` says which groups hold.

    `apart` values, an odd number of them, make a group by themselves; nothing is dealt where that is 0. `ways` are
    tried one after the other: how many values of each half go together, and how many may be alike.
    """

    witness: Witness = field(repr=False)
    asked: Asked
    apart: int
    ways: tuple[Way, ...]

    @staticmethod
    def of(requirement: Requirement, witness: Witness) -> Dealing:
        """What a privacy model lets be dealt."""
        # Groups are planned from values alone, and what guards these would have to be known too.
        deals = requirement.reads_sensitive and not requirement.reads_guards
        least = least_spread(requirement) if deals else None
        if least is None:
            return Dealing(witness, Asked.of(requirement, witness), 0, ())
        found = tuple(ways(requirement, least))
        return Dealing(witness, Asked.of(requirement, witness), least + 1 - least % 2, found)

    def holds(self, slots: Slots, groups: int) -> Flags:
        """Which groups hold if places are filled so."""
        return self.asked.holds(self.witness.bags_of(slots.groups, slots.values, groups))

    def deal(self, stratum: Labels, slots: Slots, secret: Secret, purpose: str) -> Labels:
        """The group of each row."""
        return self.witness.deal(stratum, slots, secret, purpose=purpose)


def ways(requirement: Requirement, least: int) -> Iterator[Way]:
    """For groups of twice so many rows, from the smallest that may hold on, how many of them may be alike."""
    fewest, found = -(-least // 2), 0
    for side in range(fewest, 2 * least + _WAYS):
        alike = [most for most in range(1, 2 * side + 1) if _even_bag_holds(requirement, 2 * side, most)]
        if alike and found < _WAYS:
            found += 1
            yield side, alike[-1]


def _even_bag_holds(requirement: Requirement, rows: int, most: int) -> bool:
    """Whether so many rows hold of which as few values as can be have `most` rows each."""
    counts = [most] * (rows // most) + [rows % most] * (rows % most > 0)
    bags = Bags.of_counts("", [counts])
    fixed = max((int(each.needs(bags)[0]) for each in requirement.parts() if not each.reads_sensitive), default=1)
    return bool(rows >= fixed and enough(requirement, [bags]).all())


@dataclass(frozen=True, eq=False)
class Cut:
    """The groups that cutting leaves, and of rows whose halves failed the half, 0 or 1."""

    group: Labels = field(repr=False)
    half: NDArray[np.int8] = field(repr=False)


def cut_and_deal(cuts: MedianCuts, dealing: Dealing, secret: Secret) -> Labels:
    """The group of each row, when open groups are cut and what cannot be cut is dealt."""
    cut = cut_apart(cuts, dealing, secret)
    return dealt(cut, dealing, secret)


def cut_apart(cuts: MedianCuts, dealing: Dealing, secret: Secret) -> Cut:
    """Cut open groups by looking ahead and evenly, with a few rows dealt out of those of an odd number of rows."""
    asked, number = dealing.asked, 0
    half = np.full(cuts.rows, NOT_ASKED, dtype=np.int8)
    while cuts.open:
        report(f"looking at {cuts.open:,} groups")
        label, purpose = cuts.label(), f"even cuts, round {number}"
        bags = asked.look(label, cuts.open)
        chosen, middle = cuts.chosen(asked.needs(bags), range(cuts.attributes))
        apart = _apart(cuts, dealing, label, bags[-1], chosen < 0, secret, purpose)
        halves = cuts.halves((chosen < 0) & ~apart.there, asked.fewest, secret, purpose)
        kept = holding(cuts, asked, halves)
        failed = cuts.in_halves(halves.but(kept))
        half[failed >= 0] = failed[failed >= 0] % 2
        cuts.make_or_halve(chosen, middle, kept, apart=apart)
        number += 1
    return Cut(cuts.groups(), half)


def _apart(
    cuts: MedianCuts, dealing: Dealing, label: Labels, finest: Bags, tried: Flags, secret: Secret, purpose: str
) -> Halves:
    """The rows that are dealt out of groups of an odd number of rows."""
    tried = tried & (cuts.sizes % 2 == 1) & (cuts.sizes >= 2 * dealing.asked.fewest + dealing.apart)
    tried &= (dealing.apart > 0) & (finest.distinct >= dealing.apart)
    rows = np.zeros(len(label), dtype=np.bool_)
    if tried.any():
        tried &= cuts.chosen(np.where(tried, 1, len(label)), range(cuts.attributes))[0] >= 0
        tried[np.flatnonzero(tried)] = _holding_apart(finest.among(tried), dealing)
    if tried.any():
        number = np.where(tried, np.cumsum(tried) - 1, NOT_ASKED).astype(np.int32)
        stratum = np.where(label >= 0, number[label], NOT_ASKED).astype(np.int32)
        rows = dealing.deal(stratum, _most_frequent(finest.among(tried), dealing.apart), secret, purpose) % 2 == 1
    return cuts.apart(tried, rows)


def _most_frequent(finest: Bags, number: int) -> Slots:
    """Places for the most frequent values of each bag, once each, in groups of odd numbers, and for all others."""
    order = np.lexsort((finest.values, -finest.counts, finest.owner))
    taken = np.zeros(len(order), dtype=np.int64)
    taken[order] = finest.place < number
    left = finest.counts - taken
    times = np.concatenate([taken, left])
    owner, values = (np.repeat(np.tile(each, 2), times) for each in (finest.owner, finest.values))
    odd = np.repeat(np.repeat([1, 0], len(order)), times)
    return Slots(owner.astype(np.int32), values.astype(np.int32), (2 * owner + odd).astype(np.int32))


def _holding_apart(finest: Bags, dealing: Dealing) -> Flags:
    """For which bags the most frequent values hold by themselves, and the other rows too."""
    held = dealing.holds(_most_frequent(finest, dealing.apart), 2 * len(finest))
    return np.logical_and(held[0::2], held[1::2])


def dealt(cut: Cut, dealing: Dealing, secret: Secret) -> Labels:
    """The group of each row, when the groups whose halves failed are dealt, with as many rows of either half."""
    failed, place = np.unique(cut.group[cut.half >= 0], return_inverse=True)
    odd = np.bincount(cut.group, minlength=1)[failed] % 2 == 1
    pair = np.full(len(cut.group), NOT_ASKED, dtype=np.int32)
    pair[cut.half >= 0] = np.where(odd[place], NOT_ASKED, (np.cumsum(~odd) - 1)[place])
    if not len(dealing.ways) or (pair < 0).all():
        return cut.group
    report("dealing rows of both halves")
    label = np.where(pair >= 0, 2 * pair + cut.half, NOT_ASKED).astype(np.int32)
    number = int(pair.max()) + 1
    slots = _slots(dealing.asked.look(label, 2 * number)[-1], dealing, secret)
    planned = np.zeros(number, dtype=np.bool_)
    planned[slots.strata // 2] = True
    if not planned.any():
        return cut.group
    label[(pair >= 0) & ~planned[pair]] = NOT_ASKED
    group = dealing.deal(label, slots, secret, "even cuts, both halves")
    whole = group < 0
    group[whole] = cut.group[whole] + int(slots.groups.max()) + 1
    numbered: Labels = np.unique(group, return_inverse=True)[1].astype(np.int32)
    return numbered


def _slots(halves: Bags, dealing: Dealing, secret: Secret) -> Slots:
    """The places of the first plan that holds for each pair of halves, if any does."""
    from openveil.kernels.both_halves import plan

    pairs = len(halves) // 2
    waiting, groups, found = np.ones(pairs, dtype=np.bool_), 0, []
    second_first = secret.numbers("even cuts, which half comes first", np.full(pairs, 2)) == 1
    for side, most in dealing.ways:
        here = halves.among(np.repeat(waiting, 2))
        planned = Slots(*plan(here.starts, here.values, here.counts, second_first[waiting], side, most))
        held = _held(planned, dealing)
        found.append(_among(planned, held, np.flatnonzero(waiting), groups))
        groups = max(groups, int(found[-1].groups.max(initial=-1)) + 1)
        waiting[found[-1].strata // 2] = False
        if not waiting.any():
            break
    return Slots(
        *(np.concatenate(each) for each in zip(*((s.strata, s.values, s.groups) for s in found), strict=True))
    )


def _held(planned: Slots, dealing: Dealing) -> Flags:
    """The places of pairs of halves all groups of which hold."""
    groups = int(planned.groups.max(initial=-1)) + 1
    fails = np.append(~dealing.holds(planned, groups), True)  # the last for places without a plan
    failing = np.zeros(int(planned.strata.max(initial=-1)) // 2 + 1, dtype=np.bool_)
    failing[planned.strata[fails[planned.groups]] // 2] = True
    held: Flags = ~failing[planned.strata // 2]
    return held


def _among(planned: Slots, held: Flags, pairs: Counts, groups: int) -> Slots:
    """The places that are held, with the pairs and the groups numbered as those of all plans."""
    strata, values, own = planned.strata[held], planned.values[held], planned.groups[held]
    numbered = np.unique(own, return_inverse=True)[1] + groups
    return Slots((2 * pairs[strata // 2] + strata % 2).astype(np.int32), values, numbered.astype(np.int32))
