"""Does the gate stop what no honest publisher hands to it, each thing by itself?"""

from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl
import pytest

from openveil.core.axis import Axis
from openveil.core.errors import GuaranteeError
from openveil.core.recoding import SUPPRESSED, Display, Recoding, Replaced, Scheme
from openveil.core.release import Evidence, Release, Tables, derivable
from openveil.core.schema import Column, Role, Schema
from openveil.core.secret import Secret
from openveil.core.witness import Slots, Witness
from openveil.requirements.distinct_l_diversity import DistinctDiversity
from openveil.requirements.frequency_l_diversity import FrequencyDiversity
from openveil.requirements.k_anonymity import KAnonymity
from openveil.tools.dealt import Dealt
from oracles.points import public_of_points

SCHEMA = Schema((Column("age", Role.QUASI), Column("ill", Role.SENSITIVE)))
AGES = Display(pl.Series(["young", "old"]), np.array([0, 1], np.int32), np.array([0, 1], np.int32))


def recoding(group, cells):
    return Recoding(np.array(group, np.int32), np.array(cells, np.int32), (AGES,))


def released(frame, decided, requirement, counts=None):
    return Release(Tables(frame, counts), SCHEMA, requirement, Evidence(decided, np.arange(len(decided.group))))


ALIKE = pl.DataFrame({"age": ["young"] * 4, "ill": ["flu", "cold", "flu", "flu"]})


@pytest.mark.parametrize(
    ("requirement", "fails", "holds"),
    [(KAnonymity(2), [0, 0, 0, 1], [0, 0, 1, 1]), (DistinctDiversity(2), [0, 1, 0, 1], [0, 0, 0, 0])],
)
def test_of_groups_that_are_shown_alike_each_must_hold(requirement, fails, holds):
    cells = [[0], [0]]
    assert released(ALIKE, recoding(holds, cells), requirement).classes.sizes.tolist() == [4]
    with pytest.raises(GuaranteeError, match="1 of 1 classes fail"):
        released(ALIKE, recoding(fails, cells), requirement)


ROWS = pl.DataFrame({"group": [1, 1, 2, 2], "age": ["young", "old", "young", "old"]})
COUNTS = pl.DataFrame({"group": [1, 1, 2, 2], "ill": ["flu", "cold", "flu", "asthma"], "count": [1, 1, 1, 1]})


def bucketised(counts):
    decided = replace(recoding([0, 0, 1, 1], [[0], [0]]), scheme=Scheme.BUCKETISATION)
    return released(ROWS, decided, DistinctDiversity(2), counts)


def test_two_tables_of_the_same_groups_pass():
    assert bucketised(COUNTS).classes.sizes.tolist() == [2, 2]


@pytest.mark.parametrize(
    "other",
    [
        COUNTS.with_columns(group=pl.Series([1, 1, 3, 3])),
        COUNTS.with_columns(count=pl.Series([2, 1, 1, 1])),
        COUNTS.with_columns(count=pl.Series([2, 1, 1, 0])),
        pl.concat([COUNTS, pl.DataFrame({"group": [1], "ill": ["cough"], "count": [0]})]),
        COUNTS.head(2),
    ],
    ids=["another group", "more values than rows", "moved to the other group", "a value nobody has", "a group less"],
)
def test_two_tables_that_speak_of_other_groups_are_stopped(other):
    with pytest.raises(GuaranteeError, match="do not speak of the same groups"):
        bucketised(other)


class SaysYes(KAnonymity):
    """k-anonymity that lets everything be published, and measures what it is."""

    def holds(self, classes):
        return np.ones(len(classes), dtype=np.bool_)


def test_what_is_measured_to_fail_is_stopped_whatever_the_answer_was():
    decided = recoding([0, 0, 0, 0], [[0]])
    assert released(ALIKE, decided, SaysYes(4)).classes.sizes.tolist() == [4]
    with pytest.raises(GuaranteeError, match="smallest class fails"):
        released(ALIKE, decided, SaysYes(5))


# Publishers that learn each row's value from an answer that no release of theirs shows.


