"""The check of mu-Argus: what it counts, and that it is still not enough."""

from itertools import combinations, product

from hypothesis import given, settings

from openveil.core.finding import Verdict
from openveil.core.full_domain import classes_and_homes, classes_of
from openveil.requirements.k_anonymity import KAnonymity
from openveil.requirements.mu_argus import MuArgus
from oracles.goldens import cases
from oracles.public import public_of, small_tables
from oracles.samarati import occurrences

SIXTEEN = list(product(("black", "white"), ("1964", "1965"), ("female", "male"), ("94138", "94139")))


def two_valued(table):
    return [{value: [value, "*"] for value in sorted(set(column))} for column in zip(*table, strict=True)]


def rarest(table, row):
    """The count of the rarest combination of one to three values of `row`."""
    width = len(row)
    chosen = [c for size in (1, 2, 3) for c in combinations(range(width), size)]
    patterns = [[row[a] if a in c else None for a in range(width)] for c in chosen]
    return min(occurrences(table, pattern) for pattern in patterns)


def staying(table, k):
    """Which rows stay when those with a rare combination are removed until there are none."""
    rows = list(range(len(table)))
    while True:
        left = [table[i] for i in rows]
        kept = [i for i in rows if rarest(left, table[i]) >= k]
        if kept == rows:
            return rows
        rows = kept


@settings(max_examples=50)
@given(small_tables())
def test_rows_are_judged_by_their_rarest_combination_among_those_that_stay(case):
    classes, home = classes_and_homes(case.public)
    holds = MuArgus(case.k).holds(classes)[home]
    assert holds.nonzero()[0].tolist() == staying(case.table, case.k)


def test_persons_are_counted_not_rows():
    public = public_of([("x",), ("x",)], [{"x": ["x"]}], persons=[1, 1])
    assert not MuArgus(2).holds(classes_of(public)).any()


def test_a_table_of_unique_rows_still_passes():
    """Known weakness, kept: every three values occur twice, and every row is alone."""
    classes = classes_of(public_of(SIXTEEN, two_valued(SIXTEEN)))
    assert MuArgus(2).holds(classes).all()
    assert MuArgus(2).measure(classes)[0].verdict is Verdict.HOLDS
    assert not KAnonymity(2).holds(classes).any()


def test_figure_12_is_caught_only_when_all_triples_are_looked_at(shared):
    golden = next(case for case in cases("a_count_pattern") if case["id"] == "a-fig12-white")
    table = [[cell or "suppressed" for cell in row] for row in golden["input"]["table"]]
    classes, home = classes_and_homes(public_of(table, two_valued(table)))
    white = table.index(golden["input"]["pattern"])
    assert int(classes.sizes[home[white]]) == golden["expected"] == 1
    holds = MuArgus(2).holds(classes)[home]
    assert not holds[white]
    assert rarest(table, table[white]) == 1
    assert holds.nonzero()[0].tolist() == staying(table, 2)


def test_a_table_without_quasi_identifiers_is_one_combination():
    classes = classes_of(public_of([(), ()], []))
    assert [MuArgus(k).holds(classes).tolist() for k in (2, 3)] == [[True], [False]]
