"""Fold equal tuples: map every code of a tuple through a table, find equal results, add up their sizes.

Claim. Given tuples (rows of a code matrix, named by `rows`), their sizes, and for every attribute a table from
its codes to coarser codes, the kernels return one representative and the total size of every distinct coarser
tuple, in order of first appearance, and for every input tuple the number of the class it fell into.

Why it holds. A coarser tuple is written as a number in mixed radix, one or more 64-bit words, which is
one-to-one. `fold_dense` uses that number as an index, the other two as the key of an open-addressing hash table
that compares whole keys, so a collision of hashes can cost time but never merge two classes.

Cost. One pass over the tuples, one gather an attribute and one probe a tuple. The time goes into the gather of
the representatives' codes (a cache line each) and, for many classes, into the probe.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_EMPTY = np.int32(-1)
_FIRST_CAPACITY = 1 << 12
_BLOCK = 256


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
def _mixed(key):  # type: ignore[no-untyped-def]
    product = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    return product ^ (product >> np.uint64(32))


@njit(cache=True, nogil=True)
def _rehashed(places):  # type: ignore[no-untyped-def]
    """Four times the room, every key and its class at their new place."""
    larger = np.full((places.shape[0] * 4, 2), _EMPTY, np.int64)
    mask = np.uint64(larger.shape[0] - 1)
    for old in range(places.shape[0]):
        key = places[old, 0]
        if key >= 0:
            at = _mixed(key) & mask
            while larger[at, 0] >= 0:
                at = (at + np.uint64(1)) & mask
            larger[at, 0] = key
            larger[at, 1] = places[old, 1]
    return larger


@njit(cache=True, nogil=True)
def _longer(array, length):  # type: ignore[no-untyped-def]
    longer = np.empty((length,) + array.shape[1:], array.dtype)
    longer[: array.shape[0]] = array
    return longer


@njit(cache=True, nogil=True)
def fold_hashed(codes, rows, sizes, table, offsets):  # type: ignore[no-untyped-def]
    """Fold with a hash table of one-word keys that grows with the number of classes.

    A key and its class stand side by side, one cache line a probe; keys are made a block at a time, so that the
    processor can wait for several probes at once.
    """
    places = np.full((_FIRST_CAPACITY, 2), _EMPTY, np.int64)
    mask = np.uint64(_FIRST_CAPACITY - 1)
    room = _FIRST_CAPACITY // 2
    firsts = np.empty(room, np.int32)
    totals = np.empty(room, np.int64)
    label = np.empty(rows.shape[0], np.int32)
    block = np.empty(_BLOCK, np.int64)
    count = 0
    for start in range(0, rows.shape[0], _BLOCK):
        end = min(start + _BLOCK, rows.shape[0])
        for i in range(start, end):
            key = np.int64(0)
            for a in range(offsets.shape[0]):
                key += table[offsets[a] + np.int64(codes[rows[i], a])]
            block[i - start] = key
        for i in range(start, end):
            key = block[i - start]
            at = _mixed(key) & mask
            while places[at, 0] >= 0 and places[at, 0] != key:
                at = (at + np.uint64(1)) & mask
            if places[at, 0] >= 0:
                slot = places[at, 1]
                totals[slot] += sizes[i]
                label[i] = slot
                continue
            places[at, 0] = key
            places[at, 1] = count
            firsts[count] = rows[i]
            totals[count] = sizes[i]
            label[i] = count
            count += 1
            if count == room:
                places = _rehashed(places)
                mask = np.uint64(places.shape[0] - 1)
                room = places.shape[0] // 2
                firsts, totals = _longer(firsts, room), _longer(totals, room)
    return firsts[:count].copy(), totals[:count].copy(), label


@njit(cache=True, nogil=True)
def _place(slots, keys, key):  # type: ignore[no-untyped-def]
    """The position in `slots` of the class whose key is `key`, or of the free slot where it belongs."""
    mask = np.uint64(slots.shape[0] - 1)
    mixed = np.uint64(0)
    for w in range(key.shape[0]):
        mixed = _mixed(mixed ^ np.uint64(key[w]))
    at = mixed & mask
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
def fold_wide(codes, rows, sizes, table, offsets, words):  # type: ignore[no-untyped-def]
    """Fold where a key needs several words; `words[a]` is the one attribute a belongs to."""
    slots = np.full(_FIRST_CAPACITY, _EMPTY, np.int32)
    room = _FIRST_CAPACITY // 2
    keys = np.empty((room, words[-1] + 1), np.int64)
    firsts = np.empty(room, np.int32)
    totals = np.empty(room, np.int64)
    label = np.empty(rows.shape[0], np.int32)
    key = np.empty(keys.shape[1], np.int64)
    count = 0
    for i in range(rows.shape[0]):
        row = rows[i]
        key[:] = 0
        for a in range(offsets.shape[0]):
            key[words[a]] += table[offsets[a] + np.int64(codes[row, a])]
        at = _place(slots, keys, key)
        slot = slots[at]
        if slot >= 0:
            totals[slot] += sizes[i]
            label[i] = slot
            continue
        slots[at] = count
        keys[count] = key
        firsts[count] = row
        totals[count] = sizes[i]
        label[i] = count
        count += 1
        if count == room:
            slots = np.full(slots.shape[0] * 4, _EMPTY, np.int32)
            for known in range(count):
                slots[_place(slots, keys, keys[known])] = known
            room = slots.shape[0] // 2
            keys, firsts, totals = _longer(keys, room), _longer(firsts, room), _longer(totals, room)
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
