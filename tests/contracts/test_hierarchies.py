"""What every registered kind of hierarchy promises, whatever it is made of.

A new kind is tested as soon as it has an example below; the first test fails until it has one.
"""

import random
from dataclasses import dataclass, fields, is_dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from pydantic import TypeAdapter

from openveil.core.axis import ROOT
from openveil.core.errors import RequestError
from openveil.core.registry import Kind, Status, discover
from openveil.core.rule import Rule

PARTS = {part.name: part for part in discover(Kind.HIERARCHY)}
CANARY = "Zanzibar-Quetzal-77"
LETTERS = list("fabced")
DAYS = [date(1964, 9, 27) + timedelta(days=37 * step) for step in range(60)]


@dataclass(frozen=True)
class Example:
    """Parameters as a plan gives them, and distinct values they cover."""

    parameters: dict[str, Any]
    values: list[Any]
    dtype: Any = None
    files: tuple[tuple[str, str], ...] = ()

    def rule(self, part, folder: Path) -> Rule:
        for name, text in self.files:
            (folder / name).write_text(text)
        parameters = {key: str(folder / value) if key == "file" else value for key, value in self.parameters.items()}
        return TypeAdapter(part.cls).validate_python(parameters)

    @property
    def series(self) -> pl.Series:
        return pl.Series("column", self.values, dtype=self.dtype)


MONEY = [Decimal(text) for text in ("19.00", "5.00", "0.00", "7.00")]

CSV = "".join(f"{letter};{'vowel' if letter in 'ae' else 'consonant'};*\n" for letter in LETTERS)
NUMBERED = "".join(f"{number};{number // 3 * 3} and on;{number // 6 * 6} and on;*\n" for number in range(20))
TREE = {"vowel": {"open": ["a"], "e": {}}, "consonant": ["b", "c", "d", "f"]}

EXAMPLES = {
    "dates": [
        Example({}, DAYS, pl.Date),
        Example(
            {"levels": ["day", "year"]},
            [datetime.fromisoformat(f"2000-01-{day:02d}T{hour:02d}:30") for day in (1, 2, 31) for hour in range(24)],
        ),
        Example({"format": "%m/%d/%y", "last_year": 2025}, [day.strftime("%m/%d/%y") for day in DAYS]),
    ],
    "file": [
        Example({"file": "h.csv"}, LETTERS, files=(("h.csv", CSV),)),
        Example({"file": "h.csv"}, [5, 19, 7, 0], pl.UInt8, files=(("h.csv", NUMBERED),)),
        Example({"file": "h.csv"}, [5.0, 19.0], pl.Float64, files=(("h.csv", NUMBERED),)),
        Example({"file": "h.csv"}, MONEY, pl.Decimal(10, 2), files=(("h.csv", NUMBERED),)),
    ],
    "intervals": [
        Example({"widths": [5, 10, 20]}, [25, 20, -3, 90, 17, 2**40], pl.Int64),
        Example({"widths": [0.1, 0.5], "start": 0.05, "lowest": 0}, [0.3, 0.1 + 0.2, 1e300, -7.5], pl.Float64),
        Example({"widths": [0.5, 5]}, [*MONEY, Decimal("-0.01"), Decimal("4.99")], pl.Decimal(38, 2)),
        Example({"widths": [5], "lowest": 18, "highest": 88.5}, ["17", "018", "88.5", "1e2", "-4"]),
    ],
    "masking": [
        Example({}, ["02138", "02139", "12138", "7", "713"]),
        Example({"keep": [2, 1], "side": "left", "character": "#"}, ["02138", "02139", "12138", "7"]),
        Example({"pad_to": 5}, [2138, 2139, 12138, 7], pl.Int32),
        Example({"pad_to": 5}, MONEY, pl.Decimal(10, 2)),
    ],
    "ordering": [
        Example({"sizes": [2, 2]}, LETTERS),
        Example({"sizes": [3]}, [10, 9, 8, 7, -1], pl.Int16),
        Example({"sizes": [2]}, MONEY, pl.Decimal(10, 2)),
        Example({"sizes": [2], "order": [0, 5, 7, 12.5, "19.00"]}, MONEY, pl.Decimal(10, 2)),
        Example({"sizes": [2], "order": ["a", "b", "c", "d", "e", "f"]}, LETTERS),
        Example({"sizes": [2], "file": "o.txt"}, LETTERS, files=(("o.txt", "\n".join(LETTERS)),)),
    ],
    "suppression": [
        Example({}, LETTERS),
        Example({}, [3.5, float("nan"), 1.0], pl.Float64),
        Example({}, [True, False], pl.Boolean),
        Example({}, MONEY, pl.Decimal(10, 2)),
    ],
    "taxonomy": [
        Example({"tree": TREE}, LETTERS),
        Example({"tree": {"few": [0, 1], "many": {"some": [2, 3], "4": {}}}}, [4, 0, 3], pl.Int64),
    ],
}
CASES = [
    pytest.param(PARTS[name], example, missing, id=f"{name}-{number}-{'missing' if missing else 'full'}")
    for name, examples in EXAMPLES.items()
    for number, example in enumerate(examples)
    for missing in (True, False)
    if name in PARTS
]
each_case = pytest.mark.parametrize(("part", "example", "missing"), CASES)


