"""`openveil verify`: measure a release again from its files alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from openveil.cli import progress, showing
from openveil.core.finding import Finding, Verdict
from openveil.core.progress import reporting_to

BAD = frozenset({Verdict.FAILS, Verdict.UNDECIDED})
STYLES = {Verdict.HOLDS: "green", Verdict.FAILS: "bold red", Verdict.UNDECIDED: "bold red"}


def run(folder: Path, *, as_json: bool) -> int:
    """Verify the release in `folder`; 0 when everything holds, else 1."""
    from openveil.workflow.verify import verify

    with progress.shown() as listener, reporting_to(listener):
        findings = verify(folder)
    holds = not any(finding.verdict in BAD for finding in findings)
    if as_json:
        showing.as_json({"holds": holds, "findings": [finding.as_json() for finding in findings]})
    else:
        _show(folder, findings, holds="holds" if holds else "does not hold")
    return 0 if holds else 1


def _show(folder: Path, findings: Sequence[Finding], *, holds: str) -> None:
    showing.say(f"The release in {folder} {holds}.", style="bold green" if holds == "holds" else "bold red")
    showing.say()
    showing.aligned((str(finding.verdict), finding.name, _measured(finding)) for finding in findings)


def _measured(finding: Finding) -> str:
    if finding.limit == 1 and finding.on == "written file":
        return ""
    value = f"{float(finding.value):,.4g}" if isinstance(finding.value, float) else f"{finding.value:,}"
    limit = "" if finding.limit is None else f" (promised {finding.limit:,})"
    return f"{value} {finding.on}{limit}"
