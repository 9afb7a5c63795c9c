"""`openveil compare-strategies`: what each strategy releases of one table and one sequence, side by side.

Claim. Only counts and shares are shown. Nothing is published; a chart is written where one is asked for, and never
over a file that is there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from openveil.cli import progress, showing
from openveil.core.errors import refuse
from openveil.core.progress import reporting_to

if TYPE_CHECKING:
    from openveil.workflow.compare_strategies import Comparison, Released


def run(plan_file: Path, picture: Path | None, *, as_json: bool) -> int:
    """Compare the strategies on the table of a plan."""
    from openveil.io.read import read
    from openveil.workflow.compare_strategies import compared
    from openveil.workflow.plan import Plan
    from openveil.workflow.taking import source_of

    if picture is not None and picture.exists():
        raise refuse(f"file {str(picture)!r}", "is already there", "Name a new file for --chart")
    plan = Plan.from_toml(plan_file)
    with progress.shown() as listener, reporting_to(listener):
        comparison = compared(read(source_of(plan)), plan)
    if picture is not None:
        picture.write_text(_chart(comparison), encoding="utf-8")
    if as_json:
        showing.as_json(asdict(comparison))
    else:
        _show(comparison)
    return 0


def _show(comparison: Comparison) -> None:
    showing.say(f"{comparison.rows:,} rows, {comparison.promise}", style="bold")
    showing.say()
    showing.aligned(_of_functions(comparison))
    showing.say()
    showing.aligned(_of_strategies(comparison))
    showing.say()
    showing.say(
        "'lost' is the share of the detail that is gone; 'chance' bounds how surely someone who knows the method"
    )
    showing.say(
        "can tell a value of a person; 'silent' says of how many tables that the coarsest function shows alike"
    )
    showing.say("nothing would be released: whoever learns of that learns something.")


def _of_functions(comparison: Comparison) -> Iterator[tuple[str, ...]]:
    yield "function", "groups", "smallest", "by themselves"
    for each in comparison.functions:
        verdict = "too small" if not each.fits else "hold" if each.holds else "fail"
        yield str(each.number), f"{each.groups:,}", f"{each.smallest:,} rows", verdict


def _of_strategies(comparison: Comparison) -> Iterator[tuple[str, ...]]:
    yield "strategy", "releases", "groups", "lost", "chance", "silent", "seconds", "told"
    for each in comparison.strategies:
        yield (
            each.strategy,
            "nothing" if each.function is None else f"function {each.function}",
            "-" if each.groups is None else f"{each.groups:,}",
            "-" if each.lost is None else f"{each.lost:.1%}",
            "-" if each.chance is None else f"{each.chance[1]:.3f}",
            each.silent,
            f"{each.seconds:.2f}",
            each.told,
        )


def _chart(comparison: Comparison) -> str:
    from openveil.report.strategies import Bar, chart

    title = f"{comparison.rows:,} rows, {comparison.promise}: what each strategy releases"
    kept = [None if each.lost is None else 1 - each.lost for each in comparison.strategies]
    pairs = zip(comparison.strategies, kept, strict=True)
    return chart(title, [Bar(each.strategy, share, _words(each), each.safe) for each, share in pairs])


def _words(each: Released) -> str:
    if each.function is None:
        return "nothing"
    lost = "" if each.lost is None else f", {each.lost:.1%} lost"
    return f"function {each.function}: {each.groups:,} groups{lost}" + ("" if each.safe else " (unsafe)")
