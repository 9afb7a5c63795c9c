"""Runs of the values of an ordered axis, in each of several sets of rows: how often, and whose.

Claim. `starts[s, v]` says that in set s a run of values starts at v; the first of them starts one. `tally_runs`
counts the rows of each set in each of its runs, at the place where the run starts. `runs_of_rows` says where the run
that a row's value lies in starts and ends. Rows of no set (negative) are passed over.

`halved` and `opened` say which runs may be parted, given the counts alone and for each set its rows. `halved` parts
a run of w values and c rows in the middle, if `m * c` is at most the rows of the set times the values of the smaller
half. `opened` parts runs into single values, in their order: every row of a run that stays together costs one, as
does m times every row of a listed value that stands alone; a run is parted if, should all its rows have the listed
value, the costs would still be at most the rows of the set. Of what is parted nothing is read here.

Cost. One pass over the rows, each with one step back for every value of its run; one pass over sets and values.
"""

from __future__ import annotations

import numpy as np

from openveil.kernels.compiling import compiled


@compiled
def tally_runs(label, codes, starts):  # type: ignore[no-untyped-def]
    """How many rows each run of each set has."""
    counts = np.zeros(starts.shape, dtype=np.int64)
    for i in range(label.shape[0]):
        if label[i] >= 0:
            place = codes[i]
            while not starts[label[i], place]:
                place -= 1
            counts[label[i], place] += 1
    return counts


@compiled
def runs_of_rows(label, codes, starts):  # type: ignore[no-untyped-def]
    """The first and the last value of each row's run; -1 for rows of no set."""
    lower = np.full(label.shape[0], -1, dtype=np.int32)
    upper = np.full(label.shape[0], -1, dtype=np.int32)
    for i in range(label.shape[0]):
        if label[i] >= 0:
            mine = starts[label[i]]
            lower[i] = upper[i] = codes[i]
            while not mine[lower[i]]:
                lower[i] -= 1
            while upper[i] + 1 < mine.shape[0] and not mine[upper[i] + 1]:
                upper[i] += 1
    return lower, upper


@compiled
def _end(starts, low):  # type: ignore[no-untyped-def]
    """One more than the last value of the run that starts at `low`."""
    high = low + 1
    while high < starts.shape[0] and not starts[high]:
        high += 1
    return high


@compiled
def halved(counts, starts, m):  # type: ignore[no-untyped-def]
    """The runs, each parted in the middle where that is allowed."""
    finer = starts.copy()
    for g in range(starts.shape[0]):
        rows = counts[g].sum()
        low = 0
        while low < starts.shape[1]:
            high = _end(starts[g], low)
            half = (high - low) // 2
            if half and m * counts[g, low] <= rows * half:
                finer[g, low + half] = True
            low = high
    return finer


@compiled
def _cost(counts, starts, listed, m):  # type: ignore[no-untyped-def]
    """What the runs that are read cost."""
    cost = 0
    for low in range(starts.shape[0]):
        if starts[low]:
            if _end(starts, low) > low + 1:
                cost += counts[low]
            elif listed[low]:
                cost += m * counts[low]
    return cost


@compiled
def opened(counts, starts, listed, m):  # type: ignore[no-untyped-def]
    """The runs, some of those with several values parted into single ones, in their order, where that is allowed."""
    finer = starts.copy()
    for g in range(starts.shape[0]):
        rows = counts[g].sum()
        cost = _cost(counts[g], starts[g], listed, m)
        low = 0
        while low < starts.shape[1]:
            high = _end(starts[g], low)
            if high > low + 1 and cost + (m - 1) * counts[g, low] <= rows:
                cost += (m - 1) * counts[g, low]
                finer[g, low:high] = True
            low = high
    return finer