def image(hierarchy):
    levels = [(level.starts.tolist(), level.labels.to_list()) for level in hierarchy.levels]
    return repr(hierarchy.axis.labels.to_list()), hierarchy.axis.labels.dtype, levels


def test_every_registered_kind_has_an_example():
    assert set(PARTS) == set(EXAMPLES)


@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
def test_declaration(part):
    assert issubclass(part.cls, Rule)
    assert is_dataclass(part.cls)
    assert part.cls.__dataclass_params__.frozen
    assert part.status is Status.PROVED
    assert part.source
    assert part.summary.endswith(".")
    for heading in ("Claim.", "Why it holds.", "Cost.", "Source."):
        assert heading in part.lecture
    described = part.cls.__doc__
    assert all(f"`{field.name}`" in described for field in fields(part.cls))
    assert TypeAdapter(part.cls).json_schema()["type"] == "object"


@each_case
def test_every_leaf_lies_in_one_node_a_level_and_levels_are_nested(part, example, missing, tmp_path):
    hierarchy = example.rule(part, tmp_path).bind("x", example.series, missing=missing)
    for level in range(hierarchy.height):
        finer, coarser = hierarchy.node_of_leaf(level), hierarchy.node_of_leaf(level + 1)
        pairs = set(zip(finer.tolist(), coarser.tolist(), strict=True))
        assert len(pairs) == len(hierarchy.levels[level]) == len({node for node, _ in pairs})
        assert hierarchy.leaves(level).sum() == len(hierarchy.axis)


@each_case
def test_the_axis_holds_the_column_as_it_was_read(part, example, missing, tmp_path):
    axis = example.rule(part, tmp_path).bind("x", example.series, missing=missing).axis
    assert (axis.name, axis.missing) == ("x", missing)
    assert axis.labels.dtype == example.series.dtype
    codes, strangers = axis.encode(example.series)
    assert strangers == 0
    assert len(set(codes.tolist())) == len(example.values)


@each_case
def test_root_and_missing(part, example, missing, tmp_path):
    hierarchy = example.rule(part, tmp_path).bind("x", example.series, missing=missing)
    assert hierarchy.levels[-1].labels.to_list() == [ROOT]
    for number, level in enumerate(hierarchy.levels[:-1]):
        assert level.labels.null_count() == int(missing)
        if missing:
            assert level.labels[-1] is None
            assert hierarchy.leaves(number)[-1] == 1


@each_case
def test_labels_are_text_unique_a_level_and_never_the_root_below_it(part, example, missing, tmp_path):
    hierarchy = example.rule(part, tmp_path).bind("x", example.series, missing=missing)
    for level in hierarchy.levels:
        assert level.labels.dtype == pl.String
        assert level.labels.n_unique() == len(level.labels)
    for level in hierarchy.levels[:-1]:
        assert not {ROOT, ""} & set(level.labels.to_list())


