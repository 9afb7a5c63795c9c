"""What even cuts save: groups, information loss and time against the other methods of the family.

    .venv/bin/python benchmarks/even_cuts.py [case ...] [--markdown]

Claim. Every line is a ratio of two measurements of the same run. Loss is that of `utility/information_loss.py`, with
every group shown as intervals of the axes: the share that is lost of what quasi-identifiers say. Methods that draw
are run with one fixed secret for it. Times are the best of several warm runs.

Cost. All cases together take about a minute.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import cast

import polars as pl

from measuring.inputs import SHARED
from measuring.lines import Line, times, took
from measuring.people import L, People, flat, workers
from measuring.session import Script
from measuring.timing import best
from openveil.core.errors import GuaranteeError
from openveil.core.parameters import built
from openveil.core.publisher import Publisher
from openveil.core.recoding import Recoding
from openveil.core.registry import Kind, discover
from openveil.core.requirement import Requirement
from openveil.core.secret import Secret
from openveil.core.table import Public
from openveil.core.witness import Witness
from openveil.requirements.frequency_l_diversity import FrequencyDiversity
from openveil.utility.information_loss import SHARE, InformationLoss
from openveil.workflow.plan import Plan
from openveil.workflow.taking import encode

METHODS = ("mondrian", "mondrian+", "exclusive", "mondrian-even", "mondrian-even++")
PEER = "mondrian++"
QUASI = ("age", "sex", "race", "marital-status", "education", "native-country")
UNSAFE = " (unsafe)"
PARTS = {part.name: part for part in discover(Kind.PUBLISHER)}
Lines = Iterator[Line]


def adult_case() -> Lines:
    """Adult, 45,222 rows, occupation sensitive, l = 2, 3 and 4."""
    public, sensitive = _adult()
    for spread in (2, 3, 4):
        yield from _compared(f"adult, l = {spread}", public, sensitive, FrequencyDiversity(spread))


def workers_case() -> Lines:
    """Those of the census who have an occupation."""
    yield from _of_people("workers", workers())


def flat_case() -> Lines:
    """The whole census with occupations drawn evenly."""
    yield from _of_people("flat", flat())


CASES: dict[str, Callable[[], Lines]] = {"adult": adult_case, "workers": workers_case, "flat": flat_case}


def _of_people(case: str, people: People) -> Lines:
    yield from _compared(case, people.public, people.sensitive, FrequencyDiversity(L))


def _adult() -> tuple[Public, pl.DataFrame]:
    frame = pl.read_parquet(SHARED / "data" / "adult_45222.parquet").select(*QUASI, "occupation")
    columns = {name: {"role": "quasi-identifier", "hierarchy": {"kind": "suppression"}} for name in QUASI}
    privacy = {"frequency-l-diversity": {"l": 2}}
    plan = Plan.from_dict({"columns": {**columns, "occupation": {"role": "sensitive"}}, "privacy": privacy})
    return encode(frame, plan).public, frame.select("occupation")


def _compared(case: str, public: Public, sensitive: pl.DataFrame, requirement: Requirement) -> Lines:
    """Every method against the peer: a ratio below 1 loses less."""
    peer = _solved(PEER, public, sensitive, requirement, Secret(bytes(32)))
    lost, seconds = _loss(public, peer), _seconds(PEER, public, sensitive, requirement)
    for name in METHODS:
        try:
            found = _solved(name, public, sensitive, requirement, Secret(bytes(32)))
        except GuaranteeError:
            yield Line(case, "-", f"loss of {name} / of {PEER}", "publishes nothing")
            continue
        spent, loss = _seconds(name, public, sensitive, requirement), _loss(public, found)
        how = (
            f"loses {loss:.4f} against {lost:.4f}, {len(found.cells):,} groups against {len(peer.cells):,}; "
            f"{took(spent)}, {times(spent / seconds)} the time, {len(public):,} rows"
        )
        mark = UNSAFE if PARTS[name].status == "known unsafe" else ""
        yield Line(case, times(loss / lost), f"loss of {name}{mark} / of {PEER}", how)


def _solved(name: str, public: Public, sensitive: pl.DataFrame, requirement: Requirement, secret: Secret) -> Recoding:
    publisher = cast("Publisher", built(PARTS[name], {"show": "intervals"}))
    return publisher.solve(public, Witness(sensitive), requirement, secret)


def _seconds(name: str, public: Public, sensitive: pl.DataFrame, requirement: Requirement) -> float:
    return best(lambda: _solved(name, public, sensitive, requirement, Secret.fresh()), 3).seconds


def _loss(public: Public, recoding: Recoding) -> float:
    """The share that is lost; prices are those of the axes."""
    alike = replace(public, weights=(Fraction(1),) * len(public.weights))
    found = InformationLoss().measure(alike, recoding)
    return float(next(each.value for each in found if (each.name, each.on) == SHARE))


if __name__ == "__main__":
    sys.exit(Script("even cuts", __doc__ or "", "solve", CASES).run())
