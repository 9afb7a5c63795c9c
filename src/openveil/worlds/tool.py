"""The worlds of a release by any tool: a function from a table to a release.

Claim. `wrapped` makes a case of a table and a function of the user, which is given the table in the kind of frame it
came in, with other sensitive values in it, and gives the published frame (or None where it refuses). Compared is all
that is published, columns that are not read too: the rows in no order, or in their order where that is `Kept`. Rows
that stand in the order of the table say who is who; where the reader does not take them so, nothing is said to hold.

Why it holds. A plain function must give the same release of the same table; it is run twice to see. `Law` is for a
function that gives all releases with their probabilities, `Runs` for one that draws at random: it is run several
times, and its chances are shares of runs. What a tool raises is not caught: a failure must not look like safety.

Cost. The runs of the tool.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import polars as pl

from openveil.core.errors import Problem, RequestError, refuse
from openveil.core.witness import Labels
from openveil.io.frames import Back, take
from openveil.worlds.algorithm import Algorithm, Case, View
from openveil.worlds.exact import whole_from
from openveil.worlds.people import People
from openveil.worlds.reading import Kept, Reading, Written
from openveil.worlds.seen import Covering
from openveil.worlds.unknown import Possible, combinations_of


class Values(StrEnum):
    """Whether published sensitive values are the people's own, or may be others."""

    OWN = "own"
    REPLACED = "replaced"


class Tool(ABC):
    """A function that publishes tables, and how it is asked for its chances."""

    exact: ClassVar[bool] = True
    runs: int

    @abstractmethod
    def releases(self, table: object) -> Iterator[tuple[object | None, Fraction]]:
        """The releases of a table in the user's kind of frame, each with its chance; None where it refuses."""


@dataclass(frozen=True)
class Always(Tool):
    """A function that gives the same release whenever it is given the same table."""

    function: Callable[[Any], object | None]
    runs: int = 1

    def releases(self, table: object) -> Iterator[tuple[object | None, Fraction]]:
        """The one release."""
        yield self.function(table), Fraction(1)


@dataclass(frozen=True)
class Law(Tool):
    """A function that gives every release there may be of a table, each with its probability."""

    function: Callable[[Any], Iterable[tuple[object | None, Fraction]] | None]
    runs: int = 1

    def releases(self, table: object) -> Iterator[tuple[object | None, Fraction]]:
        """The releases as the function gives them; none at all where it refuses the table."""
        given, chances = self.function(table), list[Fraction]()
        for pair in () if given is None else given:
            release, chance = _pair(pair)
            chances.append(chance)
            yield release, chance
        if chances and sum(chances) != 1:
            raise _lawless("gives probabilities of a table that do not sum to 1", str(sum(chances)))


def _pair(given: object) -> tuple[object | None, Fraction]:
    """A release and its probability, if it is one."""
    if not isinstance(given, tuple) or len(given) != 2:
        raise _lawless("gives something that is no pair of a release and its probability", type(given).__name__)
    release, chance = given
    if not isinstance(chance, Fraction | int):
        raise _lawless("gives a probability that is not exact", type(chance).__name__)
    if chance < 0:
        raise _lawless("gives a probability below 0", str(chance))
    return release, Fraction(chance)


def _lawless(what: str, found: str) -> RequestError:
    remedy = "Give pairs such as (release, Fraction(1, 3)), with (None, Fraction(2, 3)) for refusing; they sum to 1"
    return refuse("law", what, remedy, found=found)


@dataclass(frozen=True)
class Runs(Tool):
    """A function that draws at random: it is run so many times for each table, and shares of runs are its chances."""

    exact: ClassVar[bool] = False

    function: Callable[[Any], object | None]
    runs: int = 100

    def __post_init__(self) -> None:
        if not whole_from(1, self.runs):
            raise refuse(
                "runs", "must be a whole number, 1 or more", "Give Runs(function, 100)", found=f"{self.runs!r}"
            )

    def releases(self, table: object) -> Iterator[tuple[object | None, Fraction]]:
        """What came of each run."""
        for _ in range(self.runs):
            yield self.function(table), Fraction(1, self.runs)


