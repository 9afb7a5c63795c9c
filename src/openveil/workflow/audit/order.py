"""What the order of the rows gives away.

Claim. With the original, `in_source_order` finds releases whose rows, or the rows of each group, stand in its order
or the reverse of it, and `by_hidden_values` those whose rows are sorted, up or down, by what their labels hide: who
has a list in that order can say which row is whose. `sorted_by` finds the columns that the rows are sorted by; where
there is no original, or most rows cannot be found in it, what that gives away is undecided.

Why it holds. The columns that are published as they are (sensitive and other) are compared. A sequence is taken for
the original's order only where that would be an accident in less than one of a thousand shuffled files: of the ways
to arrange the rows of a release, no more than `choose(original rows, released rows)` are found in the original in
order. So it is with the original sorted by one quasi-identifier: only ways to arrange rows within their groups count,
for the order of the groups is what their labels say, and in a release with all rows, those of the same exact value
may stand in any order. Rows of a group are also compared where they have a combination of values that occurs once in
both files.

Cost. One pass over the rows a column; one over the original, and one sort of it a quasi-identifier.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import lgamma, log
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from openveil.core.finding import Finding, Verdict
from openveil.core.schema import Role
from openveil.io.as_written import as_written
from openveil.labels.meaning import Hidden, Meaning, Run, Span
from openveil.labels.reading import Labels
from openveil.workflow.audit.received import Received

SOURCE_ORDER, HIDDEN_ORDER, SORTED = "rows in the order of the original", "rows sorted by what is hidden", "sort key"
NOT_COMPARED = "order of the rows, compared with the original"
WRONG, MORE, SUPPRESSED = "labels that do not cover the value", "rows that the original has not", "rows left out"

_THOUSAND = log(1000)
_FEWEST = 10
# Chance has each step rise or fall; of eleven, all do in less than one of a thousand files.
_STEPS = 11
_WAYS = (1, -1)
Places = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Compared:
    """A release beside its original: the combination of published values of each row, numbered alike in both."""

    received: Received
    original: pl.DataFrame = field(repr=False)
    here: NDArray[np.int32] = field(repr=False)
    there: NDArray[np.int32] = field(repr=False)

    @staticmethod
    def of(received: Received) -> Compared | None:
        """None where there is no original, or no column to compare by."""
        original = received.original
        if original is None:
            return None
        names = [name for name in received.named(Role.SENSITIVE, Role.OTHER) if name in original.columns]
        if not names:
            return None
        both = pl.concat([received.frame.select(names), as_written(original.select(names))])
        number = both.select(pl.struct(names).rank("dense").cast(pl.Int32)).to_series().to_numpy()
        cut = received.frame.height
        return Compared(received, original, number[:cut], number[cut:])

    @cached_property
    def direction(self) -> int:
        """1 where the rows stand in the order of the original, -1 in its reverse, beyond accident; otherwise 0."""
        free = _log_arrangements(self.here, np.zeros(len(self.here), dtype=np.int64))
        if not _no_accident(free, self._log_found, len(_WAYS)):
            return 0
        return next((way for way in _WAYS if _is_found(self.here[::way], self.there)), 0)

    @cached_property
    def source(self) -> Places:
        """The row of the original that each row was, where only one can be meant; otherwise -1."""
        if self.direction and len(self.here) == len(self.there):
            return np.arange(len(self.here))[:: self.direction]
        size = int(max(self.here.max(initial=0), self.there.max(initial=0))) + 1
        once = (np.bincount(self.here, minlength=size) == 1) & (np.bincount(self.there, minlength=size) == 1)
        place = np.full(size, -1, dtype=np.int64)
        place[self.there] = np.arange(len(self.there))
        return np.where(once[self.here], place[self.here], -1)

    @property
    def mostly_found(self) -> bool:
        """Whether at least half of the rows can be found in the original."""
        return 2 * int((self.source >= 0).sum()) >= len(self.here)

    def is_sorted_by(self, rank: Places) -> bool:
        """Whether the rows stand as the original does when sorted by these ranks, as no shuffled groups would."""
        tries = len(_WAYS) * max(1, len(self.received.labels))
        free = _log_arrangements(self.here, self.received.home)
        if len(self.here) < len(self.there):
            orders = [self.there[np.argsort(way * rank, kind="stable")][::end] for way in _WAYS for end in _WAYS]
            known = _no_accident(free, self._log_found, 2 * tries)
            return known and any(_is_found(self.here, order) for order in orders)
        if len(self.here) > len(self.there):
            return False
        return any(
            _no_accident(free, _log_arrangements(self.here, np.sort(way * rank)), tries)
            and _same_blocks(self.here, self.there, way * rank)
            for way in _WAYS
        )

    @property
    def _log_found(self) -> float:
        """Of how many ways to arrange the rows the original can have the order, at most."""
        return _log_choose(len(self.there), len(self.here))


def rows_left_out(received: Received) -> Iterator[Finding]:
    """How many rows the release has less than the original, or more."""
    if received.original is None:
        return
    less = received.original.height - received.frame.height
    if less < 0:
        note = "the release has so many rows more than the original: is it the right one?"
        yield Finding(MORE, "release", -less, Verdict.UNDECIDED, note=note)
    else:
        yield Finding(SUPPRESSED, "original", less, note="so many rows of the original are not in the release")


def not_compared(received: Received) -> Iterator[Finding]:
    """That there is nothing to compare the order by, where there is an original."""
    if received.original is not None:
        note = "no sensitive or other column is in both files, so the order of the rows could not be compared"
        yield Finding(NOT_COMPARED, "release", 0, Verdict.UNDECIDED, note=note)


def in_source_order(compared: Compared) -> Iterator[Finding]:
    """Whether the rows, or those of each group, stand in the order of the original."""
    rows = len(compared.here)
    if compared.direction:
        how = "in the order of the original" + (", or in its reverse," if compared.direction < 0 else "")
        note = f"who has a list {how} knows whose each row is; shuffle the rows"
        yield Finding(SOURCE_ORDER, "release", rows, Verdict.FAILS, note=note)
    elif _all_one_way(compared, compared.source):
        note = "within each group the rows stand in the order of the original, or its reverse; shuffle them"
        yield Finding(SOURCE_ORDER, "groups", rows, Verdict.FAILS, note=note)


def by_hidden_values(compared: Compared) -> Iterator[Finding]:
    """Quasi-identifiers by whose exact values the rows are sorted, though labels hide them."""
    known = compared.source >= 0
    for name in compared.received.labels:
        rank = _ranks(compared.original[name])
        if compared.is_sorted_by(rank):
            note = f"the rows are sorted by the exact {name}, which their labels hide; shuffle them"
            yield Finding(HIDDEN_ORDER, name, len(known), Verdict.FAILS, note=note)
        elif _all_one_way(compared, np.where(known, rank[compared.source], -1)):
            note = f"within each group the rows are sorted by the exact {name}, which their labels hide; shuffle"
            yield Finding(HIDDEN_ORDER, name, int(known.sum()), Verdict.FAILS, note=note)


def wrong_labels(compared: Compared) -> Iterator[Finding]:
    """Labels that do not cover the value they stand for, in rows that can be found in the original."""
    rows = np.flatnonzero(compared.source >= 0)
    for name, labels in compared.received.labels.items():
        values = as_written(compared.original.select(name)).to_series()
        wrong = _uncovered(labels, compared.received.frame[name][rows], values[compared.source[rows]])
        if wrong:
            note = f"so many labels do not cover the {name} of the row they stand in"
            yield Finding(WRONG, name, wrong, Verdict.FAILS, note=note)


def sorted_by(received: Received) -> Iterator[Finding]:
    """Columns by which the rows are sorted; none where the order follows from what is published."""
    names, rows = received.frame.columns, received.frame.height
    places = {name: _places(received, name) for name in names} if rows >= _FEWEST else {}
    keys = [name for name, each in places.items() if _is_sorted(each)]
    if any(_follows(places, name) for name in keys):
        return
    for name in keys:
        labels = received.labels.get(name)
        if labels is not None and labels.kinds.keys() - {"values", "hidden"}:
            note = (
                f"the rows are sorted by {name}; within one label they may be sorted by what it hides, which only "
                "the original tells; shuffle them"
            )
            yield Finding(SORTED, name, rows, Verdict.UNDECIDED, note=note)
        else:
            yield Finding(SORTED, name, rows, note="the rows are sorted by it")


def _follows(places: Mapping[str, NDArray[np.int64]], key: str) -> bool:
    """Whether the rows are sorted by all columns, this one first, so that their order says nothing more."""
    columns = [places[key], *(each for name, each in places.items() if name != key)]
    order = np.lexsort(columns[::-1])
    return all(np.array_equal(each[order], each) for each in columns)


def _all_one_way(compared: Compared, places: Places) -> bool:
    """Whether places only rise, or only fall, within groups, too often for an accident; below 0 they are unknown."""
    known = np.flatnonzero(places >= 0)
    home = compared.received.home[known]
    order = known[np.argsort(home, kind="stable")]
    same = compared.received.home[order][1:] == compared.received.home[order][:-1]
    steps = np.sign(np.diff(places[order])[same])
    return bool(abs(int(steps.sum())) == np.count_nonzero(steps) >= _STEPS)


def _uncovered(labels: Labels, shown: pl.Series, values: pl.Series) -> int:
    """How many rows show a label that cannot stand for their value; a missing value may be shown as anything."""
    pairs = pl.DataFrame({"label": labels.axis.encode(shown)[0], "value": values})
    counted = pairs.drop_nulls().group_by("label", "value").len().rows()
    return sum(times for code, text, times in counted if not labels.covers(code, text))


def _places(received: Received, name: str) -> NDArray[np.int64]:
    """The place of each row in the order of a column: labels by where they start, other texts as they compare."""
    labels, column = received.labels.get(name), received.frame[name]
    if labels is None or labels.unread.all():
        sizes = column.cast(pl.Float64, strict=False)
        numbers = sizes if sizes.null_count() == column.null_count() else column
        return numbers.rank("dense").fill_null(0).cast(pl.Int64).to_numpy()
    starts = [_start(meaning, text) for meaning, text in zip(labels.meanings, labels.axis.published, strict=True)]
    ranks = {start: rank for rank, start in enumerate(sorted(set(starts)))}
    return np.array([ranks[start] for start in starts], dtype=np.int64)[labels.axis.encode(column)[0]]


def _start(meaning: Meaning | None, text: object) -> tuple[int, Fraction, str]:
    """Where a label starts; what has no start comes after the others, what shows nothing last."""
    if isinstance(meaning, Span):
        return (0, Fraction(0), "") if meaning.low is None else (1, meaning.low, "")
    if isinstance(meaning, Run):
        return 1, Fraction(meaning.low), ""
    return (3, Fraction(0), "") if isinstance(meaning, Hidden) else (2, Fraction(0), str(text))


def _is_sorted(places: NDArray[np.int64]) -> bool:
    """Whether the places rise, or fall, all along, and take more than two values."""
    if len(np.unique(places)) < 3:
        return False
    return bool((places[1:] >= places[:-1]).all() or (places[1:] <= places[:-1]).all())


def _ranks(column: pl.Series) -> Places:
    """The place of each value in the order of its column; those that are missing come first."""
    return column.rank("dense").fill_null(0).cast(pl.Int64).to_numpy()


def _no_accident(free: float, meant: float, tries: int) -> bool:
    """Whether in so many tries less than one of a thousand files is arranged as meant; both are logarithms."""
    return free - meant > _THOUSAND + log(tries)


def _is_found(short: NDArray[np.int32], long: NDArray[np.int32]) -> bool:
    from openveil.kernels.within import found_in_order

    return len(short) <= len(long) and bool(found_in_order(np.ascontiguousarray(short), np.ascontiguousarray(long)))


def _same_blocks(here: NDArray[np.int32], there: NDArray[np.int32], rank: Places) -> bool:
    """Whether `here` is `there` sorted by rank, where those of the same rank may stand in any order."""
    return np.array_equal(here[np.lexsort((here, np.sort(rank)))], there[np.lexsort((there, rank))])


def _log_arrangements(items: NDArray[np.int32], block: NDArray[np.integer[Any]]) -> float:
    """In how many ways the items can be arranged within their blocks."""
    pairs = np.stack([block.astype(np.int64), items.astype(np.int64)])
    alike = np.unique(pairs, axis=1, return_counts=True)[1]
    blocks = np.unique(block, return_counts=True)[1]
    return sum(lgamma(n + 1) for n in blocks.tolist()) - sum(lgamma(n + 1) for n in alike.tolist())


def _log_choose(many: int, few: int) -> float:
    return lgamma(many + 1) - lgamma(few + 1) - lgamma(many - few + 1) if few <= many else 0.0
