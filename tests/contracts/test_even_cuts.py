"""Does everyone keep the chances that the published group shows? Every arrangement of small tables, in fractions.

A reader knows the quasi-identifiers, the group of every person, and the method. Of even cuts each row must have each
combination of values with exactly its share in the group; of cuts that are not quite even it has not.
"""

from collections import defaultdict
from fractions import Fraction

import pytest

from openveil.core.witness import Witness
from openveil.requirements.frequency_l_diversity import FrequencyDiversity
from openveil.tools.cuts import MedianCuts, Widths
from openveil.tools.even_cuts import Asked, cut_evenly
from openveil.tools.every_draw import every_draw
from oracles import asap, even
from oracles.chance import columns_of
from oracles.points import public_of_points, rows_of

TWO = FrequencyDiversity(2)
LINE = [(row,) for row in range(12)]
PLANE = [(0, 3), (1, 0), (1, 2), (2, 1), (4, 2), (3, 0), (5, 3), (4, 1), (0, 0)]
TIES = [(1, 0), (1, 0), (2, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 0)]
TABLES = {
    "four": (LINE[:4], "aabb"),
    "five": (LINE[:5], "aabbc"),
    "five, ties": (TIES[:5], "aabbc"),
    "six": (PLANE[:6], "aabbcc"),
    "six, ties": (TIES[1:7], "aabbcd"),
    "seven": (PLANE[:7], "aaabbcd"),
    "eight": (LINE[:8], "aaabbbcc"),
    "two columns": (PLANE[:5], ("a+x", "a+y", "b+x", "b+z", "c+y")),
    "a chain": (LINE[:8], "aabbccdd"),
}
SLOW = {
    "nine": (PLANE, "aaaabbbcc"),
    "seven, ties": (TIES[:7], "aaabbcd"),
    "ten, two deep": (LINE[:10], "aaaaabbbbb"),
    "six, two columns": (PLANE[:6], ("a+x", "a+x", "b+x", "b+y", "c+y", "c+z")),
}
WRONG = {
    "uneven": (even.uneven, LINE[:5], "aabbc"),
    "by a coin": (even.by_a_coin, LINE[:5], "aabbc"),
    "swinging": (even.swinging, LINE[:5], "aabbc"),
    "told": (even.told, LINE[:5], "aabbc"),
    "twice": (even.twice, [*zip(range(8), (2, 3, 4, 5, 1, 0, 7, 6), strict=True)], "aaabbbcc"),
}


def every_table(points, bag, law=even.even):
    """By the definition, the chances of every arrangement; no group of fewer than two rows holds."""
    asked = even.frequency(2)
    return {table: even.chances(points, table, asked, law=law, fewest=2) for table in asap.arrangements(bag)}


@pytest.mark.parametrize(("points", "bag"), TABLES.values(), ids=TABLES)
def test_everyone_has_the_chances_that_the_group_shows(points, bag):
    assert even.telling(every_table(points, bag)) == 0


@pytest.mark.slow
@pytest.mark.parametrize(("points", "bag"), SLOW.values(), ids=SLOW)
def test_everyone_has_the_chances_that_the_group_shows_in_larger_tables(points, bag):
    assert even.telling(every_table(points, bag)) == 0


@pytest.mark.parametrize(("law", "points", "bag"), WRONG.values(), ids=WRONG)
def test_cuts_that_are_not_quite_even_are_found(law, points, bag):
    assert even.telling(every_table(points, bag, law)) > 0


def cut(points, values, requirement=TWO, persons=None):
    """What the tool makes of a table, and how likely."""
    public, witness = public_of_points(points, persons), Witness(columns_of(values))

    def run(secret):
        cuts = MedianCuts(public, requirement, Widths.RAW)
        return cut_evenly(cuts, Asked.of(requirement, witness), secret)

    found = defaultdict(Fraction)
    for group, chance in every_draw(run):
        found[asap.published(rows_of(group), values)] += chance
    assert sum(found.values()) == 1
    return dict(found)


@pytest.mark.parametrize("name", ["four", "five", "five, ties", "six, ties", "two columns"])
def test_the_tool_does_what_the_definition_says(name):
    points, bag = TABLES[name]
    for table, expected in every_table(points, bag).items():
        assert cut(points, table) == expected
