"""Do frames of other libraries come in alike, stay unchanged, and go back as what they were?"""

import datetime as dt
import subprocess
import sys
from decimal import Decimal

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from polars.testing import assert_frame_equal

from openveil.core.errors import RequestError
from openveil.io.frames import take

DATA = {"name": ["x", None, "y"], "age": [1, 2, 3], "share": [0.5, None, 1.5], "flag": [True, False, None]}
PLAIN = pl.DataFrame({**DATA, "flag": ["true", "false", None]})
KINDS = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "lazy": pl.LazyFrame,
    "pyarrow": pa.table,
}


def strange():
    return pd.DataFrame(
        DATA, index=pd.MultiIndex.from_tuples([("Zebulon", 1), ("Zebulon", 1), ("b", 2)], names=["who", "age"])
    )


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_comes_in_alike_and_goes_back_as_it_was(kind):
    native = KINDS[kind](DATA)
    frame, back = take(native)
    assert_frame_equal(frame, PLAIN)
    assert type(back(frame)) is type(native)
    assert_frame_equal(take(back(frame))[0], PLAIN)


@pytest.mark.parametrize("kind", KINDS)
def test_inputs_are_not_changed(kind):
    native, untouched = KINDS[kind](DATA), KINDS[kind](DATA)
    frame, back = take(native)
    back(frame)
    if isinstance(native, pl.LazyFrame):
        native, untouched = native.collect(), untouched.collect()
    assert native.equals(untouched)


def test_a_pandas_index_is_never_a_column_and_never_comes_back():
    frame, back = take(strange())
    assert_frame_equal(frame, PLAIN)
    assert list(back(frame).index) == [0, 1, 2]
    assert list(back(frame).columns) == list(DATA)


def test_categories_dates_and_not_a_number():
    native = pd.DataFrame(
        {
            "category": pd.Categorical(["b", None]),
            "day": [dt.date(2020, 1, 31), None],
            "share": [float("nan"), 1.5],
            "count": pd.array([None, 2], dtype="Int64"),
        }
    )
    frame = take(native)[0]
    assert frame.rows() == [("b", dt.date(2020, 1, 31), None, None), (None, None, 1.5, 2)]
    assert frame.schema["category"] == pl.String


BIG = 2**53 + 1
DAY, CLOCK = dt.date(2020, 1, 31), pd.Timestamp(2020, 1, 31, 12, 30)
PANDAS = {
    "Int64": pd.array([BIG, None], dtype="Int64"),
    "UInt8": pd.array([1, None], dtype="UInt8"),
    "int64[pyarrow]": pd.array([BIG, None], dtype="int64[pyarrow]"),
    "int64": pd.array([BIG, 1], dtype="int64"),
    "uint8": pd.array([1, 2], dtype="uint8"),
    "float32": pd.array([1.5, float("nan")], dtype="float32"),
    "Float64": pd.array([1.5, None], dtype="Float64"),
    "bool": pd.array([True, False], dtype="bool"),
    "boolean": pd.array([True, None], dtype="boolean"),
    "string": pd.array(["x", None], dtype="string"),
    "string[pyarrow]": pd.array(["x", None], dtype=pd.ArrowDtype(pa.string())),
    "objects: text": pd.Series(["x", None], dtype=object),
    "objects: numbers": pd.Series([BIG, None], dtype=object),
    "objects: flags": pd.Series([True, None], dtype=object),
    "objects: dates": pd.Series([DAY, None], dtype=object),
    "objects: decimals": pd.Series([Decimal("1.10"), None], dtype=object),
    "objects: nothing": pd.Series([None, None], dtype=object),
    "categories": pd.Categorical(["x", None]),
    "categories in order": pd.Categorical(["x", "b"], categories=["x", "b"], ordered=True),
    "categories: numbers": pd.Categorical([BIG, None]),
    "categories: flags": pd.Categorical([True, None]),
    "categories: dates": pd.Categorical([DAY, None]),
    "seconds": pd.Series([CLOCK, None]).astype("datetime64[s]"),
    "nanoseconds": pd.Series([CLOCK, None]).astype("datetime64[ns]"),
    "zone": pd.Series([CLOCK, None]).dt.tz_localize("Europe/Zurich"),
    "days[pyarrow]": pd.Series([DAY, None], dtype=pd.ArrowDtype(pa.date32())),
}
ARROW = {
    "numbers": pa.array([BIG, None]),
    "flags": pa.array([True, None]),
    "text": pa.array(["x", None], pa.string()),
    "large text": pa.array(["x", None], pa.large_string()),
    "dictionary": pa.array(["x", None]).dictionary_encode(),
    "seconds": pa.array([CLOCK, None], pa.timestamp("s")),
    "days": pa.array([DAY, None], pa.date64()),
    "decimals": pa.array([Decimal("1.10"), None]),
}


