"""How long-running parts say how far they are, without knowing who listens.

Claim. What is reported is a phase and a share of the work; it never contains data, and nothing depends on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[str, float | None], None]

_listener: ContextVar[Listener | None] = ContextVar("openveil_progress", default=None)


@contextmanager
def reporting_to(listener: Listener | None) -> Iterator[None]:
    """Send what is reported in this context to `listener`."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def report(phase: str, share: float | None = None) -> None:
    """Say that `phase` is under way and which share of it is done, if that is known."""
    listener = _listener.get()
    if listener is not None:
        listener(phase, share)
