"""From a file to a release whose sensitive values are changed, or made coarser, and back from its files."""

from __future__ import annotations

import html
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import openveil
from openveil.cli.main import main
from openveil.core import witness as witnesses
from openveil.core.alternatives import OR
from openveil.core.errors import GuaranteeError, RequestError
from openveil.core.finding import Verdict
from openveil.core.secret import Secret
from openveil.core.witness import Witness
from openveil.publishers.mask_plus_r import MaskPlusR
from openveil.workflow.public_replay import IN_STRATA, REPLAYED, ROSTER

ROWS = 600
CANARY = "Quokka-Fieber"
ILLNESSES = [CANARY, "flu", "cold", "cough", "asthma", "burn"]
NEVER = "gout"
DOMAIN = [CANARY, NEVER, *ILLNESSES[1:], "measles"]
QUASI = ["age", "zip"]
EACH, LISTED = {"m": 3}, {"m": 3, "values": [CANARY]}
UNSAFE = [("mask", LISTED), ("mask+", EACH), ("mask++", EACH)]
SAFE = [("mask+r", EACH), ("mask+r", LISTED), ("mask++r", EACH), ("mask++r", LISTED)]
LOOKS = "looks at sensitive values that the release does not show"


def people(rows=ROWS):
    draw = np.random.default_rng(11)
    return pl.DataFrame(
        {
            "name": [f"person {row}" for row in range(rows)],
            "age": draw.integers(18, 90, rows),
            "zip": [f"{number:05d}" for number in draw.integers(1000, 1040, rows)],
            "ill": draw.choice(ILLNESSES, rows, p=[0.35, 0.25, 0.1, 0.1, 0.1, 0.1]),
            "note": [f"note {row % 9}" for row in range(rows)],
        }
    )


def plan_of(method, model, **changes):
    domain = {"domain": DOMAIN} if method.endswith("r") else {}
    parameters = {"name": method, "k": 8, **domain, **changes}
    return {
        "columns": {
            "name": {"role": "identifier"},
            "age": {"role": "quasi-identifier", "hierarchy": {"kind": "intervals", "widths": [5, 10]}},
            "zip": {"role": "quasi-identifier", "hierarchy": {"kind": "masking"}},
            "ill": {"role": "sensitive"},
            "note": {"role": "other"},
        },
        "privacy": {"m-confidentiality": model},
        "method": parameters,
        "allow_unsafe": method in dict(UNSAFE),
    }


def failing(findings):
    return {each.name for each in findings if each.verdict in (Verdict.FAILS, Verdict.UNDECIDED)}


def told(release, name):
    return next(each for each in release.findings if each.name == name)


def worst_share(release, values):
    """The largest share that one value has of a group, or all those listed; cells count in equal parts."""
    shown, told_apart = release.release.tables.shown(QUASI, ["ill"])
    cell = pl.col("ill").str.split(OR)
    parts = shown.with_columns(cell, (1 / cell.list.len()).alias("part")).explode(
        "ill", empty_as_null=True, keep_nulls=True
    )
    sizes = shown.group_by(told_apart).len()
    kept = parts.filter(pl.col("ill").is_in(values)) if values else parts
    counts = kept.group_by([*told_apart, *([] if values else ["ill"])]).agg(pl.col("part").sum())
    return counts.join(sizes, on=list(told_apart)).select((pl.col("part") / pl.col("len")).max()).item()


@pytest.mark.parametrize("scheme", ["generalisation", "bucketisation"])
@pytest.mark.parametrize(("method", "model"), [*UNSAFE, *SAFE])
def test_every_method_is_published_verified_and_replayed(method, model, scheme, tmp_path):
    plan = plan_of(method, model, scheme=scheme, show="intervals")
    release = openveil.publish(people(), plan)
    assert not failing(release.findings)
    share = next(each for each in release.findings if each.name.startswith("largest share of"))
    assert float(share.value) == pytest.approx(worst_share(release, model.get("values")))
    assert float(share.value) <= 1 / 3 + 1e-9
    folder = release.write(tmp_path / "release").folder
    assert openveil.verify(folder).holds
    again = openveil.verify(folder, public=people().select(QUASI), plan=plan)
    assert again.holds
    assert {REPLAYED, IN_STRATA} & {each.name for each in again}
    moved = people().select(QUASI).with_columns(age=(pl.col("age") * 7) % 72 + 18)
    assert failing(openveil.verify(folder, public=moved, plan=plan)) & {REPLAYED, IN_STRATA, ROSTER}


