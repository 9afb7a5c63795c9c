"""Is what an attack found judged as its definition says?"""

from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openveil.adversary.breach import BreachProbability
from openveil.adversary.homogeneity import Homogeneity
from openveil.adversary.linking import Linking
from openveil.adversary.skewness import Skewness
from openveil.core.attack import BROKEN, Arm, Beliefs, Sensitive, beyond, judged
from openveil.core.errors import RequestError
from openveil.core.finding import Verdict
from openveil.core.recoding import SUPPRESSED, Change, Recoding, Replaced
from openveil.core.requirement import together
from openveil.requirements.alpha_k_anonymity import AlphaKAnonymity
from openveil.requirements.entropy_l_diversity import EntropyDiversity
from openveil.requirements.frequency_l_diversity import FrequencyDiversity
from openveil.requirements.k_anonymity import KAnonymity
from openveil.requirements.m_confidentiality import MConfidentiality
from oracles import hilbert
from oracles.attacks import wilson_holds
from oracles.targets import ILL, target_of, with_outsiders

FEW = st.sampled_from("abcd")


@st.composite
def releases(draw):
    """Rows in groups with values, and what was promised."""
    group = draw(st.lists(st.integers(0, 3), min_size=1, max_size=14))
    used = sorted(set(group))
    group = [used.index(each) for each in group]
    values = draw(st.lists(FEW, min_size=len(group), max_size=len(group)))
    promised = draw(st.sampled_from([None, FrequencyDiversity(2), FrequencyDiversity(3), KAnonymity(2)]))
    return group, values, promised


def bag(group, values, row):
    return [value for each, value in zip(group, values, strict=True) if each == group[row]]


# Arms.


@given(st.integers(1, 400), st.data())
def test_the_interval_is_every_rate_that_wilsons_test_does_not_refuse(tries, data):
    arm = Arm(tries, data.draw(st.integers(0, tries)))
    low, high = arm.interval
    assert 0 <= low <= arm.rate <= high <= 1
    rate = data.draw(st.floats(0.0001, 0.9999))
    if abs(rate - low) > 1e-9 and abs(rate - high) > 1e-9:
        assert wilson_holds(arm.successes, tries, rate) == (low < rate < high)


def test_without_tries_every_rate_is_possible():
    assert Arm(0, 0).interval == (0.0, 1.0)


@pytest.mark.parametrize(("tries", "successes"), [(1, 2), (3, -1), (-1, 0)])
def test_an_arm_has_no_more_successes_than_tries(tries, successes):
    with pytest.raises(ValueError, match="tries"):
        Arm(tries, successes)


@given(st.integers(0, 60), st.integers(1, 60), st.fractions(0, 1, max_denominator=40))
def test_more_than_promised_is_decided_in_whole_numbers(up, down, limit):
    up = min(up, down)
    expected = up == down if limit == 1 else Fraction(up, down) > limit
    assert beyond(np.array([up]), np.array([down]), limit).tolist() == [expected]


def test_a_limit_of_many_digits_is_not_rounded():
    limit = Fraction(10**40 - 1, 3 * 10**40)
    assert beyond(np.array([1, 3333]), np.array([3, 10**4]), limit).tolist() == [True, False]


@pytest.mark.parametrize(
    ("model", "chance"),
    [
        (FrequencyDiversity(3), Fraction(1, 3)),
        (AlphaKAnonymity(Fraction(2, 7), 2), Fraction(2, 7)),
        (MConfidentiality(4), Fraction(1, 4)),
        (MConfidentiality(4, ("a",)), Fraction(1)),
        (KAnonymity(5), Fraction(1)),
        (EntropyDiversity(2), Fraction(1)),
        (together([KAnonymity(5), FrequencyDiversity(2), MConfidentiality(3)]), Fraction(1, 3)),
    ],
)
def test_models_say_which_chance_they_allow(model, chance):
    assert model.greatest_chance == chance


# Beliefs.


@given(releases())
def test_homogeneity_is_certain_of_groups_with_one_value(release):
    group, values, promised = release
    [outcome] = Homogeneity().attempt(target_of(range(len(group)), values, group, promised))
    alone = [row for row in range(len(group)) if len(set(bag(group, values, row))) == 1]
    assert outcome.exposed == outcome.attack.successes == outcome.attack.tries == len(alone)
    assert outcome.certainty == float(bool(alone))


