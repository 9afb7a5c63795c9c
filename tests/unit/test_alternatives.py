"""Are cells that name several values read as each of them in equal parts, and is what is asked of runs answered?"""

from collections import Counter, defaultdict
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openveil.core.alternatives import OR, Readable, named
from openveil.core.axis import Axis
from openveil.core.errors import RequestError
from openveil.core.requirement import enough
from openveil.core.witness import TOGETHER, Witness
from openveil.requirements.m_confidentiality import MConfidentiality

VALUES = "abcde"
cells = st.one_of(st.none(), st.lists(st.sampled_from(VALUES), min_size=1, max_size=5, unique=True).map(OR.join))
rows = st.lists(st.tuples(cells, st.sampled_from("xyz"), st.integers(0, 2)), min_size=1, max_size=12)


def shares(drawn, of):
    """How many rows of each class count for each value, from the definition."""
    found = defaultdict(Counter)
    for cell, job, home in drawn:
        alternatives = [None] if cell is None else cell.split(OR)
        for value in alternatives:
            found[home][of(value, job)] += Fraction(1, len(alternatives))
    return found


VIEWS = {
    "ill": lambda value, job: (value,),
    "job": lambda value, job: (job,),
    TOGETHER: lambda value, job: (value, job),
}


@given(drawn=rows)
def test_a_row_counts_in_equal_parts_in_every_view(drawn):
    frame = pl.DataFrame(
        {"ill": [row[0] for row in drawn], "job": [row[1] for row in drawn]}, schema_overrides={"ill": pl.String}
    )
    home = np.array([row[2] for row in drawn], dtype=np.int32)
    read = Readable(frame, {"ill"})
    for bags in read.bags(home, 3):
        texts, expected = read.names[bags.view], shares(drawn, VIEWS[bags.view])
        for group in range(3):
            here = slice(bags.starts[group], bags.starts[group + 1])
            found = {texts[v]: int(c) for v, c in zip(bags.values[here], bags.counts[here], strict=True)}
            size = int(bags.sizes[group])
            size_of_class = sum(row[2] == group for row in drawn)
            assert {text: Fraction(c, size) for text, c in found.items()} == {
                text: part / size_of_class for text, part in expected[group].items()
            }


@given(drawn=rows, m=st.integers(2, 3), listed=st.lists(st.sampled_from(VALUES), max_size=2, unique=True))
def test_a_model_is_asked_about_values_not_labels(drawn, m, listed):
    read = Readable(pl.DataFrame({"ill": [row[0] for row in drawn]}, {"ill": pl.String}), {"ill"})
    [bags] = read.bags(np.zeros(len(drawn), dtype=np.int32), 1)
    [(_, counted)] = shares([(cell, job, 0) for cell, job, _ in drawn], VIEWS["ill"]).items()
    exposed = sum(counted[(value,)] for value in listed) if listed else max(counted.values())
    asked = MConfidentiality(m, tuple(listed)).for_values(read.names)
    assert enough(asked, [bags]).tolist() == [exposed * m <= len(drawn)]


def test_a_column_that_was_not_made_coarser_keeps_its_bars():
    frame = pl.DataFrame({"ill": ["a | b", "a | b", "a", "b"]})
    home = np.zeros(4, dtype=np.int32)
    assert [bags.largest.tolist() for bags in Readable(frame).bags(home, 1)] == [[2]]
    [coarser] = Readable(frame, {"ill"}).bags(home, 1)
    assert (coarser.largest / coarser.sizes).tolist() == [0.5]


def test_cells_that_cannot_be_counted_exactly_are_refused():
    primes = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53)
    frame = pl.DataFrame({"ill": [OR.join(f"{number} of {prime}" for number in range(prime)) for prime in primes]})
    with pytest.raises(RequestError, match="cannot be told exactly"):
        Readable(frame, {"ill"}).bags(np.zeros(len(primes), dtype=np.int32), 1)


def test_a_witness_counts_runs_and_says_whose():
    witness = Witness(pl.DataFrame({"ill": list("cabdac")}))
    axis = Axis("domain", pl.Series(["d", "c", "b", "a", "z"]))
    label = np.array([0, 0, 1, 1, -1, 1], dtype=np.int32)
    starts = np.array([[True, False, True, True, False], [True, True, False, False, True]])
    assert witness.tally_runs(label, starts, axis).tolist() == [[1, 0, 0, 1, 0], [1, 2, 0, 0, 0]]
    runs = witness.runs(label, starts, axis)
    assert list(zip(runs.first.tolist(), runs.last.tolist(), strict=True)) == [
        (0, 1),
        (3, 4),
        (1, 3),
        (0, 0),
        (-1, -1),
        (1, 3),
    ]
    assert named(axis.labels, runs.first[:2], runs.last[:2]).to_list() == ["d | c", "a | z"]
    assert len(witness.looks) == 2
    assert witness.strangers(Axis("domain", pl.Series(["a", "b"]))) == 3
    with pytest.raises(ValueError, match="not on the axis"):
        witness.tally_runs(label, starts, Axis("domain", pl.Series(["a", "b"])))
