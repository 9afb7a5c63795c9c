"""The few lines a notebook shows of a release.

Claim. The fragment has the facts of the page in its words, inherits the colours of the notebook around it, and
has no script, no style sheet and no reference to anything outside itself.

Cost. Starting the template engine, once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from openveil.report.facts import Facts
from openveil.report.page import templates


def summary(certificate: Mapping[str, Any]) -> str:
    """The release in a few lines of HTML."""
    return templates().get_template("notebook.html").render(facts=Facts.of(certificate))
