"""Dates against the calendar, in every form a column may hold them."""

from datetime import date, datetime

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openveil.core.errors import RequestError
from openveil.hierarchies.dates import Dates
from oracles.hierarchies import labels_of, unit

LEVELS = ("day", "month", "quarter", "year", "2 years", "10 years", "100 years")
DAYS = st.lists(st.dates(), unique=True, max_size=10)


@given(DAYS)
def test_days(days):
    shown = labels_of(Dates(levels=LEVELS).bind("d", pl.Series(days, dtype=pl.Date), missing=False))
    assert {day: labels[1:-1] for day, labels in shown.items()} == {
        day: [unit(day, level) for level in LEVELS] for day in days
    }


@given(st.lists(st.datetimes(), unique=True, max_size=10))
def test_times(times):
    shown = labels_of(Dates(levels=LEVELS).bind("d", pl.Series(times, dtype=pl.Datetime("us")), missing=True))
    assert {time: labels[1:-1] for time, labels in shown.items() if time} == {
        time: [unit(time.date(), level) for level in LEVELS] for time in times
    }


@given(DAYS)
def test_iso_text(days):
    text = pl.Series([day.isoformat() for day in days], dtype=pl.String)
    shown = labels_of(Dates(levels=LEVELS).bind("d", text, missing=False))
    assert {value: labels[1:-1] for value, labels in shown.items()} == {
        day.isoformat(): [unit(day, level) for level in LEVELS] for day in days
    }


@given(st.lists(st.dates(date(1926, 1, 1), date(2025, 12, 31)), unique=True, max_size=10))
def test_two_digit_years_lie_in_the_hundred_years_that_end_with_last_year(days):
    text = pl.Series([f"{day.month}/{day.day}/{day.year % 100:02d}" for day in days], dtype=pl.String)
    rule = Dates(levels=("day",), format="%m/%d/%y", last_year=2025)
    assert rule.bind("d", text, missing=False).levels[1].labels.to_list() == [day.isoformat() for day in sorted(days)]


def test_two_digit_years_end_in_2068_unless_said():
    shown = Dates(levels=("year",), format="%d.%m.%y").bind("d", pl.Series(["01.01.69", "01.01.68"]), missing=False)
    assert shown.levels[1].labels.to_list() == ["1969", "2068"]


def test_a_leap_day_that_the_century_does_not_have_is_no_date():
    rule = Dates(format="%m/%d/%y", last_year=1950)
    with pytest.raises(RequestError, match="1 of 1 distinct values"):
        rule.bind("d", pl.Series(["2/29/00"]), missing=False)


@pytest.mark.parametrize("stranger", ["", "1964", "1964-13-01", "1964-02-30", "27.9.1964", "1964-09-27x", "today"])
def test_text_that_is_no_date_is_counted(stranger):
    with pytest.raises(RequestError, match="1 of 2 distinct values"):
        Dates().bind("d", pl.Series(["1964-09-27", stranger]), missing=False)


def test_times_in_text_are_read_and_sorted_by_day():
    text = pl.Series(["1964-09-27 23:59:59.5", "1964-09-27T00:00", "1964-09-26"])
    shown = Dates(levels=("day",)).bind("d", text, missing=False)
    assert shown.levels[1].labels.to_list() == ["1964-09-26", "1964-09-27"]


def test_the_column_clock_decides_the_day():
    moment = (
        pl.Series([datetime.fromisoformat("2000-01-01")])
        .dt.replace_time_zone("UTC")
        .dt.convert_time_zone("America/New_York")
    )
    assert Dates(levels=("day",)).bind("d", moment, missing=False).levels[1].labels.to_list() == ["1999-12-31"]


def test_numbers_are_refused():
    with pytest.raises(RequestError, match="is for dates, times and text"):
        Dates().bind("d", pl.Series([1964]), missing=False)
