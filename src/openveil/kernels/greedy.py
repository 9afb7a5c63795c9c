"""Refine generalisation functions by the single split that loses least, again and again (Fig. 4 of Xiao and Tao).

Claim. `refine` starts with one partition an attribute, and in each round makes the first of the single splits that
lose least, if it loses less than no split; attributes come in order, partitions from left to right, split points
ascending. The loss of a split is exact, in whole numbers. While rows are in groups that cannot be made safe, the
split after which fewest rows are in such groups is made, and among those the one that loses least, even if nothing is
won.

Why it holds. What a split changes is, for its attribute, the width of its parts, which follows from how many rows
have each code; and for the sensitive values, what groups in the partition cost before and after. For every attribute
an array holds, as differences along the axis, the sum over all groups of what a cut at each code would change; a sum
along a partition gives every candidate. A group adds to it what cutting it between any two of its codes changes,
found by moving its rows from one bag to the other in the order of the codes. Only a group that a split has divided is
reckoned anew: of others nothing changes but which node of a taxonomy they can be split into.

Rows are kept group by group. A node of a taxonomy is split into all its children, and has one candidate. People of a
population who may own rows stand among the rows, without a value or a guard; where there are none, the persons of the
rows are the people.

Cost. A round looks at every code of the axes and at the first row of every group. A divided group costs, for each
attribute, a sort of its rows and two coarsenings (`shown_coarser.py`) between any two codes. A row is in so many
divided groups as splits part it from others: n log n where groups are halved.
"""

from __future__ import annotations

import numpy as np

from openveil.kernels.compiling import compiled
from openveil.kernels.shown_coarser import add, coarsened, unmark

_FEW = 24


@compiled
def _cost(bag, guards, taxonomy, limit, rules, scratch):  # type: ignore[no-untyped-def]
    """What the sensitive values of a bag cost, and how many of its rows cannot be made safe."""
    inside, guarding, sums = bag
    parent, sizes = taxonomy
    if sums[0] == 0:
        return 0, 0
    if sums[1] < rules[0]:
        return 0, sums[0]
    marked, marks = scratch
    cost, used = coarsened(inside, guarding, guards, max(sums[2], 1), parent, sizes, limit, marked, marks)
    unmark(marked, marks, used)
    if cost < 0 or (rules[1] and cost > 0):
        return 0, sums[0]
    return cost, 0


@compiled
def _move(bag, other, parent, rows, row):  # type: ignore[no-untyped-def]
    """Take a row out of one bag and put it into the other."""
    _count(bag, parent, rows, row, -1)
    _count(other, parent, rows, row, 1)


@compiled
def _count(bag, parent, rows, row, times):  # type: ignore[no-untyped-def]
    """Count a row, its person and the people it stands for."""
    add(bag[0], bag[1], parent, rows[row, 0], rows[row, 1], times)
    sums = bag[2]
    if rows[row, 0] >= 0:
        sums[0] += times
    sums[1] += times * rows[row, 2]
    sums[2] += times * rows[row, 3]


@compiled
def _load(bag, parent, rows, low, high, guards):  # type: ignore[no-untyped-def]
    """Fill an empty bag with rows; how many distinct guards they have."""
    number = 0
    for i in range(low, high):
        if rows[i, 1] >= 0 and bag[1][rows[i, 1]] == 0:
            guards[number] = rows[i, 1]
            number += 1
        _count(bag, parent, rows, i, 1)
    return number


@compiled
def _unload(bag, parent, rows, low, high):  # type: ignore[no-untyped-def]
    for i in range(low, high):
        add(bag[0], bag[1], parent, rows[i, 0], rows[i, 1], -1)
    bag[2][:] = 0


@compiled
def _sort(codes, low, high, a, items, counters):  # type: ignore[no-untyped-def]
    """Put the rows of a group into `items` in the order of their codes of an attribute."""
    number = high - low
    if number <= _FEW:
        for i in range(number):
            place, code = i, codes[low + i, a]
            while place > 0 and codes[items[place - 1], a] > code:
                items[place] = items[place - 1]
                place -= 1
            items[place] = low + i
        return
    least = most = codes[low, a]
    for i in range(low, high):
        least, most = min(least, codes[i, a]), max(most, codes[i, a])
    if most - least > 8 * number:
        items[:number] = low + np.argsort(codes[low:high, a])
        return
    counters[: most - least + 2] = 0
    for i in range(low, high):
        counters[codes[i, a] - least + 1] += 1
    for code in range(most - least + 1):
        counters[code + 1] += counters[code]
    for i in range(low, high):
        place = counters[codes[i, a] - least]
        items[place] = i
        counters[codes[i, a] - least] = place + 1


