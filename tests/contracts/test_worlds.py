"""Is the smart world the naive world? Every original table of small sizes, for every publisher that claims it.

A reader of a release knows the quasi-identifiers and, for each published group, its bag of sensitive values. The
naive world is every table that agrees with that; the smart world is every table that the algorithm would have
published in the same way. The two must be the same set, each table as likely as before.
"""

from collections import defaultdict
from itertools import combinations_with_replacement, product

import numpy as np
import polars as pl
import pytest

from openveil.core.errors import GuaranteeError
from openveil.core.recoding import SUPPRESSED
from openveil.core.registry import Kind, Status, discover
from openveil.core.secret import Secret
from openveil.core.witness import Witness
from openveil.requirements.k_anonymity import KAnonymity
from oracles.public import public_of

CHAINS = [{"a": ["a", "*"], "b": ["b", "*"]}, {"0": ["0", "low", "*"], "1": ["1", "low", "*"], "2": ["2", "2", "*"]}]
CELLS = list(product(*CHAINS))
SAFE = [part for part in discover(Kind.PUBLISHER) if part.status is not Status.KNOWN_UNSAFE]


def published(part, public, sensitive, k, maxsup):
    """What a reader sees: the shown cells and the group of each row, and the bag of each group; or the refusal."""
    witness = Witness(pl.DataFrame({"ill": sensitive}))
    try:
        recoding = part.cls(max_suppressed=maxsup).solve(public, witness, KAnonymity(k), Secret(bytes(32)))
    except GuaranteeError:
        return None
    groups = tuple(recoding.group.tolist())
    bags = defaultdict(list)
    for group, value in zip(groups, sensitive, strict=True):
        if group != SUPPRESSED:
            bags[group].append(value)
    return groups, recoding.cells.tobytes(), tuple((group, *sorted(bag)) for group, bag in sorted(bags.items()))


def naive_world(groups, sensitive, values):
    """Every assignment that gives each published group the same bag; suppressed rows may have any value."""
    order = np.array(groups)
    worlds = set()
    for world in product(values, repeat=len(groups)):
        same = all(
            sorted(np.array(world)[order == group]) == sorted(np.array(sensitive)[order == group])
            for group in set(groups) - {SUPPRESSED}
        )
        if same:
            worlds.add(world)
    return worlds


@pytest.mark.slow
@pytest.mark.parametrize("part", SAFE, ids=lambda part: part.name)
@pytest.mark.parametrize(("rows", "values"), [(3, "xyz"), (4, "xy")])
def test_smart_world_equals_naive_world(part, rows, values):
    compared = 0
    for table in combinations_with_replacement(CELLS, rows):
        public = public_of(table, CHAINS)
        for k, maxsup in ((2, 0), (2, 1), (3, 0)):
            seen = defaultdict(set)
            for world in product(values, repeat=rows):
                seen[published(part, public, list(world), k, maxsup)].add(world)
            for release, smart in seen.items():
                if release is not None:
                    assert smart == naive_world(release[0], next(iter(smart)), values)
                    compared += 1
    assert compared > 100
