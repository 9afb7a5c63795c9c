"""Intervals against fractions: every edge, sign, type and size of number."""

from datetime import date
from decimal import Decimal
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from openveil.core.errors import RequestError
from openveil.hierarchies.intervals import Intervals
from openveil.hierarchies.ticks import measure
from oracles.hierarchies import interval, labels_of, read_interval

WIDTHS = st.sampled_from([(1,), (5, 10, 20), (0.1, 0.5), (0.25, 1), (2.5, 5.0), (3, 9), (1e-3, 0.1), (10**20,)])
STARTS = st.sampled_from([0, 1, -3, 0.1, 0.05, 17.5])
ENDS = st.sampled_from([(None, None), (0, None), (None, 7.3), (-2, 90), (0.1, 0.4)])
TENTHS = st.integers(-400, 400).map(lambda tenths: tenths / 10)
FLOATS = st.one_of(TENTHS, st.floats(allow_nan=False, allow_infinity=False))
INTEGERS = st.one_of(st.integers(-40, 120), st.integers(-(2**63), 2**63 - 1))
TEXTS = st.one_of(
    st.integers(-(10**25), 10**25).map(str),
    st.decimals(allow_nan=False, allow_infinity=False, places=20, min_value=-50, max_value=50).map(str),
    TENTHS.map(str),
)


def check(values, widths, start, ends):
    hierarchy = Intervals(widths=widths, start=start, lowest=ends[0], highest=ends[1]).bind("x", values, missing=True)
    for value, labels in labels_of(hierarchy).items():
        if value is not None:
            for width, label in zip(widths, labels[1:-1], strict=True):
                assert read_interval(label) == interval(value, width, start, *ends)


@given(st.lists(FLOATS, unique=True, max_size=12), WIDTHS, STARTS, ENDS)
@example([0.3, 0.1 + 0.2, 0.6, 0.7, -0.1, 1e22, 5e-324, -5e-324], (0.1,), 0, (None, None))
@example([1.1, 2.2, 3.3, 0.2999999999999999], (0.1, 1.1), 0, (None, None))
def test_floats(values, widths, start, ends):
    check(pl.Series(values, dtype=pl.Float64).unique(), widths, start, ends)


@given(st.lists(INTEGERS, unique=True, max_size=12), WIDTHS, STARTS, ENDS)
@example([2**63 - 1, -(2**63), 0], (5, 10), 0, (None, None))
def test_integers(values, widths, start, ends):
    check(pl.Series(values, dtype=pl.Int64), widths, start, ends)


@given(st.lists(TEXTS, unique=True, max_size=12), WIDTHS, STARTS, ENDS)
@example(["0.29999999999999999999", "0.3", "0.30", "3e-1", "-0"], (0.1,), 0, (None, None))
def test_numbers_held_as_text(values, widths, start, ends):
    check(pl.Series(values, dtype=pl.String), widths, start, ends)


@settings(max_examples=30)
@given(st.lists(st.integers(-4000, 4000), unique=True, max_size=12))
def test_single_precision_numbers_are_what_they_are_written_as(tenths):
    values = pl.Series([tenth / 10 for tenth in tenths], dtype=pl.Float32)
    shown = Intervals(widths=(0.1,)).bind("x", values, missing=False)
    lower = [read_interval(label)[0] for label in shown.levels[1].labels.to_list()]
    assert lower == [Fraction(tenth, 10) for tenth in sorted(tenths)]


@given(st.lists(st.integers(-(10**15) - 5, 10**15 + 5), min_size=1, max_size=20), st.integers(0, 20))
def test_ticks_on_edges_and_beside_them(edges, places):
    numbers = [edge / 10.0**places for edge in edges]
    numbers += [float(np.nextafter(number, side)) for number in numbers for side in (-np.inf, np.inf)]
    measured = measure(pl.Series(numbers), places, room=1)
    assert measured.ticks.tolist() == [Fraction(repr(number)) * 10**places // 1 for number in numbers]


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ([20, 24, 25], ["20-24", "25-29"]),
        ([-10, -6, -5, -1, 0, 4], ["-10 to -6", "-5 to -1", "0-4"]),
        ([20.0, 24.9, 25.0], ["[20, 25)", "[25, 30)"]),
        (["20", "25"], ["[20, 25)", "[25, 30)"]),
        ([2**64 - 1], [f"{2**64 - 1}-{2**64 + 3}"]),
    ],
)
def test_notation(values, labels):
    dtype = pl.UInt64 if values[0] == 2**64 - 1 else None
    hierarchy = Intervals(widths=(5,)).bind("x", pl.Series(values, dtype=dtype), missing=False)
    assert hierarchy.levels[1].labels.to_list() == labels


