"""From a table to a release whose sensitive values are safe against someone who knows the method."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import openveil
from openveil.cli.main import main
from openveil.core.errors import GuaranteeError, RequestError
from openveil.core.finding import Verdict
from openveil.core.secret import Secret
from openveil.workflow.plan import Plan
from openveil.workflow.public_replay import IN_STRATA, REPLAYED, ROSTER
from openveil.workflow.replay import REPLAYS

ROWS = 400
CANARY = "Quokka-Fieber"
DIVERSE = {"frequency-l-diversity": {"l": 3}}
ILLNESSES = [CANARY, "flu", "cold", "cough", "asthma", "burn"]
SAFE = ["mondrian+", "mondrian++", "anatomy", "hilb+r", "hilb++r"]
UNSAFE = ["mondrian", "hilb", "hilb+", "hilb++"]
QUASI = ["age", "zip", "sex"]


def people(rows=ROWS):
    draw = np.random.default_rng(7)
    return pl.DataFrame(
        {
            "name": [f"person {row}" for row in range(rows)],
            "age": draw.integers(18, 90, rows),
            "zip": [f"{number:05d}" for number in draw.integers(1000, 1040, rows)],
            "sex": draw.choice(["f", "m"], rows),
            "ill": draw.choice(ILLNESSES, rows, p=[0.1, 0.2, 0.2, 0.2, 0.2, 0.1]),
        }
    )


def plan_of(method="mondrian++", privacy=None, **changes):
    return {
        "columns": {
            "name": {"role": "identifier"},
            "age": {"role": "quasi-identifier", "hierarchy": {"kind": "intervals", "widths": [5, 10]}},
            "zip": {"role": "quasi-identifier", "hierarchy": {"kind": "masking"}},
            "sex": {"role": "quasi-identifier", "hierarchy": {"kind": "suppression"}},
            "ill": {"role": "sensitive"},
        },
        "privacy": privacy or DIVERSE,
        "method": method,
        **changes,
    }


def failing(findings):
    return {finding.name for finding in findings if finding.verdict in (Verdict.FAILS, Verdict.UNDECIDED)}


def shares(shown, told_apart):
    """The largest share of a value in each group."""
    counts = shown.group_by(*told_apart, "ill").len()
    return counts.group_by(*told_apart).agg(pl.col("len").max() / pl.col("len").sum())["len"]


@pytest.mark.parametrize("scheme", ["generalisation", "bucketisation"])
@pytest.mark.parametrize("method", SAFE)
def test_a_safe_method_keeps_its_promise_in_both_schemes(method, scheme, tmp_path):
    release = openveil.publish(people(), plan_of({"name": method, "scheme": scheme}))
    shown, told_apart = release.release.tables.shown(QUASI, ["ill"])
    assert shares(shown, told_apart).max() <= 1 / 3 + 1e-9
    assert sorted(shown["ill"]) == sorted(people()["ill"])
    release.write(tmp_path / "release")
    assert openveil.verify(tmp_path / "release").holds
    [again] = [finding for finding in release.findings if finding.name == REPLAYS[0]]
    assert (again.value, again.verdict) == (0, Verdict.HOLDS)


def test_what_bucketisation_publishes(tmp_path):
    release = openveil.publish(people(), plan_of("anatomy"))
    assert release.data.columns == ["group", *QUASI]
    assert release.counts.columns == ["group", "ill", "count"]
    assert sorted(release.data.select(QUASI).rows()) == sorted(people().select(QUASI).rows())
    assert release.counts["count"].sum() == ROWS
    assert release.counts.filter(pl.col("count") > 1).is_empty()
    written = release.write(tmp_path / "release")
    assert sorted(path.name for path in written.folder.iterdir()) == [
        "certificate.json",
        "report.html",
        "sensitive.csv",
        "table.csv",
    ]


def test_the_method_for_sensitive_values_is_chosen_by_itself():
    plan = plan_of()
    del plan["method"]
    assert Plan.from_dict(plan).method.part.name == "mondrian++"
    assert Plan.from_dict({**plan, "privacy": {"k-anonymity": {"k": 3}}}).method.part.name == "samarati"


def test_several_models_hold_at_once():
    release = openveil.publish(people(), plan_of(privacy={"k-anonymity": {"k": 10}, **DIVERSE}))
    sizes = release.data.group_by(QUASI).len()["len"]
    assert sizes.min() >= 10
    assert shares(release.data, QUASI).max() <= 1 / 3 + 1e-9
    assert "k = 10" in repr(release)
    assert "l = 3" in repr(release)


@pytest.mark.parametrize("method", UNSAFE)
def test_an_unsafe_method_is_published_only_when_allowed_and_says_so_first(method, tmp_path):
    with pytest.raises(RequestError, match="known to be unsafe"):
        openveil.publish(people(), plan_of(method))
    release = openveil.publish(people(), plan_of(method, allow_unsafe=True))
    assert repr(release).startswith(f"Not safe to release: the method {method} is known to be unsafe")
    told = {finding.name: finding for finding in release.findings}
    assert told["looks at sensitive values that the release does not show"].value > 0
    assert told["looks at sensitive values that the release does not show"].verdict is Verdict.INFORMS
    assert told[REPLAYS[0]].verdict in (Verdict.INFORMS, Verdict.HOLDS)
    release.write(tmp_path / "release")
    assert not failing(openveil.verify(tmp_path / "release"))


def test_replays_find_an_unsafe_method_out():
    plan = plan_of("mondrian", privacy={"frequency-l-diversity": {"l": 2}}, allow_unsafe=True)
    [again] = [each for each in openveil.publish(people(), plan).findings if each.name == REPLAYS[0]]
    assert again.value > 0


def test_a_table_that_is_not_eligible_is_refused_with_what_is_possible():
    with pytest.raises(GuaranteeError, match=r"l = 9 was asked for.*only l = [3-5] \(ill\)") as caught:
        openveil.publish(people(), plan_of(privacy={"frequency-l-diversity": {"l": 9}}))
    assert caught.value.exit_code == 1
    assert not any(illness in str(caught.value) for illness in ILLNESSES)


def test_several_sensitive_columns_are_protected_each_and_together():
    both = people().with_columns(job=pl.Series(np.random.default_rng(3).choice(list("abcdefgh"), ROWS)))
    plan = plan_of("mondrian+")
    plan["columns"]["job"] = {"role": "sensitive"}
    release = openveil.publish(both, plan)
    views = {each.on for each in release.findings if each.name == "largest share of a value in a group"}
    assert views == {"ill", "job", "all sensitive columns together"}
    for column in ("ill", "job"):
        counts = release.data.group_by(*QUASI, column).len()
        assert (counts.group_by(QUASI).agg(pl.col("len").max() / pl.col("len").sum())["len"] <= 1 / 3 + 1e-9).all()


@pytest.mark.parametrize("scheme", ["generalisation", "bucketisation"])
def test_zero_is_one_value_whatever_its_sign(scheme, tmp_path):
    values = np.random.default_rng(1).choice([0.0, -0.0, np.nan, np.inf, 1.5, 2.5], ROWS)
    frame = people().with_columns(ill=pl.Series(values))
    release = openveil.publish(frame, plan_of({"name": "mondrian++", "scheme": scheme}))
    shown, told_apart = release.release.tables.shown(QUASI, ["ill"])
    assert shares(shown.with_columns(pl.col("ill").replace(-0.0, 0.0)), told_apart).max() <= 1 / 3 + 1e-9
    release.write(tmp_path / "release")
    assert openveil.verify(tmp_path / "release").holds
    with pytest.raises(GuaranteeError, match="only l = 1"):
        openveil.publish(frame.with_columns(ill=pl.Series([0.0, -0.0] * (ROWS // 2))), plan_of())


def test_persons_with_several_rows_are_not_protected_by_models_that_count_rows():
    plan = plan_of()
    plan["columns"]["name"]["role"] = "person"
    twice = pl.concat([people(), people().head(7)])
    with pytest.raises(RequestError, match="7 persons with several rows") as caught:
        openveil.publish(twice, plan)
    assert "person 3" not in str(caught.value)
    assert openveil.publish(people(), plan).release.classes.sizes.min() >= 3


def test_k_anonymity_alone_by_mondrian_counts_persons_too():
    plan = plan_of("mondrian+", privacy={"k-anonymity": {"k": 5}})
    plan["columns"]["name"]["role"] = "person"
    several = people().with_columns(name=pl.Series([f"person {row // 3}" for row in range(ROWS)]))
    release = openveil.publish(several, plan)
    assert release.release.classes.persons.min() >= 5
    assert len(release.release.classes) > 5


def test_a_secret_repeats_a_release_bit_for_bit():
    secret = Secret(bytes(range(32)))
    for method in ("mondrian++", "anatomy"):
        one, other = (openveil.publish(people(), plan_of(method), secret=secret) for _ in range(2))
        fresh = openveil.publish(people(), plan_of(method))
        assert one.data.equals(other.data)
        assert one.counts is None or one.counts.equals(other.counts)
        assert not one.data.equals(fresh.data)


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people().write_csv("people.csv")
    people().select(QUASI).sample(fraction=1, shuffle=True, seed=1).write_parquet("qi.parquet")
    quasi = "\n".join(
        f'[columns.{name}]\nrole = "quasi-identifier"\nhierarchy = {{ kind = "{kind}" }}'
        for name, kind in {"age": "ordering", "zip": "masking", "sex": "suppression"}.items()
    ).replace('"ordering"', '"intervals", widths = [5]')
    Path("plan.toml").write_text(
        f'[input]\npath = "people.csv"\n[columns.name]\nrole = "identifier"\n{quasi}\n'
        '[columns.ill]\nrole = "sensitive"\n[privacy]\nfrequency-l-diversity = { l = 3 }\n'
        '[method]\nname = "mondrian++"\nshow = "intervals"\n'
    )
    return tmp_path


def test_the_command_line_keeps_a_secret_and_repeats_the_release(project, capsys):
    assert main(["publish", "plan.toml", "--keep-secret", "key.txt"]) == 0
    key = Path("key.txt").read_text().strip()
    assert Path("key.txt").stat().st_mode & 0o777 == 0o600
    first = Path("release/table.csv").read_bytes()
    assert key not in capsys.readouterr().out
    assert all(key not in path.read_text() for path in Path("release").iterdir())
    shutil.rmtree("release")
    assert main(["publish", "plan.toml", "--secret", "key.txt"]) == 0
    assert Path("release/table.csv").read_bytes() == first
    assert main(["publish", "plan.toml", "--keep-secret", "key.txt"]) == 2
    assert "is there already" in capsys.readouterr().err
    Path("key.txt").write_text("no key")
    assert main(["publish", "plan.toml", "--secret", "key.txt"]) == 2
    assert "no key" not in capsys.readouterr().err


def test_a_secret_is_kept_only_with_its_release_and_never_inside_it(project, capsys):
    plan = Path("plan.toml").read_text()
    Path("plan.toml").write_text(plan.replace("l = 3", "l = 300"))
    assert main(["publish", "plan.toml", "--keep-secret", "key.txt"]) == 1
    before = {"people.csv", "plan.toml", "qi.parquet"}
    assert {path.name for path in Path().iterdir()} == before
    Path("plan.toml").write_text(plan)
    assert main(["publish", "plan.toml", "--keep-secret", "release/key.txt"]) == 2
    assert "is given away" in capsys.readouterr().err
    assert main(["publish", "plan.toml", "--keep-secret", "missing/key.txt"]) == 2
    assert {path.name for path in Path().iterdir()} == before
    assert main(["publish", "plan.toml", "--keep-secret", "key.txt"]) == 0
    assert {path.name for path in Path().iterdir()} == {*before, "release", "key.txt"}


def test_anyone_with_the_quasi_identifiers_replays_the_release(project, capsys):
    assert main(["publish", "plan.toml"]) == 0
    capsys.readouterr()
    assert main(["verify", "release", "--public", "qi.parquet", "--plan", "plan.toml", "--json"]) == 0
    told = {each["name"]: each["verdict"] for each in json.loads(capsys.readouterr().out)["findings"]}
    assert told[IN_STRATA] == "holds"
    assert REPLAYED not in told
    assert main(["verify", "release", "--public", "qi.parquet", "--json"]) == 0
    assert {each["name"]: each["verdict"] for each in json.loads(capsys.readouterr().out)["findings"]} == told
    assert main(["verify", "release", "--plan", "plan.toml"]) == 2


def test_a_replay_that_was_asked_for_and_not_made_is_no_success(project, capsys):
    plan = Path("plan.toml").read_text().replace('show = "intervals"', 'show = "nodes"')
    Path("plan.toml").write_text(plan)
    assert main(["publish", "plan.toml"]) == 0
    assert main(["verify", "release"]) == 0
    assert main(["verify", "release", "--public", "qi.parquet"]) == 1
    assert "Its method was not replayed" in capsys.readouterr().out
    assert main(["verify", "release", "--public", "qi.parquet", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["not_replayed"]


def test_a_release_is_replayed_from_its_folder_and_the_quasi_identifiers_alone(tmp_path):
    plan = plan_of({"name": "mondrian+", "show": "intervals"}, privacy={"distinct-l-diversity": {"l": 2}})
    openveil.publish(people(), plan).write(tmp_path / "release")
    roster = people().select(QUASI)
    assert openveil.verify(tmp_path / "release", public=roster).holds
    moved = roster.with_columns(age=(pl.col("age") * 7) % 72 + 18)
    assert failing(openveil.verify(tmp_path / "release", public=moved)) & {REPLAYED, IN_STRATA, ROSTER}


def test_a_replay_without_the_plan_says_what_the_certificate_does_not(tmp_path):
    plan = plan_of("mondrian+", privacy={"k-anonymity": {"k": 3}})
    plan["columns"]["name"]["role"] = "person"
    plan["columns"]["sex"]["hierarchy"] = {"kind": "ordering", "order": ["f", "m"], "sizes": [2]}
    openveil.publish(people(), plan).write(tmp_path / "release")
    with pytest.raises(RequestError) as refused:
        openveil.verify(tmp_path / "release", public=people())
    assert [problem.where for problem in refused.value.problems] == ["certificate", "certificate"]
    assert "how sex may be generalised" in str(refused.value)
    assert "tells persons" in str(refused.value)
    assert openveil.verify(tmp_path / "release", public=people(), plan=plan).holds


def test_hierarchies_that_may_list_values_are_certified_without_their_parameters():
    plan = plan_of()
    plan["columns"]["sex"]["hierarchy"] = {"kind": "taxonomy", "tree": {"anyone": ["f", "m"]}}
    told = openveil.publish(people(), plan).certificate["hierarchies"]
    assert told["age"]["parameters"] == {"widths": [5, 10]}
    assert "parameters" not in told["sex"]


@pytest.mark.parametrize("method", ["mondrian+", "mondrian++"])
@pytest.mark.parametrize("scheme", ["generalisation", "bucketisation"])
def test_a_release_that_another_table_led_to_is_not_replayed(method, scheme, tmp_path):
    """Groups that the method would not have made of these people do not pass for its own."""
    plan = plan_of(
        {"name": method, "scheme": scheme, "show": "intervals"}, privacy={"distinct-l-diversity": {"l": 2}}
    )
    roster = people().select(QUASI)
    release = openveil.publish(people(), plan)
    assert len(release.release.classes) > 3
    release.write(tmp_path / "release")
    assert openveil.verify(tmp_path / "release", public=roster, plan=plan).holds
    moved = roster.with_columns(age=(pl.col("age") * 7) % 72 + 18)
    assert failing(openveil.verify(tmp_path / "release", public=moved, plan=plan)) & {REPLAYED, IN_STRATA, ROSTER}
    assert failing(openveil.verify(tmp_path / "release", public=roster.head(ROWS - 1), plan=plan)) == {ROSTER}
    with pytest.raises(RequestError, match="not the plan"):
        openveil.verify(tmp_path / "release", public=roster, plan=plan_of("anatomy"))


def in_strata(folder, plan):
    """What the public replay says of the groups of a method that draws."""
    found = openveil.verify(folder, public=people().select(QUASI), plan=plan)
    return next(each.verdict for each in found if each.name == IN_STRATA)


@pytest.mark.parametrize("left", [1, 2])
@pytest.mark.parametrize("method", ["anatomy", "mondrian++", "hilb++r"])
def test_groups_that_were_merged_do_not_pass_for_dealt_ones(method, left, tmp_path):
    plan = plan_of({"name": method, "scheme": "bucketisation"})
    folder = openveil.publish(people(), plan).write(tmp_path / "release").folder
    assert in_strata(folder, plan) is Verdict.HOLDS
    merged = pl.when(pl.col("group") > left).then(left).otherwise("group").alias("group")
    rows = pl.read_csv(folder / "table.csv", schema_overrides={"zip": pl.String}).with_columns(merged)
    rows.write_csv(folder / "table.csv")
    values = pl.read_csv(folder / "sensitive.csv").with_columns(merged)
    values.group_by("group", "ill").agg(pl.col("count").sum()).sort("group", "ill").write_csv(
        folder / "sensitive.csv"
    )
    assert in_strata(folder, plan) is Verdict.FAILS


@pytest.mark.parametrize("method", ["mondrian++", "hilb++r"])
def test_groups_that_do_not_lie_in_the_strata_do_not_pass(method, tmp_path):
    """Those of anatomy are dealt from the whole table, so they cross what the others settle."""
    distinct = {"distinct-l-diversity": {"l": 2}}
    plan = plan_of({"name": method, "scheme": "bucketisation"}, distinct)
    honest = openveil.publish(people(), plan).write(tmp_path / "honest").folder
    assert in_strata(honest, plan) is Verdict.HOLDS
    folder = openveil.publish(people(), plan_of("anatomy", distinct)).write(tmp_path / "release").folder
    certificate = json.loads((folder / "certificate.json").read_text())
    told = json.loads((honest / "certificate.json").read_text())
    certificate |= {"method": told["method"]}
    certificate["digests"]["plan"] = told["digests"]["plan"]
    (folder / "certificate.json").write_text(json.dumps(certificate))
    assert in_strata(folder, plan) is Verdict.FAILS


def test_two_people_who_changed_places_across_strata_are_noticed(tmp_path):
    """There are as many groups, as large, with the same values; they only do not lie in the strata."""
    plan = plan_of({"name": "mondrian++", "scheme": "bucketisation"}, {"distinct-l-diversity": {"l": 2}})
    folder = openveil.publish(people(), plan).write(tmp_path / "release").folder
    rows = pl.read_csv(folder / "table.csv", schema_overrides={"zip": pl.String}).sort("age")
    swapped = rows["group"].to_list()
    swapped[0], swapped[-1] = swapped[-1], swapped[0]
    rows.with_columns(group=pl.Series(swapped)).write_csv(folder / "table.csv")
    assert in_strata(folder, plan) is Verdict.FAILS


def test_groups_that_the_unsafe_mondrian_made_do_not_pass_for_those_of_the_safe_one(tmp_path):
    """What look-ahead would not have cut shows when it is replayed."""
    unsafe = plan_of({"name": "mondrian", "show": "intervals"}, allow_unsafe=True)
    honest = plan_of({"name": "mondrian+", "show": "intervals"}, allow_unsafe=True)
    openveil.publish(people(), unsafe).write(tmp_path / "release")
    path = tmp_path / "release" / "certificate.json"
    forged = json.loads(path.read_text())
    forged["method"] |= {"name": "mondrian+", "status": "proved", "source": "Jin, Zhang, Das 2011, Algorithm 1"}
    forged["digests"]["plan"] = Plan.from_dict(honest).digest
    path.write_text(json.dumps(forged))
    findings = openveil.verify(tmp_path / "release", public=people().select(QUASI), plan=honest)
    assert REPLAYED in failing(findings)


@pytest.mark.parametrize(
    ("old", "new"), [(",flu,1", ",flu,2"), (",flu,", ",cold,"), ("group,ill,count", "group,count,ill")]
)
def test_a_second_table_that_was_changed_is_noticed(old, new, tmp_path):
    folder = openveil.publish(people(), plan_of("anatomy")).write(tmp_path / "release").folder
    path = folder / "sensitive.csv"
    path.write_text(path.read_text().replace(old, new, 1))
    assert failing(openveil.verify(folder))
    path.unlink()
    with pytest.raises(RequestError, match="is not there"):
        openveil.verify(folder)


def test_both_tables_are_named_where_there_are_two(project, capsys):
    plan = Path("plan.toml").read_text().replace('show = "intervals"', 'scheme = "bucketisation"')
    Path("plan.toml").write_text(plan)
    assert main(["publish", "plan.toml"]) == 0
    told = capsys.readouterr().out
    assert "release/sensitive.csv" in told
    assert "Nothing was made coarser" in told
    assert main(["publish", "plan.toml", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["counts"] == "release/sensitive.csv"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (",1\n", ",-1\n"),
        (",1\n", ",0.5\n"),
        (",1\n", ",\n"),
        ("count", "number"),
        ("group,", "set,"),
        (",1\n", ",9e99\n"),
    ],
)
def test_a_damaged_second_table_is_not_replayed(old, new, tmp_path):
    folder = openveil.publish(people(), plan_of("anatomy")).write(tmp_path / "release").folder
    second = folder / "sensitive.csv"
    second.write_text(second.read_text().replace(old, new, 1))
    verification = openveil.verify(folder, public=people().select(QUASI))
    assert not verification.holds
    [replayed] = [each for each in verification if each.name == REPLAYED]
    assert replayed.verdict is Verdict.UNDECIDED


def test_verification_reads_as_a_sentence(tmp_path):
    folder = openveil.publish(people(), plan_of()).write(tmp_path / "release").folder
    assert str(openveil.verify(folder)).startswith("The release holds.\n")
    table = folder / "table.csv"
    table.write_text(table.read_text() + "1,2,3,4\n")
    assert str(openveil.verify(folder)).startswith("The release does not hold.\n")


MODELS = {
    "distinct-l-diversity": {"l": 3},
    "entropy-l-diversity": {"l": 2.5},
    "recursive-cl-diversity": {"c": 2, "l": 2},
    "alpha-k-anonymity": {"alpha": "2/5", "k": 4},
    "m-confidentiality": {"m": 3, "values": [CANARY, "burn"]},
    "t-closeness": {"t": 0.3, "distance": "hierarchical", "tree": {"rare": [CANARY, "burn"], "lung": ILLNESSES[1:5]}},
}


@pytest.mark.parametrize("scheme", ["generalisation", "bucketisation"])
@pytest.mark.parametrize("name", MODELS)
def test_every_model_of_sensitive_values_is_published_verified_and_replayed(name, scheme, tmp_path):
    plan = plan_of({"name": "mondrian++", "scheme": scheme}, privacy={name: MODELS[name]})
    release = openveil.publish(people(), plan)
    assert not failing(release.findings)
    release.write(tmp_path / "release")
    assert openveil.verify(tmp_path / "release").holds
    roster = people().select(QUASI)
    assert not failing(openveil.verify(tmp_path / "release", public=roster, plan=plan))


@pytest.mark.parametrize("scheme", ["generalisation", "bucketisation"])
@pytest.mark.parametrize("name", MODELS)
def test_the_terminal_tells_what_was_verified_of_every_model(name, scheme, tmp_path, capsys):
    plan = plan_of({"name": "mondrian++", "scheme": scheme}, privacy={name: MODELS[name]})
    openveil.publish(people(), plan).write(tmp_path / "release")
    assert main(["verify", str(tmp_path / "release")]) == 0
    told = capsys.readouterr().out
    assert all(finding.name in told for finding in openveil.verify(tmp_path / "release"))


def test_the_gate_counts_listed_values_by_their_text():
    """In the release a listed value may have another number than in the table."""
    release = openveil.publish(people(), plan_of(privacy={"m-confidentiality": {"m": 3, "values": ["burn", "cold"]}}))
    shown = release.data.with_columns(pl.col("ill").is_in(["burn", "cold"]).alias("exposed"))
    share = shown.group_by(QUASI).agg(pl.col("exposed").mean())["exposed"].max()
    told = next(each for each in release.findings if each.name.startswith("largest share of the listed values"))
    assert float(told.value) == pytest.approx(share)


@pytest.mark.parametrize(
    "privacy",
    [
        {"m-confidentiality": {"m": 2, "values": [CANARY, "Quokka-Feber"]}},
        {"t-closeness": {"t": 0.3, "distance": "ordered", "order": ["flu", "Quokka-Feber"]}},
    ],
)
def test_a_model_that_speaks_of_other_values_than_the_table_has_is_refused_without_naming_any(privacy):
    with pytest.raises(RequestError) as refused:
        openveil.publish(people(), plan_of(privacy=privacy))
    assert "Quokka" not in str(refused.value)
    assert "values" in str(refused.value)
