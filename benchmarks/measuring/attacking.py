"""What the attacks are made on: census people in work whose occupation is sensitive, and Adult with its education."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import polars as pl

from measuring.inputs import SHARED
from openveil.core.attack import Sensitive, Target
from openveil.core.secret import Secret
from openveil.core.table import Table
from openveil.core.witness import Spelled, Witness
from openveil.workflow.plan import Plan
from openveil.workflow.taking import encode

OCCUPATION = "detailed_occupation_recode"
CENSUS = ("age", "sex", "education", "marital_stat", "race", "class_of_worker", "country_of_birth_self")
ADULT = ("age", "workclass", "marital-status", "occupation", "relationship", "race", "sex", "native-country")
BELOW_HIGH_SCHOOL = ("Preschool", "1st-4th", "5th-6th", "7th-8th")


@dataclass(frozen=True, eq=False)
class People:
    """A table, its quasi-identifiers and its sensitive column."""

    frame: pl.DataFrame = field(repr=False)
    quasi: Sequence[str]
    sensitive: str

    def wishes(self, method: dict[str, Any], privacy: dict[str, Any]) -> dict[str, Any]:
        """The plan; hierarchies do not matter where groups are shown as intervals."""
        rule = {"role": "quasi-identifier", "hierarchy": {"kind": "suppression"}}
        columns = {**dict.fromkeys(self.quasi, rule), self.sensitive: {"role": "sensitive"}}
        return {"allow_unsafe": True, "columns": columns, "method": method, "privacy": privacy}

    def plan(self, method: dict[str, Any], privacy: dict[str, Any]) -> Plan:
        """The plan for the table in memory."""
        return Plan.from_dict(self.wishes(method, privacy))

    @cached_property
    def table(self) -> Table:
        """The encoded table, which is the same for every method."""
        return encode(self.frame, self.plan({"name": "mondrian++"}, {"frequency-l-diversity": {"l": 2}}))

    def released(self, method: str, privacy: dict[str, Any], draw: int = 0, **parameters: Any) -> Target:
        """What the method makes of the table, as the laboratory sees it."""
        plan = self.plan({"name": method, **parameters}, privacy)
        sensitive = self.table.frame.select(self.sensitive)
        asked = plan.requirement.for_values(Spelled(sensitive))
        drawn = Secret(hashlib.sha256(f"benchmark {draw}".encode()).digest())
        recoding = plan.publisher.solve(self.table.public, Witness(sensitive), asked, drawn)
        column = Sensitive.of(sensitive[self.sensitive], recoding)
        limit = plan.requirement.greatest_chance
        return Target(self.table.public, recoding, (column,), limit, plan.requirement, plan.publisher)


def in_work() -> People:
    """The people of Census-Income (KDD) who have an occupation, 46 of them."""
    frame = pl.read_parquet(SHARED / "data" / "census_income_kdd.parquet", columns=[*CENSUS, OCCUPATION])
    working = frame.filter(pl.col(OCCUPATION) != 0).with_columns(pl.col(OCCUPATION).cast(pl.String))
    return People(working, CENSUS, OCCUPATION)


def scaled(rows: int, seed: int) -> People:
    """As many of them, drawn with replacement."""
    people = in_work()
    return People(people.frame.sample(rows, with_replacement=True, seed=seed), people.quasi, people.sensitive)


def adults() -> People:
    """The 45,222 complete rows of Adult, of whom the education is sensitive."""
    frame = pl.read_parquet(SHARED / "data" / "adult_45222.parquet", columns=[*ADULT, "education"])
    return People(frame, ADULT, "education")
