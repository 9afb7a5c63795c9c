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
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from openveil.core.schema import PUBLISHED, Role
from openveil.workflow.name_clues import (
    CASE,
    CODED,
    FREE_TEXT,
    KNOWN,
    MEDICINE,
    NAMES_A_PERSON,
    NAMES_SOMEBODY,
    NAMES_SOMETHING,
    NO_PERSON,
    NUMBERED,
    PERSON,
    POSTAL,
    SENSITIVE,
    names_a_person,
)
from openveil.workflow.not_known import seem_not_known
from openveil.workflow.profile import FEW, Facts
from openveil.workflow.widths import widths_for

_DATES_RULE = '{ kind = "dates", levels = ["month", "year", "10 years"] }'
_MASKING_RULE = '{ kind = "masking", side = "right" }'
_PADDED_RULE = '{ kind = "masking", side = "right", pad_to = 5 }'
_PADDED_HINT = (
    "Some codes are shorter than 5 digits: their leading zeros seem lost, as spreadsheets lose them. `pad_to` gives "
    "them back; take it out if codes of different lengths are right."
)
_BANDS_HINT = (
    "Its values are ordered groups already, and neighbouring groups are joined. Labels are made of the names of "
    "groups, which are categories and nobody's own value."
)
_ORDER_HINT = (
    'To join neighbouring groups: hierarchy = { kind = "ordering", sizes = [2, 2], order = ["first", "next", ...] } '
    "with the groups from least to greatest; or write a taxonomy."
)
_WORDS_HINT = "If it only holds a few categories that name nobody, give it another role."
_PERSON_HINT = "If it does not say who the person is, make it an identifier: `person` is for one column at most."
_THOUSANDS_HINT = (
    "Its numbers seem to have marks of thousands, as 1.000 or 1,000: remove these marks from the file, and numbers "
    "can be read as such."
)
_COMMA_HINT = (
    "Its numbers have a decimal comma and stay text, as other columns have a decimal point, or the table was not "
    "read from a text file. Write the numbers of all columns with a point, and these can be read as such."
)
SENSITIVE_MEANS = "published as it is; what nobody should learn of a person"
SUPPRESSION = '{ kind = "suppression" }'
_RARE_HINT = "Many rows have a value nobody else has: if others may know it, make it a quasi-identifier."
_MARKED_HINT = (
    "{count:,} cells seem to mean 'not known'. If they do, empty them or list them in `missing` of [input]."
)
_CODED_HINT = (
    "{count:,} cells hold {code}, the only negative number. If it means 'not known', empty these cells, or list its "
    "spelling in `missing` of [input] and scan again."
)
_STRAY_HINT = (
    "All distinct values but {count} are {kind}. If what remains means 'not known', list its spelling in `missing` "
    "of [input] and scan again: openveil scan --missing SPELLING"
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
    """The first rule that has something to say, and a word on cells that may be read in another way."""
    advice = next(filter(None, (judge(facts) for judge in _JUDGES)), None) or _of_the_rest(facts)
    return replace(advice, hints=(*advice.hints, *_readings(facts, published=advice.role in PUBLISHED)))


def _readings(facts: Facts, *, published: bool) -> Iterator[str]:
    """Hints on numbers that are not read as such, and on cells that seem to mean 'not known'."""
    if facts.has_thousands or facts.has_decimal_comma:
        yield _THOUSANDS_HINT if facts.has_thousands else _COMMA_HINT
    if seem_not_known(facts) and published:
        yield _MARKED_HINT.format(count=facts.marked)
    if facts.code and published:
        yield _CODED_HINT.format(count=facts.coded, code=facts.code)
    if facts.nearly:
        yield _STRAY_HINT.format(count=facts.strays, kind=facts.nearly)


def _of_strange_types(facts: Facts) -> Advice | None:
    if facts.form == "other":
        return Advice(facts.name, Role.IDENTIFIER, "its type cannot be generalised, so it is removed", doubtful=True)
    return None


def _of_single_values(facts: Facts) -> Advice | None:
    if facts.distinct == 0:
        return Advice(facts.name, Role.OTHER, "every cell is empty")
    if facts.distinct == 1 and not facts.missing:
        if names_a_person(facts.spoken):
            return Advice(facts.name, Role.IDENTIFIER, "its name says that it names somebody, the same in all rows")
        return Advice(facts.name, Role.OTHER, "all rows have the same value, which tells nobody apart")
    return None


def _of_persons(facts: Facts) -> Advice | None:
    """A number that stands for a person; whether a person has several rows decides the role."""
    person, numbered = PERSON.search(facts.spoken), NUMBERED.search(facts.spoken)
    named = (person and (numbered or (facts.is_key and facts.distinct > 20))) or CASE.search(facts.spoken)
    if not named or 100 * facts.distinct < facts.rows:
        return None
    if facts.distinct < facts.filled:
        return _person(facts, "numbers the persons, and some have several rows")
    return Advice(facts.name, Role.IDENTIFIER, "numbers the persons, one row each")


def _person(facts: Facts, reason: str) -> Advice:
    reason = f"{reason}: if each value is one person, persons are counted, not only rows"
    return Advice(facts.name, Role.PERSON, reason, hints=(_PERSON_HINT,), doubtful=True)


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
        if _repeats(facts) and not NO_PERSON.search(facts.spoken):
            return _person(facts, f"numbers something, in {facts.distinct:,} values over {facts.filled:,} rows")
        return Advice(facts.name, Role.IDENTIFIER, "numbers something, and its values single out a few rows each")
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


def _of_words(facts: Facts) -> Advice | None:
    """Names of people and free text, told by the name of the column."""
    if facts.form != "text" or facts.is_measured:
        return None
    if FREE_TEXT.search(facts.spoken):
        reason = "its name says free text, which may name people or places"
    elif NAMES_SOMEBODY.search(facts.spoken) and not (facts.distinct <= 2 and facts.longest <= 5):
        reason = "its name says that it may name somebody: this person, or one who treats them"
    else:
        return None
    return Advice(facts.name, Role.IDENTIFIER, reason, hints=(_WORDS_HINT,), doubtful=True)


def _of_postal_codes(facts: Facts) -> Advice | None:
    code = "digits" in facts.shape and facts.shortest >= 4
    fixed = code and facts.shortest == facts.longest <= 10
    if POSTAL.search(facts.spoken):
        reason = "a postal code says where somebody lives"
    elif code and ("zeros" in facts.shape or fixed) and not facts.nearly_unique:
        reason = "looks like a postal code, or a code built like one"
    else:
        return None
    if facts.longest == 5 and facts.shortest in {3, 4} and POSTAL.search(facts.spoken) and _are_digits(facts):
        return Advice(facts.name, Role.QUASI, reason, _PADDED_RULE, (_PADDED_HINT,))
    return Advice(facts.name, Role.QUASI, reason, _MASKING_RULE if facts.maskable else SUPPRESSION)


def _are_digits(facts: Facts) -> bool:
    return facts.maskable and not facts.marked and (facts.form == "number" or "digits" in facts.shape)


def _of_sensitive_names(facts: Facts) -> Advice | None:
    for pattern, phrase in (*SENSITIVE, (MEDICINE, "is a medicine, which speaks of somebody's health")):
        if pattern.search(facts.spoken):
            hints = (_RARE_HINT,) if facts.nearly_unique else ()
            return Advice(facts.name, Role.SENSITIVE, f"{phrase}: {SENSITIVE_MEANS}", hints=hints)
    return None


def _of_unique_values(facts: Facts) -> Advice | None:
    """Values that hardly any two rows share single people out, whatever they mean."""
    enough = facts.distinct > (FEW if facts.form == "number" else 20)
    known = _is_known(facts) and facts.form == "text"
    if facts.nearly_unique and enough and facts.is_key and _repeats(facts) and not _is_no_key(facts):
        return _person(facts, f"looks like a key, with {facts.distinct:,} values over {facts.filled:,} rows")
    if facts.nearly_unique and (enough or (facts.form == "text" and not known)):
        reason = f"nearly unique: {_share(facts.alone, facts.filled)} of the rows have a value no other row has"
        return Advice(facts.name, Role.IDENTIFIER, reason, doubtful=2 * facts.alone < facts.filled)
    if facts.form == "text" and facts.words > 5 and facts.longest > 60 and facts.distinct > 100:
        return Advice(facts.name, Role.IDENTIFIER, "looks like free text, which may name people or places")
    return None


def _repeats(facts: Facts) -> bool:
    """Whether a good share of the rows has a value that another row has too."""
    return 20 * (facts.filled - facts.alone) >= facts.filled and facts.distinct > 20


def _is_known(facts: Facts) -> bool:
    return any(pattern.search(facts.spoken) for pattern, _ in KNOWN)


def _is_no_key(facts: Facts) -> bool:
    return _is_known(facts) or bool(NO_PERSON.search(facts.spoken))


def _of_wordy_cells(facts: Facts) -> Advice | None:
    """Cells of several words, many of them different: names of people, or free text."""
    if facts.form != "text" or facts.is_measured or _is_known(facts):
        return None
    if "named" in facts.shape and facts.distinct > 20:
        reason = "its cells look like names, of people perhaps"
    elif facts.words >= 2.5 and facts.distinct > 50:
        reason = "its cells are several words each and differ much, like free text"
    elif NAMES_SOMETHING.search(facts.spoken) and facts.distinct > 20:
        reason = "its name says that it holds names, of people perhaps"
    else:
        return None
    return Advice(facts.name, Role.IDENTIFIER, reason, hints=(_WORDS_HINT,), doubtful=True)


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
    _of_words,
    _of_postal_codes,
    _of_sensitive_names,
    _of_unique_values,
    _of_wordy_cells,
    _of_known_names,
)


