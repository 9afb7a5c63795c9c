"""How fast the vector of least loss is found, against other ways of doing the same.

    .venv/bin/python benchmarks/lattice.py [case ...] [--markdown]

Claim. Every line is a ratio of two measurements of the same run on the same machine, or says that it is not.
Times are the best of several warm runs; kernels are compiled before anything is timed, and what that costs is
printed once. What is extrapolated from a sample says so, with the seed.

Cost. All cases together take about nine minutes; `adult` alone about one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from measuring.grouping import Nodes, every_node, sampled
from measuring.guests import NotInstalledError
from measuring.inputs import CENSUS, Input, adult, census, hard_adult, workplace
from measuring.lines import Line, times, took
from measuring.memory import peak_of
from measuring.publishing import Journey
from measuring.rival import Rivalry, compete, levels_of
from measuring.searching import Cost, Task, cost_at, datafly_at
from measuring.session import Script
from measuring.timing import Timed, best, once
from openveil.core.lattice import Lattice, Vector
from openveil.publishers.samarati.minimal import all_minimal
from openveil.publishers.samarati.problem import Optimum
from openveil.publishers.samarati.satisfies import ByClasses, ByMatrix

SEED = 20240602
EVERY_NODE = 12_960
GOALS = MappingProxyType({"adult": 0.6 / 5, "hard1": 24 / 10, "hard5": 50 / 10})
MOST_MEMORY = 3
LEAST_AHEAD = 20
BUDGETS = (5, 20, 60)
PROOF_BUDGET = 20
Lines = Iterator[Line]


def adult_case() -> Lines:
    """Adult, with everything it is compared with."""
    given = adult()
    yield from _search("adult", given, runs=9, nodes=EVERY_NODE)
    with workplace() as folder:
        journey = Journey.of(given.frame, given.wishes(), folder, "csv")
        yield from _end_to_end("adult", journey, runs=7)
        yield from _against_anjana("adult", given, journey)


def hard1_case() -> Lines:
    """One million rows."""
    yield from _hard("hard1", hard_adult(1_000_000), runs=5, nodes=40)


def hard5_case() -> Lines:
    """Five million rows."""
    yield from _hard("hard5", hard_adult(5_000_000), runs=3, nodes=15)


def wide_case() -> Lines:
    """Up to fifteen quasi-identifiers: what is proved within a time, and what is found when nothing can be."""
    for attributes in range(10, 14):
        yield _proved_or_not(attributes)
    task = Task.of(census())
    problem = task.problem()
    datafly = cost_at(problem, datafly_at(task, problem)).loss
    for budget in BUDGETS:
        found = once(partial(task.run, budget))
        yield from _within_budget(task, found, datafly, budget)
    yield _memory("wide", task, seconds=BUDGETS[0])


def suppression_case() -> Lines:
    """What allowing suppression buys on Adult."""
    given = adult()
    without = _least_cost(given, "0%")[1].loss
    for most in ("0%", "1%", "2%", "5%"):
        levels, cost = _least_cost(given, most)
        loss = float(cost.loss / given.frame.height)
        how = f"loss {loss:.4f} a row, {cost.suppressed} of {given.frame.height:,} rows suppressed, levels {levels}"
        yield Line("suppression", times(float(cost.loss / without)), f"loss, {most} suppressed at most / none", how)


def engines_case() -> Lines:
    """The two engines of [004]: the same vectors, at different cost."""
    given = adult().head(3000)
    yield _minimal_by_both(given.only("sex", "age", "race", "marital-status", "education"))
    yield _counted_by_both(given)


CASES: dict[str, Callable[[], Lines]] = {
    "adult": adult_case,
    "hard1": hard1_case,
    "hard5": hard5_case,
    "wide": wide_case,
    "suppression": suppression_case,
    "engines": engines_case,
}


def _least_cost(given: Input, most: str) -> tuple[Vector, Cost]:
    task = Task.of(replace(given, max_suppressed=most))
    levels = task.run().vector
    return levels, cost_at(task.problem(), levels)


def _hard(case: str, given: Input, runs: int, nodes: int) -> Lines:
    yield from _search(case, given, runs, nodes)
    for kind in ("parquet", "csv"):
        with workplace() as folder:
            yield from _end_to_end(case, Journey.of(given.frame, given.wishes(), folder, kind), runs=2)


def _search(case: str, given: Input, runs: int, nodes: int) -> Lines:
    task = Task.of(given)
    timed = best(task.run, runs)
    yield _goal(case, timed)
    yield _proof(case, task, timed.answer)
    yield _floor(case, task, timed)
    yield from _against_grouping(case, task, timed, nodes)
    yield _memory(case, task)


def _goal(case: str, timed: Timed[Optimum]) -> Line:
    goal = GOALS[case]
    how = (
        f"fold + search {took(timed.seconds)}, best of {timed.runs}; the goal {took(goal)} was set, not measured here"
    )
    return Line(case, times(goal / timed.seconds), "goal / search (1 x or more: reached)", how)


def _proof(case: str, task: Task, optimum: Optimum) -> Line:
    vectors = Lattice(task.public.heights).size
    classes = len(task.problem().classes)
    said = "proved least" if optimum.proved else "NOT proved least"
    how = f"{optimum.examined} vectors, {said}, levels {optimum.vector}; {classes:,} distinct tuples"
    return Line(case, f"{optimum.examined / vectors:.2%}", f"examined, of {vectors:,} vectors", how)


def _floor(case: str, task: Task, timed: Timed[Optimum]) -> Line:
    levels = sum(task.public.heights) + 1
    codes, copy = task.public.codes, np.empty_like(task.public.codes)
    read = best(lambda: np.copyto(copy, codes), 20).seconds
    how = f"one np.copyto of the code matrix {read * 1e3:.3g} ms, {levels} levels of the lattice"
    return Line(case, times(timed.seconds / (read * levels)), "search / reading the codes once a level", how)


def _against_grouping(case: str, task: Task, timed: Timed[Optimum], size: int) -> Lines:
    nodes = Nodes(task.public, task.requirement.k, task.allowance.rows(len(task.public)))
    everything = every_node(task.public.heights)
    chosen = nodes.measure(sampled(everything, size, SEED))
    whole = chosen.a_node * len(everything)
    ratio = times(whole / timed.seconds)
    yield Line(
        case, ratio, "Polars group_by for every node / search", _sample(chosen.costs, everything, chosen.a_node)
    )
    visited = task.examined()
    same = nodes.measure(sampled(visited, size, SEED))
    how = _sample(same.costs, visited, same.a_node)
    ratio = times(same.a_node * len(visited) / timed.seconds)
    yield Line(case, ratio, "Polars group_by for the examined nodes only / search", how)
    loss = task.problem().prices.in_all(timed.answer.loss)
    better = nodes.better(chosen, loss) + nodes.better(same, loss)
    how = f"of {len(chosen.costs.keys() | same.costs.keys()):,} nodes whose loss was computed from these groups"
    yield Line(case, str(better), "acceptable nodes that lose less than ours (0: none)", how)


def _sample(costs: Mapping[Vector, Cost], of: np.ndarray, a_node: float) -> str:
    said = f"{a_node * 1e3:.3g} ms a node, codes of all levels made beforehand"
    if len(costs) == len(of):
        return f"{said}; all {len(of):,} nodes measured"
    return f"{said}; EXTRAPOLATED to {len(of):,} from {len(costs)} at random (seed {SEED})"


def _memory(case: str, task: Task, seconds: float = 600.0) -> Line:
    peak = peak_of(task, seconds)
    how = (
        f"{peak.instrument} grew by {peak.growth / 1e6:,.3g} MB in a process that held the table of "
        f"{peak.table / 1e6:,.3g} MB (not counted); {times(peak.in_use / peak.table)} "
        f"with freed memory given back at once; goal at most {MOST_MEMORY} x"
    )
    return Line(case, times(peak.multiple), "peak memory of fold + search / encoded table", how)


def _end_to_end(case: str, journey: Journey, runs: int) -> Lines:
    kind = journey.wishes["output"]["format"]
    timed = journey.warm(runs)
    stages = journey.stages()
    total = sum(stages.values())
    shares = ", ".join(f"{stage} {seconds / total:.0%}" for stage, seconds in stages.items() if seconds > total / 100)
    searching = stages.get("fold", 0.0) + stages.get("search", 0.0)
    how = f"{took(timed.seconds)}, best of {timed.runs}; of one run: {shares}"
    what = f"{kind} to verified {kind} / the fold and search in it"
    yield Line(case, times(total / max(searching, 1e-9)), what, how)


def _against_anjana(case: str, given: Input, journey: Journey) -> Lines:
    try:
        rivalry = compete(given, journey.folder / "table.csv", journey.folder, runs=3)
    except NotInstalledError as error:
        yield Line(case, "-", "anjana could not be installed, so it was not measured", str(error))
        return
    yield from _faster(case, rivalry, journey)
    yield from _finer(case, given, rivalry)


def _faster(case: str, rivalry: Rivalry, journey: Journey) -> Lines:
    name = f"anjana {rivalry.version}"
    ours = journey.warm(7).seconds
    how = f"{took(rivalry.warm)}, best of 3, against {took(ours)}; goal at least {LEAST_AHEAD} x"
    yield Line(case, times(rivalry.warm / ours), f"{name} / openveil, CSV to CSV, warm", how)
    fresh = journey.fresh(3)
    how = f"{took(rivalry.fresh)} against {took(fresh)}, Python's start and all imports included"
    yield Line(case, times(rivalry.fresh / fresh), f"{name} / openveil, each in a fresh process", how)


def _finer(case: str, given: Input, rivalry: Rivalry) -> Lines:
    task = Task.of(given)
    problem, ours = task.problem(), task.run()
    theirs = levels_of(task.public, rivalry.released)
    cost, rows = cost_at(problem, theirs), len(task.public)
    losses = [float(loss / rows) for loss in (cost.loss, problem.prices.in_all(ours.loss))]
    missing = rows - len(rivalry.released)
    agrees = "as" if missing == cost.suppressed else f"NOT {cost.suppressed} as"
    how = f"{losses[0]:.3f} against {losses[1]:.3f} a row; it suppressed {missing} rows, {agrees} at its levels"
    yield Line(case, times(losses[0] / losses[1]), "information loss of anjana / of openveil", how)
    how = f"levels {theirs} against {ours.vector} of {task.public.heights}"
    yield Line(case, f"{sum(theirs)} to {sum(ours.vector)}", "levels climbed in all, anjana to openveil", how)


def _proved_or_not(attributes: int) -> Line:
    task = Task.of(census(attributes))
    timed = once(lambda: task.run(PROOF_BUDGET))
    optimum, problem = timed.answer, task.problem()
    said = "proved least" if optimum.proved else f"NOT proved optimal, bound at {optimum.bound / optimum.loss:.1%}"
    datafly = cost_at(problem, datafly_at(task, problem)).loss
    of_datafly = times(float(problem.prices.in_all(optimum.loss) / datafly))
    how = f"{took(timed.seconds)}, {said}; {_coverage(task, optimum)}; loss {of_datafly} Datafly's"
    what = f"of the {PROOF_BUDGET} s given, {attributes} attributes"
    return Line("wide", f"{timed.seconds / PROOF_BUDGET:.0%}", what, how)


def _within_budget(task: Task, found: Timed[Optimum], datafly: Fraction, budget: int) -> Lines:
    optimum, prices = found.answer, task.problem().prices
    datafly_loss, loss, bound = (
        float(total / len(task.public)) for total in (datafly, *map(prices.in_all, (optimum.loss, optimum.bound)))
    )
    said = "proved least" if optimum.proved else "NOT proved optimal"
    how = (
        f"{said}: {loss:.4f} a row, none below {bound:.4f}, Datafly {datafly_loss:.4f}; "
        f"{_coverage(task, optimum)}, {took(found.seconds)}"
    )
    yield Line(
        "wide", times(loss / datafly_loss), f"loss within {budget} s / of Datafly, {len(CENSUS)} attributes", how
    )


def _coverage(task: Task, optimum: Optimum) -> str:
    return f"{optimum.examined:,} examined of {Lattice(task.public.heights).size:,} vectors"


def _minimal_by_both(given: Input) -> Line:
    task = Task.of(given)
    problem = task.problem()
    lattice = problem.lattice

    def minimal(counter: Callable[[], ByClasses | ByMatrix]) -> Timed[list[Vector]]:
        return best(lambda: all_minimal(counter(), lattice, problem.allowed), 3)

    classes = minimal(lambda: ByClasses(task.public, problem.classes, task.requirement))
    matrix = minimal(lambda: ByMatrix(task.public, problem.classes, task.requirement.k))
    same = "the same" if classes.answer == matrix.answer else "DIFFERENT"
    how = f"{same} {len(matrix.answer)} vectors of {lattice.size}; {_against(matrix, classes)}"
    what = f"matrix / classes, all k-minimal vectors, {len(given.frame.columns)} quasi-identifiers"
    return Line("engines", times(matrix.seconds / classes.seconds), what, how)


def _counted_by_both(given: Input) -> Line:
    task = Task.of(given)
    problem = task.problem()
    vectors = sampled(every_node(task.public.heights), 40, SEED)
    classes = best(lambda: ByClasses(task.public, problem.classes, task.requirement).suppressed(vectors), 3)
    matrix = once(lambda: ByMatrix(task.public, problem.classes, task.requirement.k).suppressed(vectors))
    same = "the same" if (classes.answer == matrix.answer).all() else "DIFFERENT"
    how = f"{same} counts at {len(vectors)} vectors (seed {SEED}); {_against(matrix, classes)}"
    what = f"matrix / classes, suppressed rows, {len(given.frame.columns)} quasi-identifiers"
    return Line("engines", times(matrix.seconds / classes.seconds), what, how)


def _against(slow: Timed[Any], fast: Timed[Any]) -> str:
    return f"{took(slow.seconds)} against {took(fast.seconds)}"


if __name__ == "__main__":
    sys.exit(Script("lattice", __doc__ or "", "search", CASES).run())
