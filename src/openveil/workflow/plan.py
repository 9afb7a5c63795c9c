"""What a data steward wants, as a value: the columns and their roles, the promise, the method and the files.

Claim. A `Plan` that exists is valid: every key is known, every part is built from its registered declaration, and
the roles are consistent. Whatever is wrong with a plan is said at once, in one `RequestError`, by place.

Why it holds. The shape is checked by strict types, the parts by building their own dataclasses, and the roles on
what was written, so that one mistake never hides another. A message shows keys, kinds of values and enumerated
words; nothing else that was written, for a plan may list the categories of a column.

Cost. Milliseconds. The schema of a part is read from its declaration, so a new part needs no change here.
"""

from __future__ import annotations

import dataclasses
import difflib
import functools
import hashlib
import inspect
import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal, cast, get_type_hints

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    InstanceOf,
    PlainSerializer,
    PrivateAttr,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import ErrorDetails, PydanticCustomError

from openveil.core.errors import Problem, RequestError, refuse
from openveil.core.publisher import Publisher
from openveil.core.registry import Kind, Part, Status, discover, find
from openveil.core.requirement import Requirement
from openveil.core.rule import Rule
from openveil.core.schema import Column, Role, Schema
from openveil.io.source import Source

DEFAULT_METHOD = "samarati"

_SHOWN = 30
_LONGEST_WORD = 40
_NAMED_BY = {Kind.HIERARCHY: "kind", Kind.PUBLISHER: "name"}
_CALLED = {Kind.HIERARCHY: "hierarchy", Kind.PUBLISHER: "method", Kind.REQUIREMENT: "privacy model"}
_WORDS = {
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "int_parsing": "must be a whole number",
    "float_type": "must be a number",
    "fraction_parsing": 'must be a number, or an exact fraction such as "1/3"',
    "finite_number": "must be finite",
    "string_type": "must be a text",
    "path_type": "must be a path, written as a text",
    "bool_type": "must be true or false",
    "tuple_type": "must be a list",
    "list_type": "must be a list",
    "dict_type": "must be a table of keys and values",
    "model_type": "must be a table of keys and values",
    "model_attributes_type": "must be a table of keys and values",
    "dataclass_type": "must be a table of keys and values",
    "none_required": "must be left out",
    "string_too_short": "must not be empty",
}
_LIMITS = {"greater_than": "gt", "greater_than_equal": "ge", "less_than": "lt", "less_than_equal": "le"}
_LIMIT_WORDS = {"gt": "more than", "ge": "at least", "lt": "less than", "le": "at most"}


@dataclasses.dataclass(frozen=True, slots=True)
class _Complaint:
    """A problem whose place is relative to the part it was found in."""

    within: tuple[str | int, ...]
    what: str
    remedy: str
    found: str = ""


@dataclasses.dataclass(frozen=True)
class Chosen:
    """A registered part with the parameters the plan gives it, and the value built from them."""

    part: Part
    parameters: Mapping[str, Any]
    value: Any


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


def _hierarchy(raw: object, info: ValidationInfo) -> Chosen:
    return _choose(Kind.HIERARCHY, raw, _base(info))


def _method(raw: object, info: ValidationInfo) -> Chosen:
    return _choose(Kind.PUBLISHER, {"name": raw} if isinstance(raw, str) else raw, _base(info))


def _privacy(raw: object, info: ValidationInfo) -> Chosen:
    if not isinstance(raw, Mapping):
        raise _raised([_Complaint((), "must be a table with one privacy model", _EXAMPLE_MODEL, _kind_of(raw))])
    if len(raw) != 1:
        what = "several privacy models at once are not supported yet" if raw else "names no privacy model"
        raise _raised([_Complaint((), what, _EXAMPLE_MODEL, f"{len(raw)} models")])
    [(name, parameters)] = raw.items()
    return _build(Kind.REQUIREMENT, name, parameters, _base(info), inside=(name,))


def _written(chosen: Chosen | None) -> dict[str, Any] | None:
    if chosen is None:
        return None
    key = _NAMED_BY.get(chosen.part.kind)
    if key is None:
        return {chosen.part.name: dict(chosen.parameters)}
    return {key: chosen.part.name, **chosen.parameters}


