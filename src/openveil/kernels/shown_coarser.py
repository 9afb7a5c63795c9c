"""The least coarsening of a group's sensitive values that keeps every guard safe.

Claim. `coarsened` is given a bag of rows as how many lie inside each node of the taxonomy and how many are guarded by
each, and marks the nodes that rows inside them show: those of the least safe coarsening, if there is one. It says
what the coarsening costs in leaves, or -1 if there is none. `add` puts a row into a bag or takes it out.

Why it holds. It is Fig. 5 with its repairs (SPEC P2): a guard above which no other guard stands is asked; while it is
breached with more than p, what its row shows is raised, from the guard's parent on, and all below with it. A row that
is unsafe at a node stays unsafe under every coarsening that shows this node, so each step is forced and the order of
steps does not matter. A guard below another one is safe when that is (Lemma 2).

`is_safe` compares in whole numbers where every person has one row. Where persons may have several, logarithms decide
what is far from the limit; equality is found in whole numbers, and what is closer than the logarithms can tell
is taken for unsafe.

Cost. For each distinct guard of the bag the depth of the taxonomy, as often as something is raised.
"""

from __future__ import annotations

from math import gcd, log1p

import numpy as np

from openveil.kernels.compiling import compiled

_MARGIN = 1e-9


@compiled
def add(inside, guarding, parent, leaf, guard, times):  # type: ignore[no-untyped-def]
    """Count a row at its leaf, at all nodes above, and at its guard."""
    node = leaf
    while node >= 0:
        inside[node] += times
        node = parent[node]
    if guard >= 0:
        guarding[guard] += times


@compiled
def is_safe(rows, part, whole, people, limit):  # type: ignore[no-untyped-def]
    """Whether a guard with `part` of the `whole` leaves that so many rows show is breached with at most the limit.

    `limit` is a numerator, a denominator, and 1 where every person has one row.
    """
    above, below, alone = limit
    if alone:
        return rows * part * below <= above * whole * people
    if above >= below or rows == 0:
        return True
    share, out_of = part, whole * people
    if rows == 1:
        return share * below <= above * out_of
    if share == out_of:
        return False
    margin = rows * log1p(-share / out_of) - log1p(-above / below)
    if abs(margin) > _MARGIN:
        return margin > 0
    return _is_power(share, out_of, rows, below - above, below)


@compiled
def _is_power(share, out_of, times, above, below):  # type: ignore[no-untyped-def]
    """Whether (1 - share / out_of) ** times is above / below."""
    first, second = gcd(share, out_of), gcd(above, below)
    base, other = (out_of - share) // first, out_of // first
    wanted, of = above // second, below // second
    power, power_of = 1, 1
    for _ in range(times):
        power *= base
        power_of *= other
        if power_of > of:
            return False
    return power == wanted and power_of == of


@compiled
def _covering(node, marked, guarding, parent):  # type: ignore[no-untyped-def]
    """The highest marked node above a guard, or -1; -2 where another guard stands above it."""
    covering = -1
    above = parent[node]
    while above >= 0:
        if guarding[above] > 0:
            return -2
        if marked[above]:
            covering = above
        above = parent[above]
    return covering


@compiled
def coarsened(inside, guarding, guards, people, parent, sizes, limit, marked, marks):  # type: ignore[no-untyped-def]
    """How many leaves too many the rows show and how many nodes were marked; -1 leaves where nothing is safe.

    `marks` takes the marked nodes, which are to be unmarked by `unmark`.
    """
    used = 0
    raising = True
    while raising:
        raising = False
        for guard in guards:
            if guarding[guard] == 0:
                continue
            shown = _covering(guard, marked, guarding, parent)
            if shown == -2:
                continue
            while True:
                rows = inside[guard] if shown < 0 else inside[shown]
                part, whole = (1, 1) if shown < 0 else (sizes[guard], sizes[shown])
                if is_safe(rows, part, whole, people, limit):
                    break
                shown = parent[guard] if shown < 0 else parent[shown]
                if shown < 0:
                    return -1, used
                marked[shown] = True
                marks[used] = shown
                used += 1
                raising = True
    return _leaves_too_many(inside, parent, sizes, marked, marks, used), used


@compiled
def _leaves_too_many(inside, parent, sizes, marked, marks, used):  # type: ignore[no-untyped-def]
    """The sum, over the rows, of the leaves beside their own in what they show."""
    cost = 0
    for node in marks[:used]:
        above = parent[node]
        while above >= 0 and not marked[above]:
            above = parent[above]
        if above < 0:
            cost += inside[node] * (sizes[node] - 1)
    return cost


@compiled
def unmark(marked, marks, used):  # type: ignore[no-untyped-def]
    """Forget what a coarsening marked."""
    for node in marks[:used]:
        marked[node] = False


@compiled
def show(lows, highs, leaf, guard, weights, parent, sizes, limit):  # type: ignore[no-untyped-def]
    """The node each row shows, group by group; rows of group g are `lows[g]..highs[g] - 1`.

    `weights` says how many people each row stands for; one without a leaf (-1) stands for such people alone and shows
    nothing. Groups that cannot be made safe are told by -1 in all their rows.
    """
    nodes = parent.shape[0]
    inside, guarding = np.zeros(nodes, dtype=np.int64), np.zeros(nodes, dtype=np.int64)
    marked, marks = np.zeros(nodes, dtype=np.bool_), np.empty(nodes, dtype=np.int64)
    shown = np.empty(leaf.shape[0], dtype=np.int32)
    guards = np.empty(nodes, dtype=np.int64)
    for g in range(lows.shape[0]):
        people, number = 0, 0
        for i in range(lows[g], highs[g]):
            if guard[i] >= 0 and guarding[guard[i]] == 0:
                guards[number] = guard[i]
                number += 1
            add(inside, guarding, parent, leaf[i], guard[i], 1)
            people += weights[i]
        asked = guards[:number]
        cost, used = coarsened(inside, guarding, asked, max(people, 1), parent, sizes, limit, marked, marks)
        for i in range(lows[g], highs[g]):
            shown[i] = -1 if cost < 0 or leaf[i] < 0 else _shown(leaf[i], marked, parent)
        for i in range(lows[g], highs[g]):
            add(inside, guarding, parent, leaf[i], guard[i], -1)
        unmark(marked, marks, used)
    return shown


@compiled
def _shown(leaf, marked, parent):  # type: ignore[no-untyped-def]
    node, above = leaf, parent[leaf]
    while above >= 0:
        if marked[above]:
            node = above
        above = parent[above]
    return node
