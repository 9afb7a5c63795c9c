"""Mondrian with even cuts: look-ahead and, where it allows no cut, one look at two halves.

Claim. Every group meets the privacy model, and to whoever knows the algorithm, every quasi-identifier and which group
each person is in, every person has each combination of sensitive values with exactly the chance that the group shows.
Of several persons together more may be known than the groups show, which is not so of `mondrian+` and `mondrian++`.
Groups are far smaller than those of `mondrian+`.

Why it holds. A group is cut at the median of its widest attribute if no arrangement of its values could make a side
fail, as by `mondrian+`. Where there is no such cut, its rows are put in order by the widest attribute, then the next,
and the halves of this order are looked at once: the group is cut if both hold, and stays whole otherwise. Of an odd
number of rows one is drawn, and joins a half by a coin. Why this leaves everyone's chances as they are is said in
`tools/even_cuts.py`. Rows that are equal in all attributes are told apart by the secret, never by their order in the
file. Enumerated on small tables in the contract suite. Generalised groups may overlap, so a reader knows less than
which group a person is in: what is learned then is an average over the possible groups.

Cost. Two tallies and at most four passes over the rows of the open groups a round, and log n rounds: n log n for a
fixed number of attributes.

Source. New. Look-ahead is that of Jin, Zhang, Das 2011, section 6.2; that a look may be harmless although the release
does not show it, and how to say so, is of Zhang, Wang, Jajodia, Brodsky 2008.
"""

from __future__ import annotations

from dataclasses import dataclass

from openveil.core.registry import Kind, Status, part
from openveil.core.requirement import Requirement
from openveil.core.secret import Secret
from openveil.core.table import Public
from openveil.core.witness import Labels, Witness
from openveil.tools.cuts import MedianCuts
from openveil.tools.even_cuts import Asked, cut_evenly
from openveil.tools.evenly import Even


@part(Kind.PUBLISHER, "mondrian-even", source="openveil, after Jin, Zhang, Das 2011", status=Status.PROVED)
@dataclass(frozen=True)
class MondrianEven(Even):
    """Cut at medians by looking ahead and, where that is not allowed, into halves that are looked at once.

    Every person keeps the chances that the group shows; of several persons together more may be told. `widths` says
    how the widest attribute is found: "relative" to its width in the table, or "raw". `scheme` is "generalisation" or
    "bucketisation"; `show` is "fitting", "intervals" or "nodes".
    """

    def partition(self, public: Public, witness: Witness, requirement: Requirement, secret: Secret) -> Labels:
        """The groups that cannot be cut any more."""
        cuts = MedianCuts(public, requirement, self.widths)
        return cut_evenly(cuts, Asked.of(requirement, witness), secret)
