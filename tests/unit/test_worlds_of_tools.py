"""Are the worlds of a wrapped function what can be worked out by hand, with a roster or none and other knowledge?"""

from collections import Counter
from fractions import Fraction
from itertools import combinations

import polars as pl
import pytest

from openveil.core.errors import RequestError
from openveil.core.finding import Verdict
from openveil.worlds import tool as tools
from openveil.worlds.conditions import check
from openveil.worlds.exact import Bound, exact
from openveil.worlds.findings import STEP, of_worlds
from openveil.worlds.knowledge import Count, Fact, Knowledge, Relation, Roster, distribution, never
from openveil.worlds.reading import Kept, Written
from openveil.worlds.sampled import sampled
from openveil.worlds.tool import Law, Reader, Runs, Values, wrapped
from openveil.worlds.unknown import exact_without_roster
from oracles.goldens import cases, name_of

HALF = Fraction(1, 2)

# The six rows of the project's first page.
SIX = pl.DataFrame(
    {
        "zip": ["1301", "1301", "1302", "1302", "1302", "1302"],
        "disease": ["HIV", "HIV", "flu", "cold", "asthma", "cough"],
    }
)
ZIP = Reader(["zip"], ["disease"])


def minimal(frame):
    """Hide as few characters of the zip as make every group 2-anonymous and 2-diverse; what most tools do."""
    rows = frame.rows()
    for shown in range(4, -1, -1):
        bags = {code: Counter(ill for z, ill in rows if z[:shown] == code) for code in {z[:shown] for z, _ in rows}}
        if all(bag.total() >= 2 and bag.total() >= 2 * max(bag.values()) for bag in bags.values()):
            return pl.DataFrame(
                {"zip": [z[:shown] + "*" * (4 - shown) for z, _ in rows], "disease": [ill for _, ill in rows]}
            )
    return None


def of_first(worlds):
    """How likely the first person's most likely value is, without and with the algorithm."""
    return max(worlds.before[0].values()), max(worlds.after[0].values())


def test_a_minimal_tool_raises_the_first_person_from_a_third_to_certainty():
    worlds = exact(wrapped(SIX, minimal, ZIP))
    assert of_first(worlds) == (Fraction(1, 3), Fraction(1))
    assert len(worlds.naive) == 360
    assert len(worlds.smart) == 24
    steps = {finding.on: finding.value for finding in of_worlds(worlds) if finding.name == STEP}
    assert steps == {"goes from 1/3 to 1": 2, "goes from 1/3 to 1/4": 4}


def test_the_user_is_given_the_kind_of_frame_the_table_came_in():
    given = []

    def tool(frame):
        given.append(type(frame))
        return minimal(pl.from_pandas(frame)).to_pandas()

    worlds = exact(wrapped(SIX.to_pandas(), tool, ZIP), bound=Bound(360))
    assert of_first(worlds) == (Fraction(1, 3), Fraction(1))
    assert {kind.__module__.partition(".")[0] for kind in given} == {"pandas"}


def test_a_tool_that_looks_at_no_disease_gives_nothing_away():
    def tool(frame):
        return frame.with_columns(zip=pl.lit("130*")).reverse()

    worlds = exact(wrapped(SIX, tool, ZIP))
    assert worlds.equal
    assert worlds.witnesses is None
    assert check(wrapped(SIX, tool, ZIP)).simulation.verdict is Verdict.HOLDS


def test_the_checker_finds_a_pair_of_tables_that_shows_the_minimal_tool_unsafe():
    checked = check(wrapped(SIX, minimal, ZIP))
    assert [condition.verdict for condition in checked.conditions] == [Verdict.FAILS] * 3
    for condition in checked.conditions:
        pair = condition.witnesses
        assert (pair.more_likely, pair.less_likely) == (1, 0)
        wanted = minimal(SIX).sort("zip", "disease")
        assert minimal(pair.more).sort("zip", "disease").equals(wanted)
        assert not minimal(pair.less).sort("zip", "disease").equals(wanted)
        assert "HIV" not in str(condition.finding)
        assert "HIV" not in repr(condition)


def test_more_work_than_allowed_is_refused():
    with pytest.raises(RequestError, match="more than 359 tables"):
        exact(wrapped(SIX, minimal, ZIP), bound=Bound(359))
    assert check(wrapped(SIX, minimal, ZIP), bound=Bound(100)).simulation.verdict is Verdict.FAILS


