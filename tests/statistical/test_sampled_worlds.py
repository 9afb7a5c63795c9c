"""Do the intervals of sampled worlds cover what is exact, at their rate?"""

from fractions import Fraction
from math import comb

import numpy as np
import polars as pl
import pytest

from openveil.core.finding import Verdict
from openveil.core.intervals import interval
from openveil.core.registry import Kind, find
from openveil.core.secret import Secret
from openveil.requirements.frequency_l_diversity import FrequencyDiversity
from openveil.worlds.conditions import check
from openveil.worlds.exact import Bound, exact
from openveil.worlds.findings import MORE, RISING, of_sample
from openveil.worlds.knowledge import Knowledge, never
from openveil.worlds.method import Setting, by_membership, released
from openveil.worlds.sampled import sampled
from openveil.worlds.tool import Law, Reader, wrapped
from oracles import asap
from oracles.points import public_of_points

TWO = FrequencyDiversity(2)


@pytest.mark.parametrize("tries", [1, 7, 40, 150])
@pytest.mark.parametrize("chance", [Fraction(1, 50), Fraction(1, 6), Fraction(1, 2), Fraction(2, 3), Fraction(1)])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
def test_intervals_cover_at_their_level(tries, chance, level):
    """By the exact probability of every number of successes."""
    ends = [interval(k, tries, level) for k in range(tries + 1)]
    covered = sum(
        comb(tries, k) * chance**k * (1 - chance) ** (tries - k)
        for k, (low, high) in enumerate(ends)
        if low <= chance <= high
    )
    assert covered >= level
    assert all(low <= k / tries <= high for k, (low, high) in enumerate(ends))


def test_intervals_are_those_of_the_tables():
    low, high = interval(3, 10)
    assert (round(low, 4), round(high, 4)) == (0.0667, 0.6525)
    assert interval(0, 10)[0] == 0
    assert round(interval(0, 10)[1], 4) == 0.3085


def case_of(name, values, points=None):
    public = public_of_points(points or [(row,) for row in range(len(values))])
    setting = Setting.of(find(Kind.PUBLISHER, name).cls(), public, pl.DataFrame({"ill": list(values)}), TWO)
    return by_membership(setting, released(setting, Secret(bytes(32))))


RUNS = 150


def coverage(case, worlds, knowledge=None, **options):
    """In how many of many runs the interval of each entry covers the exact chance; how many runs kept any draw."""
    covered, decided = None, 0
    who = {person: place for place, person in enumerate(worlds.who.tolist())}
    for number in range(RUNS):
        secret = Secret(number.to_bytes(32, "big"))
        sample = sampled(case, *([knowledge] if knowledge else []), tries=40, secret=secret, **options)
        ends = sample.intervals()
        wanted = [
            (entry, worlds.after[who[int(sample.who[person])]].get(int(value), 0))
            for entry, (person, value) in enumerate(zip(sample.entries.owner, sample.entries.values, strict=True))
            if int(sample.who[person]) in who
        ]
        inside = np.array([ends[entry, 0] <= chance <= ends[entry, 1] for entry, chance in wanted])
        covered = inside.astype(int) if covered is None else covered + inside
        decided += bool((sample.kept > 0).all())
    return covered, decided


# One run in twenty may miss; four deviations below that is about 0.88 of 150 runs.
LEAST = 0.88 * RUNS


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("hilb+", "ccbdbd"),
        pytest.param("mondrian", "aabbc", marks=pytest.mark.slow),
        pytest.param("hilb", "ccdbb", marks=pytest.mark.slow),
    ],
)
def test_intervals_of_what_a_method_gives_away_cover(name, values):
    case = case_of(name, values)
    covered, decided = coverage(case, exact(case))
    assert covered.min() >= LEAST
    assert covered.min() < RUNS, "an interval that never misses says nothing"
    assert decided > RUNS / 2


