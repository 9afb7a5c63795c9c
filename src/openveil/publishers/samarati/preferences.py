"""Which of several minimal generalisations is preferred.

Claim. A preference gives every candidate a score; the candidates of least score are preferred, and ties are
kept. All scores are integers or fractions, so that ties are ties.

Source. [004] section 6: the four basic policies, and the further ones it names; SPEC K5.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from openveil.core.errors import refuse
from openveil.core.lattice import Vector
from openveil.core.registry import Kind, Status, part

SECTION_6 = "Samarati 2001, section 6"
# Without an exponent, for that of a few digits can ask for an integer of millions.
_PLAIN = re.compile(r"(?=.{1,40}$)\s*-?[0-9]*\.?[0-9]+(/[0-9]+)?\s*")


@dataclass(frozen=True, slots=True)
class Candidate:
    """An acceptable vector and what it does: rows suppressed, distinct tuples released."""

    vector: Vector
    heights: Vector
    names: tuple[str, ...]
    suppressed: int
    released_tuples: int

    @property
    def relative(self) -> tuple[Fraction, ...]:
        """Each attribute's share of its own height; 0 where there is nothing to generalise."""
        return tuple(Fraction(d, h) if h else Fraction(0) for d, h in zip(self.vector, self.heights, strict=True))


Score = int | Fraction | tuple[Fraction, ...]


class Preference(ABC):
    """A policy; the least score is preferred."""

    @abstractmethod
    def score(self, candidate: Candidate) -> Score:
        """How little the candidate is liked."""


