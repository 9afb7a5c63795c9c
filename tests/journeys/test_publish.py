"""From a table and a plan to a verified release, and everything that must not happen on the way."""

import json
import pickle
from collections import Counter
from contextlib import nullcontext, suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import openveil
import openveil.workflow.publish as publishing
from openveil.core.errors import GuaranteeError, LeftOutWarning, OpenveilError, RequestError
from openveil.core.finding import Verdict
from openveil.core.publisher import Publisher
from openveil.core.recoding import Display, Recoding
from openveil.core.release import Evidence, Release, Tables
from openveil.core.secret import Secret
from openveil.core.witness import NOT_ASKED, Look, Witness
from openveil.report.text import lines
from openveil.workflow.certificate import file_digest
from openveil.workflow.exposure import unique_rows
from openveil.workflow.plan import Plan
from openveil.workflow.publish import publish, publish_files
from openveil.workflow.taking import encode
from openveil.workflow.verify import verify

CANARY = "Zaphod-7341"


def people(rows=120):
    rng = np.random.default_rng(7)
    return pl.DataFrame(
        {
            "name": [f"{CANARY}-{i}" for i in range(rows)],
            "age": rng.integers(20, 60, rows),
            "zip": [f"0{z}" for z in rng.integers(2130, 2140, rows)],
            "ill": rng.choice(["flu", "cold", CANARY], rows),
            "note": [f"visit {i}" for i in range(rows)],
        }
    )


def plan_of(**changes):
    plan = {
        "columns": {
            "name": {"role": "identifier"},
            "age": {"role": "quasi-identifier", "hierarchy": {"kind": "intervals", "widths": [5, 10, 20]}},
            "zip": {"role": "quasi-identifier", "hierarchy": {"kind": "masking"}},
            "ill": {"role": "sensitive"},
            "note": {"role": "other"},
        },
        "privacy": {"k-anonymity": {"k": 5}},
        "method": {"name": "samarati", "max_suppressed": "5%"},
    }
    return plan | changes


@pytest.fixture
def project(tmp_path):
    """A folder with a table and its plan."""
    people().write_csv(tmp_path / "people.csv")
    plan = plan_of(input={"path": "people.csv"}, output={"folder": "out"})
    return Plan.from_dict(plan, base=tmp_path)


def classes(frame, quasi=("age", "zip")):
    return Counter(map(tuple, frame.select(quasi).rows()))


def failing(findings):
    return {finding.name for finding in findings if finding.verdict is Verdict.FAILS}


def test_a_release_is_k_anonymous_and_complete():
    frame = people()
    published = publish(frame, plan_of())
    data = published.data
    assert data.columns == ["age", "zip", "ill", "note"]
    assert min(classes(data).values()) >= 5
    assert data.height + published.release.suppressed == frame.height
    kept = frame.filter(pl.col("note").is_in(data["note"].implode()))
    assert Counter(data.select("note", "ill").rows()) == Counter(kept.select("note", "ill").rows())


def test_every_published_label_covers_the_original_value():
    frame = people()
    data = publish(frame, plan_of()).data.join(frame, on="note", suffix="_was")
    for age, was in data.select("age", "age_was").rows():
        low, high = (20, 59) if age == "*" else (int(end) for end in f"{age}-{age}".split("-")[:2])
        assert low <= was <= high
    for code, was in data.select("zip", "zip_was").rows():
        assert all(shown in ("*", original) for shown, original in zip(code, was, strict=False))


def test_rows_come_in_an_order_that_is_not_the_source_order():
    first, second = (publish(people(), plan_of()).data["note"].to_list() for _ in range(2))
    assert first != second
    assert first != [note for note in people()["note"].to_list() if note in set(first)]


def test_the_secret_reproduces_a_release_bit_for_bit_and_is_nowhere():
    secret = Secret(bytes(range(32)))
    first, second = (publish(people(), plan_of(), secret=secret) for _ in range(2))
    assert first.data.equals(second.data)
    assert first.certificate == second.certificate
    assert first.certificate["secret_commitment"] == secret.commitment
    for shown in (json.dumps(first.certificate), repr(first), repr(secret), str(secret), repr(first.release)):
        assert secret.key.hex() not in shown
        assert repr(secret.key) not in shown


