"""The bundled demonstration: the UCI Adult table, its hierarchies and a plan.

Claim. `unpack` puts them into a folder of the user's; files that are there already are left alone when they are
the same and refused when they are not, except the plan, which the user may have changed and keeps. A plan that is
there without the table is not the demonstration's and is refused. Every file is there whole or not at all.

Why it holds. The plan is written last, and each file as a hidden sibling first (`io/storage.py`).

Source. See ATTRIBUTION.md.
"""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from openveil.core.errors import refuse
from openveil.io.storage import refusal, store

PLAN = "plan.toml"
_TABLE = "adult.parquet"
_CONTENTS = (_TABLE, "ATTRIBUTION.md")
_HIERARCHIES = "hierarchies"


def unpack(folder: Path) -> Path:
    """Copy the demonstration into `folder`; the path of its plan."""
    bundled = files(__name__)
    copies = {folder / name: bundled / name for name in _CONTENTS}
    copies |= {folder / _HIERARCHIES / each.name: each for each in (bundled / _HIERARCHIES).iterdir()}
    copies |= {folder / PLAN: bundled / PLAN}
    try:
        _may_be_copied(folder, copies)
        (folder / _HIERARCHIES).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise refusal(folder, error) from None
    for target, original in copies.items():
        if not target.exists():
            store(original.read_bytes(), target)
    return folder / PLAN


def _may_be_copied(folder: Path, copies: dict[Path, Traversable]) -> None:
    if folder.exists() and not folder.is_dir():
        raise refuse(f"folder {str(folder)!r}", "is a file", "Name a new folder")
    if (folder / PLAN).exists() and not (folder / _TABLE).exists():
        what = f"{PLAN} is there already and is not the demonstration's, as {_TABLE} is not beside it"
        raise refuse(f"folder {str(folder)!r}", what, "Name a new folder")
    for target, original in copies.items():
        if target.name != PLAN and target.exists() and target.read_bytes() != original.read_bytes():
            what = f"{target.name} is there already and is another file"
            raise refuse(f"folder {str(folder)!r}", what, "Name a new folder")
