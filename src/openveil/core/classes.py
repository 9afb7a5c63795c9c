"""Equivalence classes: the distinct quasi-identifier tuples, how many rows and how many persons each has.

Claim. `Classes` holds what a privacy model needs of a table: for each distinct tuple its number of rows, its number
of persons and, where they were given, the bags of its sensitive values. `lift` coarsens every attribute by a map of
its codes and merges the classes that become equal, without going back to the rows.

Why it holds. Rows and bags are additive under merging. Persons are not (one person may be in both halves), so those
with more than one distinct tuple are kept by name (`Crowd`) and counted anew; the others are additive.

Cost. A class is a representative tuple and a size, 12 bytes, over one shared matrix of base tuples; a lift is
one pass over the finer classes (`kernels/fold.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from openveil.core.bags import Bags, Counts
from openveil.core.table import CodeMatrix

Map = NDArray[np.int32]
Folded = tuple[NDArray[np.int32], Counts, NDArray[np.int32]]

_WORD = 1 << 62
_DENSE_SLACK = 4
_DENSE_LEAST = 4096
_ALL = np.empty(0, dtype=np.int32)
_ONCE = np.empty(0, dtype=np.int64)
_UNWANTED = np.empty(0, dtype=np.int32)
_WANTED = np.empty(1, dtype=np.int32)


@dataclass(frozen=True, eq=False)
class Crowd:
    """The persons of a table: `solo[t]` have only tuple t; each other visits the tuples of one run of `visited`."""

    solo: Counts
    visited: NDArray[np.int32]
    starts: Counts

    @staticmethod
    def gather(tuple_of_row: NDArray[np.int32], person_of_row: NDArray[np.int32], tuples: int) -> Crowd:
        """Sort the distinct (person, tuple) pairs into those who have one tuple and those who have several."""
        pairs = np.unique(person_of_row.astype(np.int64) * tuples + tuple_of_row)
        person, visited = pairs // tuples, (pairs % tuples).astype(np.int32)
        first = np.flatnonzero(np.diff(person, prepend=-1))
        visits = np.diff(first, append=len(person))
        several = np.repeat(visits > 1, visits)
        starts = np.concatenate([[0], np.cumsum(visits[visits > 1])]).astype(np.int64)
        solo = np.bincount(visited[~several], minlength=tuples).astype(np.int64)
        return Crowd(solo, visited[several], starts)

    def among(self, kept: NDArray[np.bool_]) -> Crowd:
        """The same persons in the kept tuples only, which are numbered anew in their order."""
        stays = kept[self.visited]
        number = (np.cumsum(kept) - 1).astype(np.int32)
        starts = np.concatenate([[0], np.cumsum(stays)])[self.starts]
        return Crowd(self.solo[kept], number[self.visited[stays]], starts.astype(np.int64))

    def count(self, label: NDArray[np.int32], classes: int) -> Counts:
        """How many persons are in each class, given the class of every base tuple."""
        from openveil.kernels.fold import count_visitors

        alone: Counts = np.bincount(label, self.solo, minlength=classes).astype(np.int64)
        visits: Counts = count_visitors(label, self.visited, self.starts, classes)
        return alone + visits


@dataclass(frozen=True, eq=False)
class Classes:
    """Distinct tuples with their sizes.

    `base` are the finest tuples; `firsts` names for each class one base tuple in it; `maps` say, attribute by
    attribute, what the base codes have become; `sizes` counts rows. `base_sizes` and `crowd` belong to `base`.
    Classes stand in the order in which their first base tuple appears; `labelled` is `label` where a fold of the
    base has already given it. `base_bags` are the sensitive values of the base tuples, view by view. `known` says how
    many people each class may be about, where a population is known.
    """

    base: CodeMatrix
    base_sizes: Counts
    maps: tuple[Map, ...]
    firsts: NDArray[np.int32]
    sizes: Counts
    crowd: Crowd | None = None
    labelled: NDArray[np.int32] | None = None
    base_bags: tuple[Bags, ...] = ()
    known: Counts | None = None

    @staticmethod
    def fold(codes: CodeMatrix, cardinalities: Sequence[int], persons: NDArray[np.int32] | None = None) -> Classes:
        """The classes of the rows of `codes`; which row is in which class is not kept."""
        if persons is not None:
            return Classes.of_rows(codes, cardinalities, persons)[0]
        maps = _as_they_are(cardinalities)
        firsts, sizes, _ = _fold(_frozen(codes), _ALL, _ONCE, maps)
        return _finest(codes, maps, firsts, sizes, None)

    @staticmethod
    def of_rows(
        codes: CodeMatrix, cardinalities: Sequence[int], persons: NDArray[np.int32] | None = None
    ) -> tuple[Classes, NDArray[np.int32]]:
        """The classes of the rows of `codes`, and the class of each row."""
        maps = _as_they_are(cardinalities)
        firsts, sizes, home = _fold(_frozen(codes), _ALL, _ONCE, maps, label=_WANTED)
        crowd = None if persons is None else Crowd.gather(home, persons, max(1, len(firsts)))
        return _finest(codes, maps, firsts, sizes, crowd), home

    def __len__(self) -> int:
        return len(self.sizes)

    @cached_property
    def label(self) -> NDArray[np.int32]:
        """The class of each base tuple; a search that climbs from class to class never asks, so never pays."""
        if self.labelled is not None:
            return self.labelled
        # Every fold keeps the order of first appearance, so folding the base anew numbers the classes alike.
        return _fold(self.base, _ALL, _ONCE, self.maps, label=_WANTED)[2]

    @cached_property
    def persons(self) -> Counts:
        """How many persons each class has; every row counts as one where no column says otherwise."""
        if self.crowd is None:
            return self.sizes
        return self.crowd.count(self.label, len(self))

    @property
    def people(self) -> Counts:
        """How many people may own a row of each class; no fewer than the persons in it."""
        return self.persons if self.known is None else np.maximum(self.persons, self.known)

    @cached_property
    def bags(self) -> tuple[Bags, ...]:
        """The sensitive values of each class, view by view; none where they were not given."""
        return tuple(bags.merged(self.label, len(self)) for bags in self.base_bags)

    @property
    def tuples(self) -> Map:
        """One row a class: its (coarse) code in every attribute."""
        base = self.base[self.firsts]
        columns = [self.maps[a][base[:, a]] for a in range(len(self.maps))]
        return np.stack(columns, axis=1) if columns else np.empty((len(self), 0), dtype=np.int32)

    def keep(self, kept: NDArray[np.bool_]) -> Classes:
        """The kept classes alone, as if the rows of the others had never been there."""
        stays = kept[self.label]
        base, number = self.base[stays], (np.cumsum(stays) - 1).astype(np.int32)
        crowd = None if self.crowd is None else self.crowd.among(stays)
        firsts, sizes = number[self.firsts[kept]], self.sizes[kept]
        bags = tuple(each.among(stays) for each in self.base_bags)
        known = None if self.known is None else self.known[kept]
        return Classes(_frozen(base), self.base_sizes[stays], self.maps, firsts, sizes, crowd, None, bags, known)

    def with_bags(self, bags: tuple[Bags, ...]) -> Classes:
        """The same classes, the base tuples of which have these sensitive values."""
        return replace(self, base_bags=bags)

    def lift(self, maps: Sequence[Map]) -> Classes:
        """Coarsen: `maps[a]` takes base codes of attribute a to coarser ones and must refine nothing.

        How many people a coarser class may be about is not known.
        """
        if self.crowd is None:
            firsts, sizes, _ = _fold(self.base, self.firsts, self.sizes, maps)
            return Classes(self.base, self.base_sizes, tuple(maps), firsts, sizes, base_bags=self.base_bags)
        firsts, sizes, label = _fold(self.base, _everyone(self.base), self.base_sizes, maps, label=_WANTED)
        return Classes(self.base, self.base_sizes, tuple(maps), firsts, sizes, self.crowd, label, self.base_bags)


def _frozen(codes: CodeMatrix) -> CodeMatrix:
    """The same codes, read-only, as every kernel is compiled for."""
    view = codes.view()
    view.flags.writeable = False
    return view


def label_rows(codes: CodeMatrix, maps: Sequence[Map]) -> NDArray[np.int32]:
    """The class of each row of `codes` under `maps`; classes are numbered by their first row."""
    return _fold(_frozen(codes), _ALL, _ONCE, maps, label=_WANTED)[2]


def _as_they_are(cardinalities: Sequence[int]) -> tuple[Map, ...]:
    return tuple(np.arange(size, dtype=np.int32) for size in cardinalities)


def _finest(
    codes: CodeMatrix, maps: tuple[Map, ...], firsts: NDArray[np.int32], sizes: Counts, crowd: Crowd | None
) -> Classes:
    base = _frozen(np.ascontiguousarray(codes[firsts]))
    everyone = _everyone(base)
    return Classes(base, sizes, maps, everyone, sizes, crowd, everyone)


def _everyone(base: CodeMatrix) -> NDArray[np.int32]:
    return np.arange(len(base), dtype=np.int32)


@dataclass(frozen=True, eq=False)
class _Keys:
    """How coarse tuples become numbers: mixed radix over the attributes that are not all one, word by word."""

    columns: NDArray[np.int64]
    table: NDArray[np.int64]
    offsets: NDArray[np.int64]
    words: NDArray[np.int64]
    space: int

    @staticmethod
    def of(maps: Sequence[Map]) -> _Keys:
        columns: list[int] = []
        parts: list[Counts] = []
        words: list[int] = []
        word, space = 0, 1
        for a, codes_to in enumerate(maps):
            radix = int(codes_to.max(initial=0)) + 1
            if radix == 1:
                continue
            if space * radix >= _WORD:
                word, space = word + 1, 1
            columns.append(a)
            words.append(word)
            parts.append(codes_to.astype(np.int64) * space)
            space *= radix
        table = np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)
        offsets = [0, *accumulate(len(part) for part in parts)][: len(parts)]
        return _Keys(
            np.array(columns, dtype=np.int64),
            table,
            np.array(offsets, dtype=np.int64),
            np.array(words, dtype=np.int64),
            space,
        )


def _fold(
    codes: CodeMatrix,
    rows: NDArray[np.int32],
    sizes: Counts,
    maps: Sequence[Map],
    label: NDArray[np.int32] = _UNWANTED,
) -> Folded:
    """Fold the named tuples (all rows once each when none are named) with the kernel that fits their keys.

    The class of each tuple is told when `label` is `_WANTED`, at four bytes a tuple.
    """
    from openveil.kernels.fold import fold_dense, fold_hashed, fold_wide

    keys = _Keys.of(maps)
    total = len(rows) or len(codes)
    label = np.empty(total if len(label) else 0, dtype=np.int32)
    given = (codes, rows, sizes, label, total, keys.columns, keys.table, keys.offsets)
    if len(keys.words) and keys.words[-1]:
        folded: tuple[NDArray[np.int32], Counts] = fold_wide(*given, keys.words)
    elif keys.space <= _DENSE_SLACK * total + _DENSE_LEAST:
        folded = fold_dense(*given, keys.space)
    else:
        folded = fold_hashed(*given)
    return (*folded, label)
