"""What must hold between the keys of a plan, whatever each says by itself.

Claim. A plan passes only if it has a quasi-identifier, at most one person, a hierarchy for every quasi-identifier
(and for the one sensitive column that is guarded, where one is), and for nothing else, a method and columns that its
privacy models can be promised with, and no part known to be unsafe unless it allows such parts. All that is wrong is
said at once.

Why it holds. It is asked of what was written, not of what was built, so that one mistake never hides another: what
does not have the shape of a plan is passed over here and told by its own error.

Cost. One look at each column.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from openveil.core.errors import Problem
from openveil.core.publisher import Publisher
from openveil.core.recoding import Scheme
from openveil.core.registry import Kind, Part, Status, find
from openveil.core.release import COUNT, GROUP
from openveil.core.requirement import Diversity, Requirement
from openveil.core.schema import PUBLISHED, Role
from openveil.workflow.chosen import names_of
from openveil.workflow.toml_spelling import place

_ASKS_FOR_GUARDS = "personal-breach = { p = 0.25 }"


def inconsistencies(raw: object) -> Iterator[Problem]:
    """What is wrong between the keys, as far as what was written has the shape of a plan."""
    if not isinstance(raw, Mapping):
        return
    columns = raw.get("columns")
    if isinstance(columns, Mapping):
        tables = {name: column for name, column in columns.items() if isinstance(column, Mapping)}
        yield from _of_roles(tables)
        guarded = _reads_guards(raw)
        for name, column in tables.items():
            yield from _of_column(name, column, guarded)
        yield from _of_guards(tables, guarded)
        yield from _of_promise(raw, tables)
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


def _of_column(name: str, column: Mapping[str, Any], guarded: bool) -> Iterator[Problem]:  # noqa: FBT001
    role = column.get("role")
    if role == Role.QUASI:
        if "hierarchy" not in column:
            what = "a quasi-identifier needs a hierarchy"
            remedy = f'Add hierarchy = {{ kind = "suppression" }}, or another kind: {names_of(Kind.HIERARCHY)}'
            yield Problem(place(("columns", name)), what, remedy)
        if "guard" in column:
            what = "only a sensitive column may have it"
            yield Problem(place(("columns", name, "guard")), what, "Remove it, or make the column sensitive")
        return
    for key in ("hierarchy", "weight", "guard"):
        taken = guarded and role == Role.SENSITIVE and key != "weight"
        if key in column and role in set(Role) and not taken:
            what = "only a quasi-identifier may have it"
            remedy = f"Remove it, or make the column a quasi-identifier (its role is {role})"
            if key == "guard" or (role == Role.SENSITIVE and key == "hierarchy"):
                what = "has a use only where a privacy model protects what persons want guarded"
                remedy = f"Remove it, or ask for {_ASKS_FOR_GUARDS}"
            yield Problem(place(("columns", name, key)), what, remedy)


def _reads_guards(raw: Mapping[str, Any]) -> bool:
    models = (_known(kind, name, Kind.REQUIREMENT) for kind, name, _ in _named_parts(raw))
    return any(part is not None and cast("type[Requirement]", part.cls).reads_guards for part in models)


def _of_guards(columns: Mapping[str, Mapping[str, Any]], guarded: bool) -> Iterator[Problem]:  # noqa: FBT001
    """What is wrong with the taxonomy of what is guarded, and with where guards come from."""
    roles = {name: str(column.get("role")) for name, column in columns.items()}
    if not set(roles.values()) <= set(Role):
        return
    sensitive = [name for name, role in roles.items() if role == Role.SENSITIVE]
    asked = [name for name in sensitive if "hierarchy" in columns[name]]
    if guarded and sensitive and len(asked) != 1:
        what = "exactly one sensitive column needs a hierarchy: the taxonomy of what can be guarded"
        yield Problem("plan: columns", what, "Give one a taxonomy and a `guard`", f"{len(asked)} of {len(sensitive)}")
    written = {name: guard for name in asked if isinstance(guard := columns[name].get("guard", {}), Mapping)}
    for name, guard in written.items():
        yield from _of_guard(name, guard, roles)
    used = {str(guard.get("column")) for guard in written.values()}
    for name, role in roles.items():
        if role == Role.GUARD and name not in used:
            what = "says what is guarded, but no sensitive column takes its guards from it"
            yield Problem(place(("columns", name)), what, "Name it as `guard.column`, or make it an identifier")


def _of_guard(name: str, guard: Mapping[str, Any], roles: Mapping[str, str]) -> Iterator[Problem]:
    where = ("columns", name, "guard")
    if "column" in guard and "file" in guard:
        yield Problem(place(where), "names both a column and a consent file", "Keep one of them")
    if "column" in guard and roles.get(str(guard["column"])) != Role.GUARD:
        what = "is not a column with the role 'guard', which is removed"
        yield Problem(place((*where, "column")), what, "Name such a column, or give that role to the one you named")
    if ("file" in guard) != ("key" in guard):
        missing = "key" if "file" in guard else "file"
        yield Problem(place((*where, missing)), "is missing", "A consent file needs `file`, and `key` for who it is")
    if "key" in guard and roles.get(str(guard["key"])) not in (Role.PERSON, Role.IDENTIFIER):
        what = "is not a column with the role 'person' or 'identifier'"
        yield Problem(place((*where, "key")), what, "Name the column that says who it is")


def _of_promise(raw: Mapping[str, Any], columns: Mapping[str, Mapping[str, Any]]) -> Iterator[Problem]:
    """What the method, the scheme and the columns must be for the privacy models that are asked for."""
    models = [part for kind, name, _ in _named_parts(raw) if (part := _known(kind, name, Kind.REQUIREMENT))]
    method = next((_known(kind, name, Kind.PUBLISHER) for kind, name, _ in _named_parts(raw)), None)
    of_values = [part.name for part in models if issubclass(part.cls, Diversity)]
    of_columns = [part.name for part in models if not issubclass(part.cls, Diversity)]
    roles = [column.get("role") for column in columns.values()]
    if of_values and Role.SENSITIVE not in roles and set(roles) <= set(Role):
        what = f"{of_values[0]} protects sensitive values, but no column has the role 'sensitive'"
        yield Problem("plan: columns", what, "Say which columns must not be learned, such as a diagnosis")
    if of_values and method and not cast("type[Publisher]", method.cls).takes_sensitive:
        what = f"{method.name} looks at quasi-identifiers alone and cannot promise {of_values[0]}"
        yield Problem("plan: method", what, 'Write method = "mondrian++", or leave the method out')
    if method and cast("type[Publisher]", method.cls).needs_guards and not _reads_guards(raw):
        what = f"{method.name} is made for what persons want guarded, and no privacy model protects that"
        yield Problem("plan: method", what, f'Ask for {_ASKS_FOR_GUARDS}, or write method = "mondrian++"')
    if method and _scheme(raw, method) == Scheme.BUCKETISATION:
        yield from _of_buckets(method.name, of_columns, columns)


def _of_buckets(
    method: str, of_columns: Sequence[str], columns: Mapping[str, Mapping[str, Any]]
) -> Iterator[Problem]:
    """Bucketisation shows quasi-identifiers as they are, and needs two names for columns of its own."""
    if of_columns:
        what = f"bucketisation shows quasi-identifiers as they are, so {of_columns[0]} cannot hold"
        remedy = f'Write method = {{ name = "{method}", scheme = "generalisation" }}, or leave that model out'
        yield Problem("plan: method.scheme", what, remedy)
    for name in (GROUP, COUNT):
        if columns.get(name, {}).get("role") in PUBLISHED:
            what = "has the name of a column that bucketisation adds"
            yield Problem(place(("columns", name)), what, "Rename the column in the table and in the plan")


def _known(kind: Kind, name: object, wanted: Kind) -> Part | None:
    return find(kind, name) if kind is wanted and isinstance(name, str) else None


def _scheme(raw: Mapping[str, Any], method: Part) -> object:
    """The scheme that is written, or else the one the method has by itself."""
    written = raw.get("method")
    own = getattr(method.cls, "scheme", None)
    return written.get("scheme", own) if isinstance(written, Mapping) else own


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
