"""Progress on standard error, for whatever takes more than a second.

Claim. Nothing is shown unless standard error is a terminal and a second has passed; nothing stays behind.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from openveil.core.progress import Listener

_PATIENCE = 1.0


@contextmanager
def shown() -> Iterator[Listener | None]:
    """A listener that draws a bar; None where nobody would see it."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task("starting", total=None)
    timer = threading.Timer(_PATIENCE, bar.start)
    timer.daemon = True
    timer.start()

    def listen(phase: str, share: float | None) -> None:
        bar.update(task, description=phase, total=None if share is None else 1.0, completed=share or 0.0)

    try:
        yield listen
    finally:
        timer.cancel()
        timer.join()
        bar.stop()
