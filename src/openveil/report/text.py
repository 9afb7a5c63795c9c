"""The lines a terminal shows of a release.

Claim. The facts of the page in its words, without colours or characters that steer a terminal.

Cost. One pass over the certificate; the template engine is not started.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from openveil.report.facts import Facts


def lines(certificate: Mapping[str, Any]) -> tuple[str, ...]:
    """The release in a few lines of text; what a reader must see first is first."""
    facts = Facts.of(certificate)
    first = tuple(sentence for sentence in (facts.warning, facts.verdict) if sentence)
    width = max(len(label) for label, _ in facts.summary)
    return (*first, *(f"{label:<{width}}  {sentence}" for label, sentence in facts.summary))
