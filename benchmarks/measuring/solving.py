"""The publishing that is measured: from an encoded table to groups and what they are shown as."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from measuring.people import People
from openveil.core.publisher import Publisher
from openveil.core.recoding import Recoding
from openveil.core.requirement import Requirement
from openveil.core.secret import Secret
from openveil.core.witness import Witness
from openveil.workflow.plan import Plan


@dataclass(frozen=True, eq=False)
class Solving:
    """A table, and a method that is to publish it. The door to the sensitive column is opened anew in each run."""

    people: People
    publisher: Publisher
    requirement: Requirement

    @staticmethod
    def of(people: People, method: str) -> Solving:
        """Ask the method for groups of the table."""
        plan = Plan.from_dict(people.wishes(method))
        return Solving(people, plan.publisher, plan.requirement)

    def columns(self) -> dict[str, NDArray[Any]]:
        """The encoded table."""
        return {"codes": self.people.public.codes, "values": self.people.values}

    def on(self, columns: dict[str, NDArray[Any]]) -> Solving:
        """The same method for another table with the same axes."""
        public = replace(self.people.public, codes=columns["codes"])
        return replace(self, people=replace(self.people, public=public, values=columns["values"]))

    def run(self, seconds: float = 0.0) -> Recoding:
        """Find the groups; it takes as long as it takes."""
        witness = Witness(self.people.sensitive)
        return self.publisher.solve(self.people.public, witness, self.requirement, Secret.fresh())


def levels_of(recoding: Recoding) -> int:
    """How often the rows have to be halved to come to so many groups."""
    return max(1, int(np.ceil(np.log2(max(1, len(recoding.cells))))))
