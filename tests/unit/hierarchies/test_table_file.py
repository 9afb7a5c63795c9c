"""Hierarchy files: the forms they come in, and that what is written is read back."""

from decimal import Decimal

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openveil.core.errors import RequestError
from openveil.hierarchies.intervals import Intervals
from openveil.hierarchies.table_file import TableFile, export
from openveil.hierarchies.taxonomy import Taxonomy
from oracles.hierarchies import labels_of

FOLDERS = ("adult", "adult_arx_original", "census_income_kdd", "diabetes130", "common")


def bind(tmp_path, text, values, missing=False):
    file = tmp_path / "h.csv"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return TableFile(file=file).bind("x", values, missing=missing)


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_sample_binds_with_the_labels_of_its_lines(shared, folder):
    samples = [file for file in (shared / "data/hierarchies" / folder).glob("*.csv") if "names" not in file.name]
    assert samples
    for file in samples:
        lines = [line.split(";") for line in file.read_text(encoding="utf-8").splitlines()]
        hierarchy = TableFile(file=file).bind("x", pl.Series([lines[0][0]]), missing=True)
        shown = labels_of(hierarchy)
        assert shown.pop(None) == [None] * (len(lines[0]) - 1) + ["*"]
        assert shown == {line[0]: line for line in lines}


def test_a_hierarchy_of_all_codes_of_icd10_is_bound(shared):
    file = shared / "data/hierarchies/common/icd10cm.csv"
    hierarchy = TableFile(file=file).bind("x", pl.Series(["A00"]), missing=False)
    assert len(hierarchy.axis) == 98_186


@pytest.mark.parametrize("dtype", [pl.Int8, pl.Int64, pl.UInt16, pl.Float32, pl.Float64])
def test_plain_decimal_text_matches_columns_of_numbers(shared, dtype):
    file = shared / "data/hierarchies/adult/age.csv"
    hierarchy = TableFile(file=file).bind("age", pl.Series([90, 17], dtype=dtype), missing=False)
    assert hierarchy.axis.labels.dtype == dtype
    assert hierarchy.axis.encode(pl.Series([17, 90, 91], dtype=dtype))[1] == 1
    assert labels_of(hierarchy)[17] == ["17", "15-19", "10-19", "0-19", "*"]


@pytest.mark.parametrize(
    "text",
    [
        "a;A;*\nb;A;*\n",
        "a,A,*\r\nb,A,*",
        "\ufeffa;A;*\nb;A;*\n\n  \n",
        "a;A\nb;A\n",
        "a;A;*;*\nb;A;*;*\n",
        "a ;A ;* \nb; A;*\n",
        '"a";"A";"*"\n"b";"A";"*"\n',
    ],
)
def test_forms(tmp_path, text):
    shown = labels_of(bind(tmp_path, text, pl.Series(["b"])))
    assert shown == {"a": ["a", "A", "*"], "b": ["b", "A", "*"]}


def test_values_of_the_column_keep_their_blanks(tmp_path):
    shown = labels_of(bind(tmp_path, " a;A;*\nb;A;*\n", pl.Series([" a"])))
    assert list(shown) == [" a", "b"]


def test_a_value_called_value_is_no_header(tmp_path):
    assert len(bind(tmp_path, "value;*\ncode;*\n", pl.Series(["code"])).axis) == 2


def test_values_alone_get_a_root(tmp_path):
    assert labels_of(bind(tmp_path, "a\nb\n", pl.Series(["a"]))) == {"a": ["a", "*"], "b": ["b", "*"]}


def test_lines_that_cannot_be_in_the_column_are_left_out(tmp_path):
    hierarchy = bind(tmp_path, "?;unknown;*\n300;many;*\n1;few;*\n", pl.Series([1], dtype=pl.Int8))
    assert hierarchy.axis.labels.to_list() == [1]


def test_exact_decimals_match_and_none_is_rounded(tmp_path):
    values = pl.Series([Decimal("1.50"), Decimal("17.00")])
    read = bind(tmp_path, "1.5;few;*\n17;many;*\n1.504;few;*\n2.5000;few;*\n1e2;many;*\n", values)
    assert read.axis.labels.to_list() == [Decimal("1.50"), Decimal("2.50"), Decimal("17.00")]
    assert labels_of(read)[Decimal("17.00")] == ["17.00", "many", "*"]


