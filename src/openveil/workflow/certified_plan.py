"""The plan of a release, as far as replaying its method goes, from its certificate alone.

Claim. `certified_plan` gives a plan with the columns, hierarchies, privacy models and method of a certificate, or
refuses and says why the plan itself is needed. What is replayed with it is what the certificate says was done.

Why it holds. Whatever a method of groups reads of a plan stands in the certificate, but for hierarchies whose
parameters may list values of a column, which stay out of it, and for the column that tells persons, which is removed.
Methods of full domains also weigh attributes, by weights that are not certified.

Cost. Milliseconds.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from openveil.core.errors import Problem, RequestError
from openveil.core.registry import Kind, find
from openveil.core.schema import Role
from openveil.tools.grouped import Grouped
from openveil.workflow.certificate_shape import Certificate
from openveil.workflow.coherence import PERSONS
from openveil.workflow.plan import Plan

_REMEDY = "Give the plan of the release as well, with --plan or `plan`"


def certified_plan(certificate: Certificate) -> Plan:
    """What the certificate says was planned."""
    problems = [*_not_told(certificate)]
    if problems:
        raise RequestError(problems)
    return Plan.from_dict(
        {
            "allow_unsafe": certificate.allow_unsafe,
            "columns": {
                **{each.name: _column(certificate, each.name, each.role) for each in certificate.columns},
                **{name: {"role": Role.IDENTIFIER} for name in certificate.removed},
            },
            "privacy": {each.name: each.parameters for each in certificate.promise},
            "method": {"name": certificate.method.name, **certificate.method.parameters},
        }
    )


def _column(certificate: Certificate, name: str, role: Role) -> dict[str, Any]:
    if role is not Role.QUASI:
        return {"role": role}
    hierarchy = certificate.hierarchies[name]
    return {"role": role, "hierarchy": {"kind": hierarchy.kind, **(hierarchy.parameters or {})}}


def _not_told(certificate: Certificate) -> Iterator[Problem]:
    """What a replay needs and the certificate does not say."""
    listing = [name for name, each in certificate.hierarchies.items() if each.parameters is None]
    if listing:
        what = f"does not say how {', '.join(listing)} may be generalised, as that may list values"
        yield Problem("certificate", what, _REMEDY)
    if any(each.on == PERSONS and "limit" in each.model_fields_set for each in certificate.findings):
        yield Problem("certificate", "does not say which column tells persons, whom the method counts", _REMEDY)
    method = find(Kind.PUBLISHER, certificate.method.name)
    if method and not issubclass(method.cls, Grouped):
        yield Problem("certificate", f"does not say how {method.name} weighs attributes", _REMEDY)
