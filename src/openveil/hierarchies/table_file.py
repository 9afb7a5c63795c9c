"""Hierarchy file: one line a value, its groups from fine to coarse, as ARX writes them.

Claim. A file of lines `value;level 1;...;*` becomes the hierarchy with these nodes over all values of the file,
observed or not; `export` writes a hierarchy so that reading it gives the same nodes. Fields are separated by `;`,
or by `,` when the first line has no `;`, and may be quoted. The last level `*` is added when it is not there.
A line for missing cells is not needed and not written.

Values are taken as they stand, or without blanks around them if the column has them so; in a column of numbers or
dates, plain decimal text and ISO dates are read as such, and lines that cannot be a value of the column are left
out. Group labels lose the blanks around them.

Why it holds. Ragged lines, values listed twice, labels with two parents and lines that look like a header are
refused, all at once; what remains is a tree.

Cost. One read; linear in the number of fields.

Source. Prasser, Eicher, Spengler, Bild and Kuhn, Flexible data anonymization using ARX, 2020.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from openveil.core.axis import ROOT, Hierarchy
from openveil.core.errors import Problem, refuse
from openveil.core.registry import Kind, Status, part
from openveil.core.rule import Rule
from openveil.hierarchies.nesting import refuse_all
from openveil.hierarchies.reading import read_text
from openveil.hierarchies.tree import bind_rows, rows_of

WHERE = "hierarchy 'file'"
HEADER = re.compile(r"(value|leaf|code|label|level[ _-]?[0-9]+|root|\*)", re.IGNORECASE)


@part(
    Kind.HIERARCHY,
    "file",
    source="Prasser, Eicher, Spengler, Bild and Kuhn, Flexible data anonymization using ARX, 2020",
    status=Status.PROVED,
)
@dataclass(frozen=True, kw_only=True)
class TableFile(Rule):
    """Reads the groups of each value from a CSV file.

    `file`: one line a value, from the value over its groups to `*`, as ARX writes them.
    """

    file: Path

    def bind(self, name: str, values: pl.Series, *, missing: bool) -> Hierarchy:
        """The levels over all values of the file."""
        where = f"{WHERE}, {Path(self.file).name!r}"
        lines = _lines(where, Path(self.file))
        refuse_all((*_ragged(where, lines), *_header(where, lines)))
        columns = list(zip(*lines, strict=True))
        # The root is added to every hierarchy by itself, however often the file has it.
        while len(columns) > 1 and {field.strip() for field in columns[-1]} == {ROOT}:
            columns.pop()
        return bind_rows(name, where, rows_of(columns), values, missing=missing)


def export(hierarchy: Hierarchy, path: Path) -> None:
    """Write the hierarchy as lines `value;level 1;...;*`, whole or not at all; the missing value has no line."""
    count = len(hierarchy.axis.labels)
    shown = [
        level.labels.gather(hierarchy.node_of_leaf(number)[:count].astype(np.int64)).alias(str(number))
        for number, level in enumerate(hierarchy.levels)
    ]
    unfinished = path.with_name(f".{path.name}.unfinished")
    pl.DataFrame(shown).write_csv(unfinished, include_header=False, separator=";")
    unfinished.replace(path)


def _lines(where: str, file: Path) -> list[list[str]]:
    text = read_text(where, file)
    try:
        first = next(csv.reader(io.StringIO(text.lstrip(), newline=""), delimiter=";"))
        separator = ";" if len(first) > 1 else ","
        fields = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True))
    except csv.Error as error:
        raise refuse(where, "is not a table of fields", "Correct its quotes", found=str(error)) from error
    return [line for line in fields if line and not (len(line) == 1 and not line[0].strip())]


def _ragged(where: str, lines: list[list[str]]) -> Iterator[Problem]:
    lengths = Counter(map(len, lines))
    if len(lengths) > 1:
        usual, times = lengths.most_common(1)[0]
        found = f"{len(lines) - times} of {len(lines)} lines with another number than {usual}"
        yield Problem(where, "has lines of different numbers of fields", "Give every line one field a level", found)


def _header(where: str, lines: list[list[str]]) -> Iterator[Problem]:
    first, rest = lines[0], lines[1:]
    rooted = bool(rest) and all(line[-1].strip() == ROOT for line in rest) and first[-1].strip() != ROOT
    named = len(first) > 1 and first[1].strip() != ROOT and all(HEADER.fullmatch(field.strip()) for field in first)
    if rooted or named:
        found = repr(" ".join(first))
        yield Problem(where, "its first line looks like a header", "Remove it; the file starts with a value", found)
