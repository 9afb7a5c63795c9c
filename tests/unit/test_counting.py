"""Does counting say what listing every table says?"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openveil.disclosure.counting import Counted, Part, counted, flattest, possible
from openveil.disclosure.failures import learned
from openveil.disclosure.rare import at_most, cap
from oracles import disclosure as oracle

CHECKS = {
    "frequency 2": oracle.frequency(2),
    "frequency 3": oracle.frequency(3),
    "recursive 2, 2": oracle.recursive(Fraction(2), 2),
    "recursive 1, 3": oracle.recursive(Fraction(1), 3),
    "entropy 2": oracle.entropy(Fraction(2)),
}
VALUES = "abcd"


@st.composite
def parts(draw, nested):
    """Atoms of one or a few rows in one or two published groups, and sets of atoms that are tested."""
    homes = 1 if nested else draw(st.integers(1, 2))
    atoms = draw(st.lists(st.tuples(st.integers(1, 3), st.integers(0, homes - 1)), min_size=1, max_size=3))
    home = tuple(sorted(home for _, home in atoms))
    home = tuple(sorted(set(home)).index(each) for each in home)
    sizes = tuple(size for size, _ in atoms)
    bags = []
    for group in range(max(home) + 1):
        rows = sum(size for size, where in zip(sizes, home, strict=True) if where == group)
        values = draw(st.lists(st.sampled_from(VALUES), min_size=rows, max_size=rows))
        bags.append(tuple(values.count(v) for v in VALUES))
    every = range(len(sizes))
    if nested:
        tested = tuple((a,) for a in draw(st.sets(st.sampled_from(every))))
    else:
        several = st.sets(st.sampled_from(every), min_size=1).map(lambda each: tuple(sorted(each)))
        tested = tuple(draw(st.lists(several, max_size=3)))
    return Part(sizes, home, tuple(bags), tested)


def listed(part, check):
    """The same, by going through every table."""
    places, atom_of = [[] for _ in part.bags], []
    for a, size in enumerate(part.atoms):
        for _ in range(size):
            places[part.home[a]].append(len(atom_of))
            atom_of.append(a)
    seen = [tuple(v for v, n in zip(VALUES, bag, strict=True) for _ in range(n)) for bag in part.bags]
    tables = oracle.per(places, seen)
    kept = []
    for table in tables:
        rows = [[value for value, a in zip(table, atom_of, strict=True) if a in atoms] for atoms in part.tested]
        if all(check(sorted(oracle.counts_of([(v,) for v in row], 0).values())) for row in rows):
            kept.append(table)
    at = tuple(tuple(oracle.counts_of(kept, atom_of.index(a))[v] for v in VALUES) for a in range(len(part.atoms)))
    return Counted(len(tables), len(kept), at)


@dataclass(frozen=True)
class Asked:
    check: oracle.Check
    cap: Callable[[int], int] | None = None

    def permits(self, counts):
        return self.check([count for count in counts if count] or [0])

    def most(self, rows):
        return None if self.cap is None else self.cap(rows)


ASKED = {name: Asked(check) for name, check in CHECKS.items()} | {
    "frequency 2, capped": Asked(oracle.frequency(2), lambda rows: rows // 2),
    "recursive 2, 2, capped": Asked(oracle.recursive(Fraction(2), 2), lambda rows: (2 * rows - 1) // 3),
}


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
@pytest.mark.parametrize("nested", [True, False])
@settings(max_examples=40)
@given(data=st.data())
def test_counting_equals_listing(nested, asked, data):
    part = data.draw(parts(nested))
    assert counted(part, asked) == listed(part, asked.check)


def test_a_group_is_counted_alike_value_by_value_and_atom_by_atom():
    capped = ASKED["frequency 2, capped"]
    part = Part((6, 5, 4), (0, 0, 0), ((5, 4, 3, 2, 1),), ((0,), (2,)))
    assert len(set(part.bags[0])) > len(part.atoms)
    assert counted(part, capped) == counted(part, ASKED["frequency 2"])


def test_a_large_group_of_few_atoms_is_counted():
    counts = tuple(range(3, 17))
    part = Part((60, 73), (0, 0), (counts,), ((0,), (1,)))
    found = counted(part, Asked(oracle.frequency(6), lambda rows: rows // 6))
    assert 0 < found.kept < found.total
    assert sum(found.at[0]) == found.kept


@given(st.lists(st.integers(0, 4), min_size=1, max_size=4), st.data())
def test_if_the_flattest_part_fails_every_part_does(bag, data):
    size = data.draw(st.integers(0, sum(bag)))
    asked = data.draw(st.sampled_from([*ASKED.values()]))
    flat = flattest(bag, size)
    assert sum(flat) == size
    assert all(taken <= there for taken, there in zip(flat, bag, strict=True))
    if size:
        rows = [row for row in product(*(range(count + 1) for count in bag)) if sum(row) == size]
        assert possible(bag, size, asked) == any(asked.permits(row) for row in rows)


def test_what_takes_too_many_steps_is_not_told():
    bag = tuple(range(1, 20))
    part = Part((7,) * 27 + (1,), (0,) * 28, (bag,), tuple((a,) for a in range(27)))
    assert counted(part, ASKED["frequency 2"]) is None


@pytest.mark.parametrize("bag", [(2000, 2000, 1100, 1000), (150, 150, 150, 150)])
def test_many_rows_of_equally_frequent_values_are_too_many_steps(bag):
    half = sum(bag) // 2
    part = Part((half - 1, sum(bag) - half + 1), (0, 0), (bag,), ((0,), (1,)))
    assert counted(part, ASKED["entropy 2"]) is None


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
@settings(max_examples=60)
@given(data=st.data())
def test_a_bound_is_no_less_than_what_is_counted(asked, data):
    part = data.draw(parts(nested=True))
    found = counted(part, asked)
    assert Fraction(found.kept, found.total) <= at_most(part, asked) <= 1


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
@given(size=st.integers(1, 9), values=st.integers(1, 4))
def test_the_cap_is_how_often_a_value_occurs_at_most_in_rows_that_hold(asked, size, values):
    rows = [row for row in product(range(size + 1), repeat=values) if sum(row) == size and asked.permits(row)]
    assert cap(size, values, asked) >= max((max(row) for row in rows), default=0)


def test_many_atoms_that_may_each_fail_hardly_ever_hold_all():
    part = Part((10,) * 400, (0,) * 400, ((1500, 1500, 1000),), tuple((a,) for a in range(400)))
    assert counted(part, ASKED["frequency 2"]) is None
    assert 0 < at_most(part, ASKED["frequency 2"]) < Fraction(1, 2**64)


def test_the_bound_is_close_where_atoms_are_many():
    part = Part((4,) * 12, (0,) * 12, ((16, 16, 16),), tuple((a,) for a in range(12)))
    found = counted(part, ASKED["frequency 2"])
    assert found is not None
    bound = at_most(part, ASKED["frequency 2"])
    assert Fraction(found.kept, found.total) <= bound <= 100 * Fraction(found.kept, found.total)


def shapes():
    """Small parts of two or three atoms, of equal and of unequal sizes, with bags that are even and that are not."""
    for atoms in ((2, 4), (2, 2, 2), (3, 5), (2, 3, 3), (4, 4)):
        rows = sum(atoms)
        for bag in product(range(1, rows), repeat=3):
            if sum(bag) == rows and bag == tuple(sorted(bag, reverse=True)):
                yield Part(atoms, (0,) * len(atoms), (bag,), tuple((a,) for a in range(len(atoms))))

    # A failure is rare here, and mostly that of the most frequent value in the smaller atom.
    for atoms, bag in product(((4, 20), (6, 18), (5, 8, 11)), ((9, 5, 5, 5), (8, 8, 4, 4), (10, 6, 4, 4))):
        yield Part(atoms, (0,) * len(atoms), (bag,), tuple((a,) for a in range(len(atoms))))


@pytest.mark.parametrize("name", ["frequency 2, capped", "recursive 2, 2, capped"])
@pytest.mark.parametrize("number", [1, 3])
def test_what_failures_tell_is_no_more_than_the_bound(name, number):
    """Equal parts, of which at least one fails: chances by counting, against their bound."""
    asked, compared = ASKED[name], 0
    for part in shapes():
        found, bound = counted(part, asked), learned({part: number}, asked)
        failing = found.total**number - found.kept**number
        if not failing:
            continue
        compared += 1
        for atom, row in enumerate(found.at):
            chances = [
                found.total ** (number - 1) * found.total * count // sum(part.bags[0])
                - found.kept ** (number - 1) * there
                for count, there in zip(part.bags[0], row, strict=True)
            ]
            assert sum(chances) == failing, atom
            assert Fraction(max(chances), failing) <= Fraction(bound.chance[part])
            assert asked.permits(chances) or not bound.permitted[part]
    assert compared > 5
