"""What a rule of generalisation is, before it has met a column."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import polars as pl

from openveil.core.axis import Hierarchy


class Rule(ABC):
    """How an attribute may be generalised; its fields are its parameters, checked at construction.

    `lists_values` says that parameters may be values of the column, or files of them: then no certificate has them.
    """

    lists_values: ClassVar[bool] = True

    @abstractmethod
    def bind(self, name: str, values: pl.Series, *, missing: bool) -> Hierarchy:
        """The hierarchy of the column `name`, whose distinct values (no nulls, any order) are `values`.

        `missing` says that the column also has missing cells. Raises `RequestError` with every problem found:
        values not covered are counted, never shown.
        """
