"""The golden cases, by area and function."""

import json
from functools import cache
from pathlib import Path
from typing import Any

GOLDENS = Path(__file__).parents[3] / "shared" / "goldens" / "goldens.json"


@cache
def cases(*functions: str) -> list[dict[str, Any]]:
    """Every golden case of the named functions; none when the goldens are not beside the project."""
    if not GOLDENS.is_file():
        return []
    return [case for case in json.loads(GOLDENS.read_text())["cases"] if case["function"] in functions]


def name_of(case: dict[str, Any]) -> str:
    """The id of a case, for test ids."""
    return str(case["id"])
