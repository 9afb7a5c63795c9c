"""What a publisher is: one method, from what an adversary may know to a recoding."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from fractions import Fraction
from typing import ClassVar

from openveil.core.disclosed import Disclosed, Safety
from openveil.core.errors import GuaranteeError
from openveil.core.finding import Key
from openveil.core.recoding import Recoding, same_release
from openveil.core.requirement import Requirement
from openveil.core.secret import NoChance, Secret
from openveil.core.table import Public
from openveil.core.witness import Labels, Witness


class Publisher(ABC):
    """A published algorithm; its fields are its parameters.

    `takes_sensitive` says that it can promise something about sensitive values, `needs_guards` that it is made for
    what persons want guarded, and for nothing else, `safety` in what sense it is safe against those who know it,
    `says` what it may find of itself.
    """

    takes_sensitive: ClassVar[bool] = False
    needs_guards: ClassVar[bool] = False
    safety: ClassVar[Safety] = Safety.SAME_WORLDS
    says: ClassVar[tuple[Key, ...]] = ()

    @abstractmethod
    def solve(self, public: Public, witness: Witness, requirement: Requirement, secret: Secret) -> Recoding:
        """Decide how the table is published, or raise `GuaranteeError` when it cannot be."""

    def settled(self, public: Public, witness: Witness, requirement: Requirement) -> Labels:
        """The group of each row before anything is drawn: what comes out again whenever the algorithm is replayed."""
        return self.solve(public, witness, requirement, Secret.fresh()).group

    def outcomes(
        self, public: Public, witness: Witness, requirement: Requirement
    ) -> Iterator[tuple[Recoding, Fraction]]:
        """All that the algorithm may publish, and how likely; nothing where it refuses.

        To be defined by one that draws at random; what it yields need not be told apart.
        """
        try:
            yield self.solve(public, witness, requirement, NoChance()), Fraction(1)
        except GuaranteeError:
            return

    def odds(self, public: Public, witness: Witness, requirement: Requirement, seen: Recoding) -> Fraction:
        """How likely the algorithm publishes just what is seen."""
        outcomes = self.outcomes(public, witness, requirement)
        return sum((chance for each, chance in outcomes if same_release(each, seen)), start=Fraction(0))

    def disclosed(
        self, public: Public, witness: Witness, requirement: Requirement, group: Labels
    ) -> Disclosed | None:
        """What knowing the method tells of a release in these groups; nothing more where worlds stay the same.

        The witness may have the values of each group in any order, and is to be asked about published groups alone.
        """
        return None
