"""Is what is said of a tool never better than what was shown, whatever kind of tool it is and whatever is known?"""

import random
import tracemalloc
from fractions import Fraction
from itertools import combinations_with_replacement, product

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import openveil
from openveil.core.finding import Verdict
from openveil.worlds import Bound, Kept, Knowledge, Law, Reader, Roster, Runs, Values, Written
from openveil.worlds.alike import Grounds, alike
from openveil.worlds.alone import one_by_one
from openveil.worlds.exact import Worlds, exact
from openveil.worlds.findings import ABOVE, ALONE, MORE, RISING, STEP, of_groups
from openveil.worlds.knowledge import Count, Fact, Relation
from openveil.worlds.people import People
from openveil.worlds.tool import wrapped
from openveil.worlds.unknown import _choices

FOUR = pl.DataFrame({"zip": ["1", "1", "2", "2"], "d": ["a", "b", "a", "c"]})
READER = Reader(["zip"], ["d"])
HALF = Fraction(1, 2)
NOBODY = Knowledge(roster=Roster.NONE)


def starred(table):
    """Hide every zip, in an order that tells nothing."""
    return table.with_columns(zip=pl.lit("*")).sort("d")


def leaking(chance):
    """Refuse with this chance if the first person has a."""
    drawn = random.Random(2)
    return lambda table: None if table["d"][0] == "a" and drawn.random() < chance else starred(table)


def flipping():
    """Show one of two labels that cover everyone, whatever the values are."""
    drawn = random.Random(5)
    return lambda table: starred(table).with_columns(zip=pl.lit("*" if drawn.random() < HALF else "{1, 2}"))


def of(examined):
    return {finding.name: finding for finding in examined.findings}


def verdicts(by, **more):
    found = of(openveil.examine(FOUR, by, READER, limit=HALF, **more))
    return [found[name].verdict for name in (MORE, RISING, ABOVE)]


@pytest.mark.parametrize("knowledge", [Knowledge(), NOBODY], ids=["roster", "no roster"])
@pytest.mark.parametrize(("tool", "runs"), [(leaking(0.02), 3), (flipping(), 20)], ids=["rare leak", "coin"])
def test_runs_that_differ_by_no_more_than_chance_show_nothing(tool, runs, knowledge):
    found = of(openveil.examine(FOUR, Runs(tool, runs), READER, limit=HALF, knowledge=knowledge))
    assert not {each.verdict for each in found.values()} & {Verdict.HOLDS, Verdict.FAILS}
    assert found[MORE].verdict is Verdict.UNDECIDED
    assert STEP not in found, "shares of runs are not probabilities"


def test_runs_fail_where_their_intervals_part():
    examined = openveil.examine(FOUR, Runs(leaking(0.9), 60), READER, limit=Fraction(9, 20))
    found = of(examined)
    assert found[MORE].verdict is Verdict.FAILS
    assert found[RISING].verdict is Verdict.FAILS
    assert examined.worlds.witnesses is not None
    assert not examined.worlds.equal


def test_groups_one_by_one_do_not_rise_by_chance():
    twice = pl.concat([FOUR, FOUR.with_columns(zip=pl.col("zip") + "9")])
    release = twice.with_columns(
        zip=pl.when(pl.col("zip").str.len_chars() == 1).then(pl.lit("?")).otherwise(pl.lit("??"))
    )
    reader = Reader(["zip"], ["d"], reading=Written({"zip": {"?": {"1", "2"}, "??": {"19", "29"}}}))
    drawn = random.Random(3)

    def coin(table):
        shown = release.with_columns(table["d"]).sort("zip", "d")
        return shown if drawn.random() < HALF else None

    worlds = one_by_one(wrapped(twice, Runs(coin, 10), reader, release=release), runs=1000)
    assert len(worlds) == 2
    assert not all(each.marginals_equal for each in worlds), "shares differ"
    told = of_groups(worlds)
    assert (told.name, told.value, told.verdict) == (ALONE, 0, Verdict.UNDECIDED)


