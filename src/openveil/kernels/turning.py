"""Values in a circle, and windows on it that are turned together.

Claim. `circle` has the values twice, one after the other, so that windows need not wrap around. A window holds surely
if no value occurs in it more often than its `low`, and surely not if one occurs more often than its `high`.
`worst_of_turns` says of all turns and windows what the worst of them is: HOLDS, UNSURE or FAILS. `turns` says of
every turn what the worst of its windows is; once every turn fails it stops.

Why it holds. A window that is turned by a place loses one value and gains one.

Cost. One step a window and place of the circle; fewer once most turns have failed.
"""

from __future__ import annotations

import numpy as np

from openveil.kernels.compiling import compiled

HOLDS, UNSURE, FAILS = 0, 1, 2


@compiled
def _slide(circle, start, size, limits, unit, domain, worst):  # type: ignore[no-untyped-def]
    """Turn one window all around: what is worse than before is put down for each turn."""
    low, high = limits[0], limits[1]
    counts = np.zeros(domain, dtype=np.int64)
    above_low, above_high = 0, 0
    for place in range(start, start + size):
        counts[circle[place]] += 1
        above_low += counts[circle[place]] == low + 1
        above_high += counts[circle[place]] == high + 1
    for turn in range(worst.shape[0]):
        if above_high:
            worst[turn] = 2
        elif above_low and worst[turn] < 1:
            worst[turn] = 1
        if turn + 1 < worst.shape[0]:
            for place in range(start + turn * unit, start + turn * unit + unit):
                gone, come = circle[place], circle[place + size]
                above_low -= counts[gone] == low + 1
                above_high -= counts[gone] == high + 1
                counts[gone] -= 1
                counts[come] += 1
                above_low += counts[come] == low + 1
                above_high += counts[come] == high + 1


@compiled
def _look(circle, start, size, limits, counts):  # type: ignore[no-untyped-def]
    """What one window says where it stands; `counts` is all nothing, and is left so."""
    most = 0
    for place in range(start, start + size):
        counts[circle[place]] += 1
        most = max(most, counts[circle[place]])
    for place in range(start, start + size):
        counts[circle[place]] = 0
    return 2 if most > limits[1] else (1 if most > limits[0] else 0)


@compiled
def worst_of_turns(circle, starts, sizes, limits, unit, number, domain):  # type: ignore[no-untyped-def]
    """The worst of all windows at so many turns; as soon as one fails, that is the answer."""
    worst = np.zeros(number, dtype=np.int8)
    for window in range(starts.shape[0]):
        _slide(circle, starts[window], sizes[window], limits[window], unit, domain, worst)
        if worst.max() == 2:
            return 2
    return worst.max()


@compiled
def turns(circle, starts, sizes, limits, unit, number, domain):  # type: ignore[no-untyped-def]
    """The worst of the windows at each of so many turns."""
    worst = np.zeros(number, dtype=np.int8)
    counts = np.zeros(domain, dtype=np.int64)
    for window in range(starts.shape[0]):
        left = (worst < 2).sum()
        if left == 0:
            break
        if left * sizes[window] > circle.shape[0]:
            _slide(circle, starts[window], sizes[window], limits[window], unit, domain, worst)
            continue
        for turn in range(worst.shape[0]):
            if worst[turn] < 2:
                here = _look(circle, starts[window] + turn * unit, sizes[window], limits[window], counts)
                worst[turn] = max(worst[turn], here)
    return worst
