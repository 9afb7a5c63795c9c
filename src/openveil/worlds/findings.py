"""What the worlds of a release say, as findings.

Claim. How many people go from what to what: the chance of their most likely value, to who does not know the algorithm
and to who does. A verdict HOLDS only where every table was gone through. What samples cannot tell is UNDECIDED: a
sample in which nothing differed says how many tables may still differ, not that none does.

Why it holds. Counts and probabilities only, so no finding shows a value. Statements about many people at once are
made at a level divided by how many there are, so that one false alarm in twenty samples is the most there is.

Cost. One look at each person and value.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np

from openveil.core.finding import Finding, Verdict
from openveil.core.intervals import LEVEL, interval
from openveil.worlds.alike import alike
from openveil.worlds.exact import Worlds
from openveil.worlds.sampled import Sample
from openveil.worlds.unknown import Tables

TABLES = "tables that agree with the release"
SMART = "tables the release can have come from"
MORE = "knowing the algorithm tells more than the release"
STEP = "people whose most likely value"
RISING = "people about whom the algorithm gives more away"
GREATEST = "of these, the greatest chance of a value rises"
ABOVE = "people with a value more likely than the limit"
ALONE = "people about whom it gives more away to who knows everyone else's value"
UNDECIDED = "people of whom nothing can be said"
_ON = "worlds"
_ROUNDING = 1e-9


def of_worlds(worlds: Worlds, limit: Fraction | None = None) -> tuple[Finding, ...]:
    """What both worlds say, gone through in full; `limit` is how likely a value may be."""
    holding = worlds.grounds.holding(worlds.chances)
    found = [Finding(TABLES, _ON, len(worlds.naive)), _smart(worlds), _equal(worlds), *_rising(worlds, holding)]
    if limit is not None:
        above = sum(after > limit for after in worlds.at_least())
        at_first = sum(max(before.values(), default=0) > limit for before in worlds.before)
        note = f"{at_first} without the algorithm; the limit is {limit}"
        found.append(Finding(ABOVE, _ON, above, Verdict.FAILS if above else holding, limit=0, note=note))
    return tuple(found)


def _rising(worlds: Worlds, holding: Verdict) -> list[Finding]:
    """How many people's most likely value rises; surely so, and to what, where chances are shares of runs."""
    risen = worlds.rising()
    otherwise = Verdict.INFORMS if holding is Verdict.HOLDS else holding
    verdict = Verdict.FAILS if risen else otherwise
    if worlds.grounds.runs is None:
        steps = (Finding(STEP, _goes(before, after), number) for (before, after), number in _ranked(worlds))
        return [Finding(RISING, _ON, len(risen), verdict, limit=0), *steps]
    found = [Finding(RISING, _ON, len(risen), verdict, limit=0, note=f"surely so many, at {LEVEL:.0%}")]
    if risen:
        before, after = max(risen, key=lambda each: each[1])
        greatest = f"from {float(before):.3g} to at least {float(after):.3g}"
        found.append(Finding(GREATEST, greatest, 1, Verdict.FAILS))
    return found


def _smart(worlds: Worlds | Tables) -> Finding:
    note = "" if worlds.grounds.runs is None else f"so many gave it in {worlds.grounds.runs:,} runs each; more may"
    return Finding(SMART, _ON, len(worlds.smart), note=note)


def _ranked(worlds: Worlds) -> list[tuple[tuple[Fraction, Fraction], int]]:
    return sorted(worlds.steps.items(), key=lambda each: (-each[0][1], each[0][0]))


def _goes(before: Fraction, after: Fraction) -> str:
    return f"stays at {before}" if before == after else f"goes from {before} to {after}"


def _equal(worlds: Worlds | Tables) -> Finding:
    verdict, note = alike(worlds.chances, worlds.grounds)
    return Finding(MORE, _ON, int(verdict is Verdict.FAILS), verdict, limit=0, note=note)


def of_tables(tables: Tables) -> tuple[Finding, ...]:
    """What both worlds say where nobody knows who is in the table."""
    return (
        Finding(TABLES, _ON, len(tables.naive), note="the people in them may be any"),
        _smart(tables),
        _equal(tables),
    )


