"""The parameters of a part, read strictly from plain values, and what is wrong with them in words.

Claim. `built` gives the part made from its parameters, or raises one `UnfitError` with all that is wrong. Nothing is
converted on the way: a text is no list, a number no text. A message shows keys, kinds of values and enumerated words;
nothing else that was written, for parameters may list the categories of a column.

Why it holds. The types are those the part declares, read by pydantic in strict mode; the part then checks itself. The
texts of pydantic are dropped: each kind of error has words of its own here, and one that has none gets words that say
nothing of the value. A place ends at the parameter and an index.

Cost. Microseconds; the reader of a part is made from its declaration, once.
"""

from __future__ import annotations

import dataclasses
import difflib
import functools
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from openveil.core.errors import Problem, RequestError
from openveil.core.registry import Part

Steps = tuple[str | int, ...]

_SHOWN = 30
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
    "mapping_type": "must be a table of keys and values",
    "model_type": "must be a table of keys and values",
    "model_attributes_type": "must be a table of keys and values",
    "dataclass_type": "must be a table of keys and values",
    "none_required": "must be left out",
    "string_too_short": "must not be empty",
}
_LIMITS = {"greater_than": "gt", "greater_than_equal": "ge", "less_than": "lt", "less_than_equal": "le"}
_LIMIT_WORDS = {"gt": "more than", "ge": "at least", "lt": "less than", "le": "at most"}


@dataclasses.dataclass(frozen=True, slots=True)
class Complaint:
    """A problem whose place is relative to the part it was found in."""

    within: Steps
    what: str
    remedy: str
    found: str = ""


class UnfitError(RequestError):
    """A part cannot be built from the parameters it was given."""

    def __init__(self, where: str, complaints: Iterable[Complaint]) -> None:
        self.complaints = tuple(complaints)
        super().__init__(_problem(where, complaint) for complaint in self.complaints)

    def inside(self, where: str, *steps: str) -> UnfitError:
        """The same, said of the part whose parameter (at `steps`) the unfit part is."""
        return UnfitError(
            where, (dataclasses.replace(each, within=(*steps, *each.within)) for each in self.complaints)
        )


def built(part: Part, written: Mapping[str, Any]) -> Any:
    """The part, made from the parameters that were written."""
    complaints = [*_strangers(part, written)]
    known = {key: value for key, value in written.items() if key in fields_of(part)}
    try:
        value = adapter(part.cls).validate_json(json.dumps(known, default=str), strict=True)
    except ValidationError as error:
        complaints += _of_types(error, f"See `openveil explain {part.name}`")
    except UnfitError as error:
        complaints += error.complaints
    except RequestError as error:
        complaints += [_own(part, problem) for problem in error.problems]
    if complaints:
        raise UnfitError(part.kind.called, complaints)
    return value


@functools.cache
def adapter(cls: type) -> TypeAdapter[Any]:
    """What reads the parameters of a part into its dataclass, and describes them."""
    return TypeAdapter(cls)


def fields_of(part: Part) -> tuple[str, ...]:
    """The names of the parameters of a part."""
    return tuple(field.name for field in dataclasses.fields(part.cls) if field.init)


def phrased(detail: ErrorDetails) -> str:
    """What is wrong with one value, in words."""
    kind, context = detail["type"], detail.get("ctx", {})
    if kind == "missing":
        return "is missing"
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


def _of_types(error: ValidationError, remedy: str) -> Iterator[Complaint]:
    """What is wrong with the types of the parameters; alternatives of one parameter are joined."""
    said: dict[Steps, list[str]] = {}
    found: dict[Steps, str] = {}
    for detail in error.errors(include_url=False):
        within = _trimmed(detail["loc"])
        phrase = phrased(detail)
        if phrase not in said.setdefault(within, []):
            said[within].append(phrase)
        if detail["type"] not in {"missing", "value_error"}:
            found[within] = kind_of(detail["input"])
    for within, phrases in said.items():
        if {_WORDS["int_type"], _WORDS["float_type"]} <= {*phrases}:
            phrases.remove(_WORDS["int_type"])  # a whole number is a number
        what = " or ".join([phrases[0], *(phrase.removeprefix("must be ") for phrase in phrases[1:])])
        yield Complaint(within, what, remedy, found.get(within, ""))


def _trimmed(steps: Steps) -> Steps:
    """The parameter and the index in it: what lies deeper may be a category of a column."""
    return steps[: 2 if len(steps) > 1 and isinstance(steps[1], int) else 1]


def _strangers(part: Part, written: Mapping[str, Any]) -> Iterator[Complaint]:
    names = fields_of(part)
    for key in written:
        if key not in names:
            remedy = suggested(key, names) or f"Remove it. Its parameters are: {listed(names) or 'none'}"
            yield Complaint((key,), f"is not a parameter of {part.name}", remedy)


def _own(part: Part, problem: Problem) -> Complaint:
    """What a part says of its own parameters; the parameter is named where the part names it."""
    parameter = problem.where.rpartition(": ")[2]
    within = (parameter,) if parameter in fields_of(part) else ()
    return Complaint(within, problem.what, problem.remedy, problem.found)


def _problem(where: str, complaint: Complaint) -> Problem:
    steps = "".join(f"[{step}]" if isinstance(step, int) else f": {step}" for step in complaint.within)
    return Problem(f"{where}{steps}", complaint.what, complaint.remedy, complaint.found)
