"""The findings of a certificate in plain words.

Claim. Every finding is shown once: among the promises when it was held against a limit, among what is left of the
table when it says what is lost, otherwise among the other measurements.

Why. A finding this module does not know is shown by its own name, so a new measure needs no change here.

Cost. One pass over the findings.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from openveil.core.finding import Verdict
from openveil.report.wording import percent, plain

LOSS = "Information loss"
SEARCH = ("information loss", "search")

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
    ("discernibility", "rows"): "Discernibility: for each row how many look like it, summed",
}
_LIMITS = {
    "smallest class": "at least {}",
    "rarest combination": "at least {}",
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
    ("information loss", "share of losing everything"): (LOSS, _DETAIL_GONE),
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
            _NAMES.get(_key(finding), "{name} ({on})".format_map(finding)),
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
class Measures:
    """All findings of a certificate, by what they are for; `search` is what the search says of itself."""

    promised: tuple[Measure, ...]
    use: tuple[Use, ...]
    others: tuple[Measure, ...]
    search: Mapping[str, Any] | None

    @staticmethod
    def of(findings: tuple[Mapping[str, Any], ...]) -> Measures:
        """The findings, sorted."""
        rest = [finding for finding in findings if not _is_promise(finding) and _key(finding) not in _USE]
        return Measures(
            tuple(Measure.of(finding) for finding in findings if _is_promise(finding)),
            tuple(_use(finding) for finding in findings if not _is_promise(finding) and _key(finding) in _USE),
            tuple(Measure.of(finding) for finding in rest if _key(finding) != SEARCH),
            next((finding for finding in rest if _key(finding) == SEARCH), None),
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
    return "limit" in finding or finding["verdict"] != Verdict.INFORMS


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