@pytest.mark.parametrize("given", [bytes(range(32)), f"{CANARY} and no bytes, 32 letters", b"", 7])
def test_what_is_no_secret_is_refused_and_not_shown(project, given):
    calls = (lambda: publish(people(), plan_of(), secret=given), lambda: publish_files(project, secret=given))
    for call in calls:
        with pytest.raises(RequestError, match=r"secret: is not a Secret .*Give openveil\.Secret\(key\)") as caught:
            call()
        assert type(given).__name__ in str(caught.value)
        assert CANARY not in str(caught.value)
    assert sorted(path.name for path in project.base.iterdir()) == ["people.csv"]


@pytest.mark.parametrize("key", [f"{CANARY} as a text of 32 letters", CANARY.encode()])
def test_a_key_that_is_none_is_refused_and_not_shown(key):
    with pytest.raises(RequestError, match="Give 32 bytes") as caught:
        openveil.Secret(key)
    assert CANARY not in str(caught.value)


@pytest.mark.parametrize(
    ("convert", "kind"),
    [
        (lambda frame: frame, pl.DataFrame),
        (lambda frame: frame.lazy(), (pl.LazyFrame, pl.DataFrame)),
        (lambda frame: frame.to_pandas().set_index("name", drop=False).iloc[::-1], pd.DataFrame),
        (lambda frame: frame.to_arrow(), pa.Table),
    ],
)
def test_a_frame_comes_back_in_kind_and_is_never_changed(convert, kind):
    native = convert(people())
    before = native.copy() if isinstance(native, pd.DataFrame) else native
    published = publish(native, plan_of())
    assert isinstance(published.data, kind)
    back = pl.from_pandas(published.data) if kind is pd.DataFrame else pl.DataFrame(published.release.frame)
    assert back.columns == ["age", "zip", "ill", "note"]
    assert min(classes(back).values()) >= 5
    if isinstance(native, pd.DataFrame):
        pd.testing.assert_frame_equal(native, before)


def test_whole_numbers_with_missing_cells_come_back_to_pandas_whole():
    frame = pd.DataFrame(
        {
            "age": pd.array([25] * 4 + [None] * 4, dtype="Int64"),
            "account": pd.array([2**53 + 1, None] * 4, dtype="int64[pyarrow]"),
            "ill": pd.Categorical(["flu", "cold"] * 4),
        }
    )
    columns = {
        "age": {"role": "quasi-identifier", "hierarchy": {"kind": "suppression"}},
        "account": {"role": "sensitive"},
        "ill": {"role": "other"},
    }
    data = publish(frame, {"columns": columns, "privacy": {"k-anonymity": {"k": 2}}}).data
    assert data.dtypes.to_dict() == frame.dtypes.to_dict()
    assert set(data["age"].dropna()) == {25}
    assert set(data["account"].dropna()) == {2**53 + 1}


