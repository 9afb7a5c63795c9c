"""Is a release whose sensitive values are not the original ones published, measured, told and verified as such?"""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import openveil
from openveil.core.alternatives import OR
from openveil.core.errors import GuaranteeError
from openveil.core.finding import Verdict
from openveil.core.recoding import Change, Replaced
from openveil.core.release import REPLACED
from openveil.publishers.mondrian import Mondrian
from openveil.publishers.mondrian_plus import MondrianPlus
from openveil.report.page import render
from openveil.report.text import lines

ROWS = 60
SWAPPED = 20
CANARY = "Quokka-Fieber"
LEAST = {"frequency-l-diversity": {"l": 1}}
every_scheme = pytest.mark.parametrize("scheme", ["generalisation", "bucketisation"])


def people():
    return pl.DataFrame(
        {
            "age": [20 + row % 6 for row in range(ROWS)],
            "ill": [CANARY if row % 3 else "flu" for row in range(ROWS)],
            "job": [f"job {row % 7}" for row in range(ROWS)],
        }
    )


def plan_of(scheme="generalisation", method="mondrian", privacy=None):
    return {
        "columns": {
            "age": {"role": "quasi-identifier", "hierarchy": {"kind": "suppression"}},
            "ill": {"role": "sensitive"},
            "job": {"role": "other"},
        },
        "privacy": privacy or LEAST,
        "method": {"name": method, "scheme": scheme},
        "allow_unsafe": True,
    }


def swaps(name="ill", change=Change.PERTURBED, told=SWAPPED):
    """What shows the first rows as `cold`, and says so of the first `told` rows."""
    code = np.array([1 if row < SWAPPED else 2 if row % 3 else 0 for row in range(ROWS)], dtype=np.int32)
    coarse = OR.join(["flu", "cold", CANARY]) if change is Change.GENERALISED else "cold"
    return Replaced(name, change, pl.Series(["flu", coarse, CANARY]), code, np.arange(ROWS) < told)


@pytest.fixture
def swapping(monkeypatch):
    """Make a method replace values after it has solved."""

    def patch(replaced, method=Mondrian):
        solve = method.solve

        def replacing(self, public, witness, requirement, secret):
            return replace(solve(self, public, witness, requirement, secret), replaced=(replaced,))

        monkeypatch.setattr(method, "solve", replacing)

    return patch


def failing(folder):
    return {each.name for each in openveil.verify(folder) if each.verdict in (Verdict.FAILS, Verdict.UNDECIDED)}


@every_scheme
def test_what_is_shown_is_published_beside_the_same_rows(swapping, scheme, tmp_path):
    swapping(swaps())
    release = openveil.publish(people(), plan_of(scheme))
    shown, _ = release.release.tables.shown(["age"], ["ill"])
    assert sorted(shown["ill"]) == sorted(swaps().shown)
    if scheme == "generalisation":
        original = people().with_columns(swaps().shown)
        pairs = original.select("ill", "job").group_by(pl.all()).len()
        assert release.data.select("ill", "job").group_by(pl.all()).len().sort(pl.all()).equals(pairs.sort(pl.all()))
    release.write(tmp_path / "release")
    assert not failing(tmp_path / "release")


@every_scheme
def test_the_model_is_asked_about_what_is_shown(swapping, scheme):
    """One value in two of three rows is too many for l = 2; shown as two values, in equal parts, it is not."""
    plan = plan_of(scheme, privacy={"frequency-l-diversity": {"l": 2}})
    with pytest.raises(GuaranteeError, match="only l = 1"):
        openveil.publish(people(), plan)
    swapping(swaps())
    with pytest.raises(GuaranteeError, match="only l = 1"):
        openveil.publish(people(), plan)
    release = openveil.publish(people(), plan_of(scheme))
    [share] = [each for each in release.findings if each.name == "largest share of a value in a group"]
    shown, told_apart = release.release.tables.shown(["age"], ["ill"])
    counts = shown.group_by(*told_apart, "ill").len()
    largest = counts.group_by(told_apart).agg(pl.col("len").max() / pl.col("len").sum())["len"].max()
    assert float(share.value) == pytest.approx(largest)


@pytest.mark.parametrize("change", Change)
def test_it_is_told_how_many_rows_show_another_value_and_in_what_way(swapping, change, tmp_path):
    swapping(swaps(change=change, told=SWAPPED + 5))
    release = openveil.publish(people(), plan_of())
    [told] = [each for each in release.findings if each.name == REPLACED]
    assert (told.on, told.value, told.verdict) == ("ill", SWAPPED + 5, Verdict.INFORMS)
    assert release.certificate["replaced"] == {"ill": change}
    words = {
        Change.PERTURBED: "values of ill were changed: 25 of 60 rows",
        Change.GENERALISED: "values of ill were made coarser",
        Change.RAISED: "show a node of the taxonomy",
    }
    page = render(release.certificate)
    assert words[change] in page
    assert any(words[change] in line for line in lines(release.certificate))
    assert "ill, job" not in page
    assert CANARY not in page + json.dumps(release.certificate)


def test_a_method_that_claims_to_be_safe_may_not_have_looked_at_what_is_not_shown(swapping):
    swapping(swaps(), MondrianPlus)
    with pytest.raises(GuaranteeError, match="not derivable"):
        openveil.publish(people(), plan_of(method="mondrian+"))


def test_what_is_made_coarser_must_name_everybody_s_own_value(swapping):
    coarse = swaps(change=Change.GENERALISED)
    swapping(replace(coarse, labels=pl.Series(["flu", "cold | flu", CANARY])))
    with pytest.raises(GuaranteeError, match="do not cover people's own"):
        openveil.publish(people(), plan_of())


@pytest.mark.parametrize("told", [0, SWAPPED - 1])
def test_no_row_shows_another_value_unless_that_is_said(swapping, told):
    swapping(swaps(told=told))
    with pytest.raises(GuaranteeError, match="other sensitive values than the decision says"):
        openveil.publish(people(), plan_of())


def test_only_sensitive_columns_may_be_replaced(swapping):
    swapping(swaps("job"))
    with pytest.raises(GuaranteeError, match="not sensitive"):
        openveil.publish(people(), plan_of())


def removes(certificate):
    certificate["replaced"] = {}


def renames(certificate):
    certificate["replaced"] = {"job": "perturbed"}


def rephrases(certificate):
    certificate["replaced"] = {"ill": "generalised"}


def multiplies(certificate):
    [told] = [each for each in certificate["findings"] if each["name"] == REPLACED]
    told["value"] = ROWS + 1


def forgets(certificate):
    certificate["findings"] = [each for each in certificate["findings"] if each["name"] != REPLACED]


ALIKE, THERE = "every attribute is spoken of alike", "the findings of the original are there, once"
EDITS = [(removes, ALIKE), (renames, ALIKE), (rephrases, THERE), (multiplies, THERE), (forgets, ALIKE)]


@pytest.mark.parametrize(("edit", "noticed"), EDITS, ids=lambda each: getattr(each, "__name__", ""))
def test_a_certificate_that_tells_it_otherwise_is_noticed(swapping, edit, noticed, tmp_path):
    swapping(swaps())
    folder = openveil.publish(people(), plan_of()).write(tmp_path / "release").folder
    path = folder / "certificate.json"
    certificate = json.loads(path.read_text())
    edit(certificate)
    path.write_text(json.dumps(certificate))
    assert noticed in failing(folder)
