"""Masking against text hidden one place at a time."""

from decimal import Decimal

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openveil.core.errors import RequestError
from openveil.hierarchies.masking import Masking
from oracles.hierarchies import labels_of, masked

CODES = st.lists(st.text(alphabet="01aé-", min_size=1, max_size=6), unique=True, max_size=12)
SIDES = st.sampled_from(["right", "left"])


@given(CODES, SIDES, st.integers(1, 4))
def test_steps(codes, side, step):
    shown = labels_of(Masking(step=step, side=side).bind("z", pl.Series(codes, dtype=pl.String), missing=True))
    hidden = range(step, max(map(len, codes), default=0), step)
    for code in codes:
        assert shown[code] == [code, *(masked(code, max(1, len(code) - count), side, "*") for count in hidden), "*"]


@given(CODES, SIDES, st.sampled_from([(3, 1), (2,), (9, 4, 2)]))
def test_keep(codes, side, keep):
    rule = Masking(keep=keep, side=side, character="#")
    shown = labels_of(rule.bind("z", pl.Series(codes, dtype=pl.String), missing=False))
    for code in codes:
        assert shown[code] == [code, *(masked(code, count, side, "#") for count in keep), "*"]


@given(st.lists(st.integers(0, 99_999), unique=True, max_size=12), st.sampled_from([pl.Int64, pl.Float64, pl.UInt32]))
def test_numbers_get_back_their_leading_zeros(numbers, dtype):
    shown = labels_of(Masking(pad_to=5).bind("z", pl.Series(numbers, dtype=dtype), missing=False))
    for number in numbers:
        code = f"{number:05d}"
        assert shown[number] == [code, *(masked(code, kept, "right", "*") for kept in (4, 3, 2, 1)), "*"]


def test_leading_zeros_of_text_stay():
    shown = Masking(keep=(3,)).bind("z", pl.Series(["02138", "02139", "12138"]), missing=False)
    assert shown.levels[1].labels.to_list() == ["021**", "121**"]


def test_exact_decimals_without_a_fraction_are_codes():
    values = pl.Series([Decimal("2138.00"), Decimal("501.00")])
    assert Masking(pad_to=5, keep=(3,)).bind("z", values, missing=False).levels[1].labels.to_list() == [
        "005**",
        "021**",
    ]
    with pytest.raises(RequestError, match="1 of 2 distinct values"):
        Masking().bind("z", pl.Series([Decimal("2138.50"), Decimal("501.00")]), missing=False)


@pytest.mark.parametrize("values", [[-1, 5], [0.5, 1.0], [float("nan"), 1.0], [2.0**60, 1.0]])
def test_numbers_that_are_no_codes_are_counted(values):
    with pytest.raises(RequestError, match="1 of 2 distinct values"):
        Masking().bind("z", pl.Series(values), missing=False)


def test_values_with_the_masking_character_are_counted():
    with pytest.raises(RequestError, match="1 of 2 distinct values contain the masking character"):
        Masking().bind("z", pl.Series(["1**", "123"]), missing=False)


def test_text_that_pads_to_one_code_is_refused():
    with pytest.raises(RequestError, match="level 0"):
        Masking(pad_to=5).bind("z", pl.Series(["2138", "02138"]), missing=False)


def test_free_text_is_refused_before_it_makes_a_thousand_levels():
    with pytest.raises(RequestError, match="more than 100 levels"):
        Masking().bind("z", pl.Series(["x" * 5000]), missing=False)


def test_booleans_are_refused():
    with pytest.raises(RequestError, match="is for text and whole numbers"):
        Masking().bind("z", pl.Series([True, False]), missing=False)
