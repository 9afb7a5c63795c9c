"""Look at a table once and propose a plan: a role and a hierarchy for each column, each with its reason.

Claim. The proposal is a valid plan in which no cell of the table appears: it shows names of columns, counts, and
round widths chosen from the spread of a column, never a smallest, largest or frequent value. Doubt falls on the
side of privacy: a column that could name a person is removed, one that others could know is generalised.

Why it holds. What is measured of a column are counts, shares and lengths (`Facts`); advice is made from these and
from the column's name alone. Advice is only that: a program cannot know what others know about these people.

Cost. One count of distinct values a column, all columns together; everything else is asked of these counts.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import combinations, islice, takewhile
from pathlib import Path

import polars as pl

from openveil.core.errors import refuse
from openveil.core.schema import PUBLISHED, Role
from openveil.io.frames import take
from openveil.io.read import Source, read

_SHAPES = {
    "digits": r"^\d+$",
    "zeros": r"^0\d+$",
    "number": r"^[+-]?(\d+([.,]\d+)?|[.,]\d+)([eE][+-]?\d+)?$",
    "mail": r"^[^@\s]+@[^@\s]+\.[^@\s]+$",
    "phone": r"^\+?[\d ()/.-]{7,20}$",
    "parted": r"\d[ ()/.-]+\d",
}
# The share of the distinct values that must have a shape, where that is not all of them.
_MOSTLY = {"zeros": 1e-9, "mail": 0.5, "parted": 0.95}
_DATE_FORMATS = ("%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d", "%d-%m-%Y", "%Y%m%d")
_MOST_WIDTHS = 4
_MOST_TWINS = 10_000
_MANY_QUASI = 10
_FEW = 200
_NOT_KNOWN = ("?", "NA", "N/A", "n/a", "na", "NULL", "null", "NaN", "nan", "-", ".", "")

_NAMES_A_PERSON = re.compile(
    r"\b(ssn|social security|passport|iban|e ?mail|phone|telephone|telefon|mobile|cell ?phone|fax|surname|forename|"
    r"(last|first|full|given|family|middle|maiden|nick|user) ?name|vorname|nachname|prenom|apellidos?|street|strasse|"
    r"address|addr\b|licen[cs]e|number plate|account|credit ?card|card n|ip\b|url\b|login|mrn\b|nhs\b|imei|vin\b|"
    r"medical record|insurance (n|id)|tax (id|n)|device|serial|signature|photo|fingerprint|"
    r"(patient|person|customer|client|employee|student|member|contact|mother|father|spouse|doctor|physician)s? name)"
    r"|^names?$"
)
_PERSON = re.compile(
    r"\b(patient|person|subject|participant|respondent|member|customer|client|employee|student|pupil|citizen|"
    r"individual|user|insured|beneficiary|insurance|mrn|nhs|ssn|pid|uid|medical record)\b"
)
_NUMBERED = re.compile(r"\b(id|ids|nbr|nr|no|num|number|key|mrn|ssn|pid|uid|uuid|guid|nhs|identifier)\b")
_CODED = re.compile(r"\b(id|code|recode|type|class|group|category|status|flag|indicator|level)\b")
_POSTAL = re.compile(r"\b(zip|postal|post ?codes?|plz|postleitzahl|code postal|cap)\b")
_MEDICINE = re.compile(
    r"(formin|glinide|glitazone|gliptin|glipton|gliflozin|glitol|propamide|butamide|hexamide|zamide|examide|pizide|"
    r"buride|mepiride|statin|sartan|olol|pril|cillin|mycin|cycline|oxacin|azole|carbose|insulin)\b"
)
_SENSITIVE = (
    (
        re.compile(
            r"\b(diag|disease|illness|disorder|icd|hiv\b|aids\b|syndrome|cancer|tumou?r|symptom|treat|therap|medic|drug|"
            r"dose|prescri|procedure|num proc|surg|lab\b|glu\b|glucose|a1c|hba1c|cholest|blood|bmi\b|diabet|pregnan|"
            r"abort|mental|psych|depress|addict|alcohol|smok|disab|genetic|dna\b|death|died|mortal|readmi|health|"
            r"inpatient|outpatient|number (in|out)patient|emergency|krankheit)"
        ),
        "speaks of somebody's health",
    ),
    (
        re.compile(
            r"\b(income|salar|wage|earning|payroll|payment|capital|dividend|tax|debt|loan|credit|balance|asset|"
            r"wealth|benefit|welfare|pension|revenue|profit|rent\b|einkommen|gehalt)"
        ),
        "speaks of somebody's money",
    ),
    (
        re.compile(r"\b(relig|faith|church|belief|politic|party|vote|union|sexual|orientation|opinion)"),
        "speaks of somebody's beliefs or private life",
    ),
    (
        re.compile(r"\b(crim|convict|offen[cs]e|arrest|prison|suspect|score|grade\b|rating|unemploy|dismiss)"),
        "passes a judgement on somebody",
    ),
)
_KNOWN = (
    (
        re.compile(
            r"\b(age|dob|birth|born|sex|gender|race|ethnic\w*|hispanic\w*|language|geschlecht|alter|geburt\w*)\b"
        ),
        "people who meet somebody see it or know it",
    ),
    (
        re.compile(
            r"\b(nation|countr|citizen|city|town|village|municip|county|state\b|province|region|district|residence|"
            r"migrat|home|house\b|location|latitude|longitude|lat\b|lon\b|ort\b|land\b)"
        ),
        "says where somebody lives or comes from, which neighbours know",
    ),
    (
        re.compile(r"\b(famil|marit|marri|spouse|child|relation|household|parent)"),
        "says how somebody lives, which family and neighbours know",
    ),
    (
        re.compile(
            r"\b(educat|school|degree|universit|occupation|job\b|profession|employ|industr|work|veteran|milit|business)"
        ),
        "says what somebody has learnt or does, which colleagues know",
    ),
    (
        re.compile(r"\b(height|weight|hair|eye|admission|discharge|hospital|visit|date|year|month|time|hours)"),
        "can be observed by those who were there",
    ),
)

_TEXTS = (pl.String, pl.Categorical, pl.Enum)
_DATES = (pl.Date, pl.Datetime)


@dataclass(frozen=True, slots=True)
class Facts:
    """What was measured of one column: counts, shares of its distinct values, lengths; no value of a cell."""

    name: str
    form: str
    rows: int
    distinct: int
    missing: int
    marked: int = 0
    alone: int = 0
    spread: float = 0.0
    reach: float = 0.0
    whole: bool = False
    shortest: int = 0
    longest: int = 0
    words: float = 0.0
    shape: frozenset[str] = frozenset()
    date_format: str = ""
    headed: bool = False

    @property
    def spoken(self) -> str:
        """The name in lower-case words."""
        split = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", self.name)
        return re.sub(r"[\W_]+", " ", split).strip().lower()

    @property
    def is_number(self) -> bool:
        """Whether intervals of numbers make sense; digits with leading zeros are codes."""
        return self.form == "number" or ("number" in self.shape and "zeros" not in self.shape)

    @property
    def filled(self) -> int:
        """How many rows have a value."""
        return self.rows - self.missing

    @property
    def nearly_unique(self) -> bool:
        """Whether a good part of the rows has a value that no other row has, or hardly any other."""
        rare = self.distinct if self.distinct > _FEW else self.alone
        return self.distinct > 1 and 5 * rare >= max(1, self.filled)


@dataclass(frozen=True, slots=True)
class Advice:
    """What is proposed for one column, and why; `doubtful` asks the steward to look twice."""

    name: str
    role: Role
    reason: str
    hierarchy: str = ""
    hints: tuple[str, ...] = ()
    doubtful: bool = False


@dataclass(frozen=True, slots=True)
class Proposal:
    """A plan as proposed for one table: the advice for each column, and the text of the plan file."""

    path: str
    rows: int
    columns: tuple[Advice, ...]

    @property
    def text(self) -> str:
        """The plan as TOML, with the reason for each column above it."""
        return "".join(_rendered(self))


def scan(table: object, path_name: str = "") -> Proposal:
    """Propose a plan for a data frame or the file at a path; `path_name` is what the plan calls the file."""
    frame = read(Source(Path(table))) if isinstance(table, str | Path) else take(table)[0]
    if not frame.width or not frame.height:
        raise refuse("the table", "has no rows to look at", "Scan a file with a line of names and at least one row")
    facts = _measured(frame)
    _refuse_missing_header(facts)
    advice = [_advise(each) for each in facts]
    advice = _without_twins(frame, facts, _with_one_person(advice))
    return Proposal(path_name, frame.height, tuple(_with_a_quasi_identifier(facts, advice)))


def _measured(frame: pl.DataFrame) -> list[Facts]:
    """Every fact of every column: the distinct values are counted for all columns together, then looked at."""
    flat = [name for name, dtype in frame.schema.items() if _form(dtype) != "other"]
    lazy = frame.lazy()
    counting = [lazy.group_by(pl.col(name).alias("value")).agg(pl.len().alias("count")) for name in flat]
    counts = dict(zip(flat, pl.collect_all(counting), strict=True))
    return [_facts(name, frame.height, counts.get(name)) for name in frame.columns]


def _queries(name: str, dtype: pl.DataType) -> Iterator[tuple[str, pl.Expr]]:
    """What is asked of the distinct values of a column and how often each occurs."""
    value, count = pl.col("value"), pl.col("count")
    yield "missing", count.filter(value.is_null()).sum()
    yield "distinct", value.drop_nulls().len()
    yield "alone", (value.is_not_null() & (count == 1)).sum()
    if dtype.is_numeric():
        number = value.cast(pl.Float64).drop_nulls()
        yield "whole", (number % 1 == 0).all()
        yield "spread", number.quantile(0.99) - number.quantile(0.01)
        yield "reach", number.max() - number.min()
    elif dtype in _TEXTS:
        yield from _text_queries(value.cast(pl.String), count, name)


def _text_queries(value: pl.Expr, count: pl.Expr, name: str) -> Iterator[tuple[str, pl.Expr]]:
    marked = value.str.strip_chars().is_in(_NOT_KNOWN)
    known = value.filter(value.is_not_null() & ~marked).str.strip_chars()
    yield "marked", count.filter(marked).sum()
    yield "headed", (value == name).any()
    yield "shortest", known.str.len_chars().min()
    yield "longest", known.str.len_chars().max()
    yield "words", known.str.count_matches(r"\s+").mean()
    number = known.cast(pl.Float64, strict=False)
    yield "spread", number.quantile(0.99) - number.quantile(0.01)
    for shape, pattern in _SHAPES.items():
        yield f"is {shape}", known.str.contains(pattern).mean()
    for date_format in _DATE_FORMATS:
        yield f"date {date_format}", known.str.to_date(date_format, strict=False).is_not_null().mean()


def _facts(name: str, rows: int, counts: pl.DataFrame | None) -> Facts:
    if counts is None:
        return Facts(name, "other", rows, rows, 0, alone=rows)
    dtype = counts.schema["value"]
    found = counts.select(**dict(_queries(name, dtype))).row(0, named=True)
    number = {key: value or 0 for key, value in found.items()}
    formats = [key.removeprefix("date ") for key in found if key.startswith("date ") and number[key] == 1]
    return Facts(
        name=name,
        form=_form(dtype),
        rows=rows,
        distinct=number["distinct"],
        missing=number["missing"],
        marked=number.get("marked", 0),
        alone=number["alone"],
        spread=number.get("spread", 0.0),
        reach=number.get("reach", 0.0),
        whole=bool(number.get("whole", False)),
        shortest=number.get("shortest", 0),
        longest=number.get("longest", 0),
        words=number.get("words", 0) + 1,
        shape=frozenset(key for key in _SHAPES if number.get(f"is {key}", 0) >= _MOSTLY.get(key, 1)),
        date_format=formats[0] if formats else "",
        headed=bool(number.get("headed", False)),
    )


def _form(dtype: pl.DataType) -> str:
    if dtype.is_numeric():
        return "number"
    if dtype in _DATES:
        return "date"
    if dtype in _TEXTS:
        return "text"
    return "flag" if dtype == pl.Boolean else "other"


def _refuse_missing_header(facts: list[Facts]) -> None:
    """A first row of data taken for names would put somebody's values into the plan."""
    shapes = [_SHAPES["number"], _SHAPES["mail"], r"^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}$"]
    odd = sum(each.headed or any(re.match(shape, each.name) for shape in shapes) for each in facts)
    if (3 * odd >= len(facts) and odd > 1) or odd == len(facts):
        what = "the first line seems to hold data, not the names of the columns"
        raise refuse("the table", what, "Add a first line with names", found=f"{odd} of {len(facts)} look like data")


