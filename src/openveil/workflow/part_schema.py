"""The JSON Schema of the parts a plan may choose, for editors and for the reference.

Claim. Every registered hierarchy, method, preference and privacy model is described, with its parameters and its
status; a part that is registered tomorrow is described tomorrow. What a plan is refused for without its table, as
far as a schema can say it, the schema refuses too; it never refuses a plan that openveil takes.

Why it holds. The schema of a part is read from its declaration, by the reader that builds it
(`core/parameters.py`). A choice among parts says which word decides, so that an editor tells what is wrong with the
part that was meant.

Cost. Milliseconds.
"""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any

from openveil.core.parameters import adapter
from openveil.core.registry import Kind, Part, discover
from openveil.core.schema import Role
from openveil.workflow.chosen import NAMED_BY

_KEYS = {**NAMED_BY, Kind.PREFERENCE: "policy"}
# A number of rows, or a share of them: 5, 0.02, "2%".
_ROWS = {
    "anyOf": [
        {"type": "number", "minimum": 0},
        {"type": "string", "pattern": r"^\s*([0-9]+|[0-9]*\.[0-9]+)\s*%?\s*$"},
    ]
}


def with_parts(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of a plan, completed by what may be written for its parts."""
    defs = schema.setdefault("$defs", {})
    for kind in (Kind.ATTACK, Kind.HIERARCHY, Kind.PREFERENCE, Kind.PUBLISHER, Kind.REQUIREMENT):
        for part in discover(kind):
            defs[f"{kind}-{part.name}"] = _part_schema(part, defs)
    _complete_columns(defs["ColumnPlan"])
    default = "Left out: samarati, or mondrian++ where a privacy model reads sensitive values."
    schema["properties"]["method"] = {"description": default, **_named_or_table(Kind.PUBLISHER, [])}
    models = "The privacy models that must hold, all of them."
    schema["properties"]["privacy"] = {**_several_schema(Kind.REQUIREMENT, models), "minProperties": 1}
    attacks = "Parameters of attacks `openveil attack` makes; those that need none are made in any case."
    schema["properties"]["attacks"] = _several_schema(Kind.ATTACK, attacks)
    return schema


def _complete_columns(column: dict[str, Any]) -> None:
    """A quasi-identifier needs a hierarchy; of the others only a sensitive column may have one, and guards."""
    column["properties"]["hierarchy"] = {
        "description": "How the column may be generalised.",
        **_choice(Kind.HIERARCHY),
    }
    is_quasi = {"properties": {"role": {"const": str(Role.QUASI)}}, "required": ["role"]}
    plain = [str(role) for role in Role if role not in (Role.QUASI, Role.SENSITIVE)]
    is_plain = {"properties": {"role": {"enum": plain}}, "required": ["role"]}
    is_sensitive = {"properties": {"role": {"const": str(Role.SENSITIVE)}}, "required": ["role"]}
    column["allOf"] = [
        {"if": is_quasi, "then": {"required": ["hierarchy"], "properties": {"guard": False}}},
        {"if": is_plain, "then": {"properties": {"hierarchy": False, "weight": False, "guard": False}}},
        {"if": is_sensitive, "then": {"properties": {"weight": False}}},
    ]


def _several_schema(kind: Kind, description: str) -> dict[str, Any]:
    """A table that has one key for each part that is chosen."""
    return {
        "description": description,
        "type": "object",
        "properties": {part.name: {"$ref": _reference(part)} for part in discover(kind)},
        "additionalProperties": False,
    }


def _choice(kind: Kind) -> dict[str, Any]:
    """A table that names a part of the kind; the name decides what else may be in it.

    Not `oneOf`, for then a validator says no more than that none of the parts fits.
    """
    key, parts = _KEYS[kind], discover(kind)
    anything = {field.name: True for part in parts for field in dataclasses.fields(part.cls) if field.init}
    return {
        "type": "object",
        "required": [key],
        "properties": {key: {"enum": [part.name for part in parts]}, **anything},
        "allOf": [{"if": _named(key, part), "then": {"$ref": _reference(part)}} for part in parts],
    }


def _named(key: str, part: Part) -> dict[str, Any]:
    return {"properties": {key: {"const": part.name}}, "required": [key]}


def _named_or_table(kind: Kind, further: list[str]) -> dict[str, Any]:
    """The bare name of a part that needs no parameters, one of the `further` words, or a table."""
    bare = [part.name for part in discover(kind) if not needs_parameters(part)]
    named = {"enum": [*further, *bare]}
    return {"type": ["string", "object"], "if": {"type": "string"}, "then": named, "else": _choice(kind)}


def needs_parameters(part: Part) -> bool:
    """Whether the part cannot be made without being told something."""
    missing = dataclasses.MISSING
    fields = dataclasses.fields(part.cls)
    return any(field.init and field.default is missing and field.default_factory is missing for field in fields)


def _reference(part: Part) -> str:
    return f"#/$defs/{part.kind}-{part.name}"


def _part_schema(part: Part, defs: dict[str, Any]) -> dict[str, Any]:
    schema = adapter(part.cls).json_schema(ref_template="#/$defs/{model}")
    defs.update(schema.pop("$defs", {}))
    schema |= {
        "title": part.name,
        "description": f"{inspect.getdoc(part.cls)}\n\nStatus: {part.known}.",
        "additionalProperties": False,
    }
    parameters = {name: _sharpened(name, value) for name, value in schema.get("properties", {}).items()}
    key = _KEYS.get(part.kind)
    schema["properties"] = {key: {"const": part.name}, **parameters} if key else parameters
    if key:
        schema["required"] = [key, *schema.get("required", [])]
    return schema


def _sharpened(name: str, declared: dict[str, Any]) -> dict[str, Any]:
    """What a parameter may be, where its type says less than its reader demands."""
    default = declared.get("default")
    if name == "max_suppressed":
        return {**_ROWS, "default": default}
    if name == "prefer":
        return {**_named_or_table(Kind.PREFERENCE, [str(default)]), "default": default}
    return declared
