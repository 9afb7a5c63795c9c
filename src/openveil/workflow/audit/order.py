"""What the order of the rows gives away.

Claim. With the original, `in_source_order` finds releases whose rows, or the rows of each group, stand in its order,
and `by_hidden_values` those whose rows are sorted by what their labels hide: who has a list in that order can say
which row is whose. Without it, `sorted_by` finds the columns that the rows are sorted by.

Why it holds. The columns that are published as they are (sensitive and other) are compared. A sequence is taken for
the original's order only where that would be an accident in less than one of a thousand shuffled files: of the ways
to arrange the rows of a release, no more than `choose(original rows, released rows)` are found in the original in
order. Rows of a group are compared where they have a combination of values that occurs once in both files.

Cost. One pass over the rows a column; one over the original.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import lgamma, log

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
    def in_order(self) -> bool:
        """Whether the rows stand in the order of the original, as no shuffled file would."""
        from openveil.kernels.within import found_in_order

        few, many = len(self.here), len(self.there)
        ways = _log_choose(many, few)
        arrangements = lgamma(few + 1) - sum(lgamma(n + 1) for n in np.bincount(self.here).tolist())
        return few <= many and arrangements - ways > _THOUSAND and bool(found_in_order(self.here, self.there))

    @cached_property
    def source(self) -> Places:
        """The row of the original that each row was, where only one can be meant; otherwise -1."""
        if self.in_order and len(self.here) == len(self.there):
            return np.arange(len(self.here))
        size = int(max(self.here.max(initial=0), self.there.max(initial=0))) + 1
        once = (np.bincount(self.here, minlength=size) == 1) & (np.bincount(self.there, minlength=size) == 1)
        place = np.full(size, -1, dtype=np.int64)
        place[self.there] = np.arange(len(self.there))
        return np.where(once[self.here], place[self.here], -1)


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
    if compared.in_order:
        note = "who has a list in the order of the original knows whose each row is; shuffle the rows"
        yield Finding(SOURCE_ORDER, "release", rows, Verdict.FAILS, note=note)
    elif _rising(compared, compared.source.astype(np.float64)):
        note = "within each group the rows stand in the order of the original; shuffle them"
        yield Finding(SOURCE_ORDER, "groups", rows, Verdict.FAILS, note=note)


def by_hidden_values(compared: Compared) -> Iterator[Finding]:
    """Quasi-identifiers by whose exact values the rows are sorted, though labels hide them."""
    known = compared.source >= 0
    for name in compared.received.labels:
        size = _sizes(compared.original[name])
        if size is not None and _rising(compared, np.where(known, size[compared.source], -1.0)):
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


def _rising(compared: Compared, values: NDArray[np.float64]) -> bool:
    """Whether values never fall within a group and rise too often for an accident; below 0 they are unknown."""
    known = np.flatnonzero(values >= 0)
    home = compared.received.home[known]
    order = known[np.argsort(home, kind="stable")]
    same = compared.received.home[order][1:] == compared.received.home[order][:-1]
    steps = np.diff(values[order])[same]
    return bool((steps >= 0).all() and (steps > 0).sum() >= _FEWEST)


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


def _sizes(column: pl.Series) -> NDArray[np.float64] | None:
    """Numbers and dates from 0 on; nothing for texts."""
    if not (column.dtype.is_numeric() or column.dtype.is_temporal()):
        return None
    numbers = column.to_physical().cast(pl.Float64).fill_null(float("nan")).to_numpy()
    raised: NDArray[np.float64] = numbers - np.nanmin(numbers, initial=0.0)
    return raised


def _log_choose(many: int, few: int) -> float:
    return lgamma(many + 1) - lgamma(few + 1) - lgamma(many - few + 1) if few <= many else 0.0
