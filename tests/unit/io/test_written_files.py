"""Is what a reader of the published file sees exactly what was to be published?"""

import errno
import os
import re
import resource
import signal
from datetime import date

import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from openveil.core.errors import RequestError
from openveil.io.read import Source, read
from openveil.io.write import read_published, write

SPECIAL = ["", " ", '"', '""', ",", "\n", "\r", "\r\n", "NA", "null", "=1+1", "\ufeff", "007", "#", "[1, 2]"]
TEXTS = st.one_of(
    st.none(),
    st.sampled_from(SPECIAL),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6),
)
LETTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufeff")
# Names that stand for several columns are refused when read, so they are never written.
PATTERN = re.compile(r"\*|\^.*\$", re.DOTALL)
NAMES = st.text(LETTERS, min_size=1, max_size=5).filter(lambda name: name.strip() and not PATTERN.fullmatch(name))
ENDINGS = [".csv", ".parquet", ".arrow"]


@st.composite
def frames(draw):
    names = draw(st.lists(NAMES, min_size=1, max_size=3, unique=True))
    height = draw(st.integers(0, 6))
    columns = {name: draw(st.lists(TEXTS, min_size=height, max_size=height)) for name in names}
    return pl.DataFrame(columns, schema=dict.fromkeys(names, pl.String))


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_reader_sees_what_was_written(ending, tmp_path_factory):
    path = tmp_path_factory.mktemp("written") / f"x{ending}"

    @given(frames())
    def check(frame):
        assume(ending != ".csv" or frame.width > 1 or "" not in frame.to_series().to_list())
        write(frame, path)
        assert_frame_equal(read_published(path), frame)

    check()


def test_null_is_nothing_and_the_empty_string_is_quoted(tmp_path):
    write(pl.DataFrame({"a": ["x", None, ""], "b": ["é", "", None]}), tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_bytes() == 'a,b\nx,é\n,""\n"",\n'.encode()


@pytest.mark.parametrize(
    ("values", "rows"),
    [(["x", None, None], b"x"), ([7, None, None], b"7"), ([date(2001, 2, 3), None, None], b"2001-02-03")],
)
def test_no_reader_skips_the_missing_cells_of_a_single_column(values, rows, tmp_path):
    path = tmp_path / "x.csv"
    write(pl.DataFrame({"a": values}), path)
    assert path.read_bytes() == b'a\n%b\n""\n""\n' % rows
    assert read_published(path).rows() == [(rows.decode(),), (None,), (None,)]
    assert read(Source(path)).rows() == [(values[0],), (None,), (None,)]
    assert pd.read_csv(path)["a"].isna().tolist() == [False, True, True]
    assert pl.read_csv(path).height == 3


def test_empty_texts_of_a_single_column_are_refused(tmp_path):
    frame = pl.DataFrame({"a": ["x", "", None, ""]})
    with pytest.raises(RequestError, match=r"cannot tell from missing cells \(found 2 of 4 rows\)"):
        write(frame, tmp_path / "x.csv")
    write(frame, tmp_path / "x.parquet")
    assert [path.name for path in tmp_path.iterdir()] == ["x.parquet"]


def test_csv_comes_back_as_text_and_parquet_as_it_was(tmp_path):
    frame = pl.DataFrame({"zip": ["02139"], "age": [7], "share": [1.5]})
    for ending in ENDINGS:
        write(frame, tmp_path / f"x{ending}")
    assert read_published(tmp_path / "x.csv").rows() == [("02139", "7", "1.5")]
    assert_frame_equal(read_published(tmp_path / "x.parquet"), frame)
    assert_frame_equal(read_published(tmp_path / "x.arrow"), frame)


def test_a_name_that_repeats_in_a_published_file_is_refused(tmp_path):
    (tmp_path / "x.csv").write_text("a,a\n1,2\n")
    with pytest.raises(RequestError, match="columns number 1, 2"):
        read_published(tmp_path / "x.csv")


def test_a_short_row_in_a_published_file_is_refused(tmp_path):
    (tmp_path / "x.csv").write_text("a,b\n1,2\n3\n")
    with pytest.raises(RequestError, match="line 3 has 1"):
        read_published(tmp_path / "x.csv")


@pytest.mark.parametrize(
    ("frame", "name", "says"),
    [
        (pl.DataFrame({"a": [1]}), "x.xlsx", "Use one of .csv, .parquet, .arrow"),
        (pl.DataFrame({"a": [1]}), "x", "found no ending"),
        (pl.DataFrame(), "x.csv", "would have no columns"),
        (pl.DataFrame({"": [1]}), "x.csv", "column number 1: has no name"),
        (pl.DataFrame({"a": ["x\0"]}), "x.csv", "NUL byte"),
        (pl.DataFrame({"a": [1]}), "gone/x.csv", "does not exist"),
        (pl.DataFrame({"a": [1]}), "folder.csv", "the system refused it|Is a directory"),
        (pl.DataFrame({"a": [1]}), "file/x.csv", "a file stands where a folder is needed"),
    ],
)
def test_what_cannot_be_written_is_refused_and_leaves_nothing(frame, name, says, tmp_path):
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "file").write_text("kept")
    with pytest.raises(RequestError, match=says):
        write(frame, tmp_path / name)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder.csv"]


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_full_disk_keeps_the_file_that_was_there(ending, step, tmp_path, monkeypatch):
    path = tmp_path / f"x{ending}"
    path.write_text("old")

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, step, full)
    with pytest.raises(RequestError, match="the disk is full"):
        write(pl.DataFrame({"a": [1]}), path)
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
    assert path.read_text() == "old"


def test_a_limit_of_the_real_system_leaves_nothing(tmp_path):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    try:
        with pytest.raises(RequestError, match="File too large"):
            write(pl.DataFrame({"a": list(range(1000))}), tmp_path / "x.csv")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert list(tmp_path.iterdir()) == []


def test_the_file_is_on_the_disk_before_it_has_its_name(tmp_path, monkeypatch):
    path, seen = tmp_path / "x.csv", []
    sync = os.fsync
    monkeypatch.setattr(os, "fsync", lambda handle: (seen.append(path.exists()), sync(handle))[1])
    write(pl.DataFrame({"a": [1]}), path)
    assert seen == [False, True]
