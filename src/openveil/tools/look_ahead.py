"""Global look-ahead: cut a group only where no arrangement of its sensitive values could make the cut unsafe.

Claim. The groups of `look_ahead` meet the requirement, and a publisher that decides by it alone is algorithm-safe:
every table that agrees with the published groups is published in the same groups.

Why it holds. A group is cut only into sides of at least as many rows as `needs` asks for, which is enough for every
part of its bag; so each side holds whatever rows are in it. What is read of sensitive values is the bag of each group
that is considered. Each such group ends as a union of published groups, so its bag, and with it every decision, is
the same for all tables that agree with the release. Then every one of them is as likely as it was before.

Cost. One tally and one cut of the rows of the open groups a round.

Source. Jin, Zhang, Das 2011, section 6.2; the condition on several models and views is ours.
"""

from __future__ import annotations

from collections.abc import Callable

from openveil.core.bags import Counts
from openveil.core.progress import report
from openveil.core.requirement import Requirement, needed
from openveil.core.witness import Labels, Witness
from openveil.tools.cuts import Cuts


def look_ahead(cuts: Cuts, witness: Witness, requirement: Requirement) -> Labels:
    """The group of each row, when the open groups of `cuts` are cut as long as the worst case allows."""
    return cut_as_needed(cuts, lambda label, groups: needed(requirement, witness.tally(label, groups)))


def cut_as_needed(cuts: Cuts, needs: Callable[[Labels, int], Counts]) -> Labels:
    """The same, where `needs` looks at groups and says how many rows make every part of each hold."""
    while cuts.open:
        report(f"looking ahead in {cuts.open:,} groups")
        cuts.cut(needs(cuts.label(), cuts.open))
    return cuts.groups()