def test_files_are_written_and_verify(project):
    written = publish_files(project)
    assert {path.name for path in written.folder.iterdir()} == {"certificate.json", "report.html", "table.csv"}
    findings = verify(written.folder)
    assert not failing(findings)
    assert {finding.name for finding in findings} >= {"classes that fail k = 5", "smallest class"}
    published = pl.read_csv(written.table, infer_schema=False)
    assert min(classes(published).values()) >= 5
    assert CANARY not in json.dumps(written.certificate)
    assert CANARY not in written.report.read_text()
    assert not [path for path in project.base.iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize("ending", ["csv", "parquet", "arrow"])
@pytest.mark.parametrize("suppressed", ["drop", "blank"])
def test_every_format_and_treatment_verifies(project, ending, suppressed):
    output = {"folder": "out", "format": ending, "suppressed": suppressed}
    plan = plan_of(input={"path": "people.csv"}, output=output)
    written = publish_files(Plan.from_dict(plan, base=project.base))
    assert written.table.suffix == f".{ending}"
    assert not failing(verify(written.folder))


def sparse():
    """Forty equal rows, and as many loners as are asked for."""
    return lambda loners: pl.DataFrame(
        {
            "name": [str(i) for i in range(40 + loners)],
            "age": [30] * 40 + list(range(60, 60 + loners)),
            "zip": ["02139"] * (40 + loners),
            "ill": ["flu"] * (40 + loners),
            "note": ["x"] * (40 + loners),
        }
    )


@pytest.mark.parametrize(("loners", "kept"), [(7, 47), (3, 40)])
def test_blank_rows_are_kept_only_as_a_class_that_holds(loners, kept):
    method = {"name": "samarati", "max_suppressed": loners, "prefer": "minimum-absolute-distance"}
    told = pytest.warns(LeftOutWarning, match="3 suppressed rows were left out") if kept == 40 else nullcontext()
    with told:
        published = publish(sparse()(loners), plan_of(method=method, output={"suppressed": "blank"}))
    assert published.release.suppressed == loners
    assert published.data.height == kept
    assert published.certificate["suppression"] == {"rows": loners, "of": 40 + loners, "kept_blank": kept - 40}
    assert min(classes(published.data).values()) >= 5


def test_a_person_with_many_rows_hides_nobody():
    frame = pl.DataFrame({"who": [1, 1, 1, 1, 2, 3, 4, 5], "age": [30] * 4 + [50] * 4})
    columns = {
        "who": {"role": "person"},
        "age": {"role": "quasi-identifier", "hierarchy": {"kind": "suppression"}},
    }
    plan = {"columns": columns, "privacy": {"k-anonymity": {"k": 2}}}
    published = publish(frame, plan)
    assert published.data.columns == ["age"]
    assert set(published.data["age"]) == {"*"}
    with pytest.raises(GuaranteeError, match="5 persons"):
        publish(frame, plan | {"privacy": {"k-anonymity": {"k": 6}}})


def test_rows_of_unknown_persons_count_as_one():
    frame = pl.DataFrame({"who": [None, None, None, 7], "age": [30] * 4})
    columns = {"who": {"role": "person"}, "age": {"role": "quasi-identifier", "hierarchy": {"kind": "suppression"}}}
    plan = {"columns": columns, "privacy": {"k-anonymity": {"k": 3}}}
    with pytest.raises(GuaranteeError, match="2 persons"):
        publish(frame, plan)


def test_a_promise_that_cannot_be_kept_says_what_could_be():
    with pytest.raises(GuaranteeError, match=r"k = 500.*120 rows") as caught:
        publish(people(), plan_of(privacy={"k-anonymity": {"k": 500}}, method="samarati"))
    assert caught.value.exit_code == 1
    assert CANARY not in str(caught.value)


def gate(**changes):
    """What the publisher would hand to the gate, with one thing changed."""
    plan = Plan.from_dict(plan_of())
    table = encode(people(), plan)
    witness = Witness(table.frame.select("ill"))
    recoding = plan.publisher.solve(table.public, witness, plan.requirement, Secret.fresh())
    applied = publishing.leave_out(table, recoding, Secret.fresh())
    frame, looks = changes.get("frame", applied.tables.frame), changes.get("looks", ())
    evidence = Evidence(recoding, applied.order, looks=looks)
    return Release(Tables(frame), table.schema, plan.requirement, evidence), recoding


def test_the_gate_lets_an_honest_release_through():
    release, _ = gate()
    assert release.classes.sizes.min() >= 5


@pytest.mark.parametrize(
    "spoil",
    [
        lambda frame: frame.with_columns(age=pl.col("age").cast(pl.String) + pl.int_range(pl.len()).cast(pl.String)),
        lambda frame: frame.with_row_index(),
        lambda frame: frame.drop("note"),
        lambda frame: frame.head(frame.height - 1),
        lambda frame: pl.concat([frame, frame.head(1)]),
        lambda frame: frame.select(reversed(frame.columns)),
    ],
)
def test_the_gate_stops_a_publisher_that_errs(spoil):
    honest, _ = gate()
    with pytest.raises(GuaranteeError, match="k = 5"):
        gate(frame=spoil(honest.frame))


def test_the_gate_stops_a_publisher_that_peeked():
    _, recoding = gate()
    inside = np.where(recoding.group == recoding.group.max(), 0, NOT_ASKED)
    assert gate(looks=(Look("tally", inside),))[0].findings
    inside[np.flatnonzero(inside == 0)[0]] = NOT_ASKED
    with pytest.raises(GuaranteeError, match="not derivable"):
        gate(looks=(Look("tally", inside),))


class Peeking(Publisher):
    """Asks nothing it may not ask, and groups by what it saw of the first row behind the door's back."""

    def solve(self, public, witness, requirement, secret):
        witness.tally(np.zeros(len(public), dtype=np.int32), 1)
        ill = witness._columns["ill"][0] == CANARY
        group = np.arange(len(public), dtype=np.int32) // 20 % 2 if ill else np.zeros(len(public), dtype=np.int32)
        top = Display.of_level(public.hierarchies[0], public.heights[0])
        return Recoding(group, np.zeros((int(group.max()) + 1, 1), dtype=np.int32), (top,))


def test_a_publisher_that_leaks_only_on_replay_is_stopped():
    frame = pl.DataFrame({"age": [30] * 40, "ill": [CANARY, *["flu"] * 39]})
    columns = {
        "age": {"role": "quasi-identifier", "hierarchy": {"kind": "suppression"}},
        "ill": {"role": "sensitive"},
    }
    plan = Plan.from_dict({"columns": columns, "privacy": {"k-anonymity": {"k": 5}}})
    leaking = plan.model_copy(update={"method": replace(plan.method, value=Peeking())})
    with pytest.raises(GuaranteeError, match="of 20 replays gave other groups") as caught:
        publish(frame, leaking)
    assert CANARY not in str(caught.value)
    calm = frame.with_columns(ill=pl.lit("flu"))
    assert publish(calm, leaking).data.height == 40


def test_a_witness_remembers_every_look():
    witness = Witness(pl.DataFrame({"ill": ["a", "a", "b", None]}))
    asked = np.array([0, 0, 1, NOT_ASKED], dtype=np.int32)
    [bags] = witness.tally(asked, 2)
    assert (bags.view, bags.sizes.tolist(), bags.counts.tolist()) == ("ill", [2, 1], [2, 1])
    assert [look.label.tolist() for look in witness.looks] == [asked.tolist()]


STEPS = ["write", "verify", "certificate.write", "certificate.sealed"]


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt(), ValueError(CANARY)])
def test_a_failure_at_any_step_leaves_nothing_behind(project, monkeypatch, step, error):
    def fail(*_):
        raise error

    monkeypatch.setattr(f"openveil.workflow.publish.{step}", fail)
    with pytest.raises((OSError, KeyboardInterrupt, ValueError, OpenveilError)):
        publish_files(project)
    assert sorted(path.name for path in project.base.iterdir()) == ["people.csv"]


