"""`openveil publish`: publish as a plan says, and a summary a board can read.

Claim. Everything in the summary is read from the certificate of the files that were written, in the words of the
report. What could not be cleared away is told on standard error.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from openveil.cli import progress, showing
from openveil.core.errors import LeftBehindWarning, refuse

if TYPE_CHECKING:
    from openveil.core.secret import Secret
    from openveil.workflow.plan import Plan
    from openveil.workflow.publish import Written


class Keys(NamedTuple):
    """Files for the secret of a release: a new one to keep it in, or the one it is in."""

    keep: Path | None = None
    again: Path | None = None


def run(path: Path, keys: Keys, *, as_json: bool) -> int:
    """Publish as the plan at `path` says."""
    from openveil.workflow.plan import Plan

    plan = Plan.from_toml(path)
    written = published(plan, _secret(keys))
    if as_json:
        files = {"folder": str(written.folder), "table": str(written.table), "report": str(written.report)}
        showing.as_json({**files, "certificate": written.certificate})
    else:
        summarise(written)
    return 0


def _secret(keys: Keys) -> Secret | None:
    """The secret that is kept, from its file or newly drawn; None when it is not to be kept."""
    from openveil.core.secret import Secret
    from openveil.io.keys import keep_key, read_key

    if keys.keep and keys.again:
        raise refuse("command line", "--secret and --keep-secret exclude each other", "Give one of them")
    if keys.again:
        return Secret(read_key(keys.again))
    if keys.keep is None:
        return None
    drawn = Secret.fresh()
    keep_key(drawn.key, keys.keep)
    return drawn


def published(plan: Plan, secret: Secret | None = None) -> Written:
    """Publish with progress shown; `RequestError` or `GuaranteeError` when it cannot be done."""
    from openveil.workflow.publish import publish_files

    with _told_of_leftovers(), progress.shown() as listener:
        return publish_files(plan, secret=secret, progress=listener)


@contextmanager
def _told_of_leftovers() -> Iterator[None]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", LeftBehindWarning)
        yield
    for each in caught:
        if issubclass(each.category, LeftBehindWarning):
            showing.console(sys.stderr).print(f"Warning: {each.message}.", style="yellow")
        else:
            warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)


def summarise(written: Written) -> None:
    """What was promised, reached and lost, and where the files are; a warning comes first."""
    from openveil.report.text import lines

    for line in lines(written.certificate):
        showing.say(line)
    showing.say()
    showing.say("Verified, and written:", style="bold")
    showing.aligned(
        [
            (str(written.table), "the table to release"),
            (str(written.report), "the report, for people"),
            (str(written.folder / "certificate.json"), "the certificate, for `openveil verify`"),
        ]
    )
