"""Attacks that bring something along: a rule of common sense, or another release."""

from collections import Counter
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openveil.adversary.breach import BreachProbability
from openveil.adversary.intersection import Intersection
from openveil.adversary.negative_association import NegativeAssociation
from openveil.core.attack import Sensitive, Target
from openveil.core.axis import Axis, Hierarchy, Level
from openveil.core.errors import RequestError
from openveil.core.finding import Verdict
from openveil.core.recoding import SUPPRESSED, Recoding
from openveil.core.registry import Kind, find
from openveil.core.secret import Secret
from openveil.core.table import Public
from openveil.core.witness import Witness
from openveil.requirements.frequency_l_diversity import FrequencyDiversity
from openveil.requirements.m_confidentiality import MConfidentiality
from openveil.tools.covering import Show, covered
from openveil.tools.fitting import NOBODY, look_alikes
from openveil.tools.other_release import OtherRelease
from oracles.points import public_of_points
from oracles.targets import ILL, target_of, with_outsiders

# Negative association: the example of section 2.2, Japan and Mexico, under the rule on heart disease.

OWN = ["cancer", "heart", "heart", "AIDS", "AIDS", "AIDS", "AIDS", "AIDS"]
SHOWN = ["cancer", "heart", "heart", "AIDS", "cancer", "cancer", "heart", "AIDS"]
AIDS = MConfidentiality(2, ("AIDS",))
JAPAN = {"among": "q0", "rare": ("heart",), "values": ("2",), "share": Fraction(1, 20)}


def hospital(shown=SHOWN, model=AIDS):
    return target_of([1] * 4 + [2] * 4, OWN, [0] * 4 + [1] * 4, model, shown=shown)


def test_the_japanese_of_the_paper_are_exposed_with_three_quarters_at_least():
    [outcome] = NegativeAssociation(**JAPAN).attempt(hospital())
    assert outcome.exposed == 4
    assert outcome.certainty == 3 / 4
    assert outcome.limit == Fraction(1, 2)
    assert outcome.verdict is Verdict.FAILS
    assert (outcome.attack.successes, outcome.baseline.successes) == (4, 1)


def test_a_rule_that_nothing_breaks_exposes_nobody():
    rule = {**JAPAN, "rare": ("AIDS",), "share": Fraction(1, 2)}
    [outcome] = NegativeAssociation(**rule).attempt(hospital())
    assert (outcome.exposed, outcome.verdict) == (0, Verdict.HOLDS)


def test_a_share_is_broken_by_more_than_it_only():
    for share, exposed in ((Fraction(1, 4), 0), (Fraction(249, 1000), 4)):
        [outcome] = NegativeAssociation(**{**JAPAN, "share": share}).attempt(hospital())
        assert outcome.exposed == exposed


def test_a_release_that_makes_up_nothing_is_not_attacked():
    assert NegativeAssociation(**JAPAN).attempt(hospital(shown=None)) == ()
    assert NegativeAssociation(**JAPAN).attempt(hospital(model=MConfidentiality(2))) == ()


def test_outsiders_are_bet_on_too():
    outside = with_outsiders(hospital(), [2, 2, 1, 7], ["AIDS", "flu", "AIDS", "AIDS"])
    [outcome] = NegativeAssociation(**JAPAN).attempt(outside)
    assert (outcome.control.tries, outcome.control.successes) == (2, 1)


@given(st.lists(st.integers(0, 6), min_size=1, max_size=12), st.integers(0, 6), st.data())
def test_a_group_is_meant_when_everyone_its_label_covers_is(places, most, data):
    group = data.draw(st.lists(st.integers(0, 2), min_size=len(places), max_size=len(places)))
    group = [sorted(set(group)).index(each) for each in group]
    target = target_of(places, ["x"] * len(places), group, AIDS, shown=["rare"] * len(places))
    [outcome] = NegativeAssociation(among="q0", rare=("rare",), most=most).attempt(target)
    spans = {g: [p for p, each in zip(places, group, strict=True) if each == g] for g in group}
    meant = {
        g for g, own in spans.items() if all(place <= most for place in set(places) if min(own) <= place <= max(own))
    }
    assert outcome.exposed == sum(each in meant for each in group)


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"rare": ()}, "rare"),
        ({"values": ()}, "nobody"),
        ({"share": Fraction(1)}, "share"),
        ({"share": Fraction(-1, 2)}, "share"),
    ],
)
def test_a_rule_that_says_nothing_is_refused(changed, what):
    with pytest.raises(RequestError, match=what):
        NegativeAssociation(**{**JAPAN, **changed})


