"""A table that may be released, and the gate it has to pass.

Claim. A `Release` that exists has passed the gate: its columns are exactly those the schema publishes, its rows
are those the recoding keeps, the privacy model holds for every class of rows that a reader sees as equal, and
everything the algorithm asked of the sensitive columns can be derived from what is published.

Why it holds. Construction is the gate, and there is no other way to make one. The classes are formed anew from
the published labels, not taken from the algorithm. A look at the sensitive columns is derivable when the rows
it was about are a union of published groups.

Cost. One encoding a quasi-identifier and one fold of the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NoReturn

import numpy as np
import polars as pl
from numpy.typing import NDArray

from openveil.core.classes import Classes
from openveil.core.errors import GuaranteeError
from openveil.core.finding import Finding, Verdict
from openveil.core.recoding import SUPPRESSED, Recoding
from openveil.core.requirement import Requirement
from openveil.core.schema import Role, Schema
from openveil.core.table import axes_of, code_matrix
from openveil.core.witness import Look

_REMEDY = "This is a defect of the method, not of your data: please report it. Nothing was written"


@dataclass(frozen=True, eq=False)
class Evidence:
    """What the gate needs beside the table: the decision, and what the algorithm asked on the way to it.

    `blank` says how many suppressed rows are kept with `*` in every quasi-identifier.
    """

    recoding: Recoding
    blank: int = 0
    looks: tuple[Look, ...] = ()


@dataclass(frozen=True, eq=False)
class Release:
    """A verified release; `frame` is the table to publish, in secret order.

    `persons` numbers the person of each published row and is not published. A release cannot be pickled: its
    evidence speaks of rows that are not published.
    """

    frame: pl.DataFrame = field(repr=False)
    schema: Schema
    requirement: Requirement
    evidence: Evidence = field(repr=False)
    persons: NDArray[np.int32] | None = field(default=None, repr=False)
    findings: tuple[Finding, ...] = field(init=False)
    classes: Classes = field(init=False, repr=False)

    def __post_init__(self) -> None:
        quasi = self.schema.named(Role.QUASI)
        if tuple(self.frame.columns) != self.schema.published:
            raise self._refused("other columns than the schema publishes were about to be written")
        if self.frame.height != len(self.evidence.recoding.group) - self.suppressed + self.evidence.blank:
            raise self._refused("other rows than the decision keeps were about to be written")
        classes = regroup(self.frame, quasi, self.persons)
        looks = derivable(self.evidence)
        findings = (*self.requirement.measure(classes), looks)
        failing = int((~self.requirement.holds(classes)).sum())
        if failing or looks.verdict is not Verdict.HOLDS:
            raise self._refused(reached(classes, failing) if failing else looks.note)
        object.__setattr__(self, "classes", classes)
        object.__setattr__(self, "findings", findings)

    def __reduce__(self) -> NoReturn:
        refuse_to_pickle(self)

    @property
    def suppressed(self) -> int:
        """How many rows of the original are suppressed."""
        return self.evidence.recoding.suppressed

    def _refused(self, what: str) -> GuaranteeError:
        return GuaranteeError(
            model=self.requirement.name,
            promised=self.requirement.promise,
            reached=f"but {what}",
            remedy=_REMEDY,
        )


def refuse_to_pickle(release: object) -> NoReturn:
    """What is pickled is stored or sent as a whole, with what only its owner may see."""
    raise TypeError(
        f"a {type(release).__name__} cannot be pickled: it holds what is not published of suppressed rows and "
        "persons. Write it with `write(folder)`, or pickle its `data`"
    )


def regroup(frame: pl.DataFrame, quasi: Sequence[str], persons: NDArray[np.int32] | None = None) -> Classes:
    """The classes of rows that a reader of `frame` sees as equal; an empty cell is a value of its own."""
    axes = axes_of(frame, quasi)
    codes, _ = code_matrix(frame, axes)
    return Classes.fold(codes, [len(axis) for axis in axes], persons)


def reached(classes: Classes, failing: int) -> str:
    """What was reached instead, in counts; there is at least one class."""
    rows, persons = int(classes.sizes.min()), int(classes.persons.min())
    return f"{failing} of {len(classes)} classes fail; the smallest has {rows} rows and {persons} persons"


def derivable(evidence: Evidence) -> Finding:
    """Whether every look at the sensitive columns was at a union of published groups."""
    group = evidence.recoding.group
    sizes = np.bincount(group[group != SUPPRESSED], minlength=len(evidence.recoding.cells))
    hidden = sum(not _is_union(look, group, sizes) for look in evidence.looks)
    return Finding(
        "looks at sensitive values that the release does not show",
        "algorithm",
        hidden,
        Verdict.FAILS if hidden else Verdict.HOLDS,
        limit=0,
        note=f"{len(evidence.looks)} looks at sensitive values, {hidden} not derivable from what is published",
    )


def _is_union(look: Look, group: NDArray[np.int32], sizes: NDArray[np.int64]) -> bool:
    seen = group[look.rows]
    if (seen == SUPPRESSED).any():
        return False
    counts = np.bincount(seen, minlength=len(sizes))
    return bool(((counts == 0) | (counts == sizes)).all())
