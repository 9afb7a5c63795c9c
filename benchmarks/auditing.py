"""What an audit costs, against reading the same file and counting its groups.

    .venv/bin/python benchmarks/auditing.py [rows]

Claim. Every line is a ratio of two measurements of the same run on the same machine. The release has intervals, masks
and suppressed cells as ARX writes them, 50 labels in all, and rows in another order than its original.

Cost. Half a minute for 300,000 rows.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np
import polars as pl

import openveil
from measuring.lines import Line, times, took
from measuring.timing import best

SEED, RUNS = 20240602, 3
QUASI = ("age", "zip", "sex", "job")
PLAN = {
    "columns": {
        "age": {"role": "quasi-identifier", "hierarchy": {"kind": "intervals", "widths": [10]}},
        "zip": {"role": "quasi-identifier", "hierarchy": {"kind": "masking"}},
        "sex": {"role": "quasi-identifier", "hierarchy": {"kind": "suppression"}},
        "job": {"role": "quasi-identifier", "hierarchy": {"kind": "suppression"}},
        "disease": {"role": "sensitive"},
    },
    "privacy": {"k-anonymity": {"k": 5}, "t-closeness": {"t": 0.3}},
}


def tables(rows: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """A release and its original."""
    rng = np.random.default_rng(SEED)
    original = pl.DataFrame(
        {
            "age": rng.integers(17, 90, rows),
            "zip": rng.integers(10_000, 10_100, rows).astype(str),
            "sex": rng.choice(["m", "f"], rows),
            "job": rng.choice([f"job {number}" for number in range(8)], rows),
            "disease": rng.choice([f"disease {number}" for number in range(200)], rows),
        }
    )
    low = pl.col("age") // 10 * 10
    hidden = pl.Series(rng.random(rows) < 0.02)
    release = original.with_columns(
        pl.format("[{}, {}[", low, low + 10).alias("age"),
        pl.when(hidden).then(pl.lit("*")).otherwise(pl.col("zip").str.head(4) + "*").alias("zip"),
    )
    return release[rng.permutation(rows)], original


def main(rows: int) -> None:
    """Print the lines."""
    release, original = tables(rows)
    with tempfile.TemporaryDirectory() as folder:
        path, source = Path(folder) / "release.csv", Path(folder) / "original.csv"
        release.write_csv(path)
        original.write_csv(source)
        counted = best(lambda: pl.read_csv(path, infer_schema=False).group_by(QUASI).len(), RUNS)
        for name, of in (("alone", None), ("beside the original", source)):
            audited = best(lambda of=of: openveil.audit(PLAN, path, original=of), RUNS)  # type: ignore[misc]
            what, ratio = f"{name} / read and count groups", times(audited.seconds / counted.seconds)
            how = f"{rows:,} rows, {audited.answer.groups:,} groups; {took(audited.seconds)}"
            print(Line("audit", ratio, what, how).text())


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 300_000)
