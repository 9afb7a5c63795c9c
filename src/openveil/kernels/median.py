"""Cut groups of rows at the median of one attribute, reading quasi-identifiers alone.

Claim. Rows stand group by group: group g is `codes[lows[g]:highs[g]]`, with the number of the original row beside it
in `order`. `choose` finds for each group the first admissible cut of the attributes that come, from the widest to the
narrowest (ties: the lowest index), at the places `first <= place < last`: the rows of at most the median value
against the others or, where this is not admissible, the rows below it against the others. A cut is admissible when
both sides have at least `least[g]` rows and at least `least_persons` persons. `divide` moves the rows of each group
so that its two sides stand one after the other, in their old order.

Why it holds. The median is the value at position ceil(size / 2) of the sorted group, found by counting codes where
their range is small against the group, otherwise by partial sorting. Persons are counted by stamping each with the
side that saw it last.

Cost. One pass over the rows for the ranges, one for each attribute tried, one to move them.
"""

from __future__ import annotations

import numpy as np

from openveil.kernels.compiling import compiled

_DENSE = 4
_DENSE_LEAST = 64


@compiled
def _median(codes, lowest, highest):  # type: ignore[no-untyped-def]
    """The code at position ceil(size / 2) of the sorted column."""
    size = codes.shape[0]
    width = np.int64(highest) - np.int64(lowest) + 1
    half = (size + 1) // 2
    if width <= _DENSE * size + _DENSE_LEAST:
        counts = np.zeros(width, dtype=np.int32)
        for code in codes:
            counts[np.int64(code) - np.int64(lowest)] += 1
        passed = 0
        for step in range(width):
            passed += counts[step]
            if passed >= half:
                return np.int64(lowest) + step
    return np.int64(np.partition(codes, half - 1)[half - 1])


@compiled
def _ranges(codes, lowest, highest):  # type: ignore[no-untyped-def]
    """The least and the greatest code of each attribute."""
    for a in range(codes.shape[1]):
        lowest[a] = codes[0, a]
        highest[a] = codes[0, a]
    for i in range(1, codes.shape[0]):
        for a in range(codes.shape[1]):
            code = codes[i, a]
            if code < lowest[a]:
                lowest[a] = code
            elif code > highest[a]:
                highest[a] = code


@compiled
def _persons_on_sides(column, middle, order, persons, seen, stamp):  # type: ignore[no-untyped-def]
    """How many persons have a row on each side; `stamp` and `stamp + 1` were never used before."""
    left, right = 0, 0
    for i in range(column.shape[0]):
        if column[i] <= middle and seen[persons[order[i]]] != stamp:
            seen[persons[order[i]]] = stamp
            left += 1
    for i in range(column.shape[0]):
        if column[i] > middle and seen[persons[order[i]]] != stamp + 1:
            seen[persons[order[i]]] = stamp + 1
            right += 1
    return left, right


@compiled
def _by_width(lowest, highest, places, offsets):  # type: ignore[no-untyped-def]
    """The attributes from the widest to the narrowest; of equals the first comes first."""
    widths = np.empty(lowest.shape[0], dtype=np.float64)
    for a in range(lowest.shape[0]):
        widths[a] = places[offsets[a] + lowest[a]] - places[offsets[a] + highest[a]]
    return np.argsort(widths, kind="mergesort")


@compiled
def _sides(column, median):  # type: ignore[no-untyped-def]
    """How many rows lie below the median, and how many at most at it."""
    below, up_to = 0, 0
    for code in column:
        below += code < median
        up_to += code <= median
    return below, up_to


@compiled
def _middle(column, median, least, order, least_persons, persons, seen, stamp):  # type: ignore[no-untyped-def]
    """The greatest code of the lower side of the admissible cut, or -1; and a stamp that was never used."""
    below, up_to = _sides(column, median)
    for lower in range(2):
        left = below if lower else up_to
        if min(left, column.shape[0] - left) < least:
            continue
        if least_persons > 1 and persons.shape[0]:
            sides = _persons_on_sides(column, median - lower, order, persons, seen, stamp)
            stamp += 2
            if min(sides[0], sides[1]) < least_persons:
                continue
        return median - lower, stamp
    return np.int64(-1), stamp


@compiled
def choose(codes, order, lows, highs, least, least_persons, places, offsets, persons, first, last):  # type: ignore[no-untyped-def]
    """For each group the attribute to cut (-1: none) and the greatest code of the lower side."""
    groups, attributes = lows.shape[0], codes.shape[1]
    chosen = np.full(groups, -1, dtype=np.int32)
    middle = np.zeros(groups, dtype=np.int64)
    lowest = np.empty(attributes, dtype=np.int64)
    highest = np.empty(attributes, dtype=np.int64)
    seen = np.full(persons.max() + 1 if persons.shape[0] else 0, -1, dtype=np.int64)
    stamp = 0
    for g in range(groups):
        low, high, enough = lows[g], highs[g], max(least[g], 1)
        if high - low < 2 * enough:
            continue
        _ranges(codes[low:high], lowest, highest)
        ranked = _by_width(lowest, highest, places, offsets)
        for a in ranked[first:last]:
            if lowest[a] == highest[a]:
                continue
            column = codes[low:high, a].copy()
            median = _median(column, lowest[a], highest[a])
            here, stamp = _middle(column, median, enough, order[low:high], least_persons, persons, seen, stamp)
            if here >= 0:
                chosen[g], middle[g] = a, here
                break
    return chosen, middle


@compiled
def _moved(codes, order, attribute, middle, spare_codes, spare_order):  # type: ignore[no-untyped-def]
    """Put the rows of the lower side first; how many they are."""
    put, kept, attributes = 0, 0, codes.shape[1]
    for i in range(order.shape[0]):
        if codes[i, attribute] <= middle:
            for a in range(attributes):
                codes[put, a] = codes[i, a]
            order[put] = order[i]
            put += 1
        else:
            for a in range(attributes):
                spare_codes[kept, a] = codes[i, a]
            spare_order[kept] = order[i]
            kept += 1
    codes[put:] = spare_codes[:kept]
    order[put:] = spare_order[:kept]
    return put


@compiled
def divide(codes, order, lows, highs, chosen, middle):  # type: ignore[no-untyped-def]
    """Move the rows of each group that is cut; where its upper side starts (the end of a group that is not cut)."""
    cuts = highs.copy()
    done = np.flatnonzero(chosen >= 0)
    widest = 0
    for g in done:
        widest = max(widest, highs[g] - lows[g])
    spare_codes = np.empty((widest, codes.shape[1]), dtype=codes.dtype)
    spare_order = np.empty(widest, dtype=order.dtype)
    for g in done:
        here = slice(lows[g], highs[g])
        cuts[g] = lows[g] + _moved(codes[here], order[here], chosen[g], middle[g], spare_codes, spare_order)
    return cuts
