"""The one door to the sensitive columns.

Claim. A publisher can learn about sensitive values only through a `Witness`. It is told how often each value occurs
in the groups it asks about (`tally`), and can have rows drawn at random (`deal`). Which row has which value it is
told only by `values`, which no publisher but those known to be unsafe may ask. Every question is recorded with the
rows it was about, and so is every answer that speaks of single rows: who was drawn together, and which run of values
a row's own is in (`runs`). An algorithm whose every question was about unions of published groups, who drew no other
groups than those, and who published every run it was told of, decided on what anyone can read in the release; so
replaying it on any table that agrees with the release gives the same groups, and knowing it teaches nothing about
anyone's sensitive value.

What it cannot hold. Answers that are published (`deal`, `runs`, `raised`) are handed over before they are: a method
that draws its groups by what they say of single rows is not found by its looks. None here reads them; that rests on
the enumeration of small tables in the tests.

Why it holds. Rows are dealt by a permutation drawn from a `Secret`, before any value is looked at: of the rows of a
stratum that share a value, each is as likely as any other to fill each slot for that value. Whatever the original
table, a dealing that leaves the published groups with the published bags is therefore equally likely.

Where values are guarded (`core/guards.py`), guards are sensitive as values are and go through the same door: a tally
has one view more, of pairs of a value and its guard. A tally at a level of the taxonomy tells of each row no more
than the node its value has there, and its guard only where that is not below this node. What rows show in the end is
made behind the door (`raised`); as it is published, it is no look.

Values are numbers in the order of their labels, and nothing but the number goes out through the door.

Cost. The columns are encoded at the first question; a tally is two passes over the rows, a dealing one sort.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from openveil.core.axis import Axis
from openveil.core.bags import Bags, Counts, Pairs
from openveil.core.guards import WITH_GUARDS, Guards, paired
from openveil.core.nodes import Nodes
from openveil.core.secret import Secret
from openveil.core.sorting import sorted_by
from openveil.core.table import told_apart

NOT_ASKED = -1
TOGETHER = "all sensitive columns together"
# The question that is a look at every row by itself.
EACH_VALUE = "which row has which value"
# What is recorded of the outcome of a draw, not of a question.
DRAWN = "who was drawn together"
Labels = NDArray[np.int32]
# The texts of a value, one a column, and those of every value of every view; None is missing.
Texts = tuple[str | None, ...]
Names = Mapping[str, Sequence[Texts]]


@dataclass(frozen=True, eq=False)
class Runs:
    """The run of an axis that the value of each row lies in: to be published (`Replaced.of_runs`), read by no method.

    `first` and `last` are places on the axis, NOT_ASKED of rows that were not asked about.
    """

    axis: Axis
    first: Labels = field(repr=False)
    last: Labels = field(repr=False)


@dataclass(frozen=True, eq=False)
class Look:
    """One question about sensitive values: `label` says for each row which of the sets asked about it belongs to.

    It is kept as a copy of its own, in the narrowest whole numbers, NOT_ASKED for rows in none of the sets. Where no
    value was told apart from its neighbours, `starts` says at which values of an ordered axis a run of them starts,
    one line a set, or one for all; otherwise the question was about every value. `answer` is what was told of single
    rows, if anything was.
    """

    question: str
    label: NDArray[np.signedinteger]
    starts: NDArray[np.bool_] | None = None
    answer: Runs | None = None

    def __post_init__(self) -> None:
        widest = int(self.label.max(initial=0))
        kept = self.label.astype(np.min_scalar_type(-1 - widest))
        kept.flags.writeable = False
        object.__setattr__(self, "label", kept)


@dataclass(frozen=True, eq=False)
class View:
    """One way to look at the sensitive columns: the number of each row's value, and how often each occurs.

    `parts` says of each value of the last view, which is the finest, which value of this one it goes with. `pairs` is
    given where a value is a shown node and its guard.
    """

    name: str
    codes: Labels = field(repr=False)
    whole: Counts = field(repr=False)
    parts: Labels = field(repr=False)
    pairs: Pairs | None = field(default=None, repr=False)

    def bags(self, label: Labels, groups: int) -> Bags:
        """The bags of `groups` groups of rows."""
        return replace(Bags.of_rows(self.name, self.whole, label, self.codes, groups), pairs=self.pairs)

    def bags_of_finest(self, label: Labels, values: Labels, groups: int) -> Bags:
        """The bags of `groups` groups of values of the finest view."""
        return Bags.of_rows(self.name, self.whole, label, self.parts[values], groups)


@dataclass(frozen=True, eq=False)
class Slots:
    """Places for values: place i is for value `values[i]` of stratum `strata[i]`, in group `groups[i]`."""

    strata: NDArray[np.int32]
    values: NDArray[np.int32]
    groups: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Shown:
    """What a release shows of sensitive values: the group of each row (negative: none), and all values of its groups.

    Rows that are `touched` may show another value than their own or, where there are `runs`, the run of values from
    the first to the last place that their own is in.
    """

    group: Labels
    touched: NDArray[np.bool_]
    runs: tuple[Labels, Labels] | None = None

    @staticmethod
    def of_groups(group: Labels) -> Shown:
        """Groups whose rows all show their own values."""
        return Shown(group, np.zeros(len(group), dtype=np.bool_))


@dataclass(eq=False)
class Witness:
    """Answers questions about the sensitive columns and remembers each."""

    _columns: pl.DataFrame = field(repr=False)
    _looks: list[Look] = field(default_factory=list, init=False, repr=False)
    _guards: Guards | None = field(default=None, repr=False, kw_only=True)

    @property
    def looks(self) -> tuple[Look, ...]:
        """Everything that was asked so far."""
        return tuple(self._looks)

    def tally(self, label: Labels, groups: int) -> tuple[Bags, ...]:
        """The bags of the sets of rows that `label` numbers from 0 (negative: not asked about), view by view."""
        self._record("how often each value occurs", label)
        views = self._views if self._guards is None else (self._with_guards(0), *self._views)
        return tuple(view.bags(label, groups) for view in views)

    def tally_at(self, level: int, label: Labels, groups: int) -> Bags:
        """The bags of pairs of a node and a guard, with values and guards as this level has them."""
        starts = np.zeros((1, self.guarded.nodes.leaves), dtype=np.bool_)
        starts[0, self.guarded.nodes.hierarchy.levels[level].starts] = True
        self._record("how often each node occurs", label, starts)
        return self._with_guards(level).bags(label, groups)

    def raised(self, level: int, group: Labels, sealed: NDArray[np.bool_]) -> tuple[Labels, Guards]:
        """The nodes rows show when sealed ones are shown for their values; published, and read by no method.

        `sealed[g, v]` says whether group g seals node v, which stands on this level.
        """
        guards = self.guarded
        node = guards.nodes.at[level][guards.leaf]
        shown = np.where(sealed[group, node], node, guards.leaf).astype(np.int32)
        return shown, guards

    def guards_of(self, label: Labels) -> Guards:
        """The leaf and the guard of each row; a look at every asked row by itself, as `values` is."""
        self._record(EACH_VALUE, _each_alone(label))
        return self.guarded

    @property
    def guarded(self) -> Guards:
        """What guards the rows; only `raised` and `guards_of` hand on what follows from it."""
        if self._guards is None:
            raise ValueError("witness: no values are guarded")
        return self._guards

    def bags_of(self, label: Labels, values: Labels, groups: int) -> tuple[Bags, ...]:
        """The bags of groups of values (numbers of the finest view), view by view; no row is looked at."""
        return tuple(view.bags_of_finest(label, values, groups) for view in self._views)

    def deal(self, stratum: Labels, slots: Slots, secret: Secret, *, purpose: str = "who is drawn") -> Labels:
        """The group of each row, when the rows of each stratum fill its slots at random, each one for its value.

        There must be as many slots for each value of each stratum as it has rows; rows of no stratum stay in none.
        """
        self._record("which rows to draw", stratum)
        codes = self._views[-1].codes
        drawn = secret.mixed(purpose, stratum, codes)
        places = sorted_by(slots.strata, slots.values)
        fitting = np.array_equal(stratum[drawn], slots.strata[places])
        if not fitting or not np.array_equal(codes[drawn], slots.values[places]):
            raise ValueError("witness: the slots are not those of the values there are")
        group = np.full(len(stratum), NOT_ASKED, dtype=np.int32)
        group[drawn] = slots.groups[places]
        self._record(DRAWN, group)
        return group

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the sensitive columns."""
        return tuple(self._columns.columns)

    @property
    def labels(self) -> pl.Series:
        """The values of the finest view, in the order of their numbers: which there are, and nobody's value."""
        first = np.zeros(len(self._views[-1].whole), dtype=np.int64)
        codes = self._views[-1].codes
        first[codes[::-1]] = np.arange(len(codes))[::-1]
        return self._columns[first].to_series()

    def strangers(self, axis: Axis) -> int:
        """How many rows have a value that is not on the axis, which anyone may know."""
        return int(self._whole_bag[axis.encode(self.labels.cast(pl.String))[0] < 0].sum())

    def tally_runs(self, label: Labels, starts: NDArray[np.bool_], axis: Axis) -> Counts:
        """For each set of rows, how often each of its runs of values occurs, at the place where the run starts.

        `axis` has every value of the one sensitive column; `starts` has a line for each set, a place for each value.
        """
        from openveil.kernels.runs_of_values import tally_runs

        self._record("how often runs of values occur", label, starts)
        counts: Counts = tally_runs(label, self._places(axis), starts)
        return counts

    def runs(self, label: Labels, starts: NDArray[np.bool_], axis: Axis) -> Runs:
        """The run that each asked row's value lies in (see `tally_runs`); the release must show just these."""
        from openveil.kernels.runs_of_values import runs_of_rows

        found = Runs(axis, *runs_of_rows(label, self._places(axis), starts))
        self._record("which row has a value of which run", label, starts, found)
        return found

    def rearranged(self, order: NDArray[np.int64]) -> Witness:
        """A witness of the same table, in which row i has the sensitive values of row `order[i]` of this one.

        The values keep their numbers, so nothing is encoded again.
        """
        other = Witness(self._columns[order], _guards=self._guards and self._guards.of(order))
        other.__dict__["_views"] = tuple(replace(view, codes=view.codes[order]) for view in self._views)
        return other

    def values(self, label: Labels) -> Labels:
        """The number of each asked row's value in the finest view; NOT_ASKED for rows with a negative label.

        Only publishers known to be unsafe may ask this: it is a look at every row by itself, which no release of
        groups shows, so the gate holds it against them.
        """
        self._record(EACH_VALUE, _each_alone(label))
        return np.where(label >= 0, self._views[-1].codes, NOT_ASKED).astype(np.int32)

    def _record(
        self, question: str, label: Labels, starts: NDArray[np.bool_] | None = None, answer: Runs | None = None
    ) -> None:
        if len(label) != self._columns.height:
            raise ValueError("witness: one label a row")
        self._looks.append(Look(question, label, None if starts is None else starts.copy(), answer))

    def _places(self, axis: Axis) -> Labels:
        """The place of each row's value on the axis."""
        places: Labels = axis.encode(self.labels.cast(pl.String))[0][self._views[-1].codes]
        if (places < 0).any():
            raise ValueError("witness: there are values that are not on the axis")
        return places

    @property
    def _whole_bag(self) -> Counts:
        return self._views[-1].whole

    def _with_guards(self, level: int) -> View:
        if level not in self._of_levels:
            self._of_levels[level] = view_with_guards(self.guarded.nodes, *self.guarded.at_level(level))
        return self._of_levels[level]

    @cached_property
    def _views(self) -> tuple[View, ...]:
        return views_of(self._columns)

    @cached_property
    def _of_levels(self) -> dict[int, View]:
        return {}


