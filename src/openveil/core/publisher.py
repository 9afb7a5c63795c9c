"""What a publisher is: one method, from what an adversary may know to a recoding."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from openveil.core.finding import Key
from openveil.core.recoding import Recoding
from openveil.core.requirement import Requirement
from openveil.core.secret import Secret
from openveil.core.table import Public
from openveil.core.witness import Labels, Witness


class Publisher(ABC):
    """A published algorithm; its fields are its parameters.

    `takes_sensitive` says that it can promise something about sensitive values, `says` what it may find of itself.
    """

    takes_sensitive: ClassVar[bool] = False
    says: ClassVar[tuple[Key, ...]] = ()

    @abstractmethod
    def solve(self, public: Public, witness: Witness, requirement: Requirement, secret: Secret) -> Recoding:
        """Decide how the table is published, or raise `GuaranteeError` when it cannot be."""

    def settled(self, public: Public, witness: Witness, requirement: Requirement) -> Labels:
        """The group of each row before anything is drawn: what comes out again whenever the algorithm is replayed."""
        return self.solve(public, witness, requirement, Secret.fresh()).group
