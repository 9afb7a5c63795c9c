"""Deal the bags of groups to atoms at random, many times.

Claim. `dealt` is given the values of the rows, group after group, and where each group ends; the atom of each row;
and a row of random numbers for each dealing. It returns how often each atom has each value, dealing by dealing. Every
order of a group's rows is equally likely, but for what is left when a 64-bit number is divided by a place.

Why it holds. Fisher and Yates: each row in turn changes places with one that was not fixed yet, or itself. The order
that the dealing before left behind is as good as any other to begin with.

Cost. One exchange a row and dealing.
"""

from __future__ import annotations

import numpy as np

from openveil.kernels.compiling import compiled


@compiled
def dealt(values, ends, atom, atoms, domain, random):  # type: ignore[no-untyped-def]
    """How often each atom has each value, for each row of `random`."""
    counts = np.zeros((random.shape[0], atoms, domain), dtype=np.int32)
    row = values.copy()
    for number in range(random.shape[0]):
        start = 0
        for end in ends:
            for last in range(end - 1, start, -1):
                other = start + np.int64(random[number, last] % np.uint64(last - start + 1))
                row[last], row[other] = row[other], row[last]
            start = end
        for place in range(row.shape[0]):
            counts[number, atom[place], row[place]] += 1
    return counts