def _each_alone(label: Labels) -> Labels:
    """A set of its own for every row that is asked about."""
    asked = label >= 0
    return np.where(asked, np.cumsum(asked, dtype=np.int32) - 1, NOT_ASKED).astype(np.int32)


def view_with_guards(nodes: Nodes, shown: Labels, guard: Labels) -> View:
    """The view in which each row's value is what it shows and what guards it."""
    codes, whole, pairs = paired(nodes, shown, guard)
    return View(WITH_GUARDS, codes, whole, np.zeros(0, dtype=np.int32), pairs)


def views_of(columns: pl.DataFrame) -> tuple[View, ...]:
    """Each sensitive column by itself, then all of them together where there are several.

    Without a sensitive column there is one view, in which all rows are alike.
    """
    coded = [(column.name, *_coded(column)) for column in columns]
    names = [name for name, _, _ in coded] + ([TOGETHER] if len(coded) > 1 else [] if coded else ["rows"])
    columns_of_codes = [codes for _, codes, _ in coded]
    finest = _together([(codes, domain) for _, codes, domain in coded], columns.height)
    domains = [domain for _, _, domain in coded]
    if len(names) > len(coded):
        columns_of_codes.append(finest)
        domains.append(int(finest.max(initial=-1)) + 1)
    return tuple(
        View(name, codes, np.bincount(codes, minlength=domain), _parts(finest, codes, domains[-1]))
        for name, codes, domain in zip(names, columns_of_codes, domains, strict=True)
    )


