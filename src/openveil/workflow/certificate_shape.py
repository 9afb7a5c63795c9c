"""The shape of a certificate, and the strict reader of one.

Claim. A `Certificate` that exists has every field of format 1 and no other, each of its own kind, and names no column
twice: what reads it need
not ask again. Whatever else is in a file is refused in one error that names the first keys that are wrong and shows
nothing of what they say.

Why it holds. The types are strict (1.0 and true are no whole numbers) and bounded. A key that stands twice in one
table is refused, since two readers could take two different values. The texts of pydantic are dropped.

Cost. Reading a small file twice: once for its keys, once for its values.

Source. The fields are described in docs/certificate.md.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, NoReturn

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, ValidationError, model_validator
from pydantic_core import ErrorDetails, PydanticCustomError

from openveil.core.errors import RequestError, refuse
from openveil.core.finding import Verdict
from openveil.core.recoding import Change, Scheme
from openveil.core.registry import Status
from openveil.core.schema import Role
from openveil.report.wording import printable
from openveil.workflow.certificate import FILE, FORMAT

_MOST = 5
_LONGEST_KEY = 40
_AGAIN = "Get the release again from its source"
_OTHER_VERSION = f"{_AGAIN}, or use the version of openveil that wrote it"
_WORDS = {
    "json_invalid": "is not JSON",
    "missing": "is missing",
    "extra_forbidden": "is not a key of a certificate",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "number": "must be a number",
    "string_type": "must be a text",
    "bool_type": "must be true or false",
    "tuple_type": "must be a list",
    "dict_type": "must be a table of keys and values",
    "model_type": "must be a table of keys and values",
    "model_attributes_type": "must be a table of keys and values",
    "enum": "is not one of the words allowed here",
    "too_short": "must not be empty",
    "repeated": "names a column twice",
}


def _number(value: object) -> object:
    """A finite number as it was written, whole or not, of a size that a float can hold too."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < _WIDEST:
        raise PydanticCustomError("number", "must be a number")
    return value


_WIDEST = 1 << 1000
Number = Annotated[int | float, PlainValidator(_number)]
Count = Annotated[int, Field(ge=0, lt=1 << 63)]
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Size = Annotated[str, Field(pattern=r"^[1-9][0-9]{0,17}$")]
Exact = Annotated[str, Field(pattern=r"^-?[0-9]{1,4300}/[1-9][0-9]{0,4299}$")]
Name = Annotated[str, Field(pattern=r"^[^/\\\x00-\x1f]+$")]


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class CertifiedPart(_Strict):
    """A privacy model or a method."""

    name: str
    parameters: dict[str, Any]
    status: Status
    source: str


class CertifiedFinding(_Strict):
    """One finding; what is left out has no default that a certificate could write."""

    name: str
    on: str
    value: Number
    exact: Exact = ""
    limit: Number = math.nan
    interval: tuple[Number, Number] = (math.nan, math.nan)
    verdict: Verdict
    note: str = ""

    def as_json(self) -> dict[str, Any]:
        """The finding as plain values, just as it was written."""
        return self.model_dump(mode="json", exclude_unset=True)


class Groups(_Strict):
    """How many groups there are, and how many of each size."""

    count: Count
    smallest: Count
    of_size: dict[Size, Count]


class Steps(_Strict):
    """How far a quasi-identifier is generalised."""

    level: Count
    of: Count


class Suppression(_Strict):
    """Rows suppressed, of how many, and how many of them were kept with `*`."""

    rows: Count
    of: Count
    kept_blank: Count


class CertifiedColumn(_Strict):
    """A published column."""

    name: str
    role: Role


class CertifiedHierarchy(_Strict):
    """How a quasi-identifier was generalised; without the parameters where these may list values."""

    kind: str
    status: Status
    parameters: dict[str, Any] | None = None


class Digests(_Strict):
    """Of the plan, and of the names and roles of the input's columns."""

    plan: Digest
    input_schema: Digest


class Versions(_Strict):
    """Of openveil, and of any libraries."""

    model_config = ConfigDict(frozen=True, extra="allow", strict=True)
    __pydantic_extra__: dict[str, str]

    openveil: str