def test_what_is_surely_so_is_the_worst_case_of_all_chances_within_their_intervals():
    people = People.of(FOUR.select("zip").head(2), FOUR.select("d").head(2))
    worlds = Worlds(people, people.everyone, ((0, 1), (1, 0)), (HALF, Fraction(1)), Grounds(10))
    (low, high), (least, most) = Grounds(10).ends(worlds.chances)
    assert low < HALF < high <= 1
    assert worlds.at_least() == (max(low / (low + most), least / (least + high)),) * 2
    sure = Worlds(people, people.everyone, worlds.naive, worlds.chances)
    assert sure.at_least() == (Fraction(2, 3), Fraction(2, 3))


@pytest.mark.parametrize("knowledge", [Knowledge(), NOBODY], ids=["roster", "no roster"])
def test_what_cannot_have_been_is_undecided(knowledge):
    contradiction = Fact(Count.of({"d": "a"}), Relation.AT_LEAST, Fraction(4))
    found = of(openveil.examine(FOUR, starred, READER, knowledge=Knowledge((contradiction,), knowledge.roster)))
    assert found[MORE].verdict is Verdict.UNDECIDED
    assert "no table agrees" in found[MORE].note
    calls = iter([True, True])
    never_again = of(
        openveil.examine(
            FOUR,
            lambda table: starred(table) if next(calls, False) else None,
            READER,
            knowledge=knowledge,
            limit=HALF,
        )
    )
    assert never_again[MORE].verdict is Verdict.UNDECIDED
    assert Verdict.HOLDS not in {each.verdict for each in never_again.values()}
    assert not never_again[MORE].value


def test_without_a_roster_too_much_work_is_refused_before_it_is_begun():
    rows = 600
    many = pl.DataFrame({"zip": [str(1300 + i % 30) for i in range(rows)], "d": ["abc"[i % 3] for i in range(rows)]})
    tracemalloc.start()
    with pytest.raises(openveil.RequestError, match="take the roster to be known"):
        openveil.examine(
            many, lambda table: starred(table).with_columns(zip=pl.lit("13**")), READER, knowledge=NOBODY
        )
    assert tracemalloc.get_traced_memory()[1] < 50_000_000
    tracemalloc.stop()


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=4))
def test_choices_are_the_product_of_all_ways(sizes):
    owners = [(list(range(rows)), count) for rows, count in sizes]
    wanted = list(product(*(combinations_with_replacement(rows, count) for rows, count in owners)))
    assert list(_choices(owners)) == wanted


def test_alike_holds_for_equal_probabilities_alone():
    assert alike((HALF, HALF), Grounds())[0] is Verdict.HOLDS
    assert alike((HALF, HALF), Grounds(2))[0] is Verdict.UNDECIDED
    assert alike((HALF, HALF), Grounds(doubt="why"))[0] is Verdict.UNDECIDED
    assert alike((HALF, Fraction(1)), Grounds(doubt="why"))[0] is Verdict.FAILS
    assert alike((), Grounds())[0] is Verdict.UNDECIDED
    assert alike((Fraction(0),), Grounds())[0] is Verdict.UNDECIDED
    assert exact(wrapped(FOUR, starred, READER), bound=Bound(100)).equal


def test_what_the_reader_does_not_read_is_compared_all_the_same():
    def giving_away(table):
        return starred(table.with_columns(hash=pl.col("zip") + pl.col("d")))

    def counting(table):
        return starred(table).with_columns(rows=table.height)

    def at_times(table):
        return starred(table.with_columns(hash=pl.lit(1)) if table["d"][0] == "a" else table)

    assert verdicts(starred)[0] is Verdict.HOLDS
    told = of(openveil.examine(FOUR, giving_away, READER))[MORE]
    assert told.verdict is Verdict.FAILS
    assert "not read: 'hash'" in told.note
    assert verdicts(counting)[0] is Verdict.HOLDS
    assert verdicts(at_times)[0] is Verdict.FAILS
    assert openveil.check(FOUR, giving_away, READER).simulation.verdict is Verdict.FAILS
    for_nobody = openveil.examine(FOUR, giving_away, READER, knowledge=NOBODY)
    assert of(for_nobody)[MORE].verdict is Verdict.FAILS