def test_a_rule_about_another_column_is_refused():
    with pytest.raises(RequestError, match="no quasi-identifier"):
        NegativeAssociation(**{**JAPAN, "among": "age"}).attempt(hospital())


# On what the publishers make of a table.


def young(rows=300):
    """People of 20 to 29, a third of whom have a listed value; the rare one only those of 28 and 29 have."""
    ages = [20 + row % 10 for row in range(rows)]
    ill = ["listed" if row % 7 < 3 else "other" for row in range(rows)]
    values = ["PhD" if age > 27 and row % 3 == 0 else ill[row] for row, age in enumerate(ages)]
    return ages, values


def published_by(name, model, **parameters):
    ages, values = young()
    public = public_of_points([(age,) for age in ages])
    column = pl.Series(ILL, values)
    method = find(Kind.PUBLISHER, name).cls(**parameters)
    recoding = method.solve(public, Witness(column.to_frame()), model, Secret(bytes(32)))
    sensitive = Sensitive.of(column, recoding)
    return Target(public, recoding, (sensitive,), model.greatest_chance, model, method)


def test_mask_is_found_out_by_the_values_it_makes_up():
    target = published_by("mask", MConfidentiality(3, ("listed",)))
    [outcome] = NegativeAssociation(among="q0", rare=("PhD",), most=27, share=Fraction(0)).attempt(target)
    assert outcome.exposed > 0
    assert outcome.verdict is Verdict.FAILS
    assert outcome.attack.rate > Fraction(1, 3) >= outcome.baseline.rate


def test_the_repair_makes_up_nothing_and_what_it_hides_is_undecided():
    target = published_by("mask+r", MConfidentiality(2), domain=("PhD", "listed", "other"))
    assert NegativeAssociation(among="q0", rare=("PhD",), most=27).attempt(target) == ()
    [outcome] = BreachProbability().attempt(target)
    assert outcome.verdict is Verdict.UNDECIDED


# Intersection.


def of_texts(labels):
    """A table of one attribute v0..v5 with nodes low, high and *, one row a label."""
    names = [f"v{number}" for number in range(6)]
    axis = Axis("q0", pl.Series("q0", names))
    levels = (
        Level(np.arange(6, dtype=np.int32), pl.Series("q0", names)),
        Level(np.array([0, 3], dtype=np.int32), pl.Series("q0", ["low", "high"])),
        Level(np.array([0], dtype=np.int32), pl.Series("q0", ["*"])),
    )
    codes = np.array([[names.index(label)] for label in labels], dtype=np.uint8).reshape(-1, 1)
    return Public((Hierarchy(axis, levels),), codes, (Fraction(1),))


MEANINGS = {
    "v2": {2},
    "low": {0, 1, 2},
    "high": {3, 4, 5},
    "*": set(range(6)),
    "v1 to v4": {1, 2, 3, 4},
    "{v1, v2}": {1, 2},
    "[broken": set(range(6)),
}


def other_target(rows, group, values, promised):
    public = of_texts(rows)
    recoding = covered(public, np.array(group, dtype=np.int32), Show.NODES)
    whole = target_of(range(len(rows)), values, group, promised)
    return type(whole)(public, recoding, whole.sensitive, whole.limit, promised)


@st.composite
def two_releases(draw):
    rows = draw(st.lists(st.integers(0, 5), min_size=2, max_size=10))
    values = draw(st.lists(st.sampled_from("abc"), min_size=len(rows), max_size=len(rows)))
    group = draw(st.lists(st.integers(0, 1), min_size=len(rows), max_size=len(rows)))
    group = [sorted(set(group)).index(each) for each in group]
    other = draw(st.lists(st.tuples(st.sampled_from(sorted(MEANINGS)), st.sampled_from("abcz")), max_size=8))
    return rows, values, group, other


@given(two_releases())
def test_what_is_left_is_what_reading_both_leaves(releases):
    rows, values, group, other = releases
    target = other_target([f"v{row}" for row in rows], group, values, FrequencyDiversity(2))
    frame = pl.DataFrame(
        {"q0": [label for label, _ in other], ILL: [value for _, value in other]},
        schema_overrides={"q0": pl.String, ILL: pl.String},
    )
    beliefs = Intersection(other="unused").compared(target, target.sensitive[0], frame)
    for row, place in enumerate(rows):
        here = Counter(value for value, each in zip(values, group, strict=True) if each == group[row])
        there = Counter(value for label, value in other if place in MEANINGS[label])
        weights = {value: here[value] * there[value] for value in here if there[value]}
        if not weights:
            assert beliefs.guess[row] == -1
            continue
        best = Fraction(max(weights.values()), sum(weights.values()))
        assert beliefs.chance[row] == pytest.approx(float(best))
        assert beliefs.exposed[row] == (best > Fraction(1, 2))
        assert weights[target.sensitive[0].labels[int(beliefs.guess[row])]] == max(weights.values())


