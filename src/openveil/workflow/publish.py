"""From a table and a plan to a verified release.

Claim. `publish` returns a `Release`, which has passed the gate, or raises. `publish_files` writes the table and
its certificate into a folder that appears whole, after the written table was read back and verified from the
files alone; otherwise nothing is written. `Published.write` does the same for a table in memory. Neither replaces a
folder that a file it read lies in.

Why it holds. A `Release` cannot be made without passing the gate (`core/release.py`); the folder is staged and
moved into place only at the end (`io/stage.py`). The files that were read are the table and the hierarchy files, and
are looked for before anything is made.

Cost. Reading, one search, one application, one regrouping in memory and one on the file read back.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NoReturn

import polars as pl

from openveil.core.errors import GuaranteeError, LeftOutWarning, RequestError, refuse
from openveil.core.finding import Finding, Verdict
from openveil.core.guards import Origins
from openveil.core.progress import Listener, report, reporting_to
from openveil.core.recoding import Recoding
from openveil.core.registry import Kind, discover
from openveil.core.release import Evidence, Release, Tables, refuse_to_pickle
from openveil.core.requirement import Requirement
from openveil.core.schema import Role
from openveil.core.secret import Secret
from openveil.core.table import Public, Table
from openveil.core.witness import Names, Spelled, Witness
from openveil.io.read import read
from openveil.io.stage import COUNTS, FORMATS, REPORT, TABLE, staged
from openveil.io.write import write
from openveil.report.page import render
from openveil.workflow import certificate
from openveil.workflow.apply import Applied, keep_blank, leave_out
from openveil.workflow.exposure import exposure
from openveil.workflow.plan import Plan
from openveil.workflow.planned import Planned, as_plan
from openveil.workflow.population import known_population, people_for
from openveil.workflow.replay import disclosed, replayed
from openveil.workflow.taking import encode, source_of, taken
from openveil.workflow.verify import verify


@dataclass(frozen=True, slots=True)
class Written:
    """Where a release was put.

    `origins` says where what guards the rows came from, in counts; it is for whoever holds the table, and in no file.
    """

    folder: Path
    table: Path
    report: Path
    certificate: dict[str, Any] = field(repr=False)
    counts: Path | None = None
    origins: Origins | None = field(default=None, repr=False)

    @staticmethod
    def to(folder: Path, sealed: dict[str, Any], origins: Origins | None) -> Written:
        """The files a certificate speaks of, in their folder."""
        counts = sealed.get(certificate.COUNTS_FILE)
        second = None if counts is None else folder / counts["name"]
        return Written(folder, folder / sealed["file"]["name"], folder / REPORT, sealed, second, origins)


@dataclass(frozen=True, eq=False, repr=False)
class Published:
    """A release, what is to be said about it, and its certificate (without the digest of a file).

    It cannot be pickled: the evidence of the release speaks of rows that are not published. `origins` says where what
    guards the rows came from, in counts; it is for whoever holds the table, and in no file.
    """

    release: Release
    findings: tuple[Finding, ...]
    _certificate: dict[str, Any]
    _give_back: Callable[[pl.DataFrame], object]
    _read: tuple[Path, ...] = ()
    origins: Origins | None = None

    @property
    def certificate(self) -> dict[str, Any]:
        """What was promised and measured, as a copy of its own."""
        return deepcopy(self._certificate)

    @cached_property
    def data(self) -> Any:
        """The table to publish, in the kind of frame that was given; under bucketisation the one of rows.

        It is a copy: what is done to it changes nothing of the release.
        """
        return self._give_back(self.release.frame)

    @cached_property
    def counts(self) -> Any:
        """Under bucketisation how often each sensitive value occurs in each group, otherwise nothing."""
        counts = self.release.tables.counts
        return None if counts is None else self._give_back(counts)

    def write(self, folder: str | Path, *, format: Literal["csv", "parquet", "arrow"] = "csv") -> Written:  # noqa: A002
        """Write table, report and certificate into `folder`, which appears whole and verified or not at all."""
        target = _target(folder)
        _refuse_to_replace(self._read, target)
        with staged(target) as draft:
            sealed = fill(draft, self.release, self._certificate, format)
        return Written.to(target, sealed, self.origins)

    def __reduce__(self) -> NoReturn:
        refuse_to_pickle(self)

    def __repr__(self) -> str:
        from openveil.report.text import lines

        return "\n".join(lines(self._certificate))

    def _repr_html_(self) -> str:
        from openveil.report.notebook import summary

        return summary(self._certificate)


def publish(frame: object, plan: Planned, *, secret: Secret | None = None) -> Published:
    """Publish a table held in memory (pandas, Polars, PyArrow) or named by a path, according to `plan`.

    The plan is a `Plan`, a mapping, the path of a plan file, or what `scan` proposes. Raises `RequestError` when
    the request is wrong and `GuaranteeError` when the promise cannot be kept.

    `secret` decides what is drawn and the order of the rows; a fresh one comes from the operating system unless one
    is given. Caution: whoever has the secret can undo the order and so tell which original row each published row
    was. Give one only to repeat a release bit for bit; never publish it, and never use it for another release.
    """
    drawn_with = _secret(secret)
    chosen = as_plan(plan)
    native, give_back = taken(frame, chosen)
    published = _publish(native, chosen, drawn_with, give_back)
    table = [Path(frame)] if isinstance(frame, str | Path) else []
    return replace(published, _read=(*table, *_read_beside(chosen)))


def publish_files(plan: Plan, *, secret: Secret | None = None, progress: Listener | None = None) -> Written:
    """Publish the file the plan names into the folder it names; see `publish` for `secret`."""
    drawn_with = _secret(secret)
    with reporting_to(progress):
        source = source_of(plan)
        target = plan.base / _target(plan.output.folder)
        _refuse_to_replace((source.path, *_read_beside(plan)), target)
        with staged(target) as draft:
            report("reading")
            published = _publish(read(source), plan, drawn_with, lambda frame: frame)
            sealed = fill(draft, published.release, published.certificate, plan.output.format)
        return Written.to(target, sealed, published.origins)


def _secret(given: object) -> Secret:
    """The secret that was given, or a fresh one."""
    if given is None:
        return Secret.fresh()
    if isinstance(given, Secret):
        return given
    remedy = "Give openveil.Secret(key), where key is 32 bytes, or leave it out and a fresh one is drawn"
    raise refuse("secret", "is not a Secret", remedy, found=type(given).__name__)


def fill(draft: Path, release: Release, measured: Mapping[str, Any], ending: str) -> dict[str, Any]:
    """Write the files of a release into `draft` and verify them; the certificate as it was written."""
    if ending not in FORMATS:
        remedy = f"Use one of {', '.join(FORMATS)}"
        raise refuse("format", "is not one that tables are published in", remedy, found=repr(ending))
    report("writing")
    sealed = dict(measured)
    for key, stem, frame in _files(release.tables):
        path = draft / f"{stem}.{ending}"
        write(frame, path)
        sealed = certificate.sealed(sealed, key, path, frame.height)
    certificate.write(sealed, draft)
    (draft / REPORT).write_text(render(sealed), encoding="utf-8")
    report("verifying the written files")
    _verified(verify(draft), release)
    return sealed


def _files(tables: Tables) -> Iterator[tuple[str, str, pl.DataFrame]]:
    """The key in the certificate, the name and the rows of each file."""
    yield certificate.TABLE_FILE, TABLE, tables.frame
    if tables.counts is not None:
        yield certificate.COUNTS_FILE, COUNTS, tables.counts


def usefulness(public: Public, recoding: Recoding) -> tuple[Finding, ...]:
    """What every registered measure of utility says of the recoding."""
    return tuple(finding for part in discover(Kind.UTILITY) for finding in part.cls().measure(public, recoding))


def _target(folder: str | Path) -> Path:
    """The folder to publish into."""
    if str(folder).startswith("~"):
        remedy = "Write the whole path, or ./~... for a folder of that name"
        raise refuse("output folder", "starts with ~, which only a shell takes for the home folder", remedy)
    return Path(folder)


def _read_beside(plan: Plan) -> Iterator[Path]:
    """The files a release is made from, beside the table."""
    for part in (*plan.rules.values(), *plan.requirement.parts()):
        values = (getattr(part, each.name) for each in fields(part))  # type: ignore[arg-type]
        yield from (value for value in values if isinstance(value, Path))
    if plan.wishes and plan.wishes.file:
        yield plan.wishes.file


def _refuse_to_replace(files: Iterable[Path], target: Path) -> None:
    """Refuse a folder that one of the files lies in, be it by a link."""
    try:
        folder = target.resolve()
        inside = [path for path in files if folder in {path.parent.resolve(), path.resolve().parent}]
    except (OSError, ValueError, RuntimeError):
        return  # what is wrong with such a path is said where it is used
    if inside:
        raise refuse(
            f"folder {str(target)!r}",
            f"holds {inside[0].name!r}, which this release is made from and which replacing the folder would remove",
            "Choose another folder for the release, or move that file",
        )


def _publish(
    frame: pl.DataFrame, plan: Plan, secret: Secret, give_back: Callable[[pl.DataFrame], object]
) -> Published:
    table = encode(frame, plan)
    sensitive = table.frame.select(table.schema.named(Role.SENSITIVE))
    witness = Witness(sensitive, _guards=table.guards)
    requirement = _fitted(plan.requirement, Spelled(sensitive))
    recoding = plan.publisher.solve(table.public, witness, requirement, secret)
    report("applying and shuffling")
    applied = _applied(table, recoding, secret, plan)
    status = plan.method.part.status
    looks, differing = witness.looks, applied.differing
    said = disclosed(plan.publisher, table.public, witness, requirement, recoding.group)
    people = people_for(plan.requirement, table, recoding)
    evidence = Evidence(
        recoding, applied.order, applied.blank, looks, status, differing, applied.untrue, said, people
    )
    guards = table.guards and table.guards.of(applied.order)
    release = Release(applied.tables, table.schema, plan.requirement, evidence, applied.persons, guards)
    again = replayed(plan.publisher, table.public, witness, requirement, recoding, status)
    if again.verdict is Verdict.FAILS:
        raise _not_safe(release, again)
    known = exposure(plan, table, release)
    told = (*release.findings, again, *known_population(plan.requirement, table, recoding), *recoding.findings)
    findings = (*told, *usefulness(table.public, recoding), *known)
    written = certificate.certify(plan, release, table.public, secret, findings)
    origins = None if table.guards is None else table.guards.origins
    return Published(release, findings, written, give_back, origins=origins)


def _fitted(requirement: Requirement, names: Names) -> Requirement:
    """The privacy models, told which values the table has; or all that is wrong with asking them of it."""
    problems = [*requirement.unfit_for(names)]
    if problems:
        raise RequestError(problems)
    return requirement.for_values(names)


def _applied(table: Table, recoding: Recoding, secret: Secret, plan: Plan) -> Applied:
    if plan.output.suppressed != "blank":
        return leave_out(table, recoding, secret)
    applied = keep_blank(table, recoding, secret, plan.requirement)
    if recoding.suppressed and not applied.blank:
        said = (
            f"{recoding.suppressed:,} suppressed rows were left out, not kept blank as the plan asks: blank rows "
            f"must satisfy {plan.requirement.name} together, and it could not be shown that these do"
        )
        warnings.warn(said, LeftOutWarning, stacklevel=2)
    return applied


def _not_safe(release: Release, again: Finding) -> GuaranteeError:
    return GuaranteeError(
        model=release.requirement.name,
        promised=release.requirement.promise,
        reached=f"but {again.value} of {again.note} gave other groups, so who knows the method learns more",
        remedy="This is a defect of the method, not of your data: please report it. Nothing was written",
    )


def _verified(findings: Sequence[Finding], release: Release) -> None:
    failed = [finding.name for finding in findings if finding.verdict is Verdict.FAILS]
    if failed:
        raise GuaranteeError(
            model=release.requirement.name,
            promised=release.requirement.promise,
            reached=f"but the written file does not say the same ({', '.join(failed)})",
            remedy="Nothing was kept. Check the disk and try again",
        )
