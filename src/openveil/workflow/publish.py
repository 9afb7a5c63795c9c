"""From a table and a plan to a verified release.

Claim. `publish` returns a `Release`, which has passed the gate, or raises. `publish_files` writes the table and
its certificate into a folder that appears whole, after the written table was read back and verified from the
files alone; otherwise nothing is written.

Why it holds. A `Release` cannot be made without passing the gate (`core/release.py`); the folder is staged and
moved into place only at the end (`io/stage.py`).

Cost. Reading, one search, one application, one regrouping in memory and one on the file read back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from openveil.core.axis import Hierarchy
from openveil.core.errors import GuaranteeError, Problem, RequestError, refuse
from openveil.core.finding import Finding, Verdict
from openveil.core.progress import Listener, report, reporting_to
from openveil.core.recoding import Recoding
from openveil.core.registry import Kind, discover
from openveil.core.release import Evidence, Release
from openveil.core.schema import Role, Schema
from openveil.core.secret import Secret
from openveil.core.table import Public, Table
from openveil.core.witness import Witness
from openveil.io.frames import take
from openveil.io.normalise import blanked
from openveil.io.read import Source, read
from openveil.io.stage import REPORT, TABLE, staged
from openveil.io.write import write
from openveil.report.page import render
from openveil.workflow import certificate
from openveil.workflow.apply import Applied, keep_blank, leave_out
from openveil.workflow.plan import Plan
from openveil.workflow.verify import verify


@dataclass(frozen=True, eq=False)
class Published:
    """A release, what is to be said about it, and its certificate (without the digest of a file)."""

    release: Release
    findings: tuple[Finding, ...]
    certificate: dict[str, Any] = field(repr=False)
    _give_back: Callable[[pl.DataFrame], object] = field(repr=False)

    @cached_property
    def data(self) -> Any:
        """The table to publish, in the kind of frame that was given."""
        return self._give_back(self.release.frame)

    def _repr_html_(self) -> str:
        from openveil.report.notebook import summary

        return summary(self.certificate)


@dataclass(frozen=True, slots=True)
class Written:
    """Where a release was put."""

    folder: Path
    table: Path
    report: Path
    certificate: dict[str, Any] = field(repr=False)


def publish(frame: object, plan: Plan | dict[str, Any] | str | Path, *, secret: Secret | None = None) -> Published:
    """Publish a table held in memory (pandas, Polars, PyArrow) or named by a path, according to `plan`.

    Raises `RequestError` when the request is wrong and `GuaranteeError` when the promise cannot be kept.
    `secret` decides the order of the rows; a fresh one is drawn from the operating system unless one is given.
    """
    chosen = as_plan(plan)
    native, give_back = _taken(frame, chosen)
    return _publish(native, chosen, secret or Secret.fresh(), give_back)


def publish_files(plan: Plan, *, progress: Listener | None = None) -> Written:
    """Publish the file the plan names into the folder it names."""
    with reporting_to(progress):
        source = source_of(plan)
        with staged(plan.base / plan.output.folder) as folder:
            report("reading")
            published = _publish(read(source), plan, Secret.fresh(), lambda frame: frame)
            report("writing")
            table = folder / f"{TABLE}.{plan.output.format}"
            write(published.release.frame, table)
            sealed = certificate.sealed(published.certificate, table, published.release.frame.height)
            certificate.write(sealed, folder)
            (folder / REPORT).write_text(render(sealed), encoding="utf-8")
            report("verifying the written files")
            _verified(verify(folder), published.release)
        target = plan.base / plan.output.folder
        return Written(target, target / table.name, target / REPORT, sealed)


def as_plan(plan: Plan | dict[str, Any] | str | Path) -> Plan:
    """A plan, or the mapping or the path of a plan file it is made from."""
    if isinstance(plan, Plan):
        return plan
    return Plan.from_dict(plan) if isinstance(plan, dict) else Plan.from_toml(plan)


def source_of(plan: Plan, path: Path | None = None) -> Source:
    """The file to read (the one the plan names unless `path` is given), read as the plan says."""
    if path is not None:
        return replace(plan.input.source(Path()), path=path) if plan.input else Source(path)
    if plan.input is None or plan.input.path is None:
        raise refuse("plan: input", "names no file", 'Add [input] with path = "..."')
    return plan.input.source(plan.base)


def encode(frame: pl.DataFrame, plan: Plan) -> Table:
    """The table as the algorithms see it: roles checked, hierarchies bound, all problems at once."""
    schema = plan.schema_for(frame.columns)
    if not frame.height:
        raise refuse("input", "the table has no rows", "Give a table with at least one row")
    return Table.encode(schema, frame, bind(frame, schema, plan))


def bind(frame: pl.DataFrame, schema: Schema, plan: Plan) -> tuple[Hierarchy, ...]:
    """The hierarchy of each quasi-identifier."""
    bound: list[Hierarchy] = []
    problems: list[Problem] = []
    for name in schema.named(Role.QUASI):
        report(f"binding the hierarchy of {name}")
        values = frame[name].unique()
        try:
            bound.append(plan.rules[name].bind(name, values.drop_nulls(), missing=values.null_count() > 0))
        except RequestError as error:
            problems.extend(error.problems)
    if problems:
        raise RequestError(problems)
    return tuple(bound)


def usefulness(public: Public, recoding: Recoding) -> tuple[Finding, ...]:
    """What every registered measure of utility says of the recoding."""
    return tuple(finding for part in discover(Kind.UTILITY) for finding in part.cls().measure(public, recoding))


def _taken(frame: object, plan: Plan) -> tuple[pl.DataFrame, Callable[[pl.DataFrame], object]]:
    if isinstance(frame, str | Path):
        return read(source_of(plan, Path(frame))), lambda native: native
    native, give_back = take(frame)
    return blanked(native, plan.input.missing if plan.input else ()), give_back


def _publish(
    frame: pl.DataFrame, plan: Plan, secret: Secret, give_back: Callable[[pl.DataFrame], object]
) -> Published:
    table = encode(frame, plan)
    witness = Witness(table.frame.select(table.schema.named(Role.SENSITIVE)))
    recoding = plan.publisher.solve(table.public, witness, plan.requirement, secret)
    report("applying and shuffling")
    applied = _applied(table, recoding, secret, plan)
    evidence = Evidence(recoding, applied.blank, witness.looks)
    release = Release(applied.frame, table.schema, plan.requirement, evidence, applied.persons)
    findings = (*release.findings, *recoding.findings, *usefulness(table.public, recoding))
    written = certificate.certify(plan, release, table.public, secret, findings)
    return Published(release, findings, written, give_back)


def _applied(table: Table, recoding: Recoding, secret: Secret, plan: Plan) -> Applied:
    if plan.output.suppressed == "blank":
        return keep_blank(table, recoding, secret, plan.requirement)
    return leave_out(table, recoding, secret)


def _verified(findings: Sequence[Finding], release: Release) -> None:
    failed = [finding.name for finding in findings if finding.verdict is Verdict.FAILS]
    if failed:
        raise GuaranteeError(
            model=type(release.requirement).__name__,
            promised=release.requirement.promise,
            reached=f"but the written file does not say the same ({', '.join(failed)})",
            remedy="Nothing was kept. Check the disk and try again",
        )