Judge = Callable[[Facts], Advice | None]


def _advise(facts: Facts) -> Advice:
    """The first rule that has something to say, and a word on cells that seem to mean 'not known'."""
    advice = next(filter(None, (judge(facts) for judge in _JUDGES)), None) or _of_the_rest(facts)
    if facts.marked and advice.role in PUBLISHED:
        marked = f"{facts.marked:,} cells seem to mean 'not known': see `missing` above."
        return replace(advice, hints=(*advice.hints, marked))
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
    named = _PERSON.search(facts.spoken) and _NUMBERED.search(facts.spoken)
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
    if _NAMES_A_PERSON.search(facts.spoken):
        return Advice(facts.name, Role.IDENTIFIER, "its name says that it names or reaches one person")
    return None


def _of_row_numbers(facts: Facts) -> Advice | None:
    numbered = _NUMBERED.search(facts.spoken)
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
    if facts.date_format and not ("digits" in facts.shape and _POSTAL.search(facts.spoken)):
        rule = _DATES_RULE.replace(" }", f", format = {json.dumps(facts.date_format)} }}")
        return Advice(facts.name, Role.QUASI, reason, rule, ("Check the order of day and month in `format`.",))
    return None


def _of_postal_codes(facts: Facts) -> Advice | None:
    code = "digits" in facts.shape and facts.shortest >= 4
    fixed = code and facts.shortest == facts.longest <= 10
    if _POSTAL.search(facts.spoken):
        reason = "a postal code says where somebody lives"
    elif code and ("zeros" in facts.shape or fixed) and not facts.nearly_unique:
        reason = "looks like a postal code, or a code built like one"
    else:
        return None
    return Advice(facts.name, Role.QUASI, reason, _MASKING_RULE)