def swap_a_cell(draft):
    """Another table than was written, in step with its digest in the certificate."""
    table, proof = draft / "table.csv", draft / "certificate.json"
    change_a_cell(draft, table)
    sealed = json.loads(proof.read_text())
    sealed["file"]["sha256"] = file_digest(table)
    proof.write_text(json.dumps(sealed))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda draft: (draft / "table.csv").write_bytes(
            (draft / "table.csv").read_bytes().replace(b"flu", b"fly", 1)
        ),
        lambda draft: (draft / "table.csv").write_bytes((draft / "table.csv").read_bytes()[:-40]),
        lambda draft: (draft / "report.html").write_text("All is well."),
        swap_a_cell,
    ],
    ids=["a cell", "cut short", "the report", "a cell and its digest"],
)
def test_files_that_are_not_what_was_measured_are_not_kept(project, monkeypatch, spoil):
    def spoiled(draft):
        spoil(draft)
        return verify(draft)

    monkeypatch.setattr("openveil.workflow.publish.verify", spoiled)
    with pytest.raises(GuaranteeError, match="does not say the same"):
        publish_files(project)
    with pytest.raises(GuaranteeError, match="does not say the same"):
        publish(people(), plan_of()).write(project.base / "out")
    assert sorted(path.name for path in project.base.iterdir()) == ["people.csv"]


