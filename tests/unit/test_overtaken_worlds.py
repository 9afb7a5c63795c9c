"""Are joint ways counted as they are listed?"""

from collections import Counter, defaultdict
from itertools import permutations, product

from hypothesis import given
from hypothesis import strategies as st

from openveil.tools.overtaken_worlds import Link, counted


@st.composite
def lines(draw):
    """Groups of two or three rows in a line, in the order of their first rows, and what each reaches past."""
    label = draw(st.permutations([number for number in range(4) for _ in range(draw(st.integers(2, 3)))]))
    groups = defaultdict(list)
    for row, number in enumerate(label):
        groups[number].append(row)
    ordered = sorted(groups.values())
    bags = [draw(st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows))) for rows in ordered]
    links = []
    for place, (rows, bag) in enumerate(zip(ordered, bags, strict=True)):
        later = [row for other in ordered[place + 1 :] for row in other if row < rows[-1]]
        passed = tuple(row for row in sorted(later) if draw(st.booleans()))
        links.append(Link(tuple(rows), sorted(set(permutations(bag))), passed))
    return links


def listed(links):
    """Every joint way in which each passed row has a value of a row of the group that stands before it."""
    for ways in product(*(link.ways for link in links)):
        world = {
            row: value
            for link, way in zip(links, ways, strict=True)
            for row, value in zip(link.rows, way, strict=True)
        }
        if all(world[row] in {world[own] for own in link.rows if own < row} for link in links for row in link.passed):
            yield world


@given(lines())
def test_they_are_counted_as_they_are_listed(links):
    worlds = list(listed(links))
    tally = counted(links, 10**6)
    assert tally.ways == len(worlds)
    if worlds:
        expected = {row: Counter(world[row] for world in worlds) for row in worlds[0]}
        assert {row: +Counter(values) for row, values in tally.rows.items()} == expected


@given(lines())
def test_too_few_steps_count_nothing(links):
    tally = counted(links, 1)
    assert tally.ways is None
    assert not tally.rows
