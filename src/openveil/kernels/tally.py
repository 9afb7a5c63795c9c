"""Count sensitive values group by group.

Claim. `tally` is given for every item a group (negative: none), a value below `domain` and how often it counts
(once each where `weights` is empty). It returns for every group its distinct values in ascending order and how
often each occurs: `values[starts[g]:starts[g + 1]]` and `counts` beside them.

Why it holds. Where there are no more groups and values than items, each value of each group has a counter.
Otherwise values are laid out group by group by a counting sort; one array of `domain` counters is filled for a group
and emptied of just what was filled.

Cost. One pass over the items, or two. Values of a group are put in order by a scan of the counters where the group
has many distinct ones, otherwise by a sort of those it has.
"""

from __future__ import annotations

import numpy as np

from openveil.kernels.compiling import compiled

_SCAN = 8
_FEW = 1 << 12


@compiled
def _starts(label, groups):  # type: ignore[no-untyped-def]
    """Where the items of each group start when they stand one group after the other, and where the last end."""
    starts = np.zeros(groups + 1, dtype=np.int64)
    for i in range(label.shape[0]):
        if label[i] >= 0:
            starts[label[i] + 1] += 1
    for g in range(groups):
        starts[g + 1] += starts[g]
    return starts


@compiled
def laid_out(label, groups):  # type: ignore[no-untyped-def]
    """The items of each group, one group after the other, and where each group starts."""
    starts = _starts(label, groups)
    items = np.empty(starts[groups], dtype=np.int32)
    place = starts[:-1].copy()
    for i in range(label.shape[0]):
        g = label[i]
        if g >= 0:
            items[place[g]] = i
            place[g] += 1
    return items, starts


@compiled
def _all_counted(label, values, weights, groups, domain):  # type: ignore[no-untyped-def]
    """How often each group has each value, one group after the other."""
    counters = np.zeros(groups * domain, dtype=np.int64)
    for i in range(label.shape[0]):
        if label[i] >= 0:
            counters[label[i] * domain + values[i]] += weights[i] if weights.shape[0] else 1
    return counters


@compiled
def _told(counters, groups, domain):  # type: ignore[no-untyped-def]
    """The bags, from a counter for each value of each group."""
    starts = np.zeros(groups + 1, dtype=np.int64)
    there = (counters > 0).sum()
    found, counts = np.empty(there, dtype=np.int32), np.empty(there, dtype=np.int64)
    total = 0
    for g in range(groups):
        for value in range(domain):
            count = counters[g * domain + value]
            if count:
                found[total], counts[total] = value, count
                total += 1
        starts[g + 1] = total
    return starts, found, counts


@compiled
def _values_laid_out(label, values, weights, groups):  # type: ignore[no-untyped-def]
    """The values of each group and what they weigh, one group after the other, and where each group starts."""
    starts = _starts(label, groups)
    there = np.empty(starts[groups], dtype=np.int32)
    heavy = np.empty(there.shape[0] if weights.shape[0] else 0, dtype=np.int64)
    place = starts[:-1].copy()
    for i in range(label.shape[0]):
        g = label[i]
        if g >= 0:
            there[place[g]] = values[i]
            if weights.shape[0]:
                heavy[place[g]] = weights[i]
            place[g] += 1
    return there, heavy, starts


@compiled
def _one_by_one(label, values, weights, groups, domain):  # type: ignore[no-untyped-def]
    """The bags, made group by group."""
    there, heavy, at = _values_laid_out(label, values, weights, groups)
    counters = np.zeros(domain, dtype=np.int64)
    touched = np.empty(domain, dtype=np.int32)
    starts = np.zeros(groups + 1, dtype=np.int64)
    found = np.empty(there.shape[0], dtype=np.int32)
    counts = np.empty(there.shape[0], dtype=np.int64)
    total = 0
    for g in range(groups):
        number = 0
        for i in range(at[g], at[g + 1]):
            value = there[i]
            if counters[value] == 0:
                touched[number] = value
                number += 1
            counters[value] += heavy[i] if heavy.shape[0] else 1
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


@compiled
def tally(label, values, weights, groups, domain):  # type: ignore[no-untyped-def]
    """The bag of values of each group, as starts, values and counts."""
    if groups * domain <= _FEW + label.shape[0]:
        return _told(_all_counted(label, values, weights, groups, domain), groups, domain)
    return _one_by_one(label, values, weights, groups, domain)
