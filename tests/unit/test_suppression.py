"""How an allowance of suppressed rows is read, and how it rounds."""

from dataclasses import dataclass
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from openveil.core.errors import RequestError
from openveil.core.suppression import Allowance


@pytest.mark.parametrize(
    ("written", "total", "rows"),
    [
        (0, 30, 0),
        (5, 30, 5),
        (5, 3, 3),
        ("5", 30, 5),
        ("2%", 149, 2),
        ("2%", 150, 3),
        (" 2.5 % ", 200, 5),
        ("0.5%", 1000, 5),
        (0.1, 30, 3),
        ("0.1", 30, 3),
        (".1", 30, 3),
        ("100%", 30, 30),
        (0.29, 100, 29),
        (0.00001, 100_000, 1),
    ],
)
def test_what_is_written_is_what_is_allowed(written, total, rows):
    assert Allowance.of(written).rows(total) == rows


@given(st.decimals(0, 1, places=4), st.integers(0, 10**9))
def test_a_share_rounds_down_exactly(share, total):
    rows = Allowance.of(f"{share:f}").rows(total)
    assert rows <= Fraction(share) * total < rows + 1


@pytest.mark.parametrize(
    ("written", "complaint"),
    [
        (-1, "negative"),
        ("-1", "negative"),
        (-0.5, "negative"),
        ("-2%", "negative"),
        (1.5, "0 % to 100 %"),
        (1.0, "one row or all rows"),
        ("101%", "0 % to 100 %"),
        (float("nan"), "is not"),
        (float("inf"), "is not"),
        ("many", "is not"),
        ("", "is not"),
        ("%", "is not"),
        ("1e3", "is not"),
        ("1/2", "is not"),
        (True, "must be a number"),
    ],
)
def test_what_cannot_be_meant_is_refused(written, complaint):
    with pytest.raises(RequestError, match=complaint):
        Allowance.of(written)


def test_a_plan_keeps_the_kind_of_number_that_was_written():
    @dataclass(frozen=True)
    class Plan:
        max_suppressed: int | float | str = 0

    read = TypeAdapter(Plan).validate_python
    kept = [read({"max_suppressed": written}).max_suppressed for written in (3, 0.02, "2%", 1.0)]
    assert kept == [3, 0.02, "2%", 1.0]
    assert [type(written) for written in kept] == [int, float, str, float]
