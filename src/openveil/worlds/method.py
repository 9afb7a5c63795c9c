"""The worlds of a release by a registered method.

Claim. `released` publishes a table by a method and gives the case to be judged: what a reader who knows the group of
everyone sees (`by_membership`), or one who sees labels and values alone (`by_labels`). The chances are exact.

Why it holds. A method that draws nothing is run with a secret that cannot be asked. One that draws says itself how
likely its outcomes are (`Publisher.odds` and `outcomes`); one that does neither is refused.

Cost. One run of the method a table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from openveil.core.errors import refuse
from openveil.core.publisher import Publisher
from openveil.core.recoding import Recoding
from openveil.core.requirement import Requirement
from openveil.core.secret import Secret
from openveil.core.table import Public, code_matrix
from openveil.core.witness import DRAWN, Labels, Shown, Spelled, Witness, unlike
from openveil.tools.grouped import Grouped
from openveil.worlds.algorithm import Algorithm, Case, View
from openveil.worlds.people import People
from openveil.worlds.related import Related
from openveil.worlds.seen import Covering, Memberships
from openveil.worlds.unknown import Possible, combinations_of


@dataclass(frozen=True, eq=False)
class Setting:
    """A method, what is public of the table it is used on, the model it is to meet, and the people."""

    publisher: Publisher
    public: Public = field(repr=False)
    requirement: Requirement
    people: People = field(repr=False)
    witness: Witness = field(repr=False)

    @staticmethod
    def of(
        publisher: Publisher,
        public: Public,
        sensitive: pl.DataFrame,
        requirement: Requirement,
        *,
        further: pl.DataFrame | None = None,
    ) -> Setting:
        """The same from a table; `further` are sensitive values that an adversary reckons with beside those there."""
        if requirement.reads_guards:
            what = f"cannot be told of {requirement.name}, since a world would have to say what guards values too"
            raise refuse("worlds", what, "Ask for another privacy model, or see docs/personal.md")
        people = People.of(known(public), sensitive, further=further)
        return Setting(publisher, public, requirement, people, Witness(sensitive))

    def asked(self, codes: Labels) -> tuple[Witness, Requirement]:
        """The door to a table with these sensitive values, and the model as it reads them."""
        if self.people.rearranges(codes):
            return self.rearranged(self.people.order_of(codes))
        columns = self.people.sensitive(codes)
        return Witness(columns), self.requirement.for_values(Spelled(columns))

    def rearranged(self, order: NDArray[np.int64]) -> tuple[Witness, Requirement]:
        """The same for a table in which person i has the values of person `order[i]`."""
        return self.witness.rearranged(order), self._fitted

    @cached_property
    def _fitted(self) -> Requirement:
        """The model, told which numbers the values of the table have; another arrangement of them changes nothing."""
        return self.requirement.for_values(Spelled(self.people.sensitive(self.people.own)))

    def solved(self, codes: Labels, secret: Secret) -> Recoding:
        """What the method decides of a table with these values."""
        return self.publisher.solve(self.public, *self.asked(codes), secret)

    def outcomes(self, codes: Labels) -> Iterator[tuple[Recoding, Fraction]]:
        """All it may decide, and how likely."""
        return self.publisher.outcomes(self.public, *self.asked(codes))

    def odds(self, codes: Labels, recoding: Recoding) -> Fraction:
        """How likely it decides just this."""
        return self.publisher.odds(self.public, *self.asked(codes), recoding)


def known(public: Public) -> pl.DataFrame:
    """The quasi-identifiers as they are."""
    columns = {
        hierarchy.axis.name: hierarchy.axis.published.gather(public.codes[:, a])
        for a, hierarchy in enumerate(public.hierarchies)
    }
    return pl.DataFrame(columns) if columns else pl.DataFrame({"": [None] * len(public)}).select([])


@dataclass(frozen=True, eq=False)
class Grouping(Algorithm):
    """A method, to a reader who knows the group of everyone."""

    setting: Setting
    recoding: Recoding = field(repr=False)
    runs: int = 1

    @property
    def seen(self) -> View:
        """The groups with their labels and values."""
        return groups(self.recoding, self.setting.people, self.setting.people.own)

    def outcomes(self, codes: Labels) -> Iterator[tuple[View, Fraction]]:
        """The groups that may come of a table."""
        for recoding, chance in self.setting.outcomes(codes):
            yield groups(recoding, self.setting.people, codes), chance

    def chance(self, codes: Labels) -> Fraction:
        """How likely these groups come of a table."""
        if self.recoding.replaced:
            return super().chance(codes)
        return self.setting.odds(codes, self.recoding)

    @property
    def looks_at_groups_only(self) -> bool:
        """Whether the answers to all that the method asks follow from the release, and how likely its draws are too.

        It is asked on the way to another draw, so a method that looked at what it drew is not taken for one.
        What it draws then has to be what it would publish then.
        """
        publisher = self.setting.publisher
        if self.recoding.replaced or type(publisher).solve is not Grouped.solve or _odds_unknown(publisher):
            return False
        witness, requirement = self.setting.asked(self.setting.people.own)
        again = publisher.solve(self.setting.public, witness, requirement, Secret.fresh())
        asked = tuple(look for look in witness.looks if look.question != DRAWN)
        drawn = tuple(look for look in witness.looks if look.question == DRAWN)
        return not any(unlike(asked, self.recoding.shown)) and not any(unlike(drawn, again.shown))

    def local(self) -> Local | None:
        """What judges a run part by part: groups that were compared in one question belong to one part.

        None where a run does not show, part by part, whether the release can come of a table: where values are
        replaced, groups are drawn from strata that differ from table to table, or chance decides on the way to them.
        """
        setting, publisher = self.setting, self.setting.publisher
        if not isinstance(publisher, Grouped) or self.recoding.replaced or type(publisher).odds is not Grouped.odds:
            return None
        witness, requirement = setting.asked(setting.people.own)
        strata = publisher.settled(setting.public, witness, requirement)
        if publisher.draws and any(unlike(witness.looks, Shown(strata, np.zeros(len(strata), dtype=np.bool_)))):
            return None
        related = Related.of(witness.looks, strata)
        return Local(setting, strata, related, related.traces(witness.looks))


@dataclass(frozen=True, eq=False)
class Local:
    """A method that settles strata, which strata belong together, and what cut through each part."""

    setting: Setting
    strata: Labels = field(repr=False)
    related: Related = field(repr=False)
    traces: NDArray[np.uint64] = field(repr=False)

    def reproduced(self, order: NDArray[np.int64]) -> NDArray[np.bool_]:
        """For each part, whether its strata come out again, in the same way, with values in this order."""
        witness, requirement = self.setting.rearranged(order)
        again = self.setting.publisher.settled(self.setting.public, witness, requirement)
        first = self.related.first[self.related.home]
        same = (again == again[first]) & (np.bincount(again)[again] == np.bincount(self.strata)[self.strata])
        lost = np.bincount(self.related.part[~same], minlength=self.related.parts) > 0
        came: NDArray[np.bool_] = ~lost & (self.related.traces(witness.looks) == self.traces)
        return came


def _odds_unknown(publisher: Publisher) -> bool:
    """Whether it draws groups and does not say how likely they are."""
    if not isinstance(publisher, Grouped):
        return True
    return publisher.draws and type(publisher).odds_of is Grouped.odds_of


@dataclass(frozen=True, eq=False)
class Showing(Algorithm):
    """A method, to a reader who sees labels and values alone; `published` are the rows that were seen."""

    setting: Setting
    published: View = field(repr=False)
    runs: int = 1

    @property
    def seen(self) -> View:
        """The published rows, in no order."""
        return self.published

    def outcomes(self, codes: Labels) -> Iterator[tuple[View, Fraction]]:
        """The rows that may come of a table."""
        for recoding, chance in self.setting.outcomes(codes):
            yield rows(recoding, self.setting.people, codes), chance

    def elsewhere(self, people: People) -> Showing:
        """The method used on other people, whose values lie on the same axes."""
        old, axes = self.setting.public, [hierarchy.axis for hierarchy in self.setting.public.hierarchies]
        public = Public(old.hierarchies, code_matrix(people.known, axes)[0], old.weights)
        witness = Witness(people.sensitive(people.own))
        return replace(self, setting=replace(self.setting, public=public, people=people, witness=witness))


def released(setting: Setting, secret: Secret | None = None) -> Recoding:
    """What the method makes of the table itself; a `GuaranteeError` where it refuses."""
    return setting.solved(setting.people.own, secret or Secret.fresh())


def by_membership(setting: Setting, recoding: Recoding) -> Case:
    """The case of a reader who knows which group each person is in, as under bucketisation."""
    open_to_any = (recoding.group < 0) | recoding.touched
    seen = Memberships(np.where(open_to_any, np.int32(-1), recoding.group).astype(np.int32))
    return Case(setting.people, seen, Grouping(setting, recoding))


def by_labels(setting: Setting, recoding: Recoding) -> Case:
    """The case of a reader who has the published table and everyone's quasi-identifiers."""
    published = rows(recoding, setting.people, setting.people.own)
    return Case(setting.people, _covering(setting, recoding, setting.public), Showing(setting, published))