@each_case
def test_a_label_on_two_levels_is_a_node_and_its_ancestor(part, example, missing, tmp_path):
    hierarchy = example.rule(part, tmp_path).bind("x", example.series, missing=missing)
    seen: dict[str, set[int]] = {}
    for number, level in enumerate(hierarchy.levels):
        for node, label in enumerate(level.labels.to_list()):
            leaves = set(np.flatnonzero(hierarchy.node_of_leaf(number) == node).tolist())
            assert seen.get(label, leaves) <= leaves
            seen[label] = leaves


@each_case
def test_order_of_the_input_does_not_matter_and_the_input_stays(part, example, missing, tmp_path):
    rule = example.rule(part, tmp_path)
    values = example.series
    first = image(rule.bind("x", values, missing=missing))
    assert repr(values.to_list()) == repr(example.values)
    assert (values.name, values.dtype) == ("column", example.series.dtype)
    shuffled = example.series.gather(random.Random(7).sample(range(len(values)), len(values)))
    assert image(rule.bind("x", shuffled, missing=missing)) == first


@each_case
def test_no_value_and_one_value(part, example, missing, tmp_path):
    rule = example.rule(part, tmp_path)
    for values in (example.series.head(0), example.series.head(1)):
        hierarchy = rule.bind("x", values, missing=missing)
        assert len(hierarchy.levels[0]) == len(hierarchy.axis)
        assert hierarchy.axis.encode(values)[1] == 0
        assert all(len(level) <= 1 + int(missing) for level in hierarchy.levels[1:-1]) or len(hierarchy.axis) > 2


@each_case
def test_a_value_that_is_not_covered_is_counted_and_never_shown(part, example, missing, tmp_path):
    rule = example.rule(part, tmp_path)
    stranger = pl.concat([example.series.cast(pl.String), pl.Series("column", [CANARY])])
    try:
        hierarchy = rule.bind("x", stranger, missing=missing)
    except RequestError as error:
        assert f"of {len(stranger)} distinct values" in str(error)
        assert CANARY not in str(error)
        assert CANARY not in repr(error.__context__)
        assert not any(len(text) > 3 and text in str(error) for text in stranger.to_list())
    else:
        assert hierarchy.axis.encode(stranger)[1] == 0


@each_case
def test_an_unreadable_value_is_counted_and_never_shown(part, example, missing, tmp_path):
    rule = example.rule(part, tmp_path)
    for unreadable in (ROOT, ""):
        values = pl.Series([CANARY, unreadable])
        with pytest.raises(RequestError) as caught:
            rule.bind("x", values, missing=missing)
        assert CANARY not in str(caught.value)


@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
def test_columns_of_other_types_are_refused(part, tmp_path):
    rule = EXAMPLES[part.name][0].rule(part, tmp_path)
    for values in (
        pl.Series([[1], [2]]),
        pl.Series([timedelta(days=1)]),
        pl.Series([b"a"]),
        pl.Series([CANARY], dtype=pl.Enum([CANARY])),
    ):
        with pytest.raises(RequestError, match="is for") as caught:
            rule.bind("x", values, missing=False)
        assert CANARY not in str(caught.value)


LARGE = 200_000
HUGE = {
    "dates": ({}, pl.Series(range(LARGE)).cast(pl.Date)),
    "intervals": ({"widths": [0.5, 5]}, pl.Series(np.arange(LARGE) / 10)),
    "masking": ({"pad_to": 7}, pl.Series(range(LARGE))),
    "ordering": ({"sizes": [10, 10]}, pl.Series(range(LARGE)).cast(pl.String)),
    "suppression": ({}, pl.Series(range(LARGE)).cast(pl.String)),
    "taxonomy": ({"tree": {"a": [str(n) for n in range(LARGE)]}}, pl.Series(["3"])),
    "file": ({"file": "h.csv"}, pl.Series([3])),
}


@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
def test_large_columns(part, tmp_path):
    parameters, values = HUGE[part.name]
    files = (("h.csv", "".join(f"{n};group {n // 100};*\n" for n in range(0, LARGE * 10, 10))),)
    rule = Example(parameters, [], files=files if part.name == "file" else ()).rule(part, tmp_path)
    hierarchy = rule.bind("x", values if part.name != "file" else pl.Series([30]), missing=True)
    assert len(hierarchy.axis) == LARGE + 1