def test_a_failure_keeps_the_previous_release(project, monkeypatch):
    first = publish_files(project)
    before = {path.name: path.read_bytes() for path in first.folder.iterdir()}
    monkeypatch.setattr("openveil.workflow.publish.verify", lambda folder: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        publish_files(project)
    assert {path.name: path.read_bytes() for path in first.folder.iterdir()} == before


def tampered(folder, change):
    table = folder / "table.csv"
    change(folder, table)
    return failing(verify(folder))


def drop_a_row(folder, table):
    table.write_text("\n".join(table.read_text().splitlines()[:-1]) + "\n")


def change_a_cell(folder, table):
    frame = pl.read_csv(table, infer_schema=False)
    frame[0, "age"] = "33"
    frame.write_csv(table)


def add_a_column(folder, table):
    pl.read_csv(table, infer_schema=False).with_row_index().write_csv(table)


def certificate_says(**changes):
    def change(folder, table):
        path = folder / "certificate.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | changes))

    return change


def promises(**parameters):
    described = {"name": "k-anonymity", "status": "proved", "source": "Samarati 2001, Definition 2.2"}
    return certificate_says(promise=[described | {"parameters": parameters}])


@pytest.mark.parametrize(
    ("change", "caught"),
    [
        (drop_a_row, "rows in the table"),
        (change_a_cell, "classes that fail k = 5"),
        (change_a_cell, "the classes have the certified sizes"),
        (add_a_column, "the table has the declared columns and no others"),
        (
            certificate_says(classes={"count": 1, "smallest": 115, "of_size": {"115": 1}}),
            "the classes have the certified sizes",
        ),
        (promises(k=90), "classes that fail k = 90"),
    ],
)
def test_verify_notices(project, change, caught):
    assert caught in tampered(publish_files(project).folder, change)


@pytest.mark.parametrize("change", [drop_a_row, change_a_cell, add_a_column])
def test_verify_notices_any_change_of_the_file(project, change):
    assert "the table is the file the certificate speaks of" in tampered(publish_files(project).folder, change)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda folder: (folder / "certificate.json").unlink(),
        lambda folder: (folder / "certificate.json").write_text("{"),
        lambda folder: (folder / "certificate.json").write_text("[]"),
        lambda folder: (folder / "certificate.json").write_text('{"certificate": 99}'),
        lambda folder: (folder / "table.csv").unlink(),
        lambda folder: certificate_says(file={"name": "../people.csv", "sha256": "", "rows": 1})(folder, None),
        lambda folder: certificate_says(promise=[{"name": "magic", "parameters": {}}])(folder, None),
        lambda folder: promises(q=1)(folder, None),
    ],
)
def test_a_folder_that_is_no_release_is_refused(project, spoil):
    folder = publish_files(project).folder
    spoil(folder)
    with pytest.raises(RequestError):
        verify(folder)


def test_recodings_hold_no_sensitive_value():
    _, recoding = gate()
    assert isinstance(recoding, Recoding)
    assert CANARY not in repr(recoding)
    assert all(CANARY not in display.labels.to_list() for display in recoding.displays)


LONER = "a long text that only the suppressed row has"


def with_a_loner():
    """Forty people alike, and one who is suppressed, with long texts in every column."""
    crowd = pl.DataFrame({"age": [30] * 40, "zip": ["02139-0000-0000-0000"] * 40, "ill": ["flu"] * 40})
    crowd = crowd.with_columns(
        name=pl.lit("x"), note=pl.Series([f"visit of the day number {i:04}" for i in range(40)])
    )
    alone = {"age": 61, "zip": LONER, "ill": LONER, "name": LONER, "note": LONER}
    return pl.concat([crowd, pl.DataFrame([alone]).select(crowd.columns)])