def possible(setting: Setting, recoding: Recoding) -> Possible:
    """What the release tells a reader who does not know who is in the table: it may be anyone the axes allow."""
    hierarchies = setting.public.hierarchies
    every = combinations_of(each.axis.published.alias(each.axis.name) for each in hierarchies)
    codes, _ = code_matrix(every, [each.axis for each in hierarchies])
    seen = _covering(setting, recoding, Public(hierarchies, codes, setting.public.weights))
    return Possible(every, seen)


def _covering(setting: Setting, recoding: Recoding, public: Public) -> Covering:
    """What the published labels tell of the people in `public`."""
    kept = np.flatnonzero(recoding.group >= 0)
    cells = recoding.cells[recoding.group[kept]]
    _, first, place = np.unique(_texts_of(recoding, cells), axis=0, return_index=True, return_inverse=True)
    bags: list[list[int | None]] = [[] for _ in first]
    for number, row in zip(place.reshape(-1).tolist(), kept.tolist(), strict=True):
        bags[number].append(None if recoding.touched[row] else int(setting.people.own[row]))
    fits = _covers(recoding, cells[first], public)
    return Covering(fits, tuple(map(tuple, bags)), len(recoding.group) - len(kept))


def _texts_of(recoding: Recoding, cells: Labels) -> Labels:
    """Cells, the same number for the same label."""
    alike = [display.labels.cast(pl.String).fill_null("").rank("dense").to_numpy() for display in recoding.displays]
    columns = [numbers[cells[:, a]] for a, numbers in enumerate(alike)]
    return np.stack(columns, axis=1).astype(np.int32) if columns else np.zeros((len(cells), 1), dtype=np.int32)


