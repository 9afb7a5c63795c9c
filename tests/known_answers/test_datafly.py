"""Datafly on the goldens of area b, and against the oracle's walk on generated tables."""

import pytest
from hypothesis import given

from openveil.core.errors import GuaranteeError, RequestError
from openveil.core.full_domain import classes_of
from openveil.core.recoding import SUPPRESSED
from openveil.core.secret import Secret
from openveil.core.suppression import Allowance
from openveil.publishers.datafly import Datafly, walk
from openveil.requirements.k_anonymity import KAnonymity
from oracles import samarati
from oracles.goldens import cases, name_of
from oracles.public import public_of, released_rows, small_tables


class Closed:
    """A witness that no algorithm may ask."""

    def histogram(self, rows):
        raise AssertionError("Datafly asked for sensitive values")


def path_of(public, k, maxsup):
    steps = walk(public, classes_of(public), KAnonymity(k), Allowance(maxsup))
    return [step.levels for step in steps]


def solved(public, k, maxsup):
    return Datafly(maxsup).solve(public, Closed(), KAnonymity(k), Secret(bytes(32)))


@pytest.mark.parametrize("case", cases("b_datafly"), ids=name_of)
def test_the_golden_walk(case):
    given, expected = case["input"], case["expected"]
    k, maxsup = given["k"], given["maxsup"]
    public = public_of(given["table"], given["hierarchies"])
    assert [list(levels) for levels in path_of(public, k, maxsup)] == expected["path"]
    recoding = solved(public, k, maxsup)
    assert expected["ok"]
    assert [row for row, group in enumerate(recoding.group.tolist()) if group == SUPPRESSED] == expected["suppressed"]
    least = samarati.k_minimal(given["table"], given["hierarchies"], k, maxsup)
    assert (recoding.levels in least) == expected["final_is_k_minimal"]
    assert list(recoding.levels) in expected["all_final_vectors"]


@given(small_tables())
def test_the_walk_is_that_of_the_oracle(case):
    path, ok = samarati.datafly(case.table, case.hierarchies, case.k, case.maxsup)
    assert path_of(case.public, case.k, case.maxsup) == path
    if ok:
        release = released_rows(solved(case.public, case.k, case.maxsup))
        assert release == samarati.released(case.table, case.hierarchies, path[-1], case.k)
    else:
        with pytest.raises(GuaranteeError, match=rf"one class of {len(case.table)} rows? and"):
            solved(case.public, case.k, case.maxsup)


def test_the_error_names_persons_not_rows():
    public = public_of([("x",)] * 4, [{"x": ["x"]}], persons=[1, 1, 2, 2])
    with pytest.raises(GuaranteeError, match=r"one class of 4 rows and 2 persons\. Ask for k = 2 or less"):
        solved(public, 3, 0)


def test_too_few_rows_may_all_be_suppressed_when_that_is_allowed():
    public = public_of([("x",)] * 2, [{"x": ["x", "*"]}])
    recoding = solved(public, 3, 2)
    assert (recoding.levels, recoding.suppressed) == ((0,), 2)


def test_a_wrong_allowance_is_refused_at_construction():
    with pytest.raises(RequestError, match="must not be negative"):
        Datafly(-1)
