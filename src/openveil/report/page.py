"""The page a board reads: one HTML file that loads nothing.

Claim. The page has no script, no font and no reference to anything outside itself, and tells the browser to load
nothing; every text is escaped; its size does not depend on the number of rows or of group sizes.

Why. It is kept with the table for years, opened from file shares, and shows names of columns that others chose.

Cost. Starting the template engine, once.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from openveil.report.facts import Facts

if TYPE_CHECKING:
    from jinja2 import Environment


def render(certificate: Mapping[str, Any]) -> str:
    """The report on a release as one self-contained HTML page."""
    return templates().get_template("page.html").render(facts=Facts.of(certificate))


@cache
def templates() -> Environment:
    """The templates of this package; everything put into them is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("openveil.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
