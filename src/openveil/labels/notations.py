"""How programs write what they generalised: one function a notation.

Claim. Each function gives what a text stands for when it is written in its notation, and None when it is not.
`readings` gives all that a text may stand for; a text with several is not read, for nobody can say which was meant.

Which programs. ARX writes `[20, 30[`, `<20`, `>=50`, `{a, b}`, `021**` and `*`; sdcMicro `(20,30]`, also with
exponents, and NA; Amnesia `20-30`, dates with slashes, `021**`; anjana `[20, 30)`; implementations of Mondrian
`20~30`, `20-30`, `a~b` and `a,b`, anonypy in a list of one text; others `20 to 29`, `20..29`, `50+`, `a|b`.

Why it holds. Where a sign may part two ends, every place it stands at is tried, so that `-5--1` is the span from -5
to -1. An interval whose ends are reversed stands for nothing.

Cost. Microseconds a text.

Source. The source code and the manuals of these programs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from fractions import Fraction

from openveil.labels.meaning import ANY, HIDDEN, Meaning, OneOf, Pattern, Span
from openveil.labels.scales import Place, Scale

Notation = Callable[[str, Scale], Iterator[Meaning]]

# What programs write in place of a value that is not there.
MARKS = frozenset({"", "NA", "<NA>", "N/A", "n/a", "NaN", "nan", "NULL", "null", "(null)", "None", "NaT", "?"})

_LONGEST = 2_000
_BRACKETS = re.compile(r"([\[\](])\s*(.*?)\s*([\[\])])")
_PARTED = re.compile(r"\s*(?:-|\u2013|\u2014|\.\.\.?|~|\u2026|\bto\b|\bbis\b|\buntil\b)\s*")
_BELOW = re.compile(r"(<=?|\u2264|under|below|less than|up to|at most|unter|bis)\s*(.+)", re.IGNORECASE)
_ABOVE = re.compile(r"(>=?|\u2265|over|above|more than|from|at least|\u00fcber|ab)\s*(.+)", re.IGNORECASE)
_AND_UP = re.compile(r"(.+?)\s*(\+|(and|or) (over|more|older|above|up)|(und|oder) (mehr|\u00e4lter))", re.IGNORECASE)
_OUTSIDE = frozenset({"<", "under", "below", "less than", "unter", ">", "over", "above", "more than", "\u00fcber"})
_ENDLESS = re.compile(r"([+-]?)(inf|infinity|\u221e)", re.IGNORECASE)
_LIST_OF_ONE = re.compile(r"\[(['\"])((?:(?!\1).)*)\1\]", re.DOTALL)
_SETS = re.compile(r"\{(.*)\}")
_SIGNS = ("|", ";", "~", ",")


def readings(text: str, scale: Scale) -> set[Meaning]:
    """Everything the text may stand for, as far as its notation tells; a span in which nothing can lie is none."""
    if len(text) > _LONGEST:
        return set()
    found = (meaning for notation in NOTATIONS for meaning in notation(text, scale))
    return {each for each in found if not (isinstance(each, Span) and each.is_empty)}


def point(text: str, scale: Scale) -> Iterator[Meaning]:
    """`20`, or a day, a month, a year."""
    place = scale.place(text)
    if place is not None:
        yield Span(*place)


def bracketed(text: str, scale: Scale) -> Iterator[Meaning]:
    """`[20, 30)`, `[20, 30[`, `]20;30]`, `(20,30]`, `(60, Inf)`."""
    found = _BRACKETS.fullmatch(text)
    if found is None:
        return
    ends = [end.strip() for end in re.split(";" if ";" in found[2] else ",", found[2])]
    if len(ends) == 1:
        yield from parted(found[2], scale)
    if len(ends) == 2:
        low, high = (_end(end, scale) for end in ends)
        if low is not None and high is not None:
            yield Span(low[0], high[1], found[1] == "[", found[3] == "]")


def parted(text: str, scale: Scale) -> Iterator[Meaning]:
    """`20-29`, `20 to 29`, `20..29`, `20~29`, `-5--1`: both ends belong to it."""
    for sign in _PARTED.finditer(text):
        low, high = scale.place(text[: sign.start()].strip()), scale.place(text[sign.end() :].strip())
        if low is not None and high is not None and sign.start():
            yield Span(low[0], high[1])


def below(text: str, scale: Scale) -> Iterator[Meaning]:
    """`<20`, `<=20`, `under 20`."""
    found = _BELOW.fullmatch(text)
    place = scale.place(found[2]) if found else None
    if found and place:
        outside = found[1].lower() in _OUTSIDE
        yield Span(None, place[0] if outside else place[1], with_high=not outside)


def above(text: str, scale: Scale) -> Iterator[Meaning]:
    """`>=50`, `>50`, `over 50`, `50+`, `50 and over`."""
    found, more = _ABOVE.fullmatch(text), _AND_UP.fullmatch(text)
    place = scale.place(found[2]) if found else None
    if found and place:
        outside = found[1].lower() in _OUTSIDE
        yield Span(place[1] if outside else place[0], None, with_low=not outside)
    if more and (end := scale.place(more[1])):
        yield Span(end[0], None)


def listed(text: str, _: Scale) -> Iterator[Meaning]:
    """`{a, b}`: the values of a set."""
    found = _SETS.fullmatch(text)
    if found is None:
        return
    values = [value.strip() for value in re.split(";" if ";" in found[1] else ",", found[1])]
    if all(values):
        yield OneOf(frozenset(values))


def joined(text: str, scale: Scale) -> Iterator[Meaning]:
    """`a|b`, `a;b`, `a~b`, `a,b`: values with a sign between them; numbers parted by a tilde are an interval."""
    for sign in _SIGNS:
        values = [value.strip() for value in text.split(sign)]
        measured = [scale.place(value) is not None for value in values]
        if len(values) < 2 or not all(values) or _BRACKETS.fullmatch(text) or _SETS.fullmatch(text):
            continue
        if not any(measured) or (all(measured) and sign != "~"):
            yield OneOf(frozenset(values))


def masked(text: str, _: Scale) -> Iterator[Meaning]:
    """`021**`, `**138`: a code of which some characters are hidden."""
    if ANY in text and text.strip(ANY):
        yield Pattern(text)


NOTATIONS: tuple[Notation, ...] = (point, bracketed, parted, below, above, listed, joined, masked)


def hidden(text: str | None) -> Meaning | None:
    """Stars alone, an empty cell and the marks of values that are not there; None for anything else."""
    if text is None or text.strip() in MARKS or not text.strip().strip(ANY):
        return HIDDEN
    return None


def unwrapped(text: str | None) -> str | None:
    """The label within `['label']`, as a list of one text is written by Python."""
    found = _LIST_OF_ONE.fullmatch(text or "")
    return found[2] if found else text


def _end(text: str, scale: Scale) -> tuple[Fraction | None, Fraction | None] | None:
    """The place of one end; no end at all is told from a text that is none."""
    if _ENDLESS.fullmatch(text):
        return None, None
    place: Place | None = scale.place(text)
    return place
