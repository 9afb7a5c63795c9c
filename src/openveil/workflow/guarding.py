"""What guards each row, from the wishes of persons and from rules.

Claim. `guards_of` gives every row of a table its guarding node: the wish of the row (a cell of a column), or of its
person (lines of a consent file), where there is one; else what the plan says of the nearest node that holds the row's
value; else the default. A wish that is not on the way from the row's value to the root is an error, which counts rows
and names nobody. All that is wrong is said at once.

Of several lines of a person the highest node on the row's way counts; if none is on it, the word for 'waived', where
one of the lines has it. Where a name stands for two nodes on the way, the higher one is meant. So a doubt never costs
protection. Persons whom the table does not have are passed over.

Why it holds. A wish is looked up on the row's own way only, level by level (`Nodes.above`); what the plan says of a
node must lie above that node, so it lies above every value in it.

Cost. One join of the consent file, one pass over the rows a level.

Source. Xiao and Tao, Personalized privacy preservation, 2006, Definition 2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from openveil.core.axis import Codes, Hierarchy
from openveil.core.errors import Problem, RequestError
from openveil.core.guards import Guards
from openveil.core.nodes import NO_NODE, Nodes
from openveil.io.read import Source, read
from openveil.workflow.toml_spelling import place

OWN, NOBODY = "value", "none"
_ROW, _WISH = "row", "wish"


@dataclass(frozen=True)
class Wishes:
    """Where guards come from: a column, or a consent file with a `key` that a column of the table has too.

    `nodes` says what guards the values in a node of the taxonomy, `default` what guards all others: "value" or
    "none". `waived` is how a person writes that no protection is wanted.
    """

    guarded: str
    column: str | None = None
    file: Path | None = None
    key: str | None = None
    node: str = "node"
    default: str = OWN
    nodes: Mapping[str, str] = field(default_factory=dict)
    waived: str = NOBODY


def guards_of(frame: pl.DataFrame, hierarchy: Hierarchy, wishes: Wishes) -> Guards:
    """The guarding node of every row, or one error with all that is wrong with them."""
    nodes = Nodes.of(hierarchy)
    leaf, _ = nodes.leaf_of(frame[wishes.guarded])
    problems = [*_of_names(nodes, wishes)]
    ruled, wrong = _ruled(nodes, wishes)
    said, unread = _said(frame, wishes)
    problems += [*wrong, *unread]
    if problems:
        raise RequestError(problems)
    own, waiving, strangers = _wished(nodes, leaf, said, wishes.waived)
    if strangers:
        raise RequestError([_off_the_way(strangers, frame.height, wishes)])
    guard = np.where(own != NO_NODE, own, np.where(waiving, NO_NODE, ruled[leaf])).astype(np.int32)
    return Guards(wishes.guarded, nodes, leaf, guard, ruled)


def _where(wishes: Wishes, *steps: str) -> str:
    return place(("columns", wishes.guarded, "guard", *steps))


def _of_names(nodes: Nodes, wishes: Wishes) -> Iterator[Problem]:
    if nodes.ambiguous:
        what = "has the same label for nodes of different sizes, so a reader could not tell them apart"
        where = place(("columns", wishes.guarded, "hierarchy"))
        yield Problem(where, what, "Give each node a label of its own", f"{nodes.ambiguous} labels too many")
    for key, word in (("waived", wishes.waived), ("nodes", OWN), ("nodes", NOBODY)):
        if nodes.names().is_in([word]).any() and (key == "waived" or wishes.nodes):
            what = f"the taxonomy has a node that is called {word!r} too"
            yield Problem(_where(wishes, key), what, "Give `waived` another word, or the node another label")


def _ruled(nodes: Nodes, wishes: Wishes) -> tuple[Codes, list[Problem]]:
    """What guards each leaf where nobody says otherwise; the rule of the smallest node that holds it counts."""
    leaves = np.arange(nodes.leaves, dtype=np.int32)
    guard = leaves.copy() if wishes.default == OWN else np.full(nodes.leaves, NO_NODE, dtype=np.int32)
    unknown, wrong, found = [], [], []
    for name, wanted in wishes.nodes.items():
        held = nodes.above(leaves, pl.Series([name]).extend_constant(name, nodes.leaves - 1))
        inside = np.flatnonzero(held != NO_NODE)
        if not len(inside):
            unknown.append(name)
            continue
        above = nodes.above(leaves[inside], pl.Series([wanted] * len(inside), dtype=pl.String))
        if wanted in (OWN, NOBODY):
            above = leaves[inside] if wanted == OWN else np.full(len(inside), NO_NODE, dtype=np.int32)
        elif not nodes.within(held[inside], above).all() or (above == NO_NODE).any():
            wrong.append(name)
            continue
        found.append((len(inside), inside, above))
    for _, inside, above in sorted(found, key=lambda each: -each[0]):
        guard[inside] = above
    return guard, [*_of_rules(unknown, wrong, wishes)]


def _of_rules(unknown: Sequence[str], wrong: Sequence[str], wishes: Wishes) -> Iterator[Problem]:
    # The names may be values that somebody has, so they are counted.
    if unknown:
        found = f"{len(unknown)} of {len(wishes.nodes)}"
        yield Problem(_where(wishes, "nodes"), "names nodes that the taxonomy does not have", "Correct them", found)
    if wrong:
        found = f"{len(wrong)} of {len(wishes.nodes)}"
        remedy = f'Name the node itself, one above it, "{OWN}" for the value itself, or "{NOBODY}"'
        yield Problem(_where(wishes, "nodes"), "guards nodes by something that is not above them", remedy, found)


def _said(frame: pl.DataFrame, wishes: Wishes) -> tuple[pl.DataFrame, list[Problem]]:
    """The wishes, as pairs of a row and a text."""
    rows = pl.int_range(frame.height, dtype=pl.Int64, eager=True).alias(_ROW)
    if wishes.column is not None:
        said = pl.DataFrame([rows, frame[wishes.column].alias(_WISH)])
    elif wishes.file is None or wishes.key is None:
        said = pl.DataFrame({_ROW: [], _WISH: []}, schema={_ROW: pl.Int64, _WISH: pl.String})
    else:
        consent = read(Source(wishes.file))
        absent = [name for name in (wishes.key, wishes.node) if name not in consent.columns]
        if absent:
            what = f"the consent file has no column {', '.join(map(repr, absent))}"
            return consent.clear(), [Problem(_where(wishes, "file"), what, "Set `key` and `node` to its columns")]
        lines = consent.select(pl.col(wishes.key).cast(pl.String).alias("key"), pl.col(wishes.node).alias(_WISH))
        keys = pl.DataFrame([rows, frame[wishes.key].cast(pl.String).alias("key")])
        said = keys.join(lines.drop_nulls("key"), on="key", how="inner").select(_ROW, _WISH)
    texts = said.with_columns(pl.col(_WISH).cast(pl.String).str.strip_chars())
    return texts.filter(pl.col(_WISH).is_not_null() & (pl.col(_WISH) != "")), []


def _wished(nodes: Nodes, leaf: Codes, said: pl.DataFrame, waived: str) -> tuple[Codes, NDArray[np.bool_], int]:
    """For each row the highest node it wishes, whether it waives, and how many rows wish what is not on their way."""
    row = said[_ROW].to_numpy()
    node = nodes.above(leaf[row], said[_WISH])
    highest = np.full(len(leaf), NO_NODE, dtype=np.int32)
    np.maximum.at(highest, row, node)
    waiving, speaking = np.zeros((2, len(leaf)), dtype=np.bool_)
    waiving[row[(said[_WISH] == waived).to_numpy()]] = True
    speaking[row] = True
    return highest, waiving, int((speaking & ~waiving & (highest == NO_NODE)).sum())


def _off_the_way(strangers: int, rows: int, wishes: Wishes) -> Problem:
    source = f"column {wishes.column!r}" if wishes.column is not None else "the consent file"
    return Problem(
        f"{place(('columns', wishes.guarded))}, guarded by {source}",
        "has wishes that are not on the way from the row's own value to the root of the taxonomy",
        f"Name the value itself or a node above it, write {wishes.waived!r} to waive, or leave the wish empty",
        f"{strangers:,} of {rows:,} rows",
    )
