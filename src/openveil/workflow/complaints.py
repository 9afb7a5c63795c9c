"""What is wrong with what was written in a plan, said to a data steward.

Claim. Every error of validation becomes a `Problem` with its place in the plan, the rule, the kind of what came
instead, and the way out. A message shows keys, kinds of values and enumerated words; nothing else that was written,
for a plan may list the categories of a column.

Why it holds. The texts of pydantic are dropped; each kind of error has words of its own here, and one that has none
gets words that say nothing of the value. Inside the parameters of a part a place ends at the parameter and an index.

Cost. Nothing until something is wrong.
"""

from __future__ import annotations

import dataclasses
import difflib
import re
from collections.abc import Callable, Iterable, Iterator

from pydantic import ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from openveil.core.errors import Problem
from openveil.core.schema import Role
from openveil.workflow.toml_spelling import place

Steps = tuple[str | int, ...]

_SHOWN = 30
_LONGEST_WORD = 40
_WORDS = {
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "int_parsing": "must be a whole number",
    "float_type": "must be a number",
    "fraction_parsing": 'must be a number, or an exact fraction such as "1/3"',
    "finite_number": "must be finite",
    "string_type": "must be a text",
    "path_type": "must be a path, written as a text",
    "bool_type": "must be true or false",
    "tuple_type": "must be a list",
    "list_type": "must be a list",
    "dict_type": "must be a table of keys and values",
    "model_type": "must be a table of keys and values",
    "model_attributes_type": "must be a table of keys and values",
    "dataclass_type": "must be a table of keys and values",
    "none_required": "must be left out",
    "string_too_short": "must not be empty",
}
_LIMITS = {"greater_than": "gt", "greater_than_equal": "ge", "less_than": "lt", "less_than_equal": "le"}
_LIMIT_WORDS = {"gt": "more than", "ge": "at least", "lt": "less than", "le": "at most"}
_REMEDIES = {
    "role": f"Add a role, one of: {', '.join(Role)}",
    "columns": 'Add a table for each column, such as [columns.age] with role = "quasi-identifier"',
    "privacy": "Add [privacy] with k-anonymity = { k = 5 }",
    "path": 'Add path = "the file to publish"',
    "weight": "Write a positive number, such as 2 or 0.5",
}


@dataclasses.dataclass(frozen=True, slots=True)
class Complaint:
    """A problem whose place is relative to the part it was found in."""

    within: Steps
    what: str
    remedy: str
    found: str = ""


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
    where = place(steps)
    if kind == "extra_forbidden":
        keys = keys_at(steps[:-1])
        remedy = suggested(str(steps[-1]), keys) or f"Remove it. The keys here are: {listed(keys)}"
        return Problem(where, "is not a key of a plan", remedy)
    if kind == "missing":
        return Problem(where, "is missing", _REMEDIES.get(str(steps[-1]), "Add it"))
    if kind in {"enum", "literal_error"}:
        choices = [*Role] if steps[-1] == "role" else re.findall(r"'([^']*)'", detail["msg"])
        return not_a_choice(where, detail["input"], choices)
    return Problem(where, _phrase(detail), _REMEDIES.get(str(steps[-1]), "Correct it"), kind_of(detail["input"]))


def of_parameters(error: ValidationError, inside: tuple[str, ...], remedy: str) -> Iterator[Complaint]:
    """What is wrong with the parameters of a part; alternatives of one parameter are joined."""
    said: dict[Steps, list[str]] = {}
    found: dict[Steps, str] = {}
    for detail in error.errors(include_url=False):
        within = (*inside, *_trimmed(detail["loc"]))
        phrase = _phrase(detail)
        if phrase not in said.setdefault(within, []):
            said[within].append(phrase)
        if detail["type"] not in {"missing", "value_error"}:
            found[within] = kind_of(detail["input"])
    for within, phrases in said.items():
        what = " or ".join([phrases[0], *(phrase.removeprefix("must be ") for phrase in phrases[1:])])
        yield Complaint(within, what, remedy, found.get(within, ""))


def _trimmed(steps: Steps) -> Steps:
    """The parameter and the index in it: what lies deeper may be a category of a column."""
    return steps[: 2 if len(steps) > 1 and isinstance(steps[1], int) else 1]


def not_a_choice(where: str, word: object, choices: list[str]) -> Problem:
    """A word that is none of those allowed; only a short one is repeated."""
    found = repr(word) if isinstance(word, str) and len(word) <= _LONGEST_WORD else kind_of(word)
    remedy = suggested(str(word), choices) or f"Choose one of: {listed(choices)}"
    return Problem(where, "is not one of the words allowed here", remedy, found)


def _phrase(detail: ErrorDetails) -> str:
    kind, context = detail["type"], detail.get("ctx", {})
    if kind == "missing":
        return "is missing"
    if kind == "value_error":
        return str(context["error"])
    if kind in _LIMITS:
        limit = _LIMITS[kind]
        return f"must be {_LIMIT_WORDS[limit]} {context[limit]}"
    if kind in {"enum", "literal_error"}:
        return f"must be one of {context['expected']}"
    return _WORDS.get(kind, "has the wrong form")


def suggested(word: str, among: Iterable[str], phrase: str = "Did you mean {}?") -> str:
    """The name among those allowed that `word` may stand for, phrased; nothing if none is close."""
    names = [str(name) for name in among]
    longer = [name for name in names if word and name.startswith(word)]
    close = difflib.get_close_matches(word, names, n=1, cutoff=0.6) or longer[:1]
    return phrase.format(repr(close[0])) if close else ""


def listed(names: Iterable[str]) -> str:
    """The names with commas, the first of them if they are many."""
    shown = [str(name) for name in names]
    rest = len(shown) - _SHOWN
    return ", ".join(shown[:_SHOWN]) + (f" and {rest} more" if rest > 0 else "")


def kind_of(value: object) -> str:
    """What kind of value was written; never the value."""
    names: dict[type, str] = {
        bool: "true or false",
        int: "a whole number",
        float: "a number with decimals",
        str: "a text",
        list: "a list",
        tuple: "a list",
        dict: "a table",
    }
    return names.get(type(value), "something else")
