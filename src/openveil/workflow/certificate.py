"""The certificate: what was promised and what was measured on the written file, in plain JSON.

Claim. The certificate holds no cell value of anyone's record: it has names of columns, parameters, counts,
levels and digests. Whoever has the release folder can check it without the original (`verify.py`).

Source. The fields are described in docs/certificate.md.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from openveil.core.classes import Classes
from openveil.core.finding import Finding
from openveil.core.release import Release
from openveil.core.schema import PUBLISHED, Role, Schema
from openveil.core.secret import Secret
from openveil.core.table import Public
from openveil.requirements.personal_breach import Adversary
from openveil.workflow.plan import Chosen, Plan

FILE = "certificate.json"
FORMAT = 1
REMOVED = tuple(role for role in Role if role not in PUBLISHED)
TABLE_FILE, COUNTS_FILE = "file", "counts_file"
ADVERSARY = (
    "Someone who knows every quasi-identifier of everyone in the table, who is in it, which published group each "
    "person is in, this program and the plan, but not the secret that rows are drawn and ordered with."
)

_POPULATION = (
    " Of what guards people's values: someone who knows no more of who is in the table than that they are among the "
    "people of the population, and takes everyone whom the labels of a group fit for the owner of a row as likely as "
    "any other."
)


def adversary(promises: Iterable[Mapping[str, Any]]) -> str:
    """Who is promised not to learn more than is said, where privacy models with these parameters are."""
    by_population = any(each.get("adversary") == Adversary.POPULATION for each in promises)
    return ADVERSARY + _POPULATION if by_population else ADVERSARY


def certify(
    plan: Plan, release: Release, public: Public, secret: Secret, findings: Sequence[Finding]
) -> dict[str, Any]:
    """Everything but the file, which `sealed` adds."""
    return {
        "certificate": FORMAT,
        "promise": [_chosen(each) for each in plan.privacy],
        "adversary": adversary(each.parameters for each in plan.privacy),
        "method": _chosen(plan.method),
        "scheme": str(release.scheme),
        "allow_unsafe": plan.allow_unsafe,
        "findings": [finding.as_json() for finding in findings],
        "classes": shape(release.classes),
        "levels": levels(release, public),
        "suppression": {
            "rows": release.suppressed,
            "of": len(public),
            "kept_blank": release.evidence.blank,
        },
        "columns": columns(release.schema),
        "replaced": {each.name: str(each.change) for each in release.evidence.recoding.replaced},
        "removed": list(release.schema.named(*REMOVED)),
        "hierarchies": hierarchies(plan, release.schema),
        "digests": {"plan": plan.digest, "input_schema": schema_digest(release.schema)},
        "secret_commitment": secret.commitment,
        "versions": dict(versions()),
    }


def sealed(certificate: dict[str, Any], key: str, table: Path, rows: int) -> dict[str, Any]:
    """The certificate with the digest of a written table under its key."""
    return {**certificate, key: {"name": table.name, "sha256": file_digest(table), "rows": rows}}


def write(certificate: dict[str, Any], folder: Path) -> None:
    """Write the certificate into `folder`."""
    text = json.dumps(certificate, indent=2, ensure_ascii=False)
    (folder / FILE).write_text(text + "\n", encoding="utf-8")


@cache
def versions() -> tuple[tuple[str, str], ...]:
    """Of openveil and of the libraries that compute a release."""
    return tuple((name, version(name)) for name in ("openveil", "numpy", "numba", "polars"))


def shape(classes: Classes) -> dict[str, Any]:
    """The sizes of the classes: how many there are of each size."""
    sizes, counts = np.unique(classes.sizes, return_counts=True)
    return {
        "count": len(classes),
        "smallest": int(sizes[0]) if len(sizes) else 0,
        "of_size": {str(size): int(count) for size, count in zip(sizes.tolist(), counts.tolist(), strict=True)},
    }


def columns(schema: Schema) -> list[dict[str, str]]:
    """The published columns and their roles."""
    return [
        {"name": column.name, "role": str(column.role)}
        for column in schema.columns
        if column.name in schema.published
    ]


def hierarchies(plan: Plan, schema: Schema) -> dict[str, dict[str, Any]]:
    """The kind of each hierarchy and what is known of it; its parameters where they cannot hold values."""
    parts = {name: plan.columns[name].hierarchy for name in schema.named(Role.QUASI)}
    return {name: _generalised_by(each) for name, each in parts.items() if each}


def levels(release: Release, public: Public) -> dict[str, dict[str, int]]:
    """How far each attribute is generalised, when it is the same for all rows."""
    chosen = release.evidence.recoding.levels or ()  # of groups that are each shown in their own way, nothing
    named = zip(release.schema.named(Role.QUASI), chosen, public.heights, strict=False)
    return {name: {"level": level, "of": height} for name, level, height in named}


def schema_digest(schema: Schema) -> str:
    """SHA-256 of the names and roles of all columns of the input."""
    written = [[column.name, str(column.role)] for column in schema.columns]
    return hashlib.sha256(json.dumps(written, ensure_ascii=False).encode()).hexdigest()


def file_digest(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _generalised_by(chosen: Chosen) -> dict[str, Any]:
    told = {"kind": chosen.part.name, "status": str(chosen.part.status)}
    return told if chosen.value.lists_values else {**told, "parameters": dict(chosen.parameters)}


def _chosen(chosen: Chosen) -> dict[str, Any]:
    return {
        "name": chosen.part.name,
        "parameters": dict(chosen.parameters),
        "status": str(chosen.part.status_of(chosen.value)),
        "source": chosen.part.source,
    }