def test_samples_of_a_tool_come_near_what_is_exact():
    sample = sampled(wrapped(SIX, minimal, ZIP), tries=600)
    assert sample.different > 400
    kept = int(sample.kept[0])
    assert kept > 10
    first = sample.after[sample.entries.owner == 0]
    assert max(first.tolist()) == 1
    assert sample.witnesses is not None


def test_a_tool_that_contradicts_itself_has_to_be_wrapped():
    flips = iter([True, False] * 10)

    def fickle(frame):
        return frame if next(flips) else frame.with_columns(zip=pl.lit("*"))

    with pytest.raises(RequestError, match="different releases"):
        wrapped(SIX, fickle, ZIP)


def test_runs_of_a_random_tool_can_refute_and_never_prove():
    turns = {"number": 0}

    def random(frame):
        turns["number"] += 1
        published = minimal(frame)
        return published if turns["number"] % 2 else None

    four = SIX.head(4)
    checked = check(wrapped(four, Runs(random, 40), ZIP, release=minimal(four)))
    assert checked.simulation.verdict is Verdict.FAILS
    assert checked.simulation.witnesses is not None
    assert checked.q_independence.verdict is Verdict.UNDECIDED
    harmless = Runs(lambda frame: frame.with_columns(zip=pl.lit("*")), 3)
    assert check(wrapped(four, harmless, ZIP)).simulation.verdict is Verdict.UNDECIDED


def test_labels_that_cannot_be_read_are_refused_without_a_value():
    with pytest.raises(RequestError, match="column 'zip': has labels that cannot be read") as caught:
        wrapped(SIX, lambda frame: frame.with_columns(zip=pl.lit("somewhere")), ZIP)
    assert "somewhere" not in str(caught.value)
    with pytest.raises(RequestError, match="cover too few people"):
        wrapped(SIX, lambda frame: frame.with_columns(zip=pl.lit("1301")), ZIP)
    named = Reader(["zip"], ["disease"], reading=Written({"zip": {"somewhere": {"1301", "1302"}}}))
    assert len(exact(wrapped(SIX, lambda frame: frame.with_columns(zip=pl.lit("somewhere")), named)).naive) == 360


def test_rows_in_source_order_tell_who_is_who():
    kept = Reader(["zip"], ["disease"], reading=Kept())
    worlds = exact(wrapped(SIX, lambda frame: frame.with_columns(zip=pl.lit("?")), kept))
    assert len(worlds.naive) == 1


@pytest.mark.parametrize(
    ("label", "values", "covered"),
    [
        ("*", ["x", "y"], ["x", "y"]),
        ("13**", ["1302", "1402"], ["1302"]),
        ("1**2", ["1302", "1303"], ["1302"]),
        ("[20, 30)", ["20", "29.5", "30"], ["20", "29.5"]),
        ("(20, 30]", ["20", "29.5", "30"], ["29.5", "30"]),
        ("20-30", ["19", "20", "30", "31"], ["20", "30"]),
        ("{a, b}", ["a", "b", "c"], ["a", "b"]),
        ("a", ["a", "b", None], ["a"]),
        (None, ["a", None], [None]),
        (None, ["a", "b"], ["a", "b"]),
        ("*", ["a", None], ["a", None]),
        ("south", ["a", "b", None], ["b"]),
    ],
)
def test_usual_labels_are_read(label, values, covered):
    known, shown = pl.DataFrame({"q": values}), pl.DataFrame({"q": pl.Series([label], dtype=pl.String)})
    fits = Written({"q": {"south": {"b"}}}).fits(known, shown)
    assert [value for value, fit in zip(values, fits[:, 0].tolist(), strict=True) if fit] == covered


# The example of section 2.1 of the paper, and its goldens.


def local(sensitive):
    """Hide the sex of as few people as leave no group more than half sensitive; each way as likely as any other."""

    def law(frame):
        rows = frame.rows()
        for hidden in range(len(rows) + 1):
            found = [
                frame.with_columns(sex=pl.Series(["*" if i in chosen else sex for i, (sex, _) in enumerate(rows)]))
                for chosen in combinations(range(len(rows)), hidden)
            ]
            safe = [each for each in found if _half_at_most(each, sensitive)]
            if safe:
                return [(each, Fraction(1, len(safe))) for each in safe]
        return []

    return Law(law)


def _half_at_most(frame, sensitive):
    groups = frame.group_by("sex").agg(pl.len().alias("all"), pl.col("sa").is_in(sensitive).sum().alias("bad"))
    return bool((2 * groups["bad"] <= groups["all"]).all())


