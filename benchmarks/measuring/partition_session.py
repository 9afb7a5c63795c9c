"""Run by the Python that has anonypy: cut the rows of a CSV file into groups, and print how long that took.

Columns are the codes of the quasi-identifiers, as numbers, which it cuts at medians; the last is sensitive.
"""

from __future__ import annotations

import json
import sys
import time
from importlib.metadata import version


def session(table: str, rows: int, k: int, diversity: int) -> tuple[float, int]:
    """The seconds of the partition, and how many groups there are."""
    import pandas as pd
    from anonypy import Preserver

    read = pd.read_csv(table, nrows=rows)
    *quasi, sensitive = read.columns
    preserver = Preserver(read, quasi, sensitive)
    start = time.perf_counter()
    groups = preserver.modrian.partition(k, diversity)
    return time.perf_counter() - start, len(groups)


if __name__ == "__main__":
    seconds, groups = session(sys.argv[1], *map(int, sys.argv[2:]))
    print(json.dumps({"version": version("anonypy"), "seconds": seconds, "groups": groups}))
