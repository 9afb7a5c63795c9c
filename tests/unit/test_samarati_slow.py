"""The searches on many more generated tables than fit the quick run."""

import pytest
from hypothesis import given, settings

from openveil.publishers.samarati.least_loss import least_loss
from openveil.publishers.samarati.minimal import all_minimal, find_vector
from oracles import samarati as oracle
from oracles.public import small_tables, tables_of_persons
from unit.test_samarati import check_against_enumeration_of_persons, engines, problem_of


@pytest.mark.slow
@settings(max_examples=2500)
@given(small_tables())
def test_searches_equal_enumeration_on_thousands_of_tables(case):
    problem = problem_of(case)
    given_ = (case.table, case.hierarchies, case.k, case.maxsup)
    for engine in engines(problem):
        assert all_minimal(engine, problem.lattice, case.maxsup) == oracle.k_minimal(*given_)
        assert find_vector(engine, problem.lattice, case.maxsup) == oracle.find_vector(*given_)
    found, expected = least_loss(problem), oracle.least_loss(*given_, case.weights)
    assert (found is None) == (expected is None)
    if found is not None and expected is not None:
        assert problem.prices.in_all(found.loss) == expected[0]
        assert found.vector in expected[1]


@pytest.mark.slow
@settings(max_examples=1000)
@given(tables_of_persons())
def test_with_persons_searches_equal_enumeration_on_a_thousand_tables(case):
    check_against_enumeration_of_persons(case)
