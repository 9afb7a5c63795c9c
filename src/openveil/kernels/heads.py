"""Hilb's groups: rows of distinct values, taken from the heads of the queues in which each value's rows wait.

Claim. Rows stand in a line and wait in one queue a value; no value may be more than one l-th of them. Both kernels
give the group of each row, numbered as they are formed. `tried_groups` forms a group of the l first heads, or of as
few more of them as leave rows of which again no value is more than one l-th; where none will do, of heads of the
longest queues (ties: the first head), as few as will do but l at least. `foreseen_groups` forms a group of the l
first heads where l times the largest count of all that is left, the group included, are left after it, and of
everything otherwise.

Why it holds. A group takes one row of a value at most. So the largest count of what is left is that of all rows, S,
or S - 1 where the group has a head of every queue of S rows. With n rows in all, g heads may go if n - g >= l S,
which is false of all g >= l if it is false of l, or if all queues of S rows gave one and n - g >= l (S - 1), which
is then false of g >= 2 l. So at most 2 l heads are tried. If none will do, the longest queues give a head each: l
of them, or as many as have S rows.

Heads are found in two heaps, one by their place in the line and one by the length of their queue. A row enters each
heap once, as it becomes a head, and its queue has the same length until it goes. Rows that went by way of one heap
are thrown away where the other comes to them.

Cost. Two heap operations a row, and at most 2 l a group for heads that are put back.
"""

from __future__ import annotations

import numpy as np

from openveil.kernels.compiling import compiled

_NONE = -1


@compiled
def _push(heap, size, key):  # type: ignore[no-untyped-def]
    """Add a key; the new size."""
    place = size
    while place and key < heap[(place - 1) // 2]:
        heap[place] = heap[(place - 1) // 2]
        place = (place - 1) // 2
    heap[place] = key
    return size + 1


@compiled
def _drop(heap, size):  # type: ignore[no-untyped-def]
    """Take the least key away, which is at place 0; the new size."""
    size -= 1
    last = heap[size]
    place = 0
    while 2 * place + 1 < size:
        child = 2 * place + 1
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        if last <= heap[child]:
            break
        heap[place] = heap[child]
        place = child
    heap[place] = last
    return size


@compiled
def _queues(values, domain):  # type: ignore[no-untyped-def]
    """For each row the next one of its value (_NONE after the last), the first of each value, and how many it has."""
    behind = np.full(values.shape[0], _NONE, dtype=np.int64)
    first = np.full(domain, _NONE, dtype=np.int64)
    counts = np.zeros(domain, dtype=np.int64)
    for i in range(values.shape[0] - 1, -1, -1):
        behind[i] = first[values[i]]
        first[values[i]] = i
        counts[values[i]] += 1
    return behind, first, counts


@compiled
def _of_length(counts):  # type: ignore[no-untyped-def]
    """How many queues have each length, up to the largest there is."""
    lengths = np.zeros(counts.max() + 1, dtype=np.int64)
    for count in counts:
        lengths[count] += 1
    return lengths


@compiled
def _put(heap, size, heads):  # type: ignore[no-untyped-def]
    """Add heads to the heap by place, but for those that are none; its new size."""
    for head in heads:
        if head != _NONE:
            size = _push(heap, size, head)
    return size


@compiled
def _put_by_length(heap, size, heads, values, counts):  # type: ignore[no-untyped-def]
    """Add heads to the heap by length, longest queues first; its new size."""
    rows = values.shape[0]
    for head in heads:
        if head != _NONE:
            size = _push(heap, size, (rows - counts[values[head]]) * rows + head)
    return size


@compiled
def _first_heads(heap, size, group, wanted, taken):  # type: ignore[no-untyped-def]
    """Take up to `wanted` heads out of either heap; its new size, and how many there were."""
    number = 0
    while size and number < wanted:
        # Keys of the heap by length end with the row, those of the other are the row.
        head = heap[0] % group.shape[0]
        size = _drop(heap, size)
        if group[head] == _NONE:
            taken[number] = head
            number += 1
    return size, number


@compiled
def _enough_of(taken, tried, values, counts, lengths, largest, spread, left):  # type: ignore[no-untyped-def]
    """How many of the first heads may go, from `spread` on; 0 if none."""
    longest = 0
    for j in range(tried):
        longest += counts[values[taken[j]]] == largest
        rest = left - j - 1
        if j + 1 < spread:
            continue
        if rest >= spread * largest or (longest == lengths[largest] and rest >= spread * (largest - 1)):
            return j + 1
    return 0


@compiled
def _gone(taken, number, group, values, counts, lengths, largest):  # type: ignore[no-untyped-def]
    """Let the heads go as a group of this number; the largest count that is left."""
    for head in taken:
        value = values[head]
        group[head] = number
        lengths[counts[value]] -= 1
        counts[value] -= 1
        lengths[counts[value]] += 1
    while largest and lengths[largest] == 0:
        largest -= 1
    return largest


@compiled
def tried_groups(values, domain, spread):  # type: ignore[no-untyped-def]
    """The group of each row of the line, when groups are tried; see the module."""
    rows = values.shape[0]
    behind, first, counts = _queues(values, domain)
    lengths = _of_length(counts)
    largest = lengths.shape[0] - 1
    near, long = np.empty(rows, dtype=np.int64), np.empty(rows, dtype=np.int64)
    near_size = _put(near, 0, first)
    long_size = _put_by_length(long, 0, first, values, counts)
    group = np.full(rows, _NONE, dtype=np.int32)
    taken = np.empty(max(domain, 2 * spread), dtype=np.int64)
    left, number = rows, 0
    while left:
        near_size, tried = _first_heads(near, near_size, group, spread, taken)
        size = _enough_of(taken, tried, values, counts, lengths, largest, spread, left)
        if size == 0:
            near_size, more = _first_heads(near, near_size, group, spread, taken[tried:])
            tried += more
            size = _enough_of(taken, tried, values, counts, lengths, largest, spread, left)
            near_size = _put(near, near_size, taken[size:tried])
        if size == 0:
            wanted = max(spread, lengths[largest])
            long_size, size = _first_heads(long, long_size, group, wanted, taken)
        going = taken[:size]
        largest = _gone(going, number, group, values, counts, lengths, largest)
        near_size = _put(near, near_size, behind[going])
        long_size = _put_by_length(long, long_size, behind[going], values, counts)
        left -= size
        number += 1
    return group


@compiled
def foreseen_groups(values, domain, spread):  # type: ignore[no-untyped-def]
    """The group of each row of the line, when the worst case is foreseen; see the module."""
    rows = values.shape[0]
    behind, first, counts = _queues(values, domain)
    lengths = _of_length(counts)
    largest = lengths.shape[0] - 1
    near = np.empty(rows, dtype=np.int64)
    near_size = _put(near, 0, first)
    group = np.full(rows, _NONE, dtype=np.int32)
    taken = np.empty(spread, dtype=np.int64)
    left, number = rows, 0
    while left - spread >= spread * largest:
        near_size, size = _first_heads(near, near_size, group, spread, taken)
        largest = _gone(taken[:size], number, group, values, counts, lengths, largest)
        near_size = _put(near, near_size, behind[taken[:size]])
        left -= size
        number += 1
    for i in range(rows):
        if group[i] == _NONE:
            group[i] = number
    return group
