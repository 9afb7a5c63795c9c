"""What guards each row, from the wishes of persons and from rules.

Claim. `guards_of` gives every row of a table its guarding node: the wish of the row (a cell of a column), or of its
person (lines of a consent file), where there is one; else what the plan says of the nearest node that holds the row's
value; else the default. A wish that is not on the way from the row's value to the root is an error, which counts rows
and names nobody. All that is wrong is said at once.

Of several lines of a person the highest node on the row's way counts; if none is on it, the word for 'waived', where
one of the lines has it. A line that is on the way of none of the person's rows is an error whatever else the person
says, and so is a line that speaks of nobody in the table, unless the plan says that there are such lines. Where a
name stands for two nodes on the way, the higher one is meant. So a doubt never costs protection. A key that repeats
must be the person's, or the rows of one person would be taken for several people.

Why it holds. A wish is looked up on the row's own way only, level by level (`Nodes.above`); what the plan says of a
node must lie above that node, so it lies above every value in it.

Cost. One join of the consent file, one pass over the rows a level.

Source. Xiao and Tao, Personalized privacy preservation, 2006, Definition 2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from openveil.core.axis import Codes, Hierarchy
from openveil.core.errors import Problem, RequestError
from openveil.core.guards import Guards, Origins
from openveil.core.nodes import NO_NODE, Nodes
from openveil.io.read import Source, read
from openveil.workflow.toml_spelling import place

OWN, NOBODY = "value", "none"
ERROR = "error"
Flags = NDArray[np.bool_]
_ROW, _LINE, _WISH, _KEY = "row", "line", "wish", "key"


@dataclass(frozen=True)
class Wishes:
    """Where guards come from: a column, or a consent file with a `key` that a column of the table has too.

    `nodes` says what guards the values in a node of the taxonomy, `default` what guards all others: "value" or
    "none". `waived` is how a person writes that no protection is wanted, `others` what lines about people whom the
    table does not have are, and `of_persons` whether rows with the same key are known to be one person's.
    """

    guarded: str
    column: str | None = None
    file: Path | None = None
    key: str | None = None
    node: str = "node"
    default: str = OWN
    nodes: Mapping[str, str] = field(default_factory=dict)
    waived: str = NOBODY
    others: str = ERROR
    of_persons: bool = False


def guards_of(frame: pl.DataFrame, hierarchy: Hierarchy, wishes: Wishes) -> Guards:
    """The guarding node of every row, or one error with all that is wrong with them."""
    nodes = Nodes.of(hierarchy)
    leaf, _ = nodes.leaf_of(frame[wishes.guarded])
    problems = [*_of_names(nodes, wishes)]
    ruled, by_rule, wrong = _ruled(nodes, wishes)
    said, unread = _said(frame, wishes)
    problems += [*wrong, *unread]
    if problems:
        raise RequestError(problems)
    astray, lines = _astray(nodes, leaf, said, wishes.waived)
    if astray:
        among = f"{lines:,} lines" if wishes.column is None else f"{frame.height:,} rows"
        raise RequestError([_off_the_way(f"{astray:,} of {among}", wishes)])
    own, waiving, unsaid = _wished(nodes, leaf, said, wishes.waived)
    if unsaid.any():
        raise RequestError([_off_the_way(f"{int(unsaid.sum()):,} of {frame.height:,} rows", wishes)])
    guard = np.where(own != NO_NODE, own, np.where(waiving, NO_NODE, ruled[leaf])).astype(np.int32)
    return Guards(wishes.guarded, nodes, leaf, guard, ruled, _origins(own != NO_NODE, waiving, by_rule[leaf]))


def _origins(wished: Flags, waiving: Flags, by_rule: Flags) -> Origins:
    """How many rows the first, the second and the third of these decide, and how many are left."""
    left = ~wished & ~waiving
    counts = (wished, waiving & ~wished, left & by_rule, left & ~by_rule)
    return Origins(*(int(each.sum()) for each in counts))


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


def _ruled(nodes: Nodes, wishes: Wishes) -> tuple[Codes, Flags, list[Problem]]:
    """What guards each leaf where nobody says otherwise, and whether a rule says so.

    The rule of the smallest node that holds it counts.
    """
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
    by_rule = np.zeros(nodes.leaves, dtype=np.bool_)
    for _, inside, above in sorted(found, key=lambda each: -each[0]):
        guard[inside], by_rule[inside] = above, True
    return guard, by_rule, [*_of_rules(unknown, wrong, wishes)]


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
    """The wishes, as a row, the line it was said in, and a text; a line may speak of several rows of a person."""
    rows = pl.int_range(frame.height, dtype=pl.Int64, eager=True).alias(_ROW)
    if wishes.column is not None:
        return _spoken(pl.DataFrame([rows, rows.alias(_LINE), frame[wishes.column].alias(_WISH)])), []
    if wishes.file is None or wishes.key is None:
        return pl.DataFrame(schema={_ROW: pl.Int64, _LINE: pl.Int64, _WISH: pl.String}), []
    consent = read(Source(wishes.file))
    absent = [name for name in (wishes.key, wishes.node) if name not in consent.columns]
    if absent:
        what = f"the consent file has no column {', '.join(map(repr, absent))}"
        return consent.clear(), [Problem(_where(wishes, "file"), what, "Set `key` and `node` to its columns")]
    number = pl.int_range(consent.height, dtype=pl.Int64, eager=True).alias(_LINE)
    lines = _spoken(pl.DataFrame([number, _keys(consent[wishes.key]), consent[wishes.node].alias(_WISH)]))
    said = pl.DataFrame([rows, _keys(frame[wishes.key])]).join(lines, on=_KEY, how="inner")
    problems = _of_keys(frame[wishes.key], wishes), _of_strangers(said[_LINE].n_unique(), lines.height, wishes)
    return said.select(_ROW, _LINE, _WISH), [*chain(*problems)]


def _spoken(said: pl.DataFrame) -> pl.DataFrame:
    """What is said without blanks around it, where something is."""
    texts = said.with_columns(pl.col(_WISH).cast(pl.String).str.strip_chars())
    return texts.filter(pl.col(_WISH).is_not_null() & (pl.col(_WISH) != ""))


def _keys(column: pl.Series) -> pl.Series:
    """Who it is, without blanks around it; nothing where only blanks are."""
    keys = column.cast(pl.String).str.strip_chars()
    return keys.set(keys == "", None).alias(_KEY)


def _of_keys(column: pl.Series, wishes: Wishes) -> Iterator[Problem]:
    """What is wrong with telling people apart by the key; of repeated ones, that these are no persons."""
    known = _keys(column).drop_nulls()
    several = known.len() - known.n_unique()
    if several and not wishes.of_persons:
        what = f"{wishes.key!r} repeats, and nothing says that rows with the same one are one person's"
        remedy = "Give this column the role 'person', or name one as `key` that differs from row to row"
        yield Problem(_where(wishes, "key"), what, remedy, f"{several:,} of {column.len():,} rows repeat one")
    spellings = column.cast(pl.String).unique().len() - column.cast(pl.String).str.strip_chars().unique().len()
    if spellings and wishes.of_persons:
        what = f"{wishes.key!r} has values that differ in blanks alone, so a line could speak of several persons"
        yield Problem(_where(wishes, "key"), what, "Remove the blanks", f"{spellings:,} values too many")


def _of_strangers(found: int, lines: int, wishes: Wishes) -> Iterator[Problem]:
    """Lines that speak of nobody in the table: a person may be meant, and would not be protected as was asked."""
    if lines and (not found or (found < lines and wishes.others == ERROR)):
        what = f"has lines whose {wishes.key!r} is none of the table's, so what they ask for would be passed over"
        remedy = "Write the keys as the table has them"
        remedy += ', or write others = "ignore" if these lines are about people outside of the table' if found else ""
        yield Problem(_where(wishes, "file"), what, remedy, f"{lines - found:,} of {lines:,} lines")


def _wished(nodes: Nodes, leaf: Codes, said: pl.DataFrame, waived: str) -> tuple[Codes, Flags, Flags]:
    """For each row the highest node it wishes, whether it waives, and whether it wishes only what is off its way."""
    row = said[_ROW].to_numpy()
    node = nodes.above(leaf[row], said[_WISH])
    highest = np.full(len(leaf), NO_NODE, dtype=np.int32)
    np.maximum.at(highest, row, node)
    waiving, speaking = np.zeros((2, len(leaf)), dtype=np.bool_)
    waiving[row[(said[_WISH] == waived).to_numpy()]] = True
    speaking[row] = True
    return highest, waiving, speaking & ~waiving & (highest == NO_NODE)


def _astray(nodes: Nodes, leaf: Codes, said: pl.DataFrame, waived: str) -> tuple[int, int]:
    """How many lines wish what is on the way of none of the rows they speak of, and how many lines there are."""
    node = nodes.above(leaf[said[_ROW].to_numpy()], said[_WISH])
    meant = (node != NO_NODE) | (said[_WISH] == waived).to_numpy()
    line = said[_LINE].to_numpy()
    lines = len(np.unique(line))
    return lines - len(np.unique(line[meant])), lines


def _off_the_way(found: str, wishes: Wishes) -> Problem:
    source = f"column {wishes.column!r}" if wishes.column is not None else "the consent file"
    return Problem(
        f"{place(('columns', wishes.guarded))}, guarded by {source}",
        "has wishes that are not on the way from the row's own value to the root of the taxonomy",
        f"Name the value itself or a node above it, write {wishes.waived!r} to waive, or leave the wish empty",
        found,
    )
