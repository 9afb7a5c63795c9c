"""What does a data steward read when the file is wrong: the place, the rule, the way out, and never a cell?"""

import gzip
import os
import traceback
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

import polars as pl
import pytest

from openveil.core.errors import RequestError
from openveil.io.read import Source, read

CELL = "Zebulon"
TITLE = "seems to be a title"
RAGGED = "fewer or more fields than the header"
NOT_UTF_8 = "not utf-8"
PARQUET = BytesIO()
pl.DataFrame({"name": [CELL] * 50, "age": list(range(50))}).write_parquet(PARQUET)
STRUCTS = BytesIO()
pl.DataFrame({"name": [[CELL]], "raw": [CELL.encode()], "age": [1]}).write_parquet(STRUCTS)


@dataclass(frozen=True)
class Bad:
    name: str
    data: bytes
    says: tuple[str, ...]
    settings: dict[str, Any] = field(default_factory=dict)


BAD = [
    Bad("empty.csv", b"", ("is empty", "header line")),
    Bad("only_blank_lines.csv", b"\n\r\n\n", ("is empty",)),
    Bad("blank_first_line.csv", b"\nname,age\nZebulon,1\n", ("line 1", "is blank where the header should be")),
    Bad("short.csv", b"name,age\n1,2\nZebulon\n3,4\n", (RAGGED, "1 of 3 rows", "line 3 has 1", "which has 2")),
    Bad("short_first.csv", b"name,age\nZebulon\n", (RAGGED, "1 of 1 rows", "line 2 has 1")),
    Bad("short_among_empty.csv", b"name,age\n,\nZebulon\n", (RAGGED, "1 of 2 rows", "line 3 has 1")),
    Bad("short_and_quoted.csv", b'name,age\n"Zebulon,","x"\n"a,b"\n', (RAGGED, "1 of 2 rows", "line 3 has 1")),
    Bad("long.csv", b"name,age\n1,2\nZebulon,3,4\n", (RAGGED, "1 of 2 rows", "line 3 has 3")),
    Bad("short_and_long.csv", b"name,age\nZebulon\n1,2,3\n", (RAGGED, "2 of 2 rows", "line 2 has 1, line 3 has 3")),
    Bad("gap.csv", b"name,age\nZebulon,2\n\n3,4\n", (RAGGED, "line 3 has 1")),
    Bad("after_quoted_lines.csv", b'name,age\n"a\nb\nc",2\nZebulon\n', (RAGGED, "1 of 2 rows", "line 5 has 1")),
    Bad("many.csv", b"name,age\n" + b"Zebulon\n" * 9, (RAGGED, "9 of 9 rows", "line 6 has 1, and so on")),
    Bad("wrong_separator.csv", b"a\nZebulon,2\n", (RAGGED, "set `separator` if it is not a comma")),
    Bad("two_ways.csv", b"a,b;c\nZebulon,1;2\n", ("a comma or a semicolon", "`separator`")),
    Bad("same_names.csv", b"a,b,a\n1,Zebulon,3\n", ("column 'a'", "columns number 1, 3")),
    Bad("no_name.csv", b"a,, \n1,Zebulon,3\n", ("column number 2", "column number 3", "has no name")),
    Bad("title.csv", b"Patients\n\nname;age\nZebulon;1\nx;2\n", (TITLE, "above the header", "in line 3")),
    Bad("wide_title.csv", b"Patients;\r\n;\r\nname;age\r\nZebulon;1\r\nx;2\r\n", (TITLE, "above the header")),
    Bad("said_title.csv", b"Patients\n\n\na|b\nZebulon|1\nx|2\n", (TITLE, "in line 4"), {"separator": "|"}),
    Bad("pandas.csv", b",name,age\n0,Zebulon,1\n1,x,2\n", ("exported row index", "index=False", "identifier")),
    Bad("r.csv", b'"","name","age"\n"1","Zebulon",1\n"2","x",2\n', ("exported row index", "row.names=FALSE")),
    Bad("r_table.csv", b"name,age\n1,Zebulon,1\n2,x,2\n", ("one field more in every row", "row.names=FALSE")),
    Bad("declared.csv", b"sep=;\nname;age\nZebulon\n", (RAGGED, "below its line sep=", "line 2 has 1")),
    Bad("stray_quote.csv", b'name,age\nx,1\nZebulon 5" tall,2\n', ("line 3", "a quote inside a cell", "double")),
    Bad("quote_then_text.csv", b'name,age\n"Zebulon"s,1\n', ("line 2", "a quote inside a cell")),
    Bad("open_quote.csv", b'name,age\nx,1\n"Zebulon,2\nx,3\n', ("line 3", "never closed")),
    Bad("nul.csv", b"name,age\nx,1\nZebulon\0,2\n", ("line 3", "NUL byte", "utf-16-le")),
    Bad("unmarked_utf_16.csv", f"name\n{CELL}é\n".encode("utf-16-le"), ("NUL byte", "utf-16-le")),
    Bad("eastern.csv", "name,town\nZebulon,Łódź\n".encode("cp1250"), ("line 2, column 'town'", NOT_UTF_8, "cp1252")),
    Bad("cyrillic.csv", "name,town\nZebulon,Москва\n".encode("cp1251"), ("line 2, column 'town'", NOT_UTF_8)),
    Bad("header.csv", b"name,\x81\nZebulon,1\n", ("line 1, column number 2", NOT_UTF_8)),
    Bad("truly_ascii.csv", "n\nZebulon\nö\n".encode(), ("line 3, column 'n'", "not ascii"), {"encoding": "ascii"}),
    Bad("half_utf_16.csv", "n\nZebulon".encode("utf-16")[:-1], ("line 2", "not utf-16")),
    Bad("plain.csv.gz", b"name\nZebulon\n", ("not a gzip file",)),
    Bad("cut.csv.gz", gzip.compress(b"name\nZebulon\n" * 99)[:-9], ("is damaged",)),
    Bad("text.parquet", b"name,age\nZebulon,1\n", ("not a Parquet file", "Export it again")),
    Bad("cut.parquet", PARQUET.getvalue()[:-20], ("is damaged",)),
    Bad("empty.parquet", b"", ("is damaged",)),
    Bad("nested.parquet", STRUCTS.getvalue(), ("column 'name'", "List", "column 'raw'", "Binary", "leave it out")),
    Bad("text.arrow", b"name,age\nZebulon,1\n", ("not an Arrow file",)),
    Bad("cut.feather", b"ARROW1\0\0Zebulon", ("not an Arrow file",)),
    Bad("set.parquet", PARQUET.getvalue(), ("`separator`, `decimal`", "out"), {"separator": ";", "decimal": ","}),
    Bad("book.xlsx", b"Zebulon", ("not known (found .xlsx)", ".parquet")),
    Bad("nothing", b"Zebulon", ("found no ending", ".csv")),
]