def alone_plan(**changes):
    plan = plan_of(method={"name": "samarati", "max_suppressed": 1, "prefer": "minimum-absolute-distance"}, **changes)
    plan["columns"]["zip"]["hierarchy"] = {"kind": "suppression"}
    return plan


@pytest.mark.parametrize("ending", ["csv", "parquet", "arrow"])
def test_nothing_of_a_suppressed_row_is_in_any_file(tmp_path, ending):
    with_a_loner().write_parquet(tmp_path / "people.parquet")
    plan = alone_plan(input={"path": "people.parquet"}, output={"folder": "out", "format": ending})
    written = publish_files(Plan.from_dict(plan, base=tmp_path))
    assert written.certificate["suppression"]["rows"] == 1
    for path in written.folder.iterdir():
        assert LONER.encode() not in path.read_bytes(), path.name


@pytest.mark.parametrize(
    "convert", [lambda frame: frame, lambda frame: frame.to_pandas(), lambda frame: frame.to_arrow()]
)
def test_nothing_of_a_suppressed_row_hides_in_the_frame(convert):
    published = publish(convert(with_a_loner()), alone_plan())
    assert published.release.suppressed == 1
    assert LONER.encode() not in pickle.dumps(published.data)
    assert LONER.encode() not in pickle.dumps(published.release.frame)


def test_marks_for_not_known_count_in_memory_too():
    frame = people().with_columns(zip=pl.when(pl.int_range(pl.len()) < 10).then(pl.lit("?")).otherwise("zip"))
    published = publish(frame, plan_of(input={"missing": ["?"]}))
    assert "?" not in published.data["zip"].to_list()
    assert published.data["zip"].null_count() > 0 or set(published.data["zip"]) == {"*"}


def test_a_plan_without_a_file_cannot_publish_files(tmp_path):
    with pytest.raises(RequestError, match="names no file"):
        publish_files(Plan.from_dict(plan_of(input={"missing": ["?"]}), base=tmp_path))


def informing(published):
    return {(finding.name, finding.on): finding for finding in published.findings if finding.limit is None}


SHARED = ("groups in which all rows share one value", "rows in groups that share one value")
ALONE = ("rows that are unique", "columns published unchanged")


def shared_by_definition(frame, quasi, column):
    """Groups of rows with equal quasi-identifiers and one value of `column`, and the rows in them."""
    groups = {}
    for row in frame.select(*quasi, column).rows():
        groups.setdefault(row[:-1], []).append(row[-1])
    alike = [rows for rows in groups.values() if len(set(rows)) == 1]
    return len(alike), sum(map(len, alike))


@given(
    rows=st.lists(
        st.tuples(*(st.sampled_from(values) for values in ([30, None], "ab", ["x", None, ""], [1.5, 2.5]))),
        min_size=1,
        max_size=14,
    ),
    k=st.integers(1, 3),
)
def test_what_groups_share_is_as_by_definition(rows, k):
    frame = pl.DataFrame(rows, schema=["age", "zip", "ill", "note"], orient="row").with_columns(
        pl.col("age").cast(pl.Int64), pl.col("ill").cast(pl.String), name=pl.lit("x")
    )
    method = {"name": "samarati", "max_suppressed": "100%"}
    published = publish(frame, plan_of(privacy={"k-anonymity": {"k": k}}, method=method))
    found, data = informing(published), published.release.frame
    measured = tuple(found[name, "ill"].value for name in SHARED)
    assert measured == shared_by_definition(data, ("age", "zip"), "ill")
    times = Counter(data.select("ill", "note").rows())
    assert found[ALONE].value == sum(number == 1 for number in times.values())


@pytest.mark.parametrize("width", [1, 31, 32, 33, 70, 100])
def test_unique_rows_of_wide_tables_are_as_by_definition(width):
    rng = np.random.default_rng(width)
    rows = [tuple(row) for row in (rng.random((60, width)) < 1 / width).astype(int).tolist()]
    frame = pl.DataFrame(rows, schema=[f"c{i}" for i in range(width)], orient="row")
    assert unique_rows(frame) == sum(number == 1 for number in Counter(rows).values())


