"""Is every cell of a delimited file in the frame, in its row and column?"""

import csv
import gzip
from io import StringIO

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openveil.core.errors import RequestError
from openveil.io.delimited import read_delimited, read_texts, unpacked
from openveil.io.read import Source, read
from openveil.io.separator import CANDIDATES
from openveil.io.shape import Layout

CELLS = st.one_of(
    st.sampled_from(["", " ", '"', '""', ",", ";", "\t", "|", "\n", "\r\n", "\r", "é", "0", "a b", "\u2028", "'"]),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8),
)


@st.composite
def grids(draw):
    width = draw(st.integers(1, 4))
    return draw(st.lists(st.lists(CELLS, min_size=width, max_size=width), max_size=8))


def texts(data: bytes, *, separator=None, encoding=None):
    return read_texts(data, "x.csv", separator=separator, encoding=encoding)


def values(data: bytes, *, separator=None, encoding=None, decimal=".", missing=()):
    return read_delimited(data, "x.csv", separator=separator, encoding=encoding, decimal=decimal, missing=missing)


def spelled(grid, separator, newline, quoting):
    file = StringIO()
    writer = csv.writer(file, delimiter=separator, lineterminator=newline, quoting=quoting)
    writer.writerow([f"c{number}" for number in range(len(grid[0]) if grid else 2)])
    writer.writerows(grid)
    return file.getvalue().encode()


# With newlines alone, the standard library leaves a carriage return at the end of a cell bare.
STYLES = [("\r\n", csv.QUOTE_MINIMAL), ("\r\n", csv.QUOTE_ALL), ("\n", csv.QUOTE_ALL)]


@given(grids(), st.sampled_from(CANDIDATES), st.sampled_from(STYLES))
def test_reads_what_the_standard_library_wrote(grid, separator, style):
    frame = texts(spelled(grid, separator, *style), separator=separator)
    assert [list(row) for row in frame.fill_null("").rows()] == grid


@given(grids())
def test_nothing_is_null_only_where_nothing_is_written(grid):
    frame = texts(spelled(grid, ",", "\n", csv.QUOTE_ALL), separator=",")
    assert sum(frame.null_count().row(0)) == 0


@given(grids())
def test_the_layout_counts_the_fields_the_parser_finds(grid):
    layout = Layout.of(spelled(grid, ";", "\r\n", csv.QUOTE_MINIMAL), ";")
    widths, _ = layout.widths()
    assert layout.stray_quote() is None
    assert widths.tolist() == [len(grid[0]) if grid else 2] * (len(grid) + 1)


@pytest.mark.parametrize("separator", CANDIDATES)
def test_the_separator_is_detected(separator):
    data = f'a{separator}b\nx{separator}1\n"y{separator}{separator}"{separator}2\n'.encode()
    assert texts(data).rows() == [("x", "1"), (f"y{separator}{separator}", "2")]


def test_a_separator_that_not_every_line_has_is_not_chosen():
    assert texts(b"a;b,c\nx,1;2\ny;3\n").columns == ["a", "b,c"]


def test_the_sample_of_the_separator_may_end_inside_a_record():
    data = b"a;b,c,d\n" + b"12;34\n" * 60_000
    assert data[: 1 << 18].endswith(b"\n12")
    assert texts(data).columns == ["a", "b,c,d"]


def test_decimal_commas_do_not_disturb_the_separator():
    assert values(b"a;b\n1,5;x\n2,25;y\n", decimal=",").rows() == [(1.5, "x"), (2.25, "y")]


def test_one_column_has_no_separator():
    assert texts(b"name\nx\n\ny\n").rows() == [("x",), (None,), ("y",)]


@pytest.mark.parametrize("end", [b"", b"\n", b"\n\n\n", b"\r\n", b"\r\n\r\n"])
def test_blank_lines_at_the_end_do_not_count(end):
    assert texts(b"a,b\n1,2" + end).rows() == [("1", "2")]


@pytest.mark.parametrize("name", [b"name", b'"a,b"', b'"a\n,"'])
def test_blank_lines_at_the_end_are_rows_of_a_single_column(name):
    assert texts(name + b"\nx\n\n\n", separator=",").rows() == [("x",), (None,), (None,)]


def test_blank_lines_at_the_end_do_not_count_after_a_header_of_two_lines():
    assert texts(b'"a\n",b\n1,2\n\n').rows() == [("1", "2")]


def test_lines_of_old_macs():
    assert texts(b"a,b\r1,2\r3,4\r").rows() == [("1", "2"), ("3", "4")]


def test_a_header_alone_is_a_table_without_rows():
    assert values(b"a,b\n").schema == {"a": pl.String, "b": pl.String}


def test_an_empty_last_field_is_not_a_short_row():
    assert texts(b"a,b\nx,\n,y\n,\n").rows() == [("x", None), (None, "y"), (None, None)]


