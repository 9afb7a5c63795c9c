"""From what a user gives to the table as the algorithms see it.

Claim. `taken` gives a table held in memory or named by a path as a frame, read as the plan says, and what gives a
result back in kind; `encode` checks roles and binds hierarchies, and tells all problems at once. Minus zero in a
sensitive column is zero.

Cost. Reading, and one encoding a quasi-identifier.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from openveil.core.axis import Hierarchy
from openveil.core.errors import Problem, RequestError, refuse
from openveil.core.progress import report
from openveil.core.schema import Role, Schema
from openveil.core.table import Public, Table
from openveil.io.frames import take
from openveil.io.marks import blanked
from openveil.io.read import Source, read
from openveil.workflow.guarding import guards_of
from openveil.workflow.plan import Plan
from openveil.workflow.population import population_of


def source_of(plan: Plan, path: Path | None = None) -> Source:
    """The file to read (the one the plan names unless `path` is given), read as the plan says."""
    if path is not None:
        return replace(plan.input.source(Path()), path=path) if plan.input else Source(path)
    if plan.input is None or plan.input.path is None:
        raise refuse("plan: input", "names no file", 'Add [input] with path = "..."')
    return plan.input.source(plan.base)


def taken(frame: object, plan: Plan) -> tuple[pl.DataFrame, Callable[[pl.DataFrame], object]]:
    """The table, read as the plan says, and what gives a frame back in the kind it came in."""
    if isinstance(frame, str | Path):
        return read(source_of(plan, Path(frame))), lambda native: native
    native, give_back = take(frame)
    return blanked(native, plan.input.missing if plan.input else ()), give_back


def encode(frame: pl.DataFrame, plan: Plan) -> Table:
    """The table as the algorithms see it: roles checked, hierarchies bound, all problems at once."""
    schema = plan.schema_for(frame.columns)
    if not frame.height:
        raise refuse("input", "the table has no rows", "Give a table with at least one row")
    frame, wishes = _unsigned(frame, schema), plan.wishes
    if wishes is None:
        return Table.encode(schema, frame, bind(frame, schema, plan))
    names = (*schema.named(Role.QUASI), wishes.guarded)
    *hierarchies, taxonomy = bind(frame, schema, plan, names)
    table = Table.encode(schema, frame, tuple(hierarchies))
    _refuse_several_places(table.public)
    public = replace(table.public, population=population_of(plan.requirement, table.public.hierarchies))
    return replace(table, public=public, guards=guards_of(frame, taxonomy, wishes))


def _unsigned(frame: pl.DataFrame, schema: Schema) -> pl.DataFrame:
    """The frame with one zero in its sensitive columns: two spellings of one value would pass for diversity."""
    zeros = [
        frame[name].set((frame[name] == 0).fill_null(value=False), 0.0)
        for name in schema.named(Role.SENSITIVE)
        if frame[name].dtype.is_float()
    ]
    return frame.with_columns(zeros)


def _refuse_several_places(public: Public) -> None:
    """Refuse persons whose rows differ in quasi-identifiers: each group alone would say too little of them."""
    if public.persons is None or not len(public):
        return
    order = np.argsort(public.persons, kind="stable")
    person, codes = public.persons[order], public.codes[order]
    differs = (person[1:] == person[:-1]) & (codes[1:] != codes[:-1]).any(axis=1)
    several = len(np.unique(person[1:][differs]))
    if several:
        raise refuse(
            "privacy: personal-breach",
            "needs the same quasi-identifiers in all rows of a person, since the rows of a group are told together",
            "Give all rows of a person the same, such as the latest",
            found=f"{several:,} persons whose rows differ",
        )


def bind(
    frame: pl.DataFrame, schema: Schema, plan: Plan, names: tuple[str, ...] | None = None
) -> tuple[Hierarchy, ...]:
    """The hierarchy of each quasi-identifier, or of each of the named columns."""
    bound: list[Hierarchy] = []
    problems: list[Problem] = []
    for name in schema.named(Role.QUASI) if names is None else names:
        report(f"binding the hierarchy of {name}")
        values = frame[name].unique()
        try:
            bound.append(plan.rules[name].bind(name, values.drop_nulls(), missing=values.null_count() > 0))
        except RequestError as error:
            problems.extend(error.problems)
    if problems:
        raise RequestError(problems)
    return tuple(bound)
