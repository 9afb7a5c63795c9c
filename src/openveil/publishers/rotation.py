"""Rotations: what is released is never told by a rotation of the values in its groups.

Claim. Every group meets the privacy model, and to whoever knows the algorithm, every quasi-identifier and which group
each person is in, every person has each sensitive value with exactly the chance that the group shows. Some tables
that agree with the release are ruled out, but together they tell nothing about any single person. Of several persons
together they may tell something. With `refusal = "plain"` whoever learns that nothing was released learns something;
with "safe" no more than that the last function fails.

Why it holds. Plain: a function is released if no rotation of its groups makes an earlier one hold. For each order of
the rows the disclosure set is a union of whole rotation sets (`disclosure/rotations.py`), over each of which
everyone's values are spread as in the group. Safe: the groups of the last function are taken apart, and those that
come of it, for as long as every rotation lets the smaller groups hold (`disclosure/descent.py`). Orders are drawn
from the secret, so they tell nothing of anybody's values, not even where the file is sorted by these. Enumerated on
small tables in the contract suite.

Cost. For each group that is asked about, one step for each of its rows and smaller groups: plain about the groups of
all earlier functions, safe about those of the next finer one.

Source. L. Zhang, S. Jajodia, A. Brodsky, Information Disclosure under Realistic Assumptions: Privacy versus
Optimality, 2007, section 4.3, Algorithm 5. The listing is lost: plain is *whole* of the two readings of the text,
made to depend on groups alone; safe is openveil's own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from openveil.core.disclosed import CHANCE, Disclosed
from openveil.core.finding import Key
from openveil.core.recoding import Recoding, same_groups
from openveil.core.registry import Kind, Status, part
from openveil.core.requirement import Requirement
from openveil.core.secret import Secret
from openveil.core.table import Public
from openveil.core.witness import Labels, Witness
from openveil.disclosure.asking import Ratios, ratios_of
from openveil.disclosure.chains import Chain
from openveil.disclosure.descent import Descent
from openveil.disclosure.functions import Functions, image_of
from openveil.disclosure.judging import nothing_ruled_out
from openveil.disclosure.rotations import Ascent, holds
from openveil.disclosure.strategies import Outcome, last_of
from openveil.disclosure.strategies import holds as image_holds
from openveil.disclosure.turning import MOST, Limits
from openveil.tools.grouped import refuse_persons
from openveil.tools.sequences import Sequenced, Sequential
from openveil.tools.stepping import Refusal, told


@part(
    Kind.PUBLISHER, "rotation", source="Zhang, Jajodia, Brodsky 2007, section 4.3, Algorithm 5", status=Status.PROVED
)
@dataclass(frozen=True)
class Rotation(Sequential):
    """Release groups in which everyone has each value just as likely as the group shows, found by rotating values.

    `levels` lists, step by step, the level of each attribute (those left out stay where they were, at first at 0);
    `partitions` lists a group for every row. Without either, `steps` functions are boxes of quasi-identifiers, the
    finest of at least `least` rows, each next four times as many, the last the whole table. Each function must
    refine the next. `refusal` is "plain": the first function is released of which no rotation makes an earlier one
    hold; or "safe": groups are taken apart, from the last function down, while every rotation lets the smaller ones
    hold, so that silence tells nothing. `scheme` is "generalisation" or "bucketisation"; `show` is "fitting",
    "intervals" or "nodes".
    """

    says: ClassVar[tuple[Key, ...]] = (CHANCE,)

    refusal: Refusal = Refusal.PLAIN

    def way(self, sequence: Sequenced, asked: Ratios) -> Ascent | Descent:
        """How the functions are gone through."""
        return descent_of(sequence, asked) if self.refusal == Refusal.SAFE else ascent_of(sequence, asked)

    def outcome(self, sequence: Sequenced, witness: Witness, asked: Ratios, secret: Secret) -> Outcome:
        """The groups that may be released, if the values of the rows are rotated in orders that are drawn."""
        values, way = _values(witness, len(sequence.public)), self.way(sequence, asked)
        group = way.groups(values, secret.permutation)
        if group is None:
            return Outcome(None, silence=_why(sequence.functions, way.chain, values, asked))
        whole = [i for i in sequence.like(group) if i in way.chain.numbers]
        several = way.functions_of(group)
        return Outcome(whole[0]) if whole else Outcome(min(several), groups=group, upto=max(several))

    def outcomes(
        self, public: Public, witness: Witness, requirement: Requirement
    ) -> Iterator[tuple[Recoding, Fraction]]:
        """What comes of all orders in which rows can be rotated; refused where there are too many."""
        refuse_persons(public, requirement)
        sequence = self.sequence(public, requirement)
        way = self.way(sequence, ratios_of(requirement))
        for group, chance in way.outcomes(_values(witness, len(public))):
            yield sequence.showing(group, self.show, self.scheme), chance

    def odds(self, public: Public, witness: Witness, requirement: Requirement, seen: Recoding) -> Fraction:
        """How likely the groups come out that are seen, over all orders."""
        outcomes = self.outcomes(public, witness, requirement)
        return sum((chance for each, chance in outcomes if same_groups(each.group, seen.group)), start=Fraction(0))

    def disclosed(
        self, public: Public, witness: Witness, requirement: Requirement, group: Labels
    ) -> Disclosed | None:
        """Everyone has each value with the chance that the group shows."""
        sequence, asked = self.sequence(public, requirement), ratios_of(requirement)
        image = image_of(witness.tally(group, int(group.max(initial=-1)) + 1)[0])
        if not self.way(sequence, asked).may_release(group) or not image_holds(image, asked):
            return told(sequence, None)
        # Rotations are about single rows, so every look is one that the disclosure set accounts for.
        rows = np.arange(len(public), dtype=np.int32)
        said = told(sequence, nothing_ruled_out(image))
        return replace(said, functions=(*said.functions, rows), findings=said.findings[:1])


def ascent_of(sequence: Sequenced, asked: Ratios) -> Ascent:
    """Up the functions that fit and have not too many groups, each of which must contain the one kept before."""
    functions = sequence.functions
    fitting = [i for i, fits in enumerate(functions.fits) if fits]
    largest = max((int(np.bincount(functions.labels[i]).max()) for i in fitting), default=0)
    return Ascent(Chain.upwards(functions, [i for i in fitting if largest * functions.groups(i) <= MOST]), asked)


def descent_of(sequence: Sequenced, asked: Ratios) -> Descent:
    """Down from the last function that fits, into those that lie in it, as far as their groups are large enough."""
    last = last_of(sequence.functions)
    every = [] if last is None else range(last + 1) if sequence.mixable else [last]
    chain = Chain.downwards(sequence.functions, every)
    return Descent(chain, tuple(sequence.fitting[i] for i in chain.numbers), asked)


def _values(witness: Witness, rows: int) -> NDArray[np.int32]:
    """The value of each row, numbered from 0."""
    values = witness.values(np.arange(rows, dtype=np.int32))
    return np.unique(values, return_inverse=True)[1].astype(np.int32)


def _why(functions: Functions, chain: Chain, values: NDArray[np.int32], asked: Ratios) -> str:
    """Why nothing is released although some function holds; nothing is said where none does."""
    limits = Limits(asked, int(values.max(initial=0)) + 1)
    holding = [
        i
        for i, (fits, label) in enumerate(zip(functions.fits, functions.labels, strict=True))
        if fits and holds(values[np.argsort(label, kind="stable")], np.bincount(label), limits)
    ]
    if any(i in chain.numbers for i in holding):
        return "each that holds may have a rotation that was released earlier"
    return "each that holds does not contain the one before, or has too many groups" if holding else ""
