"""Which groups of a release have to be judged together.

Claim. `parts` numbers the people so that groups an algorithm compared in one question are in one part. What was asked
of whole groups tells nothing of who has what in them: its answer is the same in every table that agrees with the
release. A set of rows that cuts through groups ties just these groups together; a question about every row by itself
ties together all it was about.

Why it holds. The answer to a question about a set is the sum of the bags of the groups inside it, which are
published, and of what it has of the groups it cuts. So for an algorithm that decides on each set by its answer alone,
tables give the same release when each part taken by itself does.

Cost. One count of pairs of a set and a group a look.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from openveil.core.witness import EACH_VALUE, Labels, Look


def parts(looks: Iterable[Look], group: Labels) -> Labels:
    """The part each person is in, numbered from 0; people in no group are in one by themselves."""
    home = np.unique(group, return_inverse=True)[1].astype(np.int64)
    sizes = np.bincount(home)
    above = np.arange(len(sizes))
    for look in looks:
        tied = np.zeros_like(look.label, dtype=np.int64) if look.question == EACH_VALUE else look.label
        asked = look.label >= 0
        _tie(above, *_cut(tied[asked].astype(np.int64), home[asked], sizes, everyone=look.question == EACH_VALUE))
    return np.unique([_top(above, g) for g in range(len(sizes))], return_inverse=True)[1].astype(np.int32)[home]


def _cut(
    label: NDArray[np.int64], home: NDArray[np.int64], sizes: NDArray[np.int64], *, everyone: bool
) -> tuple[list[int], list[int]]:
    """Pairs of a set and a group that it cuts, by set."""
    pairs, rows = np.unique(label * len(sizes) + home, return_counts=True)
    sets, groups = np.divmod(pairs, len(sizes))
    cut = (rows < sizes[groups]) | everyone
    return sets[cut].tolist(), groups[cut].tolist()


def _tie(above: NDArray[np.int64], sets: list[int], groups: list[int]) -> None:
    """Put all groups that one set cuts together."""
    for place in range(1, len(sets)):
        if sets[place] == sets[place - 1]:
            above[_top(above, groups[place])] = _top(above, groups[place - 1])


def _top(above: NDArray[np.int64], group: int) -> int:
    while above[group] != group:
        above[group] = above[above[group]]
        group = int(above[group])
    return group
