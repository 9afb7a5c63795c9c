"""Strategies side by side, as a chart.

Claim. `chart` draws one bar a strategy, as long as the detail that is left of what it releases, and says in words
what it releases. It shows what it is given, and nothing else.

Cost. None to speak of.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from openveil.report.page import templates


@dataclass(frozen=True)
class Bar:
    """A strategy: its name, the share of the detail it leaves, or none where nothing is released, and words."""

    name: str
    kept: float | None
    words: str
    note: str
    safe: bool


def chart(title: str, bars: Sequence[Bar]) -> str:
    """The chart as SVG."""
    return templates().get_template("strategies.svg").render(title=title, bars=bars)
