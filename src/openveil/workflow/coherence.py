"""Whether a certificate agrees with itself, and with what this version knows of the parts it names.

Claim. Every figure of a certificate that follows from others of it is compared with them: rows that add up,
attributes that are spoken of alike everywhere, fractions and decimals that are one number, the digest of the input's
columns, and what is known of each part. A part is never taken for safer than this version knows it to be.

Why it holds. Nothing is taken from the certificate that the registry says. Where another version of openveil wrote
it, words may differ and are left out. The order of the input's columns is not certified, so the digest is right
when one of the possible orders has it; where there are very many, it is not asked.

Cost. At most `_MOST_ORDERS` digests of a short text.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import comb
from typing import Any, cast

from openveil.core.errors import RequestError
from openveil.core.finding import Finding, Verdict
from openveil.core.registry import Kind, Part, Status, find
from openveil.core.release import REPLACED
from openveil.core.requirement import Requirement
from openveil.core.rule import Rule
from openveil.core.schema import PUBLISHED, Column, Role, Schema
from openveil.core.suppression import Allowance
from openveil.report.wording import printable, some
from openveil.workflow.certificate import adversary, schema_digest, versions
from openveil.workflow.certificate_shape import Certificate, CertifiedFinding, CertifiedHierarchy, CertifiedPart
from openveil.workflow.chosen import adapter

PERSONS, ROWS = "persons", "rows"
OTHER_VERSION = "written by another version of openveil"

_MOST_ORDERS = 2000
_BAD = frozenset({Verdict.FAILS, Verdict.UNDECIDED})
_OWN = dict(versions())["openveil"]
_SAFETY = (Status.KNOWN_UNSAFE, Status.MEASURED, Status.PROVED)


def coherent(certificate: Certificate) -> Iterator[Finding]:
    """What can be asked of a certificate without the table."""
    yield agreed("the figures add up", _not_adding_up(certificate))
    yield agreed("no certified finding fails or contradicts itself", _contradictions(certificate.findings))
    yield agreed("every attribute is spoken of alike", _unlike(certificate))
    yield agreed("the parts are as this version knows them", _unknown(certificate))
    yield agreed("unsafe parts are allowed by the plan", _not_allowed(certificate))
    yield from _input_columns(certificate)
    if not same_version(certificate):
        note = f"written by {printable(certificate.openveil)}, verified by {_OWN}: words and report are not compared"
        yield Finding(OTHER_VERSION, "certificate", 1, note=note)


def agreed(name: str, wrong: Iterable[str]) -> Finding:
    """Whether nothing is wrong; the note names the first that is."""
    names = tuple(dict.fromkeys(str(printable(each)) for each in wrong))
    verdict = Verdict.FAILS if names else Verdict.HOLDS
    return Finding(name, "certificate", int(not names), verdict, limit=1, note=some(names))


def same_version(certificate: Certificate) -> bool:
    """Whether this version of openveil wrote the certificate."""
    return certificate.openveil == _OWN


def rebuilt(known: Part, parameters: Mapping[str, Any]) -> Any:
    """The part with these parameters, read as strictly as in a plan; None when it does not take them."""
    taken = {field.name for field in dataclasses.fields(known.cls) if field.init}
    if not taken.issuperset(parameters):
        return None
    try:
        return adapter(known.cls).validate_json(json.dumps(dict(parameters)), strict=True)
    except (ValueError, RequestError, RecursionError):
        return None


def _not_adding_up(certificate: Certificate) -> Iterator[str]:
    counts, groups = certificate.suppression, certificate.classes
    published = counts.of - counts.rows + counts.kept_blank
    fits = published == certificate.file.rows and counts.kept_blank in (0, counts.rows)
    if not fits or counts.rows > _allowed(certificate):
        yield "suppression"
    sizes = {int(size): number for size, number in groups.of_size.items()}
    rows = sum(size * number for size, number in sizes.items())
    if (rows, sum(sizes.values()), min(sizes, default=0)) != (certificate.file.rows, groups.count, groups.smallest):
        yield "classes"


def _allowed(certificate: Certificate) -> int:
    """How many rows the method may suppress, as far as its parameters say."""
    total = certificate.suppression.of
    known = find(Kind.PUBLISHER, certificate.method.name)
    method = rebuilt(known, certificate.method.parameters) if known else None
    written = getattr(method, "max_suppressed", None)
    return total if written is None else Allowance.of(written).rows(total)


def _contradictions(findings: Sequence[CertifiedFinding]) -> Iterator[str]:
    for each in findings:
        exact = not each.exact or _as_decimal(each.exact) == each.value
        ordered = "interval" not in each.model_fields_set or each.interval[0] <= each.value <= each.interval[1]
        if each.verdict in _BAD or not exact or not ordered:
            yield each.name


def _as_decimal(exact: str) -> float | None:
    above, below = exact.split("/")
    try:
        return float(Fraction(int(above), int(below)))
    except OverflowError:
        return None


def _unlike(certificate: Certificate) -> Iterator[str]:
    quasi = certificate.named(Role.QUASI)
    yield from certificate.named(*(frozenset(Role) - PUBLISHED))
    yield from set(certificate.replaced).difference(certificate.named(Role.SENSITIVE))
    yield from set(certificate.replaced) ^ {each.on for each in certificate.findings if each.name == REPLACED}
    for keys in (certificate.hierarchies, certificate.levels or dict.fromkeys(quasi)):
        if tuple(keys) != quasi:
            yield from sorted(set(keys) ^ set(quasi)) or quasi
    yield from (name for name, steps in certificate.levels.items() if steps.level > steps.of)


def _unknown(certificate: Certificate) -> Iterator[str]:
    same = same_version(certificate)
    if same and certificate.adversary != adversary(each.parameters for each in certificate.promise):
        yield "adversary"
    for kind, chosen in _chosen(certificate):
        known = find(kind, chosen.name)
        if known is None:
            yield from [chosen.name] if same else []
        elif not (_as_known(known, chosen) if same else _no_safer(known, chosen.status)):
            yield chosen.name
    for each in certificate.hierarchies.values():
        known = find(Kind.HIERARCHY, each.kind)
        if same and (known is None or known.status is not each.status or not _told_rightly(known, each)):
            yield each.kind
        if not same and known and not _no_safer(known, each.status):
            yield each.kind


def _chosen(certificate: Certificate) -> Iterator[tuple[Kind, CertifiedPart]]:
    yield from ((Kind.REQUIREMENT, promise) for promise in certificate.promise)
    yield Kind.PUBLISHER, certificate.method


def _as_known(known: Part, chosen: CertifiedPart) -> bool:
    made = rebuilt(known, chosen.parameters)
    return made is not None and (known.status_of(made), known.source) == (chosen.status, chosen.source)


def _told_rightly(known: Part, each: CertifiedHierarchy) -> bool:
    """Whether the parameters are told just where they cannot list values, and are some that the kind takes."""
    lists_values = cast("type[Rule]", known.cls).lists_values
    told = "parameters" in each.model_fields_set
    return told is not lists_values and (lists_values or rebuilt(known, each.parameters or {}) is not None)


def _no_safer(known: Part, certified: Status) -> bool:
    return _SAFETY.index(certified) <= _SAFETY.index(known.status)


def _not_allowed(certificate: Certificate) -> Iterator[str]:
    if certificate.allow_unsafe:
        return
    said = [(kind, chosen.name, chosen.status) for kind, chosen in _chosen(certificate)]
    said += [(Kind.HIERARCHY, each.kind, each.status) for each in certificate.hierarchies.values()]
    for kind, name, status in said:
        known = find(kind, name)
        if Status.KNOWN_UNSAFE in (status, known.status if known else status):
            yield name


def _input_columns(certificate: Certificate) -> Iterator[Finding]:
    """The published and the removed columns have the digest of the input's, in one of the possible orders."""
    removed, published = certificate.removed, certificate.columns
    total = len(removed) + len(published)
    roles = [*product(_possible_persons(certificate), _possible_guards(certificate))]
    if comb(total, len(removed)) * len(roles) > _MOST_ORDERS:
        return
    orders = (
        _input(certificate, set(places), {guard: Role.GUARD, person: Role.PERSON})
        for places in combinations(range(total), len(removed))
        for person, guard in roles
    )
    found = any(schema_digest(order) == certificate.digests.input_schema for order in orders)
    yield agreed("the columns are those of the input", [] if found else ["digest"])