@given(releases())
def test_the_breach_probability_is_the_share_of_the_own_value(release):
    group, values, promised = release
    target = target_of(range(len(group)), values, group, promised)
    [outcome] = BreachProbability().attempt(target)
    shares = []
    for row, value in enumerate(values):
        own = bag(group, values, row)
        shares.append(Fraction(own.count(value), len(own)))
    over = [share == 1 if target.limit == 1 else share > target.limit for share in shares]
    assert outcome.exposed == sum(over)
    told = {finding.name: finding.value for finding in outcome.further}
    assert told["breach probability, largest"] == max(shares)
    assert told["breach probability, mean"] == sum(shares) / len(shares)
    assert outcome.attack.successes == sum(
        hilbert.most(bag(group, values, group.index(number))) for number in set(group)
    )


@given(releases(), st.fractions(0, Fraction(9, 10), max_denominator=20))
def test_skewness_exposes_where_a_value_gains_more_than_allowed(release, gain):
    group, values, promised = release
    [outcome] = Skewness(gain).attempt(target_of(range(len(group)), values, group, promised))
    exposed = 0
    for row in range(len(group)):
        own = bag(group, values, row)
        gains = [Fraction(own.count(v), len(own)) - Fraction(values.count(v), len(values)) for v in set(own)]
        exposed += max(gains) > gain
    assert outcome.exposed == exposed


@pytest.mark.parametrize("gain", ["1", "-0.1", "2"])
def test_a_gain_that_means_nothing_is_refused(gain):
    with pytest.raises(RequestError, match="gain"):
        Skewness(Fraction(gain))


@given(releases())
def test_nobody_who_is_not_published_is_exposed(release):
    group, values, promised = release
    whole = target_of(range(len(group)), values, group, promised)
    hidden = np.array([SUPPRESSED if each == 0 else each for each in group], dtype=np.int32)
    recoding = Recoding(hidden, whole.recoding.cells, whole.recoding.displays)
    column = Sensitive.of(pl.Series(ILL, values), recoding)
    target = type(whole)(whole.public, recoding, (column,), whole.limit, promised)
    kept = [row for row, each in enumerate(group) if each]
    for attack in (Homogeneity(), BreachProbability(), Skewness(), Linking()):
        for outcome in attack.attempt(target):
            assert outcome.exposed <= outcome.people == len(kept)
            assert outcome.attack.tries <= len(kept)


# Judging.


def verdict(promised, values, group):
    [outcome] = Homogeneity().attempt(target_of(range(len(group)), values, group, promised))
    return outcome.verdict


def test_a_verdict_needs_a_promise():
    assert verdict(FrequencyDiversity(2), "aab", [0, 0, 1]) is Verdict.FAILS
    assert verdict(FrequencyDiversity(2), "abab", [0, 0, 1, 1]) is Verdict.HOLDS
    assert verdict(KAnonymity(2), "aab", [0, 0, 1]) is Verdict.INFORMS
    assert verdict(None, "abab", [0, 0, 1, 1]) is Verdict.INFORMS


@pytest.mark.parametrize("change", [each for each in Change if each is not Change.PERTURBED])
def test_values_that_are_shown_coarser_are_undecided_and_no_sign_of_safety(change):
    whole = target_of(range(4), "aabb", [0, 0, 1, 1], FrequencyDiversity(2))
    labels = pl.Series(ILL, ["some illness"])
    changed = Replaced(ILL, change, labels, np.zeros(4, dtype=np.int32), np.ones(4, dtype=np.bool_))
    recoding = Recoding(whole.group, whole.recoding.cells, whole.recoding.displays, replaced=(changed,))
    column = Sensitive.of(pl.Series(ILL, list("aabb")), recoding)
    target = type(whole)(whole.public, recoding, (column,), whole.limit, whole.requirement)
    for attack in (Homogeneity(), BreachProbability(), Skewness()):
        [outcome] = attack.attempt(target)
        assert outcome.verdict is Verdict.UNDECIDED
        assert outcome.undecided == 4


