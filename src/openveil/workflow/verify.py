"""Measure a release again, from its files alone.

Claim. `verify` reads the published table as a stranger would and says, finding by finding, whether it is the
file the certificate speaks of, whether it has the declared columns and rows and no others, whether the promise
holds for the classes formed by the published labels, whether everything the certificate says that the files can
answer is what they answer (`recount.py`), whether the certificate agrees with itself and with what this version
knows (`coherence.py`), and whether the report is the one that the certificate gives. A file that is no
certificate is refused (`certificate_shape.py`).

Why it holds. Nothing but the three files is used. The numbers of persons cannot be measured without the person
column, which is not published; they only have to be possible. The certificate is not signed: who changes all
three files in step, in what only the original could answer, is not noticed.

Cost. Reading the table once, one encoding a quasi-identifier, one fold, and what `recount.py` costs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, cast

import polars as pl
from polars.exceptions import PolarsError

from openveil.core.classes import Classes
from openveil.core.errors import RequestError, refuse
from openveil.core.finding import Finding, Verdict
from openveil.core.registry import Kind, find
from openveil.core.release import regroup
from openveil.core.requirement import Requirement
from openveil.core.schema import Role
from openveil.io.stage import REPORT
from openveil.io.write import read_published
from openveil.report.page import render
from openveil.workflow import certificate as certificates
from openveil.workflow.certificate_shape import Certificate, CertifiedPart, load, refused
from openveil.workflow.coherence import coherent, rebuilt, same_version
from openveil.workflow.recount import recounted


class Verified(NamedTuple):
    """A certificate, and what the files beside it say of it."""

    certificate: Certificate
    findings: tuple[Finding, ...]


def verify(folder: str | Path) -> tuple[Finding, ...]:
    """What the files in `folder` say of the promise; every verdict but FAILS and UNDECIDED is good."""
    return verified(Path(folder)).findings


def verified(folder: Path) -> Verified:
    """The certificate in `folder`, and what the files there say of it."""
    certificate = load(folder)
    promised = [_requirement(promise, folder) for promise in certificate.promise]
    of_table = tuple(_of_table(folder / certificate.file.name, certificate, promised))
    findings = (*of_table, *coherent(certificate), *_same_report(folder, certificate))
    return Verified(certificate, findings)


def _of_table(table: Path, certificate: Certificate, promised: Sequence[Requirement]) -> Iterator[Finding]:
    yield _same_file(table, certificate)
    try:
        yield from _measured(read_published(table), certificate, promised)
    except (RequestError, PolarsError):
        yield _verdict("the table can be read", holds=0, limit=1)


def _measured(frame: pl.DataFrame, certificate: Certificate, promised: Sequence[Requirement]) -> Iterator[Finding]:
    declared = [column.name for column in certificate.columns]
    same = _verdict("the table has the declared columns and no others", holds=int(frame.columns == declared), limit=1)
    yield same
    yield _verdict("rows in the table", holds=frame.height, limit=certificate.file.rows)
    if same.verdict is Verdict.HOLDS:
        classes = regroup(frame, certificate.named(Role.QUASI))
        measured = tuple(finding for requirement in promised for finding in requirement.measure(classes))
        yield from _promises(classes, certificate, promised)
        yield from measured
        yield from recounted(frame, classes, measured, certificate)


def _same_file(table: Path, certificate: Certificate) -> Finding:
    if not table.is_file():
        raise refuse(f"folder {table.parent.name!r}", "the table of the certificate is not there", "Get it again")
    same = certificates.file_digest(table) == certificate.file.sha256
    return _verdict("the table is the file the certificate speaks of", holds=int(same), limit=1)


def _promises(classes: Classes, certificate: Certificate, promised: Sequence[Requirement]) -> Iterator[Finding]:
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


def _verdict(name: str, *, holds: int, limit: int) -> Finding:
    verdict = Verdict.HOLDS if holds == limit else Verdict.FAILS
    return Finding(name, "written file", holds, verdict, limit=limit)
