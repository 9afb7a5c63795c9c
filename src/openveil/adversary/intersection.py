"""The intersection attack: two releases of overlapping people tell more together than each of them alone.

Claim. Everyone in the release is looked up in another one, by the labels both have. A person who is in both has a
sensitive value that occurs in the person's group of the one and in a group of the other that fits. Of whom a single
value is left, it is certain; where several are left, their chances are in proportion to the product of how often each
occurs on both sides. Exposed is whoever has a value of a greater chance than was promised. The attack bets on the
likeliest value; the baseline on the most frequent one of the person's group in this release alone.

Why it holds. If the value of a person did not change between the releases it is in both groups. The product is the
chance for an adversary to whom the two groups say independent things and all values were equally likely before.
People who are not in the other release, or whose value changed, make the attack wrong, which its arms show; where no
value is left it makes no bet. Labels that cannot be read are taken for all there is, so nothing is learned from them.

Cost. One comparison for each pair of a distinct combination of values and a group of the other release.

Source. S. Ganta, S. Kasiviswanathan, A. Smith, Composition attacks and auxiliary information in data privacy, 2008.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from openveil.core.attack import NO_GUESS, Beliefs, Guessing, Sensitive, Target, beyond, commonest
from openveil.core.bags import Bags
from openveil.core.errors import refuse
from openveil.core.registry import Kind, Status, part
from openveil.io.read import Source, read
from openveil.tools.other_release import OtherRelease

_BLOCK = 1 << 14


@part(Kind.ATTACK, "intersection", source="Ganta, Kasiviswanathan, Smith 2008", status=Status.MEASURED)
@dataclass(frozen=True)
class Intersection(Guessing):
    """Look everyone up in another release, and keep the values that occur in both groups.

    `other` is the file of the other release, made by openveil or by another tool: one row a person, and columns named
    as in this table.
    """

    applies_to: ClassVar[str] = "sensitive columns that the other release has too"

    other: Path

    def believe(self, target: Target, column: Sensitive) -> Beliefs | None:
        """What is left of each person's values."""
        frame = read(Source(self.other))
        if column.name not in frame.columns:
            return None
        return self.compared(target, column, frame)

    def compared(self, target: Target, column: Sensitive, frame: pl.DataFrame) -> Beliefs:
        """The attack with the other release at hand."""
        if not set(target.public.names) & set(frame.columns):
            remedy = f"Rename its columns; the table has {', '.join(map(repr, target.public.names))}"
            raise refuse("intersection", "the other release has none of the quasi-identifiers", remedy)
        other = OtherRelease.of(target.public, frame, column)
        bags = target.bags(column)
        best, up, down = _left(target, bags, *other.values_of(target.public))
        asked = best != NO_GUESS
        return Beliefs(
            guess=best,
            chance=np.where(asked, up / np.maximum(down, 1), 0.0),
            exposed=asked & beyond(up, down, target.limit),
            naive=target.of_groups(commonest(bags), NO_GUESS).astype(np.int32),
            cost=len(other.counts),
            counted="groups of the other release",
            undecided=~asked & target.published if other.unread == frame.height else None,
            note=f"{other.unread:,} rows of the other release have labels that were not read" if other.unread else "",
        )


def _left(
    target: Target, bags: Bags, elsewhere: NDArray[np.int64], number: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """For each row the likeliest value that is left, and its weight of all weights."""
    rows = len(target.group)
    best = np.full(rows, NO_GUESS, dtype=np.int32)
    up, down = np.zeros((2, rows), dtype=np.int64)
    dense = np.zeros((target.groups, bags.domain), dtype=np.int64)
    dense[bags.owner, bags.values] = bags.counts
    shown = np.flatnonzero(target.published)
    for start in range(0, len(shown), _BLOCK):
        here = shown[start : start + _BLOCK]
        weights = dense[target.group[here]] * elsewhere[number[here]]
        up[here], down[here] = weights.max(axis=1, initial=0), weights.sum(axis=1)
        best[here] = np.where(up[here] > 0, weights.argmax(axis=1), NO_GUESS)
    return best, up, down
