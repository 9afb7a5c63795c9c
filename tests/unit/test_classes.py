"""Folding and lifting against counting by hand with dictionaries."""

from collections import Counter, defaultdict

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from openveil.core.classes import Classes


@st.composite
def tables(draw):
    width = draw(st.integers(1, 4))
    # A huge radix makes the key of a tuple need several words.
    radixes = draw(st.lists(st.sampled_from([1, 2, 3, 200, 60_000]), min_size=width, max_size=width))
    rows = draw(st.integers(0, 30))
    cells = [[draw(st.integers(0, min(radix, 4) - 1)) * (radix // 4 or 1) for radix in radixes] for _ in range(rows)]
    codes = np.array(cells, dtype=np.uint16).reshape(rows, width)
    coarser = [np.array([draw(st.integers(0, 2)) for _ in range(min(radix, 8))]) for radix in radixes]
    maps = [np.resize(part, radix).astype(np.int32) for part, radix in zip(coarser, radixes, strict=True)]
    persons = np.array([draw(st.integers(0, 5)) for _ in range(rows)], dtype=np.int32)
    return codes, radixes, maps, persons


def by_hand(codes, persons):
    sizes, crowds = Counter(), defaultdict(set)
    for row, person in zip(map(tuple, codes.tolist()), persons.tolist(), strict=True):
        sizes[row] += 1
        crowds[row].add(person)
    return {row: (size, len(crowds[row])) for row, size in sizes.items()}


def told(classes):
    rows = map(tuple, classes.tuples.tolist())
    return dict(zip(rows, zip(classes.sizes.tolist(), classes.persons.tolist(), strict=True), strict=True))


@given(tables())
def test_rows_fold_into_their_distinct_tuples(table):
    codes, radixes, _, persons = table
    classes, home = Classes.of_rows(codes, radixes, persons)
    assert told(classes) == by_hand(codes, persons)
    assert np.array_equal(classes.tuples[home], codes)


@given(tables())
def test_lifting_classes_equals_lifting_rows(table):
    codes, radixes, maps, persons = table
    classes, _ = Classes.of_rows(codes, radixes, persons)
    lifted = np.stack([maps[a][codes[:, a]] for a in range(len(maps))], axis=1)
    assert told(classes.lift(maps)) == by_hand(lifted, persons)


@given(tables())
def test_without_a_person_column_every_row_is_a_person(table):
    codes, radixes, maps, _ = table
    lifted = Classes.of_rows(codes, radixes)[0].lift(maps)
    assert np.array_equal(lifted.persons, lifted.sizes)


def test_keys_wider_than_a_word_stay_exact():
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 3, (400, 12)).astype(np.uint16) * 21_845
    classes, home = Classes.of_rows(codes, [65_536] * 12)
    distinct, inverse = np.unique(codes, axis=0, return_inverse=True)
    assert len(classes) == len(distinct)
    assert sorted(classes.sizes) == sorted(np.bincount(inverse.ravel()))
    assert np.array_equal(classes.tuples[home], codes)


def test_a_table_without_quasi_identifiers_is_one_class():
    classes, _ = Classes.of_rows(np.empty((5, 0), dtype=np.uint8), [])
    assert classes.sizes.tolist() == [5]


@given(tables())
def test_the_class_of_every_base_tuple_is_known_after_any_climb(table):
    codes, radixes, maps, persons = table
    classes, home = Classes.of_rows(codes, radixes, persons)
    alone, _ = Classes.of_rows(codes, radixes)
    lifted = np.stack([maps[a][codes[:, a]] for a in range(len(maps))], axis=1)
    to_one = [np.zeros_like(part) for part in maps]
    for climbed in (classes.lift(maps), alone.lift(maps)):
        assert np.array_equal(climbed.tuples[climbed.label[home]], lifted)
        assert np.array_equal(climbed.lift(to_one).label[home], np.zeros(len(codes)))


@given(tables())
def test_climbing_in_two_steps_numbers_the_classes_as_one_step_does(table):
    codes, radixes, maps, _ = table
    classes, home = Classes.of_rows(codes, radixes)
    far = [part * 0 if a % 2 else part // 2 for a, part in enumerate(maps)]
    twice, once = classes.lift(maps).lift(far), classes.lift(far)
    assert np.array_equal(twice.label, once.label)
    assert np.array_equal(twice.firsts, once.firsts)
    assert np.array_equal(np.bincount(twice.label[home], minlength=len(twice)), twice.sizes)


@given(tables(), st.data())
def test_keeping_classes_equals_keeping_their_rows(table, data):
    codes, radixes, maps, persons = table
    classes, home = Classes.of_rows(codes, radixes, persons)
    lifted = classes.lift(maps)
    kept = np.array(data.draw(st.lists(st.booleans(), min_size=len(lifted), max_size=len(lifted))), dtype=bool)
    rows = kept[lifted.label[home]] if len(codes) else np.empty(0, dtype=bool)
    coarse = np.stack([maps[a][codes[:, a]] for a in range(len(maps))], axis=1)
    left = lifted.keep(kept)
    assert told(left) == by_hand(coarse[rows], persons[rows])
    assert told(left.lift(maps)) == told(left)
