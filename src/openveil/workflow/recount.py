"""What a certificate says of the table, counted again on the table.

Claim. Every certified finding that follows from the published table and the numbers of rows is measured anew and must
be the same, and none of them may be missing, doubled or invented: what the privacy models measure, what groups
share, the rows that are unique, labels made from observed values, accuracy, completeness, discernibility and the
average class. No finding may be there that no part of this version makes. Labels are of the certified level where
that shows: `*` at the top, and only there.

Why not everything. Persons cannot be counted, since their column is not published, so a figure which may count them
has only to lie between the limit and the rows. What was measured on the original (information loss, looks,
identifiers that repeat) has only to be there, once.

Cost. One grouping of the rows, one comparison a sensitive column, one look at the labels a quasi-identifier.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import polars as pl

from openveil.core.axis import ROOT
from openveil.core.classes import Classes
from openveil.core.disclosed import DISCLOSURE_SET, UNACCOUNTED, Safety
from openveil.core.finding import Finding, Key, Verdict
from openveil.core.publisher import Publisher
from openveil.core.registry import Kind, Status, discover, find
from openveil.core.release import LOOKS, MEANINGS, REPLACED, Tables
from openveil.core.schema import Role
from openveil.requirements.personal_breach import GREATEST, KNOWN, PERSONAL, PersonalBreach
from openveil.workflow.certificate_shape import Certificate, CertifiedFinding, Steps
from openveil.workflow.coherence import PERSONS, ROWS, agreed, rebuilt, same_version
from openveil.workflow.exposure import (
    GROUPS_SHARE,
    LONGEST,
    MASKING,
    OBSERVED,
    REPEATS,
    ROLES,
    ROWS_SHARE,
    UNIQUE,
    alone,
    labels_of,
    levels_of_longest,
    repeats,
    shared,
)
from openveil.workflow.replay import REPLAYS

Plain = dict[str, Any]
Findings = dict[Key, list[Plain]]

_ACCURACY, _LOSS, _ORDERED = "accuracy", "information-loss", "ordering"
_BY_DEFINITION = frozenset({GROUPS_SHARE, ROWS_SHARE, UNIQUE, OBSERVED, _ACCURACY})
_ONLY_ROWS = frozenset({ROWS, "release"})
_OF_COLUMNS = frozenset({REPEATS, REPLACED, LONGEST})
_OF_THE_SET = (DISCLOSURE_SET, UNACCOUNTED)


def recounted(
    tables: Tables, classes: Classes, measured: Sequence[Finding], certificate: Certificate
) -> Iterator[Finding]:
    """Whether certificate and table say the same; `measured` is what the privacy models say of the table."""
    again = [*measured, *_of_rows(certificate, classes), *_exposed(tables, certificate)]
    wanted, found = _by_key(again, certificate), _by_key(certificate.findings, certificate)
    yield agreed("the certified findings are as measured here", _differing(wanted, found, certificate))
    others = [each for each in certificate.findings if _key(each) not in wanted]
    yield agreed("the findings of the original are there, once", _out_of_place(others, certificate))
    yield agreed("every finding is one that this version makes", _invented(others, measured, certificate))
    yield agreed("the labels are of the certified levels", _other_levels(tables.frame, certificate))


def _of_rows(certificate: Certificate, classes: Classes) -> Iterator[Finding]:
    """The measures of utility that follow from the sizes of the groups, the suppressed rows and the levels."""
    counts, levels = certificate.suppression, certificate.levels.values()
    released, heights = counts.of - counts.rows, sum(each.of for each in levels)
    yield Finding("completeness", ROWS, Fraction(released, counts.of) if counts.of else Fraction(1))
    if levels:
        spared = 1 - Fraction(sum(each.level for each in levels), heights) if heights else Fraction(1)
        yield Finding(_ACCURACY, "levels", spared)
    if counts.kept_blank:  # Blank rows may look like others that are not suppressed.
        return
    yield Finding("discernibility", ROWS, int(classes.sizes @ classes.sizes) + counts.rows * counts.of)
    if len(classes):
        yield Finding("average class size", ROWS, Fraction(released, len(classes)))


def _exposed(tables: Tables, certificate: Certificate) -> Iterator[Finding]:
    quasi, sensitive, unchanged = (certificate.named(*roles) for roles in ROLES)
    frame = tables.frame
    yield from shared(*tables.shown(quasi, sensitive), sensitive, certificate.coarser)
    yield from alone(frame, [name for name in unchanged if name not in certificate.replaced])
    told = {each.on for each in certificate.findings if each.name == OBSERVED}
    for name in quasi:
        steps, hierarchy = certificate.levels.get(name), certificate.hierarchies.get(name)
        ordered = hierarchy is not None and hierarchy.kind == _ORDERED
        shown_as_they_are = tables.counts is not None or (steps is not None and steps.level == 0)
        if name in told and ordered and not shown_as_they_are:
            yield labels_of(frame[name])


def _by_key(findings: Sequence[Finding | CertifiedFinding], certificate: Certificate) -> Findings:
    """The findings as a certificate writes them; without notes, where another version may word them otherwise."""
    found: Findings = {}
    for each in findings:
        plain = each.as_json()
        if not same_version(certificate):
            plain.pop("note", None)
        found.setdefault(_key(each), []).append(plain)
    return found


def _key(finding: Finding | CertifiedFinding) -> Key:
    return finding.name, finding.on


def _differing(wanted: Findings, found: Findings, certificate: Certificate) -> Iterator[str]:
    for key, each in wanted.items():
        if not _all_fit(found.get(key, []), each) and (key in found or same_version(certificate)):
            yield _called(key)
    names = _BY_DEFINITION.union(name for name, _ in wanted)
    for key in found.keys() - wanted.keys():
        name, on = key
        in_rows = wanted.get((name, ROWS), []) if on == PERSONS else []
        if (name in names or on == PERSONS) and not _all_fit(found[key], in_rows):
            yield _called(key)


def _all_fit(found: list[Plain], wanted: list[Plain]) -> bool:
    return len(found) == len(wanted) and all(map(_fits, found, wanted))


def _fits(found: Plain, wanted: Plain) -> bool:
    """Whether a certified finding is the one measured here, or counts persons where rows were measured."""
    if _spelled(found) == _spelled(wanted):
        return True
    in_persons = wanted | {"on": found["on"], "value": found["value"]}
    if wanted["on"] in _ONLY_ROWS and found["on"] != PERSONS:
        return False
    if "limit" not in wanted or _spelled(found) != _spelled(in_persons):
        return False
    return isinstance(found["value"], int) and bool(wanted["limit"] <= found["value"] <= wanted["value"])


def _spelled(finding: Plain) -> str:
    """What tells 5 from 5.0."""
    return json.dumps(finding, sort_keys=True)


def _called(key: Key) -> str:
    name, on = key
    return f"{name} ({on})"


def _out_of_place(others: Sequence[CertifiedFinding], certificate: Certificate) -> Iterator[str]:
    """What is wrong with the findings that cannot be measured here."""
    times = Counter(map(_key, others))
    yield from (_called(key) for key, number in times.items() if number > 1)
    if same_version(certificate):
        yield from (_called(key) for key in _of_the_original(certificate) if key not in times)
    persons = any(each.on == PERSONS for each in others)
    for each in others:
        looked = _key(each) in (LOOKS, REPLAYS) and not _as_method_may(each, certificate)
        of_set = _key(each) in _OF_THE_SET and not _as_set_must(each, certificate)
        repeated = each.name == REPEATS and (persons or not _may_repeat(each, certificate))
        replaced = each.name == REPLACED and not _may_be_replaced(each, certificate)
        longest = each.name == LONGEST and not _may_be_longest(each, certificate)
        guarded = each.name == GREATEST and not _as_promised(each, certificate)
        if looked or of_set or repeated or replaced or longest or guarded:
            yield _called(_key(each))


def _invented(
    others: Sequence[CertifiedFinding], measured: Sequence[Finding], certificate: Certificate
) -> Iterator[str]:
    """The findings that no part and no step of this version makes, whatever may be true of them."""
    if not same_version(certificate):
        return
    parts = (*discover(Kind.UTILITY), find(Kind.PUBLISHER, certificate.method.name))
    known = {
        LOOKS,
        REPLAYS,
        *_OF_THE_SET,
        *_of_guards(certificate),
        *_of_populations(certificate),
        *(key for part in parts if part for key in part.says),
    }
    in_persons = {(each.name, PERSONS) for each in measured}
    yield from (
        _called(_key(each))
        for each in others
        if each.name not in _OF_COLUMNS and _key(each) not in known | in_persons
    )


def _as_method_may(finding: CertifiedFinding, certificate: Certificate) -> bool:
    """Whether nothing was seen that the release hides; of an unsafe method, whether that is told as it is."""
    may = certificate.method.status is Status.KNOWN_UNSAFE or _safety_of(certificate) is Safety.DISCLOSURE_SET
    told = may and finding.value > 0
    verdict = Verdict.INFORMS if told else Verdict.HOLDS
    return (finding.limit, finding.verdict) == (0, verdict) and (told or finding.value == 0)


def _safety_of(certificate: Certificate) -> Safety:
    """In what sense this version knows the method to be safe."""
    known = find(Kind.PUBLISHER, certificate.method.name)
    return known.cls.safety if known and issubclass(known.cls, Publisher) else Safety.SAME_WORLDS


def _of_the_original(certificate: Certificate) -> tuple[Key, ...]:
    """The findings that must be there though the table cannot answer them."""
    loss = find(Kind.UTILITY, _LOSS)
    of_set = () if _safety_of(certificate) is Safety.SAME_WORLDS else _OF_THE_SET
    return (LOOKS, REPLAYS, *(loss.says if loss else ()), *_of_guards(certificate), *of_set)


def _as_set_must(finding: CertifiedFinding, certificate: Certificate) -> bool:
    """Whether the disclosure set is said to satisfy the privacy model, and every look to be accounted for."""
    if _safety_of(certificate) is not Safety.DISCLOSURE_SET:
        return False
    limit = int(_key(finding) == DISCLOSURE_SET)
    return (finding.value, finding.limit, finding.verdict) == (limit, limit, Verdict.HOLDS)


def _of_guards(certificate: Certificate) -> Iterator[Key]:
    """What must have been decided with the guards of the original."""
    yield from (model.told_of for model in _of_breaches(certificate))


def _of_populations(certificate: Certificate) -> Iterator[Key]:
    """What may have been told of a population, where the promise names one."""
    yield from ((GREATEST, KNOWN) for model in _of_breaches(certificate) if model.population)


def _as_promised(finding: CertifiedFinding, certificate: Certificate) -> bool:
    """Whether a breach probability is told as p and no more, or promises nothing."""
    exact = Fraction(finding.exact) if finding.exact else Fraction(finding.value)
    model = next(_of_breaches(certificate), None)
    if model is None:
        return False
    if _key(finding) != model.told_of:
        return finding.on == KNOWN and finding.verdict is Verdict.INFORMS and 0 <= exact <= model.p
    # A figure below p would be a measured one, which tells of guards.
    return finding.verdict is Verdict.HOLDS and exact == model.p and finding.limit == float(model.p)


def _of_breaches(certificate: Certificate) -> Iterator[PersonalBreach]:
    """What was promised of guards; nothing where the parameters are not those of such a promise."""
    for promise in certificate.promise:
        known = find(Kind.REQUIREMENT, promise.name)
        made = rebuilt(known, promise.parameters) if known and promise.name == PERSONAL else None
        yield from [made] if made else []


def _may_be_replaced(finding: CertifiedFinding, certificate: Certificate) -> bool:
    """Whether so many rows can have a replaced value, and the note says in what way."""
    change = certificate.replaced.get(finding.on)
    said = change is not None and (finding.note == MEANINGS[change] or not same_version(certificate))
    counted = isinstance(finding.value, int) and 0 <= finding.value <= certificate.file.rows
    return said and counted and finding.verdict is Verdict.INFORMS


def _may_be_longest(finding: CertifiedFinding, certificate: Certificate) -> bool:
    """Whether the column is one that the length of values decides the levels of, and has so many."""
    steps, hierarchy = certificate.levels.get(finding.on), certificate.hierarchies.get(finding.on)
    if steps is None or hierarchy is None or hierarchy.kind != MASKING or finding.value != steps.of:
        return False
    again = levels_of_longest(finding.on, steps.of).as_json()
    return not same_version(certificate) or _spelled(again) == _spelled(finding.as_json())


def _may_repeat(finding: CertifiedFinding, certificate: Certificate) -> bool:
    """Whether a removed column may have so few distinct values in as many rows as the note says."""
    said = re.search(r"repeats: ([0-9,]{1,30}) rows", finding.note)
    rows = int(said[1].replace(",", "") or 0) if said else 0
    if finding.on not in certificate.removed or not finding.value < rows <= certificate.suppression.of:
        return False
    again = repeats(finding.on, rows, int(finding.value)).as_json()
    return not same_version(certificate) or _spelled(again) == _spelled(finding.as_json())


def _other_levels(frame: pl.DataFrame, certificate: Certificate) -> Iterator[str]:
    blank = certificate.suppression.kept_blank
    stars = frame.select(
        (pl.col(name).cast(pl.String) == ROOT).fill_null(value=False) for name in certificate.named(Role.QUASI)
    )
    if stars.width and int(stars.select(pl.all_horizontal(pl.all()).sum()).item()) < blank:
        yield "suppression"
    for name, steps in certificate.levels.items():
        if name in stars.columns and not _shows(int(stars[name].sum()), frame.height, blank, steps):
            yield name


def _shows(stars: int, rows: int, blank: int, steps: Steps) -> bool:
    """Whether so many cells of a column may be `*` at this level; a value of the original may be written `*` too."""
    if 0 < steps.level < steps.of:
        return stars == blank
    return stars == rows if steps.level else stars >= blank
