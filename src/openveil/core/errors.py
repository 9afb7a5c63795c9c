"""What can go wrong, as values.

A `Problem` is one thing that is wrong, phrased for a data steward: where it is, what is wrong, what was found
and the way out. Errors carry every problem found at once. Nothing here ever takes a cell value of a person's
record: callers describe cells by column and count.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong: where, what, what was found instead, and what to do about it."""

    where: str
    what: str
    remedy: str
    found: str = ""

    def __str__(self) -> str:
        found = f" (found {self.found})" if self.found else ""
        return f"{self.where}: {self.what}{found}. {self.remedy}"


class OpenveilError(Exception):
    """Any error openveil raises on purpose; `exit_code` is what the command line returns."""

    exit_code = 2


class RequestError(OpenveilError):
    """The request cannot be carried out as it stands: a wrong plan, file, hierarchy or folder."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(_listed(self.problems))


class GuaranteeError(OpenveilError):
    """The guarantee asked for cannot be met; says what was promised, what was reached, and the way out."""

    exit_code = 1

    def __init__(self, *, model: str, promised: str, reached: str, remedy: str) -> None:
        self.model, self.promised, self.reached, self.remedy = model, promised, reached, remedy
        super().__init__(f"{model} cannot be met: {promised} was asked for, {reached}. {remedy}")


class Notice(UserWarning):
    """All went well, but not all that was asked for could be done; the command line shows it as a line."""


class LeftBehindWarning(Notice):
    """A file or folder that should be gone is still there; says where."""


class LeftOutWarning(Notice):
    """Suppressed rows that should be kept blank had to be left out; says why."""


def refuse(where: str, what: str, remedy: str, *, found: str = "") -> RequestError:
    """A `RequestError` about a single problem."""
    return RequestError([Problem(where, what, remedy, found)])


def _listed(problems: tuple[Problem, ...]) -> str:
    if len(problems) == 1:
        return str(problems[0])
    lines = "\n".join(f"  {number}. {problem}" for number, problem in enumerate(problems, 1))
    return f"{len(problems)} problems:\n{lines}"
