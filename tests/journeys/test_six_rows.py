"""Are the numbers that the README tells of its six rows what the methods really give away?

Everything is computed anew: what a reader of the release takes to be the chance of the first person having HIV, and
what it is for a reader who knows the method. Both know the zip codes and which group each person is in.
"""

import re
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from openveil.core.alternatives import OR
from openveil.core.registry import Kind, Status, discover
from openveil.core.secret import Secret
from openveil.core.witness import Witness
from openveil.requirements.frequency_l_diversity import FrequencyDiversity
from openveil.requirements.k_anonymity import KAnonymity
from openveil.requirements.m_confidentiality import MConfidentiality
from openveil.tools.evenly import Even
from openveil.tools.grouped import Grouped
from openveil.tools.masked import Masked
from oracles import asap, mask
from oracles.chance import distribution, orders_within
from oracles.points import public_of_points, rows_of

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
ZIPS = [(1301,)] * 2 + [(1302,)] * 4
ILL = ("HIV", "HIV", "flu", "cold", "asthma", "cough")
DOMAIN = ("HIV", "flu", "cold", "asthma", "cough")
PUBLIC = public_of_points(ZIPS)
USUAL = "tools that stop as soon as their output is fine"
# Methods for what persons want guarded have tables of their own (tests/contracts/test_personal_worlds.py).
METHODS = {part.name: part for part in discover(Kind.PUBLISHER) if not part.cls.needs_guards}
Chances = Callable[[asap.Values], asap.Chances]


def told() -> dict[str, tuple[str, str, str]]:
    """The table of the README: method, status, as the release reads, for a reader who knows the method."""
    rows = re.findall(r"^\| ([^|]+?) \| ([^|]+?) \| (\d+(?:/\d+)?) \| (\d+(?:/\d+)?) \|$", README, re.MULTILINE)
    return {name.strip("`"): (status, naive, smart) for name, status, naive, smart in rows}


def usual(values: asap.Values) -> asap.Chances:
    """The finest of the two levels of the zip code at which all groups are diverse."""
    fine = ((0, 1), (2, 3, 4, 5))
    kept = fine if all(asap.diverse(rows, values, 2) for rows in fine) else ((0, 1, 2, 3, 4, 5),)
    return {asap.published(kept, values): Fraction(1)}


def drawn(publisher: Grouped, values: asap.Values) -> asap.Chances:
    """What a method of groups publishes; who is drawn depends on the order of rows that share a value alone."""
    codes = np.unique(values, return_inverse=True)[1].astype(np.int32)
    return distribution(publisher, PUBLIC, values, FrequencyDiversity(2), orders_within(codes))


def listed(publisher: Even, values: asap.Values) -> asap.Chances:
    """What a method publishes that says so itself; what it draws decides what it looks at next."""
    chances: asap.Chances = {}
    outcomes = publisher.outcomes(PUBLIC, Witness(pl.DataFrame({"ill": values})), FrequencyDiversity(2))
    for recoding, chance in outcomes:
        seen = asap.published(rows_of(recoding.group), values)
        chances[seen] = chances.get(seen, Fraction(0)) + chance
    return chances


def coarsened(publisher, values: asap.Values) -> asap.Chances:
    """What a method of k-anonymity publishes, which is all that it can promise."""
    recoding = publisher.solve(PUBLIC, Witness(pl.DataFrame({"ill": values})), KAnonymity(2), Secret(bytes(32)))
    return {asap.published(rows_of(recoding.group), values): Fraction(1)}


def chances_of(name: str) -> Chances:
    if name == USUAL:
        return usual
    publisher = METHODS[name].cls()
    if isinstance(publisher, Even):
        return lambda values: listed(publisher, values)
    of_groups = isinstance(publisher, Grouped)
    return lambda values: drawn(publisher, values) if of_groups else coarsened(publisher, values)


