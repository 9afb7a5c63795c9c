"""The audit of a release, put together: the promises, the other models, the labels and the file.

Claim. An `Audit` is plain counts and words; it holds no cell of anybody's record. `as_json` gives all of it.

Why it holds. What is told of labels is their number by kind, of columns their names.

Cost. See the package.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, cast

from openveil.core.errors import RequestError
from openveil.core.finding import Finding, Verdict
from openveil.core.parameters import built
from openveil.core.registry import Kind, Part, Status, discover
from openveil.core.requirement import Requirement
from openveil.core.schema import Role
from openveil.core.witness import Spelled
from openveil.workflow.audit import columns, ends, order
from openveil.workflow.audit.readings import Answer, answered
from openveil.workflow.audit.received import Received, received
from openveil.workflow.chosen import Chosen
from openveil.workflow.planned import Planned, as_plan

# Models that the plan does not ask for are measured with these parameters; what is told is the most they could ask.
_TO_MEASURE: Mapping[str, object] = {"k": 2, "l": 2, "m": 2, "c": 2, "alpha": "1/2", "t": "1/2"}
_RANK = (Verdict.FAILS, Verdict.UNDECIDED, Verdict.INFORMS, Verdict.HOLDS)


@dataclass(frozen=True, slots=True)
class Asked:
    """One privacy model, what the plan promises of it (nothing if the plan does not), and what was reached."""

    model: str
    promise: str
    answers: tuple[Answer, ...]

    def as_json(self) -> dict[str, object]:
        """The same as plain values."""
        told = [
            {"reading": str(each.reading), "verdict": str(each.verdict), "reached": each.reached}
            for each in self.answers
        ]
        return {"model": self.model, "promise": self.promise, "readings": told}


@dataclass(frozen=True, slots=True)
class Column:
    """How the labels of one quasi-identifier were read: how many of each kind, and the cells that show nothing."""

    name: str
    kinds: Mapping[str, int]
    hidden_cells: int
    unread_cells: int

    def as_json(self) -> dict[str, object]:
        """The same as plain values."""
        return {
            "column": self.name,
            "labels": dict(self.kinds),
            "hidden_cells": self.hidden_cells,
            "unread_cells": self.unread_cells,
        }


@dataclass(frozen=True)
class Audit:
    """What was found of a release; `holds` says whether all is well, and what is printed says it first."""

    rows: int
    groups: int
    hidden_rows: int
    partly_hidden_rows: int
    absent: tuple[str, ...]
    compared: bool
    unsafe: tuple[str, ...]
    promised: tuple[Asked, ...]
    others: tuple[Asked, ...]
    columns: tuple[Column, ...]
    findings: tuple[Finding, ...]

    @property
    def verdict(self) -> Verdict:
        """The worst of what the promises and the file say."""
        said = {answer.verdict for asked in self.promised for answer in asked.answers}
        said |= {finding.verdict for finding in self.findings} - {Verdict.INFORMS}
        return next(verdict for verdict in _RANK if verdict in said)

    @property
    def holds(self) -> bool:
        """Whether every promise holds under every reading and nothing of weight was found in the file."""
        return self.verdict is Verdict.HOLDS

    def as_json(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {
            "holds": self.holds,
            "verdict": str(self.verdict),
            "rows": self.rows,
            "groups": self.groups,
            "rows_with_everything_hidden": self.hidden_rows,
            "rows_with_something_hidden": self.partly_hidden_rows,
            "columns_not_in_the_release": list(self.absent),
            "compared_with_the_original": self.compared,
            "known_to_be_unsafe": list(self.unsafe),
            "promised": [asked.as_json() for asked in self.promised],
            "others": [asked.as_json() for asked in self.others],
            "labels": [column.as_json() for column in self.columns],
            "file": [finding.as_json() for finding in self.findings],
        }

    def __str__(self) -> str:
        from openveil.report.audited import lines

        return "\n".join(lines(self.as_json()))


def audit(plan: Planned, release: object, *, original: object = None, count: str | None = None) -> Audit:
    """Judge a release (the path of a file, or a frame) that somebody else made of the table of a plan.

    `original`: the table it was made from, if you have it; more can then be told. `count`: where each row stands for
    several people, the column that says for how many.
    """
    chosen = as_plan(plan)
    found = received(chosen, release, original, count)
    promised = [(cast("Requirement", each.value), each.part.name) for each in chosen.privacy]
    names = {name for _, name in promised}
    others = [(model, part.name) for part in discover(Kind.REQUIREMENT) for model in _measurable(part)]
    sizes = found.groups.classes.sizes
    return Audit(
        rows=found.frame.height,
        groups=len(sizes),
        hidden_rows=int(sizes[found.groups.wholly].sum()),
        partly_hidden_rows=int(sizes[found.groups.partly].sum()),
        absent=_absent(found),
        compared=found.original is not None,
        unsafe=tuple(each.part.name for each in chosen.privacy if _protects_nobody(each, found)),
        promised=tuple(_asked(found, model, name, model.promise) for model, name in promised),
        others=tuple(_asked(found, model, name, "") for model, name in others if name not in names),
        columns=tuple(_columns(found)),
        findings=tuple(_file(found)),
    )


def _asked(found: Received, model: Requirement, name: str, promise: str) -> Asked:
    names = Spelled(found.frame.select(found.named(Role.SENSITIVE)))
    problems = [*model.unfit_for(names)] if found.groups.has_secrets else []
    if problems:
        raise RequestError(problems)
    return Asked(name, promise, answered(model.for_values(names), found.groups))


def _protects_nobody(chosen: Chosen, found: Received) -> bool:
    """Whether keeping the promise means nothing: the model is known to be unsafe, or asks for nothing (k = 1)."""
    model = cast("Requirement", chosen.value)
    if chosen.part.status is Status.KNOWN_UNSAFE or model.reads_sensitive:
        return chosen.part.status is Status.KNOWN_UNSAFE
    limited = [finding for finding in model.measure(found.groups.classes) if finding.limit is not None]
    return all(finding.verdict is Verdict.INFORMS for finding in limited)


def _measurable(part: Part) -> Iterator[Requirement]:
    """The model, if it can be asked without parameters of its own."""
    needed = {each.name for each in fields(part.cls) if each.init and each.default is each.default_factory is MISSING}
    if needed <= _TO_MEASURE.keys():
        yield built(part, {name: _TO_MEASURE[name] for name in needed})


def _absent(found: Received) -> tuple[str, ...]:
    """The quasi-identifiers and sensitive columns that the release does not have."""
    roles = {Role.QUASI, Role.SENSITIVE}
    there = set(found.frame.columns)
    return tuple(name for name, each in found.plan.columns.items() if each.role in roles and name not in there)


def _columns(found: Received) -> Iterator[Column]:
    for name, labels in found.labels.items():
        code = labels.axis.encode(found.frame[name])[0]
        yield Column(name, labels.kinds, int(labels.hidden[code].sum()), int(labels.unread[code].sum()))


def _file(found: Received) -> Iterator[Finding]:
    """Everything that is wrong with the file itself."""
    for look in (columns.numbering, columns.identifiers, columns.strangers, columns.free_text, columns.unread):
        yield from look(found)
    yield from order.rows_left_out(found)
    compared = order.Compared.of(found)
    if compared is None:
        yield from order.not_compared(found)
        yield from order.sorted_by(found)
    else:
        told = [*order.in_source_order(compared), *order.by_hidden_values(compared)]
        yield from told
        if not (told or compared.mostly_found):
            yield from order.sorted_by(found)
        yield from order.wrong_labels(compared)
    yield from ends.ends(found)
    yield from columns.alone(found)
    yield from columns.doubtful(found)
    yield from columns.formulas(found)