def test_what_is_counted_of_the_release_can_be_counted_by_anyone(project):
    certificate = publish_files(project).certificate
    table = pl.read_csv(project.base / "out" / "table.csv", infer_schema=False)
    found = {(each["name"], each["on"]): each["value"] for each in certificate["findings"]}
    assert tuple(found[name, "ill"] for name in SHARED) == shared_by_definition(table, ("age", "zip"), "ill")
    assert found[ALONE] == table.height


def test_tables_without_unchanged_columns_are_counted_too():
    plan = plan_of()
    plan["columns"]["ill"] = plan["columns"]["note"] = {"role": "identifier"}
    found = informing(publish(people(), plan))
    assert ALONE not in found
    assert not [name for name, _ in found if name in SHARED]


REPEATS = "distinct values of an identifier that repeats"


@pytest.mark.parametrize(("each", "distinct"), [(2, 60), (1, None)])
def test_an_identifier_that_repeats_is_told(each, distinct):
    names = [f"{CANARY}-{i // each}" for i in range(118)]
    frame = people().with_columns(name=pl.Series([*names, None, None]))
    finding = informing(publish(frame, plan_of())).get((REPEATS, "name"))
    if distinct is None:
        assert finding is None
        return
    assert (finding.value, finding.verdict) == (59, Verdict.INFORMS)
    assert finding.note.startswith("identifier column name repeats: 118 rows, 59 distinct values; if it says who")
    assert CANARY not in finding.note


