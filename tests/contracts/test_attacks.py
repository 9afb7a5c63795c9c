"""What every registered attack must do; a new one is tested by being registered and having an example.

An example is a release with a leak the attack has to find, and a twin without it.
"""

import dataclasses
import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain

import polars as pl
import pytest

from openveil.core.attack import COST, EXPOSED, Target
from openveil.core.finding import Verdict
from openveil.core.parameters import built
from openveil.core.registry import Kind, discover, find
from openveil.requirements.frequency_l_diversity import FrequencyDiversity
from openveil.requirements.k_anonymity import KAnonymity
from openveil.requirements.m_confidentiality import MConfidentiality
from oracles.ranked import solved
from oracles.targets import ILL, target_of, with_outsiders

# No text of openveil's own has any of these in it.
VALUES = tuple(f"zq{number}x" for number in range(10, 20))


@dataclass(frozen=True)
class Example:
    """The parameters of an attack, a release with a leak and its twin; `files` are written before, by name."""

    parameters: dict[str, object]
    leak: Callable[[], Target]
    twin: Callable[[], Target]
    files: Callable[[], dict[str, pl.DataFrame]] = dict


def in_blocks(blocks, requirement):
    """Rows in blocks of equal places, each a group, with these values."""
    places = [number for number, values in enumerate(blocks) for _ in values]
    return target_of(places, list(chain.from_iterable(blocks)), places, requirement)


def mixed(number=12):
    return [list(VALUES[:5]) for _ in range(number)]


def homogeneous():
    return in_blocks([[VALUES[number % 5]] * 5 for number in range(12)], FrequencyDiversity(2))


def skewed():
    blocks = [[VALUES[number % 5]] * 4 + [VALUES[(number + 1) % 5]] for number in range(12)]
    return in_blocks(blocks, FrequencyDiversity(2))


def along_the_curve(name, values, l=2):  # noqa: E741
    group = [0] * len(values)
    for number, rows in enumerate(solved(name, values, l)):
        for row in rows:
            group[row] = number
    publisher = find(Kind.PUBLISHER, name).cls()
    return target_of(range(len(values)), values, group, FrequencyDiversity(l), publisher)


