"""Measure a release again, from its files alone.

Claim. `verify` reads the published table as a stranger would and says, finding by finding, whether it is the
file the certificate speaks of, whether it has the declared columns and rows and no others, whether the promise
holds for the classes formed by the published labels, whether everything the certificate says that the files can
answer is what they answer (`recount.py`), whether the certificate agrees with itself and with what this version
knows (`coherence.py`), and whether the report is the one that the certificate gives. What else lies in the folder is
told, and not looked at. A file that is no
certificate is refused (`certificate_shape.py`).

Why it holds. Nothing but the three files is used. The numbers of persons cannot be measured without the person
column, which is not published; they only have to be possible. Nor can a promise be measured that rests on what guards
each person's value; that is said, and the certified figure has to be there and to keep the promise. The certificate
is not signed: who changes all three files in step, in what only the original could answer, is not noticed.

Cost. Reading the table once, one encoding a quasi-identifier, one fold, and what `recount.py` costs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, cast

import polars as pl
from polars.exceptions import PolarsError

from openveil.core.alternatives import Readable
from openveil.core.classes import Classes
from openveil.core.errors import RequestError, refuse
from openveil.core.finding import Finding, Verdict
from openveil.core.recoding import Scheme
from openveil.core.registry import Kind, find
from openveil.core.release import COUNT, GROUP, Tables, published_columns, regroup
from openveil.core.requirement import Requirement, together
from openveil.core.schema import Column, Role, Schema
from openveil.io.stage import REPORT
from openveil.io.write import read_published
from openveil.report.page import render
from openveil.report.wording import printable, some
from openveil.workflow import certificate as certificates
from openveil.workflow.certificate_shape import Certificate, CertifiedFile, CertifiedPart, load, refused
from openveil.workflow.certified_plan import certified_plan
from openveil.workflow.coherence import coherent, rebuilt, same_version
from openveil.workflow.plan import Plan
from openveil.workflow.planned import Planned, as_plan
from openveil.workflow.public_replay import REPLAYED, replay_in_public
from openveil.workflow.recount import recounted
from openveil.workflow.taking import taken

BAD = frozenset({Verdict.FAILS, Verdict.UNDECIDED})
READABLE = "the table can be read"
DECLARED = "the table has the declared columns and no others"
SAME_GROUPS = "the two tables speak of the same groups"
UNTOLD = "is not measured here"
_OF_ANY_RELEASE = frozenset({READABLE, DECLARED, SAME_GROUPS})


class Verified(NamedTuple):
    """A certificate, and what the files beside it say of it."""

    certificate: Certificate
    findings: tuple[Finding, ...]


class Verification(tuple[Finding, ...]):
    """The findings; `holds` says whether all is well, and what is printed says it first."""

    __slots__ = ()

    @property
    def holds(self) -> bool:
        """Whether no finding fails or is undecided."""
        return not any(finding.verdict in BAD for finding in self)

    def __str__(self) -> str:
        first = "The release holds." if self.holds else "The release does not hold."
        return "\n".join([first, *(f"{finding.verdict}: {finding.name} ({finding.on})" for finding in self)])


def verify(folder: str | Path, *, public: object = None, plan: Planned | None = None) -> Verification:
    """What the files in `folder` say of the promise: `verify(folder).holds` is True when all is well.

    With `public`, a table (or the path of one) that has the quasi-identifiers of everyone in the release, the method
    is replayed without the original. The `plan` it was made with is needed only where the certificate does not say
    enough of it, and for reading a file in a way of its own.
    """
    found = verified(Path(folder))
    if public is None:
        return Verification(found.findings)
    given = None if plan is None else as_plan(plan)
    return Verification((*found.findings, *replayed_in_public(Path(folder), found, public, given)))


def replayed_in_public(folder: Path, found: Verified, public: object, given: Plan | None) -> tuple[Finding, ...]:
    """What the release in `folder` says when its method is replayed on the quasi-identifiers alone.

    Tables that are not those of a release at all are not replayed.
    """
    certificate = found.certificate
    if any(each.verdict in BAD and each.name in _OF_ANY_RELEASE for each in found.findings):
        note = "not replayed, as the tables are not those of a release"
        return (Finding(REPLAYED, "public replay", 0, Verdict.UNDECIDED, note=note),)
    if given is not None and given.digest != certificate.digests.plan:
        raise refuse("plan", "is not the plan this release was made with", "Take the plan of this release")
    plan = given or certified_plan(certificate)
    roster = taken(public, plan)[0]
    return replay_in_public(read_tables(folder, certificate), certificate, plan, roster)


def verified(folder: Path) -> Verified:
    """The certificate in `folder`, and what the files there say of it."""
    certificate = load(folder)
    promised = together([_requirement(promise, folder) for promise in certificate.promise])
    of_tables = tuple(_of_tables(folder, certificate, promised))
    in_folder = (*_same_report(folder, certificate), *_strays(folder, certificate))
    findings = (*of_tables, *coherent(certificate), *in_folder)
    return Verified(certificate, findings)


def read_tables(folder: Path, certificate: Certificate) -> Tables:
    """The tables of a release, as a reader sees them."""
    frame = read_published(folder / certificate.file.name)
    if certificate.counts_file is None:
        return Tables(frame)
    counts = read_published(folder / certificate.counts_file.name)
    return Tables(frame, counts.with_columns(pl.col(COUNT).cast(pl.Int64)) if COUNT in counts.columns else counts)


def _of_tables(folder: Path, certificate: Certificate, promised: Requirement) -> Iterator[Finding]:
    for file in filter(None, (certificate.file, certificate.counts_file)):
        yield _same_file(folder / file.name, file)
    try:
        yield from _measured(read_tables(folder, certificate), certificate, promised)
    except (RequestError, PolarsError):
        yield _verdict(READABLE, holds=0, limit=1)


def _measured(tables: Tables, certificate: Certificate, promised: Requirement) -> Iterator[Finding]:
    same = _verdict(DECLARED, holds=_declared(tables, certificate), limit=1)
    yield same
    yield _verdict("rows in the table", holds=tables.frame.height, limit=certificate.file.rows)
    if same.verdict is not Verdict.HOLDS:
        return
    if tables.counts is not None and certificate.counts_file:
        yield _verdict("rows in the second table", holds=tables.counts.height, limit=certificate.counts_file.rows)
        yield _verdict(SAME_GROUPS, holds=int(tables.of_the_same_groups()), limit=1)
    sensitive = certificate.named(Role.SENSITIVE)
    shown, told_apart = tables.shown(certificate.named(Role.QUASI), sensitive)
    values = Readable(shown.select(sensitive), certificate.coarser)
    classes = regroup(shown, told_apart, values)
    asked = [part.for_values(values.names) for part in promised.parts() if not part.reads_guards]
    measured = tuple(dict.fromkeys(finding for part in asked for finding in part.measure(classes)))
    yield from _promises(classes, certificate, asked)
    yield from _untold(part for part in promised.parts() if part.reads_guards)
    yield from measured
    yield from recounted(tables, classes, measured, certificate)


def _declared(tables: Tables, certificate: Certificate) -> int:
    """1 when the tables have the columns that the certificate speaks of, in their order, and no others."""
    schema = Schema(tuple(Column(each.name, each.role) for each in certificate.columns))
    same = tuple(tables.frame.columns) == published_columns(schema, certificate.scheme)
    if tables.counts is None:
        return int(same and certificate.scheme is Scheme.GENERALISATION)
    wanted = (GROUP, *schema.named(Role.SENSITIVE), COUNT)
    return int(same and certificate.scheme is Scheme.BUCKETISATION and tuple(tables.counts.columns) == wanted)


def _same_file(table: Path, file: CertifiedFile) -> Finding:
    if not table.is_file():
        raise refuse(f"folder {table.parent.name!r}", "the table of the certificate is not there", "Get it again")
    same = certificates.file_digest(table) == file.sha256
    name = "the table is the file the certificate speaks of"
    return _verdict(name, holds=int(same), limit=1, on=str(printable(table.name)))


def _untold(promised: Iterable[Requirement]) -> Iterator[Finding]:
    for requirement in promised:
        note = "what guards a person's value is not published; the certificate says whether it held"
        yield Finding(f"{requirement.name}, {requirement.promise}, {UNTOLD}", "written file", 0, note=note)


def _promises(classes: Classes, certificate: Certificate, promised: Iterable[Requirement]) -> Iterator[Finding]:
    same = certificates.shape(classes) == certificate.classes.model_dump()
    yield _verdict("the classes have the certified sizes", holds=int(same), limit=1)
    for requirement in promised:
        failing = int((~requirement.holds(classes)).sum())
        yield _verdict(f"classes that fail {requirement.promise}", holds=failing, limit=0)


def _requirement(promise: CertifiedPart, folder: Path) -> Requirement:
    where = f"folder {folder.name!r}"
    found = find(Kind.REQUIREMENT, promise.name)
    if found is None:
        raise refuse(
            where, "the certificate promises a privacy model this version does not have", "Install a newer openveil"
        )
    made = rebuilt(found, promise.parameters)
    if made is None:
        raise refused(where, [f"the parameters of promise {found.name} are not those that the model takes"])
    return cast("Requirement", made)


def _same_report(folder: Path, certificate: Certificate) -> Iterator[Finding]:
    if not same_version(certificate):
        return
    try:
        same = (folder / REPORT).read_text(encoding="utf-8") == render(certificate.as_json())
    except (OSError, ValueError, RequestError):
        same = False
    yield _verdict("the report is the one of this certificate", holds=int(same), limit=1)


def _strays(folder: Path, certificate: Certificate) -> Iterator[Finding]:
    """What lies in the folder and is no file of the release, but would be given away with it."""
    tables = (each.name for each in (certificate.file, certificate.counts_file) if each)
    ours = {certificates.FILE, REPORT, *tables}
    names = tuple(sorted(str(printable(path.name)) for path in folder.iterdir() if path.name not in ours))
    if names:
        note = "not checked, and not to be given away with the release; move them elsewhere"
        yield Finding("files that are not of the release", some(names), len(names), note=note)


def _verdict(name: str, *, holds: int, limit: int, on: str = "written file") -> Finding:
    verdict = Verdict.HOLDS if holds == limit else Verdict.FAILS
    return Finding(name, on, holds, verdict, limit=limit)
