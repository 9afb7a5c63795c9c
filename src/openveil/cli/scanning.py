"""`openveil scan`: propose a plan, print it or write it."""

from __future__ import annotations

import os
import secrets
from collections import Counter
from pathlib import Path

from openveil.cli import progress, showing
from openveil.core.errors import refuse
from openveil.core.progress import reporting_to
from openveil.workflow.scan import Proposal, scan


def run(file: Path, output: Path | None, *, replace: bool) -> int:
    """Look at `file`; write the plan to `output`, or print it."""
    if output is not None:
        _may_be_written(output, replace=replace)
    with progress.shown() as listener, reporting_to(listener):
        proposal = scan(file, _from(output, file))
    if output is None:
        print(proposal.text, end="")
    else:
        _write(output, proposal.text)
        _summary(proposal, output)
    return 0


def _may_be_written(output: Path, *, replace: bool) -> None:
    where = f"plan {str(output)!r}"
    if output.is_dir():
        raise refuse(where, "is a folder", "Name a file, such as plan.toml")
    if output.exists() and not replace:
        raise refuse(where, "is already there", "Choose another name, or replace it with --force")
    if not output.parent.is_dir():
        raise refuse(where, "its folder does not exist", "Create the folder first")


def _from(output: Path | None, file: Path) -> str:
    """The path of the table as the plan must name it: relative to the plan's folder, with forward slashes."""
    folder = Path() if output is None else output.parent
    try:
        return Path(os.path.relpath(file.resolve(), folder.resolve())).as_posix()
    except ValueError:
        return file.resolve().as_posix()


def _write(output: Path, text: str) -> None:
    """Write beside `output` first, so that a plan is there whole or not at all."""
    draft = output.with_name(f".{output.name}.{secrets.token_hex(4)}")
    try:
        draft.write_text(text, encoding="utf-8")
        draft.replace(output)
    finally:
        draft.unlink(missing_ok=True)


def _summary(proposal: Proposal, output: Path) -> None:
    roles = Counter(str(advice.role) for advice in proposal.columns)
    shown = ", ".join(f"{count} {role}" for role, count in roles.items())
    showing.say(f"{proposal.rows:,} rows, {len(proposal.columns)} columns: {shown}", style="bold")
    showing.say()
    showing.aligned(
        (advice.name, str(advice.role) + (" ?" if advice.doubtful else ""), advice.reason)
        for advice in proposal.columns
    )
    showing.say()
    if any(advice.doubtful for advice in proposal.columns):
        showing.say("A question mark is a guess on the side of privacy.")
    showing.say(f"Read {output}, change what you know better, then: openveil publish {output}")
