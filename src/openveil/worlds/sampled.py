"""The naive and the smart world of a release, by samples.

Claim. `sampled` draws tables that agree with a release and with what else is known, each as likely as any other, and
runs the algorithm on them. Those of which the release comes are draws from the smart world, so shares among them
estimate what the smart adversary knows, with intervals that cover at their level or more. A table of which it cannot
come is proof that the two worlds differ. What no kept draw speaks of is undecided.

Why it holds. Values are permuted within published groups; values that are not published are drawn from all there are.
A draw is kept as often as the algorithm publishes the release of it, against the most likely draw (rejection
sampling). Of a method that decides on sets of rows by their bags, draws are kept part by part (`related.py`): one
run is then a draw for every part of the table, and as many are kept as that part alone allows, however large the
table is. With further knowledge, or where `groups` are asked about, draws are kept or not as a whole.

Cost. One run of the algorithm a draw, and one look at each person.

Source. Jin, Zhang, Das 2011, Definitions 3 and 4; the definition of parts is ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from openveil.core.bags import Counts
from openveil.core.errors import refuse
from openveil.core.intervals import LEVEL, interval
from openveil.core.progress import report
from openveil.core.secret import Secret
from openveil.core.witness import Labels
from openveil.worlds.algorithm import Case
from openveil.worlds.exact import Witnesses
from openveil.worlds.knowledge import NOTHING_MORE, Asked, Knowledge, refuse_unknown_roster
from openveil.worlds.method import Grouping, Local
from openveil.worlds.people import People, Persons
from openveil.worlds.seen import Memberships
from openveil.worlds.shuffling import shuffled_within

# How many tables are drawn at most for one that agrees with the further knowledge.
_PATIENCE = 200


@dataclass(frozen=True, eq=False)
class Entries:
    """The values each person asked about may have: those of person i are `values[starts[i]:starts[i + 1]]`."""

    starts: Counts = field(repr=False)
    values: Labels = field(repr=False)
    keys: Counts = field(repr=False)
    home: Counts = field(repr=False)
    ends: Counts = field(repr=False)
    shares: NDArray[np.float64] = field(repr=False)

    @staticmethod
    def of(group: Labels, own: Labels, values: int) -> Entries:
        """What can be known of people in these groups; any value is possible where the group is negative."""
        home = np.unique(np.where(group < 0, -1 - np.arange(len(group)), group), return_inverse=True)[1]
        hidden = np.flatnonzero(group < 0)
        known = np.flatnonzero(group >= 0)
        pairs = np.concatenate(
            [
                home[known] * values + own[known],
                (home[hidden][:, None] * values + np.arange(values)).reshape(-1),
            ]
        )
        keys, counts = np.unique(pairs, return_counts=True)
        ends = np.searchsorted(keys, np.arange(int(home.max(initial=-1)) + 2) * values)
        sizes = np.add.reduceat(counts, ends[:-1]) if len(keys) else np.zeros(0, dtype=np.int64)
        distinct = np.diff(ends)[home]
        starts = np.concatenate([[0], np.cumsum(distinct)])
        entry = np.arange(starts[-1]) - np.repeat(starts[:-1] - ends[home], distinct)
        shares = counts[entry] / sizes[keys[entry] // values]
        return Entries(starts, (keys[entry] % values).astype(np.int32), keys, home, ends, shares)

    def within(self, codes: Labels, values: int) -> Counts:
        """Which of its entries each person's value is."""
        place: Counts = np.searchsorted(self.keys, self.home * values + codes) - self.ends[self.home]
        return place

    @cached_property
    def owner(self) -> Counts:
        """The person of each entry."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))


@dataclass(frozen=True, eq=False)
class Draw:
    """A table that agrees with a release: the value of each of those asked about, and which entry that is.

    They have the values of those at these places of `order`, but for values that are not published.
    """

    codes: Labels = field(repr=False)
    places: Counts = field(repr=False)
    order: Counts = field(repr=False)


@dataclass(eq=False)
class Tally:
    """What was counted: how often each entry was seen in all draws and in those kept, and how many were, by part.

    `different` counts the draws of which the release, or the strata it is dealt from, did not come.
    """

    naive: Counts = field(repr=False)
    smart: Counts = field(repr=False)
    kept: Counts = field(repr=False)
    different: int = 0
    witnesses: Witnesses | None = None


@dataclass(frozen=True, eq=False)
class Sample:
    """What was drawn: `tries` tables that agree with the release and what else is known; `part` is that of each one.

    Entries are the values each of `who` may have; their counts are those of `tally`. `knowing_more` says that more is
    known than the release; `exact`, that the chances of the algorithm are known and not shares of runs.
    """

    people: People = field(repr=False)
    who: Persons = field(repr=False)
    part: Labels = field(repr=False)
    tries: int
    entries: Entries = field(repr=False)
    tally: Tally
    knowing_more: bool = False
    exact: bool = True

    @property
    def kept(self) -> Counts:
        """For each of `who`, how many draws were kept of its part."""
        of_each: Counts = self.tally.kept[self.part]
        return of_each

    @property
    def different(self) -> int:
        """How many draws are not published so, or not as likely."""
        return self.tally.different

    @property
    def witnesses(self) -> Witnesses | None:
        """Two tables that agree with the release, of which it is not as likely; None where none were found."""
        return self.tally.witnesses

    @property
    def undecided(self) -> Persons:
        """Those of `who` of whose part no draw was kept, so that nothing can be said."""
        unseen: Persons = self.who[self.kept == 0]
        return unseen

    @cached_property
    def before(self) -> NDArray[np.float64]:
        """How likely each entry is to the naive adversary; estimated where more is known."""
        return self.tally.naive / max(self.tries, 1) if self.knowing_more else self.entries.shares

    @cached_property
    def after(self) -> NDArray[np.float64]:
        """How likely each entry is to the smart adversary, as far as it was seen; no number where nothing was."""
        kept = self.kept[self.entries.owner]
        return np.where(kept > 0, self.tally.smart / np.maximum(kept, 1), np.nan)

    def intervals(self, level: float = LEVEL) -> NDArray[np.float64]:
        """For each entry, between what probabilities it is to the smart adversary; 0 and 1 where nothing was kept."""
        return _intervals(self.tally.smart, self.kept[self.entries.owner], level)

    def naive_at_most(self, level: float = LEVEL) -> NDArray[np.float64]:
        """For each entry, how likely it is at most to the naive adversary; its share, where no more is known."""
        if not self.knowing_more:
            return self.entries.shares
        tries = np.full(len(self.tally.naive), self.tries, dtype=np.int64)
        return _intervals(self.tally.naive, tries, level)[:, 1]


def _intervals(seen: Counts, kept: Counts, level: float) -> NDArray[np.float64]:
    pairs, place = np.unique(np.stack([seen, kept], axis=1), axis=0, return_inverse=True)
    ends = np.array([interval(number, of, level) if of else (0.0, 1.0) for number, of in pairs.tolist()])
    of_each: NDArray[np.float64] = ends.reshape(-1, 2)[place.reshape(-1)]
    return of_each


def sampled(
    case: Case,
    knowledge: Knowledge = NOTHING_MORE,
    *,
    groups: Sequence[int] | None = None,
    tries: int = 100,
    secret: Secret | None = None,
) -> Sample:
    """Both worlds by `tries` tables that agree with the release; of these `groups` alone where they are given."""
    refuse_unknown_roster(knowledge)
    known = case.seen.certain()
    if known is None:
        raise refuse(
            "sampling",
            "needs to know which group everyone is in, which labels that overlap do not tell",
            "Go through all tables of a few people instead, or take bucketised or separate groups",
        )
    draws = Draws(case, known, knowledge, known.persons(case.people, groups), secret or Secret.fresh())
    if groups is None and not knowledge.facts and isinstance(case.algorithm, Grouping):
        local = case.algorithm.local()
        if local is not None:
            return _part_by_part(draws, local, tries)
    return _as_a_whole(draws, tries)


class Draws:
    """Tables that agree with a release and with what else is known, drawn at random."""

    def __init__(self, case: Case, known: Memberships, knowledge: Knowledge, who: Persons, secret: Secret) -> None:
        self.case, self.who, self.secret = case, who, secret
        self.group = known.group[who]
        self.own = case.people.own[who]
        self.values = case.people.values.height
        self.entries = Entries.of(self.group, self.own, self.values)
        self._hidden = np.flatnonzero(self.group < 0)
        self._within = self.entries.within(self.own, self.values)
        self.knowing_more = bool(knowledge.facts)
        self._asked = Asked(knowledge, case.people, who)

    def draw(self, number: int) -> Draw:
        """The values of `who` in one table."""
        for again in range(_PATIENCE):
            drawn = self._any(f"table {number} {again}")
            if not self.knowing_more or self._asked.holds(drawn.codes):
                return drawn
        raise refuse(
            "external knowledge",
            f"agrees with none of {_PATIENCE} tables that agree with the release",
            "Go through all tables instead, of fewer groups, or say less",
        )

    def _any(self, purpose: str) -> Draw:
        """Members of a group have the same entries, so an entry goes with its value."""
        order = shuffled_within(self.group, self.secret, purpose=purpose)
        codes, within = self.own[order], self._within[order]
        if len(self._hidden):
            numbers = np.frombuffer(self.secret.stream(purpose, 8 * len(self._hidden)), dtype=np.uint64)
            codes[self._hidden] = within[self._hidden] = (numbers % np.uint64(self.values)).astype(np.int32)
        return Draw(codes, self.entries.starts[:-1] + within, order)

    def witnesses(self, codes: Labels, more: Fraction, less: Fraction) -> Witnesses:
        """The table itself, and one of which the release is less likely."""
        people = self.case.people
        return Witnesses(people.table(people.own), people.table(people.with_values(self.who, codes)), more, less)

    def kept(self, tables: Sequence[tuple[Draw, Fraction]]) -> Iterator[Draw]:
        """The tables that are kept: each as often as its chance says, against the greatest there is."""
        most = max((chance for _, chance in tables), default=Fraction(0))
        lots = np.frombuffer(self.secret.stream("kept", 8 * len(tables)), dtype=np.uint64).tolist()
        for (drawn, chance), lot in zip(tables, lots, strict=True):
            if lot * most < chance * 2**64:
                yield drawn

    def tally(self, parts: int) -> Tally:
        """Nothing counted yet."""
        naive, smart = np.zeros((2, len(self.entries.values)), dtype=np.int64)
        return Tally(naive, smart, np.zeros(parts, dtype=np.int64))

    def sample(self, part: Labels, tries: int, tally: Tally) -> Sample:
        """What came of so many tries."""
        exact = self.case.algorithm.exact
        return Sample(self.case.people, self.who, part, tries, self.entries, tally, self.knowing_more, exact)


def _part_by_part(draws: Draws, local: Local, tries: int) -> Sample:
    part = local.related.part
    tally = draws.tally(local.related.parts)
    for number in range(tries):
        report("running the method on other tables that agree with the release", number / tries)
        drawn = draws.draw(number)
        came = local.reproduced(drawn.order)
        tally.naive[drawn.places] += 1
        tally.smart[drawn.places[came[part]]] += 1
        tally.kept += came
        if not came.all():
            tally.different += 1
            tally.witnesses = tally.witnesses or _unlike(draws, drawn.codes)
    return draws.sample(part, tries, tally)


def _unlike(draws: Draws, codes: Labels) -> Witnesses | None:
    """The table itself and this one, where the release is not as likely of both."""
    people, algorithm = draws.case.people, draws.case.algorithm
    more, less = algorithm.chance(people.own), algorithm.chance(people.with_values(draws.who, codes))
    return draws.witnesses(codes, more, less) if more != less else None


def _as_a_whole(draws: Draws, tries: int) -> Sample:
    people, algorithm = draws.case.people, draws.case.algorithm
    tally = draws.tally(1)
    itself = algorithm.chance(people.own)
    tables: list[tuple[Draw, Fraction]] = []
    for number in range(tries):
        report("running the algorithm on other tables that agree with the release", number / tries)
        drawn = draws.draw(number)
        tally.naive[drawn.places] += 1
        chance = algorithm.chance(people.with_values(draws.who, drawn.codes))
        tables.append((drawn, chance))
        if algorithm.exact and chance != itself:
            tally.different += 1
            tally.witnesses = tally.witnesses or draws.witnesses(drawn.codes, itself, chance)
    for drawn in draws.kept(tables):
        tally.smart[drawn.places] += 1
        tally.kept += 1
    return draws.sample(np.zeros(len(draws.who), dtype=np.int32), tries, tally)
