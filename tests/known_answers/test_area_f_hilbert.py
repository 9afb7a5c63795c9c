"""Do Hilb and its successors reproduce the golden cases of area f?"""

import pytest

from openveil.core.secret import Secret
from oracles.goldens import cases, name_of
from oracles.hilbert import naive_world
from oracles.ranked import settled, solved

DETERMINISTIC = {"hilb", "hilb+", "hilb+r"}
ALONG_THE_CURVE = [
    case for case in cases("f_partition", "f_worlds") if case["input"]["algorithm"] in DETERMINISTIC | {"hilb++"}
]
WORLDS = [case for case in ALONG_THE_CURVE if case["function"] == "f_worlds"]


def of(algorithm, function):
    return [
        case for case in ALONG_THE_CURVE if case["input"]["algorithm"] in algorithm and case["function"] == function
    ]


def partition(groups, values):
    return [[group, sorted(values[row] for row in group)] for group in groups]


@pytest.mark.parametrize("case", of(DETERMINISTIC, "f_partition"), ids=name_of)
def test_partition(case):
    given = case["input"]
    assert partition(solved(given["algorithm"], given["S"], given["l"]), given["S"]) == case["expected"]


@pytest.mark.parametrize("case", of(DETERMINISTIC, "f_worlds"), ids=name_of)
def test_worlds(case):
    given, expected = case["input"], case["expected"]
    groups = solved(given["algorithm"], given["S"], given["l"])
    assert partition(groups, given["S"]) == expected["published"]
    worlds = naive_world(groups, given["S"])
    smart = [world for world in worlds if settled(given["algorithm"], world, given["l"]) == groups]
    assert (len(worlds), len(smart)) == (expected["naive_size"], expected["smart_support"])
    assert (len(worlds) == len(smart)) is expected["worlds_equal"]


@pytest.mark.parametrize("case", of({"hilb++"}, "f_worlds"), ids=name_of)
def test_worlds_after_pick_up(case):
    """The published groups come out of one draw or another; few tables have strata that these can come from."""
    given, expected = case["input"], case["expected"]
    published = [group for group, _ in expected["published"]]
    drawn = [solved("hilb++", given["S"], given["l"], Secret(bytes([number] * 32))) for number in range(100)]
    assert published in drawn
    worlds = naive_world(published, given["S"])
    smart = [world for world in worlds if refines(published, settled("hilb++", world, given["l"]))]
    assert (len(worlds), len(smart)) == (expected["naive_size"], expected["smart_support"])


def refines(groups, strata):
    return all(any(set(group) <= set(stratum) for stratum in strata) for group in groups)


@pytest.mark.parametrize("case", WORLDS, ids=name_of)
def test_the_repair_is_safe_on_the_same_tables(case):
    given = case["input"]
    groups = settled("hilb+r", given["S"], given["l"])
    worlds = naive_world(groups, given["S"])
    # A world in 50: what holds for one group is seen in any of them.
    for world in worlds[:: 1 + len(worlds) // 50]:
        assert settled("hilb+r", world, given["l"]) == groups
