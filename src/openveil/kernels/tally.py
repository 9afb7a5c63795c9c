"""Count sensitive values group by group.

Claim. `tally` is given for every item a group (negative: none), a value below `domain` and how often it counts
(once each where `weights` is empty). It returns for every group its distinct values in ascending order and how
often each occurs: `values[starts[g]:starts[g + 1]]` and `counts` beside them.

Why it holds. Items are laid out group by group by a counting sort; one array of `domain` counters is filled for a
group and emptied of just what was filled.

Cost. Two passes over the items. Values of a group are put in order by a scan of the counters where the group has
many distinct ones, otherwise by a sort of those it has.
"""

from __future__ import annotations

import numpy as np

from openveil.kernels.compiling import compiled

_SCAN = 8


@compiled
def laid_out(label, groups):  # type: ignore[no-untyped-def]
    """The items of each group, one group after the other, and where each group starts."""
    starts = np.zeros(groups + 1, dtype=np.int64)
    for i in range(label.shape[0]):
        if label[i] >= 0:
            starts[label[i] + 1] += 1
    for g in range(groups):
        starts[g + 1] += starts[g]
    items = np.empty(starts[groups], dtype=np.int32)
    place = starts[:-1].copy()
    for i in range(label.shape[0]):
        g = label[i]
        if g >= 0:
            items[place[g]] = i
            place[g] += 1
    return items, starts


@compiled
def tally(label, values, weights, groups, domain):  # type: ignore[no-untyped-def]
    """The bag of values of each group, as starts, values and counts."""
    items, at = laid_out(label, groups)
    counters = np.zeros(domain, dtype=np.int64)
    touched = np.empty(domain, dtype=np.int32)
    starts = np.zeros(groups + 1, dtype=np.int64)
    found = np.empty(items.shape[0], dtype=np.int32)
    counts = np.empty(items.shape[0], dtype=np.int64)
    total = 0
    for g in range(groups):
        number = 0
        for i in items[at[g] : at[g + 1]]:
            value = values[i]
            if counters[value] == 0:
                touched[number] = value
                number += 1
            counters[value] += weights[i] if weights.shape[0] else 1
        if number * _SCAN > domain:
            for value in range(domain):
                if counters[value]:
                    found[total] = value
                    counts[total] = counters[value]
                    counters[value] = 0
                    total += 1
        else:
            here = touched[:number]
            here.sort()
            for value in here:
                found[total] = value
                counts[total] = counters[value]
                counters[value] = 0
                total += 1
        starts[g + 1] = total
    return starts, found[:total].copy(), counts[:total].copy()
