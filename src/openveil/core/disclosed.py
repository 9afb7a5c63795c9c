"""In what sense a method is safe, and what one says of itself that is safe by its disclosure set.

Claim. A method of `SAME_WORLDS` publishes every table that agrees with the release in the same way, so knowing it
teaches nothing. A method of `DISCLOSURE_SET` may have looked at groups that it does not publish, and whoever knows it
rules out some of the tables that agree with the release; of those that are left, the privacy model holds, person by
person. That is another promise, and the weaker one: a release of this kind does tell more than it shows, but not too
much. `Disclosed` is how such a method shows that it keeps it.

Looks that the release does not show are accounted for in two ways: they are at the groups of functions, which follow
from quasi-identifiers and the plan alone; or they are at the two halves of a group that stayed whole. Halves may have
been drawn, so nobody can say again which they were. But they can be told from the looks: a group may have been parted
in one look only, into two sets of its own rows of which one has at most a row more. What such a look tells is the
method's to say; this is what it must not exceed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from openveil.core.finding import Finding, Key, Verdict
from openveil.core.witness import Labels, Look, Shown, unlike

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

    `functions` are the groups of each row under every function that it may have asked about; `halved` are groups each
    of which it may have asked about once in two halves. `note` says how it was told that the set satisfies the
    privacy model, `findings` what else was measured of it.
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
    """The looks that were not at unions of these groups and at halves of groups that no look before had parted."""
    parted = np.zeros(int(group.max(initial=-1)) + 1, dtype=np.bool_)
    for look in looks:
        halved = _in_halves(look, group, len(parted))
        if halved is None or (halved & parted).any():
            yield look
        else:
            parted |= halved


def _in_halves(look: Look, group: Labels, groups: int) -> NDArray[np.bool_] | None:
    """Which groups were asked about in two even halves, where all others were asked about whole; None if not so."""
    if look.starts is not None or (group < 0).any():
        return None
    label = look.label.astype(np.int64)
    first, last = np.full(groups, len(label)), np.full(groups, -1)
    np.minimum.at(first, group, label)
    np.maximum.at(last, group, label)
    halved: NDArray[np.bool_] = first < last
    rows = np.bincount(label[label >= 0], minlength=1)
    lower, upper = rows[first[halved]], rows[last[halved]]
    in_two = ((label == first[group]) | (label == last[group])).all()
    alone = (lower + upper == np.bincount(group, minlength=groups)[halved]).all()
    even = (abs(lower - upper) <= 1).all() and (first[halved] >= 0).all()
    return halved if in_two and alone and even else None
