"""`openveil publish`: publish as a plan says, and a summary a board can read.

Claim. Everything in the summary is read from the certificate of the files that were written and from the plan.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from openveil.cli import progress, showing

if TYPE_CHECKING:
    from openveil.workflow.plan import Chosen, Plan
    from openveil.workflow.publish import Written

LOSS = ("information loss", "share of losing everything")


def run(path: Path, *, as_json: bool) -> int:
    """Publish as the plan at `path` says."""
    from openveil.workflow.plan import Plan

    plan = Plan.from_toml(path)
    written = published(plan)
    if as_json:
        files = {"folder": str(written.folder), "table": str(written.table)}
        showing.as_json({**files, "certificate": written.certificate})
    else:
        summarise(plan, written)
    return 0


def published(plan: Plan) -> Written:
    """Publish with progress shown; `RequestError` or `GuaranteeError` when it cannot be done."""
    from openveil.workflow.publish import publish_files

    with progress.shown() as listener:
        return publish_files(plan, progress=listener)


def summarise(plan: Plan, written: Written) -> None:
    """What was promised, reached and lost, and where the files are."""
    for part in plan.unsafe_parts:
        showing.say(f"WARNING: {part.name} is known to be unsafe. Do not release this table.", style="bold red")
    showing.say(f"Published and verified: {written.folder}", style="bold")
    certificate = written.certificate
    for title, rows in (
        ("Promise", list(_promise(plan, certificate))),
        ("Rows", list(_rows(certificate))),
        ("Detail kept", list(_detail(plan, certificate))),
        ("Files", [("table", str(written.table)), ("certificate", str(written.folder / "certificate.json"))]),
    ):
        showing.say()
        showing.say(title)
        showing.aligned(rows)


def _promise(plan: Plan, certificate: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield "promised", _part(plan.privacy)
    yield "", plan.privacy.part.summary
    smallest = _found(certificate, "smallest class")
    if smallest:
        sizes = " and ".join(f"{finding['value']:,} {finding['on']}" for finding in smallest)
        yield "reached", f"k = {min(finding['value'] for finding in smallest):,}: the smallest group has {sizes}"
    for finding in _found(certificate, "classes"):
        yield "groups", f"{finding['value']:,}"
    yield "method", _part(plan.method)


def _part(chosen: Chosen) -> str:
    given = "".join(f", {name} = {value}" for name, value in chosen.parameters.items())
    return f"{chosen.part.name}{given} ({chosen.part.status})"


def _rows(certificate: dict[str, Any]) -> Iterator[tuple[str, str]]:
    suppression = certificate["suppression"]
    read, gone, blank = suppression["of"], suppression["rows"], suppression["kept_blank"]
    width = len(f"{read:,}")
    yield "read", f"{read:{width},}"
    yield "published", f"{certificate['file']['rows']:{width},}"
    how = "kept, with their quasi-identifiers hidden" if blank else "left out"
    yield "suppressed", f"{gone:{width},}" + (f"  ({_percent(gone / read)}, {how})" if gone else "")


def _detail(plan: Plan, certificate: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for name, step in certificate["levels"].items():
        yield name, _in_words(plan, name, step["level"], step["of"])
    for finding in certificate["findings"]:
        if (finding["name"], finding["on"]) == LOSS:
            yield "information lost", f"{_percent(finding['value'])} (100 % would be a table of stars)"


def _in_words(plan: Plan, name: str, level: int, height: int) -> str:
    if level == 0:
        return "as it is"
    if level == height:
        return "hidden"
    steps = _named_steps(plan.rules[name], height - 1)
    return f"{level} of {height} steps up" + (f": {steps[level - 1]}" if steps else "")


def _named_steps(rule: Any, count: int) -> tuple[str, ...]:
    """What a rule calls its steps, where one of its parameters has a word or a number for each."""
    for field in dataclasses.fields(rule):
        values = getattr(rule, field.name)
        if isinstance(values, tuple) and len(values) == count:
            return tuple(value if isinstance(value, str) else f"{field.name[:-1]} {value}" for value in values)
    return ()


def _found(certificate: dict[str, Any], name: str) -> list[dict[str, Any]]:
    return [finding for finding in certificate["findings"] if finding["name"] == name]


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