def test_below_zero_across_and_single_numbers():
    shown = Intervals(widths=(1, 10), start=-5).bind("x", pl.Series([-5, 4, 5]), missing=False)
    assert [level.labels.to_list() for level in shown.levels[1:3]] == [["-5", "4", "5"], ["-5 to 4", "5-14"]]


def test_ends_cut_the_intervals_they_lie_in():
    rule = Intervals(widths=(5, 10), lowest=18, highest=88)
    shown = rule.bind("age", pl.Series([-3, 17, 18, 20, 87, 88, 120]), missing=False)
    assert shown.levels[1].labels.to_list() == ["<18", "18-19", "20-24", "85-87", ">=88"]
    assert shown.levels[2].labels.to_list() == ["<18", "18-19", "20-29", "80-87", ">=88"]


def test_infinite_numbers_lie_beyond_an_end_and_nowhere_else():
    values = pl.Series([float("inf"), float("-inf"), 5.0])
    shown = Intervals(widths=(5,), lowest=0, highest=90).bind("x", values, missing=False)
    assert shown.levels[1].labels.to_list() == ["<0", "[5, 10)", ">=90"]
    assert shown.axis.labels.to_list() == [float("-inf"), 5.0, float("inf")]
    with pytest.raises(RequestError, match="2 of 3 distinct values"):
        Intervals(widths=(5,)).bind("x", values, missing=False)


@pytest.mark.parametrize("stranger", ["a", "1_000", "1,5", "nan", "inf", "1e9999", "1e999", "0x10", "--1", "."])
def test_text_that_is_no_number_is_counted(stranger):
    with pytest.raises(RequestError, match="1 of 2 distinct values"):
        Intervals(widths=(5,)).bind("x", pl.Series(["1", stranger]), missing=False)


def test_labels_do_not_depend_on_the_extremes_observed():
    rule = Intervals(widths=(10, 20))
    few = labels_of(rule.bind("x", pl.Series([33, 34]), missing=False))
    many = labels_of(rule.bind("x", pl.Series([1, 33, 34, 999]), missing=False))
    assert few[33] == many[33]


@given(st.lists(st.integers(-(10**25), 10**25), unique=True, min_size=1, max_size=20), st.integers(0, 6))
def test_exact_decimals_lie_where_they_are(numbers, places):
    exact = [Fraction(number, 10**places) for number in numbers]
    values = pl.Series([Decimal(number).scaleb(-places) for number in numbers], dtype=pl.Decimal(38, places))
    measured = measure(values, 2, room=1)
    assert measured.ticks.tolist() == [number * 100 // 1 for number in exact]


def test_exact_decimals_without_places_are_whole_numbers():
    values = pl.Series([Decimal(20), Decimal(25)], dtype=pl.Decimal(10, 0))
    assert Intervals(widths=(5,)).bind("x", values, missing=False).levels[1].labels.to_list() == ["20-24", "25-29"]


def test_dates_are_refused():
    with pytest.raises(RequestError, match="is for numbers"):
        Intervals(widths=(5,)).bind("x", pl.Series([date(2000, 1, 1)]), missing=False)


def test_numbers_with_a_decimal_comma_are_told_how_to_be_read():
    with pytest.raises(RequestError, match=r'decimal = ","'):
        Intervals(widths=(10,)).bind("height", pl.Series(["1,75", "1,80"]), missing=False)
    with pytest.raises(RequestError) as caught:
        Intervals(widths=(10,)).bind("height", pl.Series(["tall"]), missing=False)
    assert "decimal" not in str(caught.value)
