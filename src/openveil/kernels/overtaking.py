"""Groups that stand in a line and reach past rows of later groups, as groups do that are taken from heads of queues.

Claim. Rows stand in a line, row i in group `group[i]` with value `values[i]`; only how often each value occurs in a
group is used. Groups are taken in the order of their first rows (`place`); `first`, `last` and `sizes` are told by
place. Group p *reaches past* a row of a later group that stands before its last row. `foreseen` says how many groups
from the first on leave, when they are taken, at least `spread` times the largest count of all that was left before.

`reached_past` lists, for the groups of the first so many places, which rows each reaches past: up to `most` a group,
and -1 in the end where there are more. `joined` gives every place the least place it is connected with by pairs.

Why it holds. A later group with a row before the last row of group p has its first row there too, and so has the
group that comes next in the order of first rows. So one comparison a group says whether it reaches past any row.

Cost. Two passes over the rows; `reached_past` the length of what it looks at; `joined` nearly one step a pair.
"""

from __future__ import annotations

import numpy as np

from openveil.kernels.compiling import compiled


@compiled
def lined_up(group, groups):  # type: ignore[no-untyped-def]
    """The place of each row's group, and the first row, the last row and the size of the group of each place."""
    number = np.full(groups, -1, dtype=np.int32)
    place = np.empty(group.shape[0], dtype=np.int32)
    first = np.empty(groups, dtype=np.int64)
    last = np.empty(groups, dtype=np.int64)
    sizes = np.zeros(groups, dtype=np.int64)
    there = 0
    for i in range(group.shape[0]):
        g = group[i]
        if number[g] < 0:
            number[g] = there
            first[there] = i
            there += 1
        p = number[g]
        place[i] = p
        last[p] = i
        sizes[p] += 1
    return place, first[:there].copy(), last[:there].copy(), sizes[:there].copy()


@compiled
def foreseen(place, sizes, values, domain, spread):  # type: ignore[no-untyped-def]
    """How many groups from the first on were surely taken from the first heads; see the module."""
    rows = place.shape[0]
    at = np.zeros(sizes.shape[0] + 1, dtype=np.int64)
    for p in range(sizes.shape[0]):
        at[p + 1] = at[p] + sizes[p]
    ordered = np.empty(rows, dtype=np.int32)
    free = at.copy()
    counts = np.zeros(domain, dtype=np.int64)
    for i in range(rows):
        ordered[free[place[i]]] = values[i]
        free[place[i]] += 1
        counts[values[i]] += 1
    lengths = np.zeros(rows + 1, dtype=np.int64)
    for count in counts:
        lengths[count] += 1
    largest = counts.max() if domain else 0
    left = rows
    for p in range(sizes.shape[0]):
        if left - sizes[p] < spread * largest:
            return p
        for j in range(at[p], at[p + 1]):
            count = counts[ordered[j]]
            lengths[count] -= 1
            lengths[count - 1] += 1
            counts[ordered[j]] -= 1
        while largest and lengths[largest] == 0:
            largest -= 1
        left -= sizes[p]
    return sizes.shape[0]


@compiled
def reached_past(place, first, last, until, most):  # type: ignore[no-untyped-def]
    """Pairs of a place and a row its group reaches past; the row is -1 where there are more than `most`."""
    pairs = np.empty((1024, 2), dtype=np.int64)
    number = 0
    for p in range(until):
        found = 0
        for i in range(first[p], last[p]):
            if place[i] <= p:
                continue
            if number + 1 >= pairs.shape[0]:
                longer = np.empty((2 * pairs.shape[0], 2), dtype=np.int64)
                longer[:number] = pairs[:number]
                pairs = longer
            pairs[number, 0] = p
            pairs[number, 1] = i if found < most else -1
            number += 1
            found += 1
            if found > most:
                break
    return pairs[:number].copy()


@compiled
def joined(above, below, places):  # type: ignore[no-untyped-def]
    """For each place the least of those it is connected with, when `above[j]` and `below[j]` are, for all j."""
    root = np.arange(places)
    for j in range(above.shape[0]):
        a, b = above[j], below[j]
        while root[a] != a:
            root[a] = root[root[a]]
            a = root[a]
        while root[b] != b:
            root[b] = root[root[b]]
            b = root[b]
        root[max(a, b)] = min(a, b)
    for p in range(places):
        root[p] = root[root[p]]
    return root
