"""`openveil check`: what knowing the method adds to what a plan publishes.

Claim. Nothing is written, and no value of the table is shown. The exit code is 0 only where every condition of
algorithm-safe publishing holds and nothing else that is found fails; 1 where something fails or cannot be decided.
"""

from __future__ import annotations

from pathlib import Path

from openveil.cli import progress, showing
from openveil.core.finding import Finding, Verdict
from openveil.core.progress import reporting_to

_WORST = (Verdict.FAILS, Verdict.UNDECIDED, Verdict.HOLDS)
_FIRST = {
    Verdict.FAILS: "Who knows the method can learn more from this release than it shows.",
    Verdict.UNDECIDED: "It is not decided what the method tells beyond this release; that is no sign of safety.",
    Verdict.HOLDS: "Who knows the method learns nothing from this release that it does not show anyway.",
}


def run(plan_file: Path, *, as_json: bool) -> int:
    """Check and examine the table of a plan; 0 when all holds, else 1."""
    from openveil.core.secret import Secret
    from openveil.workflow.examine import check, examine
    from openveil.workflow.plan import Plan
    from openveil.workflow.taking import source_of

    plan = Plan.from_toml(plan_file)
    path, secret = source_of(plan).path, Secret.fresh()
    with progress.shown() as listener, reporting_to(listener):
        checked = check(path, plan, secret=secret).findings
        examined = examine(path, plan, secret=secret).findings
    verdict = _worst((*checked, *examined))
    if as_json:
        conditions, learned = ([each.as_json() for each in found] for found in (checked, examined))
        holds = verdict is Verdict.HOLDS
        showing.as_json({"holds": holds, "verdict": str(verdict), "conditions": conditions, "learned": learned})
    else:
        _show(verdict, checked, examined)
    return 0 if verdict is Verdict.HOLDS else 1


def _worst(findings: tuple[Finding, ...]) -> Verdict:
    """The worst of all; what is never said to hold is undecided."""
    found = {finding.verdict for finding in findings}
    return next((each for each in _WORST if each in found), Verdict.UNDECIDED)


def _show(verdict: Verdict, checked: tuple[Finding, ...], examined: tuple[Finding, ...]) -> None:
    from openveil.report.wording import printable
    from openveil.worlds.findings import told

    showing.say(_FIRST[verdict], style="bold green" if verdict is Verdict.HOLDS else "bold red")
    showing.say()
    showing.aligned((str(each.verdict), each.name, each.note) for each in checked)
    showing.say()
    for line in told(examined).splitlines():
        showing.say(f"  {printable(line)}")
