"""What the advice for the columns must be together, whatever it is for each by itself.

Claim. At most one column says who the person is. There is a quasi-identifier, unless every column was advised to be
removed, is text that hardly any two rows share, or is told by its name to name a person: none of these is ever made
one. Of two columns that say the same, one to one, and of which one is generalised, the other is removed; looked for
where there are at least five values, and at most half as many as rows or ten thousand.

Why it holds. Two columns say the same when they have as many pairs of values as values; that is counted, not guessed.
What was advised to be removed stays removed; a plan without a quasi-identifier is refused when it is published.

Cost. One count of pairs for every two columns that have equally many values.
"""

from __future__ import annotations

from itertools import combinations

import polars as pl

from openveil.core.schema import PUBLISHED, Role
from openveil.workflow.advice import SUPPRESSION, Advice
from openveil.workflow.name_clues import CASE, NUMBERED, PERSON, names_a_person
from openveil.workflow.profile import Facts
from openveil.workflow.toml_spelling import key

_MOST_TWINS = 10_000


def agreed(frame: pl.DataFrame, facts: list[Facts], advice: list[Advice]) -> tuple[Advice, ...]:
    """The advice for all columns of `frame`, brought together."""
    return tuple(_with_a_quasi_identifier(facts, _without_twins(frame, facts, _with_one_person(facts, advice))))


def _with_one_person(facts: list[Facts], advice: list[Advice]) -> list[Advice]:
    """Only one column can say who the person is: the one that most seems to, then the first."""
    persons = [each.name for each in advice if each.role is Role.PERSON]
    if not persons:
        return advice
    chosen = min(persons, key=lambda name: _unlikely(name, facts))
    reason = f"may number persons too, but only one column can: {key(chosen)} seems to, so this one is removed"
    return [
        Advice(each.name, Role.IDENTIFIER, reason, doubtful=True)
        if each.name in persons and each.name != chosen
        else each
        for each in advice
    ]


def _unlikely(name: str, facts: list[Facts]) -> int:
    """0 where the name says that it numbers persons, more where less speaks for it."""
    spoken = next(each.spoken for each in facts if each.name == name)
    clues = (PERSON, CASE, NUMBERED)
    return next((place for place, clue in enumerate(clues) if clue.search(spoken)), len(clues))


def _without_twins(frame: pl.DataFrame, facts: list[Facts], advice: list[Advice]) -> list[Advice]:
    """Of two columns that say the same, one would undo what generalising the other protects."""
    by_name = dict(zip((each.name for each in facts), zip(facts, advice, strict=True), strict=True))
    for one, other in combinations(by_name, 2):
        pair = by_name[one], by_name[other]
        if _may_be_twins(*pair) and frame.select(pl.struct(one, other).n_unique()).item() == _kinds(pair[0][0]):
            second, first = sorted(pair, key=_dispensable, reverse=True)
            reason = f"says the same as {key(first[0].name)}, one to one, and would give it away"
            by_name[second[0].name] = (second[0], Advice(second[0].name, Role.IDENTIFIER, reason))
    return [each for _, each in by_name.values()]


Looked = tuple[Facts, Advice]


def _may_be_twins(one: Looked, other: Looked) -> bool:
    roles = {one[1].role, other[1].role}
    if Role.QUASI not in roles or roles & {Role.IDENTIFIER, Role.PERSON}:
        return False
    most = min(_MOST_TWINS, one[0].rows // 2)
    return 5 <= _kinds(one[0]) <= most and _kinds(one[0]) == _kinds(other[0])


def _kinds(facts: Facts) -> int:
    """How many different cells a column has, empty ones counted as one."""
    return facts.distinct + int(facts.missing > 0)


def _dispensable(looked: Looked) -> tuple[bool, bool]:
    """What is published as it is goes first, then numbers that stand for words."""
    facts, advice = looked
    return advice.role is not Role.QUASI, facts.form == "number"


def _with_a_quasi_identifier(facts: list[Facts], advice: list[Advice]) -> list[Advice]:
    """A plan needs one: the harmless column whose values are shared most, when no name or shape told of any."""
    harmless = [number for number, each in enumerate(advice) if _is_harmless(facts[number], each)]
    if not harmless or any(each.role is Role.QUASI for each in advice):
        return advice
    chosen = min(harmless, key=lambda number: facts[number].alone)
    reason = "nothing tells what others may know; a plan needs one column they may know"
    doubtful = Advice(facts[chosen].name, Role.QUASI, reason, SUPPRESSION, doubtful=True)
    return [doubtful if number == chosen else each for number, each in enumerate(advice)]


def _is_harmless(facts: Facts, advice: Advice) -> bool:
    """Whether the column would be published anyway and seems to name nobody."""
    unique_text = facts.form == "text" and facts.nearly_unique
    return advice.role in PUBLISHED and not unique_text and not names_a_person(facts.spoken)
