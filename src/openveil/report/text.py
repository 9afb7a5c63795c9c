"""The lines a terminal shows of a release.

Claim. The facts of the page in its words, without colours or characters that steer a terminal.

Cost. One pass over the certificate; the template engine is not started.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, repeat
from typing import Any

from openveil.report.facts import Facts


def lines(certificate: Mapping[str, Any]) -> tuple[str, ...]:
    """The release in a few lines of text; what a reader must see first is first."""
    facts = Facts.of(certificate)
    first = (facts.warning, facts.verdict, *facts.cautions)
    return (*(sentence for sentence in first if sentence), *_labelled(facts.summary))


def _labelled(summary: tuple[tuple[str, tuple[str, ...]], ...]) -> Iterator[str]:
    """Each label beside the first of its lines, the others below it."""
    width = max(len(label) for label, _ in summary)
    for label, sentences in summary:
        yield from (f"{shown:<{width}}  {sentence}" for shown, sentence in zip(_once(label), sentences, strict=False))


def _once(label: str) -> Iterator[str]:
    return chain((label,), repeat(""))
