"""Mondrian's cuts against the definition: near and far values, rows of one word and of several, persons, threads."""

from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from openveil.core import shares
from openveil.core.axis import Axis, Hierarchy, flat
from openveil.core.shares import in_shares, rows_in_shares
from openveil.core.table import Public
from openveil.requirements.k_anonymity import KAnonymity
from openveil.tools.cuts import MedianCuts, Widths, in_words
from oracles import asap
from oracles.points import rows_of

FAR = 2000
AXES = tuple(
    Hierarchy(axis, flat(axis)) for axis in (Axis(f"q{a}", pl.Series(f"q{a}", range(FAR + 1))) for a in range(11))
)


def public_of(table, persons=None):
    """The public part of a table whose numbers are its codes, on axes far longer than the table."""
    codes = np.array(table, dtype=np.uint16)
    known = None if persons is None else np.array(persons, dtype=np.int32)
    return Public(AXES[: codes.shape[1]], codes, (Fraction(1),) * codes.shape[1], known)


@st.composite
def points(draw):
    """Rows of up to eleven attributes, which take up to three words; values tie, or lie far apart."""
    attributes, widest = draw(st.sampled_from([1, 2, 4, 5, 11])), draw(st.sampled_from([1, 3, FAR]))
    row = st.lists(st.integers(0, widest), min_size=attributes, max_size=attributes)
    return draw(st.lists(row, min_size=1, max_size=40))


def cut_to_the_end(public, requirement, least, widths=Widths.RAW):
    cuts = MedianCuts(public, requirement, widths)
    while cuts.open:
        cuts.cut(np.full(cuts.open, least, dtype=np.int64))
    return cuts


def by_definition(table, least, admissible=lambda half: True):
    def cut(rows):
        for a in asap.by_width(table, rows):
            for halves in asap.sides(table, rows, a):
                if all(len(half) >= max(least, 1) and admissible(half) for half in halves):
                    return halves
        return None

    return asap.recursive(tuple(range(len(table))), cut)


def listed(groups):
    return sorted(tuple(sorted(group)) for group in groups)


@settings(max_examples=200)
@given(points(), st.integers(0, 5))
def test_groups_are_cut_at_the_median_of_the_widest_attribute(table, least):
    cuts = cut_to_the_end(public_of(table), KAnonymity(1), least)
    assert listed(rows_of(cuts.groups())) == listed(by_definition(table, least))


@settings(max_examples=200)
@given(points(), st.integers(2, 4), st.data())
def test_both_sides_have_enough_persons(table, needed, data):
    persons = data.draw(st.lists(st.integers(0, 6), min_size=len(table), max_size=len(table)))
    assume(len(set(persons)) >= needed)
    cuts = cut_to_the_end(public_of(table, persons), KAnonymity(needed), 1)
    enough = by_definition(table, 1, lambda half: len({persons[row] for row in half}) >= needed)
    assert listed(rows_of(cuts.groups())) == listed(enough)


@given(points(), st.integers(0, 3))
def test_sides_are_what_a_cut_makes_of_groups(table, least):
    cuts = MedianCuts(public_of(table), KAnonymity(1), Widths.RELATIVE)
    for _ in range(2):
        chosen, middle = cuts.chosen(np.full(cuts.open, least, dtype=np.int64), range(cuts.attributes))
        told = cuts.sides(chosen, middle)
        cuts.make(chosen, middle)
        assert (told == cuts.label()).all()


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32])
@pytest.mark.parametrize("attributes", [0, 1, 3, 8, 9])
def test_codes_in_words_are_the_codes(dtype, attributes):
    codes = np.random.default_rng(2).integers(0, 200, (7, attributes)).astype(dtype)
    words, copy = in_words(codes)
    assert (copy == codes).all()
    assert np.shares_memory(words, copy) or not attributes
    assert copy.dtype == dtype


@pytest.mark.parametrize("cores", [1, 2, 3, 5])
def test_groups_are_the_same_on_any_number_of_cores(monkeypatch, cores):
    rng = np.random.default_rng(3)
    public = public_of(rng.integers(0, 30, (3000, 3)).tolist(), rng.integers(0, 2000, 3000).tolist())
    alone = cut_to_the_end(public, KAnonymity(4), 4).groups()
    monkeypatch.setattr(shares, "WORKERS", cores)
    monkeypatch.setattr(shares, "_WORTH_A_THREAD", 1)
    assert (cut_to_the_end(public, KAnonymity(4), 4).groups() == alone).all()


@given(st.lists(st.integers(0, 9), max_size=12), st.integers(1, 4))
def test_shares_are_all_of_it_in_order(sizes, cores):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shares, "WORKERS", cores)
        patch.setattr(shares, "_WORTH_A_THREAD", 2)
        groups = in_shares(lambda share: list(range(len(sizes)))[share], np.array(sizes, dtype=np.int64))
        rows = rows_in_shares(lambda share: list(range(sum(sizes)))[share], sum(sizes))
    assert [group for share in groups for group in share] == list(range(len(sizes)))
    assert [row for share in rows for row in share] == list(range(sum(sizes)))


def test_an_error_on_another_core_is_raised(monkeypatch):
    monkeypatch.setattr(shares, "_WORTH_A_THREAD", 1)
    with pytest.raises(ZeroDivisionError):
        rows_in_shares(lambda share: 1 // (share.stop - 10), 10)
