"""How TOML writes a text, a key, and a place in a plan.

Claim. What `quoted` and `key` give is read back by any TOML reader as the very text; `place` names a value as the
plan writes it, so that a steward can search for it.

Why it holds. A basic string of TOML escapes what a string of JSON escapes, and DEL too.

Cost. None to speak of.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable


def quoted(text: str) -> str:
    """`text` as a TOML basic string."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def key(name: str) -> str:
    """`name` as a TOML key: bare where it may be, else quoted."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else quoted(name)


def place(steps: Iterable[str | int]) -> str:
    """A place in a plan as TOML writes it: `plan: columns."birth date".role`."""
    text = ""
    for step in steps:
        text += f"[{step}]" if isinstance(step, int) else f".{key(step)}"
    return f"plan: {text.removeprefix('.')}" if text else "plan"