def _of_sensitive_names(facts: Facts) -> Advice | None:
    for pattern, phrase in (*_SENSITIVE, (_MEDICINE, "is a medicine, which speaks of somebody's health")):
        if pattern.search(facts.spoken):
            hints = (_RARE_HINT,) if facts.nearly_unique else ()
            return Advice(facts.name, Role.SENSITIVE, f"{phrase}: nobody must learn it", hints=hints)
    return None


def _of_unique_values(facts: Facts) -> Advice | None:
    """Values that hardly any two rows share single people out, whatever they mean."""
    enough = facts.distinct > (_FEW if facts.form == "number" else 20)
    known = any(pattern.search(facts.spoken) for pattern, _ in _KNOWN) and facts.form == "text"
    if facts.nearly_unique and (enough or (facts.form == "text" and not known)):
        reason = f"nearly unique: {_share(facts.alone, facts.filled)} of the rows have a value no other row has"
        return Advice(facts.name, Role.IDENTIFIER, reason, doubtful=2 * facts.alone < facts.filled)
    if facts.form == "text" and facts.words > 5 and facts.longest > 60 and facts.distinct > 100:
        return Advice(facts.name, Role.IDENTIFIER, "looks like free text, which may name people or places")
    return None


def _of_known_names(facts: Facts) -> Advice | None:
    for pattern, phrase in _KNOWN:
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

