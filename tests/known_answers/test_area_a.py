"""Does the package reproduce every golden case of area a?"""

import pytest

from openveil.core.errors import GuaranteeError
from openveil.core.full_domain import classes_and_homes, recode
from openveil.core.lattice import Lattice
from openveil.publishers.samarati import Samarati, candidates
from openveil.publishers.samarati.minimal import all_minimal, find_vector, locally_minimal
from openveil.publishers.samarati.preferences import (
    MaximumDistribution,
    MinimumAbsoluteDistance,
    MinimumRelativeDistance,
    MinimumSuppression,
    preferred,
)
from openveil.publishers.samarati.problem import Problem
from openveil.publishers.samarati.satisfies import ByClasses, ByMatrix
from openveil.requirements.k_anonymity import KAnonymity
from openveil.utility.information_loss import Prices
from oracles.goldens import cases, name_of
from oracles.public import public_of, released_rows


def problem_of(given):
    public = public_of(given["table"], given["hierarchies"])
    classes, home = classes_and_homes(public)
    problem = Problem(
        public, classes, KAnonymity(given.get("k", 1)), given.get("maxsup", 0), Prices.of(public, classes)
    )
    return problem, home


def engines(problem):
    return [
        ByClasses(problem.public, problem.classes, problem.requirement),
        ByMatrix(problem.public, problem.classes, problem.requirement.k),
    ]


def listed(vectors):
    return [list(vector) for vector in vectors]


def released(given, vector):
    problem, _ = problem_of(given)
    recoding = recode(problem.public, problem.classes, tuple(vector), problem.requirement)
    return released_rows(recoding), sorted((recoding.group == -1).nonzero()[0].tolist())


@pytest.mark.parametrize("case", cases("a_k_minimal"), ids=name_of)
def test_k_minimal(case):
    problem, _ = problem_of(case["input"])
    for engine in engines(problem):
        assert listed(all_minimal(engine, problem.lattice, problem.allowed)) == sorted(case["expected"])


@pytest.mark.parametrize("case", cases("a_locally_minimal"), ids=name_of)
def test_locally_minimal(case):
    problem, _ = problem_of(case["input"])
    for engine in engines(problem):
        assert listed(locally_minimal(engine, problem.lattice, problem.allowed)) == sorted(case["expected"])


@pytest.mark.parametrize("case", cases("a_find_vector"), ids=name_of)
def test_find_vector(case):
    problem, _ = problem_of(case["input"])
    for engine in engines(problem):
        found = find_vector(engine, problem.lattice, problem.allowed)
        assert (None if found is None else list(found)) == case["expected"]["lexicographic"]


@pytest.mark.parametrize("case", cases("a_find_vector"), ids=name_of)
def test_the_publisher_finds_an_allowed_vector(case):
    problem, _ = problem_of(case["input"])
    method = Samarati(problem.allowed, prefer="minimum-absolute-distance")
    if not case["expected"]["allowed"]:
        with pytest.raises(GuaranteeError):
            method.choose(problem)
        return
    assert list(method.choose(problem)[0]) in case["expected"]["allowed"]


@pytest.mark.parametrize("case", cases("a_released"), ids=name_of)
def test_released(case):
    assert released(case["input"], case["input"]["vector"])[0] == sorted(case["expected"])


@pytest.mark.parametrize("case", cases("a_suppressed"), ids=name_of)
def test_suppressed(case):
    for vector, rows in case["expected"]:
        assert released(case["input"], vector)[1] == rows


@pytest.mark.parametrize("case", cases("a_largest_k"), ids=name_of)
def test_largest_k(case):
    problem, _ = problem_of(case["input"])
    for vector, k in case["expected"]:
        for asked, suppressed in ((k, False), (k + 1, True)):
            recoding = recode(problem.public, problem.classes, tuple(vector), KAnonymity(asked))
            assert (recoding.suppressed > 0) is suppressed


@pytest.mark.parametrize("case", cases("a_strategies"), ids=name_of)
def test_strategies(case):
    problem, _ = problem_of(case["input"])
    assert sorted(listed(chain) for chain in problem.lattice.strategies()) == sorted(case["expected"])


@pytest.mark.parametrize("case", cases("a_preferences"), ids=name_of)
def test_preferences(case):
    problem, _ = problem_of(case["input"])
    weighed = candidates(problem, all_minimal(engines(problem)[0], problem.lattice, problem.allowed))
    policies = {
        "min_absolute": MinimumAbsoluteDistance(),
        "min_relative": MinimumRelativeDistance(),
        "max_distribution": MaximumDistribution(),
        "min_suppression": MinimumSuppression(),
    }
    found = {name: listed(each.vector for each in preferred(policy, weighed)) for name, policy in policies.items()}
    assert found == case["expected"]


@pytest.mark.parametrize("case", cases("a_matrix"), ids=name_of)
def test_matrix(case):
    problem, home = problem_of({**case["input"], "k": 10**6})
    matrix = ByMatrix(problem.public, problem.classes, 10**6).matrix
    assert matrix[home][:, home].tolist() == case["expected"]


@pytest.mark.parametrize("case", cases("a_matrix_bounds"), ids=name_of)
def test_matrix_bounds(case):
    problem, home = problem_of({**case["input"], "k": 10**6})
    engine = ByMatrix(problem.public, problem.classes, 10**6)
    row = engine.minimal_in_row(int(home[case["input"].get("row", len(home) - 1)]))
    assert listed(row) == sorted(case["expected"]["minimal_in_row"])
    assert min(map(sum, row)) == case["expected"]["least_height_in_row"]
    assert list(engine.least_upper_bound) == case["expected"]["least_upper_bound"]


@pytest.mark.parametrize("case", cases("a_tuple_distance"), ids=name_of)
def test_tuple_distance(case):
    given = case["input"]
    problem, home = problem_of({"table": [given["x"], given["y"]], "hierarchies": given["hierarchies"]})
    engine = ByMatrix(problem.public, problem.classes, 10**6)
    assert engine.matrix[home[0], home[1]].tolist() == case["expected"]


@pytest.mark.parametrize("case", cases("a_all"), ids=name_of)
def test_everything_about_one_table(case):
    problem, _ = problem_of(case["input"])
    expected = case["expected"]
    engine = engines(problem)[0]
    assert listed(all_minimal(engine, problem.lattice, problem.allowed)) == sorted(expected["k_minimal"])
    found = find_vector(engine, problem.lattice, problem.allowed)
    assert (None if found is None else list(found)) == expected["find_vector"]["lexicographic"]
    for vector, rows in expected["released"]:
        assert released(case["input"], vector)[0] == sorted(rows)
    for vector, count in expected["required_suppression"]:
        assert len(released(case["input"], vector)[1]) == count


def test_the_goldens_are_read(shared):
    names = {case["function"] for case in cases("a_k_minimal", "a_matrix", "a_all")}
    assert names == {"a_k_minimal", "a_matrix", "a_all"}
    assert Lattice((1, 3, 1, 2, 2)).size == 144
