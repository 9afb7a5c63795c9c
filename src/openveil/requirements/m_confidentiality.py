"""m-confidentiality: the chance that a person has a sensitive value worth protecting is at most one in m.

Claim. In a release that holds, whoever knows which group a person is in, and nothing else of the person's sensitive
values, can be right with probability at most 1/m that the person has one of the values that are to be protected:
any single value, where none are listed; any of the listed ones, taken together, where some are.

Why it holds. The rows of a group that have the most frequent value, or any of the listed ones, are at most a share
1/m of it. In a union of groups this share does not exceed the largest in its parts, so the model is monotone. A part
of s rows has at most as many such rows as the bag, so it holds as soon as s is m times their number; if s is less,
and m at least 2, those rows, filled up with others, are a part that fails. So the answer of `needs` is exact for m of
2 or more.

The definition also asks that knowing the algorithm teaches nothing; that is what the release is checked for besides.
MASK, which was proposed with this model, does not achieve it.

Cost. One comparison a group; one look at each distinct value of a group where values are listed.

Source. R. Wong, A. Fu, K. Wang, J. Pei, Minimality attack in privacy preserving data publishing, 2007; X. Jin,
N. Zhang, G. Das, ASAP: Eliminating algorithm-based disclosure in privacy-preserving data publishing, 2011, sections
2.2 and 6.3.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from openveil.core.bags import Bags, Counts
from openveil.core.errors import Problem, refuse
from openveil.core.finding import Finding, Verdict
from openveil.core.registry import Kind, Status, part
from openveil.core.requirement import Diversity, refuse_beyond
from openveil.core.witness import Names, Texts

_WHERE = "m-confidentiality"


class Confidentiality(Diversity):
    """At most one m-th of the rows of a group are `exposed`."""

    __slots__ = ()

    @property
    @abstractmethod
    def asked(self) -> MConfidentiality:
        """The model as the plan has it."""

    @property
    @abstractmethod
    def _m(self) -> int:
        """One in how many rows may be exposed."""

    @abstractmethod
    def _exposed(self, bags: Bags) -> Counts:
        """For each bag, how many of its rows count."""

    def enough(self, bags: Bags) -> NDArray[np.bool_]:
        """For each bag, whether the rows that count are at most one m-th of it."""
        return bags.has_times(self._exposed(bags), self._m)

    def needs(self, bags: Bags) -> Counts:
        """m times the rows that count."""
        return np.maximum(bags.rows_for(self._exposed(bags), self._m), 1)

    def attainable(self, bags: Bags) -> str:
        """The largest m that holds for all bags; as many as there are rows where any would."""
        exposed = self._exposed(bags)
        some = exposed > 0
        return f"m = {int((bags.sizes[some] // exposed[some]).min(initial=int(bags.sizes.sum())))}"

    @property
    def promise(self) -> str:
        """The requirement in a few words."""
        return f"m = {self._m}"

    def _found(self, name: str, bags: Bags) -> Finding:
        pairs = set(zip(self._exposed(bags).tolist(), bags.sizes.tolist(), strict=True))
        worst = max(Fraction(exposed, size) for exposed, size in pairs)
        verdict = Verdict.HOLDS if worst * self._m <= 1 else Verdict.FAILS
        return Finding(name, bags.view, worst, verdict, limit=Fraction(1, self._m))


@part(
    Kind.REQUIREMENT,
    _WHERE,
    source="Wong, Fu, Wang, Pei 2007; Jin, Zhang, Das 2011, section 2.2",
    status=Status.PROVED,
)
@dataclass(frozen=True, slots=True)
class MConfidentiality(Confidentiality):
    """At most one m-th of the rows of a group have a sensitive value that is to be protected.

    `m` is a whole number of 2 or more; 1 is allowed, for comparison, and promises nothing. `values` lists the values
    to be protected, all of them together, in whichever sensitive column they stand; without it, every single value
    is, as in `frequency-l-diversity` with l = m.
    """

    m: int
    values: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", tuple(self.values))
        if self.m < 1:
            raise refuse(_WHERE, "m must be a positive whole number", "Ask for 2 or more", found=str(self.m))
        refuse_beyond(_WHERE, "m", self.m)

    @property
    def greatest_chance(self) -> Fraction:
        """One in m of any value; other values than those listed, where some are, may have any chance."""
        return Fraction(1) if self.values else Fraction(1, self.m)

    def unfit_for(self, names: Names) -> Iterator[Problem]:
        """Listed values that no sensitive column has: most likely they are spelled in another way."""
        if not self.values:
            return
        known = {text for texts in names.values() for each in texts for text in each}
        strangers = len(set(self.values) - known)
        if strangers:
            what = "lists values that no sensitive column has"
            remedy = "Correct their spelling, or leave them out"
            yield Problem(f"{_WHERE}: values", what, remedy, f"{strangers} of {len(set(self.values))}")

    def for_values(self, names: Names) -> Diversity:
        """The same model, told which number each listed value has."""
        if not self.values:
            return self
        listed = ((view, _numbers(texts, frozenset(self.values))) for view, texts in names.items())
        return _Listed(self, tuple(listed))

    def reached(self, bags: Bags) -> Finding:
        """The largest share a value has of a group."""
        return self._found("largest share of a value in a group", bags)

    @property
    def asked(self) -> MConfidentiality:
        """The model itself."""
        return self

    @property
    def _m(self) -> int:
        return self.m

    def _exposed(self, bags: Bags) -> Counts:
        if self.values:
            raise ValueError(f"{_WHERE}: which numbers the listed values have is not known; see for_values")
        return bags.largest


@dataclass(frozen=True, slots=True)
class _Listed(Confidentiality):
    """The model for a table in which the listed values have these numbers, view by view."""

    model: MConfidentiality
    numbers: tuple[tuple[str, tuple[int, ...]], ...]

    def reached(self, bags: Bags) -> Finding:
        """The largest share the listed values have of a group."""
        return self._found("largest share of the listed values in a group", bags)

    @property
    def name(self) -> str:
        """What the model is called in plans."""
        return self.model.name

    @property
    def asked(self) -> MConfidentiality:
        """The model that was told of the values."""
        return self.model

    @property
    def _m(self) -> int:
        return self.model.m

    def _exposed(self, bags: Bags) -> Counts:
        listed = dict(self.numbers).get(bags.view)
        if listed is None:  # of values that are not those of the table any one may be
            return bags.largest
        is_listed = np.zeros(bags.domain, dtype=np.int64)
        is_listed[list(listed)] = 1
        return bags.summed(bags.counts * is_listed[bags.values])


def _numbers(texts: Sequence[Texts], values: frozenset[str]) -> tuple[int, ...]:
    return tuple(number for number, each in enumerate(texts) if not values.isdisjoint(each))
