"""What a release reaches under each reading of its hidden cells.

Claim. `answered` says of a privacy model whether a release keeps it under each `Reading`, or that this cannot be
told. Hidden cells are those that show nothing: suppressed, made as coarse as can be, or missing from the start.

*Own value*: what is hidden is a value of its own, so hidden cells are alike among themselves and like nothing else.
This is what an adversary sees who knows whose cells are hidden. *Wildcard*: a hidden cell may stand for any value, so
a row is looked for among all rows that may be like it. *Known*: the adversary knows of a person also what the release
hides, and looks among all rows that fit the person.

Why it holds. Under the first reading classes are told apart as they are written. Under the second a class is asked
about together with all classes that agree with it. Under the third the rows that fit a person are certainly those
that show nothing else than the person's row, and at most those that may be like it; which of them do depends on what
is hidden, which is not in the release. They are whole classes, and models are monotone: what holds under the first
reading holds under the others. Otherwise a model that counts rows holds under the third where it holds for those that
certainly fit, fails where it fails for those that may, and is undecided in between; one that reads sensitive values
fails where a class fails that no other row can be like, and is undecided elsewhere. A model that asks about the table
as a whole cannot be asked about such neighbourhoods. A sensitive value that is hidden or coarser than others may be
any; taken for a value of its own, it counts as different from those it may be, so of sensitive values the first
reading is not the strictest. Where values differ in case or blanks only, what holds is undecided under all.

Cost. One answer of the model a reading; see `neighbours.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from openveil.core.classes import Classes
from openveil.core.finding import Verdict
from openveil.core.requirement import Diversity, Requirement
from openveil.workflow.audit.neighbours import Neighbours

_WORST = (Verdict.FAILS, Verdict.UNDECIDED, Verdict.HOLDS)


class Reading(StrEnum):
    """What a hidden cell is taken for."""

    OWN = "own value"
    WILDCARD = "wildcard"
    KNOWN = "known"


@dataclass(frozen=True, slots=True)
class Answer:
    """What was reached under a reading (nothing where it is not known), and whether it is enough."""

    reading: Reading
    verdict: Verdict
    reached: str = ""


@dataclass(frozen=True, eq=False)
class Groups:
    """The classes of a release as they are written.

    `hidden` says of each class which of its cells show nothing, `secrets_hidden` whether sensitive cells are hidden
    or coarser than others, `has_secrets` whether there are sensitive columns, `secrets_alike` whether sensitive
    values differ in case or blanks only.
    """

    classes: Classes
    hidden: NDArray[np.bool_] = field(repr=False)
    secrets_hidden: bool
    has_secrets: bool
    secrets_alike: bool = False

    @property
    def wholly(self) -> NDArray[np.bool_]:
        """The classes that hide all cells."""
        every: NDArray[np.bool_] = np.logical_and(self.hidden.all(axis=1), self.hidden.shape[1] > 0)
        return every

    @property
    def partly(self) -> NDArray[np.bool_]:
        """The classes that hide some cells and show others."""
        some: NDArray[np.bool_] = np.logical_and(self.hidden.any(axis=1), ~self.wholly)
        return some

    @cached_property
    def alike(self) -> Neighbours | None:
        """Which classes may be alike; None where that costs too much."""
        return Neighbours.of(self.classes, self.hidden)

    @cached_property
    def around(self) -> Classes | None:
        """Each class with all that may be like it."""
        return self.alike.classes(self.alike.agreeing) if self.alike else None


def answered(model: Requirement, groups: Groups) -> tuple[Answer, ...]:
    """What the release reaches of the model under each reading."""
    if model.reads_sensitive and not groups.has_secrets:
        return tuple(Answer(reading, Verdict.UNDECIDED) for reading in Reading)
    own = _own(model, groups.classes)
    if model.reads_sensitive and groups.secrets_alike and own.verdict is Verdict.HOLDS:
        return tuple(Answer(reading, Verdict.UNDECIDED) for reading in Reading)
    return own, _wildcard(model, groups, own), _known(model, groups, own)


def worst(answers: Iterator[Answer]) -> Verdict:
    """The worst verdict of all."""
    verdicts = {answer.verdict for answer in answers}
    return next(verdict for verdict in _WORST if verdict in verdicts)


def _own(model: Requirement, classes: Classes) -> Answer:
    verdict = Verdict.HOLDS if model.holds(classes).all() else Verdict.FAILS
    return Answer(Reading.OWN, verdict, _reached(model, classes))


def _wildcard(model: Requirement, groups: Groups, own: Answer) -> Answer:
    if model.reads_sensitive and groups.secrets_hidden:
        return Answer(Reading.WILDCARD, Verdict.UNDECIDED)
    if not groups.hidden.any():
        return Answer(Reading.WILDCARD, own.verdict, own.reached)
    if not model.by_class or groups.around is None:
        return Answer(Reading.WILDCARD, own.verdict if own.verdict is Verdict.HOLDS else Verdict.UNDECIDED)
    found = _own(model, groups.around)
    return Answer(Reading.WILDCARD, found.verdict, found.reached)


def _known(model: Requirement, groups: Groups, own: Answer) -> Answer:
    if model.reads_sensitive and groups.secrets_hidden:
        return Answer(Reading.KNOWN, Verdict.UNDECIDED)
    if not groups.hidden.any() or own.verdict is Verdict.HOLDS:
        return Answer(Reading.KNOWN, own.verdict, own.reached)
    if not model.by_class or groups.alike is None or groups.around is None:
        return Answer(Reading.KNOWN, Verdict.UNDECIDED)
    if model.reads_sensitive:
        fails = (~model.holds(groups.classes) & (groups.around.sizes == groups.classes.sizes)).any()
        return Answer(Reading.KNOWN, Verdict.FAILS if fails else Verdict.UNDECIDED)
    return _counted(model, groups.alike, groups.around)


def _counted(model: Requirement, alike: Neighbours, around: Classes) -> Answer:
    """What a model that only counts rows says, from the fewest rows that can fit a person and from the most."""
    if not model.holds(around).all():
        return Answer(Reading.KNOWN, Verdict.FAILS, _reached(model, around))
    least = alike.classes(alike.covering)
    if least is None:
        return Answer(Reading.KNOWN, Verdict.UNDECIDED)
    low, high = _reached(model, least), _reached(model, around)
    if model.holds(least).all():
        return Answer(Reading.KNOWN, Verdict.HOLDS, low)
    return Answer(Reading.KNOWN, Verdict.UNDECIDED, f"{low} to {high.rpartition(' ')[2]}")


def _reached(model: Requirement, classes: Classes) -> str:
    """The most that could have been promised, in the words of a plan."""
    if isinstance(model, Diversity):
        found = {bags.view: model.attainable(bags) for bags in classes.bags}
        several = len(set(found.values())) > 1
        return (
            "; ".join(f"{words} ({view})" for view, words in found.items()) if several else next(iter(found.values()))
        )
    limited = [finding for finding in model.measure(classes) if finding.limit is not None]
    return f"k = {min(finding.value for finding in limited)}" if limited else ""
