"""Anatomy's plan of groups, made from a bag of values alone.

Claim. For each bag, `plan` says for every one of its values, counted as often as it occurs, which group it goes to.
While at least `spread` values are left over, the `spread` most frequent of them (ties: the lowest value) form a new
group; one that would be the `most` + 1st in the group to be alike in a column is passed over, and when too many are,
no further group is formed. What is left then goes one by one, in the order of the values, to a group that has no such
value yet, each such group as likely as any other; a bag for which that cannot be done, or of which more than `spread`
values are left, gets no groups at all, which is said by a count of 0.

Cost. One heap operation a row and a value passed over; for each left-over one look at the groups of its bag.
"""

from __future__ import annotations

import numpy as np

from openveil.kernels.compiling import compiled

# How many values may be passed over for one group, as a multiple of its own.
_PASSED = 16


@compiled
def _before(left, here, there):  # type: ignore[no-untyped-def]
    """Whether the value at place `here` is taken before the one at `there`."""
    return left[here] > left[there] or (left[here] == left[there] and here < there)


@compiled
def _sink(heap, size, left, top):  # type: ignore[no-untyped-def]
    while True:
        child = 2 * top + 1
        if child >= size:
            return
        if child + 1 < size and _before(left, heap[child + 1], heap[child]):
            child += 1
        if not _before(left, heap[child], heap[top]):
            return
        heap[top], heap[child] = heap[child], heap[top]
        top = child


@compiled
def _rise(heap, left, place):  # type: ignore[no-untyped-def]
    while place and _before(left, heap[place], heap[(place - 1) // 2]):
        heap[place], heap[(place - 1) // 2] = heap[(place - 1) // 2], heap[place]
        place = (place - 1) // 2


@compiled
def _pushed(heap, size, left, entry):  # type: ignore[no-untyped-def]
    """The size of the heap with the entry in it."""
    heap[size] = entry
    _rise(heap, left, size)
    return size + 1


@compiled
def _fits(columns, most, taken, entry):  # type: ignore[no-untyped-def]
    """Whether in every column fewer than `most` of those that are taken are like the entry."""
    for c in range(columns.shape[0]):
        alike = 0
        for other in taken:
            alike += columns[c, other] == columns[c, entry]
        if alike >= most:
            return False
    return True


@compiled
def _taken(heap, size, left, columns, most, taken, passed):  # type: ignore[no-untyped-def]
    """Take the most frequent that fit from the heap, whose size is returned; and how many are taken and passed."""
    here, over = 0, 0
    while here < taken.shape[0] and size and over < passed.shape[0]:
        entry = heap[0]
        size -= 1
        heap[0] = heap[size]
        _sink(heap, size, left, 0)
        if _fits(columns, most, taken[:here], entry):
            taken[here] = entry
            here += 1
        else:
            passed[over] = entry
            over += 1
    return size, here, over


@compiled
def _dealt(left, columns, spread, most, slots, groups):  # type: ignore[no-untyped-def]
    """Form groups of the `spread` most frequent; how many slots and how many groups that makes."""
    distinct = left.shape[0]
    heap = np.arange(distinct)
    size = distinct
    for top in range(size // 2 - 1, -1, -1):
        _sink(heap, size, left, top)
    taken, passed = np.empty(spread, dtype=np.int64), np.empty(_PASSED * spread, dtype=np.int64)
    filled, number = 0, 0
    while size >= spread:
        size, here, over = _taken(heap, size, left, columns, most, taken, passed)
        if here < spread:
            break
        for entry in taken:
            slots[filled] = entry
            groups[filled] = number
            filled += 1
            left[entry] -= 1
            if left[entry]:
                size = _pushed(heap, size, left, entry)
        for entry in passed[:over]:
            size = _pushed(heap, size, left, entry)
        number += 1
    return filled, number


@compiled
def _left_over(left, slots, groups, filled, number, random):  # type: ignore[no-untyped-def]
    """Give what is left to groups that lack it; whether there always was one."""
    if left.sum() > random.shape[0]:
        return False
    used = 0
    lacking = np.empty(number, dtype=np.bool_)
    for entry in range(left.shape[0]):
        while left[entry]:
            lacking[:] = True
            for i in range(filled):
                if slots[i] == entry:
                    lacking[groups[i]] = False
            free = lacking.sum()
            if free == 0:
                return False
            wanted = random[used] % np.uint64(free)
            used += 1
            for g in range(number):
                if lacking[g]:
                    if wanted == 0:
                        slots[filled] = entry
                        groups[filled] = g
                        break
                    wanted -= np.uint64(1)
            filled += 1
            left[entry] -= 1
    return True


@compiled
def plan(starts, counts, columns, spread, most, random):  # type: ignore[no-untyped-def]
    """For each slot its entry of the bags and its group, numbered through, and the groups of each bag.

    `columns` has the value of each entry in each column of several; what is alike in none needs no column.
    `random` has a line of numbers for the left-overs of each bag. The slots of a bag without groups have group -1.
    """
    bags = starts.shape[0] - 1
    slots = np.empty(counts.sum(), dtype=np.int32)
    groups = np.full(slots.shape[0], -1, dtype=np.int32)
    number_of = np.zeros(bags, dtype=np.int64)
    at, total = 0, 0
    for b in range(bags):
        left = counts[starts[b] : starts[b + 1]].copy()
        size = left.sum()
        here, there = slots[at : at + size], groups[at : at + size]
        filled, number = _dealt(left, columns[:, starts[b] : starts[b + 1]], spread, most, here, there)
        if number and _left_over(left, here, there, filled, number, random[b]):
            here += starts[b]
            there += total
            total += number
            number_of[b] = number
        else:
            there[:] = -1
            for i in range(starts[b], starts[b + 1]):
                for _ in range(counts[i]):
                    slots[at] = i
                    at += 1
            at -= size
        at += size
    return slots, groups, number_of
