"""anjana from PyPI, in an environment of its own: its dependencies do not go together with ours."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from measuring.guests import interpreter, said_by
from measuring.inputs import Input
from openveil.core.lattice import Vector
from openveil.core.table import Public

_SESSION = Path(__file__).with_name("rival_session.py")


@dataclass(frozen=True, eq=False)
class Rivalry:
    """What anjana took: read, anonymise and write in a warm process, and all of it in a fresh one."""

    version: str
    warm: float
    fresh: float
    released: pl.DataFrame


def compete(given: Input, table: Path, folder: Path, runs: int) -> Rivalry:
    """Run anjana on the CSV file `table` with the same hierarchies, k and share of suppression."""
    python = interpreter("anjana")
    request = {
        "table": str(table),
        "hierarchies": {name: str(given.hierarchy(name)) for name in given.frame.columns},
        "k": given.k,
        "percent": float(given.max_suppressed.rstrip("%")),
        "released": str(folder / "anjana.csv"),
    }
    (folder / "anjana.json").write_text(json.dumps(request), encoding="utf-8")
    start = time.perf_counter()
    said_by(python, _SESSION, folder / "anjana.json", 1)
    fresh = time.perf_counter() - start
    said = said_by(python, _SESSION, folder / "anjana.json", runs)
    released = pl.read_csv(folder / "anjana.csv", infer_schema=False).select(given.frame.columns)
    return Rivalry(said["version"], min(said["seconds"]), fresh, released)


def levels_of(public: Public, released: pl.DataFrame) -> Vector:
    """The lowest level of each attribute that has all published labels."""
    levels = []
    for hierarchy in public.hierarchies:
        shown = set(released[hierarchy.axis.name].unique())
        fits = [shown <= set(level.labels.cast(pl.String)) for level in hierarchy.levels]
        levels.append(fits.index(True))
    return tuple(levels)
