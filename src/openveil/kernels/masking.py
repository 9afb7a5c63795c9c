"""Other sensitive values for groups that have too many of some: MASK, and MASK+, each made from bags.

Claim. Both give one slot a row: the group, the value of the bag, and the value to show instead (or the same), and
say which groups are changed. `mask_slots` changes as many listed values of a group that violates as must go, chosen
at random, to others drawn at random. `ascending_slots` reads the frequencies of a group from the least frequent
value on, as long as the worst case of the next one is allowed, shows the others as frequent as the last that was
read, and raises them one by one until all rows have a place; rows that find none are counted.

Both tell what the release does not show, and are kept for comparison (SPEC 5.2).

Cost. One pass over the slots; for MASK+ one sort of the values a group.
"""

from __future__ import annotations

import numpy as np

from openveil.kernels.compiling import compiled


@compiled
def _laid(starts, values, counts):  # type: ignore[no-untyped-def]
    """The group and the value of each slot; nothing is changed yet."""
    total = counts.sum()
    group, own = np.empty(total, dtype=np.int32), np.empty(total, dtype=np.int32)
    at = 0
    for g in range(starts.shape[0] - 1):
        for e in range(starts[g], starts[g + 1]):
            group[at : at + counts[e]] = g
            own[at : at + counts[e]] = values[e]
            at += counts[e]
    return group, own


@compiled
def _exposed(group, own, listed, groups):  # type: ignore[no-untyped-def]
    """The rows of each group, and those of them that have a listed value."""
    sizes, exposed = np.zeros(groups, dtype=np.int64), np.zeros(groups, dtype=np.int64)
    for i in range(group.shape[0]):
        sizes[group[i]] += 1
        exposed[group[i]] += listed[own[i]]
    return sizes, exposed


@compiled
def _drawn_anew(shown, listed, others, change, random):  # type: ignore[no-untyped-def]
    """Show `change` of the listed values as others; how many random numbers that takes."""
    victims = np.flatnonzero(listed[shown])
    for i in range(change):
        j = i + np.int64(random[2 * i] % np.uint64(victims.shape[0] - i))
        victims[i], victims[j] = victims[j], victims[i]
        shown[victims[i]] = others[np.int64(random[2 * i + 1] % np.uint64(others.shape[0]))]
    return 2 * change


@compiled
def mask_slots(starts, values, counts, listed, others, m, random):  # type: ignore[no-untyped-def]
    """The slots of MASK; `random` has a number for every group and two for every row with a listed value."""
    groups = starts.shape[0] - 1
    group, own = _laid(starts, values, counts)
    sizes, exposed = _exposed(group, own, listed, groups)
    fine = np.flatnonzero(exposed * m <= sizes)
    changed = exposed * m > sizes
    shown = own.copy()
    used, at = groups, 0
    for g in range(groups):
        if changed[g]:
            remain = sizes[g] // m
            if fine.shape[0]:
                model = fine[np.int64(random[g] % np.uint64(fine.shape[0]))]
                remain = exposed[model] * sizes[g] // sizes[model]
            mine = shown[at : at + sizes[g]]
            used += _drawn_anew(mine, listed, others, exposed[g] - remain, random[used:])
        at += sizes[g]
    return group, own, shown, changed


@compiled
def _readable(ascending, cap, first, spared):  # type: ignore[no-untyped-def]
    """How many frequencies are read; one less than there are stands for all of them.

    Places count from 1. The test is made from place `first` on, and not at the last `spared` places.
    """
    last = ascending.shape[0] - 1
    left, before = ascending.sum(), 0
    for place in range(1, last + 1):
        if place >= first and place <= last - spared and left - before > cap * (last + 1 - place):
            return place - 1
        before = ascending[place - 1]
        left -= before
    return last


@compiled
def _raised(shown, unread, least, cap, size):  # type: ignore[no-untyped-def]
    """Raise the unread frequencies in their order until all rows have a place; how many find none."""
    left = size - shown.sum()
    for value in unread:
        if left > 0:
            raised = min(cap, left + least)
            left -= raised - least
            shown[value] = raised
    return left


@compiled
def _ascending(frequencies, keys):  # type: ignore[no-untyped-def]
    """The values by ascending frequency; of equals the one with the lower key comes first."""
    by_key = np.argsort(keys, kind="mergesort")
    return by_key[np.argsort(frequencies[by_key], kind="mergesort")]


@compiled
def _paired(frequencies, wanted, shown):  # type: ignore[no-untyped-def]
    """Show as many of each value as they are that are wanted of it, and the surplus as what is missing."""
    at, missing, open_places = 0, 0, 0
    for value in range(frequencies.shape[0]):
        for number in range(frequencies[value]):
            if number >= wanted[value]:
                while missing < wanted.shape[0] and open_places >= wanted[missing] - frequencies[missing]:
                    missing, open_places = missing + 1, 0
                if missing == wanted.shape[0]:
                    return
                shown[at] = missing
                open_places += 1
            at += 1


@compiled
def ascending_slots(starts, values, counts, domain, m, first, spared, keys, by_label):  # type: ignore[no-untyped-def]
    """The slots of MASK+, and how many rows find no place; `keys` break ties, a line for each group."""
    groups = starts.shape[0] - 1
    group, own = _laid(starts, values, counts)
    shown = own.copy()
    changed = np.zeros(groups, dtype=np.bool_)
    unplaced, at = 0, 0
    frequencies = np.empty(domain, dtype=np.int64)
    for g in range(groups):
        frequencies[:] = 0
        for e in range(starts[g], starts[g + 1]):
            frequencies[values[e]] = counts[e]
        size = frequencies.sum()
        order = _ascending(frequencies, keys[g])
        read = _readable(frequencies[order], size // m, first, spared)
        if read < domain - 1:
            changed[g] = True
            least = frequencies[order[read - 1]] if read else 0
            wanted = np.full(domain, least, dtype=np.int64)
            wanted[order[:read]] = frequencies[order[:read]]
            unread = np.sort(order[read:]) if by_label else order[read:][::-1]
            unplaced += _raised(wanted, unread, least, size // m, size)
            _paired(frequencies, wanted, shown[at : at + size])
        at += size
    return group, own, shown, changed, unplaced