def _quasi(facts: Facts, reason: str) -> Advice:
    """A quasi-identifier with the hierarchy its values allow."""
    if facts.is_number and math.isfinite(facts.reach) and not (CODED.search(facts.spoken) and facts.distinct <= 1000):
        widths = widths_for(facts.spread, whole=facts.whole)
        if widths:
            return Advice(facts.name, Role.QUASI, reason, f'{{ kind = "intervals", widths = {_numbers(widths)} }}')
    if facts.is_banded:
        return _of_bands(facts, reason)
    hints = (GROUPING_HINT,) if facts.distinct > 2 else ()
    return Advice(facts.name, Role.QUASI, reason, SUPPRESSION, hints)


def _of_bands(facts: Facts, reason: str) -> Advice:
    """Groups of numbers with an order; only numbers themselves would show a person's value in a label."""
    if not facts.ordered:
        return Advice(facts.name, Role.QUASI, reason, SUPPRESSION, (_ORDER_HINT,))
    sizes = "[2]" if facts.distinct <= 4 else "[2, 2]"
    return Advice(facts.name, Role.QUASI, reason, f'{{ kind = "ordering", sizes = {sizes} }}', (_BANDS_HINT,))


def _numbers(widths: tuple[Decimal, ...]) -> str:
    return f"[{', '.join(f'{width.normalize():f}' for width in widths)}]"


def _share(part: int, whole: int) -> str:
    percent = 100 * part // max(1, whole)
    return f"{percent} %" if percent else "some"
