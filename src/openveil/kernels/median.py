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
def _counted(codes, attribute, counts, lowest):  # type: ignore[no-untyped-def]
    """The code at position ceil(size / 2) of the sorted column; how many rows lie below it, and how many up to it."""
    for i in range(codes.shape[0]):
        counts[np.int64(codes[i, attribute]) - lowest] += 1
    half = (codes.shape[0] + 1) // 2
    step, below, up_to = 0, np.int64(0), np.int64(counts[0])
    while up_to < half:
        step += 1
        below = up_to
        up_to += counts[step]
    return lowest + step, below, up_to


@compiled
def _sorted_out(column):  # type: ignore[no-untyped-def]
    """The same, of a column whose codes are too far apart to be counted."""
    half = (column.shape[0] + 1) // 2
    median = np.int64(np.partition(column, half - 1)[half - 1])
    below, up_to = 0, 0
    for code in column:
        below += code < median
        up_to += code <= median
    return median, below, up_to


@compiled
def _median(codes, attribute, lowest, highest):  # type: ignore[no-untyped-def]
    """The median of an attribute; how many rows lie below it, and how many at most at it."""
    width = highest - lowest + 1
    if width > _DENSE * codes.shape[0] + _DENSE_LEAST:
        return _sorted_out(codes[:, attribute].copy())
    return _counted(codes, attribute, np.zeros(width, dtype=np.int32), lowest)


@compiled
def ranges(codes, lowest, highest):  # type: ignore[no-untyped-def]
    """The least and the greatest code of each attribute."""
    for a in range(codes.shape[1]):
        low, high = codes[0, a], codes[0, a]
        for i in range(1, codes.shape[0]):
            low = min(low, codes[i, a])
            high = max(high, codes[i, a])
        lowest[a], highest[a] = low, high


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
def by_width(lowest, highest, places, offsets):  # type: ignore[no-untyped-def]
    """The attributes from the widest to the narrowest; of equals the first comes first."""
    widths = np.empty(lowest.shape[0], dtype=np.float64)
    for a in range(lowest.shape[0]):
        widths[a] = places[offsets[a] + lowest[a]] - places[offsets[a] + highest[a]]
    return np.argsort(widths, kind="mergesort")


@compiled
def _middle(codes, attribute, median, least, order, least_persons, persons, seen, stamp):  # type: ignore[no-untyped-def]
    """The greatest code of the lower side of the admissible cut, or -1; and a stamp that was never used."""
    code, below, up_to = median
    for lower in range(2):
        left = below if lower else up_to
        if min(left, codes.shape[0] - left) < least:
            continue
        if least_persons > 1 and persons.shape[0]:
            sides = _persons_on_sides(codes[:, attribute], code - lower, order, persons, seen, stamp)
            stamp += 2
            if min(sides[0], sides[1]) < least_persons:
                continue
        return code - lower, stamp
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
        ranges(codes[low:high], lowest, highest)
        ranked = by_width(lowest, highest, places, offsets)
        for a in ranked[first:last]:
            if lowest[a] == highest[a]:
                continue
            median = _median(codes[low:high], a, lowest[a], highest[a])
            rows = order[low:high]
            here, stamp = _middle(codes[low:high], a, median, enough, rows, least_persons, persons, seen, stamp)
            if here >= 0:
                chosen[g], middle[g] = a, here
                break
    return chosen, middle


@compiled
def tell_sides(codes, order, lows, highs, chosen, middle, label):  # type: ignore[no-untyped-def]
    """Label the rows of each group that is to be cut: twice its place among those, and one more on the upper side."""
    number = 0
    for g in range(lows.shape[0]):
        if chosen[g] < 0:
            continue
        for i in range(lows[g], highs[g]):
            label[order[i]] = 2 * number + (codes[i, chosen[g]] > middle[g])
        number += 1


@compiled
def tell_groups(order, lows, highs, label):  # type: ignore[no-untyped-def]
    """Label the rows of each group with its number."""
    for g in range(lows.shape[0]):
        for i in range(lows[g], highs[g]):
            label[order[i]] = g


@compiled
def _moved(words, codes, order, attribute, middle, spare_words, spare_order):  # type: ignore[no-untyped-def]
    """Put the rows of the lower side first; how many they are.

    Which side a row is on cannot be foreseen, so it is written to both and counted on one; what is overwritten was
    moved before.
    """
    put, kept = 0, 0
    for i in range(order.shape[0]):
        lower = codes[i, attribute] <= middle
        row = order[i]
        for w in range(words.shape[1]):
            word = words[i, w]
            words[put, w] = word
            spare_words[kept, w] = word
        order[put] = row
        spare_order[kept] = row
        put += lower
        kept += not lower
    words[put:] = spare_words[:kept]
    order[put:] = spare_order[:kept]
    return put


@compiled
def divide(words, codes, order, lows, highs, chosen, middle):  # type: ignore[no-untyped-def]
    """Move the rows of each group that is cut; where its upper side starts (the end of a group that is not cut).

    `words` is the memory of `codes`, read as words of 64 bits.
    """
    cuts = highs.copy()
    done = np.flatnonzero(chosen >= 0)
    widest = 0
    for g in done:
        widest = max(widest, highs[g] - lows[g])
    spare_words = np.empty((widest, words.shape[1]), dtype=words.dtype)
    spare_order = np.empty(widest, dtype=order.dtype)
    for g in done:
        rows = slice(lows[g], highs[g])
        there = _moved(words[rows], codes[rows], order[rows], chosen[g], middle[g], spare_words, spare_order)
        cuts[g] = lows[g] + there
    return cuts
