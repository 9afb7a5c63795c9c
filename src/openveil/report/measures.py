"""The findings of a certificate in plain words.

Claim. Every finding is shown once: among the promises when it was held against a limit, among what is left of the
table when it says what is lost, column by column when it says what groups share, otherwise among the other
measurements. What a reader must weigh is said once more, as a caution or a limit.

Why. A finding this module does not know is shown by its own name, so a new measure needs no change here.

Cost. One pass over the findings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from openveil.core.finding import Verdict
from openveil.report.wording import listed, percent, plain, sentence

LOSS = "Information loss"
SEARCH = ("information loss", "search")
ALONE = ("rows that are unique", "columns published unchanged")

_LOST = ("information loss", "share of losing everything")
_GROUPS_SHARE, _ROWS_SHARE = "groups in which all rows share one value", "rows in groups that share one value"
_REPEATS = "distinct values of an identifier that repeats"
_OBSERVED = "labels made from observed values"
_LONGEST = "levels made from the longest value"
_REPLACED = "rows with a replaced sensitive value"

# What methods that are safe in another sense, or not at all, are told of and not held to.
_OF_THE_METHOD = (
    ("looks at sensitive values that the release does not show", "algorithm"),
    ("replays with other sensitive values that gave other groups", "algorithm"),
)

_NAMES = {
    ("smallest class", "rows"): "Rows in the smallest group",
    ("smallest class", "persons"): "Fewest persons in a group",
    ("rarest combination", "up to three values"): "Persons who share the rarest combination of up to three values",
    ("looks at sensitive values that the release does not show", "algorithm"): (
        "Looks of the method at sensitive values that the table does not show"
    ),
    ("classes", "release"): "Groups in the table",
    ("median class", "rows"): "Rows in a group, median",
    ("average class size", "rows"): "Rows in a group, average",
    ("information loss", "a row, on average"): "Information loss of a row, average, summed over characteristics",
    ALONE: "Rows that are unique on the columns published unchanged",
    ("discernibility", "rows"): "Discernibility: for each row how many look like it, summed",
}
_LIMITS = {
    "smallest class": "at least {}",
    "rarest combination": "at least {}",
    "greatest breach probability": "at most {}",
    "looks at sensitive values that the release does not show": "at most {}",
}
_DETAIL_GONE = (
    "of the detail is gone. 0% would mean that every value is as it was, 100% that nothing is shown of anyone. "
    "A row that was left out counts as lost entirely."
)
_STEPS_SPARED = (
    "of the steps by which values can be made coarser were not needed. 100% would mean that every value is as it was."
)
_ROWS_KEPT = (
    "of the original rows are in the table with their characteristics. 100% would mean that no row was left out."
)
_USE = {
    _LOST: (LOSS, _DETAIL_GONE),
    ("accuracy", "levels"): ("Accuracy", _STEPS_SPARED),
    ("completeness", "rows"): ("Completeness", _ROWS_KEPT),
}
VERDICTS = {
    Verdict.HOLDS: "holds",
    Verdict.FAILS: "fails",
    Verdict.UNDECIDED: "not decided",
    Verdict.INFORMS: "promises nothing",
}


@dataclass(frozen=True, slots=True)
class Measure:
    """One finding: what was measured, what was promised of it, what was found, and the verdict."""

    what: str
    promised: str
    measured: str
    verdict: Verdict
    note: str

    @staticmethod
    def of(finding: Mapping[str, Any]) -> Measure:
        """The finding in plain words."""
        return Measure(
            _NAMES.get(_key(finding)) or sentence("{name} ({on})".format_map(finding)),
            _promised(finding),
            plain(finding["value"]) + _interval(finding),
            Verdict(finding["verdict"]),
            finding.get("note", ""),
        )

    @property
    def words(self) -> str:
        """The verdict in words."""
        return VERDICTS[self.verdict]


@dataclass(frozen=True, slots=True)
class Use:
    """One figure of what is left of the table, and the sentence that says what it means."""

    name: str
    value: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Shared:
    """In how many groups everyone has the same value of one sensitive column, and how many rows these have."""

    column: str
    groups: int
    rows: int

    @property
    def label(self) -> str:
        """The name of the column."""
        return listed((self.column,))


@dataclass(frozen=True, slots=True)
class Measures:
    """All findings of a certificate, by what they are for.

    `shared` is in table order; `search` is what the search says of itself. What the others hold too: `alone`, how
    many rows are unique on the columns published unchanged; `repeating`, the identifiers that repeat, with their
    notes; `observed`, the columns whose labels are made from values; `longest`, those whose longest value decides how
    many levels there are; `replaced`, in how many rows a sensitive column may show another value than the row's own;
    `lost_entirely`, whether nothing is left of what is made coarser.
    """

    promised: tuple[Measure, ...]
    use: tuple[Use, ...]
    shared: tuple[Shared, ...]
    others: tuple[Measure, ...]
    search: Mapping[str, Any] | None
    alone: int | None
    repeating: tuple[tuple[str, str], ...]
    observed: tuple[str, ...]
    longest: tuple[str, ...]
    replaced: tuple[tuple[str, int], ...]
    lost_entirely: bool

    @staticmethod
    def of(findings: tuple[Mapping[str, Any], ...]) -> Measures:
        """The findings, sorted."""
        informing = [finding for finding in findings if not _is_promise(finding)]
        rest = [finding for finding in informing if _key(finding) not in _USE]
        return Measures(
            promised=tuple(Measure.of(finding) for finding in findings if _is_promise(finding)),
            use=tuple(_use(finding) for finding in informing if _key(finding) in _USE),
            shared=_shared(rest),
            others=tuple(Measure.of(finding) for finding in rest if _is_other(finding)),
            search=_first(rest, SEARCH),
            alone=_alone(rest),
            repeating=_notes(rest, _REPEATS),
            observed=_columns(rest, _OBSERVED),
            longest=_columns(rest, _LONGEST),
            replaced=tuple((each["on"], int(each["value"])) for each in rest if each["name"] == _REPLACED),
            lost_entirely=any(_key(each) == _LOST and each["value"] >= 1 for each in informing),
        )

    @property
    def verdict(self) -> Verdict:
        """The worst verdict of all."""
        verdicts = {measure.verdict for measure in self.promised}
        order = (Verdict.FAILS, Verdict.UNDECIDED, Verdict.HOLDS)
        return next((verdict for verdict in order if verdict in verdicts), Verdict.INFORMS)


def proof(search: Mapping[str, Any] | None) -> str:
    """Whether another choice could lose less."""
    if search is None:
        return "Not stated. The method does not say whether another choice would lose less."
    note = f" ({search['note']})" if search.get("note") else ""
    value, least = search["value"], search.get("interval", (0,))[0]
    if least >= value:
        return f"Proved. No other choice of this kind loses less{note}."
    return (
        f"Not proved. A choice that loses less than {plain(value)} a row may exist, none below {plain(least)}{note}."
    )


def _key(finding: Mapping[str, Any]) -> tuple[str, str]:
    return finding["name"], finding["on"]


def _is_promise(finding: Mapping[str, Any]) -> bool:
    if finding["verdict"] == Verdict.INFORMS and _key(finding) in _OF_THE_METHOD:
        return False
    return "limit" in finding or finding["verdict"] != Verdict.INFORMS


def _is_other(finding: Mapping[str, Any]) -> bool:
    return finding["name"] not in (_GROUPS_SHARE, _ROWS_SHARE) and _key(finding) != SEARCH


def _first(findings: Sequence[Mapping[str, Any]], key: tuple[str, str]) -> Mapping[str, Any] | None:
    return next((finding for finding in findings if _key(finding) == key), None)


def _alone(findings: Sequence[Mapping[str, Any]]) -> int | None:
    found = _first(findings, ALONE)
    return None if found is None else int(found["value"])


def _shared(findings: Sequence[Mapping[str, Any]]) -> tuple[Shared, ...]:
    groups, rows = (
        {finding["on"]: int(finding["value"]) for finding in findings if finding["name"] == name}
        for name in (_GROUPS_SHARE, _ROWS_SHARE)
    )
    return tuple(Shared(column, number, rows[column]) for column, number in groups.items())


def _columns(findings: Sequence[Mapping[str, Any]], name: str) -> tuple[str, ...]:
    """The columns that the findings of that name are about."""
    return tuple(finding["on"] for finding in findings if finding["name"] == name)


def _notes(findings: Sequence[Mapping[str, Any]], name: str) -> tuple[tuple[str, str], ...]:
    """The columns and notes of the findings of that name, the largest value first."""
    found = [finding for finding in findings if finding["name"] == name]
    ordered = sorted(found, key=lambda finding: finding["value"], reverse=True)
    return tuple((finding["on"], finding["note"]) for finding in ordered)


def _use(finding: Mapping[str, Any]) -> Use:
    name, meaning = _USE[_key(finding)]
    return Use(name, percent(finding["value"]), meaning)


def _promised(finding: Mapping[str, Any]) -> str:
    if "limit" not in finding:
        return ""
    return _LIMITS.get(finding["name"], "limit: {}").format(plain(finding["limit"]))


def _interval(finding: Mapping[str, Any]) -> str:
    if "interval" not in finding:
        return ""
    low, high = finding["interval"]
    return f" (between {plain(low)} and {plain(high)})"
