"""In what sense a method is safe, and what one says of itself that is safe by its disclosure set.

Claim. A method of `SAME_WORLDS` publishes every table that agrees with the release in the same way, so knowing it
teaches nothing. A method of `DISCLOSURE_SET` may have looked at groups that it does not publish, and whoever knows it
rules out some of the tables that agree with the release; of those that are left, the privacy model holds, person by
person. That is another promise, and the weaker one: a release of this kind does tell more than it shows, but not too
much. `Disclosed` is how such a method shows that it keeps it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from openveil.core.finding import Finding, Key, Verdict
from openveil.core.witness import Labels, Look, Shown, unlike

DISCLOSURE_SET: Key = ("the tables that knowing the method leaves satisfy the privacy model", "algorithm")
UNACCOUNTED: Key = ("looks at sensitive values that the disclosure set does not account for", "algorithm")


class Safety(StrEnum):
    """What holds of a method that is not known to be unsafe, against those who know it."""

    SAME_WORLDS = "every table that agrees with the release is published alike"
    DISCLOSURE_SET = "the tables that are published alike satisfy the privacy model"


@dataclass(frozen=True, eq=False)
class Disclosed:
    """What a method says of its disclosure set, worked out from the published groups and quasi-identifiers alone.

    `functions` are the groups of each row under every function that it may have asked about; `note` says how it was
    told that the set satisfies the privacy model, `findings` what else was measured of it.
    """

    holds: bool
    functions: tuple[Labels, ...] = field(repr=False)
    note: str
    findings: tuple[Finding, ...] = ()

    def told(self, looks: Sequence[Look]) -> Iterator[Finding]:
        """The answer; and of the looks that the release does not show, whether all were at these functions."""
        verdict = Verdict.HOLDS if self.holds else Verdict.FAILS
        yield Finding(*DISCLOSURE_SET, int(self.holds), verdict, limit=1, note=self.note)
        strange = sum(1 for look in looks if not self._accounts_for(look))
        yield Finding(*UNACCOUNTED, strange, Verdict.FAILS if strange else Verdict.HOLDS, limit=0)
        yield from self.findings

    def _accounts_for(self, look: Look) -> bool:
        return any(not [*unlike((look,), Shown.of_groups(function))] for function in self.functions)