_EXAMPLE_MODEL = "Write one, such as k-anonymity = { k = 5 }"
_AS_WRITTEN = (PlainSerializer(_written), WithJsonSchema({}))
HierarchyChoice = Annotated[InstanceOf[Chosen] | None, BeforeValidator(_hierarchy), *_AS_WRITTEN]
MethodChoice = Annotated[InstanceOf[Chosen], BeforeValidator(_method), *_AS_WRITTEN]
PrivacyChoice = Annotated[InstanceOf[Chosen], BeforeValidator(_privacy), *_AS_WRITTEN]


class Input(_Strict):
    """The file to read. What is left out is recognised from the file itself."""

    path: Annotated[str, Field(min_length=1, description="The file, relative to the plan's folder.")]
    separator: Annotated[str | None, Field(description="What separates cells: a character, or one and a blank.")] = (
        None
    )
    encoding: Annotated[str | None, Field(description="The encoding of a text file, such as utf-8.")] = None
    decimal: Annotated[Literal[".", ","], Field(description="The decimal mark of numbers.")] = "."
    missing: Annotated[tuple[str, ...], Field(description="Spellings that mean 'not known'.")] = ()

    @model_validator(mode="after")
    def _readable(self) -> Input:
        try:
            self.source(Path())
        except RequestError as error:
            raise _raised([_Complaint((each.where,), each.what, each.remedy) for each in error.problems]) from None
        return self

    def source(self, base: Path) -> Source:
        """The file to read and how, starting from the folder `base`."""
        return Source(base / self.path, self.separator, self.encoding, self.decimal, self.missing)


class ColumnPlan(_Strict):
    """The role of one column; for a quasi-identifier also how it may be generalised, and what precision costs."""

    role: Annotated[Role, Field(description="What an adversary may do with the column.")]
    weight: Annotated[
        Annotated[Fraction, Field(gt=0)] | None,
        Field(description="The price of precision lost, against 1 for the others."),
    ] = None
    hierarchy: HierarchyChoice = None


class Output(_Strict):
    """Where the release goes and what it looks like."""

    folder: Annotated[str, Field(min_length=1, description="The folder, relative to the plan's folder.")] = "release"
    format: Annotated[Literal["csv", "parquet", "arrow"], Field(description="The format of the table.")] = "csv"
    suppressed: Annotated[
        Literal["drop", "blank"],
        Field(description="Leave suppressed rows out, or keep them with their quasi-identifiers blank."),
    ] = "drop"


