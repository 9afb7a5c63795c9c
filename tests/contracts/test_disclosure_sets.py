"""Does the privacy model hold of what is left for those who know the algorithm? Every table of small sizes.

A publisher that is safe by its disclosure set publishes some of the tables that agree with a release otherwise, or
not at all. Those that it publishes just so are all that someone can believe who knows the quasi-identifiers, the
groups and the algorithm; for every person, their values must satisfy the model that groups were asked.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np
import polars as pl
import pytest

from openveil.core.disclosed import Safety
from openveil.core.errors import GuaranteeError
from openveil.core.registry import Kind, Status, discover
from openveil.core.requirement import together
from openveil.core.secret import Secret
from openveil.core.witness import Witness
from openveil.disclosure.asking import ratios_of
from openveil.disclosure.judging import nothing_ruled_out
from openveil.disclosure.strategies import naive
from openveil.publishers.rotation import ascent_of
from openveil.requirements.entropy_l_diversity import EntropyDiversity
from openveil.requirements.frequency_l_diversity import FrequencyDiversity
from openveil.requirements.k_anonymity import KAnonymity
from openveil.requirements.mu_argus import MuArgus
from openveil.requirements.recursive_cl_diversity import RecursiveDiversity
from openveil.tools.sequences import Sequential
from openveil.tools.stepping import Stepwise
from oracles import disclosure as oracle
from oracles.points import public_of_points, rows_of

PARTS = [
    part
    for part in discover(Kind.PUBLISHER)
    if part.cls.safety is Safety.DISCLOSURE_SET and part.status is not Status.KNOWN_UNSAFE
]
SEQUENCED = [part for part in PARTS if issubclass(part.cls, Sequential)]
STEPPED = [part for part in PARTS if issubclass(part.cls, Stepwise)]
MODELS = {
    "frequency": (FrequencyDiversity(2), oracle.frequency(2)),
    "recursive": (RecursiveDiversity(Fraction(2), 2), oracle.recursive(Fraction(2), 2)),
    "entropy": (EntropyDiversity(Fraction(2)), oracle.entropy(Fraction(2))),
}
# Functions on six rows: nested, nested with groups that stay, and not nested.
SEQUENCES = {
    "nested": ((0, 0, 1, 1, 2, 2), (0, 0, 1, 1, 1, 1), (0, 0, 0, 0, 0, 0)),
    "halves": ((0, 0, 0, 1, 1, 1), (0, 0, 0, 0, 0, 0)),
    "crossing": ((0, 0, 1, 1, 1, 1), (0, 0, 0, 0, 1, 1), (0, 1, 1, 1, 1, 0)),
}
SORTED = [
    pytest.param((0, 0, 0, 1, 1, 1, 1), "aaabbcc", id="aaabbcc"),
    pytest.param((0, 0, 1, 1, 2, 2, 2), "aaabbbc", marks=pytest.mark.slow, id="aaabbbc"),
]
LINE = [(row,) for row in range(6)]
every_sequence = pytest.mark.parametrize("part", SEQUENCED, ids=lambda part: part.name)
every_model = pytest.mark.parametrize(("asked", "chk"), MODELS.values(), ids=MODELS)


def test_every_publisher_of_this_kind_is_enumerated_here_or_with_even_cuts():
    drawn = {"mondrian-even", "mondrian-even++", "personalised-even"}
    assert {part.name for part in PARTS} == {part.name for part in SEQUENCED} | drawn


def published(publisher, public, table, asked):
    """The groups that are published, or nothing."""
    witness = Witness(pl.DataFrame({"ill": table}))
    try:
        group = publisher.solve(public, witness, asked, Secret(bytes(32))).group
    except GuaranteeError:
        return None
    return frozenset((rows, tuple(sorted(table[row] for row in rows))) for rows in rows_of(group))


def told(publisher, public, tables, asked):
    return oracle.known(tables, lambda table: published(publisher, public, table, asked))


@pytest.mark.slow
@every_model
@every_sequence
def test_the_model_holds_of_the_disclosure_set(part, asked, chk):
    worlds = told(part.cls(), public_of_points(LINE[:5]), [*product("xyz", repeat=5)], asked)
    worlds.pop(None)
    assert len(worlds) >= 3
    assert all(oracle.satisfies(tables, chk) for tables in worlds.values())


@pytest.mark.parametrize("partitions", SEQUENCES.values(), ids=SEQUENCES)
@every_sequence
def test_the_model_holds_of_the_disclosure_set_of_a_known_bag(part, partitions):
    asked, chk = MODELS["frequency"]
    publisher = part.cls(partitions=partitions)
    worlds = told(publisher, public_of_points(LINE), oracle.orders("xxyyzw"), asked)
    worlds.pop(None, None)
    assert worlds
    assert all(oracle.satisfies(tables, chk) for tables in worlds.values())


@pytest.mark.parametrize("partitions", [SEQUENCES["nested"], SEQUENCES["halves"]], ids=["nested", "halves"])
def test_rotation_gives_everyone_the_chances_that_the_group_shows(partitions):
    [part] = [part for part in PARTS if part.name == "rotation"]
    asked = MODELS["frequency"][0]
    tables = oracle.orders("xxyyzw")
    worlds = told(part.cls(partitions=partitions), public_of_points(LINE), tables, asked)
    worlds.pop(None, None)
    agree = [oracle.naive_size(seen) for seen in worlds]
    ruled_out = [len(each) < number for each, number in zip(worlds.values(), agree, strict=True)]
    assert any(ruled_out) or partitions != SEQUENCES["halves"]
    for seen, each in worlds.items():
        for rows, bag in seen:
            for row in rows:
                shares = {value: Fraction(n, len(each)) for value, n in oracle.counts_of(each, row).items()}
                assert shares == {value: Fraction(n, len(bag)) for value, n in Counter(bag).items()}


@pytest.mark.parametrize("refusal", ["plain", "safe"])
def test_over_all_orders_rotation_gives_everyone_the_chances_that_the_group_shows(refusal):
    [part] = [part for part in PARTS if part.name == "rotation"]
    publisher = part.cls(partitions=SEQUENCES["nested"], refusal=refusal)
    public, asked = public_of_points(LINE), MODELS["frequency"][0]
    weighed, silent = defaultdict(Counter), 0
    for table in oracle.orders("xxyyzw"):
        silent += 1
        witness = Witness(pl.DataFrame({"ill": table}))
        for recoding, chance in publisher.outcomes(public, witness, asked):
            silent -= chance
            seen = frozenset((rows, tuple(sorted(table[row] for row in rows))) for rows in rows_of(recoding.group))
            weighed[seen].update(dict.fromkeys(enumerate(table), chance))
            assert publisher.odds(public, witness, asked, recoding) >= chance
    assert weighed
    assert max(map(len, weighed)) > 1 or refusal == "plain"
    assert (silent == 0) == (refusal == "safe")
    for seen, chances in weighed.items():
        size = sum(chance for (row, _), chance in chances.items() if row == 0)
        for rows, bag in seen:
            shown = {value: Fraction(number, len(bag)) for value, number in Counter(bag).items()}
            assert all({v: c / size for (r, v), c in chances.items() if r == row} == shown for row in rows)


def learned_of_a_sorted_file(partition, bag, chances_of):
    """Each person's chances given that all rows are one group, where the file is sorted by the sensitive column."""
    learned, size = Counter(), 0
    for table in oracle.orders(bag):
        order = sorted(range(len(bag)), key=lambda person: (table[person], person))
        [rotation] = [part for part in PARTS if part.name == "rotation"]
        publisher = rotation.cls(partitions=(tuple(partition[person] for person in order), (0,) * len(bag)))
        public = public_of_points([(person,) for person in order])
        chance = chances_of(publisher, public, Witness(pl.DataFrame({"ill": [table[person] for person in order]})))
        size += chance
        learned.update(dict.fromkeys(enumerate(table), chance))
    return {each: Fraction(number) / size for each, number in learned.items()}


