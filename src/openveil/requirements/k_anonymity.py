"""k-anonymity: nobody can be told apart from at least k - 1 others by the quasi-identifiers.

Claim. In a release that holds, linking any external table to the quasi-identifiers leads to at least k persons.

Why it holds. Every published combination of quasi-identifiers is shared by at least k rows of at least k
persons, and every part of a combination by at least as many. Counting persons matters where one person has
several rows: five rows of one patient hide nobody. A union of classes has at least as many persons as the
largest of them, so the model is monotone. It says nothing about what all rows of a class have in common.

Cost. One comparison a class; where a column says who the person is, one pass over the base tuples.

Source. P. Samarati, Protecting Respondents' Identities in Microdata Release, 2001, Definition 2.2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from openveil.core.bags import Bags, Counts
from openveil.core.classes import Classes
from openveil.core.errors import refuse
from openveil.core.finding import Finding, Verdict
from openveil.core.registry import Kind, Status, part
from openveil.core.requirement import Requirement, refuse_beyond


@part(Kind.REQUIREMENT, "k-anonymity", source="Samarati 2001, Definition 2.2", status=Status.PROVED)
@dataclass(frozen=True, slots=True)
class KAnonymity(Requirement):
    """Every combination of quasi-identifiers that is published belongs to at least k persons.

    `k = 1` is allowed, for comparison; it promises nothing and its findings say so.
    """

    k: int

    def __post_init__(self) -> None:
        if self.k < 1:
            remedy = "Ask for 2 or more; 1 publishes everything as it is"
            raise refuse("k-anonymity", "k must be a positive whole number", remedy, found=str(self.k))
        refuse_beyond("k-anonymity", "k", self.k)

    def holds(self, classes: Classes) -> NDArray[np.bool_]:
        """For each class, whether it has at least k rows of at least k persons."""
        answer: NDArray[np.bool_] = (classes.sizes >= self.k) & (classes.persons >= self.k)
        return answer

    def needs(self, bags: Bags) -> Counts:
        """`k` rows, whatever their sensitive values; each row is taken for one person."""
        return np.full(len(bags), self.k, dtype=np.int64)

    def measure(self, classes: Classes) -> tuple[Finding, ...]:
        """The smallest class in rows and (where known) in persons, how many classes there are, and their median."""
        number = Finding("classes", "release", len(classes))
        if not len(classes):
            return (number,)
        findings = [self._smallest("rows", classes.sizes)]
        if classes.crowd is not None:
            findings.append(self._smallest("persons", classes.persons))
        return (*findings, number, Finding("median class", "rows", float(np.median(classes.sizes))))

    def _smallest(self, on: str, sizes: Counts) -> Finding:
        least = int(sizes.min())
        if self.k == 1:
            return Finding("smallest class", on, least, limit=1, note="k = 1 promises nothing")
        verdict = Verdict.HOLDS if least >= self.k else Verdict.FAILS
        return Finding("smallest class", on, least, verdict, limit=self.k)

    @property
    def promise(self) -> str:
        """The requirement in a few words."""
        return f"k = {self.k}"
