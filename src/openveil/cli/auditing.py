"""`openveil audit`: judge a release that somebody else made of the table of a plan.

Claim. The exit code is 0 only where every promise of the plan holds under every reading and nothing of weight was
found in the file, 1 where it does not or that cannot be told, 2 where the request is wrong. No cell is shown.
"""

from __future__ import annotations

from pathlib import Path

from openveil.cli import progress, showing
from openveil.cli.scanning import Asked, in_terms_of_options
from openveil.core.finding import Verdict
from openveil.core.progress import reporting_to

_STYLE = {Verdict.HOLDS: "bold green", Verdict.FAILS: "bold red", Verdict.UNDECIDED: "bold red"}


def run(plan_file: Path, asked: Asked, original: Path | None, count: str | None, *, as_json: bool) -> int:
    """Audit the file `asked` for; 0 when all is well, else 1."""
    from openveil.report.audited import lines
    from openveil.workflow.audit import audit
    from openveil.workflow.plan import Plan

    plan = Plan.from_toml(plan_file)
    with progress.shown() as listener, reporting_to(listener), in_terms_of_options():
        found = audit(plan, asked.source(), original=original, count=count)
    if as_json:
        showing.as_json(found.as_json())
    else:
        first, *rest = lines(found.as_json())
        showing.say(first, style=_STYLE[found.verdict])
        for line in rest:
            showing.say(line)
    return 0 if found.holds else 1
