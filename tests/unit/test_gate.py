"""Does the gate stop what no honest publisher hands to it, each thing by itself?"""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from openveil.core.errors import GuaranteeError
from openveil.core.recoding import Display, Recoding, Scheme
from openveil.core.release import Evidence, Release, Tables
from openveil.core.schema import Column, Role, Schema
from openveil.requirements.distinct_l_diversity import DistinctDiversity
from openveil.requirements.k_anonymity import KAnonymity

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
