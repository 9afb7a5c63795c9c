"""What disclosure sets cost, against listing the tables, and what the strategies release of real tables.

    .venv/bin/python benchmarks/strategies.py [case ...] [--markdown]

Claim. Every line is a ratio of two measurements of the same run on the same machine, or a count. Random tables have a
seed.

Cost. All cases together take some twenty minutes, most of it for blocks of real people.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from measuring.blocks import STRATEGIES, Shown, many_blocks
from measuring.charts import chart
from measuring.inputs import SHARED
from measuring.lines import Line, times, took
from measuring.real import REAL, taken
from measuring.session import Script
from measuring.timing import Timed, best, once
from openveil.core.bags import Bags
from openveil.core.finding import Finding
from openveil.core.requirement import Diversity
from openveil.core.secret import Secret
from openveil.core.table import Table
from openveil.core.witness import Witness
from openveil.disclosure.asking import Ratios, ratios_of
from openveil.disclosure.counting import Part, counted
from openveil.disclosure.functions import Functions, Image, image_of
from openveil.disclosure.judging import judge
from openveil.disclosure.strategies import exclusive, inclusive
from openveil.publishers.exclusive import Exclusive
from openveil.publishers.inclusive import Inclusive
from openveil.publishers.rotation import Rotation
from openveil.requirements.distinct_l_diversity import DistinctDiversity
from openveil.requirements.frequency_l_diversity import FrequencyDiversity
from openveil.requirements.recursive_cl_diversity import RecursiveDiversity
from openveil.tools.sequences import Sequential
from openveil.tools.stepping import Refusal

SEED = 20080701
TWO = FrequencyDiversity(2)
GOALS = (("adult", 10), ("census", 60))
BLOCKS = 400
BLOCK_ROWS, SEEDS, BLOCKS_A_SEED = (12, 24, 40, 60), (1, 2, 3, 4, 5), 20
CHARTS = Path(__file__).resolve().parents[1] / "docs" / "charts"
Lines = Iterator[Line]


def growth_case() -> Lines:
    """The exclusive strategy on more and more groups of the same size: linear, if time doubles with the groups."""
    sizes = [250, 500, 1000, 2000, 4000]
    spent = [_judged(groups, 8).seconds for groups in sizes]
    exponent = math.log(spent[-1] / spent[0]) / math.log(sizes[-1] / sizes[0])
    said = ", ".join(f"{groups:,}: {took(seconds)}" for groups, seconds in zip(sizes, spent, strict=True))
    yield Line("growth", f"n^{exponent:.2f}", "time for n groups of 8 rows (1: linear)", f"{said}; 5 values, l = 2")


def groups_case() -> Lines:
    """Counting one group exactly as it grows, against listing its tables."""
    for values in (2, 3, 5):
        sizes = [n for n in (12, 24, 48, 96) if values == 2 or n <= 48]
        spent = [_counted(n, values) for n in sizes]
        known = [(n, each.seconds) for n, each in zip(sizes, spent, strict=True) if each.answer is not None]
        (small, first), (large, last) = known[0], known[-1]
        exponent = math.log(last / first) / math.log(large / small) if large > small else 0.0
        said = ", ".join(f"{n} rows {took(t)}" for n, t in known)
        beyond = "" if len(known) == len(sizes) else f"; {sizes[len(known)]} rows: too many steps, so bounded"
        how = f"{said}{beyond}; atoms of 4 rows, {values} values"
        yield Line("groups", f"n^{exponent:.1f}", "time to count a group of n rows", how)


def naive_case() -> Lines:
    """The naive method, which lists every table that agrees, beside counting, up to where it dies."""
    for groups in (1, 2, 3):
        rows = groups * 4
        listing, counting = once(partial(_listed, rows)), once(partial(_by_counting, rows))
        same = "the same" if listing.answer == counting.answer else "DIFFERENT"
        how = f"{took(listing.seconds)} against {took(counting.seconds)}; {same} size of the disclosure set"
        yield Line("naive", times(listing.seconds / counting.seconds), f"listing / counting, {rows} rows", how)
    tables, counting = math.factorial(16) // math.factorial(4) ** 4, once(partial(_by_counting, 16))
    how = f"{tables:,} tables: minutes to list, and listing dies here; counting takes {took(counting.seconds)}"
    yield Line("naive", "-", "listing, 16 rows (not tried)", how)


def adult_case() -> Lines:
    """The 45,222-row Adult table, five functions."""
    frame = pl.read_parquet(SHARED / "data" / "adult_45222.parquet")
    quasi = ["age", "sex", "race", "marital-status", "education", "native-country"]
    yield from _table("adult", _encoded(frame, quasi, "occupation"), frame, "occupation", GOALS[0][1])


def census_case() -> Lines:
    """Census-Income (KDD), 299,285 rows, five functions."""
    frame = pl.read_parquet(SHARED / "data" / "census_income_kdd.parquet")
    quasi = ["age", "sex", "race", "marital_stat", "education"]
    yield from _table("census", _encoded(frame, quasi, "state_of_previous_residence"), frame, "education", 60)


def beats_case() -> Lines:
    """On small blocks of real rows, functions of all kinds: how often each strategy releases the finer function."""
    frame = pl.read_parquet(SHARED / "data" / "adult_45222.parquet").select("age", "occupation")
    random = np.random.default_rng(SEED)
    codes = frame["occupation"].rank("dense").to_numpy().astype(np.int32) - 1
    ages = frame["age"].to_numpy()
    for name, labels in _BLOCK_SEQUENCES.items():
        told: Counter[str] = Counter()
        for _ in range(BLOCKS):
            rows = random.choice(len(codes), len(labels[0]), replace=False)
            told[_compared(labels, codes[rows[np.argsort(ages[rows], kind="stable")]])] += 1
        how = (
            f"of {BLOCKS} blocks of {len(labels[0])} rows by age (seed {SEED}): both the same {told['same']}, both "
            f"nothing {told['nothing']}; occupation, c = 2, l = 2"
        )
        figure = f"{told['inclusive']} : {told['exclusive']}"
        yield Line("beats", figure, f"inclusive finer : exclusive finer, {name}", how)


def blocks_case() -> Lines:
    """On blocks of 12 to 60 people of one class of work in natural groups: what each strategy releases."""
    for l in (2, 3):  # noqa: E741
        sets = {rows: many_blocks(rows, l, SEEDS, BLOCKS_A_SEED) for rows in BLOCK_ROWS}
        for rows, blocks in sets.items():
            for one, other in _PAIRS:
                figure, how = blocks.finer(one, other)
                yield Line("blocks", figure, f"{one} finer : {other} finer, {rows} rows, l = {l}", how)
            best = max(STRATEGIES, key=blocks.detail)
            yield Line("blocks", f"{blocks.detail(best):.0f} %", f"most detail, {rows} rows, l = {l}", blocks.said)
        lines = {name: [(rows, blocks.detail(name)) for rows, blocks in sets.items()] for name in STRATEGIES}
        title = f"Groups released of blocks of Adult, of those of the finest function, l = {l}"
        chart(CHARTS / f"strategies-l{l}.svg", title, "rows", "%", lines)


_PAIRS = (
    ("inclusive", "exclusive"),
    ("inclusive, never silent", "exclusive, never silent"),
    ("rotation", "exclusive"),
    ("rotation, never silent", "exclusive, never silent"),
)
_BLOCK_SEQUENCES: dict[str, list[list[int]]] = {
    "nested": [[0, 0, 0, 1, 1, 2, 2, 2, 2], [0, 0, 0, 1, 1, 1, 1, 1, 1], [0] * 9],
    "crossing, last whole": [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1], [0, 0, 0, 0, 1, 1], [0] * 6],
    "three ways to cut": [[0, 0, 0, 1, 1], [1, 1, 0, 0, 0], [1, 0, 0, 0, 1]],
}


def _compared(labels: Sequence[Sequence[int]], codes: np.ndarray) -> str:
    """Which strategy releases the finer function of a block."""
    functions = Functions.of([np.array(each, dtype=np.int32) for each in labels])
    asked = Ratios((RecursiveDiversity(2, 2),))  # type: ignore[arg-type]
    shown = Shown(functions, codes, asked)
    found = [strategy(functions, shown, asked).released for strategy in (inclusive, exclusive)]
    one, other = (len(functions) if each is None else each for each in found)
    if one == other:
        return "same" if one < len(functions) else "nothing"
    return "inclusive" if one < other else "exclusive"


def _image(functions: Functions, i: int, codes: np.ndarray) -> Image:
    whole = np.bincount(codes)
    return image_of(Bags.of_rows("values", whole, functions.labels[i], codes, functions.groups(i)))


def _judged(groups: int, size: int) -> Timed[Any]:
    """The disclosure set of so many groups of so many rows, each of two halves, of which one fails."""
    random = np.random.default_rng(SEED)
    rows = groups * size
    coarse = np.arange(rows) // size
    functions = Functions.of([(np.arange(rows) // (size // 2)).astype(np.int32), coarse.astype(np.int32)])
    even = np.concatenate([random.permutation(np.arange(size) % 5) for _ in range(groups)]).astype(np.int32)
    image = _image(functions, 1, even)
    return best(lambda: judge(functions, 1, image, TWO), 3)


def _counted(rows: int, values: int) -> Timed[Any]:
    bag = tuple(np.bincount(np.arange(rows) % values).tolist())
    part = Part((4,) * (rows // 4), (0,) * (rows // 4), (bag,), tuple((a,) for a in range(rows // 4)))
    return once(lambda: counted(part, TWO))


def _listed(rows: int) -> int:
    """How many tables the disclosure set has, by listing them."""
    kept = 0
    for table in _orders(Counter(np.arange(rows).__mod__(4).tolist())):
        kept += any(2 * max(Counter(table[k : k + 2]).values()) > 2 for k in range(0, rows, 2))
    return kept


def _orders(left: Counter[int]) -> Iterator[tuple[int, ...]]:
    if not left.total():
        yield ()
    for value in [value for value in left if left[value]]:
        for rest in _orders(left - Counter([value])):
            yield (value, *rest)


def _by_counting(rows: int) -> int:
    bag = tuple(np.bincount(np.arange(rows) % 4).tolist())
    part = Part((2,) * (rows // 2), (0,) * (rows // 2), (bag,), tuple((a,) for a in range(rows // 2)))
    found = counted(part, TWO)
    return -1 if found is None else found.total - found.kept


def _encoded(frame: pl.DataFrame, quasi: Sequence[str], sensitive: str) -> Table:
    return taken(frame, {name: {"kind": "suppression"} for name in quasi}, sensitive)


def _table(case: str, table: Table, frame: pl.DataFrame, sensitive: str, goal: float) -> Lines:
    methods: list[tuple[str, Sequential]] = [
        ("exclusive", Exclusive()),
        ("exclusive, never silent", Exclusive(refusal=Refusal.SAFE)),
        ("inclusive", Inclusive()),
        ("inclusive, never silent", Inclusive(refusal=Refusal.SAFE)),
        ("rotation", Rotation()),
        ("rotation, never silent", Rotation(refusal=Refusal.SAFE)),
    ]
    column = frame.select(sensitive)
    for name, method in methods:
        timed = once(partial(_solved, method, table, column, TWO))
        what = f"goal of {goal:g} s / {name}" if name == "exclusive" else f"the same of {name}"
        how = f"{took(timed.seconds)}, {table.frame.height:,} rows, l = 2 on {sensitive}: {timed.answer[1]}"
        yield Line(case, times(goal / timed.seconds), what, how)


def _solved(method: Sequential, table: Table, column: pl.DataFrame, asked: Diversity) -> tuple[int, str]:
    """How many groups are released, and how that was told."""
    witness = Witness(column)
    sequence = method.sequence(table.public, asked)
    outcome = method.outcome(sequence, witness, ratios_of(asked), Secret.fresh())
    if outcome.released is None:
        undecided = "not told to be safe" if outcome.judgement else "no function holds"
        return 0, f"nothing: {outcome.silence or undecided}"
    group = sequence.released(outcome)
    said = method.disclosed(table.public, witness, asked, group)
    findings: tuple[Finding, ...] = said.findings if said else ()
    chance = f", chance at most {float(findings[0].value):.3f}" if findings else ""
    groups = int(group.max()) + 1
    return groups, f"{groups:,} groups; {said.note if said else ''}{chance}"


def rotation_case() -> Lines:
    """Rotation on real tables, from the whole table to boxes of 16 rows and along natural levels."""
    for real in REAL:
        column = real.frame.select(real.sensitive)
        given: list[tuple[str, dict[str, Any]]] = [
            ("boxes", {"steps": 10, "least": 16}),
            ("levels", {"levels": real.levels}),
        ]
        for (kind, how), asked, refusal in product(
            given, (TWO, FrequencyDiversity(3), DistinctDiversity(2)), Refusal
        ):
            timed = once(partial(_solved, Rotation(refusal=refusal, **how), real.table, column, asked))
            groups, said = timed.answer
            called = f"groups of {real.name}, {kind}" + (", never silent" if refusal is Refusal.SAFE else "")
            of = f"{len(column):,} rows, {asked.promise} on {real.sensitive}"
            yield Line("rotation", f"{groups:,}", called, f"{took(timed.seconds)}, {of}: {said}")


CASES: dict[str, Callable[[], Lines]] = {
    "growth": growth_case,
    "groups": groups_case,
    "naive": naive_case,
    "adult": adult_case,
    "census": census_case,
    "rotation": rotation_case,
    "beats": beats_case,
    "blocks": blocks_case,
}


if __name__ == "__main__":
    sys.exit(Script("strategies", __doc__ or "", "search", CASES).run())
