"""What is measured of each column of a table: the profile a proposal is made from.

Claim. `Facts` are counts, shares of the distinct values and lengths. No value of a cell is among them; only the
spellings of 'not known' that occur are named, and these come from fixed lists.

Why it holds. Everything is an aggregate of the distinct values of a column and how often each occurs; the marks
are the members of `MARKS` that were met, the codes those of `CODES`. A code seems to mean 'not known' if it is the
only negative number and the others span at most twice its size.

Cost. One count of distinct values a column, all columns together; everything else is asked of these counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import polars as pl

from openveil.core.errors import refuse
from openveil.hierarchies.spelling import natural_order

FEW = 200
MARKS = (
    *("?", "NA", "N/A", "n/a", "#N/A", "NULL", "null", "NaN", "nan", "", "na", "-", "--", "."),
    *("unknown", "Unknown", "UNKNOWN", "not known", "missing", "Missing", "None", "none", "unbekannt"),
    *("k.A.", "k. A.", "keine Angabe", "Keine Angabe", "o.A.", "o. A."),
)
CODES = (-99, -999, -9999)
_CODE_TEXTS = tuple(map(str, CODES))
_NUMBER_WITH_COMMA = r"^[+-]?(\d+([.,]\d+)?|[.,]\d+)([eE][+-]?\d+)?$"
_COMMA = r"[+-]?\d*,\d+"
_GROUPED = r"[+-]?\d{1,3}([.' ]\d{3})+,\d+|[+-]?\d{1,3}([,' ]\d{3})+(\.\d+)?|[+-]?\d{1,3}([.' ]\d{3}){2,}"
_BOUND = r"\d+(\.\d+)?"
_LIMITS = rf"[\[(]\s*{_BOUND}\s*[,;]\s*{_BOUND}\s*[\])]"
_BELOW = r"(<=?|≤|under|below|less than|up to|unter|bis)"
_ABOVE = r"(>=?|≥|over|above|more than|from|über|ab)"
_OPEN = rf"({_BELOW}|{_ABOVE})\s*{_BOUND}|{_BOUND}\s*(\+|(and|or|und|oder) (over|more|older|above|mehr|älter))"
_SHAPES = {
    "digits": r"^\d+$",
    "zeros": r"^0\d+$",
    "number": r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?$",
    "mail": r"^[^@\s]+@[^@\s]+\.[^@\s]+$",
    "phone": r"^\+?[\d ()/.-]{7,20}$",
    "parted": r"\d[ ()/.-]+\d",
    "pair": r"^([A-Z]{2}|[a-z]{2})$",
    "plus": r"^\+$",
    "code": r"^\S*\d\S*$",
    "named": r"^(\p{Lu}[\w.'-]*,? )+\p{Lu}[\w.'-]*$",
    "comma": rf"^{_COMMA}$|^[+-]?\d+$",
    "broken": rf"^{_COMMA}$",
    "thousands": rf"^({_GROUPED})$",
    "grouped": rf"^({_GROUPED}|{_COMMA}|[+-]?\d+\.?\d*)$",
    "band": rf"^([\[(]?\s*{_BOUND}\s*(-|\u2013|to|bis|until)\s*{_BOUND}\s*[\])]?|{_LIMITS}|{_OPEN})$",
}
# The share of the distinct values that must have a shape, where that is not all of them.
_MOSTLY = {
    "zeros": 1e-9,
    "plus": 1e-9,
    "mail": 0.5,
    "parted": 0.95,
    "code": 0.95,
    "named": 0.8,
    "broken": 1e-9,
    "thousands": 1e-9,
}
_DAYS = ("%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d", "%d-%m-%Y")
_CLOCKS = (" %H:%M", " %H:%M:%S", "T%H:%M", "T%H:%M:%S")
_DATE_FORMATS = (*_DAYS, "%Y%m%d", *(day + clock for clock in _CLOCKS for day in _DAYS))
_LARGEST_CODE, _LONGEST_CODE = 10**15, 20
# More groups than these are not an ordered classification that somebody made.
_MOST_BANDS = 50
# A column is nearly of numbers or dates if it has so many of them, and hardly another value.
_FEWEST_ALIKE, _MOST_STRAYS = 10, 2
# A year before this one is one of two digits that was not meant so.
_FIRST_YEAR = 1100
_TEXTS = (pl.String, pl.Categorical, pl.Enum)
_DATES = (pl.Date, pl.Datetime)


@dataclass(frozen=True, slots=True)
class Facts:
    """What was measured of one column: counts, shares of its distinct values, lengths; no value of a cell.

    Shapes, lengths and `date_format` are those of the cells that are not marks; `marked` counts the cells that are.
    `codes` are the numbers that often mean 'not known', `code` the one that seems to, in `coded` rows and, if
    `is_spelled`, written like that. All values but `strays` are `nearly` of some kind, if that says one.
    """

    name: str
    form: str
    rows: int
    distinct: int
    missing: int
    marked: int = 0
    marks: frozenset[str] = frozenset()
    alone: int = 0
    spread: float = 0.0
    reach: float = 0.0
    whole: bool = False
    maskable: bool = False
    shortest: int = 0
    longest: int = 0
    words: float = 0.0
    shape: frozenset[str] = frozenset()
    date_format: str = ""
    headed: bool = False
    ordered: bool = False
    codes: frozenset[str] = frozenset()
    code: str = ""
    coded: int = 0
    is_spelled: bool = False
    nearly: str = ""
    strays: int = 0

    @property
    def spoken(self) -> str:
        """The name in lower-case words."""
        split = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", self.name)
        return re.sub(r"[\W_]+", " ", split).strip().lower()

    @property
    def is_number(self) -> bool:
        """Whether intervals of numbers make sense; digits with leading zeros are codes."""
        written = "number" in self.shape and "zeros" not in self.shape and not self.marked
        return self.form == "number" or written

    @property
    def is_measured(self) -> bool:
        """Whether its cells, marks aside, are numbers or dates held as text."""
        return "number" in self.shape or bool(self.date_format) or self.has_decimal_comma

    @property
    def is_key(self) -> bool:
        """Whether the values could be numbers or codes given out one by one: no decimals, no words, no dates."""
        if self.form == "number":
            return self.whole and self.maskable
        decimal = {"number", "comma", "grouped"} & self.shape and "digits" not in self.shape
        return self.form == "text" and "code" in self.shape and not (decimal or self.date_format)

    @property
    def is_banded(self) -> bool:
        """Whether the values are ordered groups of numbers, such as `20 to 29`."""
        return "band" in self.shape and 2 < self.distinct <= _MOST_BANDS and not self.marked

    @property
    def has_decimal_comma(self) -> bool:
        """Whether the values are numbers, some of them with a decimal comma and none with a mark of thousands."""
        return {"comma", "broken"} <= self.shape and "thousands" not in self.shape

    @property
    def has_thousands(self) -> bool:
        """Whether the values are numbers, some of them with a mark of thousands."""
        return {"grouped", "thousands"} <= self.shape

    @property
    def filled(self) -> int:
        """How many rows have a value."""
        return self.rows - self.missing

    @property
    def nearly_unique(self) -> bool:
        """Whether a good part of the rows has a value that no other row has, or hardly any other."""
        rare = self.distinct if self.distinct > FEW else self.alone
        return self.distinct > 1 and 5 * rare >= max(1, self.filled)


def profiled(frame: pl.DataFrame) -> list[Facts]:
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
        yield from _code_queries(number)
        coded = value.cast(pl.Float64).is_in(list(map(float, CODES)))
        yield "coded", count.filter(coded).sum()
        yield "codes", value.filter(coded).cast(pl.Int64).cast(pl.String).implode()
        digits = value.drop_nulls().cast(pl.Int64, strict=False).cast(pl.String).str.len_chars()
        yield "shortest", digits.min()
        yield "longest", digits.max()
        yield "maskable", ((number % 1 == 0) & number.is_between(0, _LARGEST_CODE)).all()
    elif dtype in _TEXTS:
        yield from _text_queries(value.cast(pl.String), count, name)


def _code_queries(number: pl.Expr) -> Iterator[tuple[str, pl.Expr]]:
    """What tells whether the least of the numbers stands for 'not known'."""
    others = number.filter(number >= 0)
    yield "least", number.min()
    yield "negative", (number < 0).sum()
    yield "others", others.max() - others.min()


def _text_queries(value: pl.Expr, count: pl.Expr, name: str) -> Iterator[tuple[str, pl.Expr]]:
    marked = value.str.strip_chars().is_in(MARKS)
    known = value.filter(value.is_not_null() & ~marked).str.strip_chars()
    yield "marked", count.filter(marked).sum()
    yield "marks", value.filter(marked).str.strip_chars().unique().implode()
    yield "maskable", (~value.str.contains("*", literal=True) & (value.str.len_chars() <= _LONGEST_CODE)).all()
    yield "headed", (value == name).any()
    yield "shortest", known.str.len_chars().min()
    yield "longest", known.str.len_chars().max()
    yield "words", known.str.count_matches(r"\s+").mean()
    number = known.cast(pl.Float64, strict=False)
    yield "spread", number.quantile(0.99) - number.quantile(0.01)
    yield from _code_queries(number)
    yield "known", known.len()
    yield "coded", count.filter(value.str.strip_chars().is_in(_CODE_TEXTS)).sum()
    yield "codes", known.filter(known.is_in(_CODE_TEXTS) & number.is_not_null().all()).unique().implode()
    for shape, pattern in _SHAPES.items():
        yield f"is {shape}", known.str.contains(pattern).mean()
    for date_format in _DATE_FORMATS:
        year = known.str.to_date(date_format, strict=False).dt.year()
        yield f"date {date_format}", (year >= _FIRST_YEAR).fill_null(value=False).mean()


def _facts(name: str, rows: int, counts: pl.DataFrame | None) -> Facts:
    if counts is None:
        return Facts(name, "other", rows, rows, 0, alone=rows)
    dtype = counts.schema["value"]
    found = counts.select(**dict(_queries(name, dtype))).row(0, named=True)
    number = {key: value or 0 for key, value in found.items()}
    codes, code = frozenset(found.get("codes", ())), _code(number)
    nearly, strays = _nearly(number)
    formats = [key.removeprefix("date ") for key in found if key.startswith("date ") and number[key] == 1]
    return Facts(
        name=name,
        form=_form(dtype),
        rows=rows,
        distinct=number["distinct"],
        missing=number["missing"],
        marked=number.get("marked", 0),
        marks=frozenset(found.get("marks", ())),
        alone=number["alone"],
        spread=number.get("spread", 0.0),
        reach=number.get("reach", 0.0),
        whole=bool(number.get("whole", False)),
        maskable=bool(number.get("maskable", False)),
        shortest=number.get("shortest", 0),
        longest=number.get("longest", 0),
        words=number.get("words", 0) + 1,
        shape=frozenset(key for key in _SHAPES if number.get(f"is {key}", 0) >= _MOSTLY.get(key, 1)),
        date_format=formats[0] if formats else "",
        headed=bool(number.get("headed", False)),
        ordered=bool(number.get("is band", 0) == 1 and _in_order(counts["value"])),
        codes=codes,
        code=code if code in codes else "",
        coded=number.get("coded", 0),
        is_spelled=not dtype.is_float(),
        nearly=nearly,
        strays=strays,
    )


def _code(number: Mapping[str, float]) -> str:
    """The least number of a column if it seems to mean 'not known'."""
    least = number.get("least", 0)
    stands_out = number.get("negative") == 1 and 0 < number.get("others", 0) <= -2 * least
    return str(int(least)) if stands_out and least in CODES else ""


def _nearly(number: Mapping[str, float]) -> tuple[str, int]:
    """What all values of a text column but very few are, and how many those few are."""
    kinds = {"is number": "numbers", "is comma": "numbers with a decimal comma"}
    kinds |= {f"date {each}": f"dates written {each}" for each in _DATE_FORMATS}
    known = number.get("known", 0)
    strays = {kind: round((1 - number.get(key, 0)) * known) for key, kind in kinds.items()}
    nearest = min(strays, key=strays.__getitem__)
    close = 0 < strays[nearest] <= min(_MOST_STRAYS, known - _FEWEST_ALIKE)
    return (nearest, strays[nearest]) if close else ("", 0)


def _in_order(values: pl.Series) -> bool:
    """Whether the order in which `ordering` takes groups of numbers is the order of these numbers."""
    groups = values.drop_nulls().cast(pl.String)
    if len(groups) > _MOST_BANDS:
        return False
    text = pl.DataFrame({"group": groups.gather(natural_order(groups)).str.strip_chars()})
    least = pl.col("group").str.extract(rf"({_BOUND})").cast(pl.Float64)
    open_below = pl.col("group").str.contains(rf"^{_BELOW}")
    open_above = pl.col("group").str.contains(rf"^{_ABOVE}|\+$")
    place = pl.struct(pl.when(open_below).then(0).when(open_above).then(2).otherwise(1).alias("side"), least)
    return bool(text.select(place.rank("dense").diff().drop_nulls().gt(0).all()).item())


def _form(dtype: pl.DataType) -> str:
    if dtype.is_numeric():
        return "number"
    if dtype in _DATES:
        return "date"
    if dtype in _TEXTS:
        return "text"
    return "flag" if dtype == pl.Boolean else "other"


def refuse_missing_header(facts: list[Facts]) -> None:
    """A first row of data taken for names would put somebody's values into the plan."""
    shapes = [_NUMBER_WITH_COMMA, _SHAPES["mail"], r"^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}$"]
    odd = sum(each.headed or any(re.match(shape, each.name) for shape in shapes) for each in facts)
    if (3 * odd >= len(facts) and odd > 1) or odd == len(facts):
        what = "the first line seems to hold data, not the names of the columns"
        raise refuse("the table", what, "Add a first line with names", found=f"{odd} of {len(facts)} look like data")
