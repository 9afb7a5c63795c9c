"""What must hold between the keys of a plan, whatever each says by itself.

Claim. A plan passes only if it has a quasi-identifier, at most one person, a hierarchy for every quasi-identifier
and for nothing else, and no part known to be unsafe unless it allows such parts. All that is wrong is said at once.

Why it holds. It is asked of what was written, not of what was built, so that one mistake never hides another: what
does not have the shape of a plan is passed over here and told by its own error.

Cost. One look at each column.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from openveil.core.errors import Problem
from openveil.core.registry import Kind, Status, find
from openveil.core.schema import Role
from openveil.workflow.chosen import names_of
from openveil.workflow.toml_spelling import place


def inconsistencies(raw: object) -> Iterator[Problem]:
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
            remedy = f'Add hierarchy = {{ kind = "suppression" }}, or another kind: {names_of(Kind.HIERARCHY)}'
            yield Problem(place(("columns", name)), what, remedy)
        return
    for key in ("hierarchy", "weight"):
        if key in column and role in set(Role):
            what = "only a quasi-identifier may have it"
            remedy = f"Remove it, or make the column a quasi-identifier (its role is {role})"
            yield Problem(place(("columns", name, key)), what, remedy)


def _of_safety(raw: Mapping[str, Any]) -> Iterator[Problem]:
    for kind, name, steps in _named_parts(raw):
        part = find(kind, name) if isinstance(name, str) else None
        if part and part.status is Status.KNOWN_UNSAFE:
            what = f"{part.name} is known to be unsafe"
            yield Problem(place(steps), what, "Choose another, or write allow_unsafe = true at the top of the plan")


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