@compiled
def _along_line(a, low, high, whole, bags, guards, held, work, entries, asked):  # type: ignore[no-untyped-def]
    """What cutting a group anywhere along an attribute changes, as differences; how many there are."""
    one, other = bags
    rows, codes = held
    items = work[0]
    where, changes = entries
    taxonomy, limit, rules, scratch = asked
    used = 0
    before, unsafe_before = 0, 0
    last = high - low - 1
    for i in range(last + 1):
        row = items[i]
        _move(one, other, taxonomy[0], rows, row)
        code = codes[row, a]
        if i < last and codes[items[i + 1], a] == code:
            continue
        change, unsafe = 0, 0
        if i < last:
            left = _cost(other, guards, taxonomy, limit, rules, scratch)
            right = _cost(one, guards, taxonomy, limit, rules, scratch)
            change, unsafe = left[0] + right[0] - whole[0], left[1] + right[1] - whole[1]
        if change != before or unsafe != unsafe_before:
            where[a, low + used] = code
            changes[a, low + used, 0], changes[a, low + used, 1] = change - before, unsafe - unsafe_before
            used += 1
        before, unsafe_before = change, unsafe
    return used


@compiled
def _child_end(tree, node, code):  # type: ignore[no-untyped-def]
    """The last code of the child of a node that holds a code."""
    parents, uppers, axis = tree
    child = code
    while parents[axis + child] != node:
        child = parents[axis + child]
    return uppers[axis + child]


@compiled
def _into_children(a, low, high, whole, bags, guards, held, work, entries, asked, tree, part):  # type: ignore[no-untyped-def]
    """What splitting a group into the children of its node changes; how many entries that is, one or none."""
    one, other = bags
    rows, codes = held
    items = work[0]
    where, changes = entries
    taxonomy, limit, rules, scratch = asked
    first, last = 0, high - low - 1
    low_code, node = part
    if codes[items[last], a] <= _child_end(tree, node, codes[items[0], a]):
        return 0
    change, unsafe = -whole[0], -whole[1]
    for i in range(last + 1):
        row = items[i]
        _move(one, other, taxonomy[0], rows, row)
        if i < last and codes[items[i + 1], a] <= _child_end(tree, node, codes[items[first], a]):
            continue
        cost = _cost(other, guards, taxonomy, limit, rules, scratch)
        change, unsafe = change + cost[0], unsafe + cost[1]
        for j in range(first, i + 1):
            back = items[j]
            _move(other, one, taxonomy[0], rows, back)
        first = i + 1
    where[a, low] = low_code
    changes[a, low, 0], changes[a, low, 1] = change, unsafe
    return 1


@compiled
def _reckon(low, high, only, held, state, work, entries, axes, asked, line):  # type: ignore[no-untyped-def]
    """Tell what splits of a group change, in all attributes or in one; its own cost is reckoned with all."""
    rows, codes = held
    whole, used, part_node, part_low = state
    items, counters, one, other, guards = work
    offsets, trees, parents, uppers, tree_offsets = axes
    taxonomy, limit, rules, scratch = asked
    number = _load(one, taxonomy[0], rows, low, high, guards)
    if only < 0:
        cost = _cost(one, guards[:number], taxonomy, limit, rules, scratch)
        whole[low, 0], whole[low, 1] = cost[0], cost[1]
    bags = (one, other)
    for a in range(codes.shape[1]):
        if only >= 0 and a != only:
            continue
        used[a, low] = 0
        if high - low > 1:
            _sort(codes, low, high, a, items, counters)
            if codes[items[0], a] != codes[items[high - low - 1], a]:
                if trees[a]:
                    start = part_low[offsets[a] + codes[low, a]]
                    part = (start, part_node[offsets[a] + start])
                    tree = (parents, uppers, tree_offsets[a])
                    used[a, low] = _into_children(
                        a, low, high, whole[low], bags, guards[:number], held, work, entries, asked, tree, part
                    )
                else:
                    used[a, low] = _along_line(
                        a, low, high, whole[low], bags, guards[:number], held, work, entries, asked
                    )
                    bags = (bags[1], bags[0])
        _tell(a, low, 1, offsets, used, entries, line)
    _unload(bags[0], taxonomy[0], rows, low, high)


