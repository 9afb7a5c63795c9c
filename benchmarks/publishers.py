"""How fast tables are partitioned so that every group is mixed enough, and against whom.

    .venv/bin/python benchmarks/publishers.py [case ...] [--markdown]

Claim. Every line is a ratio of two measurements of the same run on the same machine, or says that it is not. Times
are the best of several warm runs; kernels are compiled before anything is timed, and what that costs is printed
once. What is extrapolated says so.

Cost. All cases together take about ten minutes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from math import log, log2
from pathlib import Path
from types import MappingProxyType

import numpy as np
import polars as pl

from measuring.guests import NotInstalledError, interpreter, said_by
from measuring.inputs import workplace
from measuring.lines import Line, times, took
from measuring.memory import Run, fresh, put, size_of
from measuring.people import ROWS, L, People, flat, workers
from measuring.publishing import Journey
from measuring.session import Script
from measuring.solving import Solving, levels_of
from measuring.timing import Timed, best
from openveil.core.recoding import Recoding

METHODS = (
    "mondrian",
    "mondrian+",
    "mondrian++",
    "mondrian-even",
    "mondrian-even++",
    "hilb",
    "hilb+",
    "hilb++",
    "hilb+r",
    "hilb++r",
    "anatomy",
)
# The seconds of the authors' program in C++ for 300,000 rows, on their machine.
PAPER = MappingProxyType({"mondrian": 9.2, "mondrian++": 2.2, "hilb": 2.1, "hilb++": 0.6, "anatomy": 0.3})
GOAL = 0.3
GIB = 1 << 30
MOST_MEMORY = 12
LEAST_AHEAD = 100
MILLION = 1_000_000
SIZES = (MILLION, 5 * MILLION, 20 * MILLION)
Lines = Iterator[Line]


def workers_case() -> Lines:
    """Those of the census who have an occupation."""
    yield from _every_method("workers", workers())


def flat_case() -> Lines:
    """The whole census with occupations drawn evenly, so that groups are cut deep."""
    yield from _every_method("flat", flat())


def rival_case() -> Lines:
    """A million rows, against anonypy's Mondrian."""
    people = flat().grown(MILLION)
    try:
        python = interpreter("anonypy", "pandas")
    except NotInstalledError as error:
        yield Line("rival", "-", "anonypy could not be installed, so it was not measured", str(error))
        return
    with workplace() as folder:
        _codes_of(people).write_csv(folder / "codes.csv")
        yield from _against_anonypy(people, partial(_anonypy, python, folder / "codes.csv"))


def growth_case() -> Lines:
    """One, five and twenty million rows, each in a fresh process that holds nothing else."""
    runs: dict[str, list[Run]] = {method: [] for method in METHODS}
    for rows in SIZES:
        people = flat().grown(rows)
        with workplace() as folder:
            put(Solving.of(people, METHODS[0]).columns(), folder)
            for method in METHODS:
                runs[method].append(fresh(Solving.of(people, method), folder))
    table = size_of(Solving.of(people, METHODS[0]))
    for method in METHODS:
        yield _growth(method, runs[method])
        yield _memory(method, runs[method][-1], table)


def journey_case() -> Lines:
    """A million rows from a file to verified files, and where the time goes."""
    people = flat().grown(MILLION)
    solve = best(Solving.of(people, "mondrian++").run, 3).seconds
    for kind in ("parquet", "csv"):
        with workplace() as folder:
            journey = Journey.of(people.frame, people.wishes("mondrian++"), folder, kind)
            whole = journey.warm(1).seconds
            stages = journey.stages()
            total = sum(stages.values())
            split = ", ".join(f"{stage} {share:.2g} s" for stage, share in stages.items() if share > total / 100)
            how = f"{took(whole)} against {took(solve)}, {len(people):,} rows, mondrian++; of one run: {split}"
            yield Line("journey", times(whole / solve), f"{kind} to verified {kind} / solve", how)


CASES: dict[str, Callable[[], Lines]] = {
    "workers": workers_case,
    "flat": flat_case,
    "rival": rival_case,
    "growth": growth_case,
    "journey": journey_case,
}


