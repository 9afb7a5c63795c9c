"""Clocks: the best of several warm runs, and where the time of a run goes."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Answer = TypeVar("Answer")


@dataclass(frozen=True, eq=False)
class Timed(Generic[Answer]):
    """The shortest of several runs, and what the last of them returned.

    `busy` is the least processor time of a run, of all threads together: what else the machine does matters less.
    """

    seconds: float
    busy: float
    runs: int
    answer: Answer


def once(work: Callable[[], Answer]) -> Timed[Answer]:
    """One run."""
    start, busy = time.perf_counter(), time.process_time()
    answer = work()
    return Timed(time.perf_counter() - start, time.process_time() - busy, 1, answer)


def best(work: Callable[[], Answer], runs: int) -> Timed[Answer]:
    """The best of `runs` runs after one that does not count."""
    work()
    timed = [once(work) for _ in range(runs)]
    seconds, busy = min(each.seconds for each in timed), min(each.busy for each in timed)
    return Timed(seconds, busy, runs, timed[-1].answer)


@dataclass(eq=False)
class Stages:
    """Listens to the progress of one run and adds up the time between reports, by stage."""

    seconds: dict[str, float] = field(default_factory=dict)
    _stage: str = "starting"
    _since: float = field(default_factory=time.perf_counter)

    def listen(self, phase: str, share: float | None) -> None:
        """A report: what was under way ends where something else begins."""
        stage = _stage_of(phase)
        if (self._stage, stage) not in _PART_OF:
            self._to(stage)

    def end(self) -> dict[str, float]:
        """The time of each stage, in the order in which they began."""
        self._to("")
        return self.seconds

    def _to(self, stage: str) -> None:
        now = time.perf_counter()
        self.seconds[self._stage] = self.seconds.get(self._stage, 0.0) + now - self._since
        self._stage, self._since = stage, now


_STAGES = {
    "reading": "read",
    "binding": "bind and encode",
    "folding": "fold",
    "searching": "search",
    "looking": "look ahead",
    "picking": "pick up, cover",
    "replaying": "replay",
    "applying": "apply, shuffle, gate, findings",
    "writing": "write, digest",
    "verifying": "read back, verify",
}
_PART_OF = {("replay", "look ahead")}


def _stage_of(phase: str) -> str:
    return next((stage for start, stage in _STAGES.items() if phase.startswith(start)), phase)
