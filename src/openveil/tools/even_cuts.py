"""Even cuts: where no look-ahead allows a cut, look at one pair of halves, and cut if both hold.

Claim. Every group holds, if the groups did that were started with. Of whoever knows the algorithm, every
quasi-identifier and which group each person is in: each row has each combination of sensitive values, and of what
guards them, with exactly the chance that its published group shows. Of several rows together more may be known.

Why it holds. Before anything is published all arrangements of a group's values over its rows are taken to be equally
likely.

(1) That a group was cut follows from the bags of its sides, which are sums of published ones; so does whether
    look-ahead allowed it. So what is known besides is, for each published group by itself, that its halves, if there
    were any to look at, did not both hold.
(2) Of 2k rows both halves have k. Whether both hold stays what it is when values trade places within a half, and when
    the halves trade places. So all rows have the same chances, and these are the shares of the bag.
(3) Of 2k + 1 rows one is drawn, each as likely, and joins a half by a coin; the others are halved. Whether both
    halves hold stays what it is when the halves of the others trade places and the coin falls the other way. So,
    given which row was drawn, all others have the same chances, and neither these nor those of the drawn row depend
    on which it was; nor does it say which it was that the halves failed. So again all rows have the same chances.
    Were both ways to join looked at, and the row put where its quasi-identifiers are, groups that were cut would tell
    more than they show: the row in the middle is in the larger half both ways.
(4) The halves are found by quasi-identifiers and chance alone, so are those that are left alone because they would
    have too few rows or persons; neither depends on what is drawn in (3). There is one pair for a group: were another
    one tried after the first had failed, (2) would not hold of the two together.

Persons with several rows: the claim is about each of their rows by itself. That one of them has a value has at most
the sum of the chances.

Cost. Two tallies and two passes over the rows of the open groups a round, and log n rounds.

Source. New. It is the exclusive strategy of Zhang, Wang, Jajodia, Brodsky 2008 with two functions, in each group by
itself, where the disclosure set needs no counting. Look-ahead is that of Jin, Zhang, Das 2011, section 6.2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from openveil.core.bags import Bags, Counts
from openveil.core.disclosed import CHANCE, Disclosed
from openveil.core.finding import Finding
from openveil.core.progress import report
from openveil.core.recoding import refines
from openveil.core.requirement import Requirement, enough, needed
from openveil.core.secret import Secret
from openveil.core.witness import Labels, Witness
from openveil.disclosure.asking import fewest_rows
from openveil.tools.cuts import Flags, Halves, MedianCuts
from openveil.tools.look_ahead import cut_as_needed

Views = tuple[Bags, ...]


@dataclass(frozen=True)
class Asked:
    """What is asked of groups: `look` gives the bags of groups, of which all else may depend.

    `needs` says how many rows make every part of a group hold, `holds` which groups hold, `fewest` how many rows a
    group has that holds, at least, whatever its values.
    """

    look: Callable[[Labels, int], Views]
    needs: Callable[[Views], Counts]
    holds: Callable[[Views], Flags]
    fewest: int = 1

    @staticmethod
    def of(requirement: Requirement, witness: Witness) -> Asked:
        """What a privacy model asks of the bags that a witness tells of."""

        def needs(views: Views) -> Counts:
            return needed(requirement, views)

        def holds(views: Views) -> Flags:
            return enough(requirement, views) & np.ones(len(views[0]), dtype=np.bool_)

        return Asked(witness.tally, needs, holds, fewest_rows(requirement))


def cut_evenly(cuts: MedianCuts, asked: Asked, secret: Secret) -> Labels:
    """The group of each row, when open groups are cut by looking ahead and, where that is not allowed, evenly."""
    number = 0
    while cuts.open:
        report(f"looking at {cuts.open:,} groups")
        chosen, middle = cuts.chosen(asked.needs(asked.look(cuts.label(), cuts.open)), range(cuts.attributes))
        halves = cuts.halves(chosen < 0, asked.fewest, secret, f"even cuts, round {number}")
        cuts.make_or_halve(chosen, middle, holding(cuts, asked, halves))
        number += 1
    return cuts.groups()


def holding(cuts: MedianCuts, asked: Asked, halves: Halves) -> Halves:
    """The pairs of halves of which both hold; without any, nothing is asked."""
    if not halves.number:
        return halves
    return halves.where(asked.holds(asked.look(cuts.in_halves(halves), halves.number)))


def told_of(first: MedianCuts, last: MedianCuts | None, asked: Asked, group: Labels) -> Disclosed:
    """What is said of published groups, by a method that started with the open groups of `first`.

    That it can have come to these groups is checked as far as it follows from them: all that look-ahead cuts first is
    cut and, where the open groups of `last` are those that are published, it allows no further cut.
    """
    views = asked.look(group, int(group.max(initial=-1)) + 1)
    ours = refines(group, cut_as_needed(first, lambda label, groups: asked.needs(asked.look(label, groups))))
    if last is not None:
        ours &= bool((last.chosen(asked.needs(views), range(last.attributes))[0] < 0).all())
    holds = ours and bool(asked.holds(views).all())
    note = (
        "everyone has each value with the chance that the group shows" if ours else "no even cuts lead to the groups"
    )
    largest = max((largest_share(bags) for bags in views if bags.pairs is None), default=Fraction(0))
    return Disclosed(holds, (), note, (Finding(*CHANCE, largest),), halved=group)


def largest_share(bags: Bags) -> Fraction:
    """The largest share of a value in a group."""
    pairs = np.unique(np.stack([bags.largest, bags.sizes]), axis=1).T.tolist()
    return max((Fraction(most, rows) for most, rows in pairs if rows), default=Fraction(0))
