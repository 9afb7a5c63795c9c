"""How published labels are read: which people each of them covers.

Claim. `Written` reads the usual ways to write a label: the value itself, `*`, characters masked by `*` (`130*`),
intervals of numbers (`[20, 30)`, `20-30`, `20 to 30`), sets (`{a, b}`), and names of groups of values it is given.
`Kept` is for a tool that publishes one row a person in the order of the table. Anything with a method `fits` is a
reading.

Why it holds. Each label is compared with each value of its column as both are written. A label that is read in no
way covers nobody, and a release that does not have room for its people is refused.

Cost. One comparison for each pair of a distinct label and a distinct value of a column.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

ANYTHING = "*"
_NUMBER = r"(-?\d+(?:\.\d+)?)"
_INTERVAL = re.compile(rf"\s*([\[(])?\s*{_NUMBER}\s*(?:,|;|-|\u2013|\bto\b|\.\.)\s*{_NUMBER}\s*([\])])?\s*")

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
            groups = self.nodes.get(name, {})
            fits &= _pairs(known[name], shown[name], lambda label, value: self._covers(groups, label, value))  # noqa: B023
        return fits

    def _covers(self, groups: Mapping[str, Collection[str]], label: Text, value: Text) -> bool:
        if label in {value, ANYTHING}:
            return True
        if label is None or value is None:
            return False
        return value in groups.get(label, ()) or _masks(label, value) or _spans(label, value) or _lists(label, value)


@dataclass(frozen=True)
class Kept:
    """Row i of the release is person i of the table, whatever its labels say."""

    def fits(self, known: pl.DataFrame, shown: pl.DataFrame) -> NDArray[np.bool_]:
        """Each person fits just the row at its place."""
        return np.eye(known.height, shown.height, dtype=np.bool_)


def _pairs(known: pl.Series, shown: pl.Series, covers: Callable[[Text, Text], bool]) -> NDArray[np.bool_]:
    """The answer for each person and row, asked once for each pair of what is written."""
    (values, of_person), (labels, of_row) = _distinct(known), _distinct(shown)
    answer = np.array([[covers(label, value) for label in labels] for value in values], dtype=np.bool_)
    found: NDArray[np.bool_] = answer.reshape(len(values), len(labels))[np.ix_(of_person, of_row)]
    return found


def _distinct(column: pl.Series) -> tuple[list[Text], NDArray[np.int64]]:
    written = column.cast(pl.String)
    texts = written.unique(maintain_order=True).to_list()
    place = {text: number for number, text in enumerate(texts)}
    return texts, np.array([place[text] for text in written.to_list()], dtype=np.int64)


def _masks(label: str, value: str) -> bool:
    """Whether characters of the value are hidden by `*`; a `*` at the end may hide several."""
    if ANYTHING not in label:
        return False
    if value.startswith(label.rstrip(ANYTHING)) and ANYTHING not in label.rstrip(ANYTHING):
        return True
    alike = (mine in (theirs, ANYTHING) for mine, theirs in zip(label, value, strict=False))
    return len(label) == len(value) and all(alike)


def _spans(label: str, value: str) -> bool:
    """Whether the label is an interval of numbers that the value lies in; a round bracket leaves out its end."""
    found = _INTERVAL.fullmatch(label)
    if found is None:
        return False
    try:
        number = float(value)
    except ValueError:
        return False
    opened, low, high, closed = found.groups()
    above = number > float(low) if opened == "(" else number >= float(low)
    return above and (number < float(high) if closed == ")" else number <= float(high))


def _lists(label: str, value: str) -> bool:
    """Whether the label is a set with the value in it."""
    if not (label.startswith("{") and label.endswith("}")):
        return False
    return value in {each.strip().strip("'\"") for each in label[1:-1].split(",")}
