"""Fold equal tuples: map every code of a tuple through a table, find equal results, add up their sizes.

Claim. Given tuples (rows of a code matrix), their sizes, and for every attribute a table from its codes to coarser
codes, the kernels return one representative and the total size of every distinct coarser tuple, in order of first
appearance, and write into `label`, unless it is empty, the number of the class each input tuple fell into. `rows`
names the tuples and `sizes` says how many rows each stands for; when both are empty, they are all `total` rows of
the matrix, once each.

Why it holds. A coarser tuple is written as a number in mixed radix, one or more 64-bit words, which is
one-to-one. `fold_dense` uses that number as an index, the other two as the key of an open-addressing hash table
that compares whole keys, so a collision of hashes can cost time but never merge two classes.

Cost. One pass over the tuples, one gather an attribute and one probe a tuple. Keys are made a block at a time, so
that the processor can wait for several probes at once; tables grow between blocks, outside the inner loop; a key
and its class stand side by side, one cache line a probe. About half of the time is the gather.
"""

from __future__ import annotations

import numpy as np

from openveil.kernels.compiling import compiled

_EMPTY = np.int32(-1)
_FIRST_CAPACITY = 1 << 12
_BLOCK = 256


@compiled
def _named(rows, start, end, buffer):  # type: ignore[no-untyped-def]
    """The tuples of one block."""
    if rows.shape[0]:
        return rows[start:end]
    for i in range(end - start):
        buffer[i] = start + i
    return buffer[: end - start]


@compiled
def _weighed(sizes, start, end, ones):  # type: ignore[no-untyped-def]
    """The sizes of the tuples of one block."""
    if sizes.shape[0]:
        return sizes[start:end]
    return ones[: end - start]


@compiled
def _told(label, start, end, scratch):  # type: ignore[no-untyped-def]
    """Where the classes of one block are told."""
    if label.shape[0]:
        return label[start:end]
    return scratch[: end - start]


@compiled
def _make_keys(codes, rows, columns, table, offsets, words, keys):  # type: ignore[no-untyped-def]
    """The key of each tuple; `columns` are the attributes that matter, `words` the word each belongs to."""
    for i in range(rows.shape[0]):
        for w in range(keys.shape[1]):
            keys[i, w] = 0
        for c in range(columns.shape[0]):
            keys[i, words[c]] += table[offsets[c] + np.int64(codes[rows[i], columns[c]])]


@compiled
def _make_short_keys(codes, rows, columns, table, offsets, keys):  # type: ignore[no-untyped-def]
    """The key of each tuple, where one word is enough."""
    for i in range(rows.shape[0]):
        key = np.int64(0)
        for c in range(columns.shape[0]):
            key += table[offsets[c] + np.int64(codes[rows[i], columns[c]])]
        keys[i] = key


@compiled
def _mixed(key):  # type: ignore[no-untyped-def]
    product = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    return product ^ (product >> np.uint64(32))


@compiled
def _longer(array, length):  # type: ignore[no-untyped-def]
    longer = np.empty((length,) + array.shape[1:], array.dtype)
    longer[: array.shape[0]] = array
    return longer


@compiled
def _index(slots, keys, rows, sizes, firsts, totals, label, count):  # type: ignore[no-untyped-def]
    """Put each tuple where its key says; the number of classes afterwards."""
    for i in range(rows.shape[0]):
        key = np.uint64(keys[i])
        slot = slots[key]
        if slot >= 0:
            totals[slot] += sizes[i]
            label[i] = slot
        else:
            slots[key] = count
            firsts[count] = rows[i]
            totals[count] = sizes[i]
            label[i] = count
            count += 1
    return count


@compiled
def fold_dense(codes, rows, sizes, label, total, columns, table, offsets, space):  # type: ignore[no-untyped-def]
    """Fold where all coarser tuples fit an array of `space` slots."""
    slots = np.full(space, _EMPTY, np.int32)
    firsts = np.empty(min(space, total), np.int32)
    totals = np.empty(firsts.shape[0], np.int64)
    scratch = np.empty(_BLOCK, np.int32)
    keys, buffer, ones = np.empty(_BLOCK, np.int64), np.empty(_BLOCK, np.int32), np.ones(_BLOCK, np.int64)
    count = 0
    for start in range(0, total, _BLOCK):
        end = min(start + _BLOCK, total)
        named, weighed = _named(rows, start, end, buffer), _weighed(sizes, start, end, ones)
        _make_short_keys(codes, named, columns, table, offsets, keys)
        count = _index(slots, keys, named, weighed, firsts, totals, _told(label, start, end, scratch), count)
    return firsts[:count].copy(), totals[:count].copy()


@compiled
def _probe(places, keys, rows, sizes, firsts, totals, label, count):  # type: ignore[no-untyped-def]
    """Put each tuple where its key is; the number of classes afterwards."""
    mask = np.uint64(places.shape[0] - 1)
    for i in range(rows.shape[0]):
        key = keys[i]
        at = _mixed(key) & mask
        while places[at, 0] >= 0 and places[at, 0] != key:
            at = (at + np.uint64(1)) & mask
        if places[at, 0] >= 0:
            slot = places[at, 1]
            totals[slot] += sizes[i]
            label[i] = slot
        else:
            places[at, 0] = key
            places[at, 1] = count
            firsts[count] = rows[i]
            totals[count] = sizes[i]
            label[i] = count
            count += 1
    return count