@dataclass(frozen=True, eq=False)
class Spelled(Names):
    """The texts of the values of every view of these columns, worked out when they are asked for."""

    _columns: pl.DataFrame = field(repr=False)

    def __getitem__(self, name: str) -> Sequence[Texts]:
        view = self._views[name]
        first = np.zeros(len(view.whole), dtype=np.int64)
        first[view.codes[::-1]] = np.arange(len(view.codes))[::-1]
        shown = [name] if name in self._columns.columns else self._columns.columns
        return self._columns.select(shown)[first].cast(pl.String).rows()

    def __iter__(self) -> Iterator[str]:
        return iter(self._views)

    def __len__(self) -> int:
        return len(self._views)

    @cached_property
    def _views(self) -> dict[str, View]:
        return {view.name: view for view in views_of(self._columns)} if self._columns.width else {}


def _coded(column: pl.Series) -> tuple[Labels, int]:
    """The number of each row's value in the order of the values, and how many there are; missing is the last."""
    values = told_apart(column)
    distinct = pl.DataFrame([column.alias("order"), values.alias("value")]).drop_nulls("value").unique()
    labels = distinct.sort("order", "value")["value"]
    axis = Axis(column.name, labels, missing=values.null_count() > 0)
    codes, _ = axis.encode(values)
    return np.array(codes), len(axis)