def test_rows_in_the_order_of_the_table_leave_it_undecided():
    def as_they_were(table):
        return table.with_columns(zip=pl.lit("*"))

    found = of(openveil.examine(FOUR, as_they_were, READER, limit=HALF))
    assert [found[name].verdict for name in (MORE, RISING, ABOVE)] == [Verdict.UNDECIDED] * 3
    assert "Kept()" in found[MORE].note
    checked = openveil.check(FOUR, as_they_were, READER)
    assert {condition.verdict for condition in checked.conditions} == {Verdict.UNDECIDED}
    assert "Kept()" in repr(checked)
    kept = openveil.examine(FOUR, as_they_were, Reader(["zip"], ["d"], reading=Kept()), limit=HALF)
    assert of(kept)[ABOVE].verdict is Verdict.FAILS
    some = of(openveil.examine(FOUR, lambda table: as_they_were(table.unique("d", maintain_order=True)), READER))
    assert some[MORE].verdict is Verdict.UNDECIDED
    assert "Kept()" in some[MORE].note
    same = FOUR.with_columns(d=pl.lit("a"))
    assert of(openveil.examine(same, as_they_were, READER))[MORE].verdict is Verdict.HOLDS


def test_values_that_are_kept_in_order_tell_whose_they_were_though_they_are_replaced():
    three = pl.DataFrame({"zip": ["1", "2", "3"], "d": ["a", "b", "c"]})

    def shifted(table):
        values = table["d"].to_list()
        return table.with_columns(zip=pl.lit("*"), d=pl.Series(values[1:] + values[:1]))

    reader = Reader(["zip"], ["d"], reading=Kept(), values=Values.REPLACED)
    worlds = exact(wrapped(three, shifted, reader))
    assert len(worlds.naive) == 27
    assert worlds.at_least() == (1, 1, 1)
    with pytest.raises(openveil.RequestError, match="order of the table"):
        openveil.examine(three, shifted, reader, knowledge=NOBODY)


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        ([(True, Fraction(3))], "do not sum to 1 .found 3"),
        ([(True, HALF)], "do not sum to 1"),
        ([(True, Fraction(-1)), (None, Fraction(2))], "below 0"),
        ([(True, 0.5), (None, 0.5)], "not exact .found float"),
        ([True], "no pair"),
    ],
)
def test_a_law_that_is_none_is_refused(pairs, said):
    def law(table):
        if table["d"][0] == "a":
            return [(starred(table), Fraction(1))]
        return [(starred(table), pair[1]) if isinstance(pair, tuple) and pair[0] else pair for pair in pairs]

    with pytest.raises(openveil.RequestError, match=said) as caught:
        openveil.examine(FOUR, Law(law), READER)
    assert "Fraction(1, 3)" in str(caught.value)


def test_a_law_may_refuse_a_table_and_name_what_never_comes():
    def law(table):
        return [(None, 0), (starred(table), 1)] if table["d"][0] == "a" else None

    found = of(openveil.examine(FOUR, Law(law), READER))
    assert found[MORE].verdict is Verdict.FAILS


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: Reader([], ["d"]), "quasi: must name a column"),
        (lambda: Reader(["zip"], []), "sensitive: must name a column"),
        (lambda: Reader([], []), "2 problems"),
        (lambda: Reader("zip", ["d"]), "quasi: must be a list"),
        (lambda: Reader(["zip"], ["zip"]), "names 'zip' twice"),
        (lambda: Bound(tries=-1), "tries must be a whole number"),
        (lambda: Bound(runs=-5, tries=-1), "2 problems"),
        (lambda: Bound(runs=0.5), "runs must be a whole number"),
        (lambda: Runs(starred, 0), "runs: must be a whole number"),
    ],
)
def test_what_makes_no_sense_is_said(wrong, said):
    with pytest.raises(openveil.RequestError, match=said):
        wrong()