@pytest.mark.parametrize(("method", "model"), SAFE)
def test_a_repair_shows_values_that_are_true_and_says_what_it_read(method, model):
    release = openveil.publish(people(), plan_of(method, model))
    assert (told(release, LOOKS).value, told(release, LOOKS).verdict) == (0, Verdict.HOLDS)
    own = people().select("note", "ill").group_by(pl.all()).len()
    cells = release.data.select("note", "ill")
    for note, value, times in own.rows():
        rows = cells.filter((pl.col("note") == note) & pl.col("ill").str.split(OR).list.contains(value))
        assert rows.height >= times
    exact = cells.filter(~pl.col("ill").str.contains(OR, literal=True))
    left = own.join(exact.group_by(pl.all()).len(), on=["note", "ill"], how="left").fill_null(0)
    assert (left["len"] >= left["len_right"]).all()
    assert 0 < exact.height < ROWS
    assert any(NEVER in cell.split(OR) for cell in cells["ill"])
    assert told(release, "rows with a replaced sensitive value").value == ROWS - exact.height
    assert repr(release).startswith("Counted in the values that are shown: At most one m-th of the rows of a group")


def test_a_method_that_reads_more_than_it_says_is_found_when_it_is_replayed(monkeypatch):
    """It merges whole groups if many values occur in them, which it does not ask the witness it is given."""
    honest = MaskPlusR.masked

    def cheating(self, strata, witness, model, secret):
        replaced = honest(self, strata, witness, model, secret)
        bags = Witness(witness._columns).tally(strata, int(strata.max()) + 1)[-1]
        merged = (bags.distinct > 4)[strata]
        code = np.where(merged, len(replaced.labels), replaced.code).astype(np.int32)
        labels = pl.concat([replaced.labels, pl.Series([OR.join(DOMAIN)])])
        runs = tuple(np.append(ends, end).astype(np.int32) for ends, end in zip(replaced.runs, (0, 7), strict=True))
        return replace(replaced, labels=labels, code=code, touched=replaced.touched | merged, runs=runs)

    monkeypatch.setattr(MaskPlusR, "masked", cheating)
    with pytest.raises(GuaranteeError, match="not derivable"):
        openveil.publish(people(), plan_of("mask+r", EACH))
    monkeypatch.setattr(witnesses, "parts_a_run", lambda *_: False)
    monkeypatch.setattr(witnesses, "_is_published", lambda *_: True)
    with pytest.raises(GuaranteeError, match="replays gave other groups"):
        openveil.publish(people(), plan_of("mask+r", EACH))


@pytest.mark.parametrize(("method", "model"), UNSAFE)
def test_an_unsafe_method_needs_permission_and_says_so_first(method, model):
    plan = plan_of(method, model)
    with pytest.raises(RequestError, match="known to be unsafe"):
        openveil.publish(people(), {**plan, "allow_unsafe": False})
    release = openveil.publish(people(), plan)
    assert repr(release).startswith(f"Not safe to release: the method {method} is known to be unsafe")
    assert told(release, LOOKS).value > 0
    assert told(release, LOOKS).verdict is Verdict.INFORMS
    assert told(release, "rows with a replaced sensitive value").value > 0


def test_groups_that_name_several_values_do_not_count_as_sharing_one():
    narrow = plan_of("mask+r", EACH, domain=ILLNESSES[:5], k=3)
    release = openveil.publish(people().filter(pl.col("ill") != "burn"), narrow)
    assert release.data["ill"].str.contains(OR, literal=True).all()
    assert told(release, "groups in which all rows share one value").value == 0


@pytest.mark.parametrize("method", ["mask+", "mask++r"])
def test_a_secret_repeats_a_release_bit_for_bit(method):
    secret = Secret(bytes(range(32)))
    plan = plan_of(method, EACH)
    one, other = (openveil.publish(people(), plan, secret=secret) for _ in range(2))
    assert one.data.equals(other.data)
    assert not one.data.equals(openveil.publish(people(), plan).data)


def test_numbers_may_be_sensitive_too():
    frame = people().with_columns(ill=pl.col("ill").replace_strict(ILLNESSES, [10, 2, 3, 4, 5, 6]))
    plan = plan_of("mask+r", {"m": 2, "values": ["10"]}, domain=[str(number) for number in range(2, 12)])
    release = openveil.publish(frame, plan)
    assert set(release.data["ill"]) >= {"2 | 10", "3"} or set(release.data["ill"]) >= {"10 | 2", "3"}
    changed = openveil.publish(frame, plan_of("mask", {"m": 2, "values": ["10"]}))
    assert changed.data["ill"].dtype == frame["ill"].dtype


@pytest.mark.parametrize("spoiled", ["Quokka-Feber", None])
def test_values_outside_the_domain_are_refused_without_being_named(spoiled):
    frame = people().with_columns(ill=pl.when(pl.col("note") == "note 3").then(pl.lit(spoiled)).otherwise("ill"))
    with pytest.raises(RequestError, match="67 rows with other values") as refused:
        openveil.publish(frame, plan_of("mask+r", EACH))
    assert "Quokka" not in str(refused.value)


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people().write_csv("people.csv")
    people().select(QUASI).sample(fraction=1, shuffle=True, seed=1).write_parquet("qi.parquet")
    return tmp_path


