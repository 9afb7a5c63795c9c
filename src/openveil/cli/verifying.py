"""`openveil verify`: measure a release again from its files alone.

Claim. What `publish` warns of first is said first here too, and a release that is not safe to rely on is never
shown in the colour of those that are.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from openveil.cli import progress, showing
from openveil.core.errors import RequestError, refuse
from openveil.core.finding import Finding, Verdict
from openveil.core.progress import reporting_to
from openveil.report.wording import short

if TYPE_CHECKING:
    from openveil.workflow.certificate_shape import Certificate
    from openveil.workflow.verify import Verified

BAD = frozenset({Verdict.FAILS, Verdict.UNDECIDED})
_ALARM = "bold red"
# What a finding about the release as a whole is said to be on.
_WHOLE = ("certificate", "public replay", "written file")


class Replay(NamedTuple):
    """What a replay of the method needs; no table is given when none is asked for."""

    public: Path | None
    plan: Path | None


def run(folder: Path, replay: Replay, *, as_json: bool) -> int:
    """Verify the release in `folder`; 0 when everything holds and what was asked for could be done, else 1."""
    from openveil.workflow.public_replay import REPLAYED
    from openveil.workflow.verify import verified

    with progress.shown() as listener, reporting_to(listener):
        found = verified(folder)
        certificate, findings = found.certificate, (*found.findings, *_replayed(folder, found, replay))
    holds = not any(finding.verdict in BAD for finding in findings)
    warning = _warning(certificate)
    open_questions = [each.note for each in findings if each.name == REPLAYED and each.verdict is Verdict.INFORMS]
    if as_json:
        told = [finding.as_json() for finding in findings]
        showing.as_json({"holds": holds, "warning": warning, "not_replayed": open_questions, "findings": told})
    else:
        _show(folder, findings, holds="holds" if holds else "does not hold", warning=warning)
        for why in open_questions:
            showing.say()
            showing.say(f"Its method was not replayed, so nothing is said of it: {why}.", style=_ALARM)
    return 0 if holds and not open_questions else 1


def _replayed(folder: Path, found: Verified, replay: Replay) -> tuple[Finding, ...]:
    from openveil.workflow.plan import Plan
    from openveil.workflow.verify import replayed_in_public

    if replay.public is None:
        if replay.plan is None:
            return ()
        remedy = "Give the table of everyone's quasi-identifiers with --public, or leave --plan out"
        raise refuse("command line", "--plan is for --public", remedy)
    plan = None if replay.plan is None else Plan.from_toml(replay.plan)
    return replayed_in_public(folder, found, replay.public, plan)


def _warning(certificate: Certificate) -> str:
    """What `publish` says before anything else, and its verdict where that promises nothing; else nothing."""
    from openveil.report.facts import Facts

    try:
        facts = Facts.of(certificate.as_json())
    except RequestError:
        return ""
    nothing = facts.verdict if facts.standing is Verdict.INFORMS else ""
    return " ".join(sentence for sentence in (facts.warning, nothing) if sentence)


def _show(folder: Path, findings: Sequence[Finding], *, holds: str, warning: str) -> None:
    from openveil.workflow.coherence import OTHER_VERSION
    from openveil.workflow.verify import UNTOLD

    if warning:
        showing.say(warning, style=_ALARM)
    good = "bold" if warning else "bold green"
    showing.say(f"The release in {folder} {holds}.", style=good if holds == "holds" else _ALARM)
    if any(finding.name.endswith(UNTOLD) for finding in findings):
        showing.say("What guards values is not published, so its promise was not measured again; all else was.")
    if any(finding.name == OTHER_VERSION for finding in findings):
        showing.say("Another version of openveil wrote it. Its report was not compared: do not rely on the report.")
    showing.say()
    showing.aligned((str(finding.verdict), finding.name, _measured(finding)) for finding in findings)


def _measured(finding: Finding) -> str:
    on = "" if finding.on in _WHOLE else finding.on
    if finding.limit == 1 and isinstance(finding.value, int):
        return finding.note or on
    promised = "" if finding.limit is None else f"promised {short(finding.limit)}"
    aside = "; ".join(filter(None, (on, promised, finding.note)))
    return f"{short(finding.value)} ({aside})" if aside else short(finding.value)
