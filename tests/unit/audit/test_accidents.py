"""Is every accident in a file found, and is a clean twin of the file left in peace?"""

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import openveil
from openveil.workflow.audit import columns, ends, order

ROWS = 200
COLUMNS = {
    "name": {"role": "identifier"},
    "age": {"role": "quasi-identifier", "hierarchy": {"kind": "intervals", "widths": [10]}},
    "sex": {"role": "quasi-identifier", "hierarchy": {"kind": "suppression"}},
    "ill": {"role": "sensitive"},
    "pay": {"role": "sensitive"},
    "note": {"role": "other"},
}
PLAN = {"columns": COLUMNS, "privacy": {"k-anonymity": {"k": 5}}}


def people(seed=3):
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": rng.integers(20, 60, ROWS),
            "sex": rng.choice(["m", "f"], ROWS),
            "ill": rng.choice(["flu", "cold", "gout"], ROWS),
            "pay": rng.integers(1000, 9000, ROWS),
        }
    )


def decades(age):
    return (age // 10 * 10).cast(pl.String) + "-" + (age // 10 * 10 + 9).cast(pl.String)


def released(table, seed=4):
    """A clean release: labels on a grid, rows shuffled."""
    shuffled = np.random.default_rng(seed).permutation(len(table))
    return table.with_columns(decades(table["age"]).alias("age"))[shuffled]


def found(frame, original=None, plan=PLAN):
    """What was found in the file: name, column and verdict of all that is more than a note."""
    audited = openveil.audit(plan, frame, original=original)
    return {(each.name, each.on, str(each.verdict)) for each in audited.findings if each.verdict != "informs"}


def test_a_clean_release_is_left_in_peace():
    table = people()
    assert found(released(table)) == set()
    assert found(released(table), table) == set()
    assert openveil.audit(PLAN, released(table), original=table).holds


NUMBERINGS = {
    "from 0": np.arange(ROWS),
    "from 1": np.arange(ROWS) + 1,
    "shuffled": np.random.default_rng(1).permutation(ROWS),
    "with gaps": np.cumsum(np.random.default_rng(2).integers(1, 4, ROWS)),
}


@pytest.mark.parametrize("numbers", NUMBERINGS.values(), ids=NUMBERINGS)
@pytest.mark.parametrize("name", ["index", "note"])
def test_row_numbers_are_found_in_columns_with_a_role_and_without(numbers, name):
    frame = released(people()).with_columns(pl.Series(name, numbers))
    assert found(frame) == {(columns.NUMBERING, name, "fails")}


def test_the_index_that_pandas_writes_is_found(tmp_path):
    frame = released(people())
    path = tmp_path / "release.csv"
    path.write_text(frame.with_row_index("").write_csv())
    assert found(path) == {(columns.NUMBERING, "(column without a name)", "fails")}


def test_distinct_numbers_are_no_row_numbers_where_they_are_characteristics():
    table = people().with_columns(pl.Series("pay", np.random.default_rng(1).permutation(ROWS) * 7 + 1000))
    assert found(released(table)) == set()


def test_an_identifier_left_in_is_found_and_one_that_is_blanked_is_not():
    frame = released(people())
    named = frame.with_columns(pl.Series("name", [f"Ada {row}" for row in range(ROWS)]))
    assert found(named) == {(columns.IDENTIFIER, "name", "fails")}
    assert found(frame.with_columns(pl.lit("*").alias("name"))) == set()


def test_a_person_number_left_in_is_found_and_counted_by():
    plan = {"columns": COLUMNS | {"who": {"role": "person"}}, "privacy": {"k-anonymity": {"k": 2}}}
    frame = pl.DataFrame({"age": ["20-29"] * 4, "sex": ["m"] * 4, "who": ["a"] * 4})
    audited = openveil.audit(plan, frame)
    assert (columns.IDENTIFIER, "who") in {(each.name, each.on) for each in audited.findings}
    assert audited.promised[0].answers[0].reached == "k = 1"


def test_a_column_without_a_role_is_undecided_or_worse():
    frame = released(people())
    assert found(frame.with_columns(pl.Series("ward", ["a", "b"] * 100))) == {(columns.STRANGER, "ward", "undecided")}
    assert found(frame.with_columns(pl.Series("email", ["a", "b"] * 100))) == {(columns.STRANGER, "email", "fails")}
    unique = pl.Series("code", [f"x{row * 7919 % 1009}" for row in range(ROWS)])
    assert found(frame.with_columns(unique)) == {(columns.STRANGER, "code", "fails")}


def test_free_text_is_found():
    told = pl.Series("note", [f"met him at the station at {row} past nine" for row in range(ROWS)])
    assert found(released(people()).with_columns(told)) == {(columns.FREE_TEXT, "note", "fails")}
    few = pl.Series("note", ["was late for the first visit", "came twice to the second one"] * 100)
    assert found(released(people()).with_columns(few)) == set()


def test_formulas_are_told_and_not_shown():
    frame = released(people()).with_columns(pl.Series("note", ["=HYPERLINK(A1)", "-5"] * 100))
    audited = openveil.audit(PLAN, frame)
    [finding] = [each for each in audited.findings if each.name == columns.FORMULAS]
    assert (finding.on, finding.value) == ("note", 100)
    assert "HYPERLINK" not in str(audited)


def test_rows_in_the_order_of_the_original_are_found():
    table = people()
    inorder = table.with_columns(decades(table["age"]).alias("age"))
    assert found(inorder, table) == {(order.SOURCE_ORDER, "release", "fails")}
    kept = np.sort(np.random.default_rng(5).permutation(ROWS)[:190])
    assert found(inorder[kept], table) == {(order.SOURCE_ORDER, "release", "fails")}


def few_values():
    """Nothing but the illness is published as it is, so that few rows can be found in the original."""
    return people().drop("pay")


@pytest.mark.parametrize(
    "rows", [slice(None, None, -1), np.sort(np.random.default_rng(5).permutation(ROWS)[:195])[::-1]]
)
def test_rows_in_the_reverse_order_of_the_original_are_found(rows):
    table = few_values()
    release = table.with_columns(decades(table["age"]).alias("age"))[rows]
    assert found(release, table) == {(order.SOURCE_ORDER, "release", "fails")}


@pytest.mark.parametrize("falling", [False, True])
@pytest.mark.parametrize("ties", ["stable", "drawn"])
def test_rows_sorted_by_an_exact_value_are_found_though_few_rows_can_be_matched(falling, ties):
    table = few_values()
    before = table if ties == "stable" else table[np.random.default_rng(6).permutation(ROWS)]
    by_age = before.sort("age", descending=falling, maintain_order=True)
    release = by_age.with_columns(decades(by_age["age"]).alias("age"))
    assert found(release, table) == {(order.HIDDEN_ORDER, "age", "fails")}
    less = np.sort(np.random.default_rng(5).permutation(ROWS)[:195])
    if ties == "stable":
        assert found(release[less], table) == {(order.HIDDEN_ORDER, "age", "fails")}


def test_rows_sorted_by_exact_text_are_found():
    table = few_values().with_columns(
        pl.Series("age", np.random.default_rng(7).integers(1000, 1100, ROWS)).cast(pl.String)
    )
    plan = {"columns": COLUMNS | {"age": {"role": "quasi-identifier", "hierarchy": {"kind": "masking"}}}}
    release = table.sort("age").with_columns(pl.lit("1***").alias("age"))
    assert found(release, table, plan | {"privacy": PLAN["privacy"]}) == {(order.HIDDEN_ORDER, "age", "fails")}


def test_rows_sorted_by_their_labels_alone_stay_undecided_where_few_can_be_matched():
    table = few_values()
    release = released(table).sort("age", maintain_order=True)
    assert found(release) == found(release, table) == {(order.SORTED, "age", "undecided")}


def test_rows_sorted_by_what_is_published_exactly_hide_nothing():
    table = few_values()
    exact = table.with_columns(pl.col("age").cast(pl.String)).sort("age", maintain_order=True)
    shuffled = exact[np.random.default_rng(8).permutation(ROWS)].sort("age", maintain_order=True)
    assert (order.HIDDEN_ORDER, "age", "fails") not in found(shuffled, table)


def test_the_order_of_a_column_with_one_value_says_nothing():
    table = people().with_columns(pl.lit("flu").alias("ill")).drop("pay")
    inorder = table.with_columns(decades(table["age"]).alias("age"))
    assert (order.SOURCE_ORDER, "release", "fails") not in found(inorder, table)


def test_an_order_that_could_not_be_compared_is_undecided():
    table = people()
    release = released(table).drop("ill", "pay")
    assert (order.NOT_COMPARED, "release", "undecided") in found(release, table)


def test_rows_of_each_group_in_the_order_of_the_original_are_found():
    """As programs write that go group by group."""
    table = people().with_columns(pl.Series("pay", np.random.default_rng(1).permutation(ROWS) * 7 + 1000))
    grouped = table.with_columns(decades(table["age"]).alias("age")).sort("age", "sex", maintain_order=True)
    assert found(grouped, table) == {(order.SOURCE_ORDER, "groups", "fails")}


def test_rows_sorted_by_what_their_labels_hide_are_found():
    table = people().with_columns(pl.Series("pay", np.random.default_rng(1).permutation(ROWS) * 7 + 1000))
    by_age = table.sort("age", "pay")
    release = by_age.with_columns(decades(by_age["age"]).alias("age"))
    assert (order.HIDDEN_ORDER, "age", "fails") in found(release, table)
    assert found(release) == {(order.SORTED, "age", "undecided")}


def test_rows_sorted_by_all_that_is_published_say_nothing_more():
    release = released(people())
    assert found(release.sort("age", "sex", "ill", "pay")) == set()


def test_labels_that_do_not_cover_the_value_are_counted():
    table = people()
    wrong = table.with_columns(decades(pl.Series(np.where(table["age"] == 20, 31, table["age"]))).alias("age"))
    audited = openveil.audit(PLAN, wrong, original=table)
    [finding] = [each for each in audited.findings if each.name == order.WRONG]
    assert (finding.on, finding.value) == ("age", int((table["age"] == 20).sum()))


def test_more_rows_than_the_original_are_told():
    table = people()
    assert (order.MORE, "release", "undecided") in found(released(table), table[:150])


def tight(table):
    """Ages in groups of some rows, each shown as its lowest and highest value."""
    ordered = table.sort("age", "pay")
    numbers = pl.Series("group", np.minimum(np.arange(ROWS) // 9, ROWS // 9 - 1))
    bounds = ordered.with_columns(numbers).with_columns(
        pl.format("{}-{}", pl.col("age").min().over("group"), pl.col("age").max().over("group")).alias("age")
    )
    return bounds.drop("group")[np.random.default_rng(4).permutation(ROWS)]


def test_interval_ends_that_few_people_have_are_found():
    table = people().with_columns(pl.lit("m").alias("sex"))
    extreme = table.with_columns(pl.when(pl.int_range(pl.len()) == 0).then(104).otherwise("age").alias("age"))
    assert (ends.ENDS, "age", "fails") in found(tight(extreme), extreme)
    assert (ends.ENDS, "age", "undecided") in found(tight(extreme))


def test_ends_that_nobody_has_are_taken_from_nobody():
    table = people()
    loose = pl.Series(np.where(table["age"] < 45, "17-44", "45-61"))
    release = table.with_columns(loose.alias("age"))
    tall = pl.concat([release, release.with_columns(pl.lit("19-70").alias("age"))])
    assert (ends.ENDS, "age") in {(name, on) for name, on, _ in found(tall)}
    assert (ends.ENDS, "age") not in {(name, on) for name, on, _ in found(tall, pl.concat([table, table]))}


def test_a_few_rows_in_order_are_an_accident_of_chance():
    table = pl.DataFrame({"age": [30] * 9, "sex": ["m"] * 9, "pay": [5000] * 4 + list(range(1000, 1005))})
    release = table.with_columns(pl.lit("30-39").alias("age"))[[4, 5, 6, 7, 8, 0, 1, 2, 3]]
    assert found(release, table) == set()


def test_what_the_plan_spells_as_not_known_is_hidden():
    frame = released(people()).with_columns(pl.lit("-9").alias("age"))
    plan = PLAN | {"input": {"missing": ["-9"]}}
    assert [column.hidden_cells for column in openveil.audit(plan, frame).columns] == [ROWS, 0]
    assert [column.hidden_cells for column in openveil.audit(PLAN, frame).columns] == [0, 0]


GRIDS = [
    ["20-29", "30-39", "50-59"],
    ["[20, 30)", "[30, 40)", "[50, 60)"],
    ["(20,30]", "(30,40]"],
    ["[20, 30[", "[20, 40[", "[40, 60["],
    ["18-24", "25-34", "35-64"],
    ["[0, 5)", "[5, 20)", "[20, 100)"],
]
LOOSE = [["17-24", "20-31", "33-90"], ["21-23", "36-42", "25-27"], ["[17, 29]", "[30, 33]", "[41, 52]"]]


@pytest.mark.parametrize("labels", GRIDS)
def test_intervals_on_a_grid_are_made_from_nobody(labels):
    assert {name for name, _, _ in found(pl.DataFrame({"age": labels * 5}))} & {ends.ENDS} == set()


@pytest.mark.parametrize("labels", LOOSE)
def test_intervals_on_no_grid_are_a_question(labels):
    assert (ends.ENDS, "age", "undecided") in found(pl.DataFrame({"age": labels * 5}))


@given(st.permutations(list(range(12))))
@example(list(range(12)))
def test_a_file_is_in_order_only_if_it_is(shuffled):
    """Twelve distinct rows: any other order than the original's and its reverse is another order."""
    table = pl.DataFrame({"age": [30] * 12, "sex": ["m"] * 12, "pay": list(range(1000, 1012))})
    release = table.with_columns(pl.lit("30-39").alias("age"))[list(shuffled)]
    said = {name for name, _, verdict in found(release, table) if verdict == "fails"}
    assert (order.SOURCE_ORDER in said) == (sorted(shuffled) in (shuffled, shuffled[::-1]))
