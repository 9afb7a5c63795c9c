"""Plan groups of values, as many of them from one half of a set of rows as from the other.

Claim. For each pair of halves of k rows, given how often each value occurs in either, `plan` makes k // side groups
of `side` values from each half, the first of them with one more from each where side does not divide k; no value is
in a group more often than `most`. Every row is in one of them. Where there is no such plan, or none is found, all its
groups are -1. The plan follows from the two bags and from which of the halves comes first.

Why it holds. A value that may be in a group several times is taken for as many values, each of a share of its rows.
Where no value has more rows than there are groups to make, and side divides k, there is a plan: it is an edge
colouring of the graph that joins values with halves, in which every colour has its share of the edges at each vertex
(de Werra, Equitable colorations of graphs, 1971). A group takes the values with most rows left, of which at most
`side` may occur in one half alone. That takes every value that has as many rows left as there are groups, so that
what is left has a plan again.

Cost. One pass over the values with most rows for a group, and a binary search for a row.
"""

from __future__ import annotations

import numpy as np

from openveil.kernels.compiling import compiled


@compiled
def _merged(starts, values, counts, pair):  # type: ignore[no-untyped-def]
    """The entries of both halves of a pair: the value, and how often it occurs in the first and in the second."""
    low, middle, high = starts[2 * pair], starts[2 * pair + 1], starts[2 * pair + 2]
    value = np.empty(high - low, dtype=np.int32)
    rows = np.zeros((high - low, 2), dtype=np.int64)
    i, j, found = low, middle, 0
    while i < middle or j < high:
        first = j == high or (i < middle and values[i] <= values[j])
        second = i == middle or (j < high and values[j] <= values[i])
        value[found] = values[i] if first else values[j]
        if first:
            rows[found, 0] = counts[i]
            i += 1
        if second:
            rows[found, 1] = counts[j]
            j += 1
        found += 1
    return value[:found], rows[:found]


@compiled
def _split(value, rows, most):  # type: ignore[no-untyped-def]
    """The same, where every value is taken for `most` values, with rows as even as can be."""
    several = np.repeat(value, most)
    shares = np.empty((len(several), 2), dtype=np.int64)
    for i in range(len(several)):
        which, copy = i // most, i % most
        for half in range(2):
            turn = copy if half == 0 else most - 1 - copy
            shares[i, half] = rows[which, half] // most + (turn < rows[which, half] % most)
    return several, shares


@compiled
def _picked(order, rows, side, picked):  # type: ignore[no-untyped-def]
    """Pick the values with most rows left, `side` for each half; how many are picked."""
    number, alone_first, alone_second = 0, 0, 0
    for place in range(len(order)):
        first, second = rows[order[place], 0], rows[order[place], 1]
        if number == 2 * side or first + second == 0:
            break
        if second == 0:
            if alone_first == side:
                continue
            alone_first += 1
        elif first == 0:
            if alone_second == side:
                continue
            alone_second += 1
        picked[number] = place
        number += 1
    return number


@compiled
def _shared_out(order, rows, side, picked, halves):  # type: ignore[no-untyped-def]
    """Say of each picked value which half it is taken from."""
    room_first, room_second = side, side
    for each in range(2 * side):
        i = order[picked[each]]
        if rows[i, 1] == 0:
            halves[each] = 0
            room_first -= 1
        elif rows[i, 0] == 0:
            halves[each] = 1
            room_second -= 1
    for each in range(2 * side):
        i = order[picked[each]]
        if rows[i, 0] and rows[i, 1]:
            second = room_first == 0 or (room_second > 0 and rows[i, 1] > rows[i, 0])
            halves[each] = second
            room_first -= not second
            room_second -= second


@compiled
def _fewer(order, left, picked, number):  # type: ignore[no-untyped-def]
    """One row less of each picked value, with the values still in the order of how many rows are left."""
    for each in range(number - 1, -1, -1):
        place = picked[each]
        rows = left[order[place]]
        low, high = place, len(order) - 1
        while low < high:
            middle = (low + high + 1) // 2
            if left[order[middle]] == rows:
                low = middle
            else:
                high = middle - 1
        order[place], order[low] = order[low], order[place]
        left[order[low]] -= 1


@compiled
def _planned(value, rows, side, most, out):  # type: ignore[no-untyped-def]
    """Write half, value and group of every row of a pair to `out`; how many groups there are, 0 without a plan."""
    k = rows[:, 0].sum()
    groups = k // side
    wider = k - groups * side
    value, rows = _split(value, rows, most)
    left = rows[:, 0] + rows[:, 1]
    if groups == 0 or wider > groups or left.max() > groups:
        return 0
    order = np.argsort(-left, kind="mergesort")
    picked = np.empty(2 * side + 2, dtype=np.int64)
    halves = np.empty(2 * side + 2, dtype=np.int64)
    put = 0
    for group in range(groups):
        here = side + (group < wider)
        if _picked(order, rows, here, picked) < 2 * here:
            return 0
        _shared_out(order, rows, here, picked, halves)
        for each in range(2 * here):
            i = order[picked[each]]
            rows[i, halves[each]] -= 1
            out[put, 0], out[put, 1], out[put, 2] = halves[each], value[i], group
            put += 1
        _fewer(order, left, picked, 2 * here)
    return groups


@compiled
def plan(starts, values, counts, second_first, side, most):  # type: ignore[no-untyped-def]
    """The half, the value and the group of every row, pair after pair; groups are numbered through.

    `second_first` says of which pairs the second half is to be taken for the first.
    """
    total, put, made = counts.sum(), 0, 0
    half = np.empty(total, dtype=np.int32)
    chosen = np.empty(total, dtype=np.int32)
    group = np.full(total, -1, dtype=np.int32)
    out = np.empty((total, 3), dtype=np.int64)
    for pair in range((len(starts) - 1) // 2):
        value, rows = _merged(starts, values, counts, pair)
        if second_first[pair]:
            rows = rows[:, ::-1].copy()
        size = rows.sum()
        groups = _planned(value, rows.copy(), side, most, out)
        for i in range(size if groups else 0):
            half[put + i] = 2 * pair + (out[i, 0] != second_first[pair])
            chosen[put + i], group[put + i] = out[i, 1], made + out[i, 2]
        for i in range(0 if groups else size):
            half[put + i], chosen[put + i] = 2 * pair, 0
        put, made = put + size, made + groups
    return half, chosen, group
