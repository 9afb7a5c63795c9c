"""An algorithm as an adversary knows it: what it may publish of a table, and how likely.

Claim. `chance` is the exact probability that the algorithm publishes just what was seen, of a table whose sensitive
values are these. `Tried` algorithms are run several times instead, and give a share of runs, not a probability.

Cost. See each.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

from openveil.core.errors import refuse
from openveil.core.witness import Labels
from openveil.worlds.people import People
from openveil.worlds.seen import Seen

# What a reader sees, in a form that two releases share just when they look alike to the reader.
View = Hashable


class Algorithm(ABC):
    """What is known of how a release came about. `runs` is how often it is run for each table."""

    exact: ClassVar[bool] = True
    runs: int

    @property
    def doubt(self) -> str:
        """What of the release the tables leave out, so that nothing can be said to hold; nothing mostly."""
        return ""

    @property
    def unread(self) -> tuple[str, ...]:
        """The columns of the release that the reader does not name; none mostly."""
        return ()

    @property
    @abstractmethod
    def seen(self) -> View:
        """What was published."""

    @abstractmethod
    def outcomes(self, codes: Labels) -> Iterator[tuple[View, Fraction]]:
        """All it may publish of the table with these sensitive values, and how likely; nothing where it refuses."""

    def chance(self, codes: Labels) -> Fraction:
        """How likely it publishes what was seen."""
        return sum((chance for view, chance in self.outcomes(codes) if view == self.seen), start=Fraction(0))

    def elsewhere(self, people: People) -> Algorithm:
        """The same algorithm, and what was seen, for a table of other people."""
        raise refuse(
            "roster",
            "must be known to a reader who knows the group of everyone",
            "Ask for what a reader of labels sees, or take the roster to be known",
        )


@dataclass(frozen=True, eq=False)
class Case:
    """A release to be judged: the people it is about, what it tells of them, and the algorithm it came from."""

    people: People = field(repr=False)
    seen: Seen = field(repr=False)
    algorithm: Algorithm = field(repr=False)
