"""Samarati's k-minimal generalisation with suppression, and the least-loss one.

Claim. The release satisfies the requirement, shows every attribute at one level of its hierarchy, suppresses
all and only the rows whose class does not hold, and at most as many as allowed. Under a preference of [004] the
vector is k-minimal and preferred among all k-minimal ones; under `minimum-information-loss` (the default) no
acceptable vector loses less, or the findings say that time ran out and what is proved.

Why it holds. See `minimal.py` (Theorems 5.1 to 5.3) and `least_loss.py`. Nothing sensitive is looked at: the
choice depends on the quasi-identifiers, the persons and the parameters alone, so knowing the algorithm teaches
nothing about a sensitive value that the release does not show.

Cost. Reading the rows once; then the cost of the search, which reads classes only.

Source. Samarati, Protecting Respondents' Identities in Microdata Release, IEEE TKDE 13(6), 2001; SPEC section 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar, Literal, cast

import numpy as np

from openveil.core.classes import Classes
from openveil.core.errors import RequestError, refuse
from openveil.core.finding import Finding, Key
from openveil.core.full_domain import classes_of, impossible, recode
from openveil.core.lattice import Lattice, Vector
from openveil.core.progress import report
from openveil.core.publisher import Publisher
from openveil.core.recoding import Recoding
from openveil.core.registry import Kind, Part, Status, discover, find, part
from openveil.core.requirement import Requirement
from openveil.core.secret import Secret
from openveil.core.suppression import Allowance
from openveil.core.table import Public
from openveil.core.witness import Witness
from openveil.publishers.samarati.least_loss import MOST_VECTORS, least_loss
from openveil.publishers.samarati.minimal import all_minimal, find_vector
from openveil.publishers.samarati.preferences import (
    Candidate,
    MinimumAbsoluteDistance,
    Preference,
    preferred,
)
from openveil.publishers.samarati.problem import Optimum, Problem
from openveil.publishers.samarati.satisfies import ByClasses, ByMatrix, Counter, OutOfTime
from openveil.publishers.samarati.survey import never, survey
from openveil.requirements.k_anonymity import KAnonymity
from openveil.utility.information_loss import Prices

LEAST_LOSS = "minimum-information-loss"
SEARCH = ("information loss", "search")
_LONGEST_WORD = 40


@part(Kind.PUBLISHER, "samarati", source="Samarati 2001", status=Status.PROVED)
@dataclass(frozen=True)
class Samarati(Publisher):
    """Full-domain generalisation with tuple suppression: minimal, and preferred among the minimal.

    `max_suppressed` rows may go (a count, or a share such as "2%"). `prefer` is "minimum-information-loss" or a
    preference by name, or { policy = name, ... } with its parameters. `engine` counts suppressed rows from
    "classes" or from the distance-vector "matrix". `seconds` bounds the search.
    """

    says: ClassVar[tuple[Key, ...]] = (SEARCH,)

    max_suppressed: int | float | str = 0
    prefer: str | Mapping[str, Any] = LEAST_LOSS
    engine: Literal["classes", "matrix"] = "classes"
    seconds: float = 60.0
    allowance: Allowance = field(init=False, repr=False)
    preference: Preference | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "allowance", Allowance.of(self.max_suppressed))
        object.__setattr__(self, "preference", _preference(self.prefer))
        if self.preference is None and self.engine == "matrix":
            raise refuse(
                "method: engine",
                f'the matrix counts for the preferences of the paper, not for prefer = "{LEAST_LOSS}"',
                'Choose another preference, or engine = "classes"',
            )
        if not 0 < self.seconds < float("inf"):
            raise refuse("method: seconds", "must be a positive number", "Give the search some time, such as 60")

    def solve(self, public: Public, witness: Witness, requirement: Requirement, secret: Secret) -> Recoding:
        """The recoding at the preferred vector; never asks the witness."""
        report("folding equal rows")
        classes = classes_of(public)
        allowed = self.allowance.rows(len(public))
        problem = Problem(public, classes, requirement, allowed, Prices.of(public, classes))
        vector, findings = self.choose(problem)
        return recode(public, classes, vector, requirement).with_findings(findings)

    def choose(self, problem: Problem) -> tuple[Vector, tuple[Finding, ...]]:
        """The vector, and what is to be said about how it was found."""
        timed = problem.within(self.seconds)
        if self.preference is None:
            optimum = least_loss(timed)
            if optimum is None:
                raise impossible(problem.public, problem.classes, problem.requirement)
            return optimum.vector, (_proof(optimum, problem),)
        _small_enough(problem.lattice)
        try:
            found = self.preferred(self.preference, timed)
        except OutOfTime:
            raise _too_slow(self.seconds) from None
        if found is None:
            raise impossible(problem.public, problem.classes, problem.requirement)
        return found, ()

    def preferred(self, preference: Preference, problem: Problem) -> Vector | None:
        """The preferred k-minimal vector, if there is an acceptable one."""
        counter = self.counter(problem)
        if isinstance(preference, MinimumAbsoluteDistance):
            return find_vector(counter, problem.lattice, problem.allowed)
        minimal = all_minimal(counter, problem.lattice, problem.allowed)
        return _best_of(preference, minimal, problem.without_hurry()) if minimal else None

    def counter(self, problem: Problem) -> Counter:
        """The engine that counts suppressed rows."""
        if self.engine == "classes":
            return ByClasses(problem.public, problem.classes, problem.requirement, problem.stop)
        if not isinstance(problem.requirement, KAnonymity):
            raise refuse("method: engine", "the matrix engine knows k-anonymity only", 'Use engine = "classes"')
        return ByMatrix(problem.public, problem.classes, problem.requirement.k)


def candidates(problem: Problem, vectors: list[Vector]) -> list[Candidate]:
    """What each vector suppresses and releases."""
    public = problem.public

    def weigh(vector: Vector, classes: Classes) -> Candidate:
        kept = problem.requirement.holds(classes)
        lost = int(classes.sizes[~kept].sum())
        return Candidate(vector, public.heights, public.names, lost, int(kept.sum()))

    weighed = survey(public, problem.classes, vectors, weigh, stop=never)
    return [candidate for candidate in weighed if candidate is not None]


def _best_of(preference: Preference, minimal: list[Vector], problem: Problem) -> Vector:
    """The preferred of the minimal vectors; among equally preferred ones the least loss, then the first, decides."""
    liked = [candidate.vector for candidate in preferred(preference, candidates(problem, minimal))]
    results = zip(liked, problem.examine(np.array(liked, dtype=np.int64)), strict=True)
    extra = {vector: result.extra for vector, result in results if result is not None}
    return min(liked, key=lambda vector: (problem.prices.generalising(vector) + extra[vector], vector))


def _preference(prefer: str | Mapping[str, Any]) -> Preference | None:
    from openveil.core.parameters import UnfitError, built

    named = {"policy": prefer} if isinstance(prefer, str) else dict(prefer)
    name = named.pop("policy", None)
    if name == LEAST_LOSS and not named:
        return None
    try:
        return cast("Preference", built(_policy(name), named))
    except UnfitError as error:
        raise error.inside("method", "prefer") from None


def _policy(name: object) -> Part:
    """The preference of that name, among those that may have parameters."""
    from openveil.core.parameters import kind_of, suggested

    found = find(Kind.PREFERENCE, name) if isinstance(name, str) else None
    if found is not None:
        return found
    if name == LEAST_LOSS:
        raise refuse("method: prefer", f"{LEAST_LOSS} has no parameters", f'Write prefer = "{LEAST_LOSS}"')
    names = [LEAST_LOSS, *(each.name for each in discover(Kind.PREFERENCE))]
    remedy = suggested(str(name), names) or f"Choose one of: {', '.join(names)}"
    written = "no policy" if name is None else kind_of(name)
    shown = repr(name) if isinstance(name, str) and len(name) <= _LONGEST_WORD else written
    raise refuse("method: prefer", "is not a preference policy", remedy, found=shown)


def _small_enough(lattice: Lattice) -> None:
    if lattice.size > MOST_VECTORS:
        raise refuse(
            "method: prefer",
            f"this preference compares all k-minimal vectors, and the lattice has {lattice.size:,}",
            f'Use prefer = "{LEAST_LOSS}", fewer quasi-identifiers or fewer levels',
        )


def _too_slow(seconds: float) -> RequestError:
    return refuse(
        "method: prefer",
        f"comparing all k-minimal generalisations takes longer than {seconds:g} seconds",
        f'Raise `seconds`, use prefer = "{LEAST_LOSS}", fewer quasi-identifiers or fewer levels',
    )


def _proof(optimum: Optimum, problem: Problem) -> Finding:
    bound, loss = (problem.prices.in_all(units) for units in (optimum.bound, optimum.loss))
    ways = f"{problem.lattice.size:,} ways to generalise"
    note = (
        f"proved least of {ways} by examining {optimum.examined:,}"
        if optimum.proved
        else f"not proved optimal: time ran out after {optimum.examined:,} of {ways}; "
        "none can lose less than the lower end of the interval"
    )
    rows = max(1, len(problem.public))
    if not problem.prices.exact:
        note += f"; losses were compared in steps of 1/{problem.prices.unit:,}"
    share = Fraction(loss, rows)
    return Finding(*SEARCH, share, interval=(Fraction(bound, rows), share), note=note)
