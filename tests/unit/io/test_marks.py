"""Does a spelling of 'not known' mean the same in a file of text, in a file with types, and in a data frame?"""

import datetime as dt
from decimal import Decimal

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openveil.io.marks import blanked
from openveil.io.read import Source, read
from openveil.workflow.plan import Plan
from openveil.workflow.publish import publish
from openveil.workflow.taking import taken


def moments(text, zone=None):
    return pl.Series([text]).str.to_datetime("%Y-%m-%d %H:%M").dt.replace_time_zone(zone)


CASES = {
    "whole": (pl.Series([-9, 3, None, -99], dtype=pl.Int16), ["-9", "-99"], [None, 3, None, None]),
    "unsigned": (pl.Series([0, 255], dtype=pl.UInt8), ["-9", "255", "256"], [0, None]),
    "wide": (pl.Series([10**20, 1], dtype=pl.Int128), [str(10**20)], [None, 1]),
    "decimals": (pl.Series([-9.0, 9.0, -9.5]), ["-9"], [None, 9.0, -9.5]),
    "decimals spelled out": (pl.Series([-9.0, 9.0, -9.5]), ["-9.0", "-9.50"], [None, 9.0, None]),
    "half precision": (pl.Series([0.1, 0.5], dtype=pl.Float32), ["0.1"], [None, 0.5]),
    "money": (pl.Series(["1.10", "-9.00"]).cast(pl.Decimal(10, 2)), ["-9"], [Decimal("1.10"), None]),
    "days": (pl.Series([dt.date(1900, 1, 1), dt.date(1999, 1, 1)]), ["1900-01-01"], [None, dt.date(1999, 1, 1)]),
    "times": (pl.Series([dt.time(0), dt.time(1)]), ["00:00:00"], [None, dt.time(1)]),
    "moments": (moments("1900-01-01 00:00"), ["1900-01-01 00:00:00"], [None]),
    "moments by day": (moments("1900-01-01 00:00"), ["1900-01-01"], [None]),
    "moments with T": (moments("1900-01-01 05:00"), ["1900-01-01T05:00:00"], [None]),
    "later that day": (moments("1900-01-01 05:00"), ["1900-01-01"], moments("1900-01-01 05:00").to_list()),
    "world time": (moments("1900-01-01 00:00", "UTC"), ["1900-01-01"], [None]),
    "local time": (moments("2000-01-01 00:00", "Europe/Rome"), ["2000-01-01"], [None]),
    "no such time": (moments("2000-01-01 00:00", "Europe/Rome"), ["2024-03-31 02:30:00", "2000-01-01"], [None]),
    "text": (pl.Series([" -9", "-9 ", "-9.0", None]), ["-9"], [None, None, "-9.0", None]),
    "not a number": (pl.Series([1, 0]), ["?", "", "1.0", "nan", "1 ", "x0"], [1, 0]),
}


@pytest.mark.parametrize(("cells", "missing", "wanted"), CASES.values(), ids=CASES)
def test_a_mark_is_read_as_the_type_of_the_column(cells, missing, wanted):
    frame = cells.alias("a").to_frame()
    after = blanked(frame, missing)
    assert after["a"].to_list() == wanted
    assert after.schema == frame.schema


@given(st.lists(st.one_of(st.none(), st.integers(-20, 20)), max_size=12), st.lists(st.integers(-20, 20), max_size=4))
def test_cells_of_numbers_are_compared_as_numbers(cells, marks):
    wanted = [None if cell in marks else cell for cell in cells]
    for dtype in (pl.Int64, pl.Int8, pl.Float64, pl.Decimal(10, 1)):
        found = blanked(pl.DataFrame({"a": cells}, schema={"a": dtype}), [str(mark) for mark in marks])
        assert found["a"].to_list() == wanted


PEOPLE = pl.DataFrame({"age": [30, 31, -9, -9] * 3, "weight": [60.5, -9.0, 70.0, 70.0] * 3})


@pytest.mark.parametrize("ending", ["csv", "parquet", "arrow"])
def test_every_kind_of_file_has_the_same_missing_cells(tmp_path, ending):
    path = tmp_path / f"people.{ending}"
    {"csv": PEOPLE.write_csv, "parquet": PEOPLE.write_parquet, "arrow": PEOPLE.write_ipc}[ending](path)
    found = read(Source(path, missing=("-9", "-9.0")))
    assert found.null_count().row(0) == (6, 3)


PLAN = {
    "input": {"missing": ["-9"]},
    "columns": {
        "age": {"role": "quasi-identifier", "hierarchy": {"kind": "suppression"}},
        "weight": {"role": "sensitive"},
    },
    "privacy": {"k-anonymity": {"k": 2}},
}


@pytest.mark.parametrize("convert", [pl.DataFrame.clone, pl.DataFrame.to_pandas, pl.DataFrame.to_arrow])
def test_frames_have_the_same_missing_cells_and_none_is_published(convert):
    native = convert(PEOPLE)
    assert taken(native, Plan.from_dict(PLAN))[0].null_count().row(0) == (6, 3)
    data = publish(native, PLAN).data
    assert type(data) is type(native)
    data = data.to_pandas() if isinstance(data, pa.Table) else pd.DataFrame(data, columns=PEOPLE.columns)
    assert "-9" not in {str(cell).removesuffix(".0") for cell in data.to_numpy().ravel()}
