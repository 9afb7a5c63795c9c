"""Write docs/reference.md from the declarations of the parts: `python docs/make_reference.py`."""

from __future__ import annotations

import dataclasses
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path

from openveil.core.registry import Kind, Part, discover
from openveil.workflow.plan import json_schema

REFERENCE = Path(__file__).parent / "reference.md"
TITLES = {
    Kind.REQUIREMENT: ("Privacy models", "In a plan: `[privacy]`, then `NAME = { parameters }`."),
    Kind.PUBLISHER: ("Methods", 'In a plan: `method = "NAME"`, or `[method]` with `name` and parameters.'),
    Kind.PREFERENCE: (
        "Preferences of `samarati`",
        'In a plan: `prefer = "NAME"`, or `{ policy = "NAME", parameters }`. Default: `minimum-information-loss`.',
    ),
    Kind.HIERARCHY: ("Hierarchies", 'In a plan: `hierarchy = { kind = "NAME", parameters }`.'),
    Kind.UTILITY: ("Utility", "Measured for every release."),
    Kind.ATTACK: ("Attacks", "Made by `openveil attack`; in a plan, for those with parameters: `[attacks.NAME]`."),
}


def reference() -> str:
    """The whole page."""
    lines = [
        "# Reference",
        "",
        "Made from the declarations by `docs/make_reference.py`; a test keeps it up to date.",
        "",
    ]
    lines += plan()
    for kind, (title, how) in TITLES.items():
        lines += [f"## {title}", "", how, ""]
        for part in discover(kind):
            lines += described(part)
    return "\n".join(lines).rstrip() + "\n"


def plan() -> Iterator[str]:
    """The keys of a plan outside the parts."""
    yield from ("## Plan", "", "`openveil schema` prints the JSON Schema for editors.", "")
    schema = json_schema()
    yield from ("| table | key | meaning |", "|---|---|---|")
    for table, name in (
        ("input", "Input"),
        ("columns.NAME", "ColumnPlan"),
        ("columns.NAME.guard", "GuardPlan"),
        ("output", "Output"),
    ):
        for key, value in schema["$defs"][name]["properties"].items():
            meaning = value.get("description") or "How the column may be generalised."
            default = value.get("default")
            said = f" Default: `{default}`." if default not in (None, [], ()) else ""
            yield f"| `[{table}]` | `{key}` | {meaning}{said} |"
    yield "| `[attacks.NAME]` | | Parameters of an attack for `openveil attack`; see Attacks. |"
    yield from ("| | `allow_unsafe` | Allow parts that are known to be unsafe. Default: `false`. |", "")


def described(part: Part) -> Iterator[str]:
    """One part: what it does, its parameters, its source and status."""
    yield from (f"### {part.name}", "", " ".join((inspect.getdoc(part.cls) or "").split()), "")
    for field in dataclasses.fields(part.cls):
        if field.init:
            yield f"- `{field.name}`: `{field.type}`{_default(field)}"
    yield from ("", f"Source: {part.source}. Status: {part.known}.", "")


def _default(field: dataclasses.Field[object]) -> str:
    if field.default is not dataclasses.MISSING:
        return f", default `{field.default!r}`"
    return "" if field.default_factory is dataclasses.MISSING else ", default empty"


if __name__ == "__main__":
    REFERENCE.write_text(reference(), encoding="utf-8")
    sys.stdout.write(f"{REFERENCE.name} written\n")
