"""From a file to a verified release, as a user runs it: in this process, or each time in a fresh one."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from measuring.timing import Stages, Timed, best
from openveil.workflow.plan import Plan
from openveil.workflow.publish import publish_files


@dataclass(frozen=True, eq=False)
class Journey:
    """A file, and the plan that publishes it into a folder beside it."""

    folder: Path
    wishes: dict[str, Any]

    @staticmethod
    def of(frame: pl.DataFrame, wishes: dict[str, Any], folder: Path, kind: str) -> Journey:
        """Write the table as `table.csv` or `table.parquet`."""
        table = folder / f"table.{kind}"
        frame.write_csv(table) if kind == "csv" else frame.write_parquet(table)
        files = {"input": {"path": table.name}, "output": {"folder": f"release-{kind}", "format": kind}}
        return Journey(folder, {**wishes, **files})

    @property
    def plan(self) -> Plan:
        """The plan."""
        return Plan.from_dict(self.wishes, base=self.folder)

    def warm(self, runs: int) -> Timed[Any]:
        """Publish in this process."""
        return best(lambda: publish_files(self.plan), runs)

    def stages(self) -> dict[str, float]:
        """Where the time of one run goes."""
        stages = Stages()
        publish_files(self.plan, progress=stages.listen)
        return stages.end()

    def fresh(self, runs: int) -> float:
        """Publish in a fresh process, start and imports included: the best of several."""
        (self.folder / "plan.json").write_text(json.dumps(self.wishes), encoding="utf-8")
        command = [sys.executable, "-m", "measuring.publishing", str(self.folder)]
        home = Path(__file__).resolve().parents[1]
        return best(lambda: subprocess.run(command, cwd=home, check=True), runs).seconds


def main(folder: Path) -> None:
    """Publish what the folder's plan says."""
    wishes = json.loads((folder / "plan.json").read_text(encoding="utf-8"))
    publish_files(Plan.from_dict(wishes, base=folder))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
