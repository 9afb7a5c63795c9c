"""`openveil scan`: propose a plan, print it or write it.

Claim. Where reading the file fails, the way out names the options of this command, not the keys of a plan that is
not there yet.

Why it holds. Options and keys have the same names, and messages write a key between back quotes.
"""

from __future__ import annotations

import dataclasses
import os
import re
import secrets
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from openveil.cli import progress, showing
from openveil.core.errors import Problem, RequestError, refuse
from openveil.core.progress import reporting_to
from openveil.io.source import Source
from openveil.workflow.proposal import NO_QUASI
from openveil.workflow.scan import Proposal, scan

_SETTING = re.compile(r"`(separator|encoding|decimal)`")


@dataclasses.dataclass(frozen=True, slots=True)
class Asked:
    """A file and how to read it, as typed; what is None is detected."""

    file: Path
    separator: str | None
    encoding: str | None
    decimal: str | None
    missing: tuple[str, ...] = ()

    def source(self) -> Source:
        r"""The file to read; a separator typed as `\t` is the tab, which few shells let one type."""
        separator = "\t" if self.separator == r"\t" else self.separator
        return Source(self.file, separator, self.encoding, self.decimal or ".", self.missing)


def run(asked: Asked, output: Path | None, *, replace: bool, as_json: bool) -> int:
    """Look at the file; write the plan to `output`, or print it."""
    if output is not None:
        _may_be_written(output, replace=replace)
    with in_terms_of_options(), progress.shown() as listener, reporting_to(listener):
        proposal = scan(asked.source(), _from(output, asked.file), decimal=asked.decimal)
    if output is not None:
        _write(output, proposal.text)
    if as_json:
        showing.as_json(_plain(proposal))
    elif output is None:
        print(proposal.text, end="")
    else:
        _summary(proposal, output)
    return 0


def _plain(proposal: Proposal) -> dict[str, object]:
    columns = [dataclasses.asdict(each) | {"role": str(each.role)} for each in proposal.columns]
    return {"rows": proposal.rows, "columns": columns, "plan": proposal.text}


@contextmanager
def in_terms_of_options() -> Iterator[None]:
    """Where errors of reading name the options of the command."""
    try:
        yield
    except RequestError as error:
        raise RequestError(map(_of_option, error.problems)) from None


def _of_option(problem: Problem) -> Problem:
    """The problem with `encoding` called --encoding."""
    where = f"--{problem.where}" if _SETTING.fullmatch(f"`{problem.where}`") else problem.where
    remedy, found = (_SETTING.sub(r"--\1", text) for text in (problem.remedy, problem.found))
    return dataclasses.replace(problem, where=where, remedy=remedy, found=found)


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
    if proposal.lacks_quasi:
        for sentence in NO_QUASI:
            showing.say(sentence, style="yellow")
    if any(advice.doubtful for advice in proposal.columns):
        showing.say("A question mark is a guess on the side of privacy.")
    showing.say(f"Read {output}, change what you know better, then: openveil publish {output}")