@dataclass(frozen=True, eq=False)
class Wrapped(Algorithm):
    """A tool, the people of the table it is used on, the table's columns, and what it published."""

    tool: Tool
    people: People = field(repr=False)
    frame: pl.DataFrame = field(repr=False)
    give: Back = field(repr=False)
    published: pl.DataFrame = field(repr=False)
    reader: Reader = field(repr=False)

    @property
    def runs(self) -> int:  # type: ignore[override]
        """How often the tool is run for each table."""
        return self.tool.runs

    @property
    def exact(self) -> bool:  # type: ignore[override]
        """Whether chances are probabilities."""
        return self.tool.exact

    @property
    def seen(self) -> View:
        """All that is published, as the reader takes it."""
        return self.reader.view(self.published)

    @cached_property
    def doubt(self) -> str:
        """That rows stand in the order of the table, and the reader does not take them so."""
        if self.reader.in_order or not self._in_order:
            return ""
        return "rows stand in the order of the table, which may tell who is who: shuffle them, or use reading=Kept()"

    @property
    def unread(self) -> tuple[str, ...]:
        """The published columns that the reader does not name."""
        return tuple(name for name in self.published.columns if name not in self.reader.columns)

    @property
    def _in_order(self) -> bool:
        """Whether values come one after the other as in the table, some left out or none; not where all are alike."""
        own = self.people.sensitive(self.people.own).cast(pl.String)
        shown, left = self.published.select(own.columns), iter(own.rows())
        return shown.n_unique() > 1 and all(row in left for row in shown.iter_rows())

    def outcomes(self, codes: Labels) -> Iterator[tuple[View, Fraction]]:
        """What may come of the table with other sensitive values; all other columns stay as they are."""
        table = self.give(self.frame.with_columns(self.people.sensitive(codes)))
        for release, chance in self.tool.releases(table):
            yield self.reader.view(shown_of(release, self.reader.columns)), chance

    def elsewhere(self, people: People) -> Wrapped:
        """The tool used on a table of other people, of whom nothing but these columns is known."""
        frame = people.table(people.own).cast({name: self.frame.schema[name] for name in self.reader.columns})
        _, give = take(self.give(self.frame.select(frame.columns).head(0)))
        return replace(self, people=people, frame=frame, give=give)


