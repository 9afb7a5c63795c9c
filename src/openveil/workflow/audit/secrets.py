"""Sensitive values that may be others: shown coarser than they are, or spelled in several ways.

Claim. `Written.of` says of a sensitive column whether cells are hidden, how many cells may stand for a value that is
also written by itself (`{flu, cold}` beside `flu`, `20-29` beside `25`, a group of the hierarchy), and how many
different values differ from another one in upper and lower case or blanks only. Values of either kind look different
and may be the same, so how diverse a group is cannot be counted from them. No cell is shown.

Why it holds. Texts are compared without case and with single blanks. Sets are told by their parts, intervals by
whether two of them, or one and a number, have more than an end in common. A list with commas and without braces, and
an interval, is coarse only beside a value that it may be: by itself it is a value like any other.

Cost. Some twenty microseconds a different value, one sort of the intervals, and one look at all values a masked code.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from unicodedata import normalize

import polars as pl

from openveil.core.axis import Axis
from openveil.labels.meaning import Meaning, OneOf, Pattern, Run, Span
from openveil.labels.notations import hidden, joined, listed
from openveil.labels.reading import Known, Labels
from openveil.labels.scales import WORDS


@dataclass(frozen=True, slots=True)
class Written:
    """How the values of a sensitive column are written: whether some are hidden, and the numbers of doubtful ones."""

    hidden: bool
    coarse_cells: int
    alike: int

    @staticmethod
    def of(column: pl.Series, known: Known) -> Written:
        """Look at every different value once."""
        texts = column.drop_nulls().unique().to_list()
        shown = sorted(text for text in texts if hidden(text) is None)
        doubtful = list(_coarse(shown, known))
        folded = [_folded(text) for text in shown]
        coarse = int(column.is_in(doubtful).sum()) if doubtful else 0
        return Written(len(shown) < column.n_unique(), coarse, len(folded) - len(set(folded)))


def _coarse(texts: list[str], known: Known) -> Iterator[str]:
    """The texts that may stand for another one of them."""
    labels = Labels.read(Axis("", pl.Series(texts, dtype=pl.String), missing=False), known)
    meanings = dict(zip(labels.axis.published.to_list(), labels.meanings, strict=True))
    others = {_folded(text) for text in texts}
    overlapping = set(_overlapping(meanings))
    for text, meaning in meanings.items():
        if text in overlapping or _is_group(meaning) or _is_set(text, others) or _is_mask(text, meaning, texts):
            yield text


def _is_group(meaning: Meaning | None) -> bool:
    return isinstance(meaning, Run) and meaning.low < meaning.high


def _is_set(text: str, others: set[str]) -> bool:
    """Whether the text is several values in braces, or a list that names another value of the column."""
    if any(isinstance(each, OneOf) and len(each.values) > 1 for each in listed(text.strip(), WORDS)):
        return True
    lists = (each.values for each in joined(text, WORDS) if isinstance(each, OneOf))
    return any(_folded(value) in others for values in lists for value in values)


def _is_mask(text: str, meaning: Meaning | None, texts: list[str]) -> bool:
    return isinstance(meaning, Pattern) and any(meaning.fits(other) for other in texts if other != text)


def _overlapping(meanings: Mapping[str, Meaning | None]) -> Iterator[str]:
    """The intervals of more than one value that share values with another interval or number."""
    spans = [(each, text) for text, each in meanings.items() if isinstance(each, Span)]
    spans.sort(key=lambda pair: (pair[0].low is not None, pair[0].low or Fraction(0), _is_one(pair[0])))
    before: list[tuple[Span, str]] = []
    for span, text in spans:
        before = [pair for pair in before if pair[0].high is None or span.low is None or pair[0].high >= span.low]
        for other, its in before:
            if _shares(other, span):
                yield from (its,) if _is_one(span) else (its, text)
        if not _is_one(span):
            before.append((span, text))


def _is_one(span: Span) -> bool:
    return span.low is not None and span.low == span.high


def _shares(before: Span, span: Span) -> bool:
    """Whether an interval has a number, or more than an end in common with an interval that begins no earlier."""
    if span.low is None or before.high is None:
        return not _is_one(span) or before.has(span.low or Fraction(0))
    return before.has(span.low) if _is_one(span) else span.low < before.high


def _folded(text: str) -> str:
    return " ".join(normalize("NFKC", text).casefold().split())
