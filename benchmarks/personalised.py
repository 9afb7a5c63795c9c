"""Personalised privacy as Xiao and Tao measured it: breach probabilities, information loss, queries, and speed.

    .venv/bin/python benchmarks/personalised.py [case ...] [--markdown]

Claim. The figures are those of section 5 of the paper, on tables made as it describes from another census
(`measuring/personal.py`): whose guard is breached by how much under k-anonymity, l-diversity and personalised
publishing, what each loses, how wrong COUNT queries are, and how fast the greedy search is. k-anonymity and
l-diversity are found by the same search, so that only the promise differs. Beside them stand `personalised+` and
`personalised-even`, which may be known. Charts go to docs/charts. Times are the best of several warm runs; the peer
of the search is one that reckons every candidate anew, extrapolated from some of them.

Cost. About two minutes.

Source. X. Xiao, Y. Tao, Personalized privacy preservation, 2006, section 5.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from fractions import Fraction
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType

import numpy as np
import polars as pl
from numpy.typing import NDArray

from measuring.charts import chart
from measuring.lines import Line, times, took
from measuring.personal import (
    TUPLES,
    Dataset,
    P,
    Shown,
    breach_of_each,
    datasets,
    k_anonymous,
    l_diverse,
    loss_of,
    of_recoding,
    personalised,
    scaled,
)
from measuring.querying import QUERIES, errors, workload
from measuring.session import Script
from measuring.timing import best, once
from openveil.core.errors import GuaranteeError
from openveil.core.secret import Secret
from openveil.core.witness import Witness
from openveil.kernels.shown_coarser import show
from openveil.publishers.personalised_even import PersonalisedEven
from openveil.publishers.personalised_plus import PersonalisedPlus
from openveil.requirements.personal_breach import PersonalBreach
from openveil.tools.covering import Show
from openveil.tools.guarded import Guarded
from openveil.tools.refining import Refinement, refined

CHARTS = Path(__file__).resolve().parents[1] / "docs" / "charts"
SHARE_SHOWN = 0.05
# Of either, groups are shown as intervals, so that only the groups differ.
SAFE = (
    *(PersonalisedEven(level=level, show=Show.INTERVALS) for level in (0, 1, 2)),
    *(PersonalisedPlus(level=level, show=Show.INTERVALS) for level in (0, 1, 3)),
)
# Too many curves to tell apart; the lines have their figures.
NOT_DRAWN = frozenset({"personalised-even, level 2", "personalised+, level 1", "personalised+, level 3"})
WEIGHTS = (1, 2, 5, 10, 20, 50, 100)
SIZES = (30_000, 100_000, 300_000, 1_000_000)
GOALS = MappingProxyType({100_000: 2.0, 1_000_000: 60.0})
SAMPLED, SEED = 12, 20060627
NEAR = 1e-9
Lines = Iterator[Line]


@cache
def tables() -> tuple[Dataset, ...]:
    """The four datasets."""
    return datasets()


def breach_case() -> Lines:
    """Who is breached by how much (Figures 6 and 7), and what is lost."""
    for data in tables():
        safe = [_safe(data, publisher) for publisher in SAFE]
        shown = [k_anonymous(data), l_diverse(data), personalised(data), *filter(None, safe)]
        curves = {}
        for each in shown:
            probability = np.sort(breach_of_each(data, each))[::-1]
            if each.name not in NOT_DRAWN:
                curves[each.name] = _thinned(probability[: int(SHARE_SHOWN * len(probability))])
            yield _breached(data, each, probability)
        title = f"{data.name}: the {SHARE_SHOWN:.0%} of tuples that are breached most"
        chart(CHARTS / f"breach-{data.name.lower()}.svg", title, "tuples", "breach probability", curves, float(P))
        yield from _losses(data, shown)
        for publisher, found in zip(SAFE, safe, strict=True):
            if found is None:
                yield Line(data.name, "refused", _named(publisher), "guards do not hold if all tuples are one group")
    yield from _asked_less(tables()[-1])


def _asked_less(data: Dataset) -> Lines:
    """What may be known where persons with three tuples stand in the way of p, if p is twice that."""
    for publisher in SAFE:
        safe = _safe(data, publisher, 2 * P)
        if safe is not None:
            told = (
                f"{len(safe.lowest):,} groups; for comparison, personalised loses {loss_of(data, _greedy(data)):,.0f}"
            )
            yield Line(f"{data.name}, p = {2 * P}", f"{loss_of(data, safe):,.0f}", f"lost by {safe.name}", told)


@cache
def _greedy(data: Dataset) -> Shown:
    return personalised(data, p=2 * P)


def query_case() -> Lines:
    """How wrong COUNT queries are (Figure 8)."""
    for data in tables():
        for share in (0.1, 0.9):
            asked = workload(data, share, SEED)
            case, curve = f"{data.name}, r = {share}", []
            for weight in WEIGHTS:
                found = errors(data, personalised(data, Fraction(weight)), asked)
                curve.append((float(weight), float(found.mean())))
            exact = errors(data, personalised(data, None), asked)
            chart(
                CHARTS / f"queries-{data.name.lower()}-{share}.svg",
                f"{data.name}, {share:.0%} of the queries on income alone",
                "weight of the sensitive column",
                "average relative error",
                {"personalised": curve, "weight infinite": [(x, float(exact.mean())) for x, _ in curve]},
            )
            yield _wrong(case, "personalised, weight 1", errors(data, personalised(data), asked))
            yield _wrong(case, "personalised, weight infinite", exact)
            for publisher in SAFE:
                safe = _safe(data, publisher)
                if safe is not None:
                    yield _wrong(case, safe.name, errors(data, safe, asked))


def speed_case() -> Lines:
    """How fast the greedy search is, and how it grows."""
    for data in tables():
        for name, asked in (("weight 1", Refinement(P)), ("weight infinite", Refinement(P, 1, None))):
            took_part = best(partial(refined, data.public, data.guards, asked), 3)
            found, seconds = took_part.answer, took_part.seconds
            yield Line(
                data.name,
                times(GOALS[TUPLES] / seconds),
                f"goal / search, {name} (1 x or more: reached)",
                f"{took(seconds)}, best of 3; {found.rounds} rounds, {found.tried:,} candidate splits tried, "
                f"{found.tried / seconds:,.0f} a second; {len(found.lowest):,} groups",
            )
    yield from _against_anew(tables()[1])
    yield from _growth()
    yield from _safe_speed()


def _growth() -> Lines:
    before: tuple[int, float] | None = None
    for size in SIZES:
        data = scaled(size)
        timed = best(partial(refined, data.public, data.guards, Refinement(P)), 1 if size > TUPLES else 2)
        found, seconds = timed.answer, timed.seconds
        told = f"{took(seconds)} for {size:,} tuples; {found.tried / seconds:,.0f} candidate splits a second"
        if size in GOALS:
            yield Line("growth", times(GOALS[size] / seconds), "goal / search (1 x or more: reached)", told)
        if before is not None:
            grown = (size * np.log(size)) / (before[0] * np.log(before[0]))
            what = f"time / n log n, from {before[0]:,} to {size:,} tuples (1 x or less: no faster)"
            yield Line("growth", times(seconds / before[1] / grown), what, told)
        before = (size, seconds)


def _against_anew(data: Dataset) -> Lines:
    """The same search, if every candidate were grouped and coarsened anew."""
    timed = best(partial(refined, data.public, data.guards, Refinement(P)), 2)
    found = timed.answer
    rng = np.random.default_rng(SEED)
    parts = np.unique(found.lowest[:, 0])
    seconds = []
    for _ in range(SAMPLED):
        # Any state of the search has some of the parts of the last one.
        kept = np.sort(rng.choice(parts, rng.integers(1, len(parts) + 1), replace=False))
        seconds.append(once(partial(_anew, data, found.lowest, kept)).seconds)
    anew = float(np.mean(seconds[1:])) * found.tried
    how = f"{np.mean(seconds[1:]) * 1000:.3g} ms a candidate, EXTRAPOLATED to {found.tried:,} from {SAMPLED - 1}"
    yield Line(data.name, times(anew / timed.seconds), "every candidate anew, compiled / search", how)


def _anew(data: Dataset, lowest: NDArray[np.int32], kept: NDArray[np.int32]) -> NDArray[np.int32]:
    codes = data.public.codes.astype(np.int64)
    cell = np.searchsorted(kept, codes[:, 0], side="right")
    for a in range(1, codes.shape[1]):
        starts = np.unique(lowest[:, a])
        cell = cell * (len(starts) + 1) + np.searchsorted(starts, codes[:, a], side="right")
    order = np.argsort(cell, kind="stable")
    lows = np.flatnonzero(np.diff(cell[order], prepend=-1))
    highs = np.append(lows[1:], len(order))
    guards, nodes = data.guards, data.guards.nodes
    heads = np.ones(len(order), dtype=np.int32)
    limit = (P.numerator, P.denominator, 1)
    shown: NDArray[np.int32] = show(
        lows, highs, guards.leaf[order], guards.node[order], heads, nodes.parent, nodes.sizes, limit
    )
    return shown


def _safe_speed() -> Lines:
    for size in GOALS:
        data = scaled(size)
        for publisher in SAFE:
            timed = best(partial(_safe, data, publisher), 3)
            how = "groups, values and all; best of 3"
            if timed.answer is not None:
                how = f"{how}; {len(timed.answer.lowest):,} groups"
            yield Line("growth", took(timed.seconds), f"{_named(publisher)}, {size:,} tuples", how)


def _safe(data: Dataset, publisher: Guarded, p: Fraction = P) -> Shown | None:
    """What a publisher that may be known shows, if it does not refuse."""
    witness = Witness(pl.DataFrame({"income": data.guards.leaf}), _guards=data.guards)
    try:
        recoding = publisher.solve(data.public, witness, PersonalBreach(p), Secret(bytes(32)))
    except GuaranteeError:
        return None
    return of_recoding(_named(publisher), recoding, data)


def _named(publisher: Guarded) -> str:
    name = "personalised+" if isinstance(publisher, PersonalisedPlus) else "personalised-even"
    return f"{name}, level {publisher.level}"


def _breached(data: Dataset, shown: Shown, probability: NDArray[np.float64]) -> Line:
    over = int((probability > float(P) + NEAR).sum())
    how = f"greatest breach probability {probability[0]:.4g}, limit {float(P):g}; {len(shown.lowest):,} groups"
    return Line(data.name, f"{over:,}", f"tuples above the limit, {shown.name}", how)


def _losses(data: Dataset, shown: list[Shown]) -> Lines:
    losses = {each.name: loss_of(data, each) for each in shown}
    greedy = losses["personalised"]
    for name, loss in losses.items():
        if name != "personalised":
            how = f"{loss:,.0f} against {greedy:,.0f} of {5 * TUPLES:,} (and {TUPLES:,} for the sensitive values)"
            yield Line(data.name, times(loss / greedy), f"information loss, {name} / personalised", how)


def _wrong(case: str, name: str, found: NDArray[np.float64]) -> Line:
    how = f"standard deviation {found.std():.1%}; {QUERIES:,} queries"
    return Line(case, f"{found.mean():.2%}", f"average error of COUNT, {name}", how)


def _thinned(values: NDArray[np.float64]) -> list[tuple[float, float]]:
    """The points of a curve where it changes."""
    changes = np.flatnonzero(np.abs(np.diff(values)) > NEAR)
    places = np.unique(np.concatenate([[0], changes, changes + 1, [len(values) - 1]]))
    return [(float(place), float(values[place])) for place in places[:: max(len(places) // 600, 1)]]


CASES = MappingProxyType({"breach": breach_case, "queries": query_case, "speed": speed_case})

if __name__ == "__main__":
    sys.exit(Script("personalised", __doc__ or "", "refine", CASES).run())
