"""Rotations: a function is released if no rotation of its groups makes an earlier function hold.

Claim. Every group meets the privacy model, and to whoever knows the algorithm, every quasi-identifier and which group
each person is in, every person has each sensitive value with exactly the chance that the group shows. Some tables
that agree with the release are ruled out, but together they tell nothing about any single person. Of several persons
together they may tell something.

Why it holds. The disclosure set is a union of whole rotation sets (`disclosure/rotations.py`), over each of which
everyone's values are spread as in the group. It is enumerated on small tables in the contract suite. Rows of a group
are rotated in the order in which they stand in the file: it must not follow from sensitive values, as it does where
the file is sorted by them. Whoever learns that nothing was released learns something.

Cost. The square of the size of the largest group, at worst for every group; functions with groups of more than
`MOST` rows are left out.

Source. L. Zhang, S. Jajodia, A. Brodsky, Information Disclosure under Realistic Assumptions: Privacy versus
Optimality, 2007, section 4.3, Algorithm 5. The listing is lost: this is *whole* of the two readings of the text, made
to depend on groups alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from openveil.core.disclosed import Disclosed
from openveil.core.finding import Key
from openveil.core.registry import Kind, Status, part
from openveil.core.requirement import Requirement
from openveil.core.table import Public
from openveil.core.witness import Labels, Witness
from openveil.disclosure.asking import Ratios, ratios_of
from openveil.disclosure.functions import Functions, image_of
from openveil.disclosure.judging import nothing_ruled_out
from openveil.disclosure.rotations import first_level
from openveil.disclosure.strategies import Outcome, holds
from openveil.tools.sequences import Sequenced, Sequential
from openveil.tools.stepping import CHANCE, told

MOST = 2000


@part(
    Kind.PUBLISHER, "rotation", source="Zhang, Jajodia, Brodsky 2007, section 4.3, Algorithm 5", status=Status.PROVED
)
@dataclass(frozen=True)
class Rotation(Sequential):
    """Release a function if its groups hold and no rotation of their values makes an earlier one hold.

    `levels` lists, step by step, the level of each attribute (those left out stay where they were, at first at 0);
    `partitions` lists a group for every row. Without either, `steps` functions are boxes of quasi-identifiers, the
    finest of at least `least` rows, each next four times as many, the last the whole table. Each function must
    refine the next. `scheme` is "generalisation" or "bucketisation"; `show` is "fitting", "intervals" or "nodes".
    """

    says: ClassVar[tuple[Key, ...]] = (CHANCE,)

    def outcome(self, sequence: Sequenced, witness: Witness, asked: Ratios) -> Outcome:
        """The first function that may be released, by the values of the rows as they stand."""
        tried = _tried(sequence.functions)
        rows = np.arange(len(sequence.public), dtype=np.int32)
        chain = [_groups_of(sequence.functions.labels[i]) for i in tried]
        found = first_level(chain, witness.values(rows).tolist(), asked)
        return Outcome(None if found is None else tried[found])

    def disclosed(
        self, public: Public, witness: Witness, requirement: Requirement, group: Labels
    ) -> Disclosed | None:
        """Everyone has each value with the chance that the group shows."""
        sequence = self.sequence(public, requirement)
        found = [i for i in sequence.like(group) if i in _tried(sequence.functions)]
        image = image_of(witness.tally(group, int(group.max(initial=-1)) + 1)[0])
        if not found or not holds(image, ratios_of(requirement)):
            return told(sequence, None)
        # Rotations are about single rows, so every look is one that the disclosure set accounts for.
        rows = np.arange(len(public), dtype=np.int32)
        said = told(sequence, nothing_ruled_out(image))
        return replace(said, functions=(*said.functions, rows), findings=said.findings[:1])


def _tried(functions: Functions) -> list[int]:
    """The functions that fit and have no group too large, each of which must refine the next one kept."""
    kept: list[int] = []
    for i, fits in enumerate(functions.fits):
        small = int(np.bincount(functions.labels[i]).max(initial=0)) <= MOST
        if fits and small and all(functions.refines(j, i) for j in kept[-1:]):
            kept.append(i)
    return kept


def _groups_of(label: Labels) -> list[list[int]]:
    order = np.argsort(label, kind="stable")
    return [each.tolist() for each in np.split(order, np.cumsum(np.bincount(label))[:-1])]