def test_where_a_column_says_who_the_person_is_no_identifier_is_doubted():
    frame = people().with_columns(who=pl.int_range(pl.len()) // 2, name=pl.lit("x"))
    plan = plan_of(privacy={"k-anonymity": {"k": 2}})
    plan["columns"]["who"] = {"role": "person"}
    published = publish(frame, plan)
    assert not [name for name, _ in informing(published) if name == REPEATS]
    assert published.certificate["removed"] == ["name", "who"]


@pytest.mark.parametrize(
    ("hierarchy", "told"),
    [
        ({"kind": "ordering", "sizes": [10, 2]}, True),
        ({"kind": "ordering", "sizes": [10, 2], "order": list(range(20, 60))}, False),
        ({"kind": "intervals", "widths": [10, 20]}, False),
    ],
)
def test_labels_made_from_observed_values_are_told(hierarchy, told):
    plan = plan_of()
    plan["columns"]["age"]["hierarchy"] = hierarchy
    plan["columns"]["zip"] = {"role": "other"}
    published = publish(people(), plan)
    found = informing(published).get(("labels made from observed values", "age"))
    assert published.certificate["levels"]["age"]["level"] in (1, 2)
    assert (found is not None) == told
    if told:
        assert found.value == published.data["age"].n_unique()
    certified = published.certificate["hierarchies"]["age"]
    assert (certified["kind"], certified["status"]) == (hierarchy["kind"], "proved")
    assert certified.get("parameters") == ({"widths": [10, 20]} if hierarchy["kind"] == "intervals" else None)


def test_values_as_they_were_or_not_shown_at_all_are_not_said_to_be_made_from_others():
    plan = plan_of(privacy={"k-anonymity": {"k": 1}}, method="samarati")
    plan["columns"]["age"]["hierarchy"] = {"kind": "ordering", "sizes": [10]}
    assert publish(people(), plan).certificate["levels"]["age"]["level"] == 0
    plans = (plan, plan | {"privacy": {"k-anonymity": {"k": 120}}})
    for each in plans:
        assert "labels made from observed values" not in {name for name, _ in informing(publish(people(), each))}


def test_verify_takes_a_text(project):
    written = publish_files(project)
    assert openveil.verify(str(written.folder)) == verify(written.folder)


@pytest.mark.parametrize("convert", [lambda frame: frame, lambda frame: frame.to_pandas()], ids=["polars", "pandas"])
def test_a_frame_is_published_as_scan_proposes(convert):
    native = convert(people())
    published = openveil.publish(native, openveil.scan(native))
    assert type(published.data) is type(native)
    assert published.release.classes.sizes.min() >= 5
    assert "name" in published.certificate["removed"]


def test_what_is_proposed_for_a_file_is_published_for_another_table(tmp_path):
    people().write_csv(tmp_path / "people.csv")
    proposal = openveil.scan(tmp_path / "people.csv", "people.csv")
    assert openveil.publish(people(), proposal).release.classes.sizes.min() >= 5
    assert openveil.publish(tmp_path / "people.csv", proposal).release.classes.sizes.min() >= 5


def test_what_is_no_plan_is_refused():
    with pytest.raises(RequestError, match="kind that is not known"):
        publish(people(), 7)


def test_a_release_prints_as_its_report():
    published = publish(people(), plan_of())
    assert str(published) == repr(published) == "\n".join(lines(published.certificate))
    assert str(published).startswith("Every person in this table shares")
    assert CANARY not in str(published)


@pytest.mark.parametrize("ending", ["csv", "parquet", "arrow"])
@pytest.mark.parametrize("kind", [str, Path])
def test_a_release_in_memory_is_written_and_verifies(tmp_path, ending, kind):
    published = publish(people(), plan_of())
    written = published.write(kind(tmp_path / "out"), format=ending)
    assert written.folder == tmp_path / "out"
    assert {path.name for path in written.folder.iterdir()} == {f"table.{ending}", "report.html", "certificate.json"}
    assert not failing(verify(written.folder))
    assert "file" not in published.certificate
    assert written.certificate == json.loads((written.folder / "certificate.json").read_text())
    assert published.write(tmp_path / "out").table.name == "table.csv"


def to_pandas(frame):
    return frame.to_pandas()


def tamper(frame):
    """Change a cell of a frame in place, if its kind lets one."""
    with suppress(ValueError):  # of PyArrow only a view of the numbers is given, which is read-only
        if isinstance(frame, pl.DataFrame):
            frame[0, "ill"], frame[0, "age"] = "TAMPERED", "TAMPERED"
            frame.insert_column(0, pl.Series("index", range(frame.height)))
        elif isinstance(frame, pd.DataFrame):
            frame.loc[0, ["ill", "age"]] = "TAMPERED"
        else:
            frame.column("weight").chunk(0).to_numpy()[0] = -1


@pytest.mark.parametrize("convert", [pl.DataFrame.clone, to_pandas, pl.DataFrame.to_arrow])
def test_a_release_cannot_be_changed_after_it_was_verified(tmp_path, convert):
    native = convert(people().with_columns(weight=pl.int_range(pl.len())))
    plan = plan_of()
    plan["columns"]["weight"] = {"role": "other"}
    secret = Secret(bytes(32))
    published, honest = (publish(native, plan, secret=secret) for _ in range(2))
    tamper(published.data)
    tamper(published.release.frame)
    tamper(published.release.tables.frame)
    published.certificate["suppression"]["rows"] = 7
    published.certificate["findings"].clear()
    assert published.release.frame.equals(honest.release.frame)
    written, as_it_was = (each.write(tmp_path / name) for each, name in ((published, "a"), (honest, "b")))
    for path in as_it_was.folder.iterdir():
        assert (written.folder / path.name).read_bytes() == path.read_bytes()


def test_neither_of_two_tables_can_be_changed_after_they_were_verified():
    rows, counts = pl.DataFrame({"group": [1, 1]}), pl.DataFrame({"group": [1], "ill": ["flu"], "count": [2]})
    tables = Tables(rows, counts)
    for each in (rows, counts, tables.frame, tables.counts):
        each[0, "group"] = 7
    assert (tables.frame["group"].to_list(), tables.counts["group"].to_list()) == ([1, 1], [1])


def test_a_release_in_memory_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    published = publish(people(), plan_of())
    with pytest.raises(RequestError, match="csv, parquet, arrow"):
        published.write(tmp_path / "out", format="xlsx")
    monkeypatch.setattr("openveil.workflow.publish.verify", lambda folder: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        published.write(tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_only_public_names_are_listed():
    assert dir(openveil) == sorted(openveil.__all__)
    assert all(getattr(openveil, name) for name in dir(openveil))
