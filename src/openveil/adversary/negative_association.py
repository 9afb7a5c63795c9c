"""The attack on MASK with a rule of common sense: hardly anyone like these people has that value.

Claim. Attacked are the groups in which the published share of the `rare` values exceeds `share`, although everyone in
them is of the kind the rule speaks of. There, values must have been made up, and MASK makes up values only in groups
that had too many of the listed ones: so everyone in such a group has one of the listed values with a chance of more
than one in m, and is exposed. The attack bets that they do; the baseline counts how many are published with one.

Why it holds. If the rule is true of the table, a group that breaks it was changed. MASK changes no group in which at
most one m-th of the values are listed ones, so in each that it changed there were at least one more than that. A rule
that is not true of the table makes the attack bet on the wrong groups, which its arms then show.

Cost. One tally of the groups.

Source. X. Jin, N. Zhang, G. Das, ASAP: Eliminating algorithm-based disclosure in privacy-preserving data publishing,
2011, sections 2.2 and 8.2.1 (few people of 25 or under have a PhD).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from openveil.core.attack import Arm, Attack, Flags, Outcome, Sensitive, Target, verdict_of
from openveil.core.axis import Axis
from openveil.core.errors import refuse
from openveil.core.recoding import Change, Scheme
from openveil.core.registry import Kind, Status, part
from openveil.requirements.m_confidentiality import MConfidentiality

_WHERE = "negative-association"


@part(Kind.ATTACK, _WHERE, source="Jin, Zhang, Das 2011, section 8.2.1", status=Status.MEASURED)
@dataclass(frozen=True)
class NegativeAssociation(Attack):
    """Find groups that show a value more often than the people in them can have it: they were changed.

    The rule: of people whose quasi-identifier `among` is from `least` to `most` (either may be left out), or one of
    `values`, at most a share `share` has one of the sensitive values `rare`.
    """

    applies_to: ClassVar[str] = "m-confidential releases with listed values, some of which are drawn anew"

    among: str
    rare: tuple[str, ...]
    least: float | None = None
    most: float | None = None
    values: tuple[str, ...] = ()
    share: Fraction = Fraction(1, 10)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rare", tuple(self.rare))
        object.__setattr__(self, "values", tuple(self.values))
        object.__setattr__(self, "share", Fraction(str(self.share)))
        if not self.rare:
            raise refuse(_WHERE, "rare must name a sensitive value", 'Write rare = ["..."]')
        if not self.values and self.least is None and self.most is None:
            raise refuse(_WHERE, "the rule speaks of nobody", "Write `least`, `most` or `values`")
        if not 0 <= self.share < 1:
            what = "share must be at least 0 and less than 1"
            raise refuse(_WHERE, what, "Write a share such as 0.1", found=str(self.share))

    def attempt(self, target: Target) -> tuple[Outcome, ...]:
        """Who is in groups that break the rule."""
        models = target.requirement.parts() if target.requirement else ()
        listing = [model for model in models if isinstance(model, MConfidentiality) and model.values]
        if not listing:
            return ()
        if self.among not in target.public.names:
            remedy = f"Choose one of: {', '.join(target.public.names)}"
            raise refuse(f"{_WHERE}: among", "is no quasi-identifier of the table", remedy, found=repr(self.among))
        return tuple(self._attempted(target, listing[0]))

    def _attempted(self, target: Target, model: MConfidentiality) -> Iterator[Outcome]:
        meant = self._meant(target)
        for column in target.sensitive:
            if column.change is Change.PERTURBED:
                yield self._found(target, column, model, self._breaking(target, column, meant))

    def _meant(self, target: Target) -> Flags:
        """The groups everyone in which is of the kind the rule speaks of."""
        attribute = target.public.names.index(self.among)
        allowed = self._of_the_kind(target.public.hierarchies[attribute].axis)
        if target.recoding.scheme is Scheme.BUCKETISATION:
            shown = target.published
            others = ~allowed[target.public.codes[shown, attribute]]
            alike: Flags = np.bincount(target.group[shown], others, minlength=target.groups) == 0
            return alike
        display, cells = target.recoding.displays[attribute], target.recoding.cells[:, attribute]
        up_to = np.append(0, np.cumsum(allowed))
        low, high = display.lower[cells], display.upper[cells]
        within: Flags = up_to[high + 1] - up_to[low] == high + 1 - low
        return within

    def _of_the_kind(self, axis: Axis) -> Flags:
        """The codes of the axis the rule speaks of; missing is none of them."""
        listed = axis.labels.cast(pl.String).is_in(self.values)
        number = axis.labels.cast(pl.Float64, strict=False) if not axis.labels.dtype.is_temporal() else None
        if number is not None and (self.least is not None or self.most is not None):
            low = -np.inf if self.least is None else self.least
            high = np.inf if self.most is None else self.most
            listed = listed | number.is_between(low, high).fill_null(value=False)
        answer = np.zeros(len(axis), dtype=np.bool_)
        answer[: len(listed)] = listed.to_numpy()
        return answer

    def _breaking(self, target: Target, column: Sensitive, meant: Flags) -> Flags:
        """The groups that break the rule."""
        bags = target.bags(column)
        is_rare = _among(column, self.rare)
        rare = bags.summed(bags.counts * is_rare[bags.values])
        return meant & (rare * self.share.denominator > bags.sizes * self.share.numerator)

    def _found(self, target: Target, column: Sensitive, model: MConfidentiality, breaking: Flags) -> Outcome:
        listed = _among(column, model.values).astype(np.bool_)
        exposed = target.of_groups(breaking, otherwise=False).astype(np.bool_)
        sizes = np.bincount(target.group[target.published], minlength=target.groups)[breaking]
        people = target.people(exposed)
        return Outcome(
            column.name,
            _arm(listed[column.own[exposed]]),
            _arm(listed[column.shown[exposed]]),
            _control(target, column, listed, exposed),
            target.people(target.published),
            people,
            float(((sizes // model.m + 1) / np.maximum(sizes, 1)).max(initial=0.0)),
            Fraction(1, model.m),
            verdict_of(target, people, 0),
            len(exposed),
            "rows read",
        )


def _among(column: Sensitive, values: tuple[str, ...]) -> NDArray[np.int64]:
    """1 for each number of the column that stands for one of the values."""
    return column.labels.is_in(values).fill_null(value=False).to_numpy().astype(np.int64)


def _arm(right: Flags) -> Arm:
    return Arm(len(right), int(right.sum()))


def _control(target: Target, column: Sensitive, listed: Flags, exposed: Flags) -> Arm | None:
    """The same bet on people outside who would be taken for someone in a group that breaks the rule."""
    if target.outsiders is None:
        return None
    row = target.outsiders.row
    bet = np.flatnonzero(row >= 0)
    bet = bet[exposed[row[bet]]]
    own = column.numbers(target.outsiders.own[column.name])[bet]
    return _arm(listed[own] & (own >= 0))
