"""Do the oracle and the package reproduce the golden cases of area f about MASK and MASK+?"""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from openveil.kernels.masking import ascending_slots
from oracles import asap, mask
from oracles.goldens import cases, name_of

TESTED = {"fixed": (1, 0), "prose": (2, 0), "printed": (2, 1)}


def order_of(given):
    """The values by ascending frequency, ties as the case has them; by label where it says nothing."""
    places = given.get("tie") or sorted(given["frequencies"])
    return sorted(places, key=lambda value: (given["frequencies"][value], places.index(value)))


@pytest.mark.parametrize("case", cases("f_mask_plus"), ids=name_of)
def test_the_oracle_masks_the_golden_groups(case):
    given, expected = case["input"], case["expected"]
    found = mask.masked(
        given["frequencies"], given["m"], order_of(given), index=given["index"], fill=given.get("fill", "frequency")
    )
    assert {name: getattr(found, name) for name in expected} == expected


@pytest.mark.parametrize("case", cases("f_mask_plus"), ids=name_of)
def test_the_package_masks_the_golden_groups(case):
    given, expected = case["input"], case["expected"]
    names = sorted(given["frequencies"])
    counts = np.array([given["frequencies"][name] for name in names])
    values = np.flatnonzero(counts).astype(np.int32)
    keys = np.array([[order_of(given).index(name) for name in names]])
    starts = np.array([0, len(values)])
    _, own, shown, changed, unplaced = ascending_slots(
        starts, values, counts[values], len(names), given["m"], *TESTED[given["index"]], keys, False
    )
    assert (changed[0], unplaced) == (expected["perturbed"], expected["unplaced"])
    assert sorted(own.tolist()) == sorted(np.repeat(np.arange(len(names)), counts).tolist())
    if not unplaced:
        found = np.bincount(shown, minlength=len(names)).tolist()
        assert dict(zip(names, found, strict=True)) == expected["published"]


@pytest.mark.parametrize("case", cases("f_mask_plus_smart"), ids=name_of)
def test_what_a_reader_who_knows_the_algorithm_learns(case):
    given, expected = case["input"], case["expected"]
    domain = sorted(given["published"])
    seen = mask.bag_of(given["published"])
    worlds = mask.smart_group(
        seen,
        lambda values: mask.mask_plus(mask.counted(values, domain), given["m"], index=given["index"]),
        domain,
        given["N"],
    )
    assert len(worlds) == expected["originals"]
    smart = asap.marginals(worlds)[0]
    assert {value: smart.get(value, 0) for value in domain} == fractions_of(expected["smart"])
    assert asap.share(seen, domain) == fractions_of(expected["published_share"])


def fractions_of(shares):
    return {value: Fraction(share) for value, share in shares.items()}


def known_to(given, world):
    """Whether a table agrees with what the reader knows beside the release."""
    impossible = any(world[row] == value for row, value in given.get("never", []))
    return not impossible and all(world.count(value) == times for value, times in given.get("exact_counts", []))


@pytest.mark.parametrize("case", cases("f_mask_example"), ids=name_of)
def test_the_example_of_mask(case):
    given, expected = case["input"], case["expected"]
    seen = frozenset((tuple(rows), tuple(bag)) for rows, bag in given["published"])
    worlds = (world for world in product(given["domain"], repeat=8) if known_to(given, world))
    weights = {
        world: mask.mask(given["groups"], world, given["domain"], set(given["sensitive"]), given["m"]).get(seen)
        for world in worlds
    }
    row, value = given["target"]
    chance = asap.marginals({world: weight for world, weight in weights.items() if weight})[row][value]
    assert (str(chance), chance >= Fraction(3, 4)) == (expected["smart"], expected["at_least_3/4"])


def test_the_goldens_are_read(shared):
    assert [len(cases(name)) for name in ("f_mask_plus", "f_mask_plus_smart", "f_mask_example")] == [7, 2, 3]
