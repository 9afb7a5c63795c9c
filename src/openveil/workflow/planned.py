"""What may be given as a plan.

Claim. A plan, a mapping, the path of a plan file and a proposal of `scan` all become the same `Plan`, checked alike.
The file a proposal was made for is left out of it: it is published for the table at hand.

Cost. Milliseconds.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, Protocol

from openveil.core.errors import refuse
from openveil.workflow.plan import Plan


class Proposed(Protocol):
    """A proposed plan, such as `scan` gives: the text of a plan file."""

    @property
    def text(self) -> str:
        """The plan as TOML."""


Planned = Plan | Proposed | dict[str, Any] | str | Path


def as_plan(plan: Planned) -> Plan:
    """A plan, or what it is made from: a mapping, the path of a plan file, or a proposal for the table at hand."""
    if isinstance(plan, Plan):
        return plan
    if isinstance(plan, dict):
        return Plan.from_dict(plan)
    if isinstance(plan, str | Path):
        return Plan.from_toml(plan)
    return _proposed(plan)


def _proposed(proposal: Proposed) -> Plan:
    """The plan that is proposed, without the file it was proposed for."""
    text = getattr(proposal, "text", None)
    if not isinstance(text, str):
        remedy = "Give a Plan, a mapping, the path of a plan file, or what `openveil.scan` returns"
        raise refuse("plan", "is of a kind that is not known", remedy, found=type(proposal).__name__)
    written = tomllib.loads(text)
    written.get("input", {}).pop("path", None)
    return Plan.from_dict(written)