def _every_method(case: str, people: People) -> Lines:
    copied = _copying(people)
    for method in METHODS:
        yield _solved(case, people, method, copied)


def _solved(case: str, people: People, method: str, copied: float) -> Line:
    timed = best(Solving.of(people, method).run, 5)
    rows, levels = len(people), levels_of(timed.answer)
    of_levels = times(timed.seconds / (copied * levels))
    how = (
        f"{_both(timed)}, best of {timed.runs}, {rows / timed.seconds / 1e6:.2f} million rows a second, "
        f"{len(timed.answer.cells):,} groups; {of_levels} copying the codes at each of {levels} levels; "
        f"parquet to verified parquet {took(_end_to_end(people, method))}{_of_paper(method, people)}"
    )
    goal = GOAL * rows / ROWS
    return Line(case, times(goal / timed.seconds), f"goal / {method} (1 x or more: reached)", how)


def _both(timed: Timed[Recoding] | Run) -> str:
    return f"{took(timed.seconds)} ({took(timed.busy)} of processor time)"


def _of_paper(method: str, people: People) -> str:
    if method not in PAPER or len(people) != ROWS:
        return ""
    return f"; the paper's took {took(PAPER[method])} for 300,000 rows, on another machine"


def _end_to_end(people: People, method: str) -> float:
    with workplace() as folder:
        return Journey.of(people.frame, people.wishes(method), folder, "parquet").warm(1).seconds


def _copying(people: People) -> float:
    codes = people.public.codes
    copy = np.empty_like(codes)
    return best(lambda: np.copyto(copy, codes), 20).seconds


def _codes_of(people: People) -> pl.DataFrame:
    codes = people.public.codes
    columns = {name: codes[:, a] for a, name in enumerate(people.public.names)}
    return pl.DataFrame(columns).hstack(people.sensitive)


def _anonypy(python: Path, table: Path, rows: int) -> tuple[float, int, str]:
    session = Path(__file__).parent / "measuring" / "partition_session.py"
    said = said_by(python, session, table, rows, L, L)
    return said["seconds"], said["groups"], said["version"]


def _against_anonypy(people: People, cut: Callable[[int], tuple[float, int, str]]) -> Lines:
    """Its time for all rows is measured, for it grows less than in proportion where many rows tie."""
    theirs, groups, version = cut(len(people))
    alike = Solving.of(people.asking("distinct-l-diversity"), "mondrian")
    yield _ahead(version, theirs, groups, alike, "mondrian, distinct l-diversity as anonypy has it")
    for method in METHODS:
        yield _ahead(version, theirs, groups, Solving.of(people, method), method)


def _ahead(version: str, theirs: float, groups: int, solving: Solving, what: str) -> Line:
    timed = best(solving.run, 2)
    how = (
        f"{took(theirs)} for {groups:,} groups, measured once, against {_both(timed)} for "
        f"{len(timed.answer.cells):,}, {len(solving.people):,} rows; goal at least {LEAST_AHEAD} x"
    )
    return Line("rival", times(theirs / timed.seconds), f"anonypy {version} / {what}", how)


def _growth(method: str, runs: list[Run]) -> Line:
    """Of processor time: what else the machine does changes it least."""
    factor = log(SIZES[-1] / SIZES[0])
    exponent = log(runs[-1].busy / runs[0].busy) / factor
    expected = 1 + log(log2(SIZES[-1]) / log2(SIZES[0])) / factor
    took_each = ", ".join(map(_both, runs))
    how = f"{took_each} for 1, 5 and 20 million rows; n log n would be {expected:.2f}"
    return Line("growth", f"{exponent:.2f}", f"growth exponent of {method}", how)


def _memory(method: str, run: Run, table: int) -> Line:
    how = (
        f"{run.instrument} reached {run.peak / GIB:.2f} GiB, goal at most {MOST_MEMORY} GiB; "
        f"{SIZES[-1] / run.seconds / 1e6:.2f} million rows a second"
    )
    what = f"peak memory / encoded table, {method}, {SIZES[-1] / MILLION:.0f} million rows"
    return Line("growth", times(run.peak / table), what, how)


if __name__ == "__main__":
    sys.exit(Script("publishers", __doc__ or "", "solve", CASES).run())
