"""Hierarchies from their definitions, one value at a time: fractions, calendars and slices of text."""

from datetime import date
from fractions import Fraction
from math import floor


def interval(value, width, start, lowest, highest):
    """The half-open interval a number lies in, as a pair of fractions; an end that is open is None."""
    number, width, start = Fraction(str(value)), Fraction(str(width)), Fraction(str(start))
    if lowest is not None and number < Fraction(str(lowest)):
        return None, Fraction(str(lowest))
    if highest is not None and number >= Fraction(str(highest)):
        return Fraction(str(highest)), None
    lower = start + floor((number - start) / width) * width
    upper = lower + width
    if lowest is not None:
        lower = max(lower, Fraction(str(lowest)))
    return lower, upper if highest is None else min(upper, Fraction(str(highest)))


def read_interval(label):
    """The pair of fractions that a published label says, whatever its notation."""
    if label.startswith("<"):
        return None, Fraction(label[1:])
    if label.startswith(">="):
        return Fraction(label[2:]), None
    if label.startswith("["):
        lower, upper = label[1:-1].split(", ")
        return Fraction(lower), Fraction(upper)
    if " to " in label:
        first, last = label.split(" to ")
    elif "-" in label[1:]:
        first, last = label.split("-")
    else:
        first = last = label
    return Fraction(first), Fraction(last) + 1


def unit(day: date, level: str) -> str:
    """The calendar unit a day lies in."""
    if level == "day":
        return f"{day.year:04d}-{day.month:02d}-{day.day:02d}"
    if level == "month":
        return f"{day.year:04d}-{day.month:02d}"
    if level == "quarter":
        return f"{day.year:04d}-Q{1 if day.month < 4 else 2 if day.month < 7 else 3 if day.month < 10 else 4}"
    if level == "year":
        return f"{day.year:04d}"
    span = int(level.removesuffix(" years"))
    first = next(year for year in range(day.year, day.year - span, -1) if year % span == 0)
    return f"{first:04d}-{first + span - 1:04d}"


def masked(code: str, kept: int, side: str, character: str) -> str:
    """The code with all but `kept` characters hidden, one place at a time."""
    places = range(len(code)) if side == "right" else range(len(code) - 1, -1, -1)
    shown = set(list(places)[:kept])
    return "".join(sign if place in shown else character for place, sign in enumerate(code))


def grouped(items, size):
    """For each item the label of its group of `size` consecutive ones."""
    labels = {}
    for begin in range(0, len(items), size):
        group = items[begin : begin + size]
        for item in group:
            labels[item] = group[0] if len(group) == 1 else f"{group[0]} to {group[-1]}"
    return labels


def ways(tree, above=()):
    """Every value of a nested table with the groups above it, from the nearest to the top."""
    for label, child in tree.items():
        if isinstance(child, list):
            yield from ((value, (label, *above)) for value in child)
        elif child:
            yield from ways(child, (label, *above))
        else:
            yield label, above


def labels_of(hierarchy):
    """For each value of the axis (None for missing) its label on every level."""
    values = [*hierarchy.axis.labels.to_list(), *([None] if hierarchy.axis.missing else [])]
    columns = [level.labels.to_list() for level in hierarchy.levels]
    nodes = [hierarchy.node_of_leaf(number).tolist() for number in range(len(columns))]
    return {
        value: [labels[node[code]] for labels, node in zip(columns, nodes, strict=True)]
        for code, value in enumerate(values)
    }
