"""Which rows of a group can breach a guarding node, and how far.

Claim. `breaching` is given groups of rows as bags of pairs (a shown node, a guarding node or -1) and the parents of
the nodes. For every group and every guarding node in it there is a line: the group, the guard, how many rows show a
node inside the guard, and how many show a node above it, with that node. Where a guard has rows above it at several
nodes, which happens only where groups are shown alike, it has a line for each.

Why it holds. Of two nodes of a tree either one lies in the other or they share nothing. Every row is counted at all
nodes that its own lies in, so the count at a guard is that of the rows inside it.

Cost. The depth of the tree for every distinct pair of a group.
"""

from __future__ import annotations

import numpy as np

from openveil.kernels.compiling import compiled


@compiled
def breaching(starts, shown, guard, counts, parent):  # type: ignore[no-untyped-def]
    """Lines of group, guard, rows inside it, rows above it, and the node these show (-1 where there are none)."""
    nodes = parent.shape[0]
    own = np.zeros(nodes, dtype=np.int64)
    inside = np.zeros(nodes, dtype=np.int64)
    told = np.zeros(nodes, dtype=np.bool_)
    room = max(shown.shape[0], 16)
    lines = np.empty((room, 5), dtype=np.int64)
    used = 0
    for g in range(starts.shape[0] - 1):
        for i in range(starts[g], starts[g + 1]):
            own[shown[i]] += counts[i]
            _counted(inside, parent, shown[i], counts[i])
        for i in range(starts[g], starts[g + 1]):
            target = guard[i]
            if target >= 0 and not told[target]:
                told[target] = True
                if used + nodes >= lines.shape[0]:
                    lines = _larger(lines, nodes)
                used = _line(lines, used, g, target, own, inside, parent)
        for i in range(starts[g], starts[g + 1]):
            own[shown[i]] -= counts[i]
            _counted(inside, parent, shown[i], -counts[i])
            if guard[i] >= 0:
                told[guard[i]] = False
    return lines[:used].copy()


@compiled
def _counted(inside, parent, node, count):  # type: ignore[no-untyped-def]
    """Count rows that show `node` at every node they lie in."""
    while node >= 0:
        inside[node] += count
        node = parent[node]


@compiled
def _line(lines, used, group, target, own, inside, parent):  # type: ignore[no-untyped-def]
    """Write the lines of one guard; how many lines there are then."""
    first = used
    above = parent[target]
    while above >= 0:
        if own[above] > 0:
            lines[used, 0], lines[used, 1], lines[used, 2] = group, target, 0
            lines[used, 3], lines[used, 4] = own[above], above
            used += 1
        above = parent[above]
    if used == first:
        lines[used, 0], lines[used, 1], lines[used, 3], lines[used, 4] = group, target, 0, -1
        used += 1
    lines[first, 2] = inside[target]
    return used


@compiled
def _larger(lines, least):  # type: ignore[no-untyped-def]
    more = np.empty((2 * lines.shape[0] + least, lines.shape[1]), dtype=np.int64)
    more[: lines.shape[0]] = lines
    return more
