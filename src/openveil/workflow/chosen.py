"""A part of openveil as a plan chooses it: a hierarchy, a method or a privacy model, built from what was written.

Claim. A `Chosen` that exists is valid: its part is registered, every parameter is one of the part's own, and `value`
is the part built from them. Whatever is wrong with one choice is said at once, in one error.

Why it holds. The parameters are read strictly into the dataclass of the part, which checks itself
(`core/parameters.py`). Parameters that are paths start at the plan's folder.

Cost. Microseconds.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, cast, get_type_hints

from pydantic import BeforeValidator, InstanceOf, PlainSerializer, ValidationInfo, WithJsonSchema
from pydantic_core import PydanticCustomError

from openveil.core.parameters import Complaint, UnfitError, adapter, built, fields_of, kind_of, suggested
from openveil.core.registry import Kind, Part, discover, find
from openveil.workflow.complaints import not_a_choice, raised

__all__ = [
    "NAMED_BY",
    "AttacksChoice",
    "Chosen",
    "HierarchyChoice",
    "MethodChoice",
    "PrivacyChoice",
    "adapter",
    "names_of",
]

NAMED_BY = {Kind.HIERARCHY: "kind", Kind.PUBLISHER: "name"}
_EXAMPLE_MODEL = "Write one, such as k-anonymity = { k = 5 }"
_EXAMPLE_ATTACK = "Write one, such as skewness = { gain = 0.3 }"


@dataclasses.dataclass(frozen=True)
class Chosen:
    """A registered part with the parameters the plan gives it, and the value built from them."""

    part: Part
    parameters: Mapping[str, Any]
    value: Any


def _hierarchy(raw: object, info: ValidationInfo) -> Chosen:
    return _choose(Kind.HIERARCHY, raw, _base(info))


def _method(raw: object, info: ValidationInfo) -> Chosen:
    return _choose(Kind.PUBLISHER, {"name": raw} if isinstance(raw, str) else raw, _base(info))


def _privacy(raw: object, info: ValidationInfo) -> tuple[Chosen, ...]:
    if not isinstance(raw, Mapping):
        raise raised([Complaint((), "must be a table of privacy models", _EXAMPLE_MODEL, kind_of(raw))])
    if not raw:
        raise raised([Complaint((), "names no privacy model", _EXAMPLE_MODEL, "0 models")])
    return _several(Kind.REQUIREMENT, raw, _base(info))


def _attacks(raw: object, info: ValidationInfo) -> tuple[Chosen, ...]:
    if not isinstance(raw, Mapping):
        raise raised([Complaint((), "must be a table of attacks", _EXAMPLE_ATTACK, kind_of(raw))])
    return _several(Kind.ATTACK, raw, _base(info))


def _several(kind: Kind, raw: Mapping[Any, Any], base: Path) -> tuple[Chosen, ...]:
    """The parts of a table that has one key for each; all that is wrong with any of them at once."""
    chosen: list[Chosen] = []
    complaints: list[Complaint] = []
    for name, parameters in raw.items():
        try:
            chosen.append(_build(kind, name, parameters, base, inside=(name,)))
        except PydanticCustomError as error:
            complaints.extend((error.context or {})["complaints"])
    if complaints:
        raise raised(complaints)
    return tuple(chosen)


def _written(chosen: Chosen | None) -> dict[str, Any] | None:
    if chosen is None:
        return None
    return {NAMED_BY[chosen.part.kind]: chosen.part.name, **chosen.parameters}


def _several_written(chosen: tuple[Chosen, ...] | None) -> dict[str, Any] | None:
    return None if chosen is None else {each.part.name: dict(each.parameters) for each in chosen}


_AS_WRITTEN = (PlainSerializer(_written), WithJsonSchema({}))
HierarchyChoice = Annotated[InstanceOf[Chosen] | None, BeforeValidator(_hierarchy), *_AS_WRITTEN]
MethodChoice = Annotated[InstanceOf[Chosen], BeforeValidator(_method), *_AS_WRITTEN]
PrivacyChoice = Annotated[
    tuple[InstanceOf[Chosen], ...],
    BeforeValidator(_privacy),
    PlainSerializer(_several_written),
    WithJsonSchema({}),
]
AttacksChoice = Annotated[
    tuple[InstanceOf[Chosen], ...] | None,
    BeforeValidator(_attacks),
    PlainSerializer(_several_written),
    WithJsonSchema({}),
]


def names_of(kind: Kind) -> str:
    """The names of the registered parts of a kind."""
    return ", ".join(part.name for part in discover(kind))


def _base(info: ValidationInfo) -> Path:
    return cast("Path", (info.context or {}).get("base", Path()))


def _choose(kind: Kind, raw: object, base: Path) -> Chosen:
    """Build the part that a table names by its `kind` or `name`."""
    key = NAMED_BY[kind]
    if not isinstance(raw, Mapping):
        example = f'Write {{ {key} = "...", ... }} with one of: {names_of(kind)}'
        raise raised([Complaint((), "must be a table of keys and values", example, kind_of(raw))])
    if key not in raw:
        remedy = suggested(key, list(raw), "Rename {}") or f"Choose one of: {names_of(kind)}"
        raise raised([Complaint((key,), "is missing", remedy)])
    parameters = {name: value for name, value in raw.items() if name != key}
    return _build(kind, raw[key], parameters, base, inside=(), named=(key,))


def _build(
    kind: Kind, name: object, raw: object, base: Path, *, inside: tuple[str, ...], named: tuple[str, ...] = ()
) -> Chosen:
    part = find(kind, name) if isinstance(name, str) else None
    if part is None:
        choices = [each.name for each in discover(kind)]
        problem = not_a_choice("", name, choices)
        raise raised(
            [Complaint(inside or named, f"is not a {kind.called} openveil has", problem.remedy, problem.found)]
        )
    if not isinstance(raw, Mapping):
        remedy = f"Write its parameters as a table, such as {{ {_parameters(part)} }}"
        raise raised([Complaint(inside, "must be a table of keys and values", remedy, kind_of(raw))])
    try:
        value = built(part, _located(part, raw, base))
    except UnfitError as error:
        complaints = error.inside(part.kind.called, *inside).complaints
        raise raised([*complaints]) from None
    return Chosen(part, MappingProxyType(dict(raw)), value)


def _parameters(part: Part) -> str:
    return ", ".join(f"{name} = ..." for name in fields_of(part))


def _located(part: Part, parameters: Mapping[str, Any], base: Path) -> dict[str, Any]:
    """The parameters, with relative paths starting at `base`."""
    hints = get_type_hints(part.cls)
    return {
        key: str(base / value) if isinstance(value, str) and "Path" in str(hints.get(key)) else value
        for key, value in parameters.items()
    }
