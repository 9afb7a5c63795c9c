"""Standard output, guarded: an answer that cannot be written is told as such, and never taken for another failure.

Claim. Whatever a command prints, and whoever prints it, a standard output that is full, closed or read by nobody ends
the command with an exit code of its own and at most one line on standard error.

Why it holds. Everything goes through one stream, which turns what the system says into an error of its own kind;
files that a command writes do not go through it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from typing import Any, TextIO

UNANSWERED, UNREAD = 74, 141


class UnansweredError(Exception):
    """Standard output cannot be written."""

    def __init__(self, reason: OSError) -> None:
        self.reason = reason
        super().__init__(reason.strerror or "")


class Answer:
    """A stream that fails in a way of its own; all else it leaves to the stream it guards."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write, or say that it cannot be done."""
        if self._stream is None:
            raise UnansweredError(OSError(0, "it is closed"))
        try:
            return self._stream.write(text)
        except OSError as error:
            raise UnansweredError(error) from None

    def flush(self) -> None:
        """Write what is held back."""
        if self._stream is None:
            return
        try:
            self._stream.flush()
        except OSError as error:
            raise UnansweredError(error) from None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def guarded() -> Iterator[Answer]:
    """Standard output is guarded; what was printed has been written when this ends well."""
    answer = Answer(sys.stdout)
    with redirect_stdout(answer):
        yield answer


def given_up(error: UnansweredError) -> int:
    """Say that there is no answer, unless the reader went away; the exit code."""
    silence(sys.stdout)
    if isinstance(error.reason, BrokenPipeError):
        return UNREAD
    with suppress(OSError, AttributeError):
        sys.stderr.write(f"The answer cannot be written to standard output: {error}. Files that were written stay.\n")
    return UNANSWERED


def silence(stream: TextIO) -> None:
    """Let the stream lead nowhere: Python flushes it once more at exit, which must not fail again."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