_DATES_RULE = '{ kind = "dates", levels = ["month", "year", "10 years"] }'
_MASKING_RULE = '{ kind = "masking", side = "right" }'
_SUPPRESSION_RULE = '{ kind = "suppression" }'
_RARE_HINT = "Many rows have a value nobody else has: if others may know it, make it a quasi-identifier."
_GROUPING_HINT = "All or nothing as it stands. To keep more, write a taxonomy, as shown above."


def _quasi(facts: Facts, reason: str) -> Advice:
    """A quasi-identifier with the hierarchy its values allow."""
    if facts.is_number and not (_CODED.search(facts.spoken) and facts.distinct <= 1000):
        widths = widths_for(facts.spread, whole=facts.whole)
        if widths:
            return Advice(facts.name, Role.QUASI, reason, f'{{ kind = "intervals", widths = {_numbers(widths)} }}')
    hints = (_GROUPING_HINT,) if facts.distinct > 2 else ()
    return Advice(facts.name, Role.QUASI, reason, _SUPPRESSION_RULE, hints)


def widths_for(spread: float, *, whole: bool) -> tuple[Decimal, ...]:
    """Widths of 1, 2 or 5 times a power of ten, each a multiple of the one before, all below `spread`."""
    if not 0 < spread < math.inf:
        return ()
    limit = Decimal(spread)
    widths = islice(takewhile(lambda width: width < limit, _round_widths(limit / 20)), _MOST_WIDTHS)
    return tuple(width for width in widths if not whole or (width > 1 and width == int(width)))


def _round_widths(least: Decimal) -> Iterator[Decimal]:
    """Round numbers from `least` up, each a multiple of the one before: 5, 10, 20, 100, 200 ..."""
    power = Decimal(1).scaleb(least.adjusted())
    width = next(digit * power for digit in (1, 2, 5, 10) if digit * power >= least)
    while True:
        yield width
        width *= 5 if width.as_tuple().digits[0] == 2 else 2


def _numbers(widths: tuple[Decimal, ...]) -> str:
    return f"[{', '.join(f'{width.normalize():f}' for width in widths)}]"


def _share(part: int, whole: int) -> str:
    percent = 100 * part // max(1, whole)
    return f"{percent} %" if percent else "some"