@dataclass(frozen=True, eq=False)
class Reader:
    """What an adversary knows everyone by, what is sensitive, and how the adversary reads a release.

    `reading` says which people labels cover, `values` whether the published values are the people's own. `further`
    are sensitive values that the adversary reckons with although nobody in the table has them.
    """

    quasi: Sequence[str]
    sensitive: Sequence[str]
    reading: Reading = field(default_factory=Written)
    values: Values = Values.OWN
    further: pl.DataFrame | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        problems = [*_unnamed("quasi", self.quasi), *_unnamed("sensitive", self.sensitive)]
        twice = [] if problems else sorted(name for name, times in Counter(self.columns).items() if times > 1)
        if twice:
            problems = [Problem("reader", f"names {', '.join(map(repr, twice))} twice", "Name each column once")]
        if problems:
            raise RequestError(problems)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of a release that are read."""
        return (*self.quasi, *self.sensitive)

    @property
    def in_order(self) -> bool:
        """Whether the place of a row says whom it is about."""
        return isinstance(self.reading, Kept)

    def view(self, shown: pl.DataFrame | None) -> View:
        """The published rows: as they stand, or each as often as it occurs; None where nothing is published."""
        if shown is None:
            return None
        rows = shown.rows()
        return tuple(shown.columns), tuple(rows) if self.in_order else frozenset(Counter(rows).items())

    def people(self, frame: pl.DataFrame) -> People:
        """The people of a table."""
        missing = [name for name in self.columns if name not in frame.columns]
        if missing:
            there = ", ".join(map(repr, frame.columns))
            raise refuse("table", f"has no column {', '.join(map(repr, missing))}", f"It has: {there}")
        return People.of(frame.select(self.quasi), frame.select(self.sensitive), further=self.further)


def _unnamed(part: str, names: Sequence[str]) -> list[Problem]:
    """What is wrong with the names of these columns."""
    remedy = 'Give Reader(["zip", "age"], ["disease"]), with the names of your columns'
    if isinstance(names, str):
        return [Problem("reader", f"{part}: must be a list of names, not one name", remedy)]
    return [] if names else [Problem("reader", f"{part}: must name a column at least", remedy)]


def wrapped(
    frame: object, tool: Tool | Callable[[Any], object | None], reader: Reader, *, release: object | None = None
) -> Case:
    """The case of what a tool publishes of a table, or of this `release` of it."""
    asked = tool if isinstance(tool, Tool) else Always(tool)
    native, give = take(frame)
    people = reader.people(native)
    published = _published(asked, give(native), reader) if release is None else shown_of(release, reader.columns)
    if published is None:
        raise refuse("tool", "refuses the table, so there is no release to examine", "Give a table it publishes")
    return Case(people, covering(people, published, reader), Wrapped(asked, people, native, give, published, reader))


def _published(tool: Tool, table: object, reader: Reader) -> pl.DataFrame | None:
    """The first release of the table; of a plain function the same one twice."""
    first = next((release for release, chance in tool.releases(table) if chance), None)
    shown = shown_of(first, reader.columns)
    if isinstance(tool, Always) and reader.view(shown) != reader.view(shown_of(tool.function(table), reader.columns)):
        raise refuse(
            "tool",
            "gives different releases of one and the same table",
            "Wrap it as Runs(function, runs=...), or as Law(function) if it can tell its probabilities",
        )
    return shown


def shown_of(release: object | None, columns: Sequence[str]) -> pl.DataFrame | None:
    """What is seen of a release: these columns as they are written, then all others; None where it has no rows."""
    if release is None:
        return None
    frame, _ = take(release)
    missing = [name for name in columns if name not in frame.columns]
    if missing:
        remedy = "Give it back with the names the table has; several columns may be joined again beforehand"
        raise refuse("release", f"has no column {', '.join(map(repr, missing))}", remedy)
    others = sorted(name for name in frame.columns if name not in columns)
    return frame.select(*columns, *others).cast(pl.String) if frame.height else None


def covering(people: People, published: pl.DataFrame, reader: Reader) -> Covering:
    """What the published rows tell of the people; refused where they have no room for them."""
    seen = _read(people.known, people, published, reader)
    short = sum(len(bag) > fit for bag, fit in zip(seen.bags, seen.fits.sum(axis=0).tolist(), strict=True))
    if seen.hidden < 0 or short:
        found = f"{published.height} rows of {len(people)} people" if seen.hidden < 0 else f"{short} classes of rows"
        raise refuse(
            "release",
            "has rows whose labels cover too few people of the table",
            "Say how its labels are to be read (`reading`), or give the table it was made from",
            found=found,
        )
    return seen


def possible(case: Case, reader: Reader) -> Possible:
    """What a release tells a reader who does not know who is in the table: anyone with values that occur in it."""
    if not isinstance(case.algorithm, Wrapped):
        raise refuse("roster", "can be unknown here for tools only", "Use `method.possible` for a method of openveil")
    if reader.in_order:
        raise refuse("roster", "must be known to a reader who goes by the order of the table", "Take it to be known")
    every = combinations_of(case.people.known.iter_columns())
    return Possible(every, _read(every, case.people, case.algorithm.published, reader))


def _read(known: pl.DataFrame, people: People, published: pl.DataFrame, reader: Reader) -> Covering:
    """Which of these people each published row covers; rows that cover the same people are one class."""
    fits = reader.reading.fits(known, published.select(reader.quasi))
    labels, place = np.unique(fits, axis=1, return_inverse=True)
    bags = _bags(
        people, published.select(reader.sensitive), place.reshape(-1).tolist(), labels.shape[1], reader.values
    )
    return Covering(labels, bags, len(people) - published.height)


def _bags(
    people: People, shown: pl.DataFrame, place: list[int], classes: int, values: Values
) -> tuple[tuple[int | None, ...], ...]:
    number = {row: code for code, row in enumerate(people.values.cast(pl.String).rows())}
    own = number if values is Values.OWN else {}
    bags: list[list[int | None]] = [[] for _ in range(classes)]
    for where, row in zip(place, shown.rows(), strict=True):
        bags[where].append(own.get(row))
    return tuple(map(tuple, bags))