class Plan(_Strict):
    """What is to be published, what is promised, and how; made by `from_toml` or `from_dict`."""

    allow_unsafe: Annotated[bool, Field(description="Allow parts that are known to be unsafe.")] = False
    input: Input | None = None
    columns: dict[str, ColumnPlan]
    privacy: PrivacyChoice
    method: MethodChoice = Field(default=cast("Chosen", DEFAULT_METHOD), validate_default=True)
    output: Output = Output()
    _base: Path = PrivateAttr(default=Path())

    @staticmethod
    def from_toml(path: str | Path) -> Plan:
        """The plan in the file `path`; relative paths in it start at its folder."""
        path = Path(path)
        return Plan.from_dict(_toml(path), base=path.parent)

    @staticmethod
    def from_dict(mapping: Mapping[str, Any], *, base: Path = Path()) -> Plan:
        """The plan written as nested mappings; relative paths in it start at `base`."""
        try:
            text = json.dumps(mapping, default=str)
        except (TypeError, ValueError, RecursionError):
            raise refuse(
                "plan", "is not a mapping of plain values", "Use texts, numbers, lists and mappings"
            ) from None
        try:
            return Plan.model_validate_json(text, strict=True, context={"base": base})
        except ValidationError as error:
            problems = [*_translated(error), *_inconsistencies(json.loads(text))]
        raise RequestError(problems)

    @model_validator(mode="after")
    def _consistent(self) -> Plan:
        problems = tuple(_inconsistencies(self.as_dict()))
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
        """The privacy model that must hold."""
        return cast("Requirement", self.privacy.value)

    @property
    def publisher(self) -> Publisher:
        """The algorithm that decides the release."""
        return cast("Publisher", self.method.value)

    @property
    def unsafe_parts(self) -> tuple[Part, ...]:
        """The parts of the plan that are known to be unsafe; empty unless the plan allows them."""
        choices = (self.privacy, self.method, *(column.hierarchy for column in self.columns.values()))
        return tuple(choice.part for choice in choices if choice and choice.part.status is Status.KNOWN_UNSAFE)

    @property
    def digest(self) -> str:
        """SHA-256 of the plan in canonical form; spelling and order of keys do not change it."""
        canonical = json.dumps(self.as_dict(), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(canonical.encode()).hexdigest()

    def check_columns(self, names: Iterable[str]) -> None:
        """Raise `RequestError` unless the columns of the table and of the plan are the same."""
        table = list(names)
        problems = [*self._without_role(table), *self._not_in_table(table)]
        if problems:
            raise RequestError(problems)

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
            what = f"{count} of the file {have} no role: {_listed(missing)}"
            yield Problem("plan: columns", what, f"Give every column one of the roles {_listed(Role)}")

    def _not_in_table(self, table: Sequence[str]) -> Iterator[Problem]:
        for name in self.columns:
            if name not in table:
                remedy = _suggested(name, table) or "Remove it, or correct its name"
                yield Problem(_place(("columns", name)), "the file has no such column", remedy)


def json_schema() -> dict[str, Any]:
    """The JSON Schema of a plan file, with every registered part."""
    schema = Plan.model_json_schema()
    defs = schema.setdefault("$defs", {})
    for kind in (Kind.HIERARCHY, Kind.PUBLISHER, Kind.REQUIREMENT):
        for part in discover(kind):
            defs[f"{kind}-{part.name}"] = _part_schema(part, defs)
    defs["ColumnPlan"]["properties"]["hierarchy"] = {"oneOf": _references(Kind.HIERARCHY)}
    names = {"enum": [part.name for part in discover(Kind.PUBLISHER)]}
    schema["properties"]["method"] = {"oneOf": [names, *_references(Kind.PUBLISHER)], "default": DEFAULT_METHOD}
    schema["properties"]["privacy"] = _privacy_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def _privacy_schema() -> dict[str, Any]:
    models = {part.name: {"$ref": _reference(part)} for part in discover(Kind.REQUIREMENT)}
    return {
        "description": "The privacy model that must hold.",
        "type": "object",
        "properties": models,
        "additionalProperties": False,
        "minProperties": 1,
        "maxProperties": 1,
    }


def _references(kind: Kind) -> list[dict[str, str]]:
    return [{"$ref": _reference(part)} for part in discover(kind)]


def _reference(part: Part) -> str:
    return f"#/$defs/{part.kind}-{part.name}"


def _part_schema(part: Part, defs: dict[str, Any]) -> dict[str, Any]:
    schema = _adapter(part.cls).json_schema(ref_template="#/$defs/{model}")
    defs.update(schema.pop("$defs", {}))
    schema |= {
        "title": part.name,
        "description": f"{inspect.getdoc(part.cls)}\n\nStatus: {part.status}.",
        "additionalProperties": False,
    }
    key = _NAMED_BY.get(part.kind)
    if key:
        schema["properties"] = {key: {"const": part.name}, **schema.get("properties", {})}
        schema["required"] = [key, *schema.get("required", [])]
    return schema


@functools.cache
def _adapter(cls: type) -> TypeAdapter[Any]:
    return TypeAdapter(cls)


def _toml(path: Path) -> dict[str, Any]:
    where = f"plan {path.name!r}"
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        remedy = "Check the path, or let `openveil scan FILE -o plan.toml` write one"
        raise refuse(where, "there is no such file", remedy) from None
    except UnicodeDecodeError:
        raise refuse(where, "is not UTF-8 text", "Save the plan as UTF-8; a plan is a TOML file") from None
    except tomllib.TOMLDecodeError as error:
        raise refuse(
            where, f"is not valid TOML {_position(error)}", "Correct that line; see https://toml.io"
        ) from None
    except OSError as error:
        raise refuse(
            where, "cannot be read", "Check that it is a file you may read", found=str(error.strerror)
        ) from None


def _position(error: tomllib.TOMLDecodeError) -> str:
    found = re.search(r"\(at (line \d+, column \d+|end of document)\)$", str(error))
    return f"at {found[1]}" if found else "somewhere"


def _base(info: ValidationInfo) -> Path:
    return cast("Path", (info.context or {}).get("base", Path()))


def _choose(kind: Kind, raw: object, base: Path) -> Chosen:
    """Build the part that a table names by its `kind` or `name`."""
    key = _NAMED_BY[kind]
    if not isinstance(raw, Mapping):
        example = f'Write {{ {key} = "...", ... }} with one of: {_names(kind)}'
        raise _raised([_Complaint((), "must be a table of keys and values", example, _kind_of(raw))])
    if key not in raw:
        remedy = _suggested(key, list(raw), "Rename {}") or f"Choose one of: {_names(kind)}"
        raise _raised([_Complaint((key,), "is missing", remedy)])
    parameters = {name: value for name, value in raw.items() if name != key}
    return _build(kind, raw[key], parameters, base, inside=(), named=(key,))


def _build(
    kind: Kind, name: object, raw: object, base: Path, *, inside: tuple[str, ...], named: tuple[str, ...] = ()
) -> Chosen:
    part = find(kind, name) if isinstance(name, str) else None
    if part is None:
        choices = [each.name for each in discover(kind)]
        problem = _not_a_choice("", name, choices)
        raise _raised(
            [_Complaint(inside or named, f"is not a {_CALLED[kind]} openveil has", problem.remedy, problem.found)]
        )
    if not isinstance(raw, Mapping):
        remedy = f"Write its parameters as a table, such as {{ {_parameters(part)} }}"
        raise _raised([_Complaint(inside, "must be a table of keys and values", remedy, _kind_of(raw))])
    complaints = [*_strangers(part, raw, inside)]
    known = {key: value for key, value in raw.items() if key in _fields(part)}
    try:
        value = _adapter(part.cls).validate_json(json.dumps(_located(part, known, base)), strict=True)
    except ValidationError as error:
        complaints += _about(part, error, inside)
    except RequestError as error:
        complaints += [_own(part, problem, inside) for problem in error.problems]
    if complaints:
        raise _raised(complaints)
    return Chosen(part, MappingProxyType(dict(known)), value)


def _own(part: Part, problem: Problem, inside: tuple[str, ...]) -> _Complaint:
    """What a part says of its own parameters; the parameter is named where the part names it."""
    parameter = problem.where.rpartition(": ")[2]
    within = (*inside, parameter) if parameter in _fields(part) else inside
    return _Complaint(within, problem.what, problem.remedy, problem.found)


def _fields(part: Part) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(part.cls) if field.init)