@compiled
def _tell(a, low, sign, offsets, used, entries, line):  # type: ignore[no-untyped-def]
    """Add what a group says of one attribute to the sums of all groups, or take it back."""
    where, changes = entries
    for i in range(low, low + used[a, low]):
        place = offsets[a] + where[a, i]
        line[place, 0] += sign * changes[a, i, 0]
        line[place, 1] += sign * changes[a, i, 1]


@compiled
def _best(axes, state, parts, upto, prices, line, unsafe):  # type: ignore[no-untyped-def]
    """The split to make (attribute, first code, code of the cut), what it changes, and how many there were.

    `upto[i]` says how many rows have a code below the i-th of an attribute's axis, axis after axis.
    """
    offsets, trees, parents, uppers, tree_offsets = axes
    part_node = state[2]
    attribute, at, cut, best, best_unsafe, candidates = -1, -1, -1, 0, 0, 0
    for a in range(trees.shape[0]):
        first, low = offsets[a], 0
        sums = upto[first + a : offsets[a + 1] + a + 1]
        while low < offsets[a + 1] - first:
            high = parts[first + low]
            rows = sums[high + 1] - sums[low]
            cost, lost, code = 0, 0, low
            while code < high:
                cost += line[first + code, 0]
                lost += line[first + code, 1]
                if trees[a]:
                    tree = (parents, uppers, tree_offsets[a])
                    width = _width_of_children(tree, part_node[first + low], low, high, sums)
                else:
                    left = sums[code + 1] - sums[low]
                    width = left * (code - low) + (rows - left) * (high - code - 1)
                change = prices[a] * (width - rows * (high - low)) + prices[-1] * cost
                candidates += 1
                better = change < best if lost == best_unsafe else lost < best_unsafe
                # While somebody is unsafe any split is better than none.
                if better or (unsafe > 0 and attribute < 0):
                    attribute, at, cut, best, best_unsafe = a, low, code, change, lost
                if trees[a]:
                    break
                code += 1
            low = high + 1
    return attribute, at, cut, best, best_unsafe, candidates


@compiled
def _width_of_children(tree, node, low, high, sums):  # type: ignore[no-untyped-def]
    """How many values beside their own the rows of a node show when it is split."""
    width = 0
    while low <= high:
        end = _child_end(tree, node, low)
        width += (sums[end + 1] - sums[low]) * (end - low)
        low = end + 1
    return width


@compiled
def _part(axes, state, parts, a, low, cut):  # type: ignore[no-untyped-def]
    """Split a part of an axis; the end of each code's new part is in `parts` at its start."""
    offsets, trees, parents, uppers, tree_offsets = axes
    part_node, part_low = state[2], state[3]
    first, high = offsets[a], parts[offsets[a] + low]
    node = part_node[first + low]
    start = low
    while start <= high:
        if trees[a]:
            child = start
            while parents[tree_offsets[a] + child] != node:
                child = parents[tree_offsets[a] + child]
            end = uppers[tree_offsets[a] + child]
            part_node[first + start] = child
        else:
            end = cut if start == low else high
        parts[first + start] = end
        part_low[first + start : first + end + 1] = start
        start = end + 1
    return high


@compiled
def _divide(a, low, high, held, work, ends, number, spare, first, part_low):  # type: ignore[no-untyped-def]
    """Put the rows of a group into the order of the parts they are in now, and note where each part ends."""
    rows, codes = held
    items = work[0]
    _sort(codes, low, high, a, items, work[1])
    for i in range(high - low):
        row = items[i]
        spare[i, 4] = number[row]
        for part in range(4):
            spare[i, part] = rows[row, part]
        for b in range(codes.shape[1]):
            spare[i, 5 + b] = codes[row, b]
    start = low
    for i in range(high - low):
        row = low + i
        number[row] = spare[i, 4]
        for part in range(4):
            rows[row, part] = spare[i, part]
        for b in range(codes.shape[1]):
            codes[row, b] = spare[i, 5 + b]
        if i and part_low[first + spare[i, 5 + a]] != part_low[first + spare[i - 1, 5 + a]]:
            ends[start] = row
            start = row
    ends[start] = high