def test_estimates_are_right_where_tables_are_published_so_with_other_chances():
    """Anatomy that breaks ties by rank: all 12 tables may be published so, some more likely than others."""
    values, points = "adbca", [(row,) for row in range(5)]

    def shown(groups):
        rows = [(f"{{{', '.join(map(str, each))}}}", value) for each, bag in groups for value in bag]
        return pl.DataFrame(rows, schema=["q", "ill"], orient="row")

    def law(frame):
        chances = asap.outcomes("anatomy", points, tuple(frame["ill"]), 2, tie="lowest")
        return [(shown(groups), chance) for groups, chance in chances.items()]

    frame = pl.DataFrame({"q": [str(row) for row in range(5)], "ill": list(values)})
    release = shown([((0, 2), "ab"), ((1, 3, 4), "acd")])
    case = wrapped(frame, Law(cached(law)), Reader(["q"], ["ill"]), release=release)
    worlds = exact(case)
    assert len(set(worlds.chances)) > 1
    assert all(worlds.chances)
    sample = sampled(case, tries=3000, secret=Secret(bytes(32)))
    ends = sample.intervals(0.9999)
    exactly = [
        worlds.after[person].get(value, 0)
        for person, value in zip(sample.entries.owner.tolist(), sample.entries.values.tolist(), strict=True)
    ]
    assert all(low <= chance <= high for (low, high), chance in zip(ends, exactly, strict=True))
    assert not all(low <= share <= high for (low, high), share in zip(ends, sample.before, strict=True))


def cached(law):
    """The same law, asked once for each table."""
    known = {}

    def answer(frame):
        key = tuple(frame["ill"])
        if key not in known:
            known[key] = law(frame)
        return known[key]

    return answer


def test_intervals_cover_where_more_is_known():
    case, knowledge = case_of("hilb+", "ccbdbd"), Knowledge((never(1, "ill", "d"),))
    covered, _ = coverage(case, exact(case, knowledge), knowledge)
    assert covered.min() >= LEAST


def test_intervals_cover_where_some_groups_are_asked_about():
    case = case_of("hilb+", "ccbdbd")
    group = [int(case.seen.group[1])]
    covered, _ = coverage(case, exact(case, groups=group), groups=group)
    assert covered.min() >= LEAST


@pytest.mark.slow
def test_part_by_part_covers_what_is_exact_of_each_part():
    """Two far halves that Mondrian cuts apart: what it does in one tells nothing of the other."""
    values = "aabbc" + "ddeef"
    case = case_of("mondrian", values, [(row + 1000 * (row > 4),) for row in range(10)])
    sample = sampled(case, tries=1)
    assert len(set(sample.part.tolist())) > 1
    worlds = exact(case)
    covered, decided = coverage(case, worlds)
    assert covered.min() >= LEAST
    assert decided > RUNS / 2


def test_a_sample_of_a_safe_method_never_says_that_nothing_is_at_risk():
    sample = sampled(case_of("mondrian++", "abcdabcd" * 5), tries=20)
    told = {finding.name: finding for finding in of_sample(sample, Fraction(1, 2))}
    assert sample.different == 0
    assert told[MORE].verdict is Verdict.UNDECIDED
    assert told[RISING].verdict is Verdict.UNDECIDED
    assert all(finding.verdict is not Verdict.HOLDS for finding in told.values())


def test_a_sample_finds_a_planted_leak_and_none_in_its_twin():
    leaky, twin = (of_sample(sampled(case_of(name, "aabcdc"), tries=300)) for name in ("hilb+", "hilb+r"))
    assert next(each for each in leaky if each.name == RISING).value >= 3
    assert next(each for each in twin if each.name == RISING).value == 0


def test_beyond_the_bound_the_checker_goes_by_what_was_looked_at_or_by_samples():
    values = "abcdefgh" * 10
    safe = check(case_of("mondrian++", values), bound=Bound(100))
    assert {condition.verdict for condition in safe.conditions} == {Verdict.HOLDS}
    unsafe = check(case_of("mondrian", "aabbc" * 16), bound=Bound(100))
    assert unsafe.simulation.verdict is Verdict.FAILS
    assert unsafe.simulation.witnesses is not None
    assert unsafe.q_independence.verdict is Verdict.UNDECIDED