def over_all_orders(publisher, public, witness):
    outcomes = publisher.outcomes(public, witness, MODELS["frequency"][0])
    return sum((chance for recoding, chance in outcomes if recoding.group.max() == 0), start=Fraction(0))


def in_file_order(publisher, public, witness):
    """What rotating in the order of the file would do."""
    asked = MODELS["frequency"][0]
    ascent = ascent_of(publisher.sequence(public, asked), ratios_of(asked))
    values, rows = witness.values(np.arange(len(public), dtype=np.int32)), np.arange(len(public))
    labels = ascent.chain.labels
    order = np.lexsort([rows, *(_first_row_of_group(label) for label in labels)])
    return int(ascent.released(ascent.chain.ordered(order), values) == 1)


def _first_row_of_group(label):
    return np.unique(label, return_index=True)[1][label]


@pytest.mark.parametrize(("partition", "bag"), SORTED)
def test_rotation_tells_no_more_where_the_file_is_sorted_by_the_sensitive_column(partition, bag):
    shown = {value: Fraction(number, len(bag)) for value, number in Counter(bag).items()}
    found = learned_of_a_sorted_file(partition, bag, over_all_orders)
    assert all(chance == shown[value] for (_, value), chance in found.items())
    careless = learned_of_a_sorted_file(partition, bag, in_file_order)
    assert any(chance != shown[value] for (_, value), chance in careless.items())


