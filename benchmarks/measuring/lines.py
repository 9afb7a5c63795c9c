"""The printed table: one line a figure, as text while it is measured and as Markdown at the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_HEAD = ("case", "figure", "what", "measured as")


@dataclass(frozen=True, slots=True)
class Line:
    """A figure of a case: what it says, and how it came about."""

    case: str
    figure: str
    what: str
    how: str = ""

    def text(self) -> str:
        """The line of a text table."""
        return f"{self.case:<12}{self.figure:>13}  {self.what}" + (f"\n{'':27}{self.how}" if self.how else "")

    def markdown(self) -> str:
        """The row of a Markdown table."""
        return _row((self.case, self.figure, self.what, self.how))


def times(ratio: float) -> str:
    """A ratio, with as many digits as mean something."""
    return f"{ratio:,.0f} x" if ratio >= 100 else f"{ratio:.3g} x"


def took(seconds: float) -> str:
    """A time, with as many digits as mean something."""
    return f"{seconds:,.0f} s" if seconds >= 100 else f"{seconds:.3g} s"


def markdown(lines: Sequence[Line]) -> str:
    """All lines as a Markdown table."""
    return "\n".join([_row(_HEAD), _row(["---", "---:", "---", "---"]), *(line.markdown() for line in lines)])


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
