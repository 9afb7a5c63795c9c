"""Replay the algorithm on other tables that agree with the release.

Claim. `replayed` counts how many of a few tables that agree with the release, drawn at random, the algorithm would
have published in other groups. A single one shows that the release is not algorithm-safe; none is no proof, and
stands beside the proof in the docstring of the method, the enumeration in the tests and the record of what it looked
at.

Why it holds. Each table is the original with its sensitive values permuted within the published groups, under a fresh
secret, so its quasi-identifiers and the bag of every group are the same. Compared are the groups before anything is
drawn (`Publisher.settled`), whatever their numbers; what is drawn from them depends on the secret and on bags alone.
Where a cell names several values, one of them is drawn for the other table, and the cells of each group are compared.

Cost. One run of the method without its draws a table, three times at least and twenty at most. A method that never
looks at sensitive values is not run again.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from openveil.core.alternatives import OR
from openveil.core.disclosed import Disclosed, Safety
from openveil.core.errors import GuaranteeError
from openveil.core.finding import Finding, Verdict
from openveil.core.progress import report
from openveil.core.publisher import Publisher
from openveil.core.recoding import Recoding, Replaced, same_groups
from openveil.core.registry import Status
from openveil.core.requirement import Requirement
from openveil.core.secret import Secret
from openveil.core.table import Public
from openveil.core.witness import Labels, Shown, Witness, unlike
from openveil.tools.masked import Masked
from openveil.worlds.shuffling import shuffled_within

REPLAYS = ("replays with other sensitive values that gave other groups", "algorithm")
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
    """How many of a few tables that agree with the release are published in other groups, or not at all."""
    others = 0
    same_worlds = publisher.safety is Safety.SAME_WORLDS
    # Where worlds need not be the same, a few replays say how often they are not.
    times = (times_for(len(public)) if same_worlds else LEAST) if witness.looks else 0
    for number in range(times):
        report("replaying with other sensitive values", number / times)
        others += not _publishes_alike(publisher, public, witness, requirement, recoding)
    refused = same_worlds and status is not Status.KNOWN_UNSAFE
    return told(times, others, Verdict.FAILS if refused else Verdict.INFORMS)


def _publishes_alike(
    publisher: Publisher, public: Public, witness: Witness, requirement: Requirement, recoding: Recoding
) -> bool:
    """Whether another table, drawn at random, is published in the same groups; where cells name several values, in
    the same cells.
    """
    secret = Secret.fresh()
    order = shuffled_within(recoding.group, secret)
    settled = recoding.group if recoding.settled is None else recoding.settled
    if not recoding.coarser or not isinstance(publisher, Masked):
        return _settles_so(publisher, public, witness.rearranged(order), requirement, settled)
    [replaced] = recoding.replaced
    other = Witness(pl.DataFrame([_one_of_each(replaced.shown, secret)])).rearranged(order)
    if not same_groups(publisher.settled(public, other, requirement), settled):
        return False
    again = publisher.shown(settled, other, requirement, secret)
    return _cells(settled, again).equals(_cells(settled, replaced))


def _one_of_each(cells: pl.Series, secret: Secret) -> pl.Series:
    """One of the values that each cell names, at random."""
    named = cells.str.split(OR)
    random = np.frombuffer(secret.stream("values of cells", 8 * len(cells)), dtype=np.uint64)
    place = random % named.list.len().fill_null(1).to_numpy().astype(np.uint64)
    return named.list.get(pl.Series(place.astype(np.int64)))


def _cells(settled: Labels, replaced: Replaced) -> pl.DataFrame:
    """How often each group shows each cell."""
    cells = pl.DataFrame({"group": settled, "cell": replaced.shown})
    return cells.group_by(pl.all()).len().sort(pl.all())


def times_for(rows: int) -> int:
    """How often a table of so many rows is replayed."""
    return min(max(ROWS_AGAIN // max(rows, 1), LEAST), MOST)


def disclosed(
    publisher: Publisher, public: Public, witness: Witness, requirement: Requirement, group: Labels
) -> Disclosed | None:
    """What the method says of its disclosure set to someone who has the published groups and no one's value.

    The values of each group are mixed first, and what is asked must be about published groups: so the answer is one
    that anybody can work out who knows the quasi-identifiers and the release.
    """
    if publisher.safety is Safety.SAME_WORLDS:
        return None
    anybodys = witness.rearranged(shuffled_within(group, Secret.fresh()))
    said = publisher.disclosed(public, anybodys, requirement, group)
    if said is not None and [*unlike(anybodys.looks, Shown.of_groups(group))]:
        return replace(said, holds=False, note="it was not worked out from the published groups alone")
    return said


def _settles_so(
    publisher: Publisher, public: Public, witness: Witness, requirement: Requirement, settled: Labels
) -> bool:
    try:
        return same_groups(publisher.settled(public, witness, requirement), settled)
    except GuaranteeError:
        return False


def told(times: int, others: int, wrong: Verdict) -> Finding:
    """What so many replays say, of which so many gave other groups; that is as bad as `wrong` says."""
    note = f"{times} replays" if times else "the method never looks at sensitive values"
    return Finding(*REPLAYS, others, wrong if others else Verdict.HOLDS, limit=0, note=note)