def star(case):
    """The case of a golden, and what is known besides."""
    given = case["input"]
    frame = pl.DataFrame({"sex": given["sex"], "sa": given["sa"]})
    release = pl.DataFrame(given["published"], schema=["sex", "sa"], orient="row")
    facts = [never(person, "sa", value) for person, value in given.get("never", [])]
    for persons, value in given.get("some", []):
        facts.append(Fact(Count((("sa", value),), tuple(persons)), Relation.AT_LEAST, Fraction(1)))
    reader = Reader(["sex"], ["sa"])
    return wrapped(frame, local(given["sensitive"]), reader, release=release), Knowledge(tuple(facts))


@pytest.mark.parametrize("case", cases("f_star"), ids=name_of)
def test_the_example_of_section_2_1(case):
    asked, knowledge = star(case)
    worlds = exact(asked, knowledge)
    person, value = case["input"]["target"]
    number = asked.people.values["sa"].to_list().index(value)
    expected = case["expected"]
    assert len(worlds.naive) == expected["naive_size"]
    assert len(worlds.smart) == expected["smart_support"]
    assert worlds.before[person].get(number, 0) == Fraction(expected["naive"])
    assert worlds.after[person].get(number, 0) == Fraction(expected["smart"])


def test_without_a_roster_the_algorithm_tells_that_there_are_two_males_who_both_have_it():
    asked, _ = star(cases("f_star")[0]) if cases("f_star") else pytest.skip("no goldens")
    possible = tools.possible(asked, Reader(["sex"], ["sa"]))
    tables = exact_without_roster(asked, possible)
    males = {known: sex == "M" for known, sex in enumerate(tables.known["sex"].to_list())}
    ill = tables.values["sa"].to_list().index("AIDS")
    assert len(tables.naive) == 12
    assert {tuple(value for known, value in table if males[known]) for table in tables.smart} == {(ill, ill)}
    naive, smart = tables.chances_of({"sex": "M"})
    assert smart == {ill: 1}
    assert naive[ill] < 1
    with pytest.raises(RequestError, match="roster"):
        exact(asked, Knowledge(roster=Roster.NONE))


# MASK, section 2.2: sensitive values are changed.


def mask(groups, m, sensitive, domain):
    """In groups with too many sensitive values, change random ones until the share of a random good one is left."""
    others = [value for value in domain if value not in sensitive]

    def law(frame):
        values = frame["sa"].to_list()
        shares = {i: Fraction(sum(values[r] in sensitive for r in rows), len(rows)) for i, rows in enumerate(groups)}
        good = [share for share in shares.values() if share <= Fraction(1, m)] or [Fraction(1, m)]
        outcomes = {tuple(values): Fraction(1)}
        for i, rows in enumerate(groups):
            if shares[i] > Fraction(1, m):
                outcomes = _changed(outcomes, rows, good, sensitive, others)
        return [(frame.with_columns(sa=pl.Series(list(each))), chance) for each, chance in outcomes.items()]

    return Law(law)


def _changed(outcomes, rows, good, sensitive, others):
    found = Counter()
    for values, chance in outcomes.items():
        ill = [r for r in rows if values[r] in sensitive]
        for share in good:
            left = int(share * len(rows))
            choices = list(combinations(ill, len(ill) - left))
            for chosen in choices:
                ways = [{}]
                for row in chosen:
                    ways = [{**way, row: value} for way in ways for value in others]
                for way in ways:
                    shown = tuple(way.get(i, value) for i, value in enumerate(values))
                    found[shown] += chance / len(good) / len(choices) / len(ways)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("case", cases("f_mask_example"), ids=name_of)
def test_the_example_of_section_2_2(case):
    given = case["input"]
    place = {row: number for number, rows in enumerate(given["groups"]) for row in rows}
    frame = pl.DataFrame({"group": [str(place[row]) for row in range(8)], "sa": ["AIDS"] * 8})
    published = [(str(place[rows[0]]), value) for rows, values in given["published"] for value in values]
    release = pl.DataFrame(published, schema=["group", "sa"], orient="row")
    reader = Reader(["group"], ["sa"], values=Values.REPLACED, further=pl.DataFrame({"sa": given["domain"]}))
    facts = [never(person, "sa", value) for person, value in given.get("never", [])]
    facts += distribution("sa", dict(given.get("exact_counts", [])))
    tool = mask(given["groups"], given["m"], given["sensitive"], given["domain"])
    asked = wrapped(frame, tool, reader, release=release)
    worlds = exact(asked, Knowledge(tuple(facts)))
    person, value = given["target"]
    number = asked.people.values["sa"].to_list().index(value)
    assert worlds.after[person][number] == Fraction(case["expected"]["smart"])