def test_the_baseline_bets_on_everyone_in_the_groups_the_attack_bets_in():
    [outcome] = Homogeneity().attempt(target_of(range(6), "aaabbc", [0, 0, 1, 1, 2, 2], FrequencyDiversity(2)))
    assert (outcome.attack.tries, outcome.baseline.tries) == (2, 2)
    assert outcome.baseline.successes == 2


def certain(target, guesses):
    """Somebody is certain of each guess that is given."""
    guess = target.sensitive[0].numbers(pl.Series(guesses))
    sure = guess >= 0
    naive = np.zeros(len(guess), dtype=np.int32)
    return Beliefs(guess, sure.astype(float), sure, naive, 1, "guesses")


@pytest.mark.parametrize("model", [None, FrequencyDiversity(2)])
def test_certainty_that_is_right_no_more_often_than_guessing_exposes_nobody(model):
    values = list("abc") * 30
    target = target_of(range(90), values, [0] * 90, model)
    outcome = judged(target, target.sensitive[0], certain(target, ["a"] * 90))
    assert (outcome.attack.rate, outcome.baseline.rate) == (Fraction(1, 3), Fraction(1, 3))
    assert (outcome.exposed, outcome.undecided, outcome.certainty) == (0, 90, 0)
    assert (outcome.verdict, outcome.note) == (Verdict.UNDECIDED, BROKEN)


@pytest.mark.parametrize("wrong", [0, 1, 20])
def test_certainty_that_is_mostly_right_exposes_people(wrong):
    values = list("abc") * 30
    target = target_of(range(90), values, [0] * 90, FrequencyDiversity(2))
    guesses = ["b" if value == "a" else "a" for value in values[:wrong]] + values[wrong:]
    outcome = judged(target, target.sensitive[0], certain(target, guesses))
    assert (outcome.exposed, outcome.undecided, outcome.verdict) == (90, 0, Verdict.FAILS)


def test_one_certainty_that_is_right_is_no_accident():
    target = target_of(range(3), "abc", [0] * 3, FrequencyDiversity(2))
    assert judged(target, target.sensitive[0], certain(target, ["a", None, None])).exposed == 1
    assert judged(target, target.sensitive[0], certain(target, ["b", None, None])).exposed == 0


def test_the_control_group_is_bet_on_by_those_it_looks_like():
    target = target_of([1, 2, 5, 6], "aabc", [0, 0, 1, 1], FrequencyDiversity(2))
    outside = with_outsiders(target, [1, 2, 5, 99], ["a", "never", "a", "a"])
    [outcome] = Homogeneity().attempt(outside)
    assert (outcome.control.tries, outcome.control.successes) == (2, 1)


def test_missing_values_are_values():
    target = target_of(range(4), [None, None, "a", "b"], [0, 0, 1, 1], FrequencyDiversity(2))
    [outcome] = Homogeneity().attempt(target)
    assert outcome.exposed == outcome.attack.successes == 2


# Persons.


def test_linking_without_a_table_of_others_looks_for_the_people_of_the_table():
    [outcome] = Linking().attempt(target_of([1, 2, 3, 4, 5], "abcab", [0, 0, 1, 1, 1], KAnonymity(2)))
    told = {finding.name: finding.value for finding in outcome.further}
    assert outcome.exposed == 0
    assert outcome.verdict is Verdict.HOLDS
    assert told["prosecutor risk, largest"] == Fraction(1, 2)
    assert told["marketer risk"] == Fraction(2, 5)


def test_linking_with_others_tells_the_risks_of_a_larger_population(tmp_path):
    pl.DataFrame({"q0": [1, 1, 2, 4, 5, 6]}).with_row_index("name").write_csv(tmp_path / "voters.csv")
    target = target_of([1, 2, 4, 5], "abca", [0, 0, 1, 1], KAnonymity(2))
    [outcome] = Linking(tmp_path / "voters.csv").attempt(target)
    told = {finding.name: finding.value for finding in outcome.further}
    assert told["prosecutor risk, largest"] == Fraction(1, 2)
    assert told["journalist risk, largest"] == Fraction(1, 2)
    # Groups of two rows; three others fit the first, two the second: 2/3 + 2/2 of four rows.
    assert told["marketer risk"] == (Fraction(2, 3) + 1) / 4
    assert outcome.attack.tries == 6