def masked(name: str, values: asap.Values) -> asap.Chances:
    """What a method that shows other values than the rows' own publishes of the two rows of zip 1301.

    It does so whatever the other group shows, which shows its own bag either way.
    """
    domain = {"domain": tuple(DOMAIN)} if name.endswith("r") else {}
    public, model = public_of_points(ZIPS), MConfidentiality(2)
    witness = Witness(pl.DataFrame({"ill": values}))
    recoding = METHODS[name].cls(**domain).solve(public, witness, model, Secret(bytes(32)))
    return {asap.bag((0, 1), tuple(recoding.replaced[0].shown)): Fraction(1)}


def face_value(cells: tuple[str, ...]) -> Fraction:
    """The share of HIV in these cells; of several values in a cell each counts alike."""
    shares = [Fraction("HIV" in cell.split(OR), len(cell.split(OR))) for cell in cells]
    return sum(shares, Fraction(0)) / len(cells)


def learned_of_mask() -> tuple[Fraction, Fraction]:
    """MASK, which protects HIV alone: who changes values depends on both groups, so all tables are gone through."""
    groups = ((0, 1), (2, 3, 4, 5))

    def chances(values: asap.Values) -> asap.Chances:
        return mask.mask(groups, values, DOMAIN, {"HIV"}, 2)

    known = {values: chances(values) for values in product(DOMAIN, repeat=len(ZIPS))}
    found = []
    for seen in known[ILL]:
        smart = {values: each[seen] for values, each in known.items() if seen in each}
        shown = next(cells for rows, cells in seen if rows == groups[0])
        found.append((of_the_first(smart), face_value(shown)))
    smart, naive = max(found)
    return naive, smart


def learned_of_masked(name: str) -> tuple[Fraction, Fraction]:
    """What the two rows of zip 1301 show, and what they can be for who knows the method."""
    if name == "mask":
        return learned_of_mask()
    known = {values: masked(name, (*values, *ILL[2:])) for values in product(DOMAIN, repeat=2)}
    [seen] = known[ILL[:2]]
    return face_value(seen), of_the_first({values: each[seen] for values, each in known.items() if seen in each})


def of_the_first(worlds: dict[asap.Values, Fraction]) -> Fraction:
    return sum(weight for values, weight in worlds.items() if values[0] == "HIV") / sum(worlds.values())


def learned(chances: Chances) -> tuple[Fraction, Fraction]:
    """The chance of HIV as the release reads, and for who knows the method: over all releases, the highest."""
    known: dict[asap.Values, asap.Chances] = {}
    found = []
    for seen in chances(ILL):
        naive = asap.naive_world(seen)
        for values in naive - known.keys():
            known[values] = chances(values)
        smart = {values: known[values].get(seen, Fraction(0)) for values in naive}
        found.append((of_the_first(smart), of_the_first(dict.fromkeys(naive, Fraction(1)))))
    smart, naive = max(found)
    return naive, smart


def test_the_table_has_every_method():
    assert set(told()) == {USUAL, *METHODS}


@pytest.mark.parametrize("name", [USUAL, *METHODS])
def test_what_is_told_of_a_method_is_so(name):
    status, naive, smart = told()[name]
    is_masked = name in METHODS and issubclass(METHODS[name].cls, Masked)
    found = learned_of_masked(name) if is_masked else learned(chances_of(name))
    assert (Fraction(naive), Fraction(smart)) == found
    assert status == ("not checked" if name == USUAL else str(METHODS[name].status))


@pytest.mark.parametrize("name", METHODS)
def test_on_the_six_rows_the_safe_methods_and_no_others_keep_one_in_two(name):
    """MASK shows nobody with HIV here, so that whoever learns anything learns more than it tells."""
    _, naive, smart = told()[name]
    if METHODS[name].status is Status.KNOWN_UNSAFE:
        least = Fraction(0) if name == "mask" else Fraction(1, 2)
        assert Fraction(smart) > max(Fraction(naive), least)
    elif METHODS[name].cls.takes_sensitive:
        assert Fraction(smart) == Fraction(naive) <= Fraction(1, 2)
