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
from typing import Any, Literal

from openveil.core.classes import Classes
from openveil.core.errors import GuaranteeError, refuse
from openveil.core.finding import Finding
from openveil.core.full_domain import classes_of, maps_of, recode
from openveil.core.lattice import Lattice, Vector
from openveil.core.progress import report
from openveil.core.publisher import Publisher
from openveil.core.recoding import Recoding
from openveil.core.registry import Kind, Status, discover, find, part
from openveil.core.requirement import Requirement
from openveil.core.secret import Secret
from openveil.core.suppression import Allowance
from openveil.core.table import Public
from openveil.core.witness import Witness
from openveil.publishers.samarati.least_loss import MOST_VECTORS, Optimum, Problem, least_loss
from openveil.publishers.samarati.minimal import all_minimal, find_vector
from openveil.publishers.samarati.preferences import (
    Candidate,
    MinimumAbsoluteDistance,
    Preference,
    preferred,
)
from openveil.publishers.samarati.satisfies import ByClasses, ByMatrix, Counter
from openveil.publishers.samarati.survey import survey
from openveil.requirements.k_anonymity import KAnonymity
from openveil.utility.information_loss import Prices, loss_of

LEAST_LOSS = "minimum-information-loss"


@part(Kind.PUBLISHER, "samarati", source="Samarati 2001", status=Status.PROVED)
@dataclass(frozen=True)
class Samarati(Publisher):
    """Full-domain generalisation with tuple suppression: minimal, and preferred among the minimal.

    `max_suppressed` rows may go (a count, or a share such as "2%"). `prefer` is "minimum-information-loss" or a
    preference by name, or { policy = name, ... } with its parameters. `engine` counts suppressed rows from
    "classes" or from the distance-vector "matrix". `seconds` bounds the search for the least loss.
    """

    max_suppressed: int | float | str = 0
    prefer: str | Mapping[str, Any] = LEAST_LOSS
    engine: Literal["classes", "matrix"] = "classes"
    seconds: float = 60.0
    allowance: Allowance = field(init=False, repr=False)
    preference: Preference | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "allowance", Allowance.of(self.max_suppressed))
        object.__setattr__(self, "preference", _preference(self.prefer))
        if not 0 < self.seconds < float("inf"):
            raise refuse("method: seconds", "must be a positive number", "Give the search some time, such as 60")

    def solve(self, public: Public, witness: Witness, requirement: Requirement, secret: Secret) -> Recoding:
        """The recoding at the preferred vector; never asks the witness."""
        report("folding equal rows")
        classes, home = classes_of(public)
        allowed = self.allowance.rows(len(public))
        problem = Problem(public, classes, requirement, allowed, Prices.of(public, classes))
        vector, findings = self.choose(problem)
        return recode(public, classes, home, vector, requirement).with_findings(findings)

    def choose(self, problem: Problem) -> tuple[Vector, tuple[Finding, ...]]:
        """The vector, and what is to be said about how it was found."""
        if self.preference is None:
            optimum = least_loss(problem, self.seconds)
            if optimum is None:
                raise _impossible(problem)
            return optimum.vector, (_proof(optimum, problem),)
        _small_enough(problem.lattice)
        counter = self.counter(problem)
        if isinstance(self.preference, MinimumAbsoluteDistance):
            found = find_vector(counter, problem.lattice, problem.allowed)
            if found is None:
                raise _impossible(problem)
            return found, ()
        return _best_minimal(self.preference, counter, problem), ()

    def counter(self, problem: Problem) -> Counter:
        """The engine that counts suppressed rows."""
        if self.engine == "classes":
            return ByClasses(problem.public, problem.classes, problem.requirement)
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

    return survey(public, problem.classes, vectors, weigh)


def _best_minimal(preference: Preference, counter: Counter, problem: Problem) -> Vector:
    """The preferred k-minimal vector; among equally preferred ones the least loss, then the first, decides."""
    minimal = all_minimal(counter, problem.lattice, problem.allowed)
    if not minimal:
        raise _impossible(problem)
    liked = [candidate.vector for candidate in preferred(preference, candidates(problem, minimal))]

    def loss(vector: Vector, classes: Classes) -> int:
        return loss_of(vector, problem.prices, classes, problem.requirement.holds(classes))

    losses = survey(problem.public, problem.classes, liked, loss)
    return min(zip(losses, liked, strict=True))[1]


def _preference(prefer: str | Mapping[str, Any]) -> Preference | None:
    named = {"policy": prefer} if isinstance(prefer, str) else dict(prefer)
    name = named.pop("policy", None)
    if name == LEAST_LOSS and not named:
        return None
    found = find(Kind.PREFERENCE, str(name))
    known = ", ".join([LEAST_LOSS, *(each.name for each in discover(Kind.PREFERENCE))])
    if found is None:
        raise refuse("method: prefer", "is not a preference policy", f"Choose one of: {known}", found=repr(name))
    try:
        made: Preference = found.cls(**named)
    except TypeError:
        raise refuse(
            "method: prefer",
            f"has parameters that {name} does not take or misses some",
            f"See `openveil explain {name}`",
            found=", ".join(sorted(named)) or "none",
        ) from None
    return made


def _small_enough(lattice: Lattice) -> None:
    if len(lattice) > MOST_VECTORS:
        raise refuse(
            "method: prefer",
            f"this preference compares all k-minimal vectors, and the lattice has {len(lattice):,}",
            f'Use prefer = "{LEAST_LOSS}", fewer quasi-identifiers or fewer levels',
        )


def _impossible(problem: Problem) -> GuaranteeError:
    top = problem.classes.lift(maps_of(problem.public, problem.lattice.top))
    rows, persons = int(top.sizes.sum()), int(top.persons.sum())
    return GuaranteeError(
        model=type(problem.requirement).__name__,
        promised=problem.requirement.promise,
        reached=f"but the whole table, all shown as *, is one class of {rows} rows and {persons} persons",
        remedy=f"Ask for at most k = {min(rows, persons)}, or allow all rows to be suppressed",
    )


def _proof(optimum: Optimum, problem: Problem) -> Finding:
    bound, loss = (problem.prices.in_all(units) for units in (optimum.bound, optimum.loss))
    note = (
        f"proved least among {len(problem.lattice):,} vectors by examining {optimum.examined:,}"
        if optimum.proved
        else f"not proved optimal: time ran out after {optimum.examined:,} of {len(problem.lattice):,} vectors; "
        f"none can lose less than the lower end of the interval"
    )
    rows = max(1, len(problem.public))
    share = Fraction(loss, rows)
    return Finding("information loss", "search", share, interval=(Fraction(bound, rows), share), note=note)
