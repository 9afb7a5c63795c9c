"""What attacks find in releases that are made as published, and in their repairs; and how fast they are.

    .venv/bin/python benchmarks/attacks.py [case ...] [--markdown] [--charts FOLDER]

Claim. Shares and counts are of people in one table; every time is told as a ratio to something measured in the same
run. `hilb` and `mask` repeat experiments of X. Jin, N. Zhang, G. Das, ASAP, 2011 (Figs 9 and 6a) on the tables at
hand, which for `hilb` is another census than theirs. What is drawn at random depends on numbers written here.

Cost. All cases together take about two minutes.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

from measuring.attacking import BELOW_HIGH_SCHOOL, People, adults, in_work, scaled
from measuring.inputs import SHARED
from measuring.lines import Line, markdown, times, took
from measuring.timing import best, once
from openveil.adversary.hilb_algorithm_7 import VULNERABLE, HilbAlgorithm7
from openveil.adversary.hilb_worlds import HilbWorlds
from openveil.adversary.negative_association import NegativeAssociation
from openveil.core.attack import Attack, Outcome, Target
from openveil.kernels.compiling import compiled
from openveil.tools.curve_groups import CurveGroups
from openveil.tools.hilbert_cuts import keys_of, order_of

SEED = 20240602
SPREADS = (2, 3, 4, 5, 6)
KS, MS = (5, 6, 7, 8), (2, 3, 4, 5)
DRAWS = 20
ROWS = 300_000
PHD = NegativeAssociation(among="age", most=25, rare=("Doctorate",))
Lines = Iterator[Line]


def hilb_case(charts: Path | None) -> Lines:
    """Algorithm 7 and exact worlds on Hilb, and on what repairs it, for l = 2 to 6."""
    people = in_work()
    found: dict[str, list[float]] = {}
    for method in ("hilb", "hilb+r", "hilb++r"):
        labelled = found.setdefault(f"Algorithm 7 on {method}", [])
        for spread in SPREADS:
            target = people.released(method, {"frequency-l-diversity": {"l": spread}})
            [printed] = HilbAlgorithm7().attempt(target)
            labelled.append(100 * printed.exposed / printed.people)
            yield _labelled(method, spread, printed)
            if method == "hilb":
                [exact] = HilbWorlds().attempt(target)
                found.setdefault("exact worlds on hilb, at least", []).append(100 * exact.exposed / exact.people)
                yield _decided(spread, exact)
    if charts:
        from measuring.drawing import lines

        lines(charts / "hilb.svg", "People exposed by knowing the algorithm", ("l", SPREADS), "% of people", found)


def mask_case(charts: Path | None) -> Lines:
    """The rule that few people of 25 or under have a doctorate, on MASK, for k = 5 to 8 and m = 2 to 5."""
    people, found = adults(), {}
    for m in MS:
        exposed = [_exposed_by_rule(people, k, m) for k in KS]
        found[f"m = {m}"] = [mean for mean, _ in exposed]
        for k, (mean, right) in zip(KS, exposed, strict=True):
            how = f"mean of {DRAWS} draws; of them {right:.0%} had a listed value, against the {1 / m:.0%} promised"
            yield Line("mask", f"{mean:,.0f}", f"people exposed by PhD under 25, k = {k}, m = {m}", how)
    if charts:
        from measuring.drawing import bars

        bars(charts / "mask.svg", "People exposed by the rule 'PhD under 25'", ("k", KS), "people", found)


def speed_case(_: Path | None) -> Lines:
    """Algorithm 7 on 300,000 rows."""
    people = scaled(ROWS, SEED)
    target = people.released("hilb", {"frequency-l-diversity": {"l": 4}})
    [column] = target.sensitive
    attack = best(partial(HilbAlgorithm7().believe, target, column), 5)
    keys = keys_of(target.public)
    ordering = best(lambda: order_of(keys), 5)
    how = f"{took(attack.seconds)}, best of 5, against {took(ordering.seconds)}; {ROWS:,} rows, l = 4; goal below 1 s"
    yield Line("speed", times(attack.seconds / ordering.seconds), "Algorithm 7 / putting the rows on the curve", how)
    publishing = once(lambda: people.released("hilb", {"frequency-l-diversity": {"l": 4}}))
    how = f"{took(attack.seconds)} against {took(publishing.seconds)}"
    yield Line("speed", times(attack.seconds / publishing.seconds), "Algorithm 7 / publishing by hilb", how)
    yield _against_pairs(target, attack.seconds)


CASES: dict[str, Callable[[Path | None], Lines]] = {"hilb": hilb_case, "mask": mask_case, "speed": speed_case}


def _labelled(method: str, spread: int, outcome: Outcome) -> Line:
    groups = next(finding.value for finding in outcome.further if finding.name == VULNERABLE)
    right = f"; of {outcome.attack.tries:,} bets {_right(outcome)}" if outcome.attack.tries else ""
    how = f"{groups:,} groups labelled{right}"
    share = f"{outcome.exposed / outcome.people:.1%}"
    return Line("hilb", share, f"of people in vulnerable groups, {method}, l = {spread}", how)


def _decided(spread: int, outcome: Outcome) -> Line:
    open_ = f"{outcome.undecided / outcome.people:.1%} of people not decided"
    how = f"{open_}; of {outcome.attack.tries:,} bets {_right(outcome)}"
    share = f"{outcome.exposed / outcome.people:.1%}"
    return Line("hilb", share, f"of people exposed by exact worlds, hilb, l = {spread}", how)


def _right(outcome: Outcome) -> str:
    return f"{float(outcome.attack.rate):.0%} were right, by guessing {float(outcome.baseline.rate):.0%}"


def _exposed_by_rule(people: People, k: int, m: int) -> tuple[float, float]:
    """How many people the rule exposes, and how many of them have a listed value, over several draws."""
    privacy = {"m-confidentiality": {"m": m, "values": list(BELOW_HIGH_SCHOOL)}, "k-anonymity": {"k": k}}
    found = [_only(PHD, people.released("mask", privacy, draw)) for draw in range(DRAWS)]
    exposed = sum(outcome.exposed for outcome in found)
    right = sum(outcome.attack.successes for outcome in found)
    return exposed / DRAWS, right / max(1, exposed)


def _only(attack: Attack, target: Target) -> Outcome:
    [outcome] = attack.attempt(target)
    return outcome


def _against_pairs(target: Target, seconds: float) -> Line:
    """The labels as the listing finds them: every group with every later one, compiled too."""
    [column] = target.sensitive
    line = CurveGroups.of(target.public, target.group, column.shown, len(column.labels), 4)
    rows = np.argsort(line.place, kind="stable")
    starts = np.append(0, np.cumsum(line.sizes))
    pairs = compiled(_by_pairs)
    pairs(rows, starts[:2], line.first, line.last)
    theirs = once(lambda: pairs(rows, starts, line.first, line.last))
    same = "the same" if (theirs.answer == line.reaches).all() else "DIFFERENT"
    how = f"{same} answers for {len(line):,} groups; {took(theirs.seconds)}, compiled too"
    return Line(
        "speed", times(theirs.seconds / seconds), "comparing every two groups alone / Algorithm 7, all of it", how
    )


def _by_pairs(rows: np.ndarray, starts: np.ndarray, first: np.ndarray, last: np.ndarray) -> np.ndarray:
    """Whether a later group has a row within the range of each, as line 6 of Algorithm 7 says it."""
    groups = starts.shape[0] - 1
    inside = np.zeros(groups, dtype=np.bool_)
    for one in range(groups):
        for other in range(one + 1, groups):
            for row in rows[starts[other] : starts[other + 1]]:
                if first[one] < row < last[one]:
                    inside[one] = True
            if inside[one]:
                break
    return inside


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("cases", nargs="*", metavar="case", help=f"all by default: {', '.join(CASES)}")
    parser.add_argument("--markdown", action="store_true", help="end with the table in Markdown")
    parser.add_argument("--charts", type=Path, help="a folder for charts in SVG")
    asked = parser.parse_args()
    unknown = [case for case in asked.cases if case not in CASES]
    if unknown:
        parser.error(f"no such case: {', '.join(unknown)}; choose from {', '.join(CASES)}")
    return asked


def main() -> int:
    """Measure the cases asked for; 1 when the data is not there."""
    asked = _asked()
    if not (SHARED / "data").is_dir():
        print(f"The benchmarks need the data in {Path('..') / 'shared'} beside the repository; it is not there.")
        return 1
    lines = []
    for case in asked.cases or CASES:
        for line in CASES[case](asked.charts):
            print(line.text(), flush=True)
            lines.append(line)
    if asked.markdown:
        print("", markdown(lines), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