@pytest.mark.parametrize("column", PANDAS)
def test_what_is_not_generalised_comes_back_to_pandas_as_it_was(column):
    native = pd.DataFrame({"x": PANDAS[column]})
    frame, back = take(native)
    pd.testing.assert_frame_equal(back(frame), native)


@pytest.mark.parametrize("column", ARROW)
def test_what_is_not_generalised_comes_back_to_pyarrow_as_it_was(column):
    native = pa.table({"x": ARROW[column]})
    frame, back = take(native)
    assert back(frame).equals(native)


@pytest.mark.parametrize("column", [*PANDAS, *ARROW])
def test_labels_are_text_whatever_the_column_was(column):
    native = pd.DataFrame({"x": PANDAS[column]}) if column in PANDAS else pa.table({"x": ARROW[column]})
    back = take(native)[1]
    labels = ["[0, 5)", None, "*"]
    shown = back(pl.DataFrame({"x": labels}))
    shown = shown if isinstance(shown, pd.DataFrame) else shown.to_pandas()
    assert [None if pd.isna(label) else label for label in shown["x"]] == labels


def test_numbers_stay_whole_where_the_type_they_had_knows_no_missing_cells():
    back = take(pd.DataFrame({"x": [1]}))[1]
    assert back(pl.DataFrame({"x": [BIG, None]}))["x"].tolist() == [BIG, pd.NA]


def test_only_published_categories_come_back_and_not_in_the_order_of_the_rows():
    suppressed = pd.DataFrame({"x": pd.Categorical(["z", "y", "Zebulon"], categories=["z", "y", "Zebulon"])})
    frame, back = take(suppressed)
    assert back(frame.head(2))["x"].dtype.categories.tolist() == ["y", "z"]


def test_flags_come_back_to_polars():
    frame, back = take(pl.DataFrame({"x": [True, None]}))
    assert back(frame)["x"].to_list() == [True, None]
    assert back(pl.DataFrame({"x": ["true", "*"]}))["x"].to_list() == ["true", "*"]


@pytest.mark.parametrize(
    ("native", "says"),
    [
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "column 'a': .*columns number 1, 2"),
        (pa.table([[1], [2]], names=["a", "a"]), "column 'a': .*columns number 1, 2"),
        (pd.DataFrame([[1, 2]], columns=["a", 7]), "column number 2: has a name that is not text"),
        (pd.DataFrame([[1, 2]], columns=["a", None]), "column number 2: has a name that is not text"),
        (pd.DataFrame([[1]], columns=pd.MultiIndex.from_tuples([("a", "b")])), "column number 1: has a name that is"),
        (pl.DataFrame({"a": [1], " ": [2]}), "column number 2: has no name"),
        (pl.LazyFrame({"a": [1], "": [2]}), "column number 2: has no name"),
        (pd.DataFrame({"ok": [1, 2], "odd": [1, "Zebulon"]}), "column 'odd': has cells of mixed"),
        (pd.DataFrame({"odd": ["Zebulon", 1.5]}), "column 'odd': has cells of mixed"),
        (pd.DataFrame({"odd": [object()]}), "column 'odd': has cells of mixed"),
        (pd.DataFrame({"odd": [["Zebulon"]]}), "column 'odd': has a type that cannot be published"),
        (pl.DataFrame({"odd": [object()]}), "column 'odd': .*found Object"),
        (pl.DataFrame({"odd": [dt.timedelta(1)]}), "column 'odd': .*found Duration"),
        (pl.LazyFrame({"a": ["Zebulon"]}).select(pl.col("a").cast(pl.Int64)), "cannot be evaluated"),
        ([["Zebulon"]], "found list"),
        (pd.Series(["Zebulon"]), "found Series"),
        (None, "found NoneType"),
    ],
)
def test_what_cannot_be_taken_is_refused_without_a_cell(native, says):
    with pytest.raises(RequestError, match=says) as caught:
        take(native)
    assert "Zebulon" not in str(caught.value)


def test_only_the_columns_at_fault_are_named():
    with pytest.raises(RequestError) as caught:
        take(pd.DataFrame({"a": [1, "x"], "fine": [1, 2], "b": ["x", 2]}))
    named = [problem.where.removeprefix("the data frame, ") for problem in caught.value.problems]
    assert named == ["column 'a'", "column 'b'"]


def test_pandas_and_pyarrow_are_not_imported_for_polars_or_files():
    program = """
import sys, tempfile, pathlib, polars as pl
from openveil.io.frames import take
from openveil.io.read import Source, read
from openveil.io.write import read_published, write
folder = pathlib.Path(tempfile.mkdtemp())
frame, back = take(pl.DataFrame({"a": [1]}).lazy())
back(frame)
for ending in (".csv", ".parquet", ".arrow"):
    write(frame, folder / f"x{ending}")
    read_published(folder / f"x{ending}"), read(Source(folder / f"x{ending}"))
assert not {"pandas", "pyarrow"} & set(sys.modules), "imported"
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
