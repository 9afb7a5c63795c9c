"""Publishers that partition the rows and show each group as what covers it.

Claim. A `Partitioned` publisher shows each group as what covers it. A `Grouped` one, which shows everybody's own
sensitive value, refuses what it cannot meet before it looks further: a requirement that the whole table fails, and
sensitive values of persons who have several rows. It says what could be met.

Why it holds. A group is cut only where all parts of it hold, so a table that fails as one group is never cut; and
most models are monotone, so that it fails in every partition. Models that read sensitive values count rows: a person
with several rows could be found by several of them, which they do not bound.

Cost. One tally of the table.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np

from openveil.core.errors import GuaranteeError, refuse
from openveil.core.publisher import Publisher
from openveil.core.recoding import Recoding, Scheme, same_groups
from openveil.core.requirement import Requirement, diversities
from openveil.core.secret import ChanceError, Secret
from openveil.core.table import Public
from openveil.core.witness import Labels, Witness
from openveil.tools.covering import Show, covered


@dataclass(frozen=True)
class Partitioned(Publisher):
    """A publisher that puts every row into one group; see `Grouped`, and `Masked` in `tools/masked.py`.

    `scheme` is "generalisation" (quasi-identifiers are shown as what covers the group) or "bucketisation" (they are
    shown as they are, with a group number, and a second table has the sensitive values of each group). `show` is, for
    generalisation, "intervals", "nodes" of the hierarchies, or "fitting": intervals for numbers and dates, nodes
    for the rest.
    """

    takes_sensitive: ClassVar[bool] = True
    # Whether groups that are considered at the same time are in boxes apart, so that labels tell who is in which.
    in_boxes: ClassVar[bool] = False

    scheme: Scheme = Scheme.GENERALISATION
    show: Show = Show.FITTING

    @abstractmethod
    def settled(self, public: Public, witness: Witness, requirement: Requirement) -> Labels:
        """The group of each row before anything is drawn."""

    def drawn(self, strata: Labels, witness: Witness, requirement: Requirement, secret: Secret) -> Labels:
        """The group of each row in the end; nothing is drawn unless a subclass says so."""
        return strata

    @property
    def draws(self) -> bool:
        """Whether rows are drawn into smaller groups in the end."""
        return type(self).drawn is not Partitioned.drawn


@dataclass(frozen=True)
class Grouped(Partitioned):
    """A publisher of groups with the sensitive values of their rows; see its subclasses for how these are found."""

    def solve(self, public: Public, witness: Witness, requirement: Requirement, secret: Secret) -> Recoding:
        """Partition the rows, or raise `GuaranteeError` when no partition meets the requirement."""
        refuse_persons(public, requirement)
        refuse_unattainable(public, witness, requirement)
        strata = self.settled(public, witness, requirement)
        return self.recoded(public, strata, self.drawn(strata, witness, requirement, secret))

    def recoded(self, public: Public, strata: Labels, group: Labels) -> Recoding:
        """The groups that came of these strata, each as what covers it."""
        return replace(covered(public, group, self.show), scheme=self.scheme, settled=strata)

    def odds(self, public: Public, witness: Witness, requirement: Requirement, seen: Recoding) -> Fraction:
        """How likely the groups come out that are seen; what they are shown as follows from them."""
        try:
            refuse_unattainable(public, witness, requirement)
        except GuaranteeError:
            return Fraction(0)
        return self.odds_of(self.settled(public, witness, requirement), seen.group, witness, requirement)

    def odds_of(self, strata: Labels, group: Labels, witness: Witness, requirement: Requirement) -> Fraction:
        """How likely these groups are drawn from these strata; a subclass that draws has to say."""
        if self.draws:
            raise ChanceError
        return Fraction(same_groups(strata, group))


def refuse_persons(public: Public, requirement: Requirement) -> None:
    """Refuse to protect sensitive values of persons who have several rows."""
    if public.persons is None or not requirement.reads_sensitive:
        return
    several = int((np.bincount(public.persons) > 1).sum())
    if several:
        raise refuse(
            f"privacy: {requirement.name}",
            "counts rows, so it does not protect persons who have several rows",
            "Keep one row a person, for example the last",
            found=f"{several:,} persons with several rows",
        )


def refuse_unattainable(public: Public, witness: Witness, requirement: Requirement) -> None:
    """Refuse what all rows together do not meet, saying what they do."""
    _refuse_short(public, requirement, [*_too_few(public, requirement), *_too_alike(public, witness, requirement)])


def refuse_too_few(public: Public, requirement: Requirement) -> None:
    """Refuse what asks for more rows or persons than there are; whether values are too alike is not looked at."""
    _refuse_short(public, requirement, [*_too_few(public, requirement)])


def _refuse_short(public: Public, requirement: Requirement, short: Sequence[str]) -> None:
    if short:
        raise GuaranteeError(
            model=requirement.name,
            promised=requirement.promise,
            reached=f"but all {len(public):,} rows together reach only {', '.join(short)}",
            remedy="Ask for no more than that, or leave out rows or sensitive columns",
        )


def _too_few(public: Public, requirement: Requirement) -> Iterator[str]:
    rows = len(public)
    persons = rows if public.persons is None else len(np.unique(public.persons))
    from openveil.core.bags import Bags

    one = Bags.of_counts("", [[1]])
    for model in requirement.parts():
        if not model.reads_sensitive and int(model.needs(one)[0]) > min(rows, persons):
            yield f"k = {min(rows, persons)}"


def _too_alike(public: Public, witness: Witness, requirement: Requirement) -> Iterator[str]:
    if not requirement.reads_sensitive:
        return
    for bags in witness.tally(np.zeros(len(public), dtype=np.int32), 1):
        for model in diversities(requirement):
            if model.concerns(bags) and not model.enough(bags).all():
                yield f"{model.attainable(bags)} ({bags.view})"
