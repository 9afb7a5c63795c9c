"""A proposed plan, and its text.

Claim. The text is a plan file: it is read back as the roles, hierarchies and settings of the proposal, with the
reason for each column above it; a proposal without a quasi-identifier says so at the top. Names and paths of any
characters survive.

Why it holds. Names and texts are quoted as TOML has it (`toml_spelling.py`), whatever stands in them; everything else
comes from fixed words and numbers.

Cost. None to speak of.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from openveil.core.schema import Role
from openveil.io.source import Source
from openveil.workflow.advice import GROUPING_HINT, Advice
from openveil.workflow.toml_spelling import key, quoted

_MANY_QUASI = 10
_OPENING = """\
#:schema plan.schema.json
# The line above lets an editor help with this file, once you have run: openveil schema > plan.schema.json
#
# A plan for openveil, proposed by `openveil scan` from {rows:,} rows. Read it before you publish.
# A program cannot know what others know about these people. You do. The role of a column decides:
#   identifier        removed            quasi-identifier  others may know it: generalised
#   person            counts persons     sensitive         published as it is; what nobody should learn of a person
#   other             published as it is
# Columns marked CHECK are guesses on the side of privacy.
"""
_TAXONOMY = """\
# Where a hierarchy is "suppression", a value is published exactly or not at all. A taxonomy of your own keeps more:
#   hierarchy = {{ kind = "taxonomy", tree = {{ "one group" = ["a value", "another"], "other" = ["a third"] }} }}
#   hierarchy = {{ kind = "taxonomy", file = "groups.toml" }}, when it is long; see `openveil explain taxonomy`
"""
_MANY = """\
# There are {count} quasi-identifiers. Beyond about {limit}, little detail survives and the search takes long: keep as
# quasi-identifiers what an outsider can really learn, and remove columns (identifier) nobody will analyse.
"""
NO_QUASI = (
    "No quasi-identifier found: every column seems to name people and would be removed.",
    "Before publishing, give at least one column that others may know the role quasi-identifier, with a hierarchy.",
    "Do not choose a name or number of a person.",
)
_INPUT = """
[input]
path = {path}
"""
_COMMA = "# Numbers are written with a decimal comma, such as 1,5 for one and a half.\n"
_NO_MARKS = """\
# Cells that mean "not known", if they are not empty, are listed by their spelling:
# missing = ["?", "NA"]
"""
_MARKS = """\
# Cells spelt like this are taken for "not known", in every column. Strike out a spelling that is a value of its own.
missing = [{marks}]
"""
_CLOSING = """
# Every published combination of quasi-identifiers belongs to at least k persons. That alone does not hide a sensitive
# value which all of these persons share.
[privacy]
k-anonymity = {{ k = 5 }}

# The most rows that may be left out to keep more detail in the others.
[method]
name = "samarati"
max_suppressed = "2%"

[output]
folder = "release"
format = "{format}"
suppressed = "drop"
"""


@dataclass(frozen=True, slots=True, repr=False)
class Proposal:
    """A plan as proposed for one table: the advice for each column, and the text of the plan file, which it shows."""

    path: str
    rows: int
    columns: tuple[Advice, ...]
    source: Source | None = None

    @property
    def text(self) -> str:
        """The plan as TOML, with the reason for each column above it."""
        return "".join(_rendered(self))

    @property
    def lacks_quasi(self) -> bool:
        """Whether no column could be proposed as a quasi-identifier, so that the plan has to be completed."""
        return all(advice.role is not Role.QUASI for advice in self.columns)

    def __repr__(self) -> str:
        return self.text


def _rendered(proposal: Proposal) -> Iterator[str]:
    yield _OPENING.format(rows=proposal.rows)
    count = sum(advice.role is Role.QUASI for advice in proposal.columns)
    if proposal.lacks_quasi:
        yield "".join(("#\n", *(f"# {sentence}\n" for sentence in NO_QUASI)))
    if count > _MANY_QUASI:
        yield _MANY.format(count=count, limit=_MANY_QUASI)
    if any(GROUPING_HINT in advice.hints for advice in proposal.columns):
        yield _TAXONOMY.format()
    if proposal.path:
        yield from _of_input(proposal.path, proposal.source or Source(Path(proposal.path)))
    for advice in proposal.columns:
        yield "\n" + "\n".join(_of_advice(advice)) + "\n"
    parquet = proposal.path.lower().endswith((".parquet", ".pq"))
    yield _CLOSING.format(format="parquet" if parquet else "csv")


def _of_input(path: str, source: Source) -> Iterator[str]:
    """The file and the settings it is read with; those that are left to be detected are left out."""
    yield _INPUT.format(path=quoted(path))
    settings = {"separator": source.separator, "encoding": source.encoding, "decimal": source.decimal}
    defaults = {"decimal": "."}
    for name, value in settings.items():
        if value is not None and value != defaults.get(name):
            yield _COMMA if name == "decimal" else ""
            yield f"{name} = {quoted(value)}\n"
    yield _MARKS.format(marks=", ".join(map(quoted, source.missing))) if source.missing else _NO_MARKS


def _of_advice(advice: Advice) -> Iterator[str]:
    sentence = f"{advice.reason[0].upper()}{advice.reason[1:]}."
    yield f"# {'CHECK: ' if advice.doubtful else ''}{sentence}"
    yield from (f"# {hint}" for hint in advice.hints)
    yield f"[columns.{key(advice.name)}]"
    yield f'role = "{advice.role}"'
    if advice.hierarchy:
        yield f"hierarchy = {advice.hierarchy}"
