"""What the first run costs: kernels compiled into an empty cache, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from measuring.inputs import adult, workplace
from measuring.timing import once

_ROWS = 3000


def compiling(first: str) -> tuple[float, float]:
    """Seconds of the first run of `first` with an empty cache of kernels, and of the first with a full one."""
    with workplace() as folder:
        return _in_a_fresh_process(first, folder), _in_a_fresh_process(first, folder)


def _in_a_fresh_process(first: str, cache: Path) -> float:
    command = [sys.executable, "-m", "measuring.cold", first]
    home = Path(__file__).resolve().parents[1]
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    done = subprocess.run(command, cwd=home, env=environment, check=True, capture_output=True, text=True)
    return float(done.stdout)


def _search() -> Callable[[], object]:
    from measuring.searching import Task

    return Task.of(adult().head(_ROWS)).run


def _solve() -> Callable[[], object]:
    from measuring.people import flat
    from measuring.solving import Solving

    return Solving.of(flat().head(_ROWS), "mondrian++").run


def _refine() -> Callable[[], object]:
    from measuring.personal import P, scaled
    from openveil.tools.refining import Refinement, refined

    data = scaled(_ROWS)
    return lambda: refined(data.public, data.guards, Refinement(P))


FIRSTS = {"search": _search, "solve": _solve, "refine": _refine}

if __name__ == "__main__":
    print(once(FIRSTS[sys.argv[1]]()).seconds)
