"""Peak memory of a task, measured in a process that holds nothing but the encoded table.

The process loads the columns, warms up on a few of the rows, gives freed memory back to the system, resets the
high-water mark of its resident set (`/proc/self/clear_refs`), does the work, and reads the mark (`VmHWM`). Where the
mark cannot be reset, `ru_maxrss` is read instead, which can only be higher.

`peak_of` takes two figures, each in a process of its own: as it is, and with an allocator told to give freed memory
back at once (glibc's `MALLOC_MMAP_THRESHOLD_`), which comes closer to what is in use at one time.
"""

from __future__ import annotations

import ctypes
import json
import os
import pickle
import resource
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from measuring.inputs import workplace
from measuring.timing import once

_WARM_ROWS = 500
_AS_IT_IS: Mapping[str, str] = MappingProxyType({})
_RETURN_AT_ONCE = MappingProxyType({"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "0"})


class Weighed(Protocol):
    """A task on an encoded table."""

    def columns(self) -> dict[str, NDArray[Any]]:
        """The table: what is as long as it has rows."""

    def on(self, columns: dict[str, NDArray[Any]]) -> Self:
        """The same task on another table."""

    def run(self, seconds: float = ...) -> object:
        """Do the work."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run in a fresh process: how far its resident set grew and how far it reached, in bytes, and its time."""

    growth: int
    peak: int
    seconds: float
    busy: float
    instrument: str


@dataclass(frozen=True, slots=True)
class Peak:
    """How far the resident set grew above the loaded table: as it is, and with freed memory given back."""

    growth: int
    in_use: int
    table: int
    instrument: str

    @property
    def multiple(self) -> float:
        """The growth as a multiple of the encoded table, which is not itself counted."""
        return self.growth / self.table


def peak_of(task: Weighed, seconds: float = 600.0) -> Peak:
    """The peak of one run in a fresh process."""
    with workplace() as folder:
        put(task.columns(), folder)
        run, frugal = fresh(task, folder, seconds), fresh(task, folder, seconds, _RETURN_AT_ONCE)
    return Peak(run.growth, frugal.growth, size_of(task), run.instrument)


def size_of(task: Weighed) -> int:
    """The bytes of the encoded table."""
    return sum(column.nbytes for column in task.columns().values())


def put(columns: dict[str, NDArray[Any]], folder: Path) -> None:
    """Write a table for `fresh`."""
    for name, column in columns.items():
        np.save(folder / f"{name}.npy", column)


def fresh(task: Weighed, folder: Path, seconds: float = 600.0, settings: Mapping[str, str] = _AS_IT_IS) -> Run:
    """Run the task in a fresh process, on the table that was put into the folder."""
    few = {name: column[:_WARM_ROWS].copy() for name, column in task.columns().items()}
    (folder / "task.pickle").write_bytes(pickle.dumps(task.on(few)))
    command = [sys.executable, "-m", "measuring.memory", str(folder), str(seconds)]
    environment = {**os.environ, **settings}
    home = Path(__file__).resolve().parents[1]
    done = subprocess.run(command, cwd=home, env=environment, check=True, capture_output=True, text=True)
    return Run(*json.loads(done.stdout))


def main(folder: Path, seconds: float) -> None:
    """Run in this process and print what it took."""
    warm: Weighed = pickle.loads((folder / "task.pickle").read_bytes())
    few = warm.columns()
    columns = {name: np.load(folder / f"{name}.npy") for name in few}
    for each in (*few.values(), *columns.values()):
        each.flags.writeable = False  # as in an encoded table; a kernel is compiled for one or the other
    warm.run(1.0)
    task = warm.on(columns)
    _give_back()
    resettable = _reset()
    before = _status("VmRSS")
    timed = once(lambda: task.run(seconds))
    peak = _status("VmHWM") if resettable else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    instrument = "VmHWM" if resettable else "ru_maxrss"
    print(json.dumps([peak - before, peak, timed.seconds, timed.busy, instrument]))


def _give_back() -> None:
    with suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").malloc_trim(0)


def _reset() -> bool:
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return False
    return True


def _status(field: str) -> int:
    """A field of the process's status in bytes; the resident set itself where there is no such file."""
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith(f"{field}:"):
                return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]))
