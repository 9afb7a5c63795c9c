"""What an audit says, in the words of the terminal and the page.

Claim. Every sentence about somebody else's release is written here, from the plain values of the audit alone: counts,
names of columns and of models. `Audited` has them in the order in which a reader needs them: the verdict, what was
promised and reached under each reading, how labels were read, and what is wrong with the file. A release is never
said to be safe: nothing more is said than that what was asked holds.

Cost. One pass over the values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from openveil.core.finding import Verdict
from openveil.report.page import templates
from openveil.report.wording import counted, listed, printable, sentence, some, whole

READINGS = ("own value", "wildcard", "known")
_MEANING = (
    "own value: a hidden cell (*, empty, NA) is a value of its own; outsiders know whose cells are hidden.",
    "wildcard: a hidden cell may stand for any value, and nobody knows which.",
    "known: outsiders know also what is hidden of the person they look for; the release does not say what that is.",
)
_LIMITS = (
    "Classes are those a reader of this file sees; each row was taken for one person.",
    "What the program that made the release gives away to those who know it was not examined.",
)
_FIRST = {Verdict.FAILS: 0, Verdict.UNDECIDED: 1, Verdict.INFORMS: 2, Verdict.HOLDS: 3}
_MARK = {
    Verdict.FAILS: "fails",
    Verdict.UNDECIDED: "undecided",
    Verdict.INFORMS: "note",
    Verdict.HOLDS: "holds",
}

_KINDS = {
    "values": ("value", "values"),
    "intervals": ("interval", "intervals"),
    "groups": ("group of the hierarchy", "groups of the hierarchy"),
    "sets": ("set of values", "sets of values"),
    "masked codes": ("masked code", "masked codes"),
    "hidden": ("label that hides everything", "labels that hide everything"),
    "not read": ("label that cannot be read", "labels that cannot be read"),
}

Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Audited:
    """What a reader is shown: sentences and tables."""

    standing: Verdict
    verdict: str
    warning: str
    basis: str
    columns: Row
    promised: tuple[Row, ...]
    others: tuple[Row, ...]
    readings: tuple[str, ...]
    labels: tuple[Row, ...]
    found: tuple[Row, ...]
    limits: tuple[str, ...]

    @staticmethod
    def of(plain: Mapping[str, Any]) -> Audited:
        """The sentences about an audit that is given as plain values."""
        told = printable(plain)
        standing = Verdict(told["verdict"])
        differ = any(_differ(asked) for asked in (*told["promised"], *told["others"]))
        columns = READINGS if differ else ("under every reading",)
        return Audited(
            standing=standing,
            verdict=_verdict(standing, told),
            warning=_warning(told),
            basis=" ".join(_basis(told)),
            columns=columns,
            promised=tuple(_promised(each)[: len(columns) + 1] for each in told["promised"]),
            others=tuple(_reached(each)[: len(columns) + 1] for each in told["others"]),
            readings=_MEANING if differ else (),
            labels=tuple(_labels(each) for each in told["labels"]),
            found=tuple(_found(told["file"])),
            limits=tuple(_limits(told)),
        )


def lines(plain: Mapping[str, Any]) -> tuple[str, ...]:
    """The audit as lines of text."""
    return tuple(_lines(Audited.of(plain)))


def page(plain: Mapping[str, Any]) -> str:
    """The audit as one HTML page that loads nothing."""
    return templates().get_template("audited.html").render(told=Audited.of(plain))


def _lines(told: Audited) -> Iterator[str]:
    yield told.verdict
    if told.warning:
        yield told.warning
    yield from ("", told.basis, "")
    yield from _table((("Promised", *told.columns), *told.promised))
    if told.others:
        yield ""
        yield from _table((("Reached besides", *told.columns), *told.others))
    if told.readings:
        yield ""
        yield from (f"  {meaning}" for meaning in told.readings)
    if told.labels:
        yield from ("", "How labels were read")
        yield from _table(told.labels)
    yield from ("", "The file itself")
    for verdict, what, why in told.found:
        yield f"  {verdict:<9}  {what}"
        yield f"  {'':<9}  {why}"
    if not told.found:
        yield "  Nothing was found."
    yield ""
    yield from told.limits


def _verdict(standing: Verdict, told: Mapping[str, Any]) -> str:
    if standing is Verdict.HOLDS:
        return "The plan's promise holds under every reading, and no accident of weight was found in the file."
    reasons = [reason for reason, bad in _reasons(standing, told) if bad]
    if standing is Verdict.FAILS:
        return f"Do not rely on this release: {' and '.join(reasons)}."
    return f"It is not decided whether this release can be relied on: {' and '.join(reasons)}."


def _reasons(standing: Verdict, told: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """Why a release is not one that holds."""
    verdicts = [each["verdict"] for asked in told["promised"] for each in asked["readings"]]
    accidents = sum(finding["verdict"] == standing for finding in told["file"])
    if standing is Verdict.FAILS:
        yield "it does not keep the plan's promise", Verdict.FAILS in verdicts
        yield f"the file gives people away ({counted(accidents, 'accident', 'accidents')})", accidents > 0
    else:
        yield "the plan's promise could not be decided under every reading", Verdict.UNDECIDED in verdicts
        yield f"{counted(accidents, 'question', 'questions')} about the file could not be answered", accidents > 0


def _warning(told: Mapping[str, Any]) -> str:
    if not told["known_to_be_unsafe"]:
        return ""
    return f"The plan asks for {listed(told['known_to_be_unsafe'])} in a way that protects nobody by itself."


def _basis(told: Mapping[str, Any]) -> Iterator[str]:
    rows, groups = counted(told["rows"], "row", "rows"), counted(told["groups"], "group", "groups")
    yield f"{rows} in {groups} of rows that look the same."
    if told["rows_with_everything_hidden"]:
        yield f"{counted(told['rows_with_everything_hidden'], 'row hides', 'rows hide')} all characteristics."
    if told["rows_with_something_hidden"]:
        yield f"{counted(told['rows_with_something_hidden'], 'row hides', 'rows hide')} some characteristics."
    if told["columns_not_in_the_release"]:
        yield f"Not in the file: {some(told['columns_not_in_the_release'])}."


def _promised(asked: Mapping[str, Any]) -> Row:
    return (f"{asked['model']}, {asked['promise']}", *(_answer(asked, reading) for reading in READINGS))


def _answer(asked: Mapping[str, Any], reading: str) -> str:
    """The verdict, and what was reached where that is known."""
    [each] = [each for each in asked["readings"] if each["reading"] == reading]
    mark = _MARK[Verdict(each["verdict"])]
    return f"{mark} ({each['reached']})" if each["reached"] else mark


def _reached(asked: Mapping[str, Any]) -> Row:
    return (asked["model"], *(each["reached"] or "not known" for each in asked["readings"]))


def _differ(asked: Mapping[str, Any]) -> bool:
    """Whether something else was reached, or decided, under another reading."""
    return len({(each["verdict"], each["reached"]) for each in asked["readings"]}) > 1


def _labels(column: Mapping[str, Any]) -> Row:
    kinds = ", ".join(counted(number, *_KINDS[kind]) for kind, number in column["labels"].items())
    said = [kinds or "no labels"]
    if column["hidden_cells"]:
        said.append(f"{counted(column['hidden_cells'], 'cell', 'cells')} hidden")
    if column["unread_cells"]:
        said.append(f"{counted(column['unread_cells'], 'cell', 'cells')} not read")
    return listed((column["column"],)), "; ".join(said)


def _found(findings: Sequence[Mapping[str, Any]]) -> Iterator[Row]:
    """What was found, the worst first; a note that counts nothing is left out."""
    for each in sorted(findings, key=lambda finding: _FIRST[Verdict(finding["verdict"])]):
        verdict = Verdict(each["verdict"])
        if each["value"] or verdict is not Verdict.INFORMS:
            number = f" ({whole(each['value'])})" if each["value"] else ""
            yield _MARK[verdict], f"{each['on']}: {each['name']}{number}", sentence(each.get("note", "")) + "."


def _limits(told: Mapping[str, Any]) -> Iterator[str]:
    yield from _LIMITS
    if not told["compared_with_the_original"]:
        yield "The original was not given: whether the rows stand in its order was not examined (--original FILE)."


def _table(rows: Sequence[Row]) -> Iterator[str]:
    """Aligned columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
