"""Rotations: a function is released if no rotation of its groups makes an earlier function hold.

Claim. Every group meets the privacy model, and to whoever knows the algorithm, every quasi-identifier and which group
each person is in, every person has each sensitive value with exactly the chance that the group shows. Some tables
that agree with the release are ruled out, but together they tell nothing about any single person. Of several persons
together they may tell something.

Why it holds. Persons are rotated in an order that is drawn from the secret, so it tells nothing of their values, not
even where the file is sorted by these. For each order the disclosure set is a union of whole rotation sets
(`disclosure/rotations.py`), over each of which everyone's values are spread as in the group; so they are over all
orders together, however likely each is. Enumerated on small tables in the contract suite. Whoever learns that nothing
was released learns something.

Cost. The square of the size of the largest group, at worst for every group; functions with groups of more than
`MOST` rows are left out.

Source. L. Zhang, S. Jajodia, A. Brodsky, Information Disclosure under Realistic Assumptions: Privacy versus
Optimality, 2007, section 4.3, Algorithm 5. The listing is lost: this is *whole* of the two readings of the text, made
to depend on groups alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import permutations
from math import factorial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from openveil.core.disclosed import Disclosed
from openveil.core.finding import Key
from openveil.core.recoding import Recoding, same_groups
from openveil.core.registry import Kind, Status, part
from openveil.core.requirement import Requirement
from openveil.core.secret import ChanceError, Secret
from openveil.core.table import Public
from openveil.core.witness import Labels, Witness
from openveil.disclosure.asking import Ratios, ratios_of
from openveil.disclosure.functions import Functions, image_of
from openveil.disclosure.judging import nothing_ruled_out
from openveil.disclosure.rotations import first_level
from openveil.disclosure.strategies import Outcome, holds
from openveil.tools.grouped import refuse_persons
from openveil.tools.sequences import Sequenced, Sequential
from openveil.tools.stepping import CHANCE, told

MOST = 2000
# How likely a release is, is counted for tables of at most so many rows.
MOST_ORDERED = 6


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

    def outcome(self, sequence: Sequenced, witness: Witness, asked: Ratios, secret: Secret) -> Outcome:
        """The first function that may be released, by the values of the rows in an order that is drawn."""
        rows = np.arange(len(sequence.public), dtype=np.int32)
        order = secret.permutation("order of rotation", len(rows))
        values = witness.values(rows).tolist()
        found = _released(sequence.functions, values, order, asked)
        return Outcome(found, silence="" if found is not None else _why(sequence.functions, values, asked))

    def outcomes(
        self, public: Public, witness: Witness, requirement: Requirement
    ) -> Iterator[tuple[Recoding, Fraction]]:
        """What comes of each order in which so few rows can be rotated; of more rows that is not counted."""
        rows = len(public)
        if rows > MOST_ORDERED:
            raise ChanceError
        refuse_persons(public, requirement)
        sequence, asked = self.sequence(public, requirement), ratios_of(requirement)
        values = witness.values(np.arange(rows, dtype=np.int32)).tolist()
        orders = (np.array(order, dtype=np.int64) for order in permutations(range(rows)))
        found = Counter(_released(sequence.functions, values, order, asked) for order in orders)
        for i, number in found.items():
            if i is not None:
                yield sequence.recoding(i, self.show, self.scheme), Fraction(number, factorial(rows))

    def odds(self, public: Public, witness: Witness, requirement: Requirement, seen: Recoding) -> Fraction:
        """How likely the groups come out that are seen, over all orders."""
        outcomes = self.outcomes(public, witness, requirement)
        return sum((chance for each, chance in outcomes if same_groups(each.group, seen.group)), start=Fraction(0))

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


def _released(functions: Functions, values: list[int], order: NDArray[np.int64], asked: Ratios) -> int | None:
    """The function that is released if rows are rotated in this order."""
    tried = _tried(functions)
    found = first_level([_groups_of(functions.labels[i], order) for i in tried], values, asked)
    return None if found is None else tried[found]


def _why(functions: Functions, values: list[int], asked: Ratios) -> str:
    """Why nothing is released although some function holds; nothing is said where none does."""
    rows = np.arange(len(values), dtype=np.int64)
    tried = _tried(functions)
    holding = [
        i
        for i, fits in enumerate(functions.fits)
        if fits and first_level([_groups_of(functions.labels[i], rows)], values, asked) is not None
    ]
    if any(i in tried for i in holding):
        return "each that holds may have a rotation that was released earlier"
    if any(_largest(functions, i) > MOST for i in holding):
        return f"each that holds has a group of more than {MOST:,} rows, or does not contain the one before"
    return "each that holds does not contain the one before" if holding else ""


def _largest(functions: Functions, i: int) -> int:
    return int(np.bincount(functions.labels[i]).max(initial=0))


def _tried(functions: Functions) -> list[int]:
    """The functions that fit and have no group too large, each of which must refine the next one kept."""
    kept: list[int] = []
    for i, fits in enumerate(functions.fits):
        small = _largest(functions, i) <= MOST
        if fits and small and all(functions.refines(j, i) for j in kept[-1:]):
            kept.append(i)
    return kept


def _groups_of(label: Labels, order: NDArray[np.int64]) -> list[list[int]]:
    """The rows of each group, in this order."""
    grouped = order[np.argsort(label[order], kind="stable")]
    return [each.tolist() for each in np.split(grouped, np.cumsum(np.bincount(label))[:-1])]
