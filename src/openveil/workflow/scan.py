"""Look at a table once and propose a plan: a role and a hierarchy for each column, each with its reason.

Claim. The proposal is a plan in which no cell of a person appears: it shows names of columns, counts, round widths,
and, of a fixed list, the marks of 'not known' that the table has. It can be published as it stands, since what is
proposed for a column covers every cell `publish` will find in it; unless every column seems to name people: then it
says so, and is refused until a quasi-identifier is chosen.

Why it holds. What is measured of a column are counts, shares and lengths (`profile.py`); advice is made from these
and from the column's name alone (`advice.py`). Where marks are declared, the table is read again as the plan will
have it read, and it is that table which is measured. So too where numbers are written with a decimal comma.

Cost. One count of distinct values a column, all columns together; once more if marks or decimal commas occur.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl

from openveil.core.errors import refuse
from openveil.io.frames import take
from openveil.io.read import Source, read
from openveil.workflow.advice import advise
from openveil.workflow.agreement import agreed
from openveil.workflow.not_known import to_declare
from openveil.workflow.profile import Facts, profiled, refuse_missing_header
from openveil.workflow.proposal import Proposal

__all__ = ["Proposal", "scan"]

_TEXTS = (".csv", ".tsv", ".txt", ".csv.gz")


def scan(table: object, path_name: str = "", *, decimal: str | None = None) -> Proposal:
    """Propose a plan for a data frame, the file at a path, or a `Source`, which says how the file is to be read.

    `path_name` is what the plan calls the file; without it the plan names no file, and no settings of one.
    `decimal` is the decimal mark, where it is known; a decimal comma is detected where it is not.
    """
    source = Source(Path(table)) if isinstance(table, str | Path) else table
    if not isinstance(source, Source):
        frame = take(table)[0]
        return _proposed(frame, _looked_at(frame), path_name, None)
    source = replace(source, decimal=decimal or source.decimal)
    frame = read(source)
    facts = _looked_at(frame)
    if path_name and decimal is None and _leaves_decimals_open(source) and _with_decimal_comma(facts):
        source = replace(source, decimal=",")
        frame = read(source)
        facts = profiled(frame)
    marks = to_declare(facts) if path_name else ()
    if marks:
        source = replace(source, missing=tuple(dict.fromkeys((*source.missing, *marks))))
        frame = read(source)
        facts = profiled(frame)
    return _proposed(frame, facts, path_name, source)


def _leaves_decimals_open(source: Source) -> bool:
    """Whether the file is text whose decimal mark nobody said; other formats have numbers."""
    return source.decimal == "." and source.path.name.lower().endswith(_TEXTS)


def _with_decimal_comma(facts: list[Facts]) -> bool:
    """Whether numbers of the table have a decimal comma, and none has a decimal point."""
    points = any(
        ("number" in each.shape and "digits" not in each.shape) or (each.form == "number" and not each.whole)
        for each in facts
    )
    return not points and any(each.has_decimal_comma for each in facts)


def _looked_at(frame: pl.DataFrame) -> list[Facts]:
    if not frame.width or not frame.height:
        raise refuse("the table", "has no rows to look at", "Scan a file with a line of names and at least one row")
    facts = profiled(frame)
    refuse_missing_header(facts)
    return facts


def _proposed(frame: pl.DataFrame, facts: list[Facts], path_name: str, source: Source | None) -> Proposal:
    columns = agreed(frame, facts, [advise(each) for each in facts])
    return Proposal(path_name, frame.height, columns, source)
