"""Look at a table once and propose a plan: a role and a hierarchy for each column, each with its reason.

Claim. The proposal is a valid plan in which no cell of a person appears: it shows names of columns, counts, round
widths, and, of a fixed list, the marks of 'not known' that the table has. It can be published as it stands: what is
proposed for a column covers every cell `publish` will find in it.

Why it holds. What is measured of a column are counts, shares and lengths (`profile.py`); advice is made from these
and from the column's name alone (`advice.py`). Where marks are declared, the table is read again as the plan will
have it read, and it is that table which is measured.

Cost. One count of distinct values a column, all columns together; a second reading and count if marks occur.
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


def scan(table: object, path_name: str = "") -> Proposal:
    """Propose a plan for a data frame, the file at a path, or a `Source`, which says how the file is to be read.

    `path_name` is what the plan calls the file; without it the plan names no file, and no settings of one.
    """
    source = Source(Path(table)) if isinstance(table, str | Path) else table
    if not isinstance(source, Source):
        frame = take(table)[0]
        return _proposed(frame, _looked_at(frame), path_name, None)
    frame = read(source)
    facts = _looked_at(frame)
    marks = to_declare(facts) if path_name else ()
    if marks:
        source = replace(source, missing=tuple(dict.fromkeys((*source.missing, *marks))))
        frame = read(source)
        facts = profiled(frame)
    return _proposed(frame, facts, path_name, source)


def _looked_at(frame: pl.DataFrame) -> list[Facts]:
    if not frame.width or not frame.height:
        raise refuse("the table", "has no rows to look at", "Scan a file with a line of names and at least one row")
    facts = profiled(frame)
    refuse_missing_header(facts)
    return facts


def _proposed(frame: pl.DataFrame, facts: list[Facts], path_name: str, source: Source | None) -> Proposal:
    columns = agreed(frame, facts, [advise(each) for each in facts])
    return Proposal(path_name, frame.height, columns, source)
