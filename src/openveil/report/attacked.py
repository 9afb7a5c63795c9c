"""What the laboratory found, in lines a terminal shows.

Claim. The first line says what to make of it all. A table has a line for each attack and column: how many people it
exposes in the table as it is and in the release, how often its bets on them are right, and how often bets are right
that do not use what it uses, and bets on people who are not in the release. Then: what each attack that exposes
somebody or could not decide says besides, and which attacks were not made, and why.

Cost. One pass over the findings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from openveil.core.finding import Verdict
from openveil.report.measures import VERDICTS
from openveil.report.wording import counted, percent, plain, printable, some, whole

_HEAD = ("attack", "on", "exposed before", "after", "right", "by guessing", "outside", "verdict")
_LEFT = 2
_ARMS = ("attack: right guesses", "baseline: right guesses", "control group: right guesses")
_EXPOSED, _CERTAINTY = "people exposed", "greatest certainty"
_UNDECIDED = "people for whom the attack could not decide"
_WORDS = {**VERDICTS, Verdict.HOLDS: "nobody found", Verdict.FAILS: "exposes people"}
_EXPOSED_MEANS = (
    "'exposed': people of whom the attack is surer than the plan promises, or certain where it promises nothing; "
    "'before' is the table as it is, 'after' what the plan publishes."
)
_RIGHT_MEANS = (
    "'right': how often its bets are right, with the interval of 95%; 'by guessing': bets on the same people without "
    "what the attack uses; 'outside': the same bets on people who were left out of the release."
)


def lines(found: Mapping[str, Any]) -> Iterator[str]:
    """The laboratory in a few lines; `found` is what its JSON says."""
    yield _headline(found)
    yield ""
    yield from aligned([_HEAD, *(row for each in found["attacks"] for row in _rows(each))])
    yield ""
    yield _EXPOSED_MEANS
    yield _RIGHT_MEANS
    yield _control(found["control_group"])
    remarks = [remark for each in found["attacks"] for remark in _remarks(each)]
    if remarks:
        yield ""
        yield from remarks
    if found["not_made"]:
        yield ""
        yield "Not made:"
        yield from (f"  {name}: {why}." for name, why in found["not_made"].items())


def aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Columns as wide as their widest cell, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.ljust(width) if place < _LEFT or place == len(row) - 1 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()


def _headline(found: Mapping[str, Any]) -> str:
    attacks = found["attacks"]
    names = {verdict: [each["name"] for each in attacks if each["verdict"] == verdict] for verdict in Verdict}
    failing, open_ = names[Verdict.FAILS], names[Verdict.UNDECIDED]
    undecided = f" Not decided: {', '.join(open_)}; that is no sign of safety." if open_ else ""
    bare = _unpromised(found)
    if failing:
        more = f"More can be learned of people in this release than it promises, by {', '.join(failing)}."
        return f"{bare}{more}{undecided}"
    learned = _learned(attacks)
    besides = f" Where nothing is promised, {learned} exposes people; see below." if learned else ""
    if names[Verdict.HOLDS]:
        return f"{bare}No attack that could decide exposes anyone beyond what is promised.{besides}{undecided}"
    return f"{bare}The plan promises nothing that these attacks could break.{besides}{undecided}"


def _unpromised(found: Mapping[str, Any]) -> str:
    """Of which columns nothing is promised, and that attacks learn of them, where they do."""
    names = found["nothing_promised_about"]
    if not names:
        return ""
    outcomes = [outcome for each in found["attacks"] for outcome in each["after"] if outcome["on"] in names]
    learned = any(_beats_guesses(outcome) for outcome in outcomes)
    more = ", and attacks are right about it more often than guesses" if learned else ""
    return f"Nothing is promised about {some(tuple(map(printable, names)))}{more}. "


def _beats_guesses(outcome: Mapping[str, Any]) -> bool:
    """Whether bets are right more often than those of the baseline, beyond chance."""
    attack, baseline = (_finding(outcome, name) for name in _ARMS[:2])
    return bool(attack and baseline) and attack["interval"][0] > baseline["interval"][1]  # type: ignore[index]


def _learned(attacks: Sequence[Mapping[str, Any]]) -> str:
    """The attacks that expose somebody where nothing is promised."""
    informing = [each for each in attacks if each["verdict"] == Verdict.INFORMS]
    exposing = [each["name"] for each in informing if any(_exposes(outcome) for outcome in each["after"])]
    return " or ".join(exposing)


def _exposes(outcome: Mapping[str, Any]) -> bool:
    finding = _finding(outcome, _EXPOSED)
    return finding is not None and finding["value"] > 0


def _rows(each: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    before = {outcome["on"]: outcome for outcome in each["before"]}
    for outcome in each["after"]:
        on = outcome["on"]
        yield (
            each["name"],
            printable(on),
            _exposed(before.get(on)),
            _exposed(outcome),
            _arm(outcome, _ARMS[0], with_interval=True),
            *(_arm(outcome, name) for name in _ARMS[1:]),
            _WORDS[Verdict(outcome["verdict"])],
        )


def _exposed(outcome: Mapping[str, Any] | None) -> str:
    finding = _finding(outcome, _EXPOSED)
    return "-" if finding is None else whole(finding["value"])


def _arm(outcome: Mapping[str, Any], name: str, *, with_interval: bool = False) -> str:
    finding = _finding(outcome, name)
    if finding is None or finding["note"].endswith("of 0 tries"):
        return "-"
    low, high = (f"{100 * end:.0f}" for end in finding["interval"])
    return percent(finding["value"]) + (f" ({low}-{high})" if with_interval else "")


def _remarks(each: Mapping[str, Any]) -> Iterator[str]:
    """What is said besides of each outcome that breaks a promise or is not decided."""
    for outcome in each["after"]:
        exposed, undecided = _finding(outcome, _EXPOSED), _finding(outcome, _UNDECIDED)
        where = f"{each['name']}, {printable(outcome['on'])}"
        if exposed and outcome["verdict"] == Verdict.FAILS:
            certainty = _finding(outcome, _CERTAINTY) or {"value": 0}
            cost = outcome["findings"][_cost_at(outcome)]
            yield (
                f"{where}: {counted(exposed['value'], 'person', 'people')} exposed, certainty up to "
                f"{percent(certainty['value'])}, after {plain(cost['value'])} {cost['on']}."
            )
        if undecided:
            why = f": {exposed['note']}" if exposed and not exposed["note"].startswith("of ") else ""
            yield f"{where}: not decided for {counted(undecided['value'], 'person', 'people')}{why}."


def _control(people: int) -> str:
    if not people:
        return "There is no control group: the table is small, or the plan cannot publish it with people left out."
    return f"The control group: {counted(people, 'person', 'people')}, drawn at random and left out."


def _finding(outcome: Mapping[str, Any] | None, name: str) -> Mapping[str, Any] | None:
    findings: Sequence[Mapping[str, Any]] = outcome["findings"] if outcome else ()
    return next((finding for finding in findings if finding["name"] == name), None)


def _cost_at(outcome: Mapping[str, Any]) -> int:
    return next(place for place, finding in enumerate(outcome["findings"]) if finding["name"] == "cost")