def _together(coded: list[tuple[Labels, int]], rows: int) -> Labels:
    """The number of each row's combination, in the order of the columns; a single column is left as it is."""
    if not coded:
        return np.zeros(rows, dtype=np.int32)
    codes = coded[0][0]
    for further, domain in coded[1:]:
        codes = np.unique(codes.astype(np.int64) * domain + further, return_inverse=True)[1].astype(np.int32)
    return codes


def _parts(finest: Labels, codes: Labels, domain: int) -> Labels:
    parts = np.zeros(domain, dtype=np.int32)
    parts[finest] = codes
    return parts


def unlike(looks: tuple[Look, ...], shown: Shown) -> Iterator[Look]:
    """The looks that were about more than the release shows."""
    of_values = np.where(shown.touched, NOT_ASKED, shown.group)
    for look in looks:
        if look.starts is None:
            told = _is_union(look.label, of_values)
        else:
            told = _is_union(look.label, shown.group) and not parts_a_run(look, shown) and _is_published(look, shown)
        if not told:
            yield look


def _is_union(label: NDArray[np.signedinteger], group: Labels) -> bool:
    """Whether the sets are unions of published groups; negative groups are not published."""
    published = np.flatnonzero(group >= 0)
    first = np.zeros(int(group.max(initial=-1)) + 1, dtype=np.int64)
    first[group[published][::-1]] = published[::-1]
    same = label[published] == label[first[group[published]]]
    return bool(same.all()) and not bool((label[group < 0] >= 0).any())


def parts_a_run(look: Look, shown: Shown) -> bool:
    """Whether values were told apart that some row of the set shows as one run."""
    if look.starts is None or shown.runs is None:
        return bool((look.label[shown.touched] >= 0).any())
    asked = np.flatnonzero((look.label >= 0) & shown.touched)
    number = np.cumsum(look.starts, axis=1)
    line = look.label[asked] if len(number) > 1 else np.zeros(len(asked), dtype=np.int64)
    lower, upper = (each[asked] for each in shown.runs)
    return bool((number[line, lower] != number[line, upper]).any())


def _is_published(look: Look, shown: Shown) -> bool:
    """Whether the release shows of each row just the run that was told of it."""
    if look.answer is None:
        return True
    if shown.runs is None:
        return False
    asked = look.label >= 0
    told = zip((look.answer.first, look.answer.last), shown.runs, strict=True)
    return all(np.array_equal(mine[asked], theirs[asked]) for mine, theirs in told)
