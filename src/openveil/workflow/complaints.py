"""What is wrong with what was written in a plan, said to a data steward.

Claim. Every error of validation becomes a `Problem` with its place in the plan, the rule, the kind of what came
instead, and the way out. A message shows keys, kinds of values and enumerated words; nothing else that was written,
for a plan may list the categories of a column.

Why it holds. The texts of pydantic are dropped; what is wrong with one value is phrased by `core/parameters.py`.

Cost. Nothing until something is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from pydantic import ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from openveil.core.errors import Problem
from openveil.core.parameters import Complaint, Steps, kind_of, listed, phrased, suggested
from openveil.core.schema import Role
from openveil.workflow.toml_spelling import place

_LONGEST_WORD = 40
_REMEDIES = {
    "role": f"Add a role, one of: {', '.join(Role)}",
    "columns": 'Add a table for each column, such as [columns.age] with role = "quasi-identifier"',
    "privacy": "Add [privacy] with k-anonymity = { k = 5 }",
    "path": 'Add path = "the file to publish"',
    "weight": "Write a positive number, such as 2 or 0.5",
}


def raised(complaints: list[Complaint]) -> PydanticCustomError:
    """The error a validator raises; pydantic adds the place it was raised at."""
    return PydanticCustomError("part", "a part of the plan is wrong", {"complaints": complaints})


def translated(error: ValidationError, keys_at: Callable[[Steps], tuple[str, ...]]) -> Iterator[Problem]:
    """The problems of a plan; `keys_at` says which keys a plan may have at a place."""
    for detail in error.errors(include_url=False):
        if detail["type"] == "part":
            for complaint in detail["ctx"]["complaints"]:
                where = place((*detail["loc"], *complaint.within))
                yield Problem(where, complaint.what, complaint.remedy, complaint.found)
        else:
            yield _misshapen(detail, keys_at)


def _misshapen(detail: ErrorDetails, keys_at: Callable[[Steps], tuple[str, ...]]) -> Problem:
    steps, kind = detail["loc"], detail["type"]
    where, last = place(steps), str(steps[-1]) if steps else ""
    if kind == "extra_forbidden":
        keys = keys_at(steps[:-1])
        remedy = suggested(last, keys) or f"Remove it. The keys here are: {listed(keys)}"
        return Problem(where, "is not a key of a plan", remedy)
    if kind == "missing":
        return Problem(where, "is missing", _REMEDIES.get(last, "Add it"))
    if kind in {"enum", "literal_error"}:
        choices = [*Role] if last == "role" else re.findall(r"'([^']*)'", detail["msg"])
        return not_a_choice(where, detail["input"], choices)
    return Problem(where, phrased(detail), _REMEDIES.get(last, "Correct it"), kind_of(detail["input"]))


def not_a_choice(where: str, word: object, choices: list[str]) -> Problem:
    """A word that is none of those allowed; only a short one is repeated."""
    found = repr(word) if isinstance(word, str) and len(word) <= _LONGEST_WORD else kind_of(word)
    remedy = suggested(str(word), choices) or f"Choose one of: {listed(choices)}"
    return Problem(where, "is not one of the words allowed here", remedy, found)
