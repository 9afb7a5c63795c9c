"""The check of mu-Argus: every combination of up to three quasi-identifier values is frequent enough. A baseline.

Claim. None that protects anyone: the check is necessary for k-anonymity and not sufficient, because a person may
be singled out by four values together. Take two races, two years of birth, two sexes and two ZIP codes, and one
row for each of the 16 combinations: every one, two or three values occur together at least twice, and every row
is unique. In practice mu-Argus looked at some combinations only; in its release of Fig. 12 of the paper one white
male born 1964 in 94138 is left alone by the three values white, 1964 and 94138.

Why it fails. A class is a combination of all quasi-identifiers, and only its marginals are counted. Leaving out
the classes that fail can make others fail, so they are left out again and again until all that stay hold together;
this greatest set only grows when values become coarser, so the model is monotone.

Cost. One lift for every combination of one, two or three attributes, for every round of leaving out.

Source. Hundepool and Willenborg 1996, as described in P. Samarati, Protecting Respondents' Identities in
Microdata Release, 2001, section 7.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from openveil.core.bags import Bags, Counts
from openveil.core.classes import Classes
from openveil.core.errors import refuse
from openveil.core.finding import Finding, Verdict
from openveil.core.registry import Kind, Status, part
from openveil.core.requirement import Requirement, refuse_beyond

WIDEST = 3


@part(Kind.REQUIREMENT, "mu-argus", source="Samarati 2001, section 7", status=Status.KNOWN_UNSAFE)
@dataclass(frozen=True, slots=True)
class MuArgus(Requirement):
    """Every one, two or three quasi-identifier values occur together for at least k persons: not enough."""

    by_class: ClassVar[bool] = False

    k: int

    def __post_init__(self) -> None:
        if self.k < 1:
            raise refuse("mu-argus", "k must be a positive whole number", "Ask for 2 or more", found=str(self.k))
        refuse_beyond("mu-argus", "k", self.k)

    def holds(self, classes: Classes) -> NDArray[np.bool_]:
        """For each class, whether its combinations of at most three values stay frequent when failing classes go."""
        answer = np.ones(len(classes), dtype=np.bool_)
        while answer.any():
            kept = self._rarest(classes.keep(answer)) >= self.k
            if kept.all():
                break
            answer[answer] = kept
        return answer

    def needs(self, bags: Bags) -> Counts:
        """`k` rows of one class alone make all its combinations frequent enough."""
        return np.full(len(bags), self.k, dtype=np.int64)

    def measure(self, classes: Classes) -> tuple[Finding, ...]:
        """The rarest combination of at most three values; enough of it is still no protection."""
        number = Finding("classes", "release", len(classes))
        if not len(classes):
            return (number,)
        least = int(self._rarest(classes).min())
        verdict = Verdict.HOLDS if least >= self.k else Verdict.FAILS
        note = "a baseline: four values together may still single a person out"
        return (Finding("rarest combination", "up to three values", least, verdict, self.k, note=note), number)

    @property
    def promise(self) -> str:
        """The requirement in a few words."""
        return f"every {WIDEST} values at least {self.k} times"

    def _rarest(self, classes: Classes) -> Counts:
        """For each class, how many persons have its rarest combination."""
        rarest = np.full(len(classes), np.iinfo(np.int64).max)
        for chosen in _combinations(len(classes.maps)):
            rarest = np.minimum(rarest, _having(classes, chosen))
        return rarest


def _combinations(attributes: int) -> Iterator[tuple[int, ...]]:
    # A table without quasi-identifiers has the empty combination only, which is the whole table.
    for width in range(min(1, attributes), min(WIDEST, attributes) + 1):
        yield from combinations(range(attributes), width)


def _having(classes: Classes, chosen: tuple[int, ...]) -> Counts:
    """For each class, how many persons share its values in the chosen attributes."""
    maps = [codes if a in chosen else np.zeros_like(codes) for a, codes in enumerate(classes.maps)]
    merged = classes.lift(maps)
    shared: Counts = merged.persons[merged.label[classes.firsts]]
    return shared
