"""Part groups of rows into halves, by quasi-identifiers and chance alone.

Claim. Rows stand group by group, as in `median.py`. The rows of a group are put in order by the widest attribute,
rows that are equal there by the next widest, and so on; rows that are equal in all attributes by chance. `halve`
tells of each row whether it is before or after the place where the upper half starts, or equal in all attributes to
the row that stands there. `settle` puts these in an order that is drawn, and completes the halves. Of 2k rows the
lower half is the first k. Of 2k + 1 rows one is drawn, each as likely: the others are halved in this way, and the
drawn row joins either half by a coin.

A group is left alone (`lower` is negative) if it has fewer than `2 * fewest` rows, if all its rows are equal, or if a
half could have fewer than `least_persons` persons, whichever row is drawn and whichever half it joins.

Why it holds. The first k of the others are the first k rows, or one of these is the drawn one and the row in the
middle takes its place. So of the k + 1 first rows one at most is missing in the lower half, and so for the upper.

Cost. One pass over the rows of a group for the ranges of the attributes, one for the widest, and one over the rows
that are equal so far for each further one.
"""

from __future__ import annotations

import numpy as np

from openveil.kernels.compiling import compiled
from openveil.kernels.median import by_width, ranges

_DENSE = 4
_DENSE_LEAST = 64
_LOWER, _UPPER, _EQUAL = 0, 1, 2


@compiled
def _code_at(codes, attribute, rows, place, lowest, highest):  # type: ignore[no-untyped-def]
    """The code of an attribute that stands at this place among these rows in order; how many rows are below it."""
    width = highest - lowest + 1
    if width > _DENSE * rows.shape[0] + _DENSE_LEAST:
        column = np.empty(rows.shape[0], dtype=codes.dtype)
        for j in range(rows.shape[0]):
            column[j] = codes[rows[j], attribute]
        code = np.int64(np.partition(column, place)[place])
        below = 0
        for other in column:
            below += other < code
        return code, below
    counts = np.zeros(width, dtype=np.int64)
    for row in rows:
        counts[np.int64(codes[row, attribute]) - lowest] += 1
    step, below = 0, 0
    while below + counts[step] <= place:
        below += counts[step]
        step += 1
    return lowest + step, below


@compiled
def _halved(codes, ranked, lowest, highest, side, left):  # type: ignore[no-untyped-def]
    """Sort the rows of a group around the first of the upper half; how many rows equal it, and how many go below."""
    rows = codes.shape[0]
    place, number = rows // 2, rows
    for i in range(rows):
        left[i] = i
    for a in ranked:
        if number == 1 or (rows % 2 == 0 and place == 0):
            break
        if lowest[a] == highest[a]:
            continue
        code, below = _code_at(codes, a, left[:number], place, lowest[a], highest[a])
        equal = 0
        for j in range(number):
            i = left[j]
            if codes[i, a] == code:
                left[equal] = i
                equal += 1
            else:
                side[i] = _LOWER if codes[i, a] < code else _UPPER
        number, place = equal, place - below
    for j in range(number):
        side[left[j]] = _EQUAL
    return place, number


@compiled
def halve(codes, lows, highs, tried, fewest, places, offsets, side):  # type: ignore[no-untyped-def]
    """For each tried group how many of its rows that are equal to the middle go below, and how many are.

    `side` is filled in for the rows of these groups.
    """
    groups, attributes = lows.shape[0], codes.shape[1]
    lower = np.full(groups, -1, dtype=np.int64)
    equal = np.zeros(groups, dtype=np.int64)
    lowest = np.empty(attributes, dtype=np.int64)
    highest = np.empty(attributes, dtype=np.int64)
    widest = 0
    for g in range(groups):
        if tried[g]:
            widest = max(widest, highs[g] - lows[g])
    left = np.empty(widest, dtype=np.int32)
    for g in range(groups):
        low, high = lows[g], highs[g]
        if not tried[g] or high - low < 2 * max(fewest, 1):
            continue
        ranges(codes[low:high], lowest, highest)
        if (lowest == highest).all():
            continue
        ranked = by_width(lowest, highest, places, offsets)
        lower[g], equal[g] = _halved(codes[low:high], ranked, lowest, highest, side[low:high], left)
    return lower, equal