def preferred(preference: Preference, candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates of least score."""
    scores = [preference.score(candidate) for candidate in candidates]
    return [candidate for candidate, score in zip(candidates, scores, strict=True) if score == min(scores)]


@part(Kind.PREFERENCE, "minimum-absolute-distance", source=SECTION_6, status=Status.PROVED)
@dataclass(frozen=True)
class MinimumAbsoluteDistance(Preference):
    """Prefers the smallest total number of generalisation steps."""

    def score(self, candidate: Candidate) -> Score:
        """The height of the vector."""
        return sum(candidate.vector)


@part(Kind.PREFERENCE, "minimum-relative-distance", source=SECTION_6, status=Status.PROVED)
@dataclass(frozen=True)
class MinimumRelativeDistance(Preference):
    """Prefers the smallest total of steps, each counted as a share of its hierarchy's height."""

    def score(self, candidate: Candidate) -> Score:
        """The sum of the relative distances."""
        return sum(candidate.relative, Fraction(0))


@part(Kind.PREFERENCE, "maximum-distribution", source=SECTION_6, status=Status.PROVED)
@dataclass(frozen=True)
class MaximumDistribution(Preference):
    """Prefers the greatest number of distinct released tuples."""

    def score(self, candidate: Candidate) -> Score:
        """Minus the number of distinct tuples left after suppression."""
        return -candidate.released_tuples


@part(Kind.PREFERENCE, "minimum-suppression", source=SECTION_6, status=Status.PROVED)
@dataclass(frozen=True)
class MinimumSuppression(Preference):
    """Prefers the fewest suppressed rows."""

    def score(self, candidate: Candidate) -> Score:
        """The number of suppressed rows."""
        return candidate.suppressed


@part(Kind.PREFERENCE, "fewest-attributes", source=SECTION_6, status=Status.PROVED)
@dataclass(frozen=True)
class FewestAttributes(Preference):
    """Prefers to generalise as few attributes as possible, however far."""

    def score(self, candidate: Candidate) -> Score:
        """The number of attributes that are generalised."""
        return sum(level > 0 for level in candidate.vector)


@part(Kind.PREFERENCE, "most-attributes", source=SECTION_6, status=Status.PROVED)
@dataclass(frozen=True)
class MostAttributes(Preference):
    """Prefers to spread generalisation over as many attributes as possible."""

    def score(self, candidate: Candidate) -> Score:
        """Minus the number of attributes that are generalised."""
        return -sum(level > 0 for level in candidate.vector)


@part(Kind.PREFERENCE, "smallest-peak", source=SECTION_6, status=Status.PROVED)
@dataclass(frozen=True)
class SmallestPeak(Preference):
    """Prefers the smallest highest level of any attribute."""

    def score(self, candidate: Candidate) -> Score:
        """The greatest absolute distance of an attribute."""
        return max(candidate.vector, default=0)


@part(Kind.PREFERENCE, "smallest-relative-peak", source=SECTION_6, status=Status.PROVED)
@dataclass(frozen=True)
class SmallestRelativePeak(Preference):
    """Prefers the smallest highest share of a hierarchy that any attribute climbs."""

    def score(self, candidate: Candidate) -> Score:
        """The greatest relative distance of an attribute."""
        return max(candidate.relative, default=Fraction(0))


@part(Kind.PREFERENCE, "highest-peak", source=SECTION_6, status=Status.PROVED)
@dataclass(frozen=True)
class HighestPeak(Preference):
    """Prefers the highest level of some attribute, as the paper words it: one attribute pays for the others."""

    def score(self, candidate: Candidate) -> Score:
        """Minus the greatest absolute distance of an attribute."""
        return -max(candidate.vector, default=0)


@part(Kind.PREFERENCE, "highest-relative-peak", source=SECTION_6, status=Status.PROVED)
@dataclass(frozen=True)
class HighestRelativePeak(Preference):
    """Prefers the highest share of its hierarchy that some attribute climbs."""

    def score(self, candidate: Candidate) -> Score:
        """Minus the greatest relative distance of an attribute."""
        return -max(candidate.relative, default=Fraction(0))


@part(Kind.PREFERENCE, "attribute-order", source=SECTION_6, status=Status.PROVED)
@dataclass(frozen=True)
class AttributeOrder(Preference):
    """Keeps the attributes of `keep` as precise as possible, the first one before the second and so on."""

    keep: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.keep or len(set(self.keep)) != len(self.keep):
            raise refuse(
                "method: prefer: keep", "must name each attribute once", "List the attributes, dearest first"
            )

    def score(self, candidate: Candidate) -> Score:
        """The relative distances of the named attributes, in their order."""
        _known("keep", self.keep, candidate)
        relative = dict(zip(candidate.names, candidate.relative, strict=True))
        return tuple(relative[name] for name in self.keep)


@part(Kind.PREFERENCE, "attribute-cost", source=SECTION_6, status=Status.PROVED)
@dataclass(frozen=True)
class AttributeCost(Preference):
    """Prefers the least total cost, where one step of an attribute costs what `costs` says (others cost 1)."""

    costs: Mapping[str, int | float | str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if any(_exact(cost) < 0 for cost in self.costs.values()):
            raise refuse("method: prefer: costs", "a cost is negative", "Give each attribute a cost of 0 or more")

    def score(self, candidate: Candidate) -> Score:
        """The sum over attributes of steps times cost."""
        _known("costs", self.costs, candidate)
        priced = zip(candidate.names, candidate.vector, strict=True)
        return sum((_exact(self.costs.get(name, 1)) * steps for name, steps in priced), Fraction(0))


def _exact(cost: float | str) -> Fraction:
    wrong = refuse("method: prefer: costs", "a cost is not a number", "Write numbers such as 2 or 0.5")
    if isinstance(cost, str) and not _PLAIN.fullmatch(cost):
        raise wrong
    try:
        return Fraction(str(cost))
    except (ValueError, ZeroDivisionError):
        raise wrong from None


def _known(where: str, named: Sequence[str] | Mapping[str, object], candidate: Candidate) -> None:
    strangers = [name for name in named if name not in candidate.names]
    if strangers:
        listed = ", ".join(repr(name) for name in strangers)
        raise refuse(
            f"method: prefer: {where}", "names columns that are not quasi-identifiers", "Correct them", found=listed
        )
