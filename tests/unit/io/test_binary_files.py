"""Do Parquet and Arrow files come in with the same vocabulary as everything else?"""

import datetime as dt
from decimal import Decimal

import polars as pl
import pytest

from openveil.core.errors import RequestError
from openveil.io.read import Source, read

WRITERS = {".parquet": "write_parquet", ".arrow": "write_ipc", ".feather": "write_ipc"}
FRAME = pl.DataFrame(
    {
        "flag": [True, None, False],
        "category": pl.Series(["x", None, "y"], dtype=pl.Categorical),
        "level": pl.Series(["low", "high", None], dtype=pl.Enum(["low", "high"])),
        "text": ["?", " NA ", ""],
        "share": [0.5, float("nan"), None],
        "count": pl.Series([1, 2, None], dtype=pl.Int8),
        "day": [dt.date(2020, 1, 31), None, None],
        "time": [dt.datetime(2020, 1, 31, 12, tzinfo=dt.UTC), None, None],
        "price": pl.Series([Decimal("1.50"), None, None]),
        "nothing": [None, None, None],
    }
)


@pytest.fixture(params=WRITERS)
def path(request, tmp_path):
    target = tmp_path / f"x{request.param}"
    getattr(FRAME, WRITERS[request.param])(target)
    return target


def test_columns_come_in_plain_types(path):
    frame = read(Source(path))
    assert [str(kind.base_type()) for kind in frame.dtypes] == (
        ["String"] * 4 + ["Float64", "Int8", "Date", "Datetime", "Decimal", "String"]
    )


def test_cells_keep_what_they_say(path):
    frame = read(Source(path))
    assert frame["flag"].to_list() == ["true", None, "false"]
    assert frame["category"].to_list() == ["x", None, "y"]
    assert frame["level"].to_list() == ["low", "high", None]
    assert frame["share"].to_list() == [0.5, None, None]
    assert frame["text"].to_list() == ["?", " NA ", ""]


def test_missing_tokens_apply_to_text(path):
    assert read(Source(path, missing=("?", "NA")))["text"].to_list() == [None, None, ""]
    assert read(Source(path, missing=("",)))["text"].to_list() == ["?", " NA ", None]


def test_the_stream_form_of_arrow_is_read_too(tmp_path):
    FRAME.write_ipc_stream(tmp_path / "x.arrow")
    assert read(Source(tmp_path / "x.arrow"))["level"].to_list() == ["low", "high", None]


def test_a_frame_outlives_its_file(tmp_path):
    path = tmp_path / "x.arrow"
    pl.DataFrame({"a": list(range(10_000))}).write_ipc(path, compression="uncompressed")
    frame = read(Source(path))
    path.write_bytes(b"")
    assert frame["a"].to_list() == list(range(10_000))


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        ([[1, 2]], "List"),
        ([{"x": 1}], "Struct"),
        ([b"x"], "Binary"),
        ([dt.timedelta(1)], "Duration"),
        (pl.Series([[1, 2]], dtype=pl.Array(pl.Int8, 2)), "Array"),
    ],
)
@pytest.mark.parametrize("ending", [".parquet", ".arrow"])
def test_what_no_table_of_labels_can_hold_is_refused_by_name(cells, kind, ending, tmp_path):
    path = tmp_path / f"x{ending}"
    getattr(pl.DataFrame({"fine": [1], "odd": cells}), WRITERS[ending])(path)
    with pytest.raises(RequestError, match=f"column 'odd': has a type that cannot be published \\(found {kind}\\)"):
        read(Source(path))
