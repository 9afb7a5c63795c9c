"""Do the oracle and the package reproduce the golden cases of area d: disclosure sets of the two strategies?"""

from fractions import Fraction

import pytest

from openveil.disclosure.images import Inclusive
from openveil.disclosure.judging import judge
from openveil.requirements.recursive_cl_diversity import RecursiveDiversity
from oracles import disclosure as oracle
from oracles.goldens import cases, name_of
from oracles.sequences import functions_of, image_of_table


def given_of(case):
    given = case["input"]
    return given["functions"], tuple(given["instance"]), Fraction(given["c"]), given["l"]


def strategies_of(case):
    functions, _, c, l = given_of(case)  # noqa: E741
    return oracle.Strategies(functions, oracle.recursive(c, l))


def set_of(strategies, strategy, i, table):
    seen = oracle.image(strategies.functions[i], table)
    return (strategies.inclusive_set if strategy == "inclusive" else strategies.exclusive_set)(i, seen)


def described(tables, chk):
    ratio = str(oracle.largest_ratio(tables)) if tables else None
    return {"chk": oracle.satisfies(tables, chk), "max_ratio": ratio, "size": len(tables)}


@pytest.mark.parametrize("case", cases("d_run"), ids=name_of)
def test_runs(case):
    strategies, table = strategies_of(case), given_of(case)[1]
    levels = [
        {
            strategy: described(set_of(strategies, strategy, i, table), strategies.chk)
            for strategy in ("exclusive", "inclusive")
        }
        | {
            "per_ok": strategies.permits(i, table),
            "per_size": len(oracle.per(function, oracle.image(function, table))),
        }
        for i, function in enumerate(strategies.functions)
    ]
    assert {
        "exclusive": strategies.exclusive(table),
        "inclusive": strategies.inclusive(table, len(strategies.functions)),
        "levels": levels,
    } == case["expected"]


@pytest.mark.parametrize("case", cases("d_ratio"), ids=name_of)
def test_ratios(case):
    given = case["input"]
    tables = set_of(strategies_of(case), given["strategy"], given["level"], given_of(case)[1])
    hits = oracle.counts_of(tables, given["id"])[given["value"]]
    found = {"hits": hits, "ratio": str(Fraction(hits, len(tables))), "size": len(tables)}
    assert found == case["expected"]


@pytest.mark.parametrize("case", cases("d_conditions"), ids=name_of)
def test_conditions(case):
    strategies, i = strategies_of(case), case["input"]["level"]
    function, table = strategies.functions[i], given_of(case)[1]
    told = oracle.known(
        oracle.per(function, oracle.image(function, table)), lambda each: strategies.inclusive(each, i)
    )
    returned = [len(told.get(j, [])) for j in range(i)]
    assert {
        "disclosure_set": len(told[None]),
        "returned_by": returned,
        "total": sum(map(len, told.values())),
    } == case["expected"]


@pytest.mark.parametrize("case", cases("d_images"), ids=name_of)
def test_images(case):
    strategies, i, j = strategies_of(case), case["input"]["level"], case["input"]["under"]
    function, table = strategies.functions[i], given_of(case)[1]
    images = {}
    for each in oracle.per(function, oracle.image(function, table)):
        images[oracle.image(strategies.functions[j], each)] = strategies.permits(j, each)
    assert {"different": len(images), "satisfying_chk": sum(images.values())} == case["expected"]


@pytest.mark.parametrize("case", cases("d_run"), ids=name_of)
def test_the_package_counts_what_the_goldens_list(case):
    listed, table, c, l = given_of(case)  # noqa: E741
    functions, asked = functions_of(listed), RecursiveDiversity(c, l)
    inclusive = Inclusive(functions, asked)
    for i, level in enumerate(case["expected"]["levels"]):
        image = image_of_table(functions, i, table)
        if not level["per_ok"]:
            assert not inclusive.decide(i, image).holds
            continue
        for name, found in (
            ("exclusive", judge(functions, i, image, asked)),
            ("inclusive", inclusive.decide(i, image)),
        ):
            expected = level[name]
            assert found.holds == expected["chk"]
            assert (1 - found.ruled_out[0]) * level["per_size"] == expected["size"]
            assert expected["size"] == 0 or str(found.chance[1]) == expected["max_ratio"]


def test_the_goldens_are_read(shared):
    assert len(cases("d_run")) > 10
    assert {case["id"] for case in cases("d_ratio")} >= {"d-ex7-ratio"}
