"""The JSON Schema of the parts a plan may choose, for editors and for the reference.

Claim. Every registered hierarchy, method and privacy model is described, with its parameters, their ranges and its
status; a part that is registered tomorrow is described tomorrow.

Why it holds. The schema of a part is read from its declaration, by the reader that builds it (`chosen.py`).

Cost. Milliseconds.
"""

from __future__ import annotations

import inspect
from typing import Any

from openveil.core.registry import Kind, Part, discover
from openveil.workflow.chosen import NAMED_BY, adapter


def with_parts(schema: dict[str, Any], default_method: str) -> dict[str, Any]:
    """The schema of a plan, completed by what may be written for its parts."""
    defs = schema.setdefault("$defs", {})
    for kind in (Kind.HIERARCHY, Kind.PUBLISHER, Kind.REQUIREMENT):
        for part in discover(kind):
            defs[f"{kind}-{part.name}"] = _part_schema(part, defs)
    defs["ColumnPlan"]["properties"]["hierarchy"] = {"oneOf": _references(Kind.HIERARCHY)}
    names = {"enum": [part.name for part in discover(Kind.PUBLISHER)]}
    schema["properties"]["method"] = {"oneOf": [names, *_references(Kind.PUBLISHER)], "default": default_method}
    schema["properties"]["privacy"] = _privacy_schema()
    return schema


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
    schema = adapter(part.cls).json_schema(ref_template="#/$defs/{model}")
    defs.update(schema.pop("$defs", {}))
    schema |= {
        "title": part.name,
        "description": f"{inspect.getdoc(part.cls)}\n\nStatus: {part.status}.",
        "additionalProperties": False,
    }
    key = NAMED_BY.get(part.kind)
    if key:
        schema["properties"] = {key: {"const": part.name}, **schema.get("properties", {})}
        schema["required"] = [key, *schema.get("required", [])]
    return schema
