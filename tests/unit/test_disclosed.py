"""Does the gate hold a method that is safe by its disclosure set to what it says of it?"""

from dataclasses import dataclass

import numpy as np
import polars as pl
import pytest

import openveil
from openveil.core.axis import Axis
from openveil.core.disclosed import DISCLOSURE_SET, UNACCOUNTED, Disclosed
from openveil.core.errors import GuaranteeError
from openveil.core.finding import Verdict
from openveil.core.release import LOOKS
from openveil.core.secret import Secret
from openveil.core.witness import Witness
from openveil.publishers.exclusive import Exclusive
from openveil.publishers.mondrian_even import MondrianEven
from openveil.requirements.frequency_l_diversity import FrequencyDiversity
from openveil.workflow.plan import Plan
from openveil.workflow.replay import disclosed
from oracles.points import public_of_points

ALL, HALVES, ODD = (np.array(each, dtype=np.int32) for each in ([0] * 4, [0, 0, 1, 1], [0, 1, 0, 1]))
VALUES = pl.DataFrame({"ill": list("abab")})


def looks_at(*labels):
    witness = Witness(VALUES)
    for label in labels:
        witness.tally(label, int(label.max()) + 1)
    return witness.looks


@pytest.mark.parametrize(
    ("functions", "strange"), [((ALL, HALVES), 1), ((ALL, HALVES, ODD), 0), ((ALL,), 2)], ids=["one", "none", "two"]
)
def test_looks_are_accounted_for_by_the_functions_of_the_sequence_alone(functions, strange):
    said = Disclosed(holds=True, functions=functions, note="")
    answer, looks = said.told(looks_at(ALL, HALVES, ODD))
    assert (answer.name, answer.on) == DISCLOSURE_SET
    assert answer.verdict is Verdict.HOLDS
    assert (looks.name, looks.on) == UNACCOUNTED
    assert looks.value == strange
    assert looks.verdict is (Verdict.FAILS if strange else Verdict.HOLDS)


WHOLE, OTHER = np.zeros(7, dtype=np.int32), np.array([0, 0, 0, 0, 0, 1, 1], dtype=np.int32)
IN_TWO = np.array([0, 0, 0, 0, 1, 1, 1, 1], dtype=np.int32)
IN_THREE = np.array([0, 0, 1, 1, 2, 2, 2], dtype=np.int32)
SEVERAL = np.array([0, 1, 1, 0, 0, 0, 2, 2], dtype=np.int32)
IN_HALVES = {
    "none": (WHOLE, [], 0),
    "even": (OTHER, [[0, 0, 0, 1, 1, -1, -1]], 0),
    "two groups at once": (OTHER, [[0, 1, 0, 1, 0, 2, 3]], 0),
    "another group whole": (OTHER, [[0, 1, 0, 1, 0, 2, 2]], 0),
    "uneven": (WHOLE, [[0, 0, 1, 1, 1, 1, 1]], 1),
    "twice": (WHOLE, [[0, 0, 0, 1, 1, 1, 1], [1, 0, 0, 0, 1, 1, 1]], 1),
    "twice, the same": (WHOLE, [[0, 0, 0, 1, 1, 1, 1], [3, 3, 3, 2, 2, 2, 2]], 0),
    "shared by several groups": (SEVERAL, [[0, 0, 1, 0, 1, 1, 0, 1]], 0),
    "shared by several groups, and two of them": (
        SEVERAL,
        [[0, 0, 1, 0, 1, 1, 0, 1], [0, -1, -1, 0, 1, 1, -1, -1]],
        0,
    ),
    "shared otherwise": (SEVERAL, [[0, 0, 1, 0, 1, 1, 0, 1], [0, 0, 1, 1, 0, 1, 0, 1]], 1),
    "shared unevenly": (IN_TWO, [[0, 0, 0, 1, 0, 1, 1, 1]], 1),
    "shared by two pairs": (SEVERAL, [[0, 0, 1, 0, 2, 3, 2, 3]], 1),
    "two pairs": (SEVERAL, [[0, 2, 3, 0, 1, 1, 2, 3]], 0),
    "with a group that is whole": (SEVERAL, [[0, 0, 1, 0, 1, 1, 0, 0]], 1),
    "uneven, of several groups": (IN_THREE, [[0, 1, 0, 1, 0, 1, 1]], 1),
    "twice, of two groups": (OTHER, [[0, 0, 0, 1, 1, -1, -1], [0, 0, 0, 0, 0, 1, 2]], 0),
    "in three": (WHOLE, [[0, 0, 0, 1, 1, 2, 2]], 1),
    "a half only": (WHOLE, [[0, 0, 0, 0, -1, -1, -1]], 1),
    "with another group": (OTHER, [[0, 0, 0, 1, 1, 1, 1]], 1),
    "with a part of another group": (OTHER, [[0, 0, 0, 1, 1, 1, 2]], 1),
}