def drawn(rows=120):
    values = list(VALUES[:6]) * (rows // 6)
    random.Random(5).shuffle(values)
    return values


def cut_at_medians(left, right, blocks=12):
    """Blocks of two places with these values, each of which Mondrian leaves whole."""
    places = [2 * block + side for block in range(blocks) for side in [0] * len(left) + [1] * len(right)]
    values = [*left, *right] * blocks
    group = [block for block in range(blocks) for _ in range(len(left) + len(right))]
    return target_of(places, values, group, FrequencyDiversity(2), find(Kind.PUBLISHER, "mondrian").cls())


def masked(shown):
    """Ten groups of people under 25, eight of whom have one of the listed values, and two have not."""
    own = [VALUES[0]] * 4 + [VALUES[1]] * 4 + [VALUES[2]] * 2
    places = [number for number in range(10) for _ in own]
    model = MConfidentiality(2, (VALUES[0], VALUES[1]))
    return target_of(places, own * 10, places, model, shown=shown * 10)


def crossing(size=6):
    """People whose groups are rows of a square, with values that no two columns share."""
    values = [VALUES[(row + column) % size] for row in range(size) for column in range(size)]
    group = [row for row in range(size) for _ in range(size)]
    return target_of(range(size * size), values, group, FrequencyDiversity(size))


def other_release(label, size=6):
    values = [VALUES[(row + column) % size] for row in range(size) for column in range(size)]
    labels = [label(row, column, size) for row in range(size) for column in range(size)]
    return pl.DataFrame({"q0": labels, ILL: values})


def exactly(row, column, size):
    return str(row * size + column)


def by_row(row, _, size):
    return f"{row * size} to {row * size + size - 1}"


RULE = {"among": "q0", "most": 25, "rare": [VALUES[9]], "share": 0.1}
LEFT, RIGHT = [VALUES[0]] * 2, [VALUES[1], VALUES[2], VALUES[3], VALUES[4], VALUES[5], VALUES[6]]
PASSED = (0, 0, 1, 2, 3, 3, 4, 5, 6, 6, 7, 2, 9, 9, 1, 4)
EXAMPLES = {
    "homogeneity": Example({}, homogeneous, lambda: in_blocks(mixed(), KAnonymity(5))),
    "skewness": Example({"gain": "1/2"}, skewed, lambda: in_blocks(mixed(), KAnonymity(5))),
    "breach-probability": Example({}, homogeneous, lambda: in_blocks(mixed(), FrequencyDiversity(5))),
    "linking": Example(
        {},
        lambda: target_of(range(60), VALUES[:5] * 12, range(60), KAnonymity(2)),
        lambda: in_blocks(mixed(), KAnonymity(5)),
    ),
    "hilb-algorithm-7": Example(
        {}, lambda: along_the_curve("hilb", drawn()), lambda: along_the_curve("hilb+r", drawn())
    ),
    "hilb-worlds": Example(
        {}, lambda: along_the_curve("hilb", drawn()), lambda: along_the_curve("hilb", list(VALUES[:6]) * 20)
    ),
    "smart-world": Example(
        {},
        lambda: along_the_curve("hilb", [VALUES[number] for number in PASSED]),
        lambda: along_the_curve("hilb", list(VALUES[:4]) * 2),
    ),
    "minimality": Example(
        {}, lambda: cut_at_medians(LEFT, RIGHT), lambda: cut_at_medians(LEFT + RIGHT[:1] * 2, RIGHT[1:5])
    ),
    "negative-association": Example(
        RULE,
        lambda: masked([VALUES[0]] * 3 + [VALUES[2]] * 3 + [VALUES[9]] * 4),
        lambda: masked([VALUES[0]] * 3 + [VALUES[1]] * 2 + [VALUES[2]] * 5),
    ),
    "intersection": Example(
        {"other": "OTHER"},
        crossing,
        crossing,
        lambda: {"leak": other_release(exactly), "twin": other_release(by_row)},
    ),
}
PARTS = discover(Kind.ATTACK)
every_attack = pytest.mark.parametrize("part", PARTS, ids=[part.name for part in PARTS])


def example_of(part):
    return EXAMPLES[part.name]


def attempted(part, which, folder):
    """What the attack makes of the release with the leak, or of its twin."""
    example = example_of(part)
    parameters = dict(example.parameters)
    for name, frame in example.files().items():
        frame.write_csv(folder / f"{name}.csv")
        parameters["other"] = str(folder / f"{which}.csv")
    target = getattr(example, which)()
    strangers = 1000 if part.name == "linking" else 0  # who looks like somebody is linked, rightly or not
    places = [strangers + place for place in range(min(30, len(target.public)))]
    outside = with_outsiders(target, places, [VALUES[-2]] * len(places))
    return built(part, parameters).attempt(outside)


def test_every_registered_attack_has_an_example():
    assert {part.name for part in PARTS} == set(EXAMPLES)


@every_attack
def test_an_attack_says_what_it_is(part):
    for heading in ("Claim.", "Why", "Cost.", "Source."):
        assert heading in part.lecture
    assert part.summary
    assert part.cls.applies_to
    assert part.cls.__dataclass_params__.frozen


@every_attack
def test_it_finds_a_planted_leak(part, tmp_path):
    [outcome] = attempted(part, "leak", tmp_path)
    assert outcome.exposed > 0
    assert outcome.verdict is Verdict.FAILS
    assert outcome.certainty > outcome.limit or outcome.certainty == 1
    assert outcome.better_than_guessing
    assert outcome.attack.interval[0] > outcome.baseline.interval[1]


@every_attack
def test_it_stays_at_the_baseline_on_a_twin_without_the_leak(part, tmp_path):
    [outcome] = attempted(part, "twin", tmp_path)
    assert outcome.exposed == 0
    assert not outcome.better_than_guessing
    assert outcome.verdict in {Verdict.HOLDS, Verdict.INFORMS}


@every_attack
def test_the_control_group_is_no_easier_than_the_baseline(part, tmp_path):
    """The outsiders all have a value that nobody in the release has, so no bet on one can be right."""
    [outcome] = attempted(part, "leak", tmp_path)
    assert outcome.control is not None
    assert outcome.control.successes == 0
    assert outcome.control.tries > 0


@every_attack
def test_it_names_no_value(part, tmp_path):
    for which in ("leak", "twin"):
        text = json.dumps([outcome.as_json() for outcome in attempted(part, which, tmp_path)])
        assert not [value for value in VALUES if value in text]


@every_attack
def test_its_findings_say_how_many_and_at_what_cost(part, tmp_path):
    [outcome] = attempted(part, "leak", tmp_path)
    found = {finding.name: finding.value for finding in outcome.findings}
    assert found[EXPOSED] == outcome.exposed <= outcome.people
    assert found[COST] > 0
    assert 0 <= outcome.attack.successes <= outcome.attack.tries <= outcome.people


@every_attack
def test_it_is_a_value(part, tmp_path):
    parameters = {
        key: str(tmp_path) if key == "other" else each for key, each in EXAMPLES[part.name].parameters.items()
    }
    one, other = built(part, parameters), built(part, parameters)
    assert one == other
    with pytest.raises((dataclasses.FrozenInstanceError, AttributeError, TypeError)):
        one.limit = 3
