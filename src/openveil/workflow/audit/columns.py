"""Columns that should not be in a release: row numbers, identifiers, strangers to the plan, free text, formulas.

Claim. Each function looks at the columns of a release and yields one finding for each that is wrong, with the number
of cells it is about. `FAILS` is an accident of weight; what cannot be told without knowing what a column means is
`UNDECIDED`; the rest informs. No cell is shown.

Cost. A few columnar passes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import polars as pl

from openveil.core.finding import Finding, Verdict
from openveil.core.schema import Role
from openveil.io.as_written import INDEX
from openveil.labels.notations import hidden
from openveil.workflow.audit.received import Received
from openveil.workflow.exposure import unique_rows
from openveil.workflow.name_clues import names_a_person

NUMBERING, IDENTIFIER, STRANGER = "row numbers", "identifier left in", "column without a role"
UNREAD = "labels that cannot be read"
FREE_TEXT, ALONE, FORMULAS = "free text", "rows that are unique", "cells a spreadsheet would run"

COARSE = "values that may be others"
ALIKE = "values that differ in case or blanks only"

_FEWEST = 3
_WHOLE = r"^-?[0-9]{1,18}$"
_FORMULA = r"^[=@\t\r]|^[+-][A-Za-z(=@]"
_WORDS, _LENGTH = 3, 20


def numbering(received: Received) -> Iterator[Finding]:
    """Columns that number the rows: an exported index tells which row of the original each row was."""
    for name in received.frame.columns:
        role = received.role(name)
        numbers = _as_numbers(received.frame[name])
        if role is Role.QUASI or numbers is None:
            continue
        if name == INDEX or _consecutive(numbers) or (role is not Role.SENSITIVE and _ascending(numbers)):
            note = "numbers the rows, so it tells which row of the original each row was; leave it out"
            yield Finding(NUMBERING, name, len(numbers), Verdict.FAILS, note=note)


def identifiers(received: Received) -> Iterator[Finding]:
    """Columns that the plan removes and the release still has."""
    for name in received.named(Role.IDENTIFIER, Role.PERSON):
        shown = _shown(received.frame[name])
        if len(shown):
            note = "says who people are (the plan removes it) and is still in the file; leave it out"
            yield Finding(IDENTIFIER, name, len(shown), Verdict.FAILS, note=note)


def strangers(received: Received) -> Iterator[Finding]:
    """Columns that the plan has not: nobody has said whether outsiders know them."""
    numbered = {finding.on for finding in numbering(received)}
    for name in received.strangers:
        if name in numbered:
            continue
        shown = _shown(received.frame[name])
        telling = names_a_person(_spoken(name)) or _nearly_unique(shown)
        verdict = Verdict.FAILS if telling else Verdict.UNDECIDED
        why = "and seems to say who people are" if telling else "so nobody has said whether outsiders know it"
        note = f"is not in the plan, {why}; leave it out, or give it a role"
        if name.lower() == "count":
            note += ". If it says how many people a row stands for: --count " + name
        yield Finding(STRANGER, name, len(shown), verdict, note=note)


def free_text(received: Received) -> Iterator[Finding]:
    """Columns of sentences that hardly two rows share; they name people, or can be looked up."""
    for name in received.named(Role.SENSITIVE, Role.OTHER):
        shown = _shown(received.frame[name])
        if _nearly_unique(shown) and _is_text(shown):
            note = "is text that hardly two rows share: it can name people, and who knows one finds the row"
            yield Finding(FREE_TEXT, name, shown.n_unique(), Verdict.FAILS, note=note)


def alone(received: Received) -> Iterator[Finding]:
    """How many rows nobody equals in the columns that are published as they are."""
    names = received.named(Role.SENSITIVE, Role.OTHER)
    if names:
        note = (
            "so many rows are unique in the sensitive and other columns; the promise assumes that nobody knows these"
        )
        yield Finding(ALONE, "sensitive and other columns", unique_rows(received.frame.select(names)), note=note)


def unread(received: Received) -> Iterator[Finding]:
    """Labels that could not be read: whom they stand for is not known."""
    for name, labels in received.labels.items():
        cells = int(labels.unread[labels.axis.encode(received.frame[name])[0]].sum())
        if cells:
            note = "has labels in no notation that is known, so whom they stand for cannot be told"
            yield Finding(UNREAD, name, cells, Verdict.UNDECIDED, note=note)


def doubtful(received: Received) -> Iterator[Finding]:
    """Sensitive values that look different and may be the same; the models that read them are then undecided."""
    for name, written in received.written.items():
        if written.coarse_cells:
            note = "has cells that stand for several values, one of which is there by itself: how diverse groups are"
            yield Finding(COARSE, name, written.coarse_cells, note=f"{note} cannot be counted")
        if written.alike:
            note = "so many values are another one when case and blanks are left aside: how diverse groups are cannot"
            yield Finding(ALIKE, name, written.alike, note=f"{note} be counted; spell them alike")


def formulas(received: Received) -> Iterator[Finding]:
    """Cells that a spreadsheet takes for formulas."""
    for name in received.frame.columns:
        cells = int(received.frame[name].str.contains(_FORMULA).fill_null(value=False).sum())
        if cells:
            note = "has cells that a spreadsheet would run as formulas when it opens the file"
            yield Finding(FORMULAS, name, cells, note=note)


def _shown(column: pl.Series) -> pl.Series:
    """The cells that show something."""
    marks = [text for text in column.unique().to_list() if text is not None and hidden(text) is not None]
    return column.drop_nulls().filter(~column.drop_nulls().is_in(marks))


def _as_numbers(column: pl.Series) -> pl.Series | None:
    """The cells as whole numbers, if all are, all differ, and there are enough of them to say something."""
    if len(column) < _FEWEST or column.null_count() or not column.str.contains(_WHOLE).all():
        return None
    numbers = column.cast(pl.Int64)
    return numbers if numbers.n_unique() == len(numbers) else None


def _consecutive(numbers: pl.Series) -> bool:
    ordered = numbers.sort()
    return ordered[0] in (0, 1) and ordered[-1] - ordered[0] == len(ordered) - 1


def _ascending(numbers: pl.Series) -> bool:
    return bool(numbers.is_sorted())


def _nearly_unique(shown: pl.Series) -> bool:
    return len(shown) >= _FEWEST and 2 * shown.n_unique() >= len(shown)


def _is_text(shown: pl.Series) -> bool:
    words = shown.str.count_matches(r"\p{L}{2,}")
    return float(words.mean() or 0) >= _WORDS or (  # type: ignore[arg-type]
        float(words.mean() or 0) >= 1 and float(shown.str.len_chars().mean() or 0) >= _LENGTH  # type: ignore[arg-type]
    )


def _spoken(name: str) -> str:
    """The name in lower-case words."""
    split = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return re.sub(r"[\W_]+", " ", split).strip().lower()
