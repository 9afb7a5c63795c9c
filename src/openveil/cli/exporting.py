"""`openveil hierarchies`: the hierarchies of a plan as files that other tools read.

Claim. There is one file for each quasi-identifier, or none at all. The files hold the values of the table, so only
their owner may read them.
"""

from __future__ import annotations

from pathlib import Path

from openveil.cli import progress, showing
from openveil.core.progress import reporting_to


def run(plan_file: Path, folder: Path, *, as_json: bool) -> int:
    """Bind the hierarchies of the plan to its table and write them into the new folder."""
    from openveil.workflow.export import export_hierarchies
    from openveil.workflow.plan import Plan

    with progress.shown() as listener, reporting_to(listener):
        files = export_hierarchies(Plan.from_toml(plan_file), folder)
    if as_json:
        showing.as_json({"folder": str(folder), "files": {name: str(path) for name, path in files.items()}})
        return 0
    showing.aligned((str(path), name) for name, path in files.items())
    showing.say()
    showing.say("They hold the values of your table: handle them as you handle the data.")
    return 0
