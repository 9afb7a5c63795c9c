"""Does typing a column ever lose what its cells said?"""

import datetime as dt

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openveil.io.lossless import typed

NUMBERLIKE = st.text(st.sampled_from("0123456789.-+e, "), max_size=6)
CELLS = st.one_of(
    st.none(),
    NUMBERLIKE,
    st.integers().map(str),
    st.floats().map(repr),
    st.decimals(allow_nan=False, allow_infinity=False, places=2, min_value=-99, max_value=99).map(str),
    st.dates().map(str),
    st.sampled_from(["nan", "inf", "-inf", "NaN", "-0", "-0.0", "0.0", "1e5", "1_000", "٣", "2020-02-30", "true"]),
)
KINDS = [NUMBERLIKE, st.integers().map(str), st.floats().map(repr), st.dates().map(str)]


def one(cells, decimal="."):
    return typed(pl.DataFrame({"a": cells}, schema={"a": pl.String}), decimal)["a"]


@given(st.lists(CELLS, max_size=6) | st.sampled_from(KINDS).flatmap(lambda kind: st.lists(kind, max_size=6)))
def test_different_texts_stay_different_and_nulls_stay_null(cells):
    values = one(cells).to_list()
    told = {}
    for text, value in zip(cells, values, strict=True):
        assert (text is None) == (value is None)
        assert told.setdefault(value, text) == text


@given(st.lists(CELLS, max_size=6))
def test_a_number_is_the_number_its_text_says(cells):
    column = one(cells)
    if column.dtype.is_numeric():
        for text, value in zip(cells, column, strict=True):
            assert text is None or (float(text) == value and value not in {float("inf"), -float("inf")})


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1))
def test_integers_of_64_bits_are_integers(numbers):
    column = one([str(number) for number in numbers])
    assert (column.dtype, column.to_list()) == (pl.Int64, numbers)


@given(st.lists(st.dates(), min_size=1))
def test_iso_dates_are_dates(days):
    column = one([day.isoformat() for day in days])
    assert (column.dtype, column.to_list()) == (pl.Date, days)


@pytest.mark.parametrize("style", [str, lambda number: str(number).removesuffix(".0")], ids=["1.0", "1"])
def test_decimals_may_write_whole_numbers_either_way(style):
    numbers = [1.0, 2.5, -3.25, 0.1, 100.0]
    column = one([style(number) for number in numbers])
    assert (column.dtype, column.to_list()) == (pl.Float64, numbers)


@pytest.mark.parametrize(
    "cells",
    [
        ["02139", "10115"],
        ["1.50", "2.25"],
        ["1", "2.0"],
        ["+1", "2"],
        ["-0"],
        ["-0.0", "0.0"],
        [" 1"],
        ["1_000"],
        ["12345678901234567890"],
        ["9223372036854775808", "1"],
        ["0.10000000000000001"],
        ["9007199254740993", "0.5"],
        ["nan"],
        ["NaN", "1.5"],
        ["inf"],
        ["1e5"],
        [".5"],
        ["5."],
        ["1,5"],
        ["true"],
        ["2020-1-31"],
        ["2020-02-30"],
        ["31.01.2020"],
        ["2020-01-31 "],
        ["1", "x"],
        [None],
        [],
    ],
    ids=str,
)
def test_what_would_lose_something_stays_text(cells):
    column = one(cells)
    assert (column.dtype, column.to_list()) == (pl.String, cells)


def test_a_late_cell_decides_too():
    assert one(["1"] * 5000 + ["02139"]).dtype == pl.String
    assert one(["1"] * 5000 + ["2.5"]).dtype == pl.Float64
    assert one([None] * 5000 + ["2020-01-31"]).dtype == pl.Date
    assert one(["2020-01-31"] * 5000 + ["unknown"]).dtype == pl.String


def test_decimal_commas():
    assert one(["1,5", "2", "-0,25"], ",").to_list() == [1.5, 2.0, -0.25]
    assert one(["1.234,5"], ",").dtype == pl.String
    assert one(["1.5"], ",").dtype == pl.String
    assert one(["1,50"], ",").dtype == pl.String
    assert one(["7"], ",").dtype == pl.Int64


@pytest.mark.parametrize(
    "cells", [["15420,60", "7,25"], ["1,5", "1,50"], ["+1,5", " 2,0 ", None], ["007,5"], ["1e5", "1,5"]]
)
def test_decimal_commas_that_stay_text_are_read_as_points_would_be(cells):
    column = one(cells, ",")
    assert column.dtype == pl.String
    assert column.to_list() == one([cell and cell.replace(",", ".") for cell in cells]).to_list()


@pytest.mark.parametrize("cells", [["1,50", "k.A."], ["1,50", "2.5"], ["1,50", "1,2,3"], ["a,b"], ["1,50", "-"]])
def test_a_comma_that_may_be_no_decimal_mark_stays(cells):
    assert one(cells, ",").to_list() == cells


@given(st.lists(st.text(st.sampled_from("0123456789-+e, "), max_size=6) | st.none(), max_size=6))
def test_texts_with_commas_stay_different(cells):
    told = {}
    for text, value in zip(cells, one(cells, ",").to_list(), strict=True):
        assert (text is None) == (value is None)
        assert told.setdefault(value, text) == text


def test_columns_are_typed_each_by_itself_and_keep_their_order():
    frame = typed(pl.DataFrame({"z": ["x"], "d": ["2020-01-31"], "f": ["0.5"], "i": ["7"]}), ".")
    assert frame.rows() == [("x", dt.date(2020, 1, 31), 0.5, 7)]
    assert frame.columns == ["z", "d", "f", "i"]
