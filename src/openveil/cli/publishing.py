"""`openveil publish`: publish as a plan says, and a summary a board can read.

Claim. Everything in the summary is read from the certificate of the files that were written, in the words of the
report. Where persons say what is guarded, one line more counts how many did: on a terminal alone, since it follows
from wishes, and what is written to a file or a log may be given away. What could not be done or cleared away is
told on standard error.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from openveil.cli import progress, showing
from openveil.core.errors import Notice, refuse

if TYPE_CHECKING:
    from openveil.core.guards import Origins
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
    with _secret(keys, plan.base / plan.output.folder) as secret:
        written = published(plan, secret)
    tell(written, as_json=as_json)
    return 0


def tell(written: Written, *, as_json: bool) -> None:
    """Where the files are and what is in them, for machines or for people."""
    if as_json:
        files = {"folder": str(written.folder), "table": str(written.table), "report": str(written.report)}
        files |= {"counts": str(written.counts)} if written.counts else {}
        showing.as_json({**files, "certificate": written.certificate})
    else:
        summarise(written)


@contextmanager
def _secret(keys: Keys, folder: Path) -> Iterator[Secret | None]:
    """The secret from its file, or a new one that is kept when all ends well; None when it is not to be kept."""
    from openveil.core.secret import Secret
    from openveil.io.keys import kept_key, read_key

    if keys.keep and keys.again:
        raise refuse("command line", "--secret and --keep-secret exclude each other", "Give one of them")
    if keys.keep is None:
        yield Secret(read_key(keys.again)) if keys.again else None
        return
    if keys.keep.resolve().is_relative_to(folder.resolve()):
        what = "lies in the folder of the release, which is given away"
        raise refuse(f"--keep-secret {str(keys.keep)!r}", what, "Keep the secret somewhere else")
    drawn = Secret.fresh()
    with kept_key(drawn.key, keys.keep):
        yield drawn


def published(plan: Plan, secret: Secret | None = None) -> Written:
    """Publish with progress shown; `RequestError` or `GuaranteeError` when it cannot be done."""
    from openveil.workflow.publish import publish_files

    with _with_notices(), progress.shown() as listener:
        return publish_files(plan, secret=secret, progress=listener)


@contextmanager
def _with_notices() -> Iterator[None]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", Notice)
        yield
    for each in caught:
        if issubclass(each.category, Notice):
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
            *(
                [(str(written.counts), "the second table to release, with the sensitive values")]
                if written.counts
                else []
            ),
            (str(written.report), "the report, for people"),
            (str(written.folder / "certificate.json"), "the certificate, for `openveil verify`"),
        ]
    )
    if written.origins and showing.is_watched():
        showing.say()
        showing.say(_for_the_holder(written.origins))


def _for_the_holder(origins: Origins) -> str:
    """Where guards came from: a check for who knows what persons said, and in nothing that is given away."""
    said = f"{origins.wished:,} by wish, {origins.waived:,} waived"
    rest = f"{origins.ruled:,} by rule, {origins.default:,} by default"
    return f"Rows by where their guards come from (for you alone, in no file of the release): {said}, {rest}."