class CertifiedFile(_Strict):
    """The table."""

    name: Name
    sha256: Digest
    rows: Count


class Certificate(_Strict):
    """A certificate of a written release."""

    certificate: Annotated[int, Field(ge=FORMAT, le=FORMAT)]
    promise: Annotated[tuple[CertifiedPart, ...], Field(min_length=1)]
    adversary: str
    method: CertifiedPart
    scheme: Scheme
    allow_unsafe: bool
    findings: tuple[CertifiedFinding, ...]
    classes: Groups
    levels: dict[str, Steps]
    suppression: Suppression
    columns: Annotated[tuple[CertifiedColumn, ...], Field(min_length=1)]
    replaced: dict[str, Change]
    removed: tuple[str, ...]
    hierarchies: dict[str, CertifiedHierarchy]
    digests: Digests
    secret_commitment: Digest
    versions: Versions
    file: CertifiedFile
    counts_file: CertifiedFile | None = None

    @model_validator(mode="after")
    def _each_column_once(self) -> Certificate:
        names = [*(column.name for column in self.columns), *self.removed]
        if len({*names}) < len(names):
            raise PydanticCustomError("repeated", "names a column twice")
        return self

    def as_json(self) -> dict[str, Any]:
        """The certificate as plain values, just as it was written."""
        return self.model_dump(mode="json", exclude_unset=True)

    def named(self, *roles: Role) -> tuple[str, ...]:
        """The names of the published columns that have one of `roles`, in table order."""
        return tuple(column.name for column in self.columns if column.role in roles)

    @property
    def coarser(self) -> frozenset[str]:
        """The sensitive columns that show coarser values."""
        return frozenset(name for name, change in self.replaced.items() if change is Change.GENERALISED)

    @property
    def openveil(self) -> str:
        """The version that wrote it."""
        return self.versions.openveil


def load(folder: Path) -> Certificate:
    """The certificate in `folder`."""
    where = f"folder {folder.name!r}"
    try:
        text = (folder / FILE).read_text(encoding="utf-8")
    except OSError:
        remedy = "Name a folder that `openveil publish` wrote"
        raise refuse(where, f"has no readable {FILE}", remedy) from None
    except ValueError:
        raise refuse(where, f"{FILE} is not UTF-8 text", _AGAIN) from None
    return _read(text, where)


def refused(where: str, wrong: Iterable[str], remedy: str = _OTHER_VERSION) -> RequestError:
    """The error that names what is wrong with a certificate, as far as one sentence can."""
    each = list(wrong)
    more = f" and {len(each) - _MOST} more" if len(each) > _MOST else ""
    said = f"{'; '.join(each[:_MOST])}{more}"
    return refuse(where, f"{FILE} is not a certificate of format {FORMAT}: {said}", remedy)


def _read(text: str, where: str) -> Certificate:
    try:
        loaded = json.loads(text, object_pairs_hook=_once, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise refuse(where, f"{FILE} is not JSON, or says a key twice", _AGAIN) from None
    if isinstance(loaded, dict) and loaded.get("certificate", FORMAT) != FORMAT:
        raise refused(where, ["certificate is another number"])
    try:
        return Certificate.model_validate_json(text)
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=False, include_context=False)
        raise refused(where, map(_words, details)) from None


def _words(detail: ErrorDetails) -> str:
    place = ".".join(_step(step) for step in detail["loc"] if step != "[key]")
    return f"{place or 'the whole'} {_WORDS.get(detail['type'], 'has the wrong form')}"


def _step(step: str | int) -> str:
    """A key, or the number of an entry of a list, from 1."""
    if isinstance(step, int):
        return str(step + 1)
    shown = str(printable(step[:_LONGEST_KEY]))
    return shown if len(step) <= _LONGEST_KEY else f"{shown}..."


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) != len(pairs):
        raise ValueError("a key stands twice")
    return table


def _no_number(_: str) -> NoReturn:
    raise ValueError("NaN and infinity are not JSON")
