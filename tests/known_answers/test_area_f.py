"""Do the oracle and the package reproduce the golden cases of area f: Mondrian, its repairs, and Anatomy?"""

from fractions import Fraction

import polars as pl
import pytest

from openveil.core.witness import Witness
from openveil.publishers.mondrian import Mondrian
from openveil.publishers.mondrian_plus import MondrianPlus
from openveil.requirements.frequency_l_diversity import FrequencyDiversity
from openveil.tools.cuts import Widths
from oracles import asap
from oracles.goldens import cases, name_of
from oracles.points import public_of_points, rows_of

ALGORITHMS = ("mondrian", "mondrian+", "mondrian++", "anatomy")
SETTLED = {"mondrian": Mondrian, "mondrian+": MondrianPlus}


def about(function, algorithms=ALGORITHMS):
    return [case for case in cases(function) if case["input"].get("algorithm") in algorithms]


def given_of(case):
    given = case["input"]
    values = tuple(given["S"])
    points = [tuple(point) for point in given.get("Q", [[row] for row in range(len(values))])]
    return points, values, given["l"]


def chances_of(case):
    """What the algorithm of the case makes of a table with other sensitive values."""
    points, _, l = given_of(case)  # noqa: E741
    options = case["input"].get("options", {})
    return lambda values: asap.outcomes(case["input"]["algorithm"], points, values, l, **options)


def groups_of(listed):
    return frozenset((tuple(rows), tuple(values)) for rows, values in listed)


def fractions_of(marginals):
    return [{value: Fraction(part) for value, part in row.items()} for row in marginals]


@pytest.mark.parametrize("case", about("f_partition"), ids=name_of)
def test_partition(case):
    assert [asap.listed(seen) for seen in chances_of(case)(given_of(case)[1])] == [case["expected"]]


@pytest.mark.parametrize("case", about("f_distribution"), ids=name_of)
def test_distribution(case):
    expected = {groups_of(groups): Fraction(chance) for groups, chance in case["expected"]}
    assert chances_of(case)(given_of(case)[1]) == expected


def compared(case, naive, smart):
    """What the goldens say of a pair of worlds."""
    margins = [asap.marginals(dict.fromkeys(naive, Fraction(1))), asap.marginals(smart)]
    return {
        "naive_size": len(naive),
        "smart_support": len(smart),
        "worlds_equal": smart.keys() == naive and len(set(smart.values())) == 1,
        "marginals_equal": margins[0] == margins[1],
        "naive": margins[0],
        "smart": margins[1],
    }


def expected_of(case):
    expected = dict(case["expected"])
    del expected["published"]
    return {**expected, **{side: fractions_of(expected[side]) for side in ("naive", "smart")}}


@pytest.mark.parametrize("case", [c for c in about("f_worlds") if "scheme" not in c["input"]], ids=name_of)
def test_worlds(case):
    seen = groups_of(case["expected"]["published"])
    assert seen in chances_of(case)(given_of(case)[1])
    smart = asap.smart_world(seen, chances_of(case))
    assert compared(case, asap.naive_world(seen), smart) == expected_of(case)


@pytest.mark.parametrize("case", [c for c in about("f_worlds") if "scheme" in c["input"]], ids=name_of)
def test_worlds_when_boxes_are_published(case):
    points, values, _ = given_of(case)
    seen = tuple((tuple(map(tuple, box)), tuple(bag)) for box, bag in case["expected"]["published"])
    naive = asap.naive_world_of_boxes(seen, points)
    smart = {}
    for world in asap.arrangements(values):
        weight = sum(
            chance for groups, chance in chances_of(case)(world).items() if asap.boxed(groups, points) == seen
        )
        if weight:
            smart[world] = weight
    assert values in smart
    assert compared(case, naive, smart) == expected_of(case)


@pytest.mark.parametrize("case", cases("f_share"), ids=name_of)
def test_share(case):
    given = case["input"]
    expected = {value: Fraction(part) for value, part in case["expected"].items()}
    assert asap.share(given["bag"], given["domain"]) == expected


@pytest.mark.parametrize(
    "case",
    [
        case
        for function in ("f_partition", "f_worlds")
        for case in about(function, SETTLED)
        if "options" not in case["input"]
    ],
    ids=name_of,
)
def test_the_package_publishes_the_golden_groups(case):
    points, values, l = given_of(case)  # noqa: E741
    expected = case["expected"] if case["function"] == "f_partition" else case["expected"]["published"]
    method = SETTLED[case["input"]["algorithm"]](widths=Widths.RAW)
    witness = Witness(pl.DataFrame({"ill": values}))
    group = method.settled(public_of_points(points), witness, FrequencyDiversity(l))
    assert asap.listed(asap.published(rows_of(group), values)) == expected


def test_the_goldens_are_read(shared):
    assert {case["input"]["algorithm"] for case in about("f_worlds")} == set(ALGORITHMS)
    assert about("f_partition")
    assert about("f_distribution")
    assert cases("f_share")
