"""What a data steward wants, as a value: the columns and their roles, the promise, the method and the files.

Claim. A `Plan` that exists is valid: every key is known, every part is built from its registered declaration, and
the roles are consistent. Whatever is wrong with a plan is said at once, in one `RequestError`, by place.

Why it holds. The shape is checked by strict types, the parts by building their own dataclasses (`chosen.py`), and
the roles on what was written (`consistency.py`), so that one mistake never hides another. `complaints.py` phrases
what is wrong and shows no cell.

Cost. Milliseconds. The schema of a part is read from its declaration, so a new part needs no change here.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError, model_validator

from openveil.core.errors import Problem, RequestError, refuse
from openveil.core.parameters import Complaint, Steps, listed, suggested
from openveil.core.publisher import Publisher
from openveil.core.registry import Part, Status
from openveil.core.requirement import Requirement, together
from openveil.core.rule import Rule
from openveil.core.schema import Column, Role, Schema
from openveil.io.source import Source
from openveil.workflow.chosen import AttacksChoice, Chosen, HierarchyChoice, MethodChoice, PrivacyChoice
from openveil.workflow.complaints import raised, translated
from openveil.workflow.consistency import inconsistencies
from openveil.workflow.guarding import Wishes
from openveil.workflow.part_schema import with_parts
from openveil.workflow.toml_spelling import place

__all__ = ["Chosen", "ColumnPlan", "Input", "Output", "Plan", "json_schema"]

DEFAULT_METHOD, DEFAULT_FOR_SENSITIVE, DEFAULT_FOR_GUARDS = "samarati", "mondrian++", "personalised+"
_OTHER_TABLE = (
    "If the file has no line of column names, add one; else take the plan of this file, or let `openveil scan FILE "
    "-o plan.toml` write one"
)
# A taxonomy of the most levels allowed is a little over 100 deep; from 200 the reader of JSON gives up.
_DEEPEST = 150
# A place is named down to the key of a column.
_NAMED = 3
_SHALLOWER = "Write a taxonomy of fewer levels; those a reader needs are few"


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Input(_Strict):
    """The file to read. What is left out is recognised from the file itself."""

    path: Annotated[
        str | None,
        Field(min_length=1, description="The file, relative to the plan's folder; not needed for a table in memory."),
    ] = None
    separator: Annotated[str | None, Field(description="What separates cells: a character, or one and a blank.")] = (
        None
    )
    encoding: Annotated[str | None, Field(description="The encoding of a text file, such as utf-8.")] = None
    decimal: Annotated[Literal[".", ","], Field(description="The decimal mark of numbers.")] = "."
    missing: Annotated[
        tuple[str, ...], Field(description="Spellings that mean 'not known', in columns of every type.")
    ] = ()

    @model_validator(mode="after")
    def _readable(self) -> Input:
        try:
            self.source(Path())
        except RequestError as error:
            raise raised([Complaint((each.where,), each.what, each.remedy) for each in error.problems]) from None
        return self

    def source(self, base: Path) -> Source:
        """The file to read and how, starting from the folder `base`."""
        return Source(base / (self.path or ""), self.separator, self.encoding, self.decimal, self.missing)


class GuardPlan(_Strict):
    """What guards the values of a sensitive column: wishes of persons first, then rules, then the default."""

    column: Annotated[
        str | None,
        Field(
            min_length=1,
            description="The column, of role 'guard', with each row's wish: a node, or the `waived` word.",
        ),
    ] = None
    file: Annotated[
        str | None,
        Field(
            min_length=1, description="Instead, a consent file with the wishes of persons, one or more lines each."
        ),
    ] = None
    key: Annotated[
        str | None,
        Field(min_length=1, description="The column that says who it is, in the table and in the consent file."),
    ] = None
    node: Annotated[str, Field(min_length=1, description="The column of the consent file with the wish.")] = "node"
    default: Annotated[
        Literal["value", "none"],
        Field(description="What guards a row that nothing is said of: its value, or nothing."),
    ] = "value"
    nodes: Annotated[
        dict[str, str],
        Field(description='What guards the values in a node or a value: a node above it, "value" or "none".'),
    ] = {}
    others: Annotated[
        Literal["error", "ignore"],
        Field(description="What a line of the consent file is whose key the table does not have."),
    ] = "error"
    waived: Annotated[str, Field(min_length=1, description="How a wish says that no protection is wanted.")] = "none"


class ColumnPlan(_Strict):
    """The role of one column; for a quasi-identifier also how it may be generalised, and what precision costs.

    A sensitive column whose values are guarded has a hierarchy too, and says what guards them.
    """

    role: Annotated[Role, Field(description="What an adversary may do with the column.")]
    weight: Annotated[
        Annotated[Fraction, Field(gt=0)] | None,
        Field(description="The price of precision lost, against 1 for the others."),
    ] = None
    hierarchy: HierarchyChoice = None
    guard: Annotated[GuardPlan | None, Field(description="What guards the values of a sensitive column.")] = None


class Output(_Strict):
    """Where the release goes and what it looks like."""

    folder: Annotated[str, Field(min_length=1, description="The folder, relative to the plan's folder.")] = "release"
    format: Annotated[Literal["csv", "parquet", "arrow"], Field(description="The format of the table.")] = "csv"
    suppressed: Annotated[
        Literal["drop", "blank"],
        Field(description="Leave suppressed rows out, or keep them with their quasi-identifiers blank."),
    ] = "drop"


def _default_method(said: dict[str, Any]) -> Any:
    """The name of the method for what was asked for, as far as that could be read."""
    models = [cast("Requirement", chosen.value) for chosen in said.get("privacy", ())]
    if any(model.reads_guards for model in models):
        return DEFAULT_FOR_GUARDS
    return DEFAULT_FOR_SENSITIVE if any(model.reads_sensitive for model in models) else DEFAULT_METHOD


class Plan(_Strict):
    """What is to be published, what is promised, and how; made by `from_toml` or `from_dict`."""

    allow_unsafe: Annotated[bool, Field(description="Allow parts that are known to be unsafe.")] = False
    input: Input | None = None
    columns: dict[str, ColumnPlan]
    privacy: PrivacyChoice
    method: MethodChoice = Field(default_factory=_default_method, validate_default=True)
    output: Output = Output()
    attacks: AttacksChoice = None
    _base: Path = PrivateAttr(default=Path())

    @staticmethod
    def from_toml(path: str | Path) -> Plan:
        """The plan in the file `path`; relative paths in it start at its folder."""
        path = Path(path)
        return Plan.from_dict(_toml(path), base=path.parent)

    @staticmethod
    def from_dict(mapping: Mapping[str, Any], *, base: Path = Path()) -> Plan:
        """The plan written as nested mappings; relative paths in it start at `base`."""
        _check_depth(mapping)
        try:
            text = json.dumps(mapping, default=str)
        except (TypeError, ValueError, RecursionError):
            raise refuse(
                "plan", "is not a mapping of plain values", "Use texts, numbers, lists and mappings"
            ) from None
        try:
            return Plan.model_validate_json(text, strict=True, context={"base": base})
        except ValidationError as error:
            problems = [*translated(error, _keys_at), *inconsistencies(json.loads(text))]
        raise RequestError(problems)

    @model_validator(mode="after")
    def _consistent(self) -> Plan:
        problems = tuple(inconsistencies(self.as_dict()))
        if problems:
            raise RequestError(problems)
        return self

    def model_post_init(self, context: Any, /) -> None:
        """Remember where relative paths start."""
        self._base = (context or {}).get("base", Path())

    def as_dict(self) -> dict[str, Any]:
        """The plan as plain values, in the form a plan file has; what was left out stays out."""
        return self.model_dump(mode="json", exclude_none=True)

    @property
    def base(self) -> Path:
        """The folder relative paths start at."""
        return self._base

    @property
    def rules(self) -> Mapping[str, Rule]:
        """How each quasi-identifier may be generalised."""
        chosen = {name: column.hierarchy for name, column in self.columns.items()}
        return MappingProxyType({name: cast("Rule", choice.value) for name, choice in chosen.items() if choice})

    @property
    def requirement(self) -> Requirement:
        """The privacy models that must hold, as one."""
        return together([cast("Requirement", chosen.value) for chosen in self.privacy])

    @property
    def publisher(self) -> Publisher:
        """The algorithm that decides the release."""
        return cast("Publisher", self.method.value)

    @property
    def wishes(self) -> Wishes | None:
        """What guards sensitive values, where a privacy model asks for it."""
        guarded = [name for name, each in self.columns.items() if each.role is Role.SENSITIVE and each.hierarchy]
        if not self.requirement.reads_guards or not guarded:
            return None
        said = self.columns[guarded[0]].guard or GuardPlan()
        file = self._base / said.file if said.file is not None else None
        own = said.key is not None and said.key in self.columns and self.columns[said.key].role is Role.PERSON
        words = (said.node, said.default, said.nodes, said.waived, said.others)
        return Wishes(guarded[0], said.column, file, said.key, *words, of_persons=own)

    @property
    def unsafe_parts(self) -> tuple[Part, ...]:
        """The parts of the plan that are known to be unsafe; empty unless the plan allows them."""
        choices = (*self.privacy, self.method, *(column.hierarchy for column in self.columns.values()))
        return tuple(choice.part for choice in choices if choice and choice.part.status is Status.KNOWN_UNSAFE)

    @property
    def digest(self) -> str:
        """SHA-256 of the plan in canonical form; spelling and order of keys, and attacks, do not change it."""
        published = {key: value for key, value in self.as_dict().items() if key != "attacks"}
        canonical = json.dumps(published, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(canonical.encode()).hexdigest()

    def check_columns(self, names: Iterable[str]) -> None:
        """Raise `RequestError` unless the columns of the table and of the plan are the same.

        What is not a column of the plan is shown only if most of those are there: a file without its header line has
        somebody's values for names.
        """
        table = list(names)
        known = len(set(table) & set(self.columns))
        if 2 * known <= len(self.columns):
            raise self._of_another_table(table, known)
        problems = [*self._without_role(table), *self._not_in_table(table)]
        if problems:
            raise RequestError(problems)

    def _of_another_table(self, table: Sequence[str], known: int) -> RequestError:
        have = "is" if known == 1 else "are"
        shared = f"only {known} of the {len(self.columns)} columns of the plan {have} in the file"
        what = shared if known else "no column of the plan is in the file"
        return refuse("plan: columns", what, _OTHER_TABLE, found=_counted(len(table), "column", "columns"))

    def schema_for(self, frame_columns: Sequence[str]) -> Schema:
        """The roles and weights of the columns, in the order of the table."""
        self.check_columns(frame_columns)
        return Schema(tuple(self._column(name) for name in frame_columns))

    def _column(self, name: str) -> Column:
        column = self.columns[name]
        return Column(name, column.role, column.weight or Fraction(1))

    def _without_role(self, table: Sequence[str]) -> Iterator[Problem]:
        missing = [name for name in table if name not in self.columns]
        if missing:
            count = _counted(len(missing), "column", "columns")
            have = "has" if len(missing) == 1 else "have"
            what = f"{count} of the file {have} no role: {listed(missing)}"
            yield Problem("plan: columns", what, f"Give every column one of the roles {listed(Role)}")

    def _not_in_table(self, table: Sequence[str]) -> Iterator[Problem]:
        for name in self.columns:
            if name not in table:
                remedy = suggested(name, table) or "Remove it, or correct its name"
                yield Problem(place(("columns", name)), "the file has no such column", remedy)


def json_schema() -> dict[str, Any]:
    """The JSON Schema of a plan file, with every registered part."""
    schema = with_parts(Plan.model_json_schema())
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def _toml(path: Path) -> dict[str, Any]:
    where = f"plan {path.name or str(path)!r}"
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        remedy = "Check the path, or let `openveil scan FILE -o plan.toml` write one"
        raise refuse(where, "there is no such file", remedy) from None
    except IsADirectoryError:
        raise refuse(where, "is a folder", "Name the plan file inside it, such as plan.toml") from None
    except UnicodeDecodeError:
        raise refuse(where, "is not UTF-8 text", "Save the plan as UTF-8; a plan is a TOML file") from None
    except tomllib.TOMLDecodeError as error:
        raise refuse(
            where, f"is not valid TOML {_position(error)}", "Correct that line; see https://toml.io"
        ) from None
    except RecursionError:
        raise refuse(where, "is nested too deeply", _SHALLOWER) from None
    except ValueError:
        # Python reads no whole number of thousands of digits.
        raise refuse(where, "has a number that cannot be read", "Write it with fewer digits") from None
    except OSError as error:
        raise refuse(
            where, "cannot be read", "Check that it is a file you may read", found=str(error.strerror)
        ) from None


def _check_depth(mapping: object) -> None:
    """Refuse what the readers further on cannot follow; names the part that is too deep."""
    pending: list[tuple[Steps, int, object]] = [((), 0, mapping)]
    while pending:
        steps, depth, node = pending.pop()
        if depth > _DEEPEST:
            raise refuse(place(steps), "is nested too deeply", _SHALLOWER, found=f"more than {_DEEPEST} levels")
        inside = node.items() if isinstance(node, Mapping) else ()
        pending += [((*steps, str(key))[:_NAMED], depth + 1, each) for key, each in inside]
        if isinstance(node, list | tuple):
            pending += [(steps, depth + 1, each) for each in node if isinstance(each, Mapping | list | tuple)]


def _position(error: tomllib.TOMLDecodeError) -> str:
    found = re.search(r"\(at (line \d+, column \d+|end of document)\)$", str(error))
    return f"at {found[1]}" if found else "somewhere"


def _keys_at(steps: Steps) -> tuple[str, ...]:
    """The keys a plan may have at a place."""
    models: dict[str, type[BaseModel]] = {"input": Input, "columns": ColumnPlan, "output": Output}
    model = models[str(steps[0])] if steps else Plan
    if "guard" in steps[2:]:
        model = GuardPlan
    return tuple(model.model_fields)


def _counted(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
