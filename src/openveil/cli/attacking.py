"""`openveil attack`: every attack on what a plan publishes, before and after.

Claim. Nothing is written, nobody is named and no value is shown. The exit code is 1 where an attack exposes somebody
beyond what the plan promises.
"""

from __future__ import annotations

from pathlib import Path

from openveil.cli import progress, showing
from openveil.core.finding import Verdict
from openveil.core.progress import reporting_to


def run(plan_file: Path, seed: int, *, as_json: bool) -> int:
    """Attack the table of a plan, as it is and as it would be published."""
    from openveil.report.attacked import lines
    from openveil.workflow.laboratory import attack
    from openveil.workflow.plan import Plan
    from openveil.workflow.taking import source_of

    plan = Plan.from_toml(plan_file)
    path = source_of(plan).path
    with progress.shown() as listener, reporting_to(listener):
        laboratory = attack(path, plan, seed=seed)
    if as_json:
        showing.as_json(laboratory.as_json())
    else:
        for line in lines(laboratory.as_json()):
            showing.say(line)
    return int(laboratory.verdict is Verdict.FAILS)
