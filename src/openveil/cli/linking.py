"""`openveil link`: the linking attack on a table as it is, and on its release.

Claim. Only counts are shown; who is found goes to a file, and only when one is named.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from openveil.cli import progress, showing
from openveil.core.errors import refuse
from openveil.core.finding import Finding
from openveil.core.progress import reporting_to

if TYPE_CHECKING:
    import polars as pl

    from openveil.adversary.linking import Linkage
    from openveil.workflow.plan import Plan
STRANGERS = "values not in the table"


def run(plan_file: Path, external: Path, who: Path | None, *, as_json: bool) -> int:
    """Attack the table of a plan with `external`, before and after it is published."""
    from openveil.io.read import read
    from openveil.io.source import Source
    from openveil.workflow.plan import Plan

    plan = Plan.from_toml(plan_file)
    _may_be_written(who)
    people = read(Source(external, missing=plan.input.missing if plan.input else ()))
    with progress.shown() as listener, reporting_to(listener):
        before, after = attacked(plan, people)
    if who is not None:
        _write(who, people, before, after)
    if as_json:
        showing.as_json({"before": _plain(before.findings), "after": _plain(after.findings)})
    else:
        _show(before.findings, after.findings, who)
    return 0


def attacked(plan: Plan, people: pl.DataFrame) -> tuple[Linkage, Linkage]:
    """What linking finds in the table as it is, and in what would be published."""
    from openveil.adversary.linking import Linking
    from openveil.io.read import read
    from openveil.workflow.publish import encode, publish, source_of

    frame = read(source_of(plan))
    public = encode(frame, plan).public
    recoding = publish(frame, plan).release.evidence.recoding
    return Linking().original(public, people), Linking().release(public, recoding, people)


def _may_be_written(who: Path | None) -> None:
    if who is not None and who.exists():
        raise refuse(f"file {str(who)!r}", "is already there", "Name a new file for --who")


def _write(who: Path, people: pl.DataFrame, before: Linkage, after: Linkage) -> None:
    """One row for everyone who is re-identified, before or after."""
    import polars as pl

    from openveil.io.write import write

    marks = [_mark("re-identified before", people, before), _mark("re-identified after", people, after)]
    marked = people.with_columns(marks)
    write(marked.filter(pl.any_horizontal(*(mark.name for mark in marks))), who)


def _mark(name: str, people: pl.DataFrame, linkage: Linkage) -> pl.Series:
    import numpy as np
    import polars as pl

    mark = np.zeros(people.height, dtype=np.bool_)
    mark[linkage.identified] = True
    return pl.Series(name, mark)


def _plain(findings: Sequence[Finding]) -> list[dict[str, object]]:
    return [finding.as_json() for finding in findings]


def _show(before: Sequence[Finding], after: Sequence[Finding], who: Path | None) -> None:
    showing.say("Whom does this table find, by the quasi-identifiers both have?", style="bold")
    showing.say()
    pairs = [pair for pair in zip(before, after, strict=True) if not _is_dull(pair[0])]
    cells = [("", "before", "after"), *((_named(one), f"{one.value:,}", f"{two.value:,}") for one, two in pairs)]
    showing.aligned((name, f"{one:>8}", f"{two:>8}") for name, one, two in cells)
    for note in dict.fromkeys(finding.note for finding in (*before, *after) if finding.note):
        showing.say()
        showing.say(f"Note: {note}", style="yellow")
    if who is not None:
        showing.say()
        showing.say(f"Who is re-identified is in {who}. Handle it as you handle the data.")


def _is_dull(finding: Finding) -> bool:
    return finding.name == STRANGERS and finding.value == 0


def _named(finding: Finding) -> str:
    return f"{finding.name} ({finding.on})" if finding.name == STRANGERS else finding.name
