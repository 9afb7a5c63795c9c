"""Publish tables about people so that nobody can be singled out, not even by someone who has read the code.

Claim. `import openveil` costs next to nothing: each name below is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from openveil.core.errors import GuaranteeError, RequestError
    from openveil.workflow.examine import check, examine
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
    "__version__",
    "check",
    "examine",
    "publish",
    "scan",
    "verify",
]

_HOMES = {
    "GuaranteeError": ("openveil.core.errors", "GuaranteeError"),
    "Plan": ("openveil.workflow.plan", "Plan"),
    "Release": ("openveil.workflow.publish", "Published"),
    "RequestError": ("openveil.core.errors", "RequestError"),
    "check": ("openveil.workflow.examine", "check"),
    "examine": ("openveil.workflow.examine", "examine"),
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