def of_groups(found: Sequence[Worlds]) -> Finding:
    """How many people the algorithm tells more about, to whoever knows the values of everyone outside their group."""
    people = sum(len(worlds.who) for worlds in found)
    level = 1 - (1 - LEVEL) / max(len(found), 1)
    rising = sum(len(each.rising(level)) for each in found)
    note = f"of {people:,} people in {len(found):,} groups that could be gone through"
    return Finding(ALONE, _ON, rising, _open(rising), limit=0, note=note)


def of_looks(sample: Sample, limit: Fraction | None = None) -> tuple[Finding, ...]:
    """That the worlds are the same, shown by what the method looked at; beside it a sample of them."""
    note = "all that the method looked at are unions of published groups, so it does the same of every such table"
    found = [
        Finding(MORE, _ON, 0, Verdict.HOLDS, limit=0, note=note),
        Finding(
            TABLES, _ON, sample.tries, note=f"so many were drawn at random; {sample.different} came out otherwise"
        ),
    ]
    if limit is not None and not sample.knowing_more:
        above = len(np.unique(sample.entries.owner[sample.before > float(limit) + _ROUNDING]))
        verdict = Verdict.FAILS if above else Verdict.HOLDS
        found.append(Finding(ABOVE, _ON, above, verdict, limit=0, note=f"the limit is {limit}"))
    return tuple(found)


def told(findings: Iterable[Finding]) -> str:
    """The findings in lines of text."""
    return "\n".join(_line(finding) for finding in findings)


def _line(finding: Finding) -> str:
    on = "" if finding.on == _ON else f" {finding.on}"
    verdict = "" if finding.verdict is Verdict.INFORMS else f" [{finding.verdict.value}]"
    return f"{finding.value:>8,}  {finding.name}{on}{verdict}{f'; {finding.note}' if finding.note else ''}"


def of_sample(sample: Sample, limit: Fraction | None = None, *, level: float = LEVEL) -> tuple[Finding, ...]:
    """What a sample of both worlds says."""
    each = 1 - (1 - level) / max(2 * len(sample.entries.values), 1)
    least, naive = sample.intervals(each)[:, 0], sample.naive_at_most(each)
    rising = least > naive + _ROUNDING
    risen = len(np.unique(sample.entries.owner[rising]))
    found = [
        Finding(TABLES, _ON, sample.tries, note="so many were drawn at random"),
        _different(sample, level),
        Finding(RISING, _ON, risen, _open(risen), limit=0, note=f"surely so many, at {level:.0%}"),
        Finding(
            UNDECIDED, _ON, len(sample.undecided), Verdict.UNDECIDED if len(sample.undecided) else Verdict.INFORMS
        ),
    ]
    if risen:
        first = int(np.argmax(np.where(rising, least, 0)))
        found.append(Finding(GREATEST, f"from {naive[first]:.3g} to at least {least[first]:.3g}", 1, Verdict.FAILS))
    if limit is not None:
        above = len(np.unique(sample.entries.owner[least > float(limit) + _ROUNDING]))
        note = f"surely so many, at {level:.0%}; the limit is {limit}"
        found.append(Finding(ABOVE, _ON, above, _open(above), limit=0, note=note))
    return tuple(found)


def _open(number: int) -> Verdict:
    return Verdict.FAILS if number else Verdict.UNDECIDED


def _different(sample: Sample, level: float) -> Finding:
    """Whether the release did not come of some table; where it came of all, how many it may not come of."""
    if not sample.exact:
        note = "the tool draws at random, and shares of its runs do not show whether two tables are as likely"
        return Finding(MORE, _ON, 0, Verdict.UNDECIDED, limit=0, note=note)
    share = interval(sample.different, sample.tries, level) if sample.tries else (0.0, 1.0)
    if sample.different:
        note = f"{sample.different} of {sample.tries} tables that agree with the release are not published so"
        return Finding(MORE, _ON, sample.different, Verdict.FAILS, limit=0, interval=share, note=note)
    note = f"none of {sample.tries} tables differed; up to {share[1]:.1%} of all may"
    return Finding(MORE, _ON, 0, Verdict.UNDECIDED, limit=0, interval=share, note=note)
