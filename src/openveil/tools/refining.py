"""Generalisation functions refined step by step, as the greedy publisher of Xiao and Tao wants them.

Claim. `refined` gives the groups that Fig. 4 gives for these guards, weights and p, and the part of each axis that
each group is shown as. Numbers and dates may be cut between any two positions of the axis; everything else is split
from a node into its children, as the levels of its hierarchy have them, whatever their number. Where the whole table
cannot be made safe by making sensitive values coarser, it goes on splitting all the same (`kernels/greedy.py`), and
tells how many rows are still not safe when nothing is left to split.

Why it holds. The kernel does what Fig. 4 says, split by split; what it is handed here are whole numbers: p as a
fraction, and for each attribute the price of one value more, brought to a common denominator. Where these would not
fit into 62 bits, prices are rounded, which may change which of two nearly equal splits is made, and nothing else; p
is never rounded up.

Cost. See the kernel; here one pass over the rows.

Source. Xiao and Tao, Personalized privacy preservation, 2006, section 4; SPEC P3 for ties.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import NDArray

from openveil.core.axis import Hierarchy
from openveil.core.bags import Counts
from openveil.core.guards import Guards
from openveil.core.nodes import NO_NODE, Nodes
from openveil.core.table import Population, Public
from openveil.core.witness import Labels
from openveil.tools.covering import is_measured

_WORD = 1 << 61
_LARGEST_DENOMINATOR = 10**6


@dataclass(frozen=True)
class Refinement:
    """What is asked of every group: breach at most `p`, so many `persons`, and what a coarser value costs.

    Without a `price` no sensitive value may be made coarser. Where there are `people`, a group is about as many of
    them as have quasi-identifiers of it, and otherwise about its persons.
    """

    p: Fraction
    persons: int = 1
    price: Fraction | None = Fraction(1)
    people: Population | None = None


@dataclass(frozen=True, eq=False)
class Refined:
    """The group of each row, the node it shows, the parts its groups are shown as, and how the search went.

    `unsafe` rows are in groups that cannot be made safe; what they show means nothing.
    """

    group: Labels = field(repr=False)
    shown: Labels = field(repr=False)
    lowest: Labels = field(repr=False)
    highest: Labels = field(repr=False)
    unsafe: int
    rounds: int
    tried: int


def refined(public: Public, guards: Guards, asked: Refinement) -> Refined:
    """The groups of the greedy search."""
    from openveil.kernels.greedy import refine
    from openveil.kernels.shown_coarser import show

    heads, alone = _heads(public)
    rows, codes = _with_people(public, guards, heads, asked.people)
    number = np.arange(len(rows), dtype=np.int32)
    axes, upto = _axes(public), _upto(public)
    taxonomy, limit = (guards.nodes.parent, guards.nodes.sizes), (*in_whole_numbers(asked.p), int(alone))
    rules = (asked.persons, int(asked.price is None))
    nodes = len(guards.nodes)
    scratch = np.zeros(nodes, dtype=np.bool_), np.empty(nodes, dtype=np.int64)
    found = refine(
        rows, codes, number, axes, (taxonomy, limit, rules, scratch), _prices(public, guards.nodes, asked), upto
    )
    ends, parts, part_low, unsafe, rounds, tried = found
    # Every place a group has ever started with is still the start of one.
    lows = np.flatnonzero(ends)
    shown = show(lows, ends[lows], rows[:, 0], rows[:, 1], rows[:, 3], *taxonomy, limit)
    group = np.repeat(np.arange(len(lows), dtype=np.int32), ends[lows] - lows)
    places = axes[0][:-1] + codes[lows]
    lowest = part_low[places]
    highest = parts[axes[0][:-1] + lowest]
    back = np.argsort(number)[: len(public)]
    # Groups of people none of whose rows are in the table are not published.
    ours, home = np.unique(group[back], return_inverse=True)
    bounds = lowest[ours].astype(np.int32), highest[ours].astype(np.int32)
    return Refined(home.astype(np.int32), shown[back], *bounds, int(unsafe), int(rounds), int(tried))


def _with_people(
    public: Public, guards: Guards, heads: NDArray[np.int32], people: Population | None
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The rows as the kernel wants them, with their codes; people of the population after those of the table.

    People who lie between two codes of an axis are left out: they are not in all groups whose codes are around them.
    """
    own = np.stack([guards.leaf, guards.node, heads, heads], axis=1).astype(np.int32)
    codes = public.codes.astype(np.int32)
    if people is None:
        return own, codes
    own[:, 3] = 0
    there = people.below[(people.below == people.above).all(axis=1)]
    places, times = np.unique(there, axis=0, return_counts=True)
    others = np.zeros((len(places), 4), dtype=np.int32)
    others[:, :2], others[:, 3] = NO_NODE, times
    return np.concatenate([own, others]), np.concatenate([codes, places.astype(np.int32)])


