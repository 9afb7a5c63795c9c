"""How fast a release is examined: other tables that agree with it, drawn and run again, against runs of the method.

    .venv/bin/python benchmarks/replays.py [method ...] [--rows N] [--replays N]

Claim. Every line is a ratio of two measurements of the same run on the same machine: the whole audit, of which each
replay draws a table, runs the method on it, compares the groups and counts the values, against as many runs of the
method alone. Kernels are compiled before anything is timed. The seconds beside it are of this machine.

The table is Census-Income (KDD): ten quasi-identifiers, age sensitive (91 values), l = 4.

Cost. About half a minute a method.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import polars as pl

from measuring.inputs import SHARED
from measuring.lines import Line, times, took
from measuring.timing import best, once
from openveil.core.registry import Kind, find
from openveil.core.secret import Secret
from openveil.requirements.frequency_l_diversity import FrequencyDiversity
from openveil.workflow.plan import Plan
from openveil.workflow.taking import encode
from openveil.worlds.method import Setting, by_membership, released
from openveil.worlds.sampled import sampled

KNOWN = (
    "education",
    "sex",
    "race",
    "marital_stat",
    "class_of_worker",
    "hispanic_origin",
    "citizenship",
    "weeks_worked_in_year",
    "num_persons_worked_for_employer",
    "family_members_under_18",
)
SENSITIVE, L = "age", 4
METHODS = ("mondrian++", "mondrian", "hilb++r")


def setting_of(name: str, rows: int) -> Setting:
    """The method, ready for the first so many rows of the table."""
    frame = pl.read_parquet(SHARED / "data" / "census_income_kdd.parquet", columns=[*KNOWN, SENSITIVE]).head(rows)
    columns: dict[str, object] = {
        each: {"role": "quasi-identifier", "hierarchy": {"kind": "suppression"}} for each in KNOWN
    }
    plan = Plan.from_dict(
        {
            "columns": {**columns, SENSITIVE: {"role": "sensitive"}},
            "privacy": {"frequency-l-diversity": {"l": L}},
            "method": "mondrian++",
        }
    )
    table = encode(frame, plan)
    part = find(Kind.PUBLISHER, name)
    if part is None:
        raise SystemExit(f"there is no method {name}")
    return Setting.of(part.cls(), table.public, table.frame.select(SENSITIVE), FrequencyDiversity(L))


def lines_of(name: str, rows: int, replays: int) -> Iterator[Line]:
    """What the audit of one method takes, and what comes of it."""
    setting = setting_of(name, rows)
    run = best(lambda: released(setting, Secret.fresh()), 3)
    case = by_membership(setting, run.answer)
    audit = once(lambda: sampled(case, tries=replays, secret=Secret.fresh()))
    sample = audit.answer
    how = f"{took(audit.seconds)} against {took(run.seconds)} a run, {len(case.people):,} rows"
    yield Line(name, times(audit.seconds / (replays * run.seconds)), f"{replays} replays / {replays} runs alone", how)
    undecided = len(sample.undecided) / len(sample.who)
    yield Line(
        name, f"{len(sample.tally.kept):,}", "parts that can be judged by themselves", f"{undecided:.1%} undecided"
    )
    yield Line(name, f"{sample.different} of {replays}", "replays that came out otherwise somewhere")


def main() -> None:
    """Measure and print."""
    given = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    given.add_argument("methods", nargs="*", default=METHODS)
    given.add_argument("--rows", type=int, default=300_000)
    given.add_argument("--replays", type=int, default=20)
    chosen = given.parse_args()
    for name in chosen.methods:
        for line in lines_of(name, chosen.rows, chosen.replays):
            print(line.text())


if __name__ == "__main__":
    main()
