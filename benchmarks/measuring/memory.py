"""Peak memory of a fold and search, measured in a process that holds nothing but the encoded table.

The process loads the codes, warms up on a few of the rows, gives freed memory back to the system, resets the
high-water mark of its resident set (`/proc/self/clear_refs`), searches, and reads the mark (`VmHWM`). Where the
mark cannot be reset, `ru_maxrss` is read instead, which can only be higher.

Two figures are taken, each in a process of its own: as it is, and with an allocator told to give freed memory back
at once (glibc's `MALLOC_MMAP_THRESHOLD_`), which comes closer to what is in use at one time.
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
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

import numpy as np

from measuring.inputs import workplace
from measuring.searching import Task

_WARM_ROWS = 500
_RETURN_AT_ONCE = MappingProxyType({"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "0"})


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


def peak_of(task: Task, seconds: float = 600.0) -> Peak:
    """The peak of one search in a fresh process."""
    with workplace() as folder:
        np.save(folder / "codes.npy", task.public.codes)
        rest = replace(task, public=replace(task.public, codes=task.public.codes[:_WARM_ROWS].copy()))
        (folder / "rest.pickle").write_bytes(pickle.dumps(rest))
        grown, instrument = _measured(folder, seconds, {})
        in_use, _ = _measured(folder, seconds, _RETURN_AT_ONCE)
    return Peak(grown, in_use, task.encoded_bytes, instrument)


def _measured(folder: Path, seconds: float, settings: Mapping[str, str]) -> tuple[int, str]:
    command = [sys.executable, "-m", "measuring.memory", str(folder), str(seconds)]
    environment = {**os.environ, **settings}
    home = Path(__file__).resolve().parents[1]
    done = subprocess.run(command, cwd=home, env=environment, check=True, capture_output=True, text=True)
    growth, instrument = json.loads(done.stdout)
    return growth, instrument


def main(folder: Path, seconds: float) -> None:
    """Search in this process and print the peak."""
    warm = pickle.loads((folder / "rest.pickle").read_bytes())
    codes = np.load(folder / "codes.npy")
    for each in (codes, warm.public.codes):
        each.flags.writeable = False  # as in an encoded table; a kernel is compiled for one or the other
    warm.search(1.0)
    task = replace(warm, public=replace(warm.public, codes=codes))
    _give_back()
    resettable = _reset()
    before = _status("VmRSS")
    task.search(seconds)
    peak = _status("VmHWM") if resettable else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    instrument = "VmHWM" if resettable else "ru_maxrss"
    print(json.dumps([peak - before, instrument]))


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
