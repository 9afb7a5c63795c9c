"""The hierarchies of a plan, bound to its table, as files `value;level1;...;*` that other tools read.

Claim. `export_hierarchies` writes one file for each quasi-identifier into a new folder that only its owner may enter,
or nothing. Read back (`kind = "file"`), a file gives the same hierarchy; the missing value has no line.

Cost. Reading the table once.
"""

from __future__ import annotations

import re
import secrets
import shutil
from collections.abc import Iterable
from pathlib import Path

from openveil.core.errors import refuse
from openveil.hierarchies.table_file import export
from openveil.io.read import read
from openveil.io.storage import refusal
from openveil.workflow.planned import Planned, as_plan
from openveil.workflow.taking import encode, source_of, taken

_ODD = re.compile(r"[^\w.-]+")


def export_hierarchies(plan: Planned, folder: str | Path, *, frame: object = None) -> dict[str, Path]:
    """Write the hierarchies of `plan` for its file (or for `frame`); the file of each quasi-identifier."""
    chosen, target = as_plan(plan), Path(folder)
    if target.exists():
        raise refuse(f"folder {str(target)!r}", "is already there", "Name a new folder")
    native = read(source_of(chosen)) if frame is None else taken(frame, chosen)[0]
    hierarchies = encode(native, chosen).public.hierarchies
    names = _file_names(hierarchy.axis.name for hierarchy in hierarchies)
    draft = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        draft.mkdir(mode=0o700)
        for hierarchy in hierarchies:
            export(hierarchy, draft / names[hierarchy.axis.name])
        draft.rename(target)
    except OSError as error:
        raise refusal(target, error) from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return {name: target / file for name, file in names.items()}


def _file_names(columns: Iterable[str]) -> dict[str, str]:
    """A file name for each column: its own name without odd characters, numbered where two would be the same."""
    found: dict[str, str] = {}
    for column in columns:
        plain = _ODD.sub("_", column).strip("._") or "column"
        taken_names = {file.lower() for file in found.values()}
        name, number = f"{plain}.csv", 1
        while name.lower() in taken_names:
            number += 1
            name = f"{plain}-{number}.csv"
        found[column] = name
    return found
