"""Publish tables about people so that nobody can be singled out, not even by someone who has read the code.

Claim. `import openveil` costs next to nothing: each name below is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from openveil.core.errors import GuaranteeError, RequestError
    from openveil.core.secret import Secret
    from openveil.workflow.audit import audit
    from openveil.workflow.examine import check, examine
    from openveil.workflow.export import export_hierarchies
    from openveil.workflow.laboratory import attack
    from openveil.workflow.plan import Plan
    from openveil.workflow.publish import Published as Release
    from openveil.workflow.publish import publish
    from openveil.workflow.scan import scan
    from openveil.workflow.verify import verify

    __version__: str

__all__ = [
    "GuaranteeError",
    "Plan",
    "Release",
    "RequestError",
    "Secret",
    "__version__",
    "attack",
    "audit",
    "check",
    "examine",
    "export_hierarchies",
    "publish",
    "scan",
    "verify",
]

_HOMES = {
    "GuaranteeError": ("openveil.core.errors", "GuaranteeError"),
    "Plan": ("openveil.workflow.plan", "Plan"),
    "Release": ("openveil.workflow.publish", "Published"),
    "RequestError": ("openveil.core.errors", "RequestError"),
    "attack": ("openveil.workflow.laboratory", "attack"),
    "audit": ("openveil.workflow.audit", "audit"),
    "check": ("openveil.workflow.examine", "check"),
    "examine": ("openveil.workflow.examine", "examine"),
    "export_hierarchies": ("openveil.workflow.export", "export_hierarchies"),
    "Secret": ("openveil.core.secret", "Secret"),
    "publish": ("openveil.workflow.publish", "publish"),
    "scan": ("openveil.workflow.scan", "scan"),
    "verify": ("openveil.workflow.verify", "verify"),
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("openveil")
    if name not in _HOMES:
        raise AttributeError(f"module 'openveil' has no attribute {name!r}")
    module, attribute = _HOMES[name]
    return globals().setdefault(name, getattr(import_module(module), attribute))


def __dir__() -> list[str]:
    return sorted(__all__)
