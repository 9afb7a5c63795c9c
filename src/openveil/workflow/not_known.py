"""Which spellings of 'not known' a proposed plan declares.

Claim. Only marks of the fixed lists `MARKS` and `CODES` are declared, and only those the table has: never a value of
a person. One that may be a value of its own is declared only where numbers or dates show that it is none; one that
the table uses as a value somewhere is not declared, for a plan declares its marks for all columns.

Why it holds. `PLAIN` are the marks that programs and forms have for 'not known'; the others are words a category may
be called, such as `unknown`, and signs. Two are known to be values: `-` beside `+`, and `NA` among codes of
countries. A number such as -99 is a value wherever it does not stand far outside; where it may be written as -99.0
it is left to the steward.

Cost. One look at each column's facts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from openveil.workflow.name_clues import COUNTRY
from openveil.workflow.profile import CODES, MARKS, Facts

PLAIN = frozenset({"?", "NA", "N/A", "n/a", "#N/A", "NULL", "null", "NaN", "nan", "", "k.A.", "k. A."})
_SIGNS = frozenset({"-", "--"})
_CODES = frozenset({"NA", "na"})


def to_declare(facts: Sequence[Facts]) -> tuple[str, ...]:
    """The marks to declare for a table, in the order of the list."""
    wanted = _union(each.marks if each.is_measured else each.marks & PLAIN for each in facts)
    wanted |= {each.code for each in facts if each.code and each.is_spelled}
    values = _union(map(_values_among, facts))
    return tuple(mark for mark in (*MARKS, *map(str, CODES)) if mark in wanted - values)


def seem_not_known(facts: Facts) -> bool:
    """Whether the column has marks that are still taken for values, and should probably not be."""
    return bool(facts.marks if facts.is_measured else facts.marks & PLAIN)


def _values_among(facts: Facts) -> frozenset[str]:
    """The marks of the column that are values in it."""
    signs = _SIGNS if "plus" in facts.shape else frozenset()
    codes = _CODES if "pair" in facts.shape and COUNTRY.search(facts.spoken) else frozenset()
    return (facts.marks & (signs | codes)) | (facts.codes - {facts.code})


def _union(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset().union(*sets)