def plan_file(method, extra, *, unsafe):
    allowed = "allow_unsafe = true\n" if unsafe else ""
    Path("plan.toml").write_text(
        f'{allowed}[input]\npath = "people.csv"\n[columns.name]\nrole = "identifier"\n'
        '[columns.age]\nrole = "quasi-identifier"\nhierarchy = { kind = "intervals", widths = [5] }\n'
        '[columns.zip]\nrole = "quasi-identifier"\nhierarchy = { kind = "masking" }\n'
        '[columns.ill]\nrole = "sensitive"\n[columns.note]\nrole = "other"\n'
        f'[privacy]\nk-anonymity = {{ k = 6 }}\nm-confidentiality = {{ m = 2, values = ["{CANARY}"] }}\n'
        f'[method]\nname = "{method}"\nshow = "intervals"\n{extra}'
    )


@pytest.mark.parametrize("method", ["mask", "mask+", "mask++", "mask+r", "mask++r"])
def test_from_a_file_to_a_verified_release(method, project, capsys):
    unsafe = method in dict(UNSAFE)
    plan_file(method, "" if unsafe else f"domain = {json.dumps(DOMAIN)}\n", unsafe=unsafe)
    assert main(["publish", "plan.toml"]) == 0
    printed = capsys.readouterr().out
    assert ("Not safe to release" in printed) == unsafe
    assert main(["verify", "release"]) == 0
    assert main(["verify", "release", "--public", "qi.parquet", "--plan", "plan.toml"]) == 0
    page = Path("release/report.html").read_text()
    assert ("values of ill were changed" in page) == unsafe
    assert ("values of ill were made coarser" in page) != unsafe
    # Protected values and the domain are in the plan; of the table no value is told.
    for text in (printed, html.unescape(page).replace(json.dumps(DOMAIN), "")):
        assert "flu" not in text
    assert main(["explain", method]) == 0


@pytest.mark.parametrize(("old", "new"), [(f"{CANARY} | {NEVER}", CANARY), (",cold,", f",{CANARY},")])
def test_a_cell_that_was_changed_is_noticed(old, new, project):
    plan_file("mask+r", f"domain = {json.dumps(DOMAIN)}\n", unsafe=False)
    assert main(["publish", "plan.toml"]) == 0
    table = Path("release/table.csv")
    assert old in table.read_text()
    table.write_text(table.read_text().replace(old, new))
    certificate = json.loads(Path("release/certificate.json").read_text())
    wrong = failing(openveil.verify("release"))
    assert "the table is the file the certificate speaks of" in wrong
    assert "the certified findings are as measured here" in wrong
    assert certificate["replaced"] == {"ill": "generalised"}


def test_coarser_cells_that_pass_for_values_are_noticed(project):
    """Whoever hides that values were made coarser makes every label a value of its own."""
    plan_file("mask+r", f"domain = {json.dumps(DOMAIN)}\n", unsafe=False)
    assert main(["publish", "plan.toml"]) == 0
    path = Path("release/certificate.json")
    certificate = json.loads(path.read_text())
    certificate["replaced"] = {}
    path.write_text(json.dumps(certificate))
    assert "every attribute is spoken of alike" in failing(openveil.verify("release"))


def test_the_shares_of_a_release_that_was_made_worse_are_measured_anew(project):
    """Cells that name two values, read as one of them, break the promise."""
    plan_file("mask+r", f"domain = {json.dumps(DOMAIN)}\n", unsafe=False)
    assert main(["publish", "plan.toml"]) == 0
    table = Path("release/table.csv")
    table.write_text(table.read_text().replace(f"{CANARY} | {NEVER}", CANARY))
    assert any(name.startswith("classes that fail m = 2") for name in failing(openveil.verify("release")))


def test_two_people_who_changed_places_across_strata_are_noticed(tmp_path):
    """There are as many groups, as large, with the same values; they only do not lie in the strata."""
    method, model = next(each for each in SAFE if each[0] == "mask++r")
    plan = plan_of(method, model, scheme="bucketisation", show="intervals")
    folder = openveil.publish(people(), plan).write(tmp_path / "release").folder
    rows = pl.read_csv(folder / "table.csv", schema_overrides={"zip": pl.String}).sort("age")
    swapped = rows["group"].to_list()
    swapped[0], swapped[-1] = swapped[-1], swapped[0]
    rows.with_columns(group=pl.Series(swapped)).write_csv(folder / "table.csv")
    found = openveil.verify(folder, public=people().select(QUASI), plan=plan)
    assert IN_STRATA in failing(found)
