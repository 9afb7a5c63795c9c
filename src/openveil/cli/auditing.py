"""`openveil audit`: judge a release that somebody else made of the table of a plan.

Claim. The exit code is 0 only where every promise of the plan holds under every reading and nothing of weight was
found in the file, 1 where it does not or that cannot be told, 2 where the request is wrong. No cell is shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from openveil.cli import progress, showing
from openveil.cli.scanning import Asked, in_terms_of_options
from openveil.core.errors import refuse
from openveil.core.finding import Verdict
from openveil.core.progress import reporting_to

_STYLE = {Verdict.HOLDS: "bold green", Verdict.FAILS: "bold red", Verdict.UNDECIDED: "bold red"}


@dataclass(frozen=True, slots=True)
class Options:
    """What may be given beside the plan and the release."""

    original: Path | None
    count: str | None
    page: Path | None


def run(plan_file: Path, asked: Asked, options: Options, *, as_json: bool) -> int:
    """Audit the file `asked` for; 0 when all is well, else 1."""
    from openveil.report.audited import lines
    from openveil.workflow.audit import audit
    from openveil.workflow.plan import Plan

    plan = Plan.from_toml(plan_file)
    _may_be_written(options.page)
    with progress.shown() as listener, reporting_to(listener), in_terms_of_options():
        found = audit(plan, asked.source(), original=options.original, count=options.count)
    plain = found.as_json()
    if options.page is not None:
        _write(options.page, plain)
    if as_json:
        showing.as_json(plain)
    else:
        first, *rest = lines(plain)
        showing.say(first, style=_STYLE[found.verdict])
        for line in rest:
            showing.say(line)
    return 0 if found.holds else 1


def _may_be_written(page: Path | None) -> None:
    if page is not None and page.exists():
        raise refuse(f"file {str(page)!r}", "is already there", "Name a new file for --page")


def _write(page: Path, plain: dict[str, object]) -> None:
    from openveil.io.storage import store
    from openveil.report.audited import page as rendered

    store(rendered(plain).encode(), page)
