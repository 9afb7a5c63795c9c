"""What the first run costs: kernels compiled into an empty cache, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from measuring.inputs import adult, workplace
from measuring.searching import Task
from measuring.timing import once

_ROWS = 3000


def compiling() -> tuple[float, float]:
    """Seconds of the first search with an empty cache of kernels, and of the first with a full one."""
    with workplace() as folder:
        return _first_search(folder), _first_search(folder)


def _first_search(cache: Path) -> float:
    command = [sys.executable, "-m", "measuring.cold"]
    home = Path(__file__).resolve().parents[1]
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    done = subprocess.run(command, cwd=home, env=environment, check=True, capture_output=True, text=True)
    return float(done.stdout)


if __name__ == "__main__":
    task = Task.of(adult().head(_ROWS))
    print(once(task.search).seconds)
