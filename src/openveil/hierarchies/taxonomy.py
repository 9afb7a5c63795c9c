"""Taxonomy: a nested table of groups, any depth.

Claim. Each group of the tree is a node; the root is `*`. Groups are tables; the values are the items of lists, or
the names of empty tables: Europe = {North = ["SE", "NO"], Malta = {}}.

Uneven depth. A value closer to the root than the deepest one repeats itself on the levels that it lacks, at the
bottom: it stays itself while deeper values are already shown as groups, and joins its own group on the level where
that group stands. All levels count from the root, so a group of depth d stands on the level `deepest - d`.

Why it holds. Every path is filled up to the same length, so each level is a partition; that no label stands for
two nodes is checked. A tree written as text has no circles.

Cost. One visit a node, then columnar passes a level.

Source. Samarati and Sweeney, Protecting privacy when disclosing information, 1998 (value generalisation
hierarchies).
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl

from openveil.core.axis import ROOT, Hierarchy
from openveil.core.errors import Problem, refuse
from openveil.core.registry import Kind, Status, part
from openveil.core.rule import Rule
from openveil.hierarchies.nesting import refuse_all
from openveil.hierarchies.reading import read_text
from openveil.hierarchies.spelling import spelled_item
from openveil.hierarchies.tree import bind_rows, rows_of

WHERE = "hierarchy 'taxonomy'"
Trail = tuple[str, ...]


@part(
    Kind.HIERARCHY,
    "taxonomy",
    source="Samarati and Sweeney, Protecting privacy when disclosing information, 1998",
    status=Status.PROVED,
)
@dataclass(frozen=True, kw_only=True)
class Taxonomy(Rule):
    """Shows the group of a tree that a value belongs to.

    `tree`: the groups below the root, as nested tables whose values are the items of lists or empty tables. `file`:
    instead, a TOML or JSON file that holds such a table.
    """

    tree: dict[str, Any] | None = None
    file: Path | None = None

    def __post_init__(self) -> None:
        if (self.tree is None) == (self.file is None):
            raise refuse(WHERE, "needs either `tree` or `file`", "Give exactly one of them")
        if self.file is not None and Path(self.file).suffix.lower() not in {".toml", ".json"}:
            found = repr(str(self.file))
            raise refuse(WHERE, "`file` must end in .toml or .json", "Use the kind 'file' for CSV", found=found)
        if self.tree is not None:
            refuse_all(_walk(self.tree).problems)

    def bind(self, name: str, values: pl.Series, *, missing: bool) -> Hierarchy:
        """The levels over all values of the tree."""
        tree = self.tree if self.file is None else _read(Path(self.file))
        walk = _walk(tree)
        refuse_all(walk.problems)
        return bind_rows(name, WHERE, rows_of(_even(walk.trails)), values, missing=missing)


@dataclass
class _Walk:
    """The way from the root to each value, and what is wrong with the tree."""

    trails: list[Trail] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def _walk(tree: object) -> _Walk:
    walk = _Walk()
    top = tree[ROOT] if isinstance(tree, dict) and set(tree) == {ROOT} else tree
    pending: list[tuple[Trail, object]] = [((), top)]
    while pending:
        trail, node = pending.pop()
        if isinstance(node, dict) and node:
            pending += [((*trail, str(label)), child) for label, child in reversed(node.items())]
        elif isinstance(node, list | tuple) and node:
            walk.trails += [(*trail, spelled_item(item)) for item in node if _is_item(item)]
            walk.problems += _not_items(trail, node)
        elif isinstance(node, dict) and trail:
            walk.trails.append(trail)
        else:
            walk.problems.append(_no_node(trail, node))
    return walk


def _is_item(item: object) -> bool:
    return isinstance(item, str | int | float | date)


def _not_items(trail: Trail, items: list[object] | tuple[object, ...]) -> Iterator[Problem]:
    strange = sorted({type(item).__name__ for item in items if not _is_item(item)})
    if strange:
        what = f"the list of {_called(trail)} holds something that is not a value"
        yield Problem(WHERE, what, "Write groups as tables, and values as text or numbers", ", ".join(strange))


def _no_node(trail: Trail, node: object) -> Problem:
    if isinstance(node, dict | list | tuple):
        return Problem(WHERE, f"{_called(trail)} is empty", "List its values, or write {} if it is itself a value")
    what = f"{_called(trail)} is neither a table nor a list"
    return Problem(WHERE, what, "Write its values as a list", type(node).__name__)


def _called(trail: Trail) -> str:
    return repr(" > ".join(trail)) if trail else "the tree"


def _even(trails: list[Trail]) -> list[Trail]:
    """The columns from the values up to the top; a value repeats itself where its way is shorter than the longest."""
    deepest = max(map(len, trails))
    ways = ((trail[-1],) * (deepest - len(trail)) + trail[::-1] for trail in trails)
    return list(zip(*ways, strict=True))


def _read(file: Path) -> object:
    text = read_text(WHERE, file)
    try:
        return tomllib.loads(text) if file.suffix.lower() == ".toml" else json.loads(text, object_pairs_hook=_once)
    except RecursionError as error:
        raise refuse(WHERE, f"{str(file)!r} is nested too deeply", "Flatten the tree") from error
    except ValueError as error:
        raise refuse(WHERE, f"cannot read {str(file)!r}", "Correct the file", found=str(error)) from error


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """A JSON table; a name that comes twice would silently replace the first."""
    table = dict(pairs)
    if len(table) < len(pairs):
        raise ValueError("a name that comes twice in one table")
    return table
