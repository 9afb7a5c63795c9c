"""`openveil link`: the linking attack on a table as it is, and on what its plan publishes.

Claim. Only counts are shown; who is found goes to a file that only its owner may read, and only when one is named.
What was compared and what could not be is always said, so that an attack that was not made never looks like safety.
"""

from __future__ import annotations

import difflib
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from openveil.cli import progress, showing
from openveil.cli.scanning import Asked, in_terms_of_options
from openveil.core.errors import RequestError, refuse
from openveil.core.finding import Finding, Verdict
from openveil.core.progress import reporting_to

if TYPE_CHECKING:
    import polars as pl

    from openveil.adversary.linking import Linkage
    from openveil.workflow.plan import Plan

_OWNER_ONLY = 0o600
_MEANING = (
    "'before' is the table as it is; 'after' is what the plan publishes now, not a release that was made earlier.",
    (
        "'exactly one row' counts rows; 're-identified' says that all rows that fit, however many, belong to one "
        "person of the table, and fit nobody else outside."
    ),
)


def run(plan_file: Path, asked: Asked, who: Path | None, *, as_json: bool) -> int:
    """Attack the table of a plan with the file `asked` for, before and after it is published."""
    from openveil.workflow.plan import Plan

    _is_a_plan(plan_file)
    plan = Plan.from_toml(plan_file)
    _may_be_written(who)
    people = _people(asked, plan)
    with progress.shown() as listener, reporting_to(listener):
        before, after = attacked(plan, people)
    if who is not None:
        _write(who, people, before, after)
    if as_json:
        showing.as_json(_plain(before, after))
    else:
        _show(before, after, people.columns, who)
    return 0


def attacked(plan: Plan, people: pl.DataFrame) -> tuple[Linkage, Linkage]:
    """What linking finds in the table as it is, and in what would be published."""
    from openveil.adversary.linking import Linking
    from openveil.io.read import read
    from openveil.workflow.publish import publish
    from openveil.workflow.taking import encode, source_of

    frame = read(source_of(plan))
    public = encode(frame, plan).public
    recoding = publish(frame, plan).release.evidence.recoding
    return Linking().original(public, people), Linking().release(public, recoding, people)


def _is_a_plan(plan_file: Path) -> None:
    if plan_file.is_dir():
        what = "is a folder; the attack needs the plan, which names the original table"
        raise refuse(f"plan {str(plan_file)!r}", what, "Name the plan file: openveil link plan.toml EXTERNAL")


def _may_be_written(who: Path | None) -> None:
    from openveil.io.write import check_ending

    if who is None:
        return
    if who.exists():
        raise refuse(f"file {str(who)!r}", "is already there", "Name a new file for --who")
    if not who.parent.is_dir():
        raise refuse(f"file {str(who)!r}", "its folder does not exist", "Create the folder first")
    check_ending(who)


def _people(asked: Asked, plan: Plan) -> pl.DataFrame:
    from openveil.io.read import read

    missing = plan.input.missing if plan.input else ()
    with in_terms_of_options():
        return read(replace(asked.source(), missing=missing))


def _write(who: Path, people: pl.DataFrame, before: Linkage, after: Linkage) -> None:
    """One row for everyone who is re-identified, before or after; nobody else can read it at any moment."""
    import polars as pl

    from openveil.io.storage import said_of
    from openveil.io.write import write

    marks = [
        pl.Series("re-identified before", before.identified_rows),
        pl.Series("re-identified after", after.identified_rows),
    ]
    found = people.with_columns(marks).filter(before.identified_rows | after.identified_rows)
    with tempfile.TemporaryDirectory(prefix=".openveil", dir=who.parent) as private:
        draft = Path(private) / who.name
        try:
            write(found, draft)
        except RequestError as error:
            raise said_of(who, draft, error) from None
        draft.chmod(_OWNER_ONLY)
        draft.rename(who)


def _plain(before: Linkage, after: Linkage) -> dict[str, object]:
    return {
        "verdict": str(before.verdict),
        "compared_by": list(before.people.used),
        "not_compared": list(before.people.unused),
        "before": [finding.as_json() for finding in before.findings],
        "after": [finding.as_json() for finding in after.findings],
    }


def _show(before: Linkage, after: Linkage, columns: Sequence[str], who: Path | None) -> None:
    if before.verdict is Verdict.UNDECIDED:
        showing.say(_undecided(before), style="bold red")
    else:
        showing.say("Whom does this table find, by the quasi-identifiers both have?", style="bold")
    showing.say()
    for line in _compared(before, columns):
        showing.say(line)
    showing.say()
    pairs = [pair for pair in zip(before.findings, after.findings, strict=True) if not _is_dull(pair[0])]
    cells = [("", "before", "after"), *((_named(one), f"{one.value:,}", f"{two.value:,}") for one, two in pairs)]
    showing.aligned((name, f"{one:>8}", f"{two:>8}") for name, one, two in cells)
    for note in dict.fromkeys(finding.note for finding in before.findings if finding.note):
        showing.say()
        showing.say(f"Note: {note}.", style="yellow")
    showing.say()
    for line in _MEANING:
        showing.say(line)
    if who is not None:
        showing.say()
        showing.say(f"Who is re-identified is in {who}, which only you may read. Handle it as you handle the data.")


def _undecided(linkage: Linkage) -> str:
    persons, blind = len(linkage.rows), linkage.people.blind
    if not persons:
        return "undecided: the external table names nobody, so nothing was tried."
    return (
        f"undecided: {blind:,} of {persons:,} external persons could not be compared, as they have values the table "
        "does not have. What follows is no sign of safety."
    )


def _compared(linkage: Linkage, columns: Sequence[str]) -> Iterator[str]:
    yield f"Compared by: {', '.join(linkage.people.used)}."
    if linkage.people.unused:
        names = (_missed(name, columns) for name in linkage.people.unused)
        yield f"Quasi-identifiers that the external table does not have: {', '.join(names)}."


def _missed(name: str, columns: Sequence[str]) -> str:
    """The name of a quasi-identifier, and the external column that may be meant."""
    plain = {column.lower().strip(): column for column in columns}
    close = difflib.get_close_matches(name.lower().strip(), plain, n=1, cutoff=0.8)
    return f"{name} (rename {plain[close[0]]!r} to compare by it?)" if close else name


def _is_dull(finding: Finding) -> bool:
    from openveil.adversary.linking import REPEATED, STRANGERS

    return finding.name in {REPEATED, STRANGERS} and finding.value == 0


def _named(finding: Finding) -> str:
    from openveil.adversary.linking import STRANGERS

    return f"{finding.name}: {finding.on}" if finding.name == STRANGERS else finding.name
