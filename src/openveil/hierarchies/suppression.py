"""Suppression: a value is shown as it is or not at all.

Claim. Two levels: the value, and `*`.

Why it holds. There is nothing in between.

Cost. One sort of the distinct values.

Source. Sweeney, Achieving k-anonymity privacy protection using generalization and suppression, 2002.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from openveil.core.axis import Hierarchy
from openveil.core.registry import Kind, Status, part
from openveil.core.rule import Rule
from openveil.hierarchies.nesting import nest
from openveil.hierarchies.spelling import natural_order


@part(
    Kind.HIERARCHY,
    "suppression",
    source="Sweeney, Achieving k-anonymity privacy protection using generalization and suppression, 2002",
    status=Status.PROVED,
)
@dataclass(frozen=True)
class Suppression(Rule):
    """Shows a value as it is or not at all."""

    lists_values: ClassVar[bool] = False

    def bind(self, name: str, values: pl.Series, *, missing: bool) -> Hierarchy:
        """Two levels over the values in their natural order."""
        return nest(name, values.gather(natural_order(values)), (), missing=missing)
