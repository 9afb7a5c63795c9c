"""What somebody at a terminal lives through: every command, its exit code, and what is left on the disk."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from openveil.cli.main import main
from openveil.core.registry import discover

CANARY = "Kanarienvogel"
PEOPLE = "name,age,town,illness\n" + "".join(
    f"{CANARY} {row},{20 + row % 12},{CANARY}{row % 2},{CANARY} ill {row % 3}\n" for row in range(60)
)
PLAN = """
[input]
path = "people.csv"
[columns.name]
role = "identifier"
[columns.age]
role = "quasi-identifier"
hierarchy = { kind = "intervals", widths = [5, 10] }
[columns.town]
role = "quasi-identifier"
hierarchy = { kind = "suppression" }
[columns.illness]
role = "sensitive"
[privacy]
k-anonymity = { k = 4 }
"""


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a table and a plan, where the person sits."""
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "plan.toml").write_text(PLAN)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def openveil(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from openveil.cli.main import run; run()", *arguments]
    settings = {**os.environ, **environment}
    return subprocess.run(command, capture_output=True, text=True, env=settings, check=False)


def told(capsys: pytest.CaptureFixture[str]) -> Any:
    captured = capsys.readouterr()
    assert captured.err == ""
    return json.loads(captured.out)


def test_from_a_file_to_a_verified_release(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scan", "people.csv", "-o", "proposed.toml"]) == 0
    assert main(["publish", "proposed.toml"]) == 0
    assert main(["verify", "release"]) == 0
    captured = capsys.readouterr()
    assert CANARY not in captured.out + captured.err + (desk / "proposed.toml").read_text()
    assert "smallest group measured on the written file: 5 rows" in captured.out
    assert {path.name for path in (desk / "release").iterdir()} == {"table.csv", "certificate.json", "report.html"}
    assert CANARY not in (desk / "release" / "certificate.json").read_text()


def test_scan_and_demo_answer_machines_too(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scan", "people.csv", "-o", "proposed.toml", "--json"]) == 0
    proposal = told(capsys)
    assert proposal["rows"] == 60
    assert [column["name"] for column in proposal["columns"]] == ["name", "age", "town", "illness"]
    assert proposal["plan"] == (desk / "proposed.toml").read_text()
    assert main(["demo", "shown", "--json"]) == 0
    captured = capsys.readouterr().out
    assert json.loads(captured)["folder"] == "shown/release"


MARKED = "age,born,height,zip,town,illness\n" + "".join(
    f"{'?' if row % 20 == 3 else 20 + row % 12},{'NA' if row % 20 == 5 else f'1964-09-{10 + row % 9}'},"
    f"{'-' if row % 20 == 7 else 1.5 + row % 4 / 8},{'unknown' if row % 20 == 9 else f'0213{row % 5}'},"
    f"{CANARY}{row % 2 or '?'},{CANARY} ill {row % 3}\n"
    for row in range(400)
)


def test_marks_of_not_known_do_not_keep_a_proposal_from_being_published(desk: Path) -> None:
    (desk / "marked.csv").write_text(MARKED)
    assert main(["scan", "marked.csv", "-o", "proposed.toml"]) == 0
    proposed = (desk / "proposed.toml").read_text()
    assert '\nmissing = ["?", "NA", "-", "unknown"]\n' in proposed
    assert proposed.count('"intervals"') == 2
    assert CANARY not in proposed
    assert main(["publish", "proposed.toml"]) == 0
    assert main(["verify", "release"]) == 0


WESTERN = "Größe;Jahre;Ort\n" + "".join(f"{1.5 + row % 4 / 8:.15g};{20 + row % 12};Øst\n" for row in range(60))


MONEY = """
columns.fee = { role = "quasi-identifier", hierarchy = { kind = "intervals", widths = [0.5, 5] } }
columns.rent = { role = "quasi-identifier", hierarchy = { kind = "suppression" } }
columns.tax = { role = "quasi-identifier", hierarchy = { kind = "ordering", sizes = [2] } }
columns.debt = { role = "sensitive" }
privacy.k-anonymity.k = 4
input.path = "money.parquet"
"""


@pytest.mark.parametrize("ending", ["csv", "parquet", "arrow"])
def test_exact_decimals_are_published_and_proposed(desk: Path, ending: str) -> None:
    tens = pl.int_range(120) % 3 * 10
    cents = {name: (tens + shift).cast(pl.Decimal(10, 0)) / pl.lit(8) for shift, name in enumerate(("fee", "debt"))}
    prices = {name: price.cast(pl.Decimal(10, 2)) for name, price in cents.items()}
    frame = pl.select(**prices, rent=tens.cast(pl.Decimal(10, 2)), tax=(tens % 4).cast(pl.Decimal(38, 0)))
    frame.write_parquet("money.parquet")
    (desk / "money.toml").write_text(f'{MONEY}output.format = "{ending}"\n')
    assert main(["publish", "money.toml"]) == 0
    assert main(["verify", "release"]) == 0
    assert main(["scan", "money.parquet", "-o", "proposed.toml"]) == 0
    assert main(["publish", "proposed.toml"]) == 0


def test_how_a_file_is_read_can_be_said_and_is_in_the_plan(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (desk / "western.csv").write_bytes(WESTERN.replace(".", ",").encode("latin-1"))
    options = ["--separator", ";", "--encoding", "latin-1", "--decimal", ","]
    assert main(["scan", "western.csv", *options, "-o", "western.toml"]) == 0
    proposed = (desk / "western.toml").read_text(encoding="utf-8")
    assert all(line in proposed for line in ('separator = ";"', 'encoding = "latin-1"', 'decimal = ","'))
    assert '[columns."Größe"]\nrole = "quasi-identifier"\nhierarchy = { kind = "intervals"' in proposed
    assert main(["publish", "western.toml"]) == 0
    assert "Größe" in (desk / "release" / "table.csv").read_text(encoding="utf-8")


@pytest.mark.parametrize("decimal", [",", "."])
def test_a_wrong_encoding_is_told_with_the_way_out_of_the_command(
    desk: Path, capsys: pytest.CaptureFixture[str], decimal: str
) -> None:
    (desk / "western.csv").write_bytes(WESTERN.replace(".", decimal).encode("latin-1"))
    assert main(["scan", "western.csv"]) == 2
    told_by_scan = capsys.readouterr().err
    assert "bytes that are not utf-8" in told_by_scan
    assert "Set --encoding to how the file was saved: cp1252, latin-1" in told_by_scan
    (desk / "plan.toml").write_text(PLAN.replace("people.csv", "western.csv"))
    assert main(["publish", "plan.toml"]) == 2
    assert "Set `encoding` to how the file was saved: cp1252, latin-1" in capsys.readouterr().err


def test_spellings_of_not_known_are_given_to_a_scan(desk: Path) -> None:
    ages = "".join(f"{age},f\n" for age in ("gone", "-1", *range(20, 60), *range(20, 60)))
    (desk / "ages.csv").write_text("age,sex\n" + ages)
    assert main(["scan", "ages.csv", "--missing", "gone", "--missing", "-1", "-o", "ages.toml"]) == 0
    plan = (desk / "ages.toml").read_text()
    assert 'missing = ["gone", "-1"]' in plan
    assert 'kind = "intervals"' in plan


def test_a_tab_can_be_typed_as_a_separator(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (desk / "tabs.txt").write_text("age\tsex\n1\tf\n1\tf\n2\tm\n")
    assert main(["scan", "tabs.txt", "--separator", "\\t"]) == 0
    assert 'separator = "\\t"' in capsys.readouterr().out


def test_publish_for_machines(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["publish", "plan.toml", "--json"]) == 0
    published = told(capsys)
    assert Path(published["table"]).is_file()
    assert published["certificate"]["promise"][0]["parameters"] == {"k": 4}


def test_a_release_that_was_changed_does_not_verify(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["publish", "plan.toml"])
    capsys.readouterr()
    table = desk / "release" / "table.csv"
    table.write_text("".join(table.read_text().splitlines(keepends=True)[:-1]))
    assert main(["verify", "release"]) == 1
    assert "does not hold" in capsys.readouterr().out
    assert main(["verify", "release", "--json"]) == 1
    assert told(capsys)["holds"] is False


def test_a_promise_that_cannot_be_kept(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (desk / "plan.toml").write_text(PLAN.replace("k = 4", "k = 61"))
    before = sorted(desk.rglob("*"))
    assert main(["publish", "plan.toml", "--json"]) == 1
    answer = told(capsys)
    assert answer["promised"] == "k = 61"
    assert "60 rows" in answer["reached"]
    assert answer["remedy"]
    assert sorted(desk.rglob("*")) == before


def test_an_unsafe_promise_is_told_first(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (desk / "plan.toml").write_text("allow_unsafe = true\n" + PLAN.replace("k-anonymity", "mu-argus"))
    assert main(["publish", "plan.toml"]) == 0
    first = capsys.readouterr().out.splitlines()[0]
    assert "mu-argus" in first
    assert "unsafe" in first


def test_the_linking_attack(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (desk / "people.csv").write_text(f"{PEOPLE}{CANARY} alone,99,{CANARY}0,{CANARY} ill 0\n")
    (desk / "neighbours.csv").write_text(f"who,age,town\none,20,{CANARY}0\nother,99,{CANARY}0\n")
    (desk / "plan.toml").write_text(PLAN + '[method]\nname = "samarati"\nmax_suppressed = 1\n')
    assert main(["link", "plan.toml", "neighbours.csv", "--who", "who.csv", "--json"]) == 0
    answer = told(capsys)
    found = {when: {each["name"]: each["value"] for each in answer[when]} for when in ("before", "after")}
    assert (found["before"]["re-identified"], found["after"]["re-identified"]) == (1, 0)
    assert pl.read_csv("who.csv")["age"].to_list() == [99]
    assert main(["link", "plan.toml", "neighbours.csv"]) == 0
    captured = capsys.readouterr()
    assert CANARY not in captured.out + captured.err
    assert main(["link", "plan.toml", "neighbours.csv", "--who", "who.csv"]) == 2


def test_who_is_found_is_for_its_owner_only(desk: Path) -> None:
    (desk / "neighbours.csv").write_text(f"who,age,town\none,20,{CANARY}0\n")
    before = set(desk.iterdir())
    assert main(["link", "plan.toml", "neighbours.csv", "--who", "who.csv"]) == 0
    assert stat.S_IMODE((desk / "who.csv").stat().st_mode) == 0o600
    assert set(desk.iterdir()) - before == {desk / "who.csv"}


def test_linking_says_what_was_compared(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (desk / "neighbours.csv").write_text(f"who;Town;age\none;{CANARY}0;20\none;{CANARY}0;20\n")
    assert main(["link", "plan.toml", "neighbours.csv", "--separator", ";"]) == 0
    said = capsys.readouterr().out
    assert not said.startswith("undecided")
    assert "Compared by: age." in said
    assert "does not have: town (rename 'Town' to compare by it?)" in said
    assert "rows that repeat another in every column" in said
    assert all(words in said for words in ("what the plan publishes now", "'exactly one row' counts rows"))


def test_linking_that_could_not_compare_is_no_sign_of_safety(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (desk / "neighbours.csv").write_text(f"age;town\n20,0;{CANARY}0\n77,5;{CANARY}0\n78,5;{CANARY}\n")
    assert main(["link", "plan.toml", "neighbours.csv", "--decimal", ","]) == 0
    said = capsys.readouterr().out
    assert said.startswith("undecided: 2 of 3 external persons could not be compared")
    assert "value not in the table: age" in said
    assert "value not in the table: town" in said
    assert CANARY not in said
    assert main(["link", "plan.toml", "neighbours.csv", "--decimal", ",", "--json"]) == 0
    answer = told(capsys)
    assert (answer["verdict"], answer["compared_by"]) == ("undecided", ["age", "town"])


def test_a_plan_of_another_table_is_one_problem(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (desk / "people.csv").write_text("a,b\n1,2\n")
    assert main(["publish", "plan.toml", "--json"]) == 2
    [problem] = told(capsys)["problems"]
    assert problem["what"] == "no column of the plan is in the file"


def test_the_folder_one_stands_in_has_a_name(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["publish", "plan.toml"]) == 0
    assert main(["verify", "."]) == 2
    assert "''" not in capsys.readouterr().err


def test_parts_are_called_what_a_plan_calls_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain"]) == 0
    listed = capsys.readouterr().out
    kinds = ["privacy model", "method", "preference", "hierarchy", "utility", "attack"]
    assert {line for line in listed.splitlines() if line and not line.startswith(" ")} == set(kinds)
    for kind in kinds:
        assert main(["parts", kind, "--json"]) == 0
        assert {part["kind"] for part in told(capsys)["parts"]} == {kind}


def test_the_demonstration(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo"]) == 0
    assert "smallest group measured on the written file: 5 rows" in capsys.readouterr().out
    assert main(["verify", "openveil-demo/release"]) == 0
    assert main(["demo"]) == 0
    (desk / "openveil-demo" / "adult.parquet").write_bytes(b"mine")
    assert main(["demo"]) == 2
    assert (desk / "openveil-demo" / "adult.parquet").read_bytes() == b"mine"


def test_parts_are_listed_and_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["parts", "requirement", "--json"]) == 0
    names = [part["name"] for part in told(capsys)["parts"]]
    assert {"k-anonymity", "mu-argus"} <= set(names)
    assert main(["parts"]) == 0
    assert "known unsafe" in capsys.readouterr().out
    assert main(["explain", "intervals"]) == 0
    lecture = capsys.readouterr().out
    assert all(word in lecture for word in ("Claim.", "Why it holds.", "Cost.", "Source."))
    assert main(["schema"]) == 0
    assert told(capsys)["properties"]["privacy"]["properties"]["k-anonymity"]


def test_a_status_that_depends_on_parameters_is_told_with_them(capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody reads `proved` where some settings are only measured."""
    depends = [part.name for part in discover() if hasattr(part.cls, "claimed")]
    assert "personalised+" in depends
    assert depends == [part.name for part in discover() if part.weaker]
    assert main(["parts", "method"]) == 0
    [line] = [line for line in capsys.readouterr().out.splitlines() if line.split()[:1] == ["personalised+"]]
    assert "proved, measured" in line
    assert line.endswith("With a level above 0: measured.")
    assert main(["parts", "method", "--json"]) == 0
    told_of = {part["name"]: part.get("weaker") for part in told(capsys)["parts"]}
    assert told_of["personalised+"] == {"status": "measured", "where": "with a level above 0"}
    assert told_of["mondrian+"] is None
    assert main(["explain", "personalised+"]) == 0
    assert "proved; with a level above 0: measured" in capsys.readouterr().out.splitlines()[0]


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["pblish", "plan.toml"], '"publish"'),
        (["publish"], "PLAN"),
        (["publish", "plan.toml", "--jsn"], "--json"),
        (["publish", "plan.toml", "extra"], "extra"),
        (["parts", "hierarchie"], "hierarchy"),
        (["explain", "interval"], "'intervals'"),
        (["scan", "nowhere.csv"], "nowhere.csv"),
        (["scan", "people.csv", "-o", "plan.toml"], "--force"),
        (["scan", "people.csv", "-o", "nowhere/plan.toml"], "folder"),
        (["scan", "people.csv", "-o", "."], "folder"),
        (["scan", "people.csv", "--separator", "abc"], "--separator"),
        (["scan", "people.csv", "--encoding", "utf-9"], "--encoding"),
        (["scan", "people.csv", "--decimal", ";"], "--decimal"),
        (["verify", "nowhere"], "certificate.json"),
        (["verify", "."], "certificate.json"),
        (["link", "plan.toml", "nowhere.csv"], "nowhere.csv"),
        (["link", ".", "people.csv"], "openveil link plan.toml"),
        (["link", "plan.toml", "people.csv", "--encoding", "utf-9"], "--encoding"),
        (["publish", "."], "is a folder"),
        (["parts", "mehtod"], "method"),
        (["demo", "plan.toml"], "plan.toml"),
    ],
)
def test_a_wrong_request(desk: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], hint: str) -> None:
    before = {path: path.read_bytes() for path in desk.rglob("*")}
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert hint in captured.err
    assert "Traceback" not in captured.err
    assert {path: path.read_bytes() for path in desk.rglob("*")} == before


def test_wrong_arguments_are_told_to_machines_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["publish", "--json"]) == 2
    assert told(capsys)["problems"][0]["where"] == "command line"


def test_force_replaces_a_plan(desk: Path) -> None:
    assert main(["scan", "people.csv", "-o", "plan.toml", "--force"]) == 0
    assert "proposed by" in (desk / "plan.toml").read_text()
    assert {path.name for path in desk.iterdir()} == {"people.csv", "plan.toml"}


def test_a_proposal_names_the_file_from_where_the_plan_is(desk: Path) -> None:
    (desk / "plans").mkdir()
    assert main(["scan", "people.csv", "-o", "plans/plan.toml"]) == 0
    assert 'path = "../people.csv"' in (desk / "plans" / "plan.toml").read_text()


@pytest.mark.parametrize(
    ("error", "code", "shown"),
    [
        (ValueError(CANARY), 70, "ValueError"),
        (OSError(28, "No space left on device", CANARY), 2, "No space left on device"),
        (KeyboardInterrupt(CANARY), 130, "Interrupted"),
        (MemoryError(CANARY), 70, "MemoryError"),
    ],
)
def test_the_unexpected_shows_no_data(
    desk: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: BaseException,
    code: int,
    shown: str,
) -> None:
    def fail(*arguments: object, **settings: object) -> None:
        raise error

    monkeypatch.setattr("openveil.workflow.publish.publish_files", fail)
    assert main(["publish", "plan.toml"]) == code
    captured = capsys.readouterr()
    assert shown in captured.err
    assert CANARY not in captured.out + captured.err


def test_a_traceback_on_request(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object, **settings: object) -> None:
        raise ValueError("inside")

    monkeypatch.setattr("openveil.workflow.publish.publish_files", fail)
    monkeypatch.setenv("OPENVEIL_DEBUG", "1")
    with pytest.raises(ValueError, match="inside"):
        main(["publish", "plan.toml"])


def test_the_installed_command(desk: Path) -> None:
    assert openveil("--version").stdout.startswith("openveil ")
    assert "publish" in openveil("--help").stdout
    wrong = openveil("publish", "nowhere.toml")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "\x1b" not in wrong.stderr
    done = openveil("publish", "plan.toml", NO_COLOR="1", FORCE_COLOR="1")
    assert done.returncode == 0
    assert "\x1b[31" not in done.stdout
    assert done.stderr == ""


def test_a_reader_that_goes_away_is_no_error(desk: Path) -> None:
    shell = f"{sys.executable} -c 'from openveil.cli.main import run; run()' schema"
    for command in (shell, f"{shell[:-6]}parts"):
        early = f"set -o pipefail; {command} | true"
        piped = subprocess.run(["bash", "-c", early], capture_output=True, check=False)
        assert (piped.returncode, piped.stderr) == (141, b"")


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="no device that is always full")
@pytest.mark.parametrize("output", [">/dev/full", ">&-"])
@pytest.mark.parametrize("arguments", ["publish plan.toml --json", "publish plan.toml", "parts", "--help"])
def test_an_answer_that_cannot_be_written_is_one_line(desk: Path, arguments: str, output: str) -> None:
    shell = f"{sys.executable} -c 'from openveil.cli.main import run; run()' {arguments} {output}"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=False)
    assert done.returncode == 74
    assert done.stderr.startswith("The answer cannot be written to standard output: ")
    assert done.stderr.count("\n") == 1
    assert (desk / "release").exists() == arguments.startswith("publish")


@pytest.mark.parametrize("nowhere", ["/dev/full", "&-"])
def test_where_nobody_can_be_told_the_exit_code_says_it(desk: Path, nowhere: str) -> None:
    shell = f"{sys.executable} -c 'from openveil.cli.main import run; run()' publish"
    assert subprocess.run(["bash", "-c", f"{shell} nowhere.toml 2>{nowhere}"], check=False).returncode == 2
    done = subprocess.run(["bash", "-c", f"{shell} plan.toml 2>{nowhere}"], capture_output=True, check=False)
    assert done.returncode == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_leaves_nothing_behind(desk: Path, number: signal.Signals) -> None:
    slow = (
        "import time, openveil.workflow.publish as p; from openveil.cli.main import run; import pathlib\n"
        "old = p.write\n"
        "def write(*a):\n    old(*a); pathlib.Path('started').touch(); time.sleep(30)\n"
        "p.write = write; run()"
    )
    before = set(desk.rglob("*"))
    running = subprocess.Popen([sys.executable, "-c", slow, "publish", "plan.toml"], stderr=subprocess.PIPE)
    while not (desk / "started").exists() and running.poll() is None:
        time.sleep(0.02)
    running.send_signal(number)
    errors = running.communicate(timeout=20)[1]
    (desk / "started").unlink()
    assert running.returncode == 130
    assert b"Traceback" not in errors
    assert set(desk.rglob("*")) == before


LIGHT = {
    "--version": {"polars", "pydantic", "numba", "numpy"},
    "--help": {"polars", "pydantic", "numba", "numpy"},
    "parts": {"pydantic", "numba"},
    "schema": {"numba"},
}


@pytest.mark.parametrize("command", LIGHT)
def test_commands_import_only_what_they_need(command: str) -> None:
    script = (
        "import sys; from openveil.cli.main import main; main(sys.argv[1:]);"
        f"print(*sorted({LIGHT[command]!r} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script, command], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == ""


def test_importing_the_package_imports_nothing_heavy() -> None:
    heavy = {"polars", "pydantic", "numba", "numpy", "cyclopts"}
    script = f"import sys, openveil; print(*({heavy!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_the_public_names_are_all_there() -> None:
    import openveil

    assert all(getattr(openveil, name) for name in openveil.__all__)
    assert set(openveil.__all__) <= set(dir(openveil))
    with pytest.raises(AttributeError, match="no attribute"):
        openveil.nothing  # noqa: B018
