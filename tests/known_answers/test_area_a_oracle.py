"""Does the oracle of Samarati's definitions reproduce every golden case of areas a and b?"""

from typing import Any

import pytest

from oracles import samarati
from oracles.goldens import cases, name_of


def _table(given: dict[str, Any]) -> tuple[Any, Any]:
    return given["table"], given["hierarchies"]


def _numbers(given: dict[str, Any]) -> tuple[Any, Any, int, int]:
    return (*_table(given), given["k"], given["maxsup"])


def largest_k(given):
    lattice = samarati.vectors(given["hierarchies"])
    return [[v, samarati.largest_k(*_table(given), v)] for v in lattice]


def suppressed(given):
    lattice = samarati.vectors(given["hierarchies"])
    return [[v, samarati.suppressed(*_table(given), v, given["k"])] for v in lattice]


def released(given):
    return samarati.released(*_table(given), tuple(given["vector"]), given["k"])


def find_vector(given):
    return {
        "allowed": samarati.find_vector_allowed(*_numbers(given)),
        "lexicographic": samarati.find_vector(*_numbers(given)),
    }


def everything(given):
    table, hierarchies, k, _ = _numbers(given)
    least = samarati.k_minimal(*_numbers(given))
    return {
        "find_vector": find_vector(given),
        "k_minimal": least,
        "preferences": samarati.preferred(*_numbers(given)),
        "released": [[v, samarati.released(table, hierarchies, v, k)] for v in least],
        "required_suppression": [[v, samarati.sup(table, hierarchies, v, k)] for v in samarati.vectors(hierarchies)],
    }


def datafly(given):
    table, hierarchies, k, _ = _numbers(given)
    path, ok = samarati.datafly(*_numbers(given))
    return {
        "all_final_vectors": samarati.datafly_ends(*_numbers(given)),
        "final_is_k_minimal": path[-1] in samarati.k_minimal(*_numbers(given)),
        "ok": ok,
        "path": path,
        "suppressed": samarati.suppressed(table, hierarchies, path[-1], k),
    }


ASKED = {
    "a_largest_k": largest_k,
    "a_k_minimal": lambda given: samarati.k_minimal(*_numbers(given)),
    "a_suppressed": suppressed,
    "a_released": released,
    "a_strategies": lambda given: sorted(samarati.strategies(given["hierarchies"])),
    "a_locally_minimal": lambda given: samarati.locally_minimal(*_numbers(given)),
    "a_matrix": lambda given: samarati.matrix(*_table(given)),
    "a_tuple_distance": lambda given: samarati.distance(given["x"], given["y"], given["hierarchies"]),
    "a_matrix_bounds": lambda given: samarati.matrix_bounds(*_table(given), given["row"]),
    "a_preferences": lambda given: samarati.preferred(*_numbers(given)),
    "a_find_vector": find_vector,
    "a_count_pattern": lambda given: samarati.occurrences(given["table"], given["pattern"]),
    "a_all": everything,
    "b_datafly": datafly,
}


def plain(value):
    """As JSON writes it: tuples are lists."""
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    return [plain(part) for part in value] if isinstance(value, list | tuple) else value


@pytest.mark.parametrize("case", cases(*ASKED), ids=name_of)
def test_the_oracle_reproduces_the_golden_case(case):
    assert plain(ASKED[case["function"]](case["input"])) == case["expected"]


def test_every_function_of_the_areas_is_asked(shared):
    assert {case["function"] for case in cases(*ASKED)} == set(ASKED)


@pytest.mark.parametrize("case", cases("a_k_minimal", "a_find_vector", "a_all", "b_datafly"), ids=name_of)
def test_the_matrix_counts_the_same_suppression(case):
    table, hierarchies, k, _ = _numbers(case["input"])
    for v in samarati.vectors(hierarchies):
        assert samarati.sup_by_matrix(table, hierarchies, v, k) == samarati.sup(table, hierarchies, v, k)
