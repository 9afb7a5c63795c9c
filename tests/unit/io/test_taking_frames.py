"""Do frames of other libraries come in alike, stay unchanged, and go back as what they were?"""

import datetime as dt
import subprocess
import sys

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
