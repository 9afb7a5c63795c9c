"""Interval ends that show somebody's exact value.

Claim. `ends` finds quasi-identifiers whose intervals are made from the values of the people in the table. With the
original it is an accident of weight when an end is a value that fewer than the plan's k people have: the label then
says that one of so few is in the group. Without it, it cannot be told whether it is so.

Why it holds. Intervals on a grid (equal widths from a common start, or each beginning where another ends) can be
written down without looking at anyone; ends that are none of the values were not taken from them. What is left over,
intervals of many widths that overlap or leave gaps, is how programs write the least and greatest value of a group.

Cost. One look at each distinct label; one count of the values of the original.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

import polars as pl

from openveil.core.finding import Finding, Verdict
from openveil.io.as_written import as_written
from openveil.labels.meaning import Span
from openveil.labels.reading import Labels
from openveil.workflow.audit.received import Received

ENDS = "interval ends that are somebody's value"

Ends = tuple[Fraction, Fraction]


def ends(received: Received) -> Iterator[Finding]:
    """Columns whose intervals end at values of people."""
    original = received.original
    for name, labels in received.labels.items():
        found = sorted(_closed(labels))
        if len(found) < 2 or _on_a_grid(found):
            continue
        if original is None:
            note = (
                f"the intervals of {name} are on no grid, as when they are made from the lowest and highest value of "
                "each group; whether an end shows the value of few people only the original tells (--original)"
            )
            yield Finding(ENDS, name, len(found), Verdict.UNDECIDED, note=note)
        else:
            people = _people_at(labels, as_written(original.select(name)).to_series())
            yield from _of_few(name, {end for span in found for end in span}, people, received.smallest)


def _people_at(labels: Labels, values: pl.Series) -> Counter[Fraction]:
    """How many people of the original have each value."""
    people: Counter[Fraction] = Counter()
    for text, number in values.drop_nulls().value_counts().iter_rows():
        place = labels.scale.place(text)
        if place is not None:
            people[place[0]] += number
    return people


def _of_few(name: str, shown: set[Fraction], people: Counter[Fraction], smallest: int) -> Iterator[Finding]:
    """The ends that few people have, where all ends are values of people."""
    if not shown <= people.keys():
        return
    few = sum(people[end] < smallest for end in shown)
    note = f"so many ends of intervals of {name} are the exact value of fewer than {smallest} people"
    if few:
        yield Finding(ENDS, name, few, Verdict.FAILS, note=f"{note}; use intervals of fixed widths")
    else:
        yield Finding(ENDS, name, few, note=note)


def _closed(labels: Labels) -> Iterator[Ends]:
    """The intervals of more than one value that end on both sides."""
    for meaning in set(labels.meanings):
        if isinstance(meaning, Span) and None not in (meaning.low, meaning.high) and meaning.low != meaning.high:
            yield meaning.low, meaning.high  # type: ignore[misc]


def _on_a_grid(found: list[Ends]) -> bool:
    """Whether all ends lie on the grid of the narrowest interval, or each interval begins where another ends.

    Intervals of whole numbers may be written by their last number: 20-29 and 30-39 are ten wide.
    """
    start, narrowest = found[0][0], min(high - low for low, high in found)
    for more in (0, 1):
        step = narrowest + more
        ends_on_it = (place for low, high in found for place in (low - start, high + more - start))
        if step >= 2 and all(place % step == 0 for place in ends_on_it):
            return True
    gaps = {following[0] - before[1] for before, following in pairwise(found)}
    return len(gaps) == 1 and 0 <= min(gaps) <= 1