def _with_one_person(advice: list[Advice]) -> list[Advice]:
    """Only one column can say who the person is: the first that seems to."""
    persons = [each.name for each in advice if each.role is Role.PERSON]
    reason = f"numbers persons too, as {_key(persons[0])} does, so it is removed" if persons else ""
    return [
        Advice(each.name, Role.IDENTIFIER, reason, doubtful=True) if each.name in persons[1:] else each
        for each in advice
    ]


def _without_twins(frame: pl.DataFrame, facts: list[Facts], advice: list[Advice]) -> list[Advice]:
    """Of two columns that say the same, one would undo what generalising the other protects."""
    by_name = dict(zip((each.name for each in facts), zip(facts, advice, strict=True), strict=True))
    for one, other in combinations(by_name, 2):
        pair = by_name[one], by_name[other]
        if _may_be_twins(*pair) and frame.select(pl.struct(one, other).n_unique()).item() == _kinds(pair[0][0]):
            second, first = sorted(pair, key=_dispensable, reverse=True)
            reason = f"says the same as {_key(first[0].name)}, one to one, and would give it away"
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
    """A plan needs one: the column whose values are shared most, when no name or shape told of any."""
    if any(each.role is Role.QUASI for each in advice):
        return advice
    chosen = min(range(len(advice)), key=lambda number: (advice[number].role not in PUBLISHED, facts[number].alone))
    reason = "nothing tells what others may know; a plan needs one column they may know"
    doubtful = Advice(facts[chosen].name, Role.QUASI, reason, _SUPPRESSION_RULE, doubtful=True)
    return [doubtful if number == chosen else each for number, each in enumerate(advice)]


_OPENING = """\
# A plan for openveil, proposed by `openveil scan` from {rows:,} rows. Read it before you publish.
# A program cannot know what others know about these people. You do. The role of a column decides:
#   identifier        removed            quasi-identifier  others may know it: generalised
#   person            counts persons     sensitive         nobody must learn it
#   other             published as it is
# Columns marked CHECK are guesses on the side of privacy.
"""
_TAXONOMY = """\
# Where a hierarchy is "suppression", a value is published exactly or not at all. A taxonomy of your own keeps more:
#   hierarchy = {{ kind = "taxonomy", tree = {{ "one group" = ["a value", "another"], "other" = ["a third"] }} }}
#   hierarchy = {{ kind = "taxonomy", file = "groups.toml" }}, when it is long; see `openveil explain taxonomy`
"""
_MANY = """\
# There are {count} quasi-identifiers. Beyond about {limit}, little detail survives and the search takes long: keep as
# quasi-identifiers what an outsider can really learn, and remove columns (identifier) nobody will analyse.
"""
_INPUT = """
[input]
path = {path}
# Cells that mean "not known", if they are not empty, are listed by their spelling:
# missing = ["?", "NA"]
"""
_CLOSING = """
# Every published combination of quasi-identifiers belongs to at least k persons. That alone does not hide a sensitive
# value which all of these persons share.
[privacy]
k-anonymity = {{ k = 5 }}

# The most rows that may be left out to keep more detail in the others.
[method]
name = "samarati"
max_suppressed = "2%"

[output]
folder = "release"
format = "{format}"
suppressed = "drop"
"""


def _rendered(proposal: Proposal) -> Iterator[str]:
    yield _OPENING.format(rows=proposal.rows)
    count = sum(advice.role is Role.QUASI for advice in proposal.columns)
    if count > _MANY_QUASI:
        yield _MANY.format(count=count, limit=_MANY_QUASI)
    if any(_GROUPING_HINT in advice.hints for advice in proposal.columns):
        yield _TAXONOMY.format()
    if proposal.path:
        yield _INPUT.format(path=_quoted(proposal.path))
    for advice in proposal.columns:
        yield "\n" + "\n".join(_of_advice(advice)) + "\n"
    parquet = proposal.path.lower().endswith((".parquet", ".pq"))
    yield _CLOSING.format(format="parquet" if parquet else "csv")


def _of_advice(advice: Advice) -> Iterator[str]:
    sentence = f"{advice.reason[0].upper()}{advice.reason[1:]}."
    yield f"# {'CHECK: ' if advice.doubtful else ''}{sentence}"
    yield from (f"# {hint}" for hint in advice.hints)
    yield f"[columns.{_key(advice.name)}]"
    yield f'role = "{advice.role}"'
    if advice.hierarchy:
        yield f"hierarchy = {advice.hierarchy}"


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _quoted(name)


def _quoted(text: str) -> str:
    """A TOML basic string, which escapes what JSON escapes and DEL too."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
