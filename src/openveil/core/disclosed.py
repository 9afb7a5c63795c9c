"""In what sense a method is safe, and what one says of itself that is safe by its disclosure set.

Claim. A method of `SAME_WORLDS` publishes every table that agrees with the release in the same way, so knowing it
teaches nothing. A method of `DISCLOSURE_SET` may have looked at groups that it does not publish, and whoever knows it
rules out some of the tables that agree with the release; of those that are left, the privacy model holds, person by
person. That is another promise, and the weaker one: a release of this kind does tell more than it shows, but not too
much. `Disclosed` is how such a method shows that it keeps it.

Looks that the release does not show are accounted for in two ways: they are at the groups of functions, which follow
from quasi-identifiers and the plan alone; or they are at two halves of a group or of several. Halves may have been
drawn, so nobody can say again which they were. But they can be told from the looks: both have as many rows, and each
half the rows of every group that they share; if they share one group alone, one may have a row more. No group may be
shared by other halves in another look. What such looks tell is the method's to say; this is what they must not go
beyond.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from openveil.core.bags import Counts
from openveil.core.finding import Finding, Key, Verdict
from openveil.core.witness import NOT_ASKED, Labels, Look, Shown, unlike

Sets = NDArray[np.signedinteger]
DISCLOSURE_SET: Key = ("the tables that knowing the method leaves satisfy the privacy model", "algorithm")
CHANCE: Key = ("largest chance of a sensitive value of a person, for those who know the method", "disclosure set")
UNACCOUNTED: Key = ("looks at sensitive values that the disclosure set does not account for", "algorithm")


class Safety(StrEnum):
    """What holds of a method that is not known to be unsafe, against those who know it."""

    SAME_WORLDS = "every table that agrees with the release is published alike"
    DISCLOSURE_SET = "the tables that are published alike satisfy the privacy model"


@dataclass(frozen=True, eq=False)
class Disclosed:
    """What a method says of its disclosure set, worked out from the published groups and quasi-identifiers alone.

    `functions` are the groups of each row under every function that it may have asked about; `halved` are groups that
    it may have asked about in halves, of which there is one pair for each. `note` says how it was told that the set
    satisfies the privacy model, `findings` what else was measured of it.
    """

    holds: bool
    functions: tuple[Labels, ...] = field(repr=False)
    note: str
    findings: tuple[Finding, ...] = ()
    halved: Labels | None = field(default=None, repr=False)

    def told(self, looks: Sequence[Look]) -> Iterator[Finding]:
        """The answer; and of the looks that the release does not show, whether all were at these functions."""
        verdict = Verdict.HOLDS if self.holds else Verdict.FAILS
        yield Finding(*DISCLOSURE_SET, int(self.holds), verdict, limit=1, note=self.note)
        others = [look for look in looks if not self._accounts_for(look)]
        strange = len(others) if self.halved is None else sum(1 for _ in not_in_halves(others, self.halved))
        yield Finding(*UNACCOUNTED, strange, Verdict.FAILS if strange else Verdict.HOLDS, limit=0)
        yield from self.findings

    def _accounts_for(self, look: Look) -> bool:
        return any(not [*unlike((look,), Shown.of_groups(function))] for function in self.functions)


def not_in_halves(looks: Sequence[Look], group: Labels) -> Iterator[Look]:
    """The looks that were neither at unions of these groups nor at halves that share each always in one way."""
    order = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.diff(group[order], prepend=-1))
    shared = np.full(len(group), NOT_ASKED, dtype=np.int8)
    for look in looks:
        side = None if look.answer is not None or (group < 0).any() else _sides(look.label[order], starts)
        if side is None or ((side >= 0) & (shared >= 0) & (side != shared)).any():
            yield look
        else:
            shared = np.maximum(side, shared)


def _sides(label: Sets, starts: Counts) -> NDArray[np.int8] | None:
    """The half of each row, as seen from the first row of its group; NOT_ASKED in groups that are not shared.

    The rows of each group stand together, from one start to the next. Nothing, where groups are shared in another way
    than by two even halves.
    """
    sizes = np.diff(starts, append=len(label))
    low, high = np.minimum.reduceat(label, starts), np.maximum.reduceat(label, starts)
    upper = label == np.repeat(high, sizes)
    if not (upper | (label == np.repeat(low, sizes))).all():
        return None
    above = np.add.reduceat(upper, starts, dtype=np.int64)
    if not _even(low, high, above, sizes, np.bincount(label[label >= 0], minlength=1)):
        return None
    side: NDArray[np.int8] = np.where(
        np.repeat(low < high, sizes), upper != np.repeat(upper[starts], sizes), NOT_ASKED
    ).astype(np.int8)
    return side


def _even(low: Sets, high: Sets, above: Counts, sizes: Counts, rows: Counts) -> bool:
    """Whether the sets that share groups are halves: pairs of as many rows, with half of every group that they share.

    One may have a row more than the other, if they share one group alone. Of the rows of a group so many are `above`,
    which is to say in its set with the higher number; `rows` are those of each set.
    """
    shared = low < high
    pairs = np.unique(np.stack([low[shared], high[shared]]), axis=1)
    if not (pairs >= 0).all() or len(np.unique(pairs)) < pairs.size or np.isin(low[~shared], pairs).any():
        return False
    above, below = above[shared], (sizes - above)[shared]
    lower, upper = rows[low[shared]], rows[high[shared]]
    alone = (above == upper) & (below == lower) & (abs(lower - upper) == 1)
    return bool(np.where(lower == upper, above == below, alone).all())
