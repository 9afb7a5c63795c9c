"""Fold equal tuples: map every code of a tuple through a table, find equal results, add up their sizes.

Claim. Given tuples (rows of a code matrix, named by `rows`), their sizes, and for every attribute a table from
its codes to coarser codes, the kernels return one representative and the total size of every distinct coarser
tuple, in order of first appearance, and for every input tuple the number of the class it fell into.

Why it holds. A coarser tuple is written as a number in mixed radix, one or more 64-bit words, which is
one-to-one. `fold_dense` uses that number as an index, `fold_hashed` as the key of an open-addressing hash table
that compares whole keys, so a collision of hashes can cost time but never merge two classes.

Cost. One pass over the tuples, one gather an attribute and one probe a tuple. The time goes into the gather of
the representatives' codes (a cache line each) and, for many classes, into the probe.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

_EMPTY = np.int32(-1)
_FIRST_CAPACITY = 1 << 12

Folded = tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]]


@njit(cache=True, nogil=True)
def fold_dense(codes, rows, sizes, table, offsets, space):  # type: ignore[no-untyped-def]
    """Fold where all coarser tuples fit an array of `space` slots."""
    slots = np.full(space, _EMPTY, np.int32)
    most = min(space, rows.shape[0])
    firsts = np.empty(most, np.int32)
    totals = np.empty(most, np.int64)
    label = np.empty(rows.shape[0], np.int32)
    count = 0
    for i in range(rows.shape[0]):
        row = rows[i]
        key = np.int64(0)
        for a in range(offsets.shape[0]):
            key += table[offsets[a] + np.int64(codes[row, a])]
        slot = slots[key]
        if slot < 0:
            slot = np.int32(count)
            slots[key] = slot
            firsts[slot] = row
            totals[slot] = sizes[i]
            count += 1
        else:
            totals[slot] += sizes[i]
        label[i] = slot
    return firsts[:count].copy(), totals[:count].copy(), label


@njit(cache=True, nogil=True)
def _hash(key):  # type: ignore[no-untyped-def]
    mixed = np.uint64(0)
    for w in range(key.shape[0]):
        mixed = (mixed ^ np.uint64(key[w])) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(32)
    return mixed


@njit(cache=True, nogil=True)
def _place(slots, keys, key):  # type: ignore[no-untyped-def]
    """The position in `slots` of the class whose key is `key`, or of the free slot where it belongs."""
    mask = np.uint64(slots.shape[0] - 1)
    at = _hash(key) & mask
    while slots[at] >= 0:
        slot = slots[at]
        same = True
        for w in range(key.shape[0]):
            if keys[slot, w] != key[w]:
                same = False
        if same:
            break
        at = (at + np.uint64(1)) & mask
    return at


@njit(cache=True, nogil=True)
def _grown(slots, keys, count):  # type: ignore[no-untyped-def]
    larger = np.full(slots.shape[0] * 4, _EMPTY, np.int32)
    for slot in range(count):
        larger[_place(larger, keys, keys[slot])] = slot
    return larger


@njit(cache=True, nogil=True)
def _longer(array, length):  # type: ignore[no-untyped-def]
    longer = np.empty((length,) + array.shape[1:], array.dtype)
    longer[: array.shape[0]] = array
    return longer


@njit(cache=True, nogil=True)
def fold_hashed(codes, rows, sizes, table, offsets, words):  # type: ignore[no-untyped-def]
    """Fold with a hash table that grows with the number of classes; `words[a]` is the key word of attribute a."""
    width = words[-1] + 1 if words.shape[0] else 1
    slots = np.full(_FIRST_CAPACITY, _EMPTY, np.int32)
    room = _FIRST_CAPACITY // 2
    keys = np.empty((room, width), np.int64)
    firsts = np.empty(room, np.int32)
    totals = np.empty(room, np.int64)
    label = np.empty(rows.shape[0], np.int32)
    key = np.empty(width, np.int64)
    count = 0
    for i in range(rows.shape[0]):
        row = rows[i]
        key[:] = 0
        for a in range(offsets.shape[0]):
            key[words[a]] += table[offsets[a] + np.int64(codes[row, a])]
        at = _place(slots, keys, key)
        slot = slots[at]
        if slot < 0:
            if count == room:
                slots = _grown(slots, keys, count)
                room = slots.shape[0] // 2
                keys, firsts, totals = _longer(keys, room), _longer(firsts, room), _longer(totals, room)
                at = _place(slots, keys, key)
            slot = np.int32(count)
            slots[at] = slot
            keys[slot] = key
            firsts[slot] = row
            totals[slot] = sizes[i]
            count += 1
        else:
            totals[slot] += sizes[i]
        label[i] = slot
    return firsts[:count].copy(), totals[:count].copy(), label


@njit(cache=True, nogil=True)
def count_visitors(label, visited, starts, classes):  # type: ignore[no-untyped-def]
    """For each class, how many visitors are in it; one who is in several of its tuples counts once.

    Visitor v is in the tuples `visited[starts[v]:starts[v + 1]]`; `label` is the class of each tuple.
    """
    present = np.zeros(classes, np.int64)
    latest = np.full(classes, -1, np.int64)
    for visitor in range(starts.shape[0] - 1):
        for i in range(starts[visitor], starts[visitor + 1]):
            home = label[visited[i]]
            if latest[home] != visitor:
                latest[home] = visitor
                present[home] += 1
    return present