@pytest.mark.parametrize("bad", BAD, ids=lambda bad: bad.name)
def test_a_bad_file_is_one_clear_refusal(bad, tmp_path):
    path = tmp_path / bad.name
    path.write_bytes(bad.data)
    with pytest.raises(RequestError) as caught:
        read(Source(path, **bad.settings))
    message = str(caught.value)
    assert str(path) in message
    assert [words for words in bad.says if words not in message] == []
    assert CELL not in "".join(traceback.format_exception(caught.value))


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(RequestError, match="does not exist"):
        read(Source(tmp_path / "gone.csv"))


def test_a_folder_is_refused(tmp_path):
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(RequestError, match="is a folder, not a file"):
        read(Source(tmp_path / "folder.csv"))


def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(RequestError, match="is not a regular file"):
        read(Source(tmp_path / "pipe.csv"))


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".arrow"])
def test_an_unreadable_file_is_refused(ending, tmp_path, monkeypatch):
    path = tmp_path / f"closed{ending}"
    path.write_bytes(b"x")

    def denied(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.read_bytes", denied)
    with pytest.raises(RequestError, match="the system does not allow it"):
        read(Source(path))


def test_two_parquet_columns_of_one_name_are_refused(tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pa.table([[1], [CELL]], names=["a", "a"]), tmp_path / "twice.parquet")
    with pytest.raises(RequestError, match="two columns of the same name"):
        read(Source(tmp_path / "twice.parquet"))


@pytest.mark.parametrize("form", ["parquet", "ipc"])
def test_damaged_bytes_never_escape_as_another_error(form, tmp_path):
    """Bytes changed at places spread over the file give a table or a refusal, not a panic and not a system error."""
    whole = BytesIO()
    getattr(pl.DataFrame({"name": [CELL] * 200, "age": list(range(200))}), f"write_{form}")(whole)
    data, path, refused = whole.getvalue(), tmp_path / f"x.{'parquet' if form == 'parquet' else 'arrow'}", 0
    for at in range(0, len(data), max(1, len(data) // 60)):
        path.write_bytes(data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :])
        try:
            read(Source(path))
        except RequestError as error:
            refused += 1
            assert CELL not in str(error)
    assert refused > 5


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"separator": "ab"}, "separator"),
        ({"separator": ""}, "separator"),
        ({"separator": '"'}, "separator"),
        ({"separator": "x"}, "separator"),
        ({"separator": "§"}, "separator"),
        ({"encoding": "klingon"}, "encoding"),
        ({"encoding": "hex"}, "encoding"),
        ({"decimal": ""}, "decimal"),
        ({"decimal": "'"}, "decimal"),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused_at_once(settings, says, tmp_path):
    with pytest.raises(RequestError, match=f"^{says}: "):
        Source(tmp_path / "x.csv", **settings)


def test_all_wrong_settings_are_told_together(tmp_path):
    with pytest.raises(RequestError) as caught:
        Source(tmp_path / "x.csv", separator="ab", encoding="hex", decimal="x")
    assert len(caught.value.problems) == 3