def _heads(public: Public) -> tuple[NDArray[np.int32], bool]:
    """1 for one row of each person, and whether every person has one row."""
    heads = np.ones(len(public), dtype=np.int32)
    if public.persons is not None:
        heads[:] = 0
        heads[np.unique(public.persons, return_index=True)[1]] = 1
    return heads, bool(heads.all())


def in_whole_numbers(p: Fraction) -> tuple[int, int]:
    """p as a numerator and a denominator small enough to be multiplied; never more than p."""
    small = p.limit_denominator(_LARGEST_DENOMINATOR)
    while small > p:
        small = Fraction(small.numerator - 1, small.denominator)
    return small.numerator, small.denominator


Axes = tuple[Counts, NDArray[np.bool_], NDArray[np.int32], NDArray[np.int32], Counts]


def _axes(public: Public) -> Axes:
    """Where each axis starts, whether it is split by nodes, and the parents and last leaves of the nodes of all."""
    trees = np.array([not is_measured(each.axis) for each in public.hierarchies], dtype=np.bool_)
    nodes = [Nodes.of(each) if tree else None for each, tree in zip(public.hierarchies, trees, strict=True)]
    nothing = np.zeros(0, dtype=np.int32)
    parents = [nothing if each is None else each.parent for each in nodes]
    uppers = [nothing if each is None else each.upper for each in nodes]
    offsets = np.cumsum([0, *(_positions(each) for each in public.hierarchies)]).astype(np.int64)
    tree_offsets = np.cumsum([0, *map(len, parents)]).astype(np.int64)
    return offsets, trees, np.concatenate([nothing, *parents]), np.concatenate([nothing, *uppers]), tree_offsets


def _positions(hierarchy: Hierarchy) -> int:
    return len(hierarchy.axis)


def _upto(public: Public) -> Counts:
    """For each attribute, how many rows have a code below each position and below the end of its axis."""
    counts = [
        np.bincount(public.codes[:, a], minlength=_positions(each)) for a, each in enumerate(public.hierarchies)
    ]
    return np.concatenate([np.concatenate([[0], np.cumsum(each)]) for each in counts]).astype(np.int64)


def _prices(public: Public, nodes: Nodes, asked: Refinement) -> Counts:
    """What one value more costs in each attribute, and one leaf more among the sensitive values, in whole numbers."""
    sizes = [*map(_positions, public.hierarchies), nodes.leaves]
    weights = [*public.weights, asked.price or Fraction(0)]
    exact = [weight / max(size, 1) for weight, size in zip(weights, sizes, strict=True)]
    common = lcm(*(price.denominator for price in exact))
    # The most that all rows together can cost has to fit.
    most = len(public) * sum((price * size for price, size in zip(exact, sizes, strict=True)), Fraction(0))
    scale = common if most * common < _WORD else _WORD // (int(most) + 1)
    return np.array([int(price * scale) for price in exact], dtype=np.int64)
