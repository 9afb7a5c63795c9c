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
    from openveil.report.strategies import Bar
    from openveil.workflow.compare_strategies import Comparison, Quiet, Released

# Shares below this are shown as being below it.
_SHOWN = 0.0001


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
    for line in _MEANING:
        showing.say(line)
    showing.say()
    showing.say("If nothing is released, that tells something too, to whoever learns of it:", style="bold")
    showing.aligned(_of_silence(comparison))
    showing.say()
    for line in _SILENCE:
        showing.say(line)


_MEANING = (
    "'lost' is the share of the detail that is gone; 'chance' bounds how surely someone who knows the method can",
    "tell a value of a person. A look is one question about the sensitive column.",
)
_SILENCE = (
    "Of all tables with the same values in the groups of the last function, 'silent about' is the share of which",
    "nothing would be released; 'leaves' is the largest chance of a value of a person in these.",
)


def _of_functions(comparison: Comparison) -> Iterator[tuple[str, ...]]:
    yield "function", "groups", "smallest", "by themselves"
    for each in comparison.functions:
        verdict = "too small" if not each.fits else "hold" if each.holds else "fail"
        yield str(each.number), f"{each.groups:,}", f"{each.smallest:,} rows", verdict


def _of_strategies(comparison: Comparison) -> Iterator[tuple[str, ...]]:
    yield "strategy", "releases", "groups", "lost", "chance", "cost", "how it was told"
    for each in comparison.strategies:
        yield (
            each.strategy,
            _released(each),
            "-" if each.groups is None else f"{each.groups:,}",
            "-" if each.lost is None else f"{each.lost:.1%}",
            "-" if each.chance is None else f"{each.chance[1]:.3f}",
            f"{each.seconds:.2f} s, {each.looks} look{'s' * (each.looks != 1)}",
            each.told,
        )


def _released(each: Released) -> str:
    if each.function is None:
        return "nothing"
    return f"function {each.function}" if each.upto is None else f"parts of {each.function} to {each.upto}"


def _of_silence(comparison: Comparison) -> Iterator[tuple[str, ...]]:
    yield "strategy", "silent about", "leaves", "how it was told"
    for each in comparison.strategies:
        if each.silence is not None:
            yield each.strategy, _about(each.silence.share), _left(each.silence), _how(each.silence)


def _about(share: tuple[float, float]) -> str:
    low, high = share
    if high - low == 1:
        return "not told"
    if high == 0:
        return "none"
    if low == high:
        return "all" if low == 1 else f"{low:.2%}"
    if high < _SHOWN:
        return f"under {_SHOWN:.2%}"
    return f"{low:.2%} to {high:.2%}" if low > 0 else f"at most {high:.2%}"


def _left(silence: Quiet) -> str:
    if silence.share[1] == 0:
        return "-"
    if silence.chance is None:
        return "not told"
    low, high = silence.chance
    return f"{low:.3f}" if low == high else f"{low:.3f} to {high:.3f}"


def _how(silence: Quiet) -> str:
    if not silence.tables:
        return silence.told if silence.share[0] == silence.share[1] else "bounded"
    return f"{silence.told}: {silence.silent:,} of {silence.tables:,} tables"


def _chart(comparison: Comparison) -> str:
    from openveil.report.strategies import Bar, chart

    title = f"{comparison.rows:,} rows, {comparison.promise}: what each strategy releases"
    return chart(title, [_bar(each, Bar) for each in comparison.strategies])


def _bar(each: Released, bar: type[Bar]) -> Bar:
    kept = None if each.lost is None else 1 - each.lost
    quiet = "" if each.silence is None else f"; silent about {_about(each.silence.share)}"
    return bar(each.strategy, kept, _words(each), f"{each.seconds:.2f} s{quiet}", each.safe)


def _words(each: Released) -> str:
    if each.groups is None:
        return "nothing"
    lost = "" if each.lost is None else f", {each.lost:.1%} lost"
    return f"{_released(each)}: {each.groups:,} groups{lost}" + ("" if each.safe else " (unsafe)")
