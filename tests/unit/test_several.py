"""Are functions that cross answered exactly on tables of many parts? Against going through what fails where."""

from collections import Counter
from fractions import Fraction
from itertools import chain

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openveil.disclosure import several
from openveil.disclosure.asking import Ratios
from openveil.disclosure.judgements import Regime
from openveil.disclosure.judging import judge
from openveil.requirements.distinct_l_diversity import DistinctDiversity
from openveil.requirements.frequency_l_diversity import FrequencyDiversity
from openveil.requirements.recursive_cl_diversity import RecursiveDiversity
from oracles import disclosure as oracle
from oracles.sequences import functions_of, image_of_table

MODELS = {
    "frequency 2": (FrequencyDiversity(2), oracle.frequency(2)),
    "recursive 2, 3": (RecursiveDiversity(Fraction(2), 3), oracle.recursive(Fraction(2), 3)),
    "distinct 3": (DistinctDiversity(3), lambda counts: sum(count > 0 for count in counts) >= 3),
}
# Parts of a few rows: the groups of each function, the last of which is released, and a table.
CROSSING = ([[[0, 1], [2, 3, 4, 5]], [[0, 2, 4], [1, 3, 5]], [[0, 1, 2, 3, 4, 5]]], "aabbcc")
TWO_GROUPS = ([[[0, 1, 2], [3, 4, 5]], [[0, 3], [1, 2, 4, 5]], [[0, 1, 3], [2, 4, 5]]], "abcabb")
# Someone's value can be told for certain.
TELLING = ([[[2, 5], [0, 1, 3, 4]], [[0, 2, 3, 4, 5], [1]], [[0, 1, 2, 3, 4, 5]]], "aabcde")
# What is told most surely is not the most frequent value.
RARER = ([[[0, 3], [1, 2, 4]], [[1, 4], [0, 2, 3]], [[0, 1, 2, 3, 4]]], "ddbca")
REACHING = ([[[0, 1], [2, 3, 4]], [[0, 3, 4], [1, 2]], [[0, 1, 2], [3, 4]]], "abcba")


def together(parts):
    """One table of several parts, side by side: the groups of each function, and the values."""
    starts = [0]
    for _, table in parts:
        starts.append(starts[-1] + len(table))
    listed = [
        [
            [row + start for row in group]
            for (functions, _), start in zip(parts, starts, strict=False)
            for group in functions[f]
        ]
        for f in range(len(parts[0][0]))
    ]
    return listed, "".join(table for _, table in parts)


def failing(part, chk):
    """Every table of a part, and which functions fail in it."""
    *earlier, last = part[0]
    for table in oracle.per(last, oracle.image(last, part[1])):
        bags = [[Counter(seen).values() for seen in oracle.image(function, table)] for function in earlier]
        yield table, frozenset(f for f, groups in enumerate(bags) if not all(chk(sorted(bag)) for bag in groups))


def in_all(several_parts):
    """How often which functions fail somewhere, when each part is filled by itself."""
    known = {frozenset(): 1}
    for part in several_parts:
        after = Counter()
        for before, number in known.items():
            for fails, ways in part.items():
                after[before | fails] += number * ways
        known = after
    return known


def told(parts, chk):
    """How many tables make no earlier function hold, and the chances of everyone in them."""
    every = frozenset(range(len(parts[0][0]) - 1))
    counts = [Counter(fails for _, fails in failing(part, chk)) for part in parts]
    chances = []
    for number, part in enumerate(parts):
        others = in_all(counts[:number] + counts[number + 1 :])
        rest = {fails: sum(n for each, n in others.items() if each | fails == every) for fails in counts[number]}
        for row in range(len(part[1])):
            having = Counter()
            for table, fails in failing(part, chk):
                having[table[row]] += rest[fails]
            chances.append(having)
    return in_all(counts).get(every, 0), in_all(counts).total(), chances


def compared(parts, asked, chk):
    listed, table = together(parts)
    functions = functions_of(listed)
    last = len(listed) - 1
    if not all(chk(sorted(Counter(seen).values())) for seen in oracle.image(listed[last], table)):
        return
    found = judge(functions, last, image_of_table(functions, last, table), Ratios((asked,)))
    size, total, chances = told(parts, chk)
    assert sum(found.groups.values()) == len(listed[last])
    assert set(found.groups) <= {Regime.SHOWN, Regime.INCLUDED, Regime.NOTHING}
    assert found.ruled_out == (1 - Fraction(size, total),) * 2
    assert found.holds == (size > 0 and all(chk(sorted(each.values())) for each in chances))
    if size:
        assert found.chance[1] == max(Fraction(max(each.values()), size) for each in chances)


@pytest.mark.parametrize(("asked", "chk"), MODELS.values(), ids=MODELS)
@pytest.mark.parametrize(
    "parts",
    [
        [CROSSING] * 20,
        [TWO_GROUPS] * 12 + [REACHING] * 9,
        [CROSSING] * 7 + [TWO_GROUPS] * 8 + [REACHING] * 5,
        [TELLING],
        [TELLING, TWO_GROUPS],
        [RARER],
    ],
    ids=["alike", "two kinds", "three kinds", "telling", "telling beside another", "rarer"],
)
def test_tables_of_many_parts_are_answered_exactly(parts, asked, chk):
    compared(parts, asked, chk)


def groups_of(label):
    return [[row for row, each in enumerate(label) if each == group] for group in sorted(set(label))]


@st.composite
def generated(draw):
    """A few kinds of parts, with functions that cross, each several times."""
    kinds = []
    for _ in range(draw(st.integers(1, 2))):
        rows = draw(st.integers(3, 6))
        labels = [draw(st.lists(st.integers(0, 1), min_size=rows, max_size=rows)) for _ in range(3)]
        kinds.append(([groups_of(each) for each in labels], "".join(draw(st.permutations("abcadb"[:rows])))))
    return [*chain.from_iterable([kind] * draw(st.integers(1, 4)) for kind in kinds)]


@pytest.mark.parametrize(("asked", "chk"), MODELS.values(), ids=MODELS)
@settings(max_examples=150, deadline=None)
@given(parts=generated())
def test_generated_parts_side_by_side_are_answered_exactly(parts, asked, chk):
    compared(parts, asked, chk)


def test_parts_that_are_alike_are_counted_once(monkeypatch):
    counted = []
    monkeypatch.setattr(several, "counted", lambda part, *others: counted.append(part) or counting(part, *others))
    from openveil.disclosure.counting import counted as counting

    mirrored = ([[[2, 3, 4, 5], [0, 1]], [[1, 3, 5], [0, 2, 4]], [[0, 1, 2, 3, 4, 5]]], "ccbbaa")
    compared([CROSSING] * 10 + [mirrored] * 10, *MODELS["frequency 2"])
    assert len(counted) == 4


def test_one_part_that_takes_too_many_steps_leaves_it_undecided():
    rows = 120
    label = [[row % 7 for row in range(rows)], [row * 5 % 11 for row in range(rows)], [0] * rows]
    functions = functions_of([groups_of(each) for each in label])
    found = judge(functions, 2, image_of_table(functions, 2, "abcde" * 24), Ratios((FrequencyDiversity(2),)))
    assert not any(regime.exact for regime in found.groups)