@compiled
def _is_parted(codes, low, high, a, first, part_low):  # type: ignore[no-untyped-def]
    """Whether the rows of a group lie in several parts of an axis."""
    home = part_low[first + codes[low, a]]
    parted = False
    for i in range(low + 1, high):
        parted = parted or part_low[first + codes[i, a]] != home
    return parted


@compiled
def _empty_bag(nodes):  # type: ignore[no-untyped-def]
    """How many rows are inside each node and guarded by it, and how many rows, persons and people there are."""
    return np.zeros(nodes, dtype=np.int64), np.zeros(nodes, dtype=np.int64), np.zeros(3, dtype=np.int64)


@compiled
def refine(rows, codes, number, axes, asked, prices, upto):  # type: ignore[no-untyped-def]
    """Refine as long as it pays: the ends of groups and parts, the start of each code's part, and how it went.

    How it went is how many rows no split made safe, how many rounds were made, and how many splits were tried.

    `rows` has the leaf (-1 for people of a population), the guard, 1 for the first row of each person, and how many
    people it stands for; `codes` the attributes, `number` which row of the table it is; all three are put in the
    order of the groups. `axes` are where each axis starts, whether it is
    a taxonomy, and the taxonomies; `asked` the taxonomy of values, the limit and further rules; `prices` what a value
    more costs in each attribute and a leaf more among the sensitive values; `upto` how many rows have lower codes.
    """
    offsets, trees = axes[0], axes[1]
    total, attributes = codes.shape
    nodes = asked[0][0].shape[0]
    line = np.zeros((offsets[-1] + 1, 2), dtype=np.int64)
    parts, part_node = np.zeros(offsets[-1] + 1, dtype=np.int64), np.zeros(offsets[-1] + 1, dtype=np.int64)
    part_low = np.zeros(offsets[-1] + 1, dtype=np.int64)
    for a in range(attributes):
        parts[offsets[a]] = offsets[a + 1] - offsets[a] - 1
        part_node[offsets[a]] = axes[4][a + 1] - axes[4][a] - 1
    widest = np.max(offsets[1:] - offsets[:-1])
    items, counters = np.empty(total, dtype=np.int64), np.empty(widest + 2, dtype=np.int64)
    work = (items, counters, _empty_bag(nodes), _empty_bag(nodes), np.empty(nodes, dtype=np.int64))
    spare = np.empty((total, 5 + attributes), dtype=np.int32)
    entries = (np.empty((attributes, total), dtype=np.int32), np.empty((attributes, total, 2), dtype=np.int64))
    whole, used = np.zeros((total, 2), dtype=np.int64), np.zeros((attributes, total), dtype=np.int32)
    state = (whole, used, part_node, part_low)
    held = (rows, codes)
    ends = np.zeros(total, dtype=np.int64)
    ends[0] = total
    _reckon(0, total, -1, held, state, work, entries, axes, asked, line)
    unsafe, rounds, tried = whole[0, 1], 0, 0
    while True:
        a, at, cut, _, gained, candidates = _best(axes, state, parts, upto, prices, line, unsafe)
        tried += candidates
        if a < 0:
            return ends, parts, part_low, unsafe, rounds, tried
        rounds += 1
        unsafe += gained
        high_code = _part(axes, state, parts, a, at, cut)
        low = 0
        while low < total:
            high = ends[low]
            if at <= codes[low, a] <= high_code:
                if _is_parted(codes, low, high, a, offsets[a], part_low):
                    for b in range(attributes):
                        _tell(b, low, -1, offsets, used, entries, line)
                    _divide(a, low, high, held, work, ends, number, spare, offsets[a], part_low)
                    while low < high:
                        _reckon(low, ends[low], -1, held, state, work, entries, axes, asked, line)
                        low = ends[low]
                elif trees[a]:
                    _tell(a, low, -1, offsets, used, entries, line)
                    _reckon(low, high, a, held, state, work, entries, axes, asked, line)
            low = high