def _possible_persons(certificate: Certificate) -> tuple[str | None, ...]:
    """The removed columns that may say who the person is, and None where there may be no such column.

    A model that holds rows against a limit holds persons against it too, where there is such a column.
    """
    counted = {each.on for each in certificate.findings if "limit" in each.model_fields_set}
    if PERSONS in counted:
        return certificate.removed
    return (None,) if ROWS in counted else (None, *certificate.removed)


def _possible_guards(certificate: Certificate) -> tuple[str | None, ...]:
    """The removed columns that may say what is guarded, and None where there may be no such column."""
    known = (find(Kind.REQUIREMENT, promise.name) for promise in certificate.promise)
    guarded = any(part is not None and cast("type[Requirement]", part.cls).reads_guards for part in known)
    return (None, *certificate.removed) if guarded else (None,)


def _input(certificate: Certificate, places: set[int], roles: Mapping[str | None, Role]) -> Schema:
    """The columns of the input, if the removed ones stood at these places and had these roles."""
    removed, published = iter(certificate.removed), iter(certificate.columns)
    columns = []
    for place in range(len(certificate.removed) + len(certificate.columns)):
        if place in places:
            name = next(removed)
            columns.append(Column(name, roles.get(name, Role.IDENTIFIER)))
        else:
            each = next(published)
            columns.append(Column(each.name, each.role))
    return Schema(tuple(columns))
