"""Does `verify` notice every edit that the files of a release can contradict, and refuse what is no certificate?"""

from __future__ import annotations

import copy
import json
import shutil
from contextlib import suppress
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import openveil
from openveil.cli.main import main
from openveil.core.errors import RequestError
from openveil.core.finding import Verdict
from openveil.report.page import render
from openveil.workflow.publish import publish
from openveil.workflow.verify import verify

CANARY = "Zaphod-7341"
BAD = {Verdict.FAILS, Verdict.UNDECIDED}

AS_MEASURED = "the certified findings are as measured here"
THERE = "the findings of the original are there, once"
LEVELS = "the labels are of the certified levels"
FIGURES = "the figures add up"
CONTRADICTS = "no certified finding fails or contradicts itself"
ALIKE = "every attribute is spoken of alike"
PARTS = "the parts are as this version knows them"
ALLOWED = "unsafe parts are allowed by the plan"
INPUT = "the columns are those of the input"
MADE = "every finding is one that this version makes"
REPORT = "the report is the one of this certificate"


def people(rows=120):
    rng = np.random.default_rng(7)
    return pl.DataFrame(
        {
            "name": [f"{CANARY}-{i}" for i in range(rows)],
            "who": [i // 2 for i in range(rows)],
            "age": rng.integers(20, 60, rows),
            "zip": [*["09999"] * 2, *(f"0{z}" for z in rng.integers(2130, 2134, rows - 2))],
            "ill": rng.choice(["flu", "cold", CANARY], rows, p=[0.8, 0.1, 0.1]),
            "weight": rng.integers(50, 90, rows) / 2,
        }
    )


def plan_of(*, who="identifier", model="k-anonymity", k=3, **changes):
    plan = {
        "columns": {
            "name": {"role": "identifier"},
            "who": {"role": who},
            "age": {"role": "quasi-identifier", "hierarchy": {"kind": "ordering", "sizes": [10, 2]}},
            "zip": {"role": "quasi-identifier", "hierarchy": {"kind": "suppression"}},
            "ill": {"role": "sensitive"},
            "weight": {"role": "other"},
        },
        "privacy": {model: {"k": k}},
        "method": {"name": "samarati", "max_suppressed": "5%"},
        "allow_unsafe": model == "mu-argus",
    }
    return plan | changes


def written(folder, **choices):
    publish(people(), plan_of(**choices)).write(folder)
    return folder


@pytest.fixture(scope="module")
def releases(tmp_path_factory):
    """One release of each kind that edits are tried on."""
    base = tmp_path_factory.mktemp("releases")
    kinds = {
        "rows": {},
        "persons": {"who": "person", "k": 2},
        "one": {"k": 1, "method": "samarati"},
        "unsafe": {"model": "mu-argus"},
    }
    return {kind: written(base / kind, **choices) for kind, choices in kinds.items()}


@pytest.fixture
def edited(releases, tmp_path):
    """A copy of a release whose certificate was edited, with the report that the edited certificate gives."""

    def edit(change, kind="rows", *, report=True):
        folder = tmp_path / "edited"
        shutil.copytree(releases[kind], folder)
        path = folder / "certificate.json"
        certificate = json.loads(path.read_text())
        before = copy.deepcopy(certificate)
        change(certificate)
        assert json.dumps(certificate) != json.dumps(before)
        path.write_text(json.dumps(certificate))
        with suppress(RequestError):  # There is no report of a certificate that says half of something.
            if report:
                (folder / "report.html").write_text(render(certificate))
        return folder

    return edit


def failing(folder):
    return {finding.name for finding in verify(folder) if finding.verdict in BAD}


def finding(certificate, name, on):
    return next(each for each in certificate["findings"] if (each["name"], each["on"]) == (name, on))


def puts(*path, value):
    def change(certificate):
        at = certificate
        for step in path[:-1]:
            at = at[step]
        at[path[-1]] = value

    return change


def measured(name, on, /, **values):
    return lambda certificate: finding(certificate, name, on).update(values)


def without(name, on):
    return lambda certificate: certificate["findings"].remove(finding(certificate, name, on))


def adds(**values):
    return lambda certificate: certificate["findings"].append({"verdict": "informs", **values})


def removes(*path):
    def change(certificate):
        at = certificate
        for step in path[:-1]:
            at = at[step]
        del at[path[-1]]

    return change


def shifts(**counts):
    def change(certificate):
        for key, by in counts.items():
            certificate["suppression"][key] += by

    return change


def tops_both(certificate):
    levels = certificate["levels"]
    levels["age"]["level"], levels["zip"]["level"] = 1, 1


def turns(name, role):
    def change(certificate):
        next(each for each in certificate["columns"] if each["name"] == name)["role"] = role

    return change


def says_twice(certificate):
    certificate["findings"].append(finding(certificate, "information loss", "a row, on average"))


LONGEST = "levels made from the longest value"
SHARE, IN_SHARED = "groups in which all rows share one value", "rows in groups that share one value"
LOOKS = "looks at sensitive values that the release does not show"
UNCHANGED = "columns published unchanged"

EDITS = {
    "k lowered": (puts("promise", 0, "parameters", "k", value=1), AS_MEASURED),
    "k lowered a little": (puts("promise", 0, "parameters", "k", value=2), AS_MEASURED),
    "a smaller limit": (measured("smallest class", "rows", limit=2), AS_MEASURED),
    "a larger class": (measured("smallest class", "rows", value=9), AS_MEASURED),
    "a measured finding less": (without("smallest class", "rows"), AS_MEASURED),
    "another median": (measured("median class", "rows", value=99.0), AS_MEASURED),
    "no group shares": (measured(SHARE, "ill", value=0), AS_MEASURED),
    "no rows share": (measured(IN_SHARED, "ill", value=0), AS_MEASURED),
    "nothing of what groups share": (without(SHARE, "ill"), AS_MEASURED),
    "fewer unique rows": (measured("rows that are unique", UNCHANGED, value=0), AS_MEASURED),
    "unique rows not told": (without("rows that are unique", UNCHANGED), AS_MEASURED),
    "fewer observed labels": (measured("labels made from observed values", "age", value=1), AS_MEASURED),
    "another discernibility": (measured("discernibility", "rows", value=1), AS_MEASURED),
    "better completeness": (measured("completeness", "rows", value=1.0, exact="1/1"), AS_MEASURED),
    "an invented share": (adds(name=SHARE, on="weight", value=0), AS_MEASURED),
    "invented persons": (adds(name="smallest class", on="persons", value=3, limit=2, verdict="holds"), AS_MEASURED),
    "levels changed": (puts("levels", "age", "level", value=0), AS_MEASURED),
    "levels removed": (puts("levels", value={}), AS_MEASURED),
    "a level that is not shown": (tops_both, LEVELS),
    "a level too high": (puts("levels", "age", "level", value=9), ALIKE),
    "one level removed": (removes("levels", "age"), ALIKE),
    "a hierarchy removed": (removes("hierarchies", "age"), ALIKE),
    "looks not told": (without(LOOKS, "algorithm"), THERE),
    "looks without limit": (measured(LOOKS, "algorithm", limit=5), THERE),
    "loss not told": (without("information loss", "a row, on average"), THERE),
    "loss told twice": (says_twice, THERE),
    "another repeating column": (measured("distinct values of an identifier that repeats", "who", on="age"), THERE),
    "fewer that repeat": (measured("distinct values of an identifier that repeats", "who", value=3), THERE),
    "an invented finding": (
        adds(name="probability that anyone is re-identified", on="release", value=0, limit=0, verdict="holds"),
        MADE,
    ),
    "an invented figure": (adds(name="information loss", on="of what counts", value=0), MADE),
    "a figure of another method": (adds(name="classes", on="release of others", value=0), AS_MEASURED),
    "levels of another column": (adds(name=LONGEST, on="age", value=2), THERE),
    "an unknown column of a known finding": (
        adds(name="rows with a replaced sensitive value", on="x", value=0),
        THERE,
    ),
    "a finding that fails": (measured(LOOKS, "algorithm", verdict="fails"), CONTRADICTS),
    "a finding not decided": (adds(name="x", on="y", value=1, verdict="undecided"), CONTRADICTS),
    "a smaller loss": (measured("information loss", "share of losing everything", value=0.001), CONTRADICTS),
    "a bound above": (measured("information loss", "search", interval=[9, 9]), CONTRADICTS),
    "nothing suppressed": (puts("suppression", "rows", value=0), FIGURES),
    "kept blank": (puts("suppression", "kept_blank", value=1), FIGURES),
    "kept blank, adding up": (shifts(of=-1, kept_blank=1), FIGURES),
    "more suppressed than allowed": (shifts(of=50, rows=50), FIGURES),
    "fewer original rows": (shifts(of=-1, rows=-1), AS_MEASURED),
    "another sum of groups": (puts("classes", "count", value=1), FIGURES),
    "another status": (puts("promise", 0, "status", value="measured"), PARTS),
    "another source": (puts("promise", 0, "source", value="Somebody 2024"), PARTS),
    "another status of the method": (puts("method", "status", value="measured"), PARTS),
    "a method unheard of": (puts("method", "name", value="magic"), PARTS),
    "a parameter unheard of": (puts("method", "parameters", "magic", value=1), PARTS),
    "another status of a hierarchy": (puts("hierarchies", "age", "status", value="measured"), PARTS),
    "another adversary": (puts("adversary", value="Nobody."), PARTS),
    "an unsafe status": (puts("method", "status", value="known unsafe"), ALLOWED),
    "a name in the table": (turns("ill", "identifier"), ALIKE),
    "a sensitive column made other": (turns("ill", "other"), AS_MEASURED),
    "another column made sensitive": (turns("weight", "sensitive"), AS_MEASURED),
    "a removed column forgotten": (puts("removed", value=["who"]), INPUT),
    "another input": (puts("digests", "input_schema", value="0" * 64), INPUT),
    "another checksum": (puts("file", "sha256", value="0" * 64), "the table is the file the certificate speaks of"),
    "another number of rows": (puts("file", "rows", value=7), "rows in the table"),
    "other sizes": (puts("classes", "of_size", value={"3": 39}), "the classes have the certified sizes"),
}


@pytest.mark.parametrize(("change", "caught"), EDITS.values(), ids=EDITS)
def test_an_edited_certificate_does_not_hold(edited, change, caught):
    assert caught in failing(edited(change))


PERSONS_EDITS = {
    "more persons than rows": (measured("smallest class", "persons", value=99), AS_MEASURED),
    "fewer persons than promised": (measured("smallest class", "persons", value=1), AS_MEASURED),
    "another limit": (measured("smallest class", "persons", limit=1), AS_MEASURED),
    "not a whole number": (measured("smallest class", "persons", value=2.0), AS_MEASURED),
    "persons under another name": (measured("smallest class", "persons", name="x"), AS_MEASURED),
    "persons not told": (without("smallest class", "persons"), INPUT),
    "a repeating identifier": (
        adds(name="distinct values of an identifier that repeats", on="name", value=3, note="repeats: 9 rows"),
        THERE,
    ),
}


@pytest.mark.parametrize(("change", "caught"), PERSONS_EDITS.values(), ids=PERSONS_EDITS)
def test_what_is_said_of_persons_must_be_possible(edited, change, caught):
    assert caught in failing(edited(change, "persons"))


UNSAFE_EDITS = {
    "not allowed": (puts("allow_unsafe", value=False), ALLOWED),
    "said to be proved": (puts("promise", 0, "status", value="proved"), PARTS),
    "said to be proved and not allowed": (
        lambda certificate: [
            puts("promise", 0, "status", value="proved")(certificate),
            puts("allow_unsafe", value=False)(certificate),
        ],
        ALLOWED,
    ),
    "rarer combinations": (
        measured("rarest combination", "up to three values", value=9999),
        AS_MEASURED,
    ),
}


@pytest.mark.parametrize(("change", "caught"), UNSAFE_EDITS.values(), ids=UNSAFE_EDITS)
def test_a_part_is_never_taken_for_safer_than_it_is_known_to_be(edited, change, caught):
    assert caught in failing(edited(change, "unsafe"))


@pytest.mark.parametrize("kind", ["rows", "persons", "one", "unsafe"])
def test_what_was_published_holds(releases, kind):
    assert not failing(releases[kind])


@pytest.mark.parametrize(
    "spoil",
    [
        lambda report: report.write_text(report.read_text().replace("Every person", "Nobody")),
        lambda report: report.write_bytes(b"\xff"),
        lambda report: report.unlink(),
    ],
)
def test_another_report_does_not_hold(releases, tmp_path, spoil):
    folder = tmp_path / "copy"
    shutil.copytree(releases["rows"], folder)
    spoil(folder / "report.html")
    assert failing(folder) == {REPORT}


def test_what_the_longest_value_decides_is_as_certified(tmp_path):
    plan = plan_of()
    plan["columns"]["zip"]["hierarchy"] = {"kind": "masking"}
    frame = people().with_columns(zip=pl.when(pl.int_range(120) == 5).then(pl.lit("0999999")).otherwise("zip"))
    certificate = publish(frame, plan).write(tmp_path / "longest").certificate
    assert finding(certificate, LONGEST, "zip")["value"] == 7
    assert not failing(tmp_path / "longest")
    for change in (measured(LONGEST, "zip", value=6), measured(LONGEST, "zip", note="all is well")):
        changed = copy.deepcopy(certificate)
        change(changed)
        (tmp_path / "longest" / "certificate.json").write_text(json.dumps(changed))
        assert THERE in failing(tmp_path / "longest")


def test_files_that_are_not_of_the_release_are_told(releases, tmp_path, capsys):
    folder = tmp_path / "copy"
    shutil.copytree(releases["rows"], folder)
    people().write_csv(folder / "original.csv")
    (folder / "notes").mkdir()
    [told] = [each for each in verify(folder) if each.name == "files that are not of the release"]
    assert (told.value, told.on, told.verdict) == (2, "notes, original.csv", Verdict.INFORMS)
    assert not failing(folder)
    assert main(["verify", str(folder)]) == 0
    assert "original.csv" in capsys.readouterr().out
    assert "files that are not of the release" not in {each.name for each in verify(releases["rows"])}


def test_an_edit_that_the_report_shows_is_noticed_by_the_report(edited):
    assert failing(edited(puts("secret_commitment", value="0" * 64), report=False)) == {REPORT}


def test_a_certificate_of_another_version_is_told_and_its_words_are_not_compared(edited):
    def older(certificate):
        certificate["versions"]["openveil"] = "0.0.7"
        certificate["adversary"] = certificate["promise"][0]["source"] = "in other words"
        finding(certificate, "labels made from observed values", "age")["note"] = "in other words"
        certificate["method"]["status"] = "measured"

    folder = edited(older, report=False)
    assert not failing(folder)
    [told] = [each for each in verify(folder) if each.name == "written by another version of openveil"]
    assert told.note.startswith("written by 0.0.7, verified by ")


def test_the_terminal_says_that_the_report_of_another_version_was_not_compared(edited, capsys):
    folder = edited(puts("versions", "openveil", value="0.0.7"), report=False)
    assert main(["verify", str(folder)]) == 0
    told = capsys.readouterr().out
    assert "Its report was not compared" in told
    assert "written by 0.0.7, verified by " in told


@pytest.mark.parametrize(
    ("kind", "change", "caught"),
    [
        ("rows", measured("smallest class", "rows", value=9), AS_MEASURED),
        ("unsafe", puts("promise", 0, "status", value="proved"), PARTS),
        ("unsafe", puts("allow_unsafe", value=False), ALLOWED),
    ],
)
def test_another_version_excuses_words_and_nothing_else(edited, kind, change, caught):
    def both(certificate):
        certificate["versions"]["openveil"] = "0.0.7"
        change(certificate)

    assert caught in failing(edited(both, kind))


MALFORMED = {
    "no promise": (puts("promise", value=[]), "promise must not be empty"),
    "promise a number": (puts("promise", value=5), "promise must be a list"),
    "promise of texts": (puts("promise", value=[CANARY]), "promise.1 must be a table"),
    "a promise unheard of": (puts("promise", 0, "name", value=CANARY), "a privacy model this version does not have"),
    "k a yes": (puts("promise", 0, "parameters", "k", value=True), "parameters of promise k-anonymity"),
    "k with decimals": (puts("promise", 0, "parameters", "k", value=5.0), "parameters of promise k-anonymity"),
    "k a list": (puts("promise", 0, "parameters", "k", value=[5]), "parameters of promise k-anonymity"),
    "k nothing": (puts("promise", 0, "parameters", "k", value=0), "parameters of promise k-anonymity"),
    "no k": (puts("promise", 0, "parameters", value={}), "parameters of promise k-anonymity"),
    "another parameter": (puts("promise", 0, "parameters", "q", value=1), "parameters of promise k-anonymity"),
    "a status unheard of": (puts("promise", 0, "status", value=CANARY), "promise.1.status is not one of the words"),
    "no checksum": (removes("file", "sha256"), "file.sha256 is missing"),
    "rows a text": (puts("file", "rows", value=CANARY), "file.rows must be a whole number"),
    "rows with decimals": (puts("file", "rows", value=120.0), "file.rows"),
    "rows negative": (puts("file", "rows", value=-1), "file.rows has the wrong form"),
    "rows too many": (puts("file", "rows", value=10**30), "file.rows"),
    "a file elsewhere": (puts("file", "name", value="../table.csv"), "file.name has the wrong form"),
    "columns a text": (puts("columns", value=CANARY), "columns must be a list"),
    "a column without a role": (removes("columns", 0, "role"), "columns.1.role is missing"),
    "a role unheard of": (puts("columns", 0, "role", value=CANARY), "columns.1.role is not one of the words"),
    "a key unheard of": (puts("approved", value=CANARY), "approved is not a key of a certificate"),
    "a key unheard of within": (puts("file", "approved", value=CANARY), "file.approved is not a key"),
    "a size that is none": (puts("classes", "of_size", "x", value=1), "classes.of_size.x has the wrong form"),
    "findings a table": (puts("findings", value={}), "findings must be a list"),
    "a value that is a text": (puts("findings", 0, "value", value=CANARY), "findings.1.value must be a number"),
    "a limit that is nothing": (puts("findings", 0, "limit", value=None), "findings.1.limit must be a number"),
    "a half interval": (puts("findings", 0, "interval", value=[1]), "findings.1.interval.2 is missing"),
    "a column twice": (
        lambda certificate: certificate["columns"].append(certificate["columns"][0]),
        "the whole names a column twice",
    ),
    "a column removed and published": (puts("removed", value=["who", "ill"]), "the whole names a column twice"),
    "a column removed twice": (puts("removed", value=["who", "who"]), "the whole names a column twice"),
    "a name that no text is": (puts("columns", 0, "name", value="\ud800"), "is not JSON"),
    "format 1.0": (puts("certificate", value=1.0), "certificate must be a whole number"),
    "format true": (puts("certificate", value=True), "certificate must be a whole number"),
    "format 2": (puts("certificate", value=2), "certificate is another number"),
}


@pytest.mark.parametrize(("change", "told"), MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_certificate_is_refused_by_key_and_never_by_value(edited, change, told):
    folder = edited(change, report=False)
    with pytest.raises(RequestError) as caught:
        verify(folder)
    assert told in str(caught.value)
    assert len(caught.value.problems) == 1
    assert CANARY not in str(caught.value)


def test_of_many_wrong_keys_the_first_are_named(edited):
    folder = edited(lambda certificate: [certificate.pop(key) for key in list(certificate)[1:]], report=False)
    with pytest.raises(RequestError, match=r"promise is missing; .* and 12 more"):
        verify(folder)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[",
        "[" * 100_000,
        '{"a":' * 100_000,
        "[]",
        "5",
        "null",
        "{}",
        '{"certificate": NaN}',
        '{"certificate": 1, "certificate": 1}',
        f'{{"certificate": {"9" * 5000}}}',
        "\ufeff{}",
    ],
    ids=repr,
)
def test_what_is_no_certificate_is_refused(releases, tmp_path, text, capsys):
    folder = tmp_path / "copy"
    shutil.copytree(releases["rows"], folder)
    (folder / "certificate.json").write_text(text)
    assert main(["verify", str(folder)]) == 2
    assert "certificate.json" in capsys.readouterr().err


def places(value, path=()):
    yield path
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in pairs:
        yield from places(inner, (*path, step))


def test_nothing_that_stands_in_a_certificate_makes_verify_stumble(releases, tmp_path):
    folder = tmp_path / "copy"
    shutil.copytree(releases["rows"], folder)
    path = folder / "certificate.json"
    certificate = json.loads(path.read_text())
    unseen = 0
    for place in list(places(certificate))[1:]:
        for value in (None, CANARY, -1, 5.5, [], {}):
            changed = copy.deepcopy(certificate)
            puts(*place, value=value)(changed)
            if changed == certificate:
                continue
            path.write_text(json.dumps(changed))
            try:
                unseen += not failing(folder)
            except RequestError as error:
                assert CANARY not in str(error)
    # The other version of openveil, the far end of a finding's interval, and the width of a hierarchy's intervals.
    assert unseen <= 3


@pytest.mark.parametrize("dtype", [pl.List(pl.Int64), pl.Struct({"a": pl.Int64}), pl.Binary])
def test_a_table_of_things_that_are_no_cells_does_not_hold(tmp_path, dtype):
    folder = tmp_path / "out"
    publish(people(), plan_of()).write(folder, format="parquet")
    frame = pl.read_parquet(folder / "table.parquet")
    odd = pl.Series("age", [None] * frame.height, dtype=dtype)
    frame.with_columns(odd).write_parquet(folder / "table.parquet")
    assert failing(folder)


ODD = {
    "zeros": pl.Series([0.0, -0.0] * 60),
    "not numbers": pl.Series([float("nan"), None, 1.5] * 40),
    "thirty-two bits": pl.Series([0.1, 0.2, 1 / 3] * 40, dtype=pl.Float32),
    "empty": pl.Series(["", None, "x"] * 40),
    "times": pl.Series(np.arange(120) % 7 * 1_000_000_001).cast(pl.Datetime("ns", "Europe/Rome")),
    "days": pl.Series(np.arange(120) % 5).cast(pl.Date),
    "categories": pl.Series(["a", "b", None] * 40, dtype=pl.Categorical),
    "yes": pl.Series([True, False, None] * 40),
    "money": pl.Series(["1.10", "1.1", "2"] * 40).cast(pl.Decimal(10, 2)),
}


@pytest.mark.parametrize("ending", ["csv", "parquet", "arrow"])
@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_what_was_counted_before_writing_is_counted_again_from_the_file(tmp_path, ending, values):
    frame = people().with_columns(ill=values, weight=values)
    publish(frame, plan_of()).write(tmp_path / "out", format=ending)
    assert not failing(tmp_path / "out")


@pytest.mark.filterwarnings("ignore::openveil.core.errors.LeftOutWarning")
@pytest.mark.parametrize("loners", [7, 3])
def test_rows_kept_blank_are_verified_and_cannot_be_made_up(tmp_path, loners):
    frame = people().with_columns(age=30, zip=pl.lit("02139"))
    lone = people(loners).with_columns(age=pl.int_range(pl.len()) + 60, zip=pl.lit("02139"))
    method = {"name": "samarati", "max_suppressed": loners, "prefer": "minimum-absolute-distance"}
    plan = plan_of(k=5, method=method, output={"suppressed": "blank"})
    folder = tmp_path / "out"
    certificate = publish(pl.concat([frame, lone], how="vertical_relaxed"), plan).write(folder).certificate
    assert certificate["suppression"] == {
        "rows": loners,
        "of": 120 + loners,
        "kept_blank": loners if loners > 5 else 0,
    }
    assert not failing(folder)
    certificate["suppression"] = {"rows": 20, "of": 120 + loners, "kept_blank": 20}
    (folder / "certificate.json").write_text(json.dumps(certificate))
    assert {LEVELS, FIGURES} <= failing(folder)


@pytest.mark.parametrize(
    ("kind", "warning"),
    [
        ("rows", ""),
        (
            "unsafe",
            "Not safe to release: the privacy model mu-argus is known to be unsafe. Use it for comparison only.",
        ),
        ("one", "This table promises nothing: a person in it may be the only one of their kind."),
    ],
)
def test_what_publish_warns_of_first_is_said_first(releases, capsys, kind, warning):
    assert main(["verify", str(releases[kind])]) == 0
    first = capsys.readouterr().out.splitlines()[0]
    assert first.startswith(warning or "The release in ")
    assert main(["verify", str(releases[kind]), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["holds"] is True
    assert told["warning"].startswith(warning)
    assert bool(told["warning"]) == bool(warning)


def test_what_does_not_hold_is_told_by_name(edited, capsys):
    folder = edited(measured("smallest class", "rows", value=9))
    assert main(["verify", str(folder)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith("does not hold.")
    assert [line.split(AS_MEASURED)[1].strip() for line in lines if AS_MEASURED in line] == ["smallest class (rows)"]


def test_verify_takes_a_text_or_a_path(releases):
    assert openveil.verify(str(releases["rows"])) == verify(Path(releases["rows"]))