def _parameters(part: Part) -> str:
    return ", ".join(f"{name} = ..." for name in _fields(part))


def _names(kind: Kind) -> str:
    return ", ".join(part.name for part in discover(kind))


def _strangers(part: Part, raw: Mapping[str, Any], inside: tuple[str, ...]) -> Iterator[_Complaint]:
    for key in raw:
        if key not in _fields(part):
            known = _listed(_fields(part)) or "none"
            remedy = _suggested(key, _fields(part)) or f"Remove it. Its parameters are: {known}"
            yield _Complaint((*inside, key), f"is not a parameter of {part.name}", remedy)


def _located(part: Part, parameters: Mapping[str, Any], base: Path) -> dict[str, Any]:
    """The parameters, with relative paths starting at `base`."""
    hints = get_type_hints(part.cls)
    return {
        key: str(base / value) if isinstance(value, str) and "Path" in str(hints[key]) else value
        for key, value in parameters.items()
    }


def _about(part: Part, error: ValidationError, inside: tuple[str, ...]) -> Iterator[_Complaint]:
    """What is wrong with the parameters of a part; alternatives of one parameter are joined."""
    said: dict[tuple[str | int, ...], list[str]] = {}
    found: dict[tuple[str | int, ...], str] = {}
    for detail in error.errors(include_url=False):
        within = (*inside, *_trimmed(detail["loc"]))
        phrase = _phrase(detail)
        if phrase not in said.setdefault(within, []):
            said[within].append(phrase)
        if detail["type"] not in {"missing", "value_error"}:
            found[within] = _kind_of(detail["input"])
    for within, phrases in said.items():
        what = " or ".join([phrases[0], *(phrase.removeprefix("must be ") for phrase in phrases[1:])])
        yield _Complaint(within, what, f"See `openveil explain {part.name}`", found.get(within, ""))


