"""How published labels are read: which people each of them covers.

Claim. `Written` reads labels in the notations of the common tools (`openveil.labels`): values, `*`, masked codes,
intervals and sets; and names of groups of values that it is given. `Kept` is for a tool that publishes one row a
person in the order of the table. Anything with a method `fits` is a reading.

Why it holds. Each label is compared with each value of its column. An empty cell covers whoever has none; where
everyone has a value it hides one. A label that cannot be read for certain is refused, not guessed.

Cost. One comparison for each pair of a distinct label and a distinct value of a column.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from openveil.core.axis import Axis, Hierarchy, flat
from openveil.core.errors import refuse
from openveil.core.table import axes_of
from openveil.labels.meaning import Hidden, Run
from openveil.labels.reading import Known, Labels

Text = str | None
Nodes = Mapping[str, Mapping[str, Collection[str]]]


class Reading(Protocol):
    """Whatever can say which people a published row may be about."""

    def fits(self, known: pl.DataFrame, shown: pl.DataFrame) -> NDArray[np.bool_]:
        """For each person (down) and each published row of labels (across), whether they cover the person."""


@dataclass(frozen=True)
class Written:
    """Labels as they are written; `nodes` has, column by column, the values that the name of a group stands for."""

    nodes: Nodes = field(default_factory=dict)

    def fits(self, known: pl.DataFrame, shown: pl.DataFrame) -> NDArray[np.bool_]:
        """Whether each label of a row covers the person's value."""
        fits = np.ones((known.height, shown.height), dtype=np.bool_)
        for name in shown.columns:
            fits &= _pairs(known[name], shown[name], self.nodes.get(name, {}))
        return fits


@dataclass(frozen=True)
class Kept:
    """Row i of the release is person i of the table, whatever its labels say."""

    def fits(self, known: pl.DataFrame, shown: pl.DataFrame) -> NDArray[np.bool_]:
        """Each person fits just the row at its place."""
        return np.eye(known.height, shown.height, dtype=np.bool_)


def _pairs(known: pl.Series, shown: pl.Series, groups: Mapping[str, Collection[str]]) -> NDArray[np.bool_]:
    """The answer for each person and row, asked once for each pair of what is written."""
    axis, written = _axis(known), shown.cast(pl.String).alias(known.name)
    [labels] = axes_of(written.to_frame(), [known.name])
    read = Labels.read(labels, Known(Hierarchy(axis, flat(axis) if len(axis) > 1 else flat(axis)[:1]), complete=True))
    texts, values = labels.published.to_list(), axis.published.cast(pl.String).to_list()
    unread = sum(bool(u) and text not in groups for text, u in zip(texts, read.unread, strict=True))
    if unread:
        raise refuse(
            f"release: column {known.name!r}",
            "has labels that cannot be read",
            'Say what they stand for: reading=Written({"column": {"label": {"value", ...}}})',
            found=f"{unread} of {len(texts)} labels",
        )
    answer = [[_covers(read, code, text, value, groups) for code, text in enumerate(texts)] for value in values]
    found: NDArray[np.bool_] = np.array(answer, dtype=np.bool_).reshape(len(values), len(texts))
    return found[np.ix_(axis.encode(known)[0], labels.encode(written)[0])]


def _axis(known: pl.Series) -> Axis:
    values = known.cast(pl.String) if known.dtype.is_float() else known
    return Axis(known.name, values.drop_nulls().unique().sort(), missing=known.null_count() > 0)


def _covers(read: Labels, code: int, label: Text, value: Text, groups: Mapping[str, Collection[str]]) -> bool:
    if label is not None and label in groups:
        return value in groups[label]
    if label is None:
        return value is None or None not in read.known.codes
    meaning = read.meanings[code]
    if value is not None:
        return read.covers(code, value)
    missing = read.known.codes[None]
    return isinstance(meaning, Hidden) or (isinstance(meaning, Run) and meaning.low <= missing <= meaning.high)