def test_names_may_hold_anything_but_nothing():
    assert texts(b'"a\nb","c,d"," e""f"\n1,2,3\n').columns == ["a\nb", "c,d", ' e"f']


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"a,s\nx\r,1\nx,2\n", 2),
        (b"a,s\nx,1\n\rx,2\n", 3),
        (b"a,s\nx,1\rx,2\nx,3\n", 2),
        (b"a,s\r\nx,1\r\r\nx,2\r\n", 2),
        (b'a,s\r\n"x\r",1\r\nx,2\r', 3),
        (b"a\r,s\nx,1\n", 1),
    ],
)
def test_a_carriage_return_inside_a_line_is_refused(data, line):
    for read_as in (texts, values):
        with pytest.raises(RequestError, match=rf"x\.csv, line {line}: has a carriage return inside a line"):
            read_as(data, separator=",")


def test_a_carriage_return_inside_quotes_is_a_part_of_the_cell():
    assert texts(b'a,s\r\n"x\r",1\r\n"\ry",2\r\n').rows() == [("x\r", "1"), ("\ry", "2")]


def test_blanks_after_the_separator_are_dropped_on_request():
    data = b' a,  b, "c"\n 1, x y ,"  kept, too"\n'
    frame = texts(data, separator=", ")
    assert (frame.columns, frame.rows()) == (["a", "b", "c"], [("1", "x y ", "  kept, too")])


def test_blanks_after_some_separators_stay_without_request():
    assert texts(b"a, b\n1, x\n2,x\n").rows() == [("1", " x"), ("2", "x")]
    assert texts(b"a,b\n" + b"1, x\n" * 60_000 + b"1,x\n").row(0) == ("1", " x")
    assert texts(b"a, b\n1, x\n", separator=",").rows() == [("1", " x")]


def test_empty_and_missing_cells_are_null():
    data = b'a,b,c\n?, NA ,""\n1,NAN,  \n'
    assert values(data, missing=("?", "NA")).rows() == [(None, None, None), (1, "NAN", None)]


def test_a_missing_token_may_be_a_number():
    frame = values(b"age\n-9\n30\n", missing=("-9",))
    assert (frame.rows(), frame.schema) == ([(None,), (30,)], {"age": pl.Int64})


def test_files_are_read_by_their_ending(tmp_path):
    data = b"a;b\n1;x\n"
    for name, content in [("x.csv", data), ("x.TXT", data), ("x.csv.gz", gzip.compress(data))]:
        (tmp_path / name).write_bytes(content)
        assert read(Source(tmp_path / name)).rows() == [(1, "x")]


def test_a_tsv_file_has_tabs(tmp_path):
    (tmp_path / "x.tsv").write_bytes(b"a,b\tc\n1,5\t2\n")
    assert read(Source(tmp_path / "x.tsv")).columns == ["a,b", "c"]


def test_unpacked_is_the_inverse_of_gzip():
    assert unpacked(gzip.compress(b"abc"), "x") == b"abc"


@pytest.mark.parametrize(
    ("text", "names", "first"),
    [
        ("age,job\n39, clerk\n50, smith\n", ["age", "job"], (39, "clerk")),
        ("age, job\n39, clerk\n50, smith\n", ["age", "job"], (39, "clerk")),
        ('age, job\n39, "cook, baker"\n50, smith\n', ["age", "job"], (39, "cook, baker")),
        ("age; job\n39; clerk\n50; \n", ["age", "job"], (39, "clerk")),
        ("age,job\n39, clerk\n50,smith\n", ["age", "job"], (39, " clerk")),
        ("age, job\n39,clerk\n50,smith\n", ["age", " job"], (39, "clerk")),
        ("sep=;\nage;job\n39;clerk\n50;smith\n", ["age", "job"], (39, "clerk")),
        ("sep=;\r\nage;job, or so\r\n39;clerk, or so\r\n", ["age", "job, or so"], (39, "clerk, or so")),
        ("SEP=,\nage,job;x\n39,clerk;y\n", ["age", "job;x"], (39, "clerk;y")),
        ("sep=\t\nage\tjob\n39\tclerk\n", ["age", "job"], (39, "clerk")),
        ("name\n\nx\n", ["name"], (None,)),
    ],
)
def test_how_fields_are_parted_is_seen_or_said(text, names, first, tmp_path):
    (tmp_path / "t.csv").write_text(text, newline="")
    frame = read(Source(tmp_path / "t.csv"))
    assert frame.columns == names
    assert frame.row(0) == first


def test_what_a_plan_says_of_the_separator_overrules_the_file(tmp_path):
    (tmp_path / "t.csv").write_text("sep=;\nage,job;x\n39,clerk;y\n")
    assert read(Source(tmp_path / "t.csv", ",")).row(0) == (39, "clerk;y")


def test_a_published_column_may_be_called_like_a_declaration(tmp_path):
    pl.DataFrame({"sep=;": ["x", None, "a,b", "c,d"]}).write_csv(tmp_path / "t.csv")
    assert read(Source(tmp_path / "t.csv", ",")).columns == ["sep=;"]
