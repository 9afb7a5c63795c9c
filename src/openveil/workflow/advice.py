"""What is proposed for one column: a role, a hierarchy, and the reason.

Claim. Doubt falls on the side of privacy: a column that could name a person is removed, one that others could know
is generalised. A hierarchy is proposed only if it covers every cell of the column, so that a plan can be published
as proposed. Reasons and hierarchies hold names, counts and round widths, never a smallest, largest or frequent value.

Why it holds. Advice is made from `Facts` and the column's name alone. The first rule that has something to say
decides, from what would do most harm if overlooked to what would do least. Advice is only that: a program cannot
know what others know about these people.

Cost. A few patterns over one name.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal

from openveil.core.schema import PUBLISHED, Role
from openveil.workflow.name_clues import (
    CODED,
    KNOWN,
    MEDICINE,
    NAMES_A_PERSON,
    NUMBERED,
    PERSON,
    POSTAL,
    SENSITIVE,
)
from openveil.workflow.not_known import seem_not_known
from openveil.workflow.profile import FEW, Facts
from openveil.workflow.widths import widths_for

_DATES_RULE = '{ kind = "dates", levels = ["month", "year", "10 years"] }'
_MASKING_RULE = '{ kind = "masking", side = "right" }'
SUPPRESSION = '{ kind = "suppression" }'
_RARE_HINT = "Many rows have a value nobody else has: if others may know it, make it a quasi-identifier."
_MARKED_HINT = (
    "{count:,} cells seem to mean 'not known'. If they do, empty them or list them in `missing` of [input]."
)
GROUPING_HINT = "All or nothing as it stands. To keep more, write a taxonomy, as shown above."


@dataclass(frozen=True, slots=True)
class Advice:
    """What is proposed for one column, and why; `doubtful` asks the steward to look twice."""

    name: str
    role: Role
    reason: str
    hierarchy: str = ""
    hints: tuple[str, ...] = ()
    doubtful: bool = False


Judge = Callable[[Facts], Advice | None]


def advise(facts: Facts) -> Advice:
    """The first rule that has something to say, and a word on cells that seem to mean 'not known'."""
    advice = next(filter(None, (judge(facts) for judge in _JUDGES)), None) or _of_the_rest(facts)
    if seem_not_known(facts) and advice.role in PUBLISHED:
        return replace(advice, hints=(*advice.hints, _MARKED_HINT.format(count=facts.marked)))
    return advice


def _of_strange_types(facts: Facts) -> Advice | None:
    if facts.form == "other":
        return Advice(facts.name, Role.IDENTIFIER, "its type cannot be generalised, so it is removed", doubtful=True)
    return None


def _of_single_values(facts: Facts) -> Advice | None:
    if facts.distinct == 0:
        return Advice(facts.name, Role.OTHER, "every cell is empty")
    if facts.distinct == 1 and not facts.missing:
        return Advice(facts.name, Role.OTHER, "all rows have the same value, which tells nobody apart")
    return None


def _of_persons(facts: Facts) -> Advice | None:
    """A number that stands for a person; whether a person has several rows decides the role."""
    named = PERSON.search(facts.spoken) and NUMBERED.search(facts.spoken)
    if not named or 100 * facts.distinct < facts.rows:
        return None
    if facts.distinct < facts.filled:
        reason = "numbers the persons, and some have several rows: persons are counted, not only rows"
        return Advice(facts.name, Role.PERSON, reason)
    return Advice(facts.name, Role.IDENTIFIER, "numbers the persons, one row each")


def _of_direct_identifiers(facts: Facts) -> Advice | None:
    if "mail" in facts.shape:
        return Advice(facts.name, Role.IDENTIFIER, "looks like e-mail addresses")
    if {"phone", "parted"} <= facts.shape and facts.shortest >= 9 and not facts.date_format:
        return Advice(facts.name, Role.IDENTIFIER, "looks like telephone or account numbers")
    if NAMES_A_PERSON.search(facts.spoken):
        return Advice(facts.name, Role.IDENTIFIER, "its name says that it names or reaches one person")
    return None


def _of_row_numbers(facts: Facts) -> Advice | None:
    numbered = NUMBERED.search(facts.spoken)
    if numbered and (facts.nearly_unique or facts.distinct >= 1000):
        return Advice(facts.name, Role.IDENTIFIER, "numbers something, and hardly any two rows share a number")
    counted = facts.form == "number" and facts.whole and facts.distinct == facts.filled == facts.reach + 1
    if facts.rows > 1 and counted:
        return Advice(facts.name, Role.IDENTIFIER, "counts the rows: their order may say who they are")
    return None


def _of_dates(facts: Facts) -> Advice | None:
    reason = "dates, of birth above all, are known to many others"
    if facts.form == "date":
        return Advice(facts.name, Role.QUASI, reason, _DATES_RULE)
    coded = "digits" in facts.shape and POSTAL.search(facts.spoken)
    if not facts.date_format or coded:
        return None
    if facts.marked:
        return Advice(facts.name, Role.QUASI, reason, SUPPRESSION)
    rule = _DATES_RULE.replace(" }", f", format = {json.dumps(facts.date_format)} }}")
    return Advice(facts.name, Role.QUASI, reason, rule, ("Check the order of day and month in `format`.",))


def _of_postal_codes(facts: Facts) -> Advice | None:
    code = "digits" in facts.shape and facts.shortest >= 4
    fixed = code and facts.shortest == facts.longest <= 10
    if POSTAL.search(facts.spoken):
        reason = "a postal code says where somebody lives"
    elif code and ("zeros" in facts.shape or fixed) and not facts.nearly_unique:
        reason = "looks like a postal code, or a code built like one"
    else:
        return None
    return Advice(facts.name, Role.QUASI, reason, _MASKING_RULE if facts.maskable else SUPPRESSION)


def _of_sensitive_names(facts: Facts) -> Advice | None:
    for pattern, phrase in (*SENSITIVE, (MEDICINE, "is a medicine, which speaks of somebody's health")):
        if pattern.search(facts.spoken):
            hints = (_RARE_HINT,) if facts.nearly_unique else ()
            return Advice(facts.name, Role.SENSITIVE, f"{phrase}: nobody must learn it", hints=hints)
    return None


def _of_unique_values(facts: Facts) -> Advice | None:
    """Values that hardly any two rows share single people out, whatever they mean."""
    enough = facts.distinct > (FEW if facts.form == "number" else 20)
    known = any(pattern.search(facts.spoken) for pattern, _ in KNOWN) and facts.form == "text"
    if facts.nearly_unique and (enough or (facts.form == "text" and not known)):
        reason = f"nearly unique: {_share(facts.alone, facts.filled)} of the rows have a value no other row has"
        return Advice(facts.name, Role.IDENTIFIER, reason, doubtful=2 * facts.alone < facts.filled)
    if facts.form == "text" and facts.words > 5 and facts.longest > 60 and facts.distinct > 100:
        return Advice(facts.name, Role.IDENTIFIER, "looks like free text, which may name people or places")
    return None


def _of_known_names(facts: Facts) -> Advice | None:
    for pattern, phrase in KNOWN:
        if pattern.search(facts.spoken):
            return _quasi(facts, phrase)
    return None


def _of_the_rest(facts: Facts) -> Advice:
    return replace(_quasi(facts, "could be known to others; to be safe it is treated as if it were"), doubtful=True)


_JUDGES: tuple[Judge, ...] = (
    _of_strange_types,
    _of_single_values,
    _of_persons,
    _of_direct_identifiers,
    _of_row_numbers,
    _of_dates,
    _of_postal_codes,
    _of_sensitive_names,
    _of_unique_values,
    _of_known_names,
)


def _quasi(facts: Facts, reason: str) -> Advice:
    """A quasi-identifier with the hierarchy its values allow."""
    if facts.is_number and math.isfinite(facts.reach) and not (CODED.search(facts.spoken) and facts.distinct <= 1000):
        widths = widths_for(facts.spread, whole=facts.whole)
        if widths:
            return Advice(facts.name, Role.QUASI, reason, f'{{ kind = "intervals", widths = {_numbers(widths)} }}')
    hints = (GROUPING_HINT,) if facts.distinct > 2 else ()
    return Advice(facts.name, Role.QUASI, reason, SUPPRESSION, hints)


def _numbers(widths: tuple[Decimal, ...]) -> str:
    return f"[{', '.join(f'{width.normalize():f}' for width in widths)}]"


def _share(part: int, whole: int) -> str:
    percent = 100 * part // max(1, whole)
    return f"{percent} %" if percent else "some"
