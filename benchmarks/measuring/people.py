"""Census tables with a sensitive occupation: as they are, with one drawn flat, and made larger."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from measuring.inputs import SHARED, Input
from openveil.core.table import Public
from openveil.workflow.plan import Plan
from openveil.workflow.taking import encode

QUASI = ("age", "sex", "race", "marital_stat", "education", "class_of_worker", "country_of_birth_self")
OCCUPATION = "detailed_occupation_recode"
ROWS = 299_285
L = 4
_KINDS = 50
_SEED = 20240602
_DRAWN_ANEW = 0.2
_YEARS = 3
_UNSAFE = frozenset({"mondrian", "hilb", "hilb+", "hilb++"})


@dataclass(frozen=True, eq=False)
class People:
    """An encoded table, and the sensitive value of each row."""

    public: Public
    values: NDArray[np.int16]
    diversity: str = "frequency-l-diversity"

    def __len__(self) -> int:
        return len(self.public)

    def head(self, rows: int) -> People:
        """The same with the first rows only."""
        return self._of(self.public.codes[:rows].copy(), self.values[:rows].copy())

    def asking(self, diversity: str) -> People:
        """The same table, to be published under another privacy model that has an l."""
        return replace(self, diversity=diversity)

    def grown(self, rows: int) -> People:
        """So many rows drawn from these, with a fifth of the cells drawn anew and ages moved by up to three years."""
        rng = np.random.default_rng(_SEED)
        old = self.public.codes
        drawn = rng.integers(0, len(old), rows, dtype=np.int32)
        codes = np.empty((rows, len(QUASI)), dtype=old.dtype)
        for a in range(len(QUASI)):
            other = rng.integers(0, len(old), rows, dtype=np.int32)
            anew = rng.random(rows, dtype=np.float32) < _DRAWN_ANEW
            codes[:, a] = old[np.where(anew, other, drawn), a]
        oldest = len(self.public.hierarchies[0].axis) - 1
        moved = codes[:, 0].astype(np.int16) + rng.integers(-_YEARS, _YEARS + 1, rows, dtype=np.int16)
        codes[:, 0] = np.clip(moved, 0, oldest)
        return self._of(codes, rng.permutation(self.values)[rng.integers(0, len(old), rows, dtype=np.int32)])

    def _of(self, codes: NDArray[Any], values: NDArray[np.int16]) -> People:
        codes.flags.writeable = False
        return replace(self, public=replace(self.public, codes=codes), values=values)

    @property
    def sensitive(self) -> pl.DataFrame:
        """The sensitive column."""
        return pl.DataFrame({OCCUPATION: self.values})

    @property
    def frame(self) -> pl.DataFrame:
        """The table as it was before it was encoded."""
        axes = [hierarchy.axis for hierarchy in self.public.hierarchies]
        columns = [axis.published.gather(self.public.codes[:, a]).alias(axis.name) for a, axis in enumerate(axes)]
        return pl.DataFrame(columns).hstack(self.sensitive)

    def wishes(self, method: str) -> dict[str, Any]:
        """The plan as plain values, without files."""
        return {
            "columns": {**_columns(), OCCUPATION: {"role": "sensitive"}},
            "privacy": {self.diversity: {"l": L}},
            "method": {"name": method},
            "allow_unsafe": method in _UNSAFE,
        }


@cache
def workers() -> People:
    """Those who have an occupation; of all, one half has none, so that l = 4 cannot be met."""
    frame = _read().filter(pl.col(OCCUPATION) != 0)
    return _encoded(frame.select(QUASI), frame[OCCUPATION].cast(pl.Int16).to_numpy())


@cache
def flat() -> People:
    """Everyone, with one of fifty occupations drawn for each, so that l = 4 cuts deep."""
    values = np.random.default_rng(_SEED).integers(0, _KINDS, ROWS, dtype=np.int16)
    return _encoded(_read().select(QUASI), values)


def _read() -> pl.DataFrame:
    return pl.read_parquet(SHARED / "data" / "census_income_kdd.parquet", columns=[*QUASI, OCCUPATION])


def _encoded(frame: pl.DataFrame, values: NDArray[np.int16]) -> People:
    given = {"columns": _columns(), "privacy": {"k-anonymity": {"k": L}}, "method": {"name": "mondrian+"}}
    return People(encode(frame, Plan.from_dict(given)).public, values)


def _columns() -> dict[str, Any]:
    census = Input(pl.DataFrame(), SHARED / "data" / "hierarchies" / "census_income_kdd")
    of_files = {name: {"kind": "file", "file": str(census.hierarchy(name))} for name in QUASI}
    chosen = {**of_files, "age": {"kind": "intervals", "widths": [5, 10, 20, 40]}}
    return {name: {"role": "quasi-identifier", "hierarchy": each} for name, each in chosen.items()}
