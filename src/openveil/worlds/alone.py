"""The worlds of single groups, everyone else's value being known.

Claim. `one_by_one` goes through the tables that differ from the true one in a single group, group after group. What
it finds is what someone learns from the algorithm who knows the values of everyone outside that group. It is never
less than the truth about such a person, and says nothing of someone who knows less; but where any group's tables are
not equally likely, the two worlds of the whole release differ.

Why it holds. It is `exact` for one group. A group has few arrangements whatever the size of the table, so the true
one is always among few, and something is always kept.

Cost. As many runs of the algorithm as the groups that are asked about have arrangements; groups are taken at random
until `runs` are used up.
"""

from __future__ import annotations

import numpy as np

from openveil.core.secret import Secret
from openveil.worlds.algorithm import Case
from openveil.worlds.exact import Bound, Worlds, exact
from openveil.worlds.knowledge import NOTHING_MORE, Knowledge
from openveil.worlds.seen import TooManyError


def one_by_one(
    case: Case, knowledge: Knowledge = NOTHING_MORE, *, runs: int, secret: Secret | None = None
) -> tuple[Worlds, ...]:
    """Both worlds of each group that could be asked about; groups with more tables than runs are left are passed."""
    known = case.seen.certain()
    if known is None:
        return ()
    asked = Case(case.people, known, case.algorithm)
    groups = np.unique(known.group[known.group >= 0])
    found, left = [], runs // case.algorithm.runs
    for place in (secret or Secret.fresh()).permutation("groups", len(groups)).tolist():
        if left < 2:
            break
        try:
            worlds = exact(asked, knowledge, groups=[int(groups[place])], bound=Bound(left * case.algorithm.runs))
        except TooManyError:
            continue
        found.append(worlds)
        left -= len(worlds.naive)
    return tuple(found)
