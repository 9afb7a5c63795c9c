"""Real tables with natural hierarchies, and the steps by which their groups are made coarser."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl

from measuring.inputs import SHARED
from openveil.core.table import Table
from openveil.workflow.plan import Plan
from openveil.workflow.taking import encode


@dataclass(frozen=True)
class Real:
    """A table, its quasi-identifiers and sensitive column, and the level of each attribute step by step."""

    name: str
    file: str
    quasi: tuple[str, ...]
    sensitive: str
    levels: tuple[Mapping[str, int], ...]

    @cached_property
    def frame(self) -> pl.DataFrame:
        """All its rows and columns."""
        return pl.read_parquet(SHARED / "data" / f"{self.file}.parquet")

    @cached_property
    def table(self) -> Table:
        """The table with its hierarchies."""
        folder = SHARED / "data" / "hierarchies" / self.file.removesuffix("_45222")
        rules = {each: {"kind": "file", "file": str(folder / f"{each}.csv")} for each in self.quasi}
        return taken(self.frame, rules, self.sensitive)


def taken(frame: pl.DataFrame, rules: Mapping[str, Mapping[str, str]], sensitive: str) -> Table:
    """A table with these hierarchies."""
    quasi = {name: {"role": "quasi-identifier", "hierarchy": rule} for name, rule in rules.items()}
    columns: dict[str, Any] = {**quasi, sensitive: {"role": "sensitive"}}
    plan = Plan.from_dict({"columns": columns, "privacy": {"frequency-l-diversity": {"l": 2}}})
    return encode(frame.select(*columns), plan)


REAL = (
    Real(
        "Adult",
        "adult_45222",
        ("age", "sex", "race", "marital-status", "education", "native-country"),
        "occupation",
        (
            {"age": 2, "marital-status": 1, "native-country": 2, "education": 2},
            *({"age": 3}, {"native-country": 3}, {"marital-status": 2}, {"education": 3}, {"race": 1}, {"race": 2}),
            *({"age": 4}, {"marital-status": 3}, {"sex": 1}),
        ),
    ),
    Real(
        "Census-Income",
        "census_income_kdd",
        ("age", "sex", "race", "marital_stat", "class_of_worker"),
        "education",
        (
            {"age": 2, "marital_stat": 1, "race": 1, "class_of_worker": 1},
            *({"age": 3}, {"class_of_worker": 2}, {"race": 2}, {"marital_stat": 2}, {"class_of_worker": 3}),
            *({"age": 4}, {"marital_stat": 3}, {"sex": 1}),
        ),
    ),
)