@pytest.mark.parametrize("label", ["[3, 5)", "3-4", "{3, 4}", "]2;4]", "3 to 4"])
def test_other_tools_write_labels_in_their_own_ways(label):
    target = target_of([1, 2, 3, 4, 5], "abcab", [0] * 5, FrequencyDiversity(2))
    frame = pl.DataFrame({"q0": [label, label, "1", "1"], ILL: ["c", "a", "b", "b"]})
    beliefs = Intersection(other="unused").compared(target, target.sensitive[0], frame)
    labels = target.sensitive[0].labels
    known = {labels[int(each)] for each in beliefs.guess[2:4]}
    assert beliefs.guess.tolist()[1] == beliefs.guess.tolist()[4] == -1
    assert known <= {"a", "c"}
    assert beliefs.chance[2] == pytest.approx(2 / 3)


def test_labels_that_cannot_be_read_are_told():
    target = other_target(["v0", "v5"], [0, 0], "ab", FrequencyDiversity(2))
    frame = pl.DataFrame({"q0": ["[broken", "low"], ILL: ["a", "b"]})
    other = OtherRelease.of(target.public, frame, target.sensitive[0])
    assert other.unread == 1
    beliefs = Intersection(other="unused").compared(target, target.sensitive[0], frame)
    assert beliefs.note.startswith("1 rows")


def test_a_release_of_nothing_that_can_be_read_decides_nothing():
    target = other_target(["v0", "v5"], [0, 0], "ab", FrequencyDiversity(2))
    frame = pl.DataFrame({"q0": ["[broken", "{also"], ILL: ["z", "y"]})
    beliefs = Intersection(other="unused").compared(target, target.sensitive[0], frame)
    assert beliefs.undecided.all()


def test_another_release_without_a_column_in_common_is_refused(tmp_path):
    pl.DataFrame({"age": [1], ILL: ["a"]}).write_csv(tmp_path / "other.csv")
    target = target_of([1, 2], "ab", [0, 0], FrequencyDiversity(2))
    with pytest.raises(RequestError, match="none of the quasi-identifiers"):
        Intersection(tmp_path / "other.csv").attempt(target)


def test_another_release_without_the_sensitive_column_is_not_used(tmp_path):
    pl.DataFrame({"q0": [1]}).write_csv(tmp_path / "other.csv")
    target = target_of([1, 2], "ab", [0, 0], FrequencyDiversity(2))
    assert Intersection(tmp_path / "other.csv").attempt(target) == ()


# Whom outsiders are taken for.


@given(st.lists(st.integers(0, 9), min_size=1, max_size=12), st.lists(st.integers(-1, 9), max_size=6), st.data())
def test_an_outsider_is_taken_for_someone_the_labels_of_whose_group_fit(places, outside, data):
    group = data.draw(st.lists(st.integers(-1, 2), min_size=len(places), max_size=len(places)))
    used = sorted({each for each in group if each >= 0})
    group = [used.index(each) if each >= 0 else SUPPRESSED for each in group]
    public = public_of_points([(place,) for place in places])
    shown = np.array([max(each, 0) for each in group], dtype=np.int32)
    whole = covered(public, shown, Show.INTERVALS)
    recoding = Recoding(np.array(group, dtype=np.int32), whole.cells, whole.displays)
    axis = public.hierarchies[0].axis
    known = axis.encode(pl.Series(outside, dtype=pl.Int64))[0].reshape(-1, 1).astype(np.int32)
    for place, row in zip(outside, look_alikes(public, recoding, known).tolist(), strict=True):
        alike = [r for r, each in enumerate(places) if each == place and group[r] != SUPPRESSED]
        if alike:
            assert row == alike[0]
        elif row != NOBODY:
            display, cell = recoding.displays[0], recoding.cells[group[row], 0]
            code = known[outside.index(place), 0]
            assert display.lower[cell] <= code <= display.upper[cell]
        else:
            code = known[outside.index(place), 0]
            fits = [
                (recoding.displays[0].lower[c] <= code <= recoding.displays[0].upper[c])
                for g, c in enumerate(recoding.cells[:, 0])
                if g in group
            ]
            assert not any(fits)