@pytest.mark.slow
@every_model
@pytest.mark.parametrize("refusal", ["plain", "safe"])
@pytest.mark.parametrize("partitions", SEQUENCES.values(), ids=SEQUENCES)
@pytest.mark.parametrize("part", STEPPED, ids=lambda part: part.name)
def test_the_model_holds_of_the_disclosure_set_of_a_sequence(part, partitions, refusal, asked, chk):
    publisher = part.cls(partitions=partitions, refusal=refusal)
    every = {table for bag in ("xxyyzz", "xxyyzw", "xxxyyz") for table in oracle.orders(bag)}
    worlds = told(publisher, public_of_points(LINE), sorted(every), asked)
    silent = set(worlds.pop(None, []))
    assert worlds
    assert all(oracle.satisfies(tables, chk) for tables in worlds.values())
    if refusal == "safe":
        last = max(partitions, key=partitions.index)
        groups = [[row for row, g in enumerate(last) if g == each] for each in sorted(set(last))]
        for table in silent:
            assert not oracle.satisfies(oracle.per(groups, oracle.image(groups, table)), chk)


def silence(part, partitions, bag, refusal="plain"):
    """The tables with this bag of which nothing is published."""
    publisher = part.cls(partitions=partitions, refusal=refusal)
    return told(publisher, public_of_points(LINE), oracle.orders(bag), MODELS["frequency"][0]).get(None, [])


@pytest.mark.slow
@pytest.mark.parametrize("part", STEPPED, ids=lambda part: part.name)
def test_silence_tells_a_known_bag_further_than_the_model_permits(part):
    silent = silence(part, SEQUENCES["nested"], "xxyzwv")
    assert len(silent) == 24
    assert not oracle.satisfies(silent, MODELS["frequency"][1])
    assert silence(part, SEQUENCES["nested"], "xxyzwv", "safe") == []


def test_the_strategies_are_silent_about_other_tables():
    silent = {part.name: silence(part, SEQUENCES["crossing"], "xxyyzw") for part in STEPPED}
    assert (len(silent["exclusive"]), len(silent["inclusive"])) == (16, 8)


@dataclass(frozen=True)
class First(Stepwise):
    """The first function whose groups hold, and nothing is asked of what that tells."""

    @property
    def strategy(self):
        return naive

    def judged(self, functions, i, image, asked):
        return nothing_ruled_out(image)


def test_the_test_can_fail():
    asked, chk = MODELS["frequency"]
    publisher = First(partitions=((0, 0, 1, 1, 1, 1), (0,) * 6))
    worlds = told(publisher, public_of_points(LINE), oracle.orders("xxyzwv"), asked)
    failing = [tables for seen, tables in worlds.items() if seen is not None and not oracle.satisfies(tables, chk)]
    assert failing
    assert max(Counter(table[0] for table in failing[0]).values()) == len(failing[0])