def dealt_by_value(witness, strata):
    """One group of slots a value, so that who is drawn together has the same value."""
    bag = witness.tally(strata, 1)[-1]
    values = np.repeat(bag.values, bag.counts).astype(np.int32)
    return witness.deal(strata, Slots(strata, values, values), Secret(bytes(32)))


def run_of_each_value(witness, strata):
    """Every value is a run of its own."""
    axis = Axis("ill", witness.labels.cast(pl.String))
    return witness.runs(strata, np.ones((1, len(axis)), np.bool_), axis).first


@dataclass(frozen=True)
class FirstOfEachBucket(Dealt):
    """Anatomy that takes the first rows of the largest buckets, instead of any (l = 2)."""

    scheme: Scheme = Scheme.BUCKETISATION
    learns: object = field(kw_only=True)

    def settled(self, public, witness, requirement):
        return np.zeros(len(public), dtype=np.int32)

    def drawn(self, strata, witness, requirement, secret):
        values = self.learns(witness, strata)
        buckets = [list(np.flatnonzero(values == each)) for each in np.unique(values)]
        group = np.empty(len(strata), dtype=np.int32)
        for number in range(len(strata) // 2):
            for bucket in sorted(buckets, key=len, reverse=True)[:2]:
                group[bucket.pop(0)] = number
        return group


LETTERS = pl.DataFrame({"age": [1, 2, 3, 4], "ill": list("dbda")})


@pytest.mark.parametrize("learns", [dealt_by_value, run_of_each_value])
def test_a_method_that_learns_values_in_a_roundabout_way_is_stopped(learns):
    public, witness = public_of_points([(row,) for row in range(4)]), Witness(LETTERS.select("ill"))
    decided = FirstOfEachBucket(learns=learns).solve(public, witness, FrequencyDiversity(2), Secret(bytes(32)))
    assert decided.group.tolist() == [0, 1, 1, 0]
    rows = LETTERS.select("age").with_columns(group=pl.Series(decided.group + 1)).select("group", "age")
    counts = LETTERS.select(group=rows["group"], ill="ill", count=pl.lit(1))
    evidence = Evidence(decided, np.arange(4))
    passed = Release(Tables(rows, counts), SCHEMA, FrequencyDiversity(2), evidence)
    assert passed.classes.sizes.tolist() == [2, 2]
    with pytest.raises(GuaranteeError, match="1 not derivable"):
        Release(Tables(rows, counts), SCHEMA, FrequencyDiversity(2), replace(evidence, looks=witness.looks))


@pytest.mark.parametrize(("told", "shown", "hidden"), [("ab", "ab", 0), ("a", "ab", 1), ("ab", "a", 1)])
def test_runs_that_were_told_must_be_those_that_are_shown(told, shown, hidden):
    """Of two values, each a run (`a`) or both one run (`ab`)."""
    axis, label = Axis("ill", pl.Series(["a", "b"])), np.zeros(2, np.int32)
    starts = {"ab": np.array([[True, False]]), "a": np.array([[True, True]])}
    witness, other = Witness(pl.DataFrame({"ill": ["a", "b"]})), Witness(pl.DataFrame({"ill": ["a", "b"]}))
    witness.runs(label, starts[told], axis)
    replaced = Replaced.of_runs("ill", other.runs(label, starts[shown], axis))
    decided = replace(recoding([0, 0], [[0]]), replaced=(replaced,))
    assert derivable(Evidence(decided, np.arange(2), looks=witness.looks)).value == hidden


@pytest.mark.parametrize(("asked", "hidden"), [([0, 0, -1], 0), ([0, 0, 0], 1), ([0, 0, 1], 1), ([-1, -1, 0], 1)])
def test_no_look_may_be_at_rows_that_are_suppressed(asked, hidden):
    witness = Witness(pl.DataFrame({"ill": ["a", "b", "c"]}))
    witness.tally(np.array(asked, np.int32), 2)
    decided = recoding([0, 0, SUPPRESSED], [[0]])
    assert derivable(Evidence(decided, np.arange(2), looks=witness.looks)).value == hidden
