"""The tables, hierarchies and plans that are measured; nothing is written outside the temporary folder."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from openveil.workflow.plan import Plan
from openveil.workflow.taking import encode

SHARED = Path(__file__).resolve().parents[3] / "shared"
CACHE = Path(tempfile.gettempdir()) / "openveil-benchmarks"

ADULT = (
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
)
CENSUS = (
    "age",
    "sex",
    "race",
    "marital_stat",
    "education",
    "class_of_worker",
    "major_industry_code",
    "major_occupation_code",
    "hispanic_origin",
    "country_of_birth_self",
    "citizenship",
    "state_of_previous_residence",
    "detailed_household_and_family_stat",
    "family_members_under_18",
    "country_of_birth_father",
)
_TRAINING_ROWS = 30_162


@dataclass(frozen=True, eq=False)
class Input:
    """A table with quasi-identifiers only, where their hierarchies are, and what is asked of the release."""

    frame: pl.DataFrame
    hierarchies: Path
    prefix: str = ""
    k: int = 5
    max_suppressed: str = "2%"

    def hierarchy(self, name: str) -> Path:
        """The hierarchy file of a quasi-identifier."""
        return self.hierarchies / f"{self.prefix}{name}.csv"

    def only(self, *names: str) -> Input:
        """The same table with these quasi-identifiers."""
        return replace(self, frame=self.frame.select(names))

    def head(self, rows: int) -> Input:
        """The same with the first rows only."""
        return replace(self, frame=self.frame.head(rows))

    def wishes(self) -> dict[str, Any]:
        """The plan as plain values, without files."""
        chosen = {name: {"kind": "file", "file": str(self.hierarchy(name))} for name in self.frame.columns}
        return {
            "columns": {name: {"role": "quasi-identifier", "hierarchy": each} for name, each in chosen.items()},
            "privacy": {"k-anonymity": {"k": self.k}},
            "method": {"name": "samarati", "max_suppressed": self.max_suppressed, "seconds": 600},
        }

    def plan(self) -> Plan:
        """The plan for the table in memory."""
        return Plan.from_dict(self.wishes())

    def encoded(self) -> Any:
        """The encoded table."""
        return encode(self.frame, self.plan())


def adult() -> Input:
    """The complete training rows of Adult, nine quasi-identifiers."""
    frame = pl.read_parquet(SHARED / "data" / "adult_45222.parquet").head(_TRAINING_ROWS)
    return _as_adult(frame.select(ADULT))


def hard_adult(rows: int) -> Input:
    """Scaled Adult with few equal rows, made once and kept in the cache."""
    made = CACHE / f"hard_adult_{rows}.parquet"
    if not made.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        unfinished = made.with_suffix(".unfinished")
        tool = SHARED / "tools" / "make_hard_adult.py"
        subprocess.run([sys.executable, tool, str(rows), unfinished], check=True, stdout=subprocess.DEVNULL)
        unfinished.replace(made)
    return _as_adult(pl.read_parquet(made).select(ADULT))


def census(attributes: int = len(CENSUS)) -> Input:
    """Census-Income (KDD) with the first so many of its quasi-identifiers."""
    frame = pl.read_parquet(SHARED / "data" / "census_income_kdd.parquet", columns=list(CENSUS[:attributes]))
    return Input(frame.select(CENSUS[:attributes]), SHARED / "data" / "hierarchies" / "census_income_kdd")


@contextmanager
def workplace() -> Iterator[Path]:
    """A folder for files of one measurement, removed afterwards."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        yield Path(folder)


def _as_adult(frame: pl.DataFrame) -> Input:
    return Input(frame, SHARED / "data" / "hierarchies" / "adult_arx_original", "adult_hierarchy_")