def _trimmed(place: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """The parameter and the index in it: what lies deeper may be a category of a column."""
    return place[: 2 if len(place) > 1 and isinstance(place[1], int) else 1]


def _raised(complaints: list[_Complaint]) -> PydanticCustomError:
    return PydanticCustomError("part", "a part of the plan is wrong", {"complaints": complaints})


def _translated(error: ValidationError) -> Iterator[Problem]:
    for detail in error.errors(include_url=False):
        if detail["type"] == "part":
            for complaint in detail["ctx"]["complaints"]:
                place = _place((*detail["loc"], *complaint.within))
                yield Problem(place, complaint.what, complaint.remedy, complaint.found)
        else:
            yield _misshapen(detail)


def _misshapen(detail: ErrorDetails) -> Problem:
    place, kind = detail["loc"], detail["type"]
    where = _place(place)
    if kind == "extra_forbidden":
        keys = _keys_at(place[:-1])
        remedy = _suggested(str(place[-1]), keys) or f"Remove it. The keys here are: {_listed(keys)}"
        return Problem(where, "is not a key of a plan", remedy)
    if kind == "missing":
        return Problem(where, "is missing", _REMEDIES.get(str(place[-1]), "Add it"))
    if kind in {"enum", "literal_error"}:
        choices = [*Role] if place[-1] == "role" else re.findall(r"'([^']*)'", detail["msg"])
        return _not_a_choice(where, detail["input"], choices)
    return Problem(where, _phrase(detail), _REMEDIES.get(str(place[-1]), "Correct it"), _kind_of(detail["input"]))


def _not_a_choice(where: str, word: object, choices: list[str]) -> Problem:
    found = repr(word) if isinstance(word, str) and len(word) <= _LONGEST_WORD else _kind_of(word)
    remedy = _suggested(str(word), choices) or f"Choose one of: {_listed(choices)}"
    return Problem(where, "is not one of the words allowed here", remedy, found)


_REMEDIES = {
    "role": f"Add a role, one of: {', '.join(Role)}",
    "columns": 'Add a table for each column, such as [columns.age] with role = "quasi-identifier"',
    "privacy": "Add [privacy] with k-anonymity = { k = 5 }",
    "path": 'Add path = "the file to publish"',
    "weight": "Write a positive number, such as 2 or 0.5",
}


def _phrase(detail: ErrorDetails) -> str:
    kind, context = detail["type"], detail.get("ctx", {})
    if kind == "missing":
        return "is missing"
    if kind == "value_error":
        return str(context["error"])
    if kind in _LIMITS:
        limit = _LIMITS[kind]
        return f"must be {_LIMIT_WORDS[limit]} {context[limit]}"
    if kind in {"enum", "literal_error"}:
        return f"must be one of {context['expected']}"
    return _WORDS.get(kind, "has the wrong form")


def _keys_at(place: tuple[str | int, ...]) -> tuple[str, ...]:
    models: dict[str, type[BaseModel]] = {"input": Input, "columns": ColumnPlan, "output": Output}
    model = models[str(place[0])] if place else Plan
    return tuple(model.model_fields)


def _inconsistencies(raw: object) -> Iterator[Problem]:
    """What is wrong between the keys, as far as what was written has the shape of a plan."""
    if not isinstance(raw, Mapping):
        return
    columns = raw.get("columns")
    if isinstance(columns, Mapping):
        tables = {name: column for name, column in columns.items() if isinstance(column, Mapping)}
        yield from _of_roles(tables)
        for name, column in tables.items():
            yield from _of_column(name, column)
    if raw.get("allow_unsafe") is not True:
        yield from _of_safety(raw)


def _of_roles(columns: Mapping[str, Mapping[str, Any]]) -> Iterator[Problem]:
    count = Counter(str(column.get("role")) for column in columns.values())
    if not count[Role.QUASI] and set(count) <= set(Role):
        remedy = "Say which columns others may know of a person, such as age, sex or postal code"
        yield Problem("plan: columns", "no column has the role 'quasi-identifier'", remedy)
    if count[Role.PERSON] > 1:
        remedy = "Keep one; make the others identifiers"
        yield Problem(
            "plan: columns", "at most one column may have the role 'person'", remedy, str(count[Role.PERSON])
        )


def _of_column(name: str, column: Mapping[str, Any]) -> Iterator[Problem]:
    role = column.get("role")
    if role == Role.QUASI:
        if "hierarchy" not in column:
            what = "a quasi-identifier needs a hierarchy"
            remedy = f'Add hierarchy = {{ kind = "suppression" }}, or another kind: {_names(Kind.HIERARCHY)}'
            yield Problem(_place(("columns", name)), what, remedy)
        return
    for key in ("hierarchy", "weight"):
        if key in column and role in set(Role):
            what = "only a quasi-identifier may have it"
            remedy = f"Remove it, or make the column a quasi-identifier (its role is {role})"
            yield Problem(_place(("columns", name, key)), what, remedy)


def _of_safety(raw: Mapping[str, Any]) -> Iterator[Problem]:
    for kind, name, place in _named_parts(raw):
        part = find(kind, name) if isinstance(name, str) else None
        if part and part.status is Status.KNOWN_UNSAFE:
            what = f"{part.name} is known to be unsafe"
            yield Problem(_place(place), what, "Choose another, or write allow_unsafe = true at the top of the plan")


def _named_parts(raw: Mapping[str, Any]) -> Iterator[tuple[Kind, object, tuple[str, ...]]]:
    method = raw.get("method")
    yield Kind.PUBLISHER, method.get("name") if isinstance(method, Mapping) else method, ("method",)
    privacy = raw.get("privacy")
    for name in privacy if isinstance(privacy, Mapping) else ():
        yield Kind.REQUIREMENT, name, ("privacy", name)
    columns = raw.get("columns")
    for name, column in columns.items() if isinstance(columns, Mapping) else ():
        choice = column.get("hierarchy") if isinstance(column, Mapping) else None
        if isinstance(choice, Mapping):
            yield Kind.HIERARCHY, choice.get("kind"), ("columns", name, "hierarchy")


def _place(place: Iterable[str | int]) -> str:
    """A place in a plan as TOML writes it: `plan: columns."birth date".role`."""
    text = ""
    for step in place:
        text += f"[{step}]" if isinstance(step, int) else f".{_key(step)}"
    return f"plan: {text.removeprefix('.')}" if text else "plan"


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name, ensure_ascii=False)


def _suggested(word: str, among: Iterable[str], phrase: str = "Did you mean {}?") -> str:
    names = [str(name) for name in among]
    longer = [name for name in names if word and name.startswith(word)]
    close = difflib.get_close_matches(word, names, n=1, cutoff=0.6) or longer[:1]
    return phrase.format(repr(close[0])) if close else ""


def _listed(names: Iterable[str]) -> str:
    shown = [str(name) for name in names]
    rest = len(shown) - _SHOWN
    return ", ".join(shown[:_SHOWN]) + (f" and {rest} more" if rest > 0 else "")


def _counted(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def _kind_of(value: object) -> str:
    """What kind of value was written; never the value."""
    names: dict[type, str] = {
        bool: "true or false",
        int: "a whole number",
        float: "a number with decimals",
        str: "a text",
        list: "a list",
        tuple: "a list",
        dict: "a table",
    }
    return names.get(type(value), "something else")
