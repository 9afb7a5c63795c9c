"""Samarati's searches against exhaustive enumeration from the definitions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openveil.core.errors import GuaranteeError, RequestError
from openveil.core.full_domain import classes_of
from openveil.core.lattice import Grid, Lattice
from openveil.core.secret import Secret
from openveil.publishers.samarati import LEAST_LOSS, Samarati, candidates
from openveil.publishers.samarati.descent import Descent
from openveil.publishers.samarati.least_loss import least_loss, search
from openveil.publishers.samarati.minimal import all_minimal, find_vector, locally_minimal
from openveil.publishers.samarati.preferences import (
    FewestAttributes,
    HighestPeak,
    HighestRelativePeak,
    MaximumDistribution,
    MinimumAbsoluteDistance,
    MinimumRelativeDistance,
    MinimumSuppression,
    MostAttributes,
    SmallestPeak,
    SmallestRelativePeak,
    preferred,
)
from openveil.publishers.samarati.problem import Problem
from openveil.publishers.samarati.rounds import Rounds
from openveil.publishers.samarati.satisfies import ByClasses, ByMatrix
from openveil.requirements.k_anonymity import KAnonymity
from openveil.utility.information_loss import InformationLoss, Prices
from oracles import samarati as oracle
from oracles.public import Case, public_of, released_rows, small_tables, tables_of_persons


class Closed:
    """A witness that no algorithm may ask."""

    looks = ()

    def tally(self, label, groups):
        raise AssertionError("the algorithm asked for sensitive values")

    deal = values = bags_of = tally


def problem_of(case):
    public = case.public
    classes = classes_of(public)
    return Problem(public, classes, KAnonymity(case.k), case.maxsup, Prices.of(public, classes))


def engines(problem):
    return [
        ByClasses(problem.public, problem.classes, problem.requirement),
        ByMatrix(problem.public, problem.classes, problem.requirement.k),
    ]


def solved(case, **parameters):
    method = Samarati(case.maxsup, **parameters)
    return method.solve(case.public, Closed(), KAnonymity(case.k), Secret(bytes(32)))


@given(small_tables())
def test_both_engines_count_what_the_definition_counts(case):
    problem = problem_of(case)
    vectors = oracle.vectors(case.hierarchies)
    expected = [oracle.sup(case.table, case.hierarchies, v, case.k) for v in vectors]
    for engine in engines(problem):
        assert engine.suppressed(np.array(vectors)).tolist() == expected


@given(small_tables())
def test_the_searches_find_what_enumeration_finds(case):
    given_ = (case.table, case.hierarchies, case.k, case.maxsup)
    problem = problem_of(case)
    for engine in engines(problem):
        assert find_vector(engine, problem.lattice, case.maxsup) == oracle.find_vector(*given_)
        assert all_minimal(engine, problem.lattice, case.maxsup) == oracle.k_minimal(*given_)


@given(small_tables().filter(lambda case: sum(oracle.heights(case.hierarchies)) <= 6))
def test_locally_minimal_vectors_are_the_first_of_some_strategy(case):
    problem = problem_of(case)
    found = locally_minimal(engines(problem)[0], problem.lattice, case.maxsup)
    assert found == oracle.locally_minimal(case.table, case.hierarchies, case.k, case.maxsup)
    strategies = set(problem.lattice.strategies())
    assert strategies == set(oracle.strategies(case.hierarchies))


@given(small_tables())
@settings(max_examples=300)
def test_the_least_loss_is_the_least_of_all_acceptable_vectors(case):
    problem = problem_of(case)
    found = least_loss(problem)
    expected = oracle.least_loss(case.table, case.hierarchies, case.k, case.maxsup, case.weights)
    if expected is None:
        assert found is None
        return
    assert found is not None
    assert problem.prices.in_all(found.loss) == expected[0]
    assert found.vector in expected[1]
    assert found.proved


@given(small_tables())
def test_the_descent_for_huge_lattices_is_optimal_when_it_ends(case):
    problem = problem_of(case)
    found = search(Descent, problem)
    expected = oracle.least_loss(case.table, case.hierarchies, case.k, case.maxsup, case.weights)
    if expected is None:
        assert found is None
        return
    assert found is not None
    assert found.proved
    assert problem.prices.in_all(found.loss) == expected[0]


def test_of_two_vectors_that_differ_by_the_least_unit_the_better_is_found():
    chains = {value: [value, "low" if value in "ab" else value, "*"] for value in "abc"}
    table = [["a", "b"], ["b", "b"], ["a", "b"]]
    case = Case(table, [chains, chains], 2, 1, (Fraction(1), Fraction(1)))
    losses = {v: oracle.information_loss(table, case.hierarchies, v, 2, case.weights) for v in [(0, 0), (1, 0)]}
    assert losses == {(0, 0): Fraction(4, 3), (1, 0): Fraction(1)}
    problem = problem_of(case)
    assert problem.prices.unit == 3
    for method in (Rounds, Descent):
        found = search(method, problem)
        assert (found.vector, found.loss, found.bound) == ((1, 0), 3, 3)


class Stopping:
    """A clock that runs out after some readings."""

    def __init__(self, readings):
        self.left = readings

    def __call__(self):
        self.left -= 1
        return 0.0 if self.left >= 0 else 1e9


@pytest.mark.parametrize("method", [Rounds, Descent])
@given(case=small_tables(), readings=st.integers(1, 30))
def test_a_search_cut_short_is_acceptable_and_its_bound_is_true(method, case, readings):
    problem = problem_of(case)
    expected = oracle.least_loss(case.table, case.hierarchies, case.k, case.maxsup, case.weights)
    found = search(method, problem.within(1.0, Stopping(readings)))
    if expected is None:
        assert found is None
        return
    assert found is not None
    assert found.vector in oracle.acceptable(case.table, case.hierarchies, case.k, case.maxsup)
    assert problem.prices.in_all(found.bound) <= expected[0] <= problem.prices.in_all(found.loss)


@given(small_tables())
def test_the_four_policies_and_their_ties(case):
    problem = problem_of(case)
    minimal = all_minimal(engines(problem)[0], problem.lattice, case.maxsup)
    weighed = candidates(problem, minimal)
    expected = oracle.preferred(case.table, case.hierarchies, case.k, case.maxsup)
    policies = {
        "min_absolute": MinimumAbsoluteDistance(),
        "min_relative": MinimumRelativeDistance(),
        "max_distribution": MaximumDistribution(),
        "min_suppression": MinimumSuppression(),
    }
    for name, policy in policies.items():
        chosen = [each.vector for each in preferred(policy, weighed)] if weighed else []
        assert chosen == expected[name], name


@given(small_tables())
def test_the_further_policies_read_literally(case):
    problem = problem_of(case)
    weighed = candidates(problem, all_minimal(engines(problem)[0], problem.lattice, case.maxsup))
    if not weighed:
        return
    tops = oracle.heights(case.hierarchies)

    def relative(v):
        return max((Fraction(d, h) for d, h in zip(v, tops, strict=True) if h), default=Fraction(0))

    literal = {
        FewestAttributes(): lambda v: sum(d != 0 for d in v),
        MostAttributes(): lambda v: -sum(d != 0 for d in v),
        SmallestPeak(): max,
        SmallestRelativePeak(): relative,
        HighestPeak(): lambda v: -max(v),
        HighestRelativePeak(): lambda v: -relative(v),
    }
    vectors = [each.vector for each in weighed]
    for policy, cost in literal.items():
        least = min(map(cost, vectors))
        assert [each.vector for each in preferred(policy, weighed)] == [v for v in vectors if cost(v) == least]


@given(small_tables(), st.sampled_from([LEAST_LOSS, "minimum-suppression", "minimum-absolute-distance"]))
def test_a_solution_releases_what_the_definition_releases(case, prefer):
    acceptable = oracle.acceptable(case.table, case.hierarchies, case.k, case.maxsup)
    if not acceptable:
        with pytest.raises(GuaranteeError):
            solved(case, prefer=prefer)
        return
    recoding = solved(case, prefer=prefer)
    assert recoding.levels in acceptable
    assert released_rows(recoding) == oracle.released(case.table, case.hierarchies, recoding.levels, case.k)


@given(small_tables())
def test_the_measured_loss_is_the_loss_by_definition(case):
    if not oracle.acceptable(case.table, case.hierarchies, case.k, case.maxsup) or not case.table:
        return
    recoding = solved(case)
    average, _ = InformationLoss().measure(case.public, recoding)
    exact = oracle.information_loss(case.table, case.hierarchies, recoding.levels, case.k, case.weights)
    assert average.value == exact / len(case.table)


def check_against_enumeration_of_persons(case):
    """All that the searches find, against every vector of the lattice with the persons of each class counted."""
    given_ = (case.table, case.hierarchies, case.k, case.maxsup)
    problem = problem_of(case)
    counter = ByClasses(problem.public, problem.classes, problem.requirement)
    vectors = oracle.vectors(case.hierarchies)
    expected = [oracle.sup(case.table, case.hierarchies, v, case.k, case.persons) for v in vectors]
    assert counter.suppressed(np.array(vectors)).tolist() == expected
    assert find_vector(counter, problem.lattice, case.maxsup) == oracle.find_vector(*given_, case.persons)
    assert all_minimal(counter, problem.lattice, case.maxsup) == oracle.k_minimal(*given_, case.persons)
    least = oracle.least_loss(*given_, case.weights, case.persons)
    for method in (Rounds, Descent):
        found = search(method, problem)
        assert (found is None) == (least is None)
        if found is not None and least is not None:
            assert found.proved
            assert problem.prices.in_all(found.loss) == least[0]
            assert found.vector in least[1]


@given(tables_of_persons())
def test_with_persons_the_searches_find_what_enumeration_finds(case):
    check_against_enumeration_of_persons(case)


@given(tables_of_persons(), st.sampled_from([LEAST_LOSS, "minimum-suppression", "minimum-absolute-distance"]))
def test_with_persons_a_solution_releases_what_the_definition_releases(case, prefer):
    given_ = (case.table, case.hierarchies)
    acceptable = oracle.acceptable(*given_, case.k, case.maxsup, case.persons)
    if not acceptable:
        with pytest.raises(GuaranteeError):
            solved(case, prefer=prefer)
        return
    recoding = solved(case, prefer=prefer)
    assert recoding.levels in acceptable
    assert released_rows(recoding) == oracle.released(*given_, recoding.levels, case.k, case.persons)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=4), st.data())
def test_the_grid_spreads_marks_as_the_order_says(heights, data):
    lattice = Lattice(tuple(heights))
    grid = Grid(lattice)
    marks = np.array(data.draw(st.lists(st.booleans(), min_size=lattice.size, max_size=lattice.size)))
    marks = marks.reshape(grid.shape)
    vectors = [tuple(v) for v in np.argwhere(np.ones(grid.shape, dtype=bool)).tolist()]
    marked = [v for v in vectors if marks[v]]
    for v in vectors:
        assert grid.below(marks)[v] == any(v == w or oracle.below(v, w) for w in marked)
        assert grid.above(marks)[v] == any(v == w or oracle.below(w, v) for w in marked)
        assert grid.heights()[v] == sum(v)
    closed = grid.above(marks)
    least = [v for v in vectors if closed[v] and not any(closed[w] for w in lattice.below(v))]
    assert [tuple(v) for v in grid.vectors(grid.bases(closed)).tolist()] == least
    for height in range(lattice.height + 1):
        assert list(lattice.of_height(height)) == [v for v in vectors if sum(v) == height]


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"prefer": "cheapest"}, "is not a preference policy"),
        ({"prefer": {"policy": "attribute-order"}}, "method: prefer: keep: is missing"),
        ({"prefer": {"policy": "attribute-order", "keep": "a0"}}, "method: prefer: keep: must be a list"),
        ({"prefer": {"policy": "attribute-cost", "costs": ["a0"]}}, "method: prefer: costs: must be a table"),
        ({"prefer": {"policy": "attribute-cost", "costs": {"a0": "1e999999999"}}}, "not a number"),
        ({"prefer": {"policy": "attribute-cost", "costs": {"a0": "1/0"}}}, "not a number"),
        ({"prefer": {"policy": "attribute-order", "keep": []}}, "each attribute once"),
        ({"prefer": {"policy": "attribute-cost", "costs": {"a0": -1}}}, "negative"),
        ({"prefer": {"policy": "attribute-cost", "costs": {"a0": "dear"}}}, "not a number"),
        ({"prefer": {"keep": ["a0"]}}, "is not a preference policy"),
        ({"seconds": 0}, "positive"),
        ({"seconds": float("nan")}, "positive"),
    ],
)
def test_wrong_parameters_are_refused(parameters, said):
    with pytest.raises(RequestError, match=said):
        Samarati(**parameters)


def test_a_preference_for_columns_that_are_not_there_is_refused():
    table, hierarchies = [["x"], ["y"]], [{"x": ["x", "*"], "y": ["y", "*"]}]
    method = Samarati(prefer={"policy": "attribute-order", "keep": ["zip"]})
    with pytest.raises(RequestError, match="zip"):
        method.solve(public_of(table, hierarchies), Closed(), KAnonymity(2), Secret(bytes(32)))


def test_explicit_preferences_decide_between_minimal_vectors():
    values = ["0", "1"]
    chains = {value: [value, "*"] for value in values}
    table = [["0", "0"], ["0", "1"], ["1", "0"], ["1", "1"]]
    public = public_of(table, [chains, chains])
    for keep, expected in ((["a0"], (0, 1)), (["a1"], (1, 0))):
        method = Samarati(prefer={"policy": "attribute-order", "keep": keep})
        assert method.solve(public, Closed(), KAnonymity(2), Secret(bytes(32))).levels == expected
    for costs, expected in (({"a0": 3}, (0, 1)), ({"a1": "3/2"}, (1, 0))):
        method = Samarati(prefer={"policy": "attribute-cost", "costs": costs})
        assert method.solve(public, Closed(), KAnonymity(2), Secret(bytes(32))).levels == expected


def test_the_matrix_engine_is_refused_where_it_cannot_answer():
    table, hierarchies = [["x"], ["y"]], [{"x": ["x", "*"], "y": ["y", "*"]}]
    method = Samarati(prefer="minimum-suppression", engine="matrix")
    with pytest.raises(RequestError, match="person"):
        method.solve(public_of(table, hierarchies, persons=[0, 0]), Closed(), KAnonymity(1), Secret(bytes(32)))


def test_the_matrix_is_not_silently_ignored():
    with pytest.raises(RequestError, match="matrix"):
        Samarati(engine="matrix")


def test_a_preference_that_takes_too_long_is_refused():
    table = [[str(i % 7), str(i % 5)] for i in range(40)]
    chains = [{str(v): [str(v), str(v // 2), "*"] for v in range(7)} for _ in range(2)]
    chains = [{v: [v, f"g{chain[1]}", "*"] for v, chain in each.items()} for each in chains]
    public = public_of(table, chains)
    method = Samarati(prefer="minimum-suppression", seconds=1e-9)
    with pytest.raises(RequestError, match="takes longer"):
        method.solve(public, Closed(), KAnonymity(2), Secret(bytes(32)))


def test_more_vectors_than_a_machine_word_are_searched():
    table = [[str(i % 3)] * 40 for i in range(30)]
    chains = {str(v): [str(v), f"g{v // 2}", "h", "*"] for v in range(3)}
    recoding = Samarati(seconds=0.5).solve(
        public_of(table, [chains] * 40), Closed(), KAnonymity(10), Secret(bytes(32))
    )
    assert recoding.levels == (0,) * 40


@pytest.mark.parametrize("weights", [[10**30, 1], [1, Fraction(1, 10**30)]])
def test_weights_that_cannot_be_compared_exactly_are_refused(weights):
    chains = {"x": ["x", "*"], "y": ["y", "*"]}
    public = public_of([["x", "y"], ["y", "x"]], [chains, chains], [Fraction(w) for w in weights])
    with pytest.raises(RequestError, match="weights differ too much"):
        Samarati().solve(public, Closed(), KAnonymity(2), Secret(bytes(32)))


def test_rounded_prices_are_told():
    sizes = [997, 991, 983, 977, 971, 967, 953]
    chains = [{str(v): [str(v), "*"] for v in range(size)} for size in sizes]
    table = [["0"] * 7, ["1"] * 7]
    recoding = Samarati().solve(public_of(table, chains), Closed(), KAnonymity(2), Secret(bytes(32)))
    assert "in steps of" in recoding.findings[0].note