@compiled
def _ordered(side, lower, numbers, equal):  # type: ignore[no-untyped-def]
    """Draw which of the equal rows go below; the row in the middle, if there is one (otherwise -1)."""
    rows, found = side.shape[0], 0
    for i in range(rows):
        if side[i] == _EQUAL:
            equal[found] = i
            found += 1
            side[i] = _UPPER
    for j in range(numbers.shape[0]):
        other = j + numbers[j]
        equal[j], equal[other] = equal[other], equal[j]
    for j in range(lower):
        side[equal[j]] = _LOWER
    return equal[lower] if rows % 2 else np.int32(-1)


@compiled
def _persons(side, middle, order, persons, seen, stamp):  # type: ignore[no-untyped-def]
    """The fewest persons that a half can have; `stamp` and `stamp + 1` were never used before."""
    lower, upper = 0, 0
    for i in range(side.shape[0]):
        person = persons[order[i]]
        if (side[i] == _LOWER or i == middle) and seen[person] != stamp:
            seen[person] = stamp
            lower += 1
    for i in range(side.shape[0]):
        person = persons[order[i]]
        if side[i] == _UPPER and seen[person] != stamp + 1:
            seen[person] = stamp + 1
            upper += 1
    return min(lower, upper) - (middle >= 0)


@compiled
def _joined(side, middle, drawn):  # type: ignore[no-untyped-def]
    """Let the row in the middle take the place of the drawn one, which joins a half by a coin."""
    row = drawn % side.shape[0]
    side[middle] = side[row]
    side[row] = _LOWER if drawn < side.shape[0] else _UPPER


@compiled
def settle(order, lows, highs, lower, starts, numbers, drawn, persons, least_persons, side):  # type: ignore[no-untyped-def]
    """Complete the halves of groups; `lower` becomes negative where they may have too few persons.

    The numbers of group g are `numbers[starts[g]:starts[g + 1]]`; `drawn[g]` is below twice its rows.
    """
    widest = 0
    for g in range(lows.shape[0]):
        widest = max(widest, highs[g] - lows[g])
    equal = np.empty(widest, dtype=np.int32)
    counted = least_persons > 1 and persons.shape[0] > 0
    seen = np.full(persons.max() + 1 if counted else 0, -1, dtype=np.int64)
    stamp = 0
    for g in range(lows.shape[0]):
        if lower[g] < 0:
            continue
        rows = slice(lows[g], highs[g])
        middle = _ordered(side[rows], lower[g], numbers[starts[g] : starts[g + 1]], equal)
        if counted and _persons(side[rows], middle, order[rows], persons, seen, stamp) < least_persons:
            lower[g] = -1
        elif middle >= 0:
            _joined(side[rows], middle, drawn[g])
        stamp += 2


@compiled
def tell_halves(order, lows, highs, there, side, label):  # type: ignore[no-untyped-def]
    """Label the rows of each group that has halves: twice its place among those, and one more in the upper half."""
    number = 0
    for g in range(lows.shape[0]):
        if not there[g]:
            continue
        for i in range(lows[g], highs[g]):
            label[order[i]] = 2 * number + side[i]
        number += 1


@compiled
def part(words, order, lows, highs, kept, side):  # type: ignore[no-untyped-def]
    """Move the rows of each kept group half by half, in their old order; where its upper half starts.

    `words` is the memory of the codes, read as words of 64 bits.
    """
    middle = highs.copy()
    widest = 0
    for g in np.flatnonzero(kept):
        widest = max(widest, highs[g] - lows[g])
    spare_words = np.empty((widest, words.shape[1]), dtype=words.dtype)
    spare_order = np.empty(widest, dtype=order.dtype)
    for g in np.flatnonzero(kept):
        put, waiting = lows[g], 0
        for i in range(lows[g], highs[g]):
            row = order[i]
            for w in range(words.shape[1]):
                word = words[i, w]
                words[put, w] = word
                spare_words[waiting, w] = word
            order[put] = row
            spare_order[waiting] = row
            put += 1 - side[i]
            waiting += side[i]
        words[put : highs[g]] = spare_words[:waiting]
        order[put : highs[g]] = spare_order[:waiting]
        middle[g] = put
    return middle
