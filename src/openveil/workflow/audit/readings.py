"""What a release reaches under each reading of its hidden cells.

Claim. `answered` says of a privacy model whether a release keeps it under each `Reading`, or that this cannot be
told. Hidden cells are those that show nothing: suppressed, or missing from the start.

*Own value*: what is hidden is a value of its own, so hidden cells are alike among themselves and like nothing else.
This is what an adversary sees who knows whose cells are hidden. *Wildcard*: a hidden cell may stand for any value, so
a row is looked for among all rows that may be like it. *Known*: the adversary knows from elsewhere, or can work out
from the rest of the row, what a hidden cell hides; rows of which everything is hidden leave nothing to work from and
stay alike.

Why it holds. Under the first reading classes are told apart as they are written. Under the second a class is asked
about together with its neighbours. All models are monotone and neighbourhoods are unions of classes, so what holds
under the first reading holds under the second. Under the third, what is hidden is not in the release: rows that hide
some cells may be alike as under the second reading or all different, so a model is undecided where there are any. It
fails only where even all neighbours of a class are too few, or where a class fails that no such row can join. A model
that asks about the table as a whole has no neighbourhoods to be asked about. A label that could not be read may hide
something; a sensitive value that is hidden may be any.

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

    `hidden` says of each class which of its cells show nothing, `unread` which classes have a label that could not be
    read. `secrets_hidden` says whether sensitive cells are hidden, `has_secrets` whether there are sensitive columns.
    """

    classes: Classes
    hidden: NDArray[np.bool_] = field(repr=False)
    unread: NDArray[np.bool_] = field(repr=False)
    secrets_hidden: bool
    has_secrets: bool

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
    def neighbours(self) -> Neighbours | None:
        """Which classes may be alike."""
        return Neighbours.of(self.classes, self.hidden)

    @cached_property
    def neighbourhoods(self) -> Classes | None:
        """Each class with all that may be like it."""
        return self.neighbours.classes() if self.neighbours else None


def answered(model: Requirement, groups: Groups) -> tuple[Answer, ...]:
    """What the release reaches of the model under each reading."""
    if model.reads_sensitive and not groups.has_secrets:
        return tuple(Answer(reading, Verdict.UNDECIDED) for reading in Reading)
    own = _own(model, groups.classes)
    return own, _wildcard(model, groups, own), _known(model, groups, own)


def worst(answers: Iterator[Answer]) -> Verdict:
    """The worst verdict of all."""
    verdicts = {answer.verdict for answer in answers}
    return next(verdict for verdict in _WORST if verdict in verdicts)


def _own(model: Requirement, classes: Classes) -> Answer:
    verdict = Verdict.HOLDS if model.holds(classes).all() else Verdict.FAILS
    return Answer(Reading.OWN, verdict, _reached(model, classes))


def _wildcard(model: Requirement, groups: Groups, own: Answer) -> Answer:
    hides = bool(groups.hidden.any())
    if model.reads_sensitive and groups.secrets_hidden:
        return Answer(Reading.WILDCARD, Verdict.UNDECIDED)
    if not hides:
        verdict = Verdict.UNDECIDED if groups.unread.any() and own.verdict is Verdict.FAILS else own.verdict
        return Answer(Reading.WILDCARD, verdict, own.reached)
    around = groups.neighbourhoods if model.by_class else None
    if around is None:
        return Answer(Reading.WILDCARD, own.verdict if own.verdict is Verdict.HOLDS else Verdict.UNDECIDED)
    found = _own(model, around)
    undecided = groups.unread.any() and found.verdict is Verdict.FAILS
    return Answer(Reading.WILDCARD, Verdict.UNDECIDED if undecided else found.verdict, found.reached)


def _known(model: Requirement, groups: Groups, own: Answer) -> Answer:
    blurred = groups.unread.any() or (model.reads_sensitive and groups.secrets_hidden)
    if not blurred and not groups.partly.any():
        return Answer(Reading.KNOWN, own.verdict, own.reached)
    fails = model.by_class and not blurred and _surely_fails(model, groups)
    return Answer(Reading.KNOWN, Verdict.FAILS if fails else Verdict.UNDECIDED)


def _surely_fails(model: Requirement, groups: Groups) -> bool:
    """Whether a class fails whatever is behind the cells that some rows hide."""
    if groups.neighbours is None or groups.neighbourhoods is None:
        return False
    if not model.reads_sensitive and not model.holds(groups.neighbourhoods).all():
        return True
    alone = groups.neighbours.met(groups.partly) == 0
    return bool((~model.holds(groups.classes) & alone).any())


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