@compiled
def _rehashed(places):  # type: ignore[no-untyped-def]
    """Twice the room, every key and its class at their new place."""
    larger = np.full((places.shape[0] * 2, 2), _EMPTY, np.int64)
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


@compiled
def _room(places):  # type: ignore[no-untyped-def]
    """How many classes a table takes before it grows: five eighths of it, so that probes stay short."""
    return places.shape[0] // 8 * 5


@compiled
def fold_hashed(codes, rows, sizes, label, total, columns, table, offsets):  # type: ignore[no-untyped-def]
    """Fold with a hash table of one-word keys that grows with the number of classes."""
    places = np.full((_FIRST_CAPACITY, 2), _EMPTY, np.int64)
    firsts = np.empty(_room(places), np.int32)
    totals = np.empty(_room(places), np.int64)
    scratch = np.empty(_BLOCK, np.int32)
    keys, buffer, ones = np.empty(_BLOCK, np.int64), np.empty(_BLOCK, np.int32), np.ones(_BLOCK, np.int64)
    count = 0
    for start in range(0, total, _BLOCK):
        end = min(start + _BLOCK, total)
        named, weighed = _named(rows, start, end, buffer), _weighed(sizes, start, end, ones)
        _make_short_keys(codes, named, columns, table, offsets, keys)
        if count + _BLOCK > firsts.shape[0]:
            places = _rehashed(places)
            firsts = _longer(firsts, _room(places))
            totals = _longer(totals, _room(places))
        count = _probe(places, keys, named, weighed, firsts, totals, _told(label, start, end, scratch), count)
    return firsts[:count].copy(), totals[:count].copy()


@compiled
def _seat(slots, known, keys, i):  # type: ignore[no-untyped-def]
    """The position in `slots` of the class with key `keys[i]`, or of the free slot where it belongs."""
    mask = np.uint64(slots.shape[0] - 1)
    mixed = np.uint64(0)
    for w in range(keys.shape[1]):
        mixed = _mixed(mixed ^ np.uint64(keys[i, w]))
    at = mixed & mask
    while slots[at] >= 0:
        slot = slots[at]
        same = True
        for w in range(keys.shape[1]):
            same = same and known[slot, w] == keys[i, w]
        if same:
            break
        at = (at + np.uint64(1)) & mask
    return at


@compiled
def _probe_wide(slots, known, keys, rows, sizes, firsts, totals, label, count):  # type: ignore[no-untyped-def]
    """Put each tuple where its key of several words is; the number of classes afterwards."""
    for i in range(rows.shape[0]):
        at = _seat(slots, known, keys, i)
        slot = slots[at]
        if slot >= 0:
            totals[slot] += sizes[i]
            label[i] = slot
        else:
            slots[at] = count
            for w in range(keys.shape[1]):
                known[count, w] = keys[i, w]
            firsts[count] = rows[i]
            totals[count] = sizes[i]
            label[i] = count
            count += 1
    return count


@compiled
def _reseated(size, known, count):  # type: ignore[no-untyped-def]
    """A table of `size` slots that holds the classes known so far."""
    slots = np.full(size, _EMPTY, np.int32)
    for i in range(count):
        slots[_seat(slots, known, known, i)] = i
    return slots


@compiled
def fold_wide(codes, rows, sizes, label, total, columns, table, offsets, words):  # type: ignore[no-untyped-def]
    """Fold where a key needs several words."""
    slots = np.full(_FIRST_CAPACITY, _EMPTY, np.int32)
    keys = np.empty((_BLOCK, words[-1] + 1), np.int64)
    known = np.empty((_FIRST_CAPACITY // 2, words[-1] + 1), np.int64)
    firsts = np.empty(_FIRST_CAPACITY // 2, np.int32)
    totals = np.empty(_FIRST_CAPACITY // 2, np.int64)
    scratch = np.empty(_BLOCK, np.int32)
    buffer, ones = np.empty(_BLOCK, np.int32), np.ones(_BLOCK, np.int64)
    count = 0
    for start in range(0, total, _BLOCK):
        end = min(start + _BLOCK, total)
        named, weighed = _named(rows, start, end, buffer), _weighed(sizes, start, end, ones)
        _make_keys(codes, named, columns, table, offsets, words, keys)
        if count + _BLOCK > firsts.shape[0]:
            slots = _reseated(slots.shape[0] * 2, known, count)
            room = slots.shape[0] // 2
            known, firsts, totals = _longer(known, room), _longer(firsts, room), _longer(totals, room)
        count = _probe_wide(
            slots, known, keys, named, weighed, firsts, totals, _told(label, start, end, scratch), count
        )
    return firsts[:count].copy(), totals[:count].copy()


@compiled
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
