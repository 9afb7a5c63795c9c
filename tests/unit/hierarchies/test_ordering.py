"""Ordered grouping against slices of lists."""

from itertools import accumulate
from operator import mul

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openveil.core.errors import RequestError
from openveil.hierarchies.ordering import Ordering
from oracles.hierarchies import grouped, labels_of

SIZES = st.lists(st.integers(2, 4), min_size=1, max_size=3).map(tuple)


@given(st.lists(st.text(alphabet="xyz", min_size=1, max_size=4), unique=True, min_size=1, max_size=20), SIZES)
def test_declared_order(order, sizes):
    shown = labels_of(Ordering(order=tuple(order), sizes=sizes).bind("o", pl.Series(order[:1]), missing=True))
    expected = [grouped(order, size) for size in accumulate(sizes, mul)]
    for item in order:
        assert shown[item] == [item, *(labels[item] for labels in expected), "*"]


@given(st.lists(st.integers(-20, 200), unique=True, max_size=20), SIZES)
def test_natural_order_of_numbers_also_as_text(numbers, sizes):
    expected = [grouped([str(number) for number in sorted(numbers)], size) for size in accumulate(sizes, mul)]
    for values in (pl.Series(numbers, dtype=pl.Int32), pl.Series([str(n) for n in numbers], dtype=pl.String)):
        shown = labels_of(Ordering(sizes=sizes).bind("o", values, missing=False))
        for value in values:
            assert shown[value][1:-1] == [labels[str(value)] for labels in expected]


def test_a_file_with_one_item_a_line(tmp_path):
    file = tmp_path / "order.txt"
    file.write_bytes("\ufefflow\r\nmiddle\r\n\r\nhigh\r\n".encode())
    shown = Ordering(file=file, sizes=(2,)).bind("o", pl.Series(["high"]), missing=False)
    assert shown.axis.labels.to_list() == ["low", "middle", "high"]
    assert shown.levels[1].labels.to_list() == ["low to middle", "high"]


def test_items_that_cannot_be_in_the_column_keep_their_place_in_the_groups():
    shown = Ordering(order=("none", 1, 2.0, 3), sizes=(2,)).bind("o", pl.Series([3, 1]), missing=False)
    assert shown.axis.labels.to_list() == [1, 2, 3]
    assert shown.levels[1].labels.to_list() == ["none to 1", "2 to 3"]


def test_an_item_named_like_a_group_beside_it_is_refused():
    with pytest.raises(RequestError, match="could not tell them apart"):
        Ordering(order=("a", "b", "a to b"), sizes=(2,)).bind("o", pl.Series(["a"]), missing=False)


def test_sizes_beyond_every_machine_integer():
    shown = Ordering(order=("a", "b"), sizes=(10**12, 10**12)).bind("o", pl.Series(["a"]), missing=False)
    assert shown.levels[2].labels.to_list() == ["a to b"]
