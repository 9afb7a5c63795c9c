"""Run by the Python that has anjana: read, anonymise, write, and print how long each time took."""

from __future__ import annotations

import json
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any


def session(request: dict[str, Any], runs: int) -> list[float]:
    """The seconds of each run."""
    import pandas as pd
    from anjana.anonymity import k_anonymity

    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        table = pd.read_csv(request["table"])
        hierarchies = {name: _levels(pd, path) for name, path in request["hierarchies"].items()}
        released = k_anonymity(table, [], list(hierarchies), request["k"], request["percent"], hierarchies)
        released.to_csv(request["released"], index=False)
        seconds.append(time.perf_counter() - start)
    return seconds


def _levels(pd: Any, path: str) -> dict[int, Any]:
    read = pd.read_csv(path, sep=";", header=None, keep_default_na=False)
    return {int(level): read[level].values for level in read.columns}


if __name__ == "__main__":
    took = session(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")), int(sys.argv[2]))
    print(json.dumps({"version": version("anjana"), "seconds": took}))