def test_dates_and_booleans_match(tmp_path):
    days = pl.Series(["1964-09-27"]).str.to_date()
    assert bind(tmp_path, "1964-09-27;1964;*\n", days).axis.labels.dtype == pl.Date
    times = days.cast(pl.Datetime("ms"))
    assert len(bind(tmp_path, "1964-09-27;1964;*\n1964-09-27 10:30:00;1964;*\n", times).axis) == 2
    assert len(bind(tmp_path, "true;yes;*\nFalse;no;*\n", pl.Series([False])).axis) == 2


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("10;b;*\n9;a;*\n", ["9", "10"]),
        ("b;1;*\na;2;*\nc;1;*\n", ["a", "b", "c"]),
        ("c;1;*\na;1;*\nb;2;*\n", ["c", "a", "b"]),
        ("a;1;I;*\nb;2;II;*\nc;3;I;*\nd;1;I;*\n", ["a", "d", "c", "b"]),
    ],
)
def test_natural_order_if_it_is_a_tree_order_and_first_appearance_otherwise(tmp_path, text, order):
    assert bind(tmp_path, text, pl.Series([text[: text.index(";")]])).axis.labels.to_list() == order


TEXT = st.text(alphabet='ab;,"\n* é', min_size=1, max_size=5).filter(lambda text: text.strip() not in {"", "*"})


@given(values=st.lists(TEXT, unique_by=str.strip, min_size=1, max_size=12), missing=st.booleans())
def test_what_is_exported_is_read_back(tmp_path_factory, values, missing):
    tree = {"group one": values[::2], "group; two": values[1::2] or ["other value"]}
    series = pl.Series(values)
    written = Taxonomy(tree=tree).bind("x", series, missing=missing)
    path = tmp_path_factory.mktemp("export") / "h.csv"
    export(written, path)
    read = TableFile(file=path).bind("x", series, missing=missing)
    assert labels_of(read) == labels_of(written)
    assert [file.name for file in path.parent.iterdir()] == ["h.csv"]


def test_numbers_are_exported_in_plain_decimal(tmp_path):
    path = tmp_path / "h.csv"
    export(Intervals(widths=(5,)).bind("x", pl.Series([17.0, 0.5]), missing=True), path)
    assert path.read_text() == "0.5;[0, 5);*\n17;[15, 20);*\n"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "is empty"),
        (b"\xff\xfe\x00", "not UTF-8"),
        ("a;A;*\nb;*\n", "1 of 2 lines"),
        ("a;A;*\na;A;*\n", "more than once.*'a'"),
        ("a;A;*\na;B;*\n", "more than once.*'a'"),
        ("a;A;X;*\nb;A;Y;*\n", "two parents.*'A'"),
        ("a;;*\nb;B;*\n", "empty label"),
        (";B;*\nb;B;*\n", "empty label"),
        ("a;A;*\nb;B;C\n", "'\\*', the name of the root"),
        ("*;A\nb;B\n", "'\\*', the name of the root"),
        ("value;level1;*\na;A;*\n", "looks like a header"),
        ("Country;Region;World\na;A;*\nb;A;*\n", "looks like a header"),
        ('a;"A;*\nb;A;*\n', "not a table of fields"),
        ("a;b;*\nb;c;*\n", "label for a value and for a group of level 1.*'b'"),
        ("1;few;*\n01;few;*\n", "2 distinct|not in the hierarchy|could not|same"),
        ("b;A;*\n", "1 of 1 distinct values"),
    ],
)
def test_broken_files(tmp_path, text, what):
    values = pl.Series([1]) if str(text).startswith("1;") else pl.Series(["a"])
    with pytest.raises(RequestError, match=what):
        bind(tmp_path, text, values)


def test_all_problems_come_at_once(tmp_path):
    with pytest.raises(RequestError) as caught:
        bind(tmp_path, "a;A;X;*\nb;A;Y;*\na;A;X;*\nc;;Y;*\n", pl.Series(["a"]))
    assert len(caught.value.problems) == 3


@pytest.mark.parametrize("path", ["absent.csv", "."])
def test_no_file(tmp_path, path):
    with pytest.raises(RequestError, match="cannot read"):
        TableFile(file=tmp_path / path).bind("x", pl.Series(["a"]), missing=False)
