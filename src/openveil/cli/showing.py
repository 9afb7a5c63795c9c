"""How results look on a terminal: aligned, plain where nobody sees colours.

Claim. Colours appear only on a terminal and never with NO_COLOR; lines are never cut or wrapped, so that output
can be read by other programs.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from rich.console import Console


_NARROWEST = 20


def console(stream: TextIO | None = None) -> Console:
    """A console on `stream`, by default standard output."""
    from rich.console import Console

    made = Console(file=stream or sys.stdout, highlight=False, markup=False, emoji=False, soft_wrap=True)
    made.width = max(made.width, _NARROWEST)  # a terminal that says it has no columns would be shown nothing
    return made


def is_watched() -> bool:
    """Whether standard output is a terminal, and not a file or a log."""
    return sys.stdout.isatty()


def say(line: str = "", *, style: str = "") -> None:
    """One line on standard output."""
    console().print(line, style=style)


def aligned(rows: Iterable[Sequence[str]], *, indent: str = "  ") -> None:
    """Rows of cells, each column as wide as its widest cell."""
    table = [tuple(row) for row in rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    terminal = console()
    for row in table:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        terminal.print(indent + "  ".join(cells).rstrip())


def as_json(value: Any) -> None:
    """One JSON object on standard output."""
    print(json.dumps(value, ensure_ascii=False, indent=2))