@pytest.mark.parametrize("part", [each for each in PARTS if not each.cls.needs_guards], ids=lambda part: part.name)
def test_what_is_told_of_a_set_is_worked_out_from_published_groups(part):
    publisher, public = part.cls(), public_of_points([(row,) for row in range(8)])
    asked = FrequencyDiversity(2)
    witness = Witness(pl.DataFrame({"ill": list("abcabcab")}))
    recoding = publisher.solve(public, witness, asked, Secret.fresh())
    others = witness.rearranged(np.arange(8))
    said = publisher.disclosed(public, others, asked, recoding.group)
    assert said.holds
    assert [finding.verdict for finding in said.told(witness.looks)][:2] == ["holds", "holds"]


@pytest.mark.parametrize("refusal", ["plain", "safe"])
def test_rotation_releases_nothing_where_no_function_has_groups_that_are_large_enough(refusal):
    [rotation] = [part for part in PARTS if part.name == "rotation"]
    publisher = rotation.cls(partitions=((0, 0, 1, 1, 2, 2),), refusal=refusal)
    public, witness = public_of_points(LINE), Witness(pl.DataFrame({"ill": list("abcabc")}))
    asked = together((KAnonymity(3), FrequencyDiversity(2)))
    with pytest.raises(GuaranteeError, match="none of 0 functions"):
        publisher.solve(public, witness, asked, Secret(bytes(32)))
    assert not [*publisher.outcomes(public, witness, asked)]
    assert not publisher.disclosed(public, witness, asked, np.array([0, 0, 1, 1, 2, 2], dtype=np.int32)).holds


def test_rotation_takes_no_group_apart_into_groups_that_are_too_small():
    [rotation] = [part for part in PARTS if part.name == "rotation"]
    publisher = rotation.cls(
        partitions=((0, 0, 1, 1, 2, 2, 2, 2), (0, 0, 0, 0, 1, 1, 1, 1), (0,) * 8), refusal="safe"
    )
    public, witness = public_of_points([(row,) for row in range(8)]), Witness(pl.DataFrame({"ill": list("abcdabcd")}))
    smallest = {}
    for k in (2, 3):
        asked = together((KAnonymity(k), FrequencyDiversity(2)))
        smallest[k] = {np.bincount(each.group).min() for each, _ in publisher.outcomes(public, witness, asked)}
    assert smallest == {2: {2}, 3: {4}}
    whole = publisher.outcomes(public, witness, together((MuArgus(2), FrequencyDiversity(2))))
    assert [(each.group.max(), chance) for each, chance in whole] == [(0, 1)]


@pytest.mark.parametrize("refusal", ["plain", "safe"])
def test_groups_that_rotation_never_releases_are_not_said_to_be_safe(refusal):
    [rotation] = [part for part in PARTS if part.name == "rotation"]
    publisher = rotation.cls(partitions=SEQUENCES["nested"], refusal=refusal)
    public, witness = public_of_points(LINE), Witness(pl.DataFrame({"ill": list("abcabc")}))
    asked = MODELS["frequency"][0]
    for group, holds in (([0, 0, 1, 1, 1, 1], True), ([0, 0, 0, 1, 1, 1], False), ([0, 1, 1, 0, 0, 0], False)):
        assert publisher.disclosed(public, witness, asked, np.array(group, dtype=np.int32)).holds == holds
    failing = Witness(pl.DataFrame({"ill": list("aabcbc")}))
    assert not publisher.disclosed(public, failing, asked, np.array([0, 0, 1, 1, 1, 1], dtype=np.int32)).holds


@pytest.mark.parametrize(
    ("partitions", "table", "said"),
    [
        (((0, 0, 1, 1, 1), (0, 0, 0, 0, 0)), "aabbc", "may have a rotation"),
        (((0, 0, 1, 1), (0, 1, 1, 0)), "aabb", "does not contain the one before"),
        (((0, 0, 1, 1),), "aabb", "but none of 1 functions"),
    ],
    ids=["blocked", "not nested", "none holds"],
)
def test_rotation_says_why_nothing_is_released(partitions, table, said):
    [rotation] = [part for part in PARTS if part.name == "rotation"]
    witness = Witness(pl.DataFrame({"ill": list(table)}))
    public = public_of_points([(row,) for row in range(len(table))])
    with pytest.raises(GuaranteeError, match=said):
        rotation.cls(partitions=partitions).solve(public, witness, MODELS["frequency"][0], Secret(bytes([2]) * 32))