def _covers(recoding: Recoding, cells: Labels, public: Public) -> NDArray[np.bool_]:
    fits = np.ones((len(public), len(cells)), dtype=np.bool_)
    for a, display in enumerate(recoding.displays):
        codes = public.codes[:, a][:, None].astype(np.int64)
        fits &= (display.lower[cells[:, a]] <= codes) & (codes <= display.upper[cells[:, a]])
    return fits


def groups(recoding: Recoding, people: People, codes: Labels) -> View:
    """The groups with their members, labels and values, in no order; whoever is in none is left out."""
    shown = _shown_values(recoding, people, codes)
    members: dict[int, list[int]] = {}
    for person, group in enumerate(recoding.group.tolist()):
        if group >= 0:
            members.setdefault(group, []).append(person)
    return frozenset(
        (tuple(each), _labels(recoding, group), tuple(sorted(shown[person] for person in each)))
        for group, each in members.items()
    )


def rows(recoding: Recoding, people: People, codes: Labels) -> View:
    """The published rows, each as often as it occurs."""
    shown = _shown_values(recoding, people, codes)
    published = Counter(
        (_labels(recoding, group), shown[person])
        for person, group in enumerate(recoding.group.tolist())
        if group >= 0
    )
    return frozenset(published.items())


def _labels(recoding: Recoding, group: int) -> tuple[str | None, ...]:
    cells = recoding.cells[group].tolist()
    written = (display.labels[cell] for display, cell in zip(recoding.displays, cells, strict=True))
    return tuple(None if label is None else str(label) for label in written)


def _shown_values(recoding: Recoding, people: People, codes: Labels) -> list[tuple[str, ...]]:
    """What is published of each person's sensitive values, as texts that can be put in order."""
    columns = recoding.shows(people.sensitive(codes)).cast(pl.String)
    return [tuple("" if each is None else f"={each}" for each in row) for row in columns.rows()]