@pytest.mark.parametrize(("group", "labels", "strange"), IN_HALVES.values(), ids=IN_HALVES)
def test_looks_at_halves_are_accounted_for_once_a_group_and_if_they_are_even(group, labels, strange):
    witness = Witness(pl.DataFrame({"ill": list("abababab")[: len(group)]}))
    for label in labels:
        witness.tally(np.array(label, dtype=np.int32), max(label) + 1)
    _, looks = Disclosed(holds=True, functions=(), note="", halved=group).told(witness.looks)
    assert looks.value == strange
    _, of_functions = Disclosed(holds=True, functions=(group,), note="").told(witness.looks)
    assert of_functions.value == len(labels)


@pytest.mark.parametrize(("question", "strange"), [("tally_runs", 0), ("runs", 1)])
def test_looks_at_halves_may_be_about_runs_of_values_and_tell_nothing_of_single_rows(question, strange):
    """Whether the values of a run may be told apart is the gate's to ask (`parts_a_run`)."""
    witness = Witness(pl.DataFrame({"ill": list("ab")}))
    rows = np.arange(2, dtype=np.int32)
    witness.tally(rows, 2)
    getattr(witness, question)(rows, np.array([[True, True]]), Axis("ill", pl.Series(["a", "b"])))
    _, looks = Disclosed(holds=True, functions=(), note="", halved=np.zeros(2, dtype=np.int32)).told(witness.looks)
    assert looks.value == strange


@dataclass(frozen=True)
class Twice(MondrianEven):
    """Looks at other halves of the groups in the end."""

    def solve(self, public, witness, requirement, secret):
        recoding = super().solve(public, witness, requirement, secret)
        witness.tally((np.arange(len(public)) % 2 + 2 * recoding.group).astype(np.int32), 2 * len(recoding.cells))
        return recoding


@dataclass(frozen=True)
class Unequal(MondrianEven):
    """Looks at the first row of every group."""

    def solve(self, public, witness, requirement, secret):
        recoding = super().solve(public, witness, requirement, secret)
        first = np.zeros(len(public), dtype=np.int32)
        first[np.unique(recoding.group, return_index=True)[1]] = 1
        witness.tally((first + 2 * recoding.group).astype(np.int32), 2 * len(recoding.cells))
        return recoding


@dataclass(frozen=True)
class Nosy(Exclusive):
    """Looks at rows that its disclosure set does not speak of."""

    def outcome(self, sequence, witness, asked, secret):
        witness.tally((np.arange(len(sequence.public)) % 2).astype(np.int32), 2)
        return super().outcome(sequence, witness, asked, secret)


@dataclass(frozen=True)
class Peeking(Exclusive):
    """Works its disclosure set out from more than the published groups."""

    def disclosed(self, public, witness, requirement, group):
        witness.values(np.arange(len(public), dtype=np.int32))
        return super().disclosed(public, witness, requirement, group)


@dataclass(frozen=True)
class Careless(Exclusive):
    """Does not say that its disclosure set holds."""

    def disclosed(self, public, witness, requirement, group):
        return Disclosed(holds=False, functions=(group,), note="it does not hold")


FRAME = pl.DataFrame({"age": [*range(8)], "ill": list("abcdabcd")})
PLAN = {
    "columns": {
        "age": {"role": "quasi-identifier", "hierarchy": {"kind": "suppression"}},
        "ill": {"role": "sensitive"},
    },
    "privacy": {"frequency-l-diversity": {"l": 2}},
    "method": {"name": "exclusive", "partitions": [[0, 0, 0, 0, 1, 1, 1, 1], [0] * 8]},
}


@pytest.mark.parametrize("method", [Nosy, Peeking, Careless])
def test_a_method_that_is_not_what_it_says_is_refused(method, monkeypatch):
    assert openveil.publish(FRAME, PLAN).release.findings
    partitions = tuple(map(tuple, PLAN["method"]["partitions"]))
    monkeypatch.setattr(Plan, "publisher", property(lambda plan: method(partitions=partitions)))
    with pytest.raises(GuaranteeError, match="defect of the method"):
        openveil.publish(FRAME, PLAN)


@pytest.mark.parametrize("method", [Twice, Unequal])
def test_even_cuts_that_are_not_what_they_say_are_refused(method, monkeypatch):
    frame = pl.DataFrame({"age": [*range(8)], "ill": list("aaaabbbb")})
    plan = {**PLAN, "method": "mondrian-even"}
    told = openveil.publish(frame, plan).release.findings
    assert [each.value for each in told if (each.name, each.on) == UNACCOUNTED] == [0]
    assert [each.value for each in told if (each.name, each.on) == LOOKS] == [1]
    monkeypatch.setattr(Plan, "publisher", property(lambda plan: method()))
    with pytest.raises(GuaranteeError, match="defect of the method"):
        openveil.publish(frame, plan)


def test_what_is_said_is_worked_out_with_values_in_another_order():
    public, asked = public_of_points([(row,) for row in range(8)]), FrequencyDiversity(2)
    witness = Witness(FRAME.select("ill"))
    method = Exclusive(partitions=((0, 0, 0, 0, 1, 1, 1, 1), (0,) * 8))
    group = method.solve(public, witness, asked, Secret.fresh()).group
    before = len(witness.looks)
    assert disclosed(method, public, witness, asked, group).holds
    assert not disclosed(Peeking(partitions=method.partitions), public, witness, asked, group).holds
    assert len(witness.looks) == before
