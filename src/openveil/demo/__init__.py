"""The bundled demonstration: the UCI Adult table, its hierarchies and a plan.

Claim. `unpack` puts them into a folder of the user's; files that are there already are left alone when they are
the same and refused when they are not, except the plan, which the user may have changed and keeps.

Source. See ATTRIBUTION.md.
"""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from openveil.core.errors import refuse

PLAN = "plan.toml"
_CONTENTS = (PLAN, "adult.parquet", "ATTRIBUTION.md")
_HIERARCHIES = "hierarchies"


def unpack(folder: Path) -> Path:
    """Copy the demonstration into `folder`; the path of its plan."""
    bundled = files(__name__)
    copies = {folder / name: bundled / name for name in _CONTENTS}
    copies |= {folder / _HIERARCHIES / each.name: each for each in (bundled / _HIERARCHIES).iterdir()}
    _may_be_copied(folder, copies)
    (folder / _HIERARCHIES).mkdir(parents=True, exist_ok=True)
    for target, original in copies.items():
        if not target.exists():
            target.write_bytes(original.read_bytes())
    return folder / PLAN


def _may_be_copied(folder: Path, copies: dict[Path, Traversable]) -> None:
    if folder.exists() and not folder.is_dir():
        raise refuse(f"folder {str(folder)!r}", "is a file", "Name a new folder")
    for target, original in copies.items():
        if target.name != PLAN and target.exists() and target.read_bytes() != original.read_bytes():
            what = f"{target.name} is there already and is another file"
            raise refuse(f"folder {str(folder)!r}", what, "Name a new folder")
