"""anjana from PyPI, in an environment of its own: its dependencies do not go together with ours."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from measuring.inputs import CACHE, Input
from openveil.core.lattice import Vector
from openveil.core.table import Public

_SESSION = Path(__file__).with_name("rival_session.py")


class NotInstalledError(Exception):
    """anjana could not be installed; the message says why."""


@dataclass(frozen=True, eq=False)
class Rivalry:
    """What anjana took: read, anonymise and write in a warm process, and all of it in a fresh one."""

    version: str
    warm: float
    fresh: float
    released: pl.DataFrame


def interpreter() -> Path:
    """The Python of an environment with anjana, created in the cache on first use."""
    home = CACHE / "anjana"
    python = home / "bin" / "python"
    if (home / ".ready").exists():
        return python
    try:
        subprocess.run([sys.executable, "-m", "venv", "--clear", home], check=True, capture_output=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "anjana"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise NotInstalledError(str(error)) from error
    (home / ".ready").touch()
    return python


def compete(given: Input, table: Path, folder: Path, runs: int) -> Rivalry:
    """Run anjana on the CSV file `table` with the same hierarchies, k and share of suppression."""
    python = interpreter()
    request = {
        "table": str(table),
        "hierarchies": {name: str(given.hierarchy(name)) for name in given.frame.columns},
        "k": given.k,
        "percent": float(given.max_suppressed.rstrip("%")),
        "released": str(folder / "anjana.csv"),
    }
    (folder / "anjana.json").write_text(json.dumps(request), encoding="utf-8")
    start = time.perf_counter()
    _session(python, folder, 1)
    fresh = time.perf_counter() - start
    said = _session(python, folder, runs)
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


def _session(python: Path, folder: Path, runs: int) -> dict[str, Any]:
    command = [str(python), str(_SESSION), str(folder / "anjana.json"), str(runs)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    said: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return said
