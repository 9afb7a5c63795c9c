"""Publishers that follow a strategy, and what they say of their disclosure sets.

Claim. That a function may be published is said by the disclosure set of a strategy (`disclosure/strategies.py`),
worked out once when the table is published and once more from the published groups, in which values stand in any
order.

Cost. One tally of the rows a function, and that of the strategy.

Source. Zhang, Wang, Jajodia, Brodsky 2008.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from math import inf, nextafter
from typing import ClassVar

import numpy as np

from openveil.core.disclosed import CHANCE, Disclosed
from openveil.core.finding import Finding, Key
from openveil.core.progress import report
from openveil.core.requirement import Requirement
from openveil.core.secret import Secret
from openveil.core.table import Public
from openveil.core.witness import Labels, Witness
from openveil.disclosure.asking import Ratios, ratios_of
from openveil.disclosure.functions import Functions, Image, image_of
from openveil.disclosure.judgements import Interval, Judgement, Regime
from openveil.disclosure.strategies import Outcome, Seen, Strategy, holds, never_silent
from openveil.tools.sequences import Sequenced, Sequential

RULED_OUT: Key = ("share of the tables that agree with the release and are ruled out by the method", "disclosure set")


class Refusal(StrEnum):
    """Tables of which nothing can be released are told by silence, or functions are chosen that avoid it."""

    PLAIN = "plain"
    SAFE = "safe"


@dataclass(frozen=True)
class Stepwise(Sequential):
    """A publisher that follows a strategy.

    `refusal` is "plain", or "safe": functions are then left out until something is always released if the last
    function holds. The rest is as for every sequence.
    """

    says: ClassVar[tuple[Key, ...]] = (CHANCE, RULED_OUT)

    refusal: Refusal = Refusal.PLAIN

    @property
    @abstractmethod
    def strategy(self) -> Strategy:
        """Which function is released."""

    @abstractmethod
    def judged(self, functions: Functions, i: int, image: Image, asked: Ratios) -> Judgement:
        """What is known of the disclosure set when function i is released with these groups."""

    def outcome(self, sequence: Sequenced, witness: Witness, asked: Ratios, secret: Secret) -> Outcome:
        """What the strategy does with the table at hand."""
        looking = Looking(sequence.functions, witness, asked)
        return self.strategy(self.kept(sequence.functions, looking, asked), looking, asked)

    def disclosed(
        self, public: Public, witness: Witness, requirement: Requirement, group: Labels
    ) -> Disclosed | None:
        """What is known of the disclosure set of a release in these groups; only they are asked about."""
        sequence, asked = self.sequence(public, requirement), ratios_of(requirement)
        looking = Looking(sequence.functions, witness, asked)
        functions = self.kept(sequence.functions, looking, asked)
        said = (self.judged(functions, i, looking.image(i), asked) for i in sequence.like(group) if functions.fits[i])
        found = next((each for each in said if each.holds), None)
        return told(sequence, found)

    def kept(self, functions: Functions, seen: Seen, asked: Ratios) -> Functions:
        """The functions that are tried of a table; with "safe" that follows from what the last one shows."""
        if self.refusal != Refusal.SAFE:
            return functions
        return never_silent(functions, seen, asked, self.strategy)


def told(sequence: Sequenced, judgement: Judgement | None) -> Disclosed:
    """What is said of a disclosure set; of none, if the release is not one that the sequence has."""
    whole = np.zeros(len(sequence.public), dtype=np.int32)
    labels = (whole, *sequence.functions.labels)
    if judgement is None:
        return Disclosed(holds=False, functions=labels, note="no function of the sequence is released so")
    return Disclosed(holds=True, functions=labels, note=how_told(judgement), findings=_measured(judgement))


@dataclass(frozen=True, eq=False)
class Looking:
    """What functions show of a table, asked through a witness; each is asked about once."""

    functions: Functions
    witness: Witness
    asked: Ratios
    _known: dict[int, Image] = field(default_factory=dict, repr=False)

    def image(self, i: int) -> Image:
        """The groups of function i."""
        if i not in self._known:
            report("asking about function", i / len(self.functions))
            bags = self.witness.tally(self.functions.labels[i], self.functions.groups(i))[0]
            self._known[i] = image_of(bags)
        return self._known[i]

    def holds(self, i: int) -> bool:
        """Whether each of them holds by itself."""
        return holds(self.image(i), self.asked)


def how_told(judgement: Judgement) -> str:
    """How it was told, group by group."""
    said = Counter(dict(judgement.groups))
    listed = ", ".join(f"{said[regime]:,} {regime}" for regime in Regime if said[regime])
    return f"of the groups, answered: {listed}"


def _bounded(name: Key, bounds: Interval) -> Finding:
    """The upper bound and the interval, rounded outwards."""
    low, high = map(float, bounds)
    low = low if Fraction(low) <= bounds[0] else nextafter(low, -inf)
    high = high if Fraction(high) >= bounds[1] else nextafter(high, inf)
    return Finding(*name, high, interval=(low, high))


def _measured(judgement: Judgement) -> tuple[Finding, ...]:
    return _bounded(CHANCE, judgement.chance), _bounded(RULED_OUT, judgement.ruled_out)
