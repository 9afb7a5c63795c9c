"""Replay the algorithm on other tables that agree with the release.

Claim. `replayed` counts how many of a few tables that agree with the release, drawn at random, the algorithm would
have published in other groups. A single one shows that the release is not algorithm-safe; none is no proof, and
stands beside the proof in the docstring of the method, the enumeration in the tests and the record of what it looked
at.

Why it holds. Each table is the original with its sensitive values permuted within the published groups, under a fresh
secret, so its quasi-identifiers and the bag of every group are the same. Compared are the groups before anything is
drawn (`Publisher.settled`), whatever their numbers; what is drawn from them depends on the secret and on bags alone.

Cost. One run of the method without its draws a table, three times at least and twenty at most. A method that never
looks at sensitive values is not run again.
"""

from __future__ import annotations

from openveil.core.finding import Finding, Verdict
from openveil.core.progress import report
from openveil.core.publisher import Publisher
from openveil.core.recoding import Recoding, same_groups
from openveil.core.registry import Status
from openveil.core.requirement import Requirement
from openveil.core.secret import Secret
from openveil.core.table import Public
from openveil.core.witness import Witness
from openveil.worlds.shuffling import shuffled_within

REPLAYS = "replays with other sensitive values that gave other groups"
# A release is replayed until a million rows were looked at again, but at least and at most so often.
ROWS_AGAIN, LEAST, MOST = 1_000_000, 3, 20


def replayed(
    publisher: Publisher,
    public: Public,
    witness: Witness,
    requirement: Requirement,
    recoding: Recoding,
    status: Status,
) -> Finding:
    """How many of a few tables that agree with the release are published in other groups."""
    settled = recoding.group if recoding.settled is None else recoding.settled
    others = 0
    times = times_for(len(public)) if witness.looks else 0
    for number in range(times):
        report("replaying with other sensitive values", number / times)
        other = witness.rearranged(shuffled_within(recoding.group, Secret.fresh(), "replay"))
        others += not same_groups(publisher.settled(public, other, requirement), settled)
    return told(times, others, status)


def times_for(rows: int) -> int:
    """How often a table of so many rows is replayed."""
    return min(max(ROWS_AGAIN // max(rows, 1), LEAST), MOST)


def told(times: int, others: int, status: Status) -> Finding:
    """What so many replays, of which so many gave other groups, say of a method of which this is known."""
    wrong = Verdict.INFORMS if status is Status.KNOWN_UNSAFE else Verdict.FAILS
    note = f"{times} replays" if times else "the method never looks at sensitive values"
    return Finding(REPLAYS, "algorithm", others, wrong if others else Verdict.HOLDS, limit=0, note=note)
