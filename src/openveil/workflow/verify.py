"""Measure a release again, from its files alone.

Claim. `verify` reads the published table as a stranger would and says, finding by finding, whether it is the
file the certificate speaks of, whether it has the declared columns and rows and no others, whether the promise
holds for the classes formed by the published labels, and whether the certificate's counts are those of the file.

Why it holds. Nothing but the two files is used. The numbers of persons cannot be measured without the person
column, which is not published; they are reported as the gate measured them, and marked as not measured here.

Cost. Reading the table once, one encoding a quasi-identifier, one fold.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

from openveil.core.classes import Classes
from openveil.core.errors import RequestError, refuse
from openveil.core.finding import Finding, Verdict
from openveil.core.registry import Kind, find
from openveil.core.release import regroup
from openveil.core.requirement import Requirement
from openveil.core.schema import Role
from openveil.io.write import read_published
from openveil.workflow import certificate as certificates


def verify(folder: str | Path) -> tuple[Finding, ...]:
    """What the files in `folder` say of the promise; every verdict but FAILS and UNDECIDED is good."""
    folder = Path(folder)
    certificate = load(folder)
    table = folder / certificate["file"]["name"]
    findings = [_same_file(table, certificate)]
    try:
        frame = read_published(table)
    except RequestError:
        return (*findings, _verdict("the table can be read", holds=0, limit=1))
    findings += [_same_columns(frame, certificate), _same_rows(frame, certificate)]
    if all(finding.verdict is Verdict.HOLDS for finding in findings[1:]):
        quasi = [each["name"] for each in certificate["columns"] if each["role"] == Role.QUASI]
        findings += _promises(regroup(frame, quasi), certificate)
    return tuple(findings)


def load(folder: Path) -> dict[str, Any]:
    """The certificate in `folder`."""
    path = folder / certificates.FILE
    where = f"folder {folder.name!r}"
    try:
        loaded = json.loads(path.read_text(encoding="utf-8"))
    except OSError:
        remedy = "Name a folder that `openveil publish` wrote"
        raise refuse(where, f"has no readable {certificates.FILE}", remedy) from None
    except ValueError:
        raise refuse(where, f"{certificates.FILE} is not JSON", "Get the release again from its source") from None
    if not _complete(loaded):
        raise refuse(
            where,
            f"{certificates.FILE} is not a certificate of format {certificates.FORMAT}",
            "Get the release again from its source, or use the version of openveil that wrote it",
        )
    return dict(loaded)


def _complete(loaded: object) -> bool:
    if not isinstance(loaded, dict) or loaded.get("certificate") != certificates.FORMAT:
        return False
    file = loaded.get("file")
    named = isinstance(file, dict) and Path(str(file.get("name"))).name == file.get("name")
    return named and all(key in loaded for key in ("promise", "columns", "classes", "suppression"))


def _same_file(table: Path, certificate: dict[str, Any]) -> Finding:
    if not table.is_file():
        raise refuse(f"folder {table.parent.name!r}", "the table of the certificate is not there", "Get it again")
    same = certificates.file_digest(table) == certificate["file"]["sha256"]
    return _verdict("the table is the file the certificate speaks of", holds=int(same), limit=1)


def _same_columns(frame: pl.DataFrame, certificate: dict[str, Any]) -> Finding:
    declared = [each["name"] for each in certificate["columns"]]
    return _verdict("the table has the declared columns and no others", holds=int(frame.columns == declared), limit=1)


def _same_rows(frame: pl.DataFrame, certificate: dict[str, Any]) -> Finding:
    return _verdict("rows in the table", holds=frame.height, limit=int(certificate["file"]["rows"]))


def _promises(classes: Classes, certificate: dict[str, Any]) -> Iterator[Finding]:
    same = certificates.shape(classes) == certificate["classes"]
    yield _verdict("the classes have the certified sizes", holds=int(same), limit=1)
    for promise in certificate["promise"]:
        requirement = _requirement(promise)
        failing = int((~requirement.holds(classes)).sum())
        yield _verdict(f"classes that fail {requirement.promise}", holds=failing, limit=0)
        yield from requirement.measure(classes)


def _requirement(promise: dict[str, Any]) -> Requirement:
    found = find(Kind.REQUIREMENT, str(promise.get("name")))
    if found is None:
        raise refuse(
            "certificate: promise", "is a privacy model this version does not have", "Install a newer openveil"
        )
    try:
        made: Requirement = found.cls(**promise["parameters"])
    except (TypeError, KeyError):
        raise refuse(
            "certificate: promise", "has parameters the model does not take", "Get the release again"
        ) from None
    return made


def _verdict(name: str, *, holds: int, limit: int) -> Finding:
    verdict = Verdict.HOLDS if holds == limit else Verdict.FAILS
    return Finding(name, "written file", holds, verdict, limit=limit)
