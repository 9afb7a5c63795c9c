"""Blocks of real people of one class of work, and natural groups of them, for strategies to try.

Claim. A `Block` is so many rows of Adult of one `workclass`, drawn at random. Its functions are education by age by
sex, age by sex, sex, and everyone; where a group would have fewer than `least` rows it is joined with the next one in
the same larger group. So groups follow from quasi-identifiers alone, and each function refines the next.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from measuring.inputs import SHARED
from openveil.core.bags import Bags
from openveil.disclosure.asking import Ratios
from openveil.disclosure.chains import Chain
from openveil.disclosure.descent import Descent
from openveil.disclosure.functions import Functions, Image, image_of
from openveil.disclosure.rotations import Ascent
from openveil.disclosure.strategies import Strategy, exclusive, holds, inclusive, never_silent
from openveil.requirements.frequency_l_diversity import FrequencyDiversity

AGES = (30, 40, 50)
Codes = NDArray[np.int32]
STRATEGIES = (
    "inclusive",
    "inclusive, never silent",
    "exclusive",
    "exclusive, never silent",
    "rotation",
    "rotation, never silent",
)


@dataclass(frozen=True, eq=False)
class Shown:
    """What functions show of rows with these values."""

    functions: Functions
    codes: Codes
    asked: Ratios

    def image(self, i: int) -> Image:
        """The groups of function i."""
        groups, label = self.functions.groups(i), self.functions.labels[i]
        return image_of(Bags.of_rows("values", np.bincount(self.codes), label, self.codes, groups))

    def holds(self, i: int) -> bool:
        """Whether each of them holds by itself."""
        return holds(self.image(i), self.asked)


@dataclass(frozen=True)
class Came:
    """How many groups a strategy releases of a block, and whether some group was bounded or undecided."""

    groups: int
    exact: bool


@dataclass(frozen=True, eq=False)
class Block:
    """So many rows, their values, and the functions that are tried."""

    shown: Shown

    @cached_property
    def came(self) -> Mapping[str, Came]:
        """What each strategy makes of it."""
        random = np.random.default_rng(int(self.shown.codes.sum()))
        own = {name: self._followed(strategy, safe) for name, strategy, safe in _FOLLOWED}
        return own | {name: self._rotated(way, random) for name, way in self._ways.items()}

    def _followed(self, strategy: Strategy, safe: bool) -> Came:
        functions, asked = self.shown.functions, self.shown.asked
        kept = never_silent(functions, self.shown, asked, strategy) if safe else functions
        outcome = strategy(kept, self.shown, asked)
        regimes = {} if outcome.judgement is None else outcome.judgement.groups
        groups = 0 if outcome.released is None else functions.groups(outcome.released)
        return Came(groups, exact=all(regime.exact for regime in regimes))

    @property
    def _ways(self) -> Mapping[str, Ascent | Descent]:
        functions, asked = self.shown.functions, self.shown.asked
        fitting = tuple(np.ones(functions.groups(i), dtype=np.bool_) for i in range(len(functions)))
        every = Chain.of(functions, range(len(functions)))
        return {"rotation": Ascent(every, asked), "rotation, never silent": Descent(every, fitting, asked)}

    def _rotated(self, way: Ascent | Descent, random: np.random.Generator) -> Came:
        group = way.groups(self.shown.codes, lambda _, size: random.permutation(size))
        return Came(0 if group is None else int(group.max()) + 1, exact=True)


@dataclass(frozen=True, eq=False)
class Blocks:
    """Many of them."""

    every: Sequence[Block]
    seeds: int

    def detail(self, name: str) -> float:
        """The groups that a strategy releases, in per cent of those of the finest function, on average."""
        return 100 * float(np.mean([self._share(block, name) for block in self.every]))

    def finer(self, one: str, other: str) -> tuple[str, str]:
        """How often each of two strategies releases more groups than the other, and what else there is to say."""
        came = [(block.came[one], block.came[other]) for block in self.every]
        more, fewer = sum(a.groups > b.groups for a, b in came), sum(a.groups < b.groups for a, b in came)
        nothing = sum(a.groups == b.groups == 0 for a, b in came)
        exact = sum(a.exact and b.exact for a, b in came)
        same = len(came) - more - fewer - nothing
        how = f"of {len(came)} blocks of {self.seeds} seeds: both the same {same}, both nothing {nothing}"
        return f"{more} : {fewer}", f"{how}; told exactly of {exact}"

    @property
    def said(self) -> str:
        """What each strategy releases, and how often nothing."""
        detail = ", ".join(f"{name} {self.detail(name):.0f} %" for name in STRATEGIES)
        silent = {name: sum(not block.came[name].groups for block in self.every) for name in STRATEGIES}
        nothing = ", ".join(f"{name} {number}" for name, number in silent.items())
        return f"groups, of those of the finest function: {detail}; nothing of so many blocks: {nothing}"

    def _share(self, block: Block, name: str) -> float:
        return block.came[name].groups / block.shown.functions.groups(0)


def many_blocks(rows: int, l: int, seeds: Sequence[int], number: int) -> Blocks:  # noqa: E741
    """So many blocks a seed, each of so many rows, in groups of at least twice l rows."""
    asked = Ratios((FrequencyDiversity(l),))
    return Blocks([block for seed in seeds for block in natural(rows, number, asked, 2 * l, seed)], len(seeds))


_FOLLOWED = (
    ("inclusive", inclusive, False),
    ("inclusive, never silent", inclusive, True),
    ("exclusive", exclusive, False),
    ("exclusive, never silent", exclusive, True),
)


def natural(rows: int, number: int, asked: Ratios, least: int, seed: int) -> Iterator[Block]:
    """So many blocks, each of so many rows."""
    random = np.random.default_rng(seed)
    work, keys, values = _people()
    for _ in range(number):
        among = np.flatnonzero(work == random.choice(work))
        chosen = random.choice(among, min(rows, len(among)), replace=False)
        functions = _functions([key[chosen] for key in keys], least)
        yield Block(Shown(functions, np.unique(values[chosen], return_inverse=True)[1].astype(np.int32), asked))


@cache
def _people() -> tuple[Codes, tuple[Codes, ...], Codes]:
    """The class of work, what groups are made of, the largest first, and the occupation of everyone."""
    frame = pl.read_parquet(SHARED / "data" / "adult_45222.parquet")
    lines = (SHARED / "data" / "hierarchies" / "adult" / "education.csv").read_text(encoding="utf-8").splitlines()
    schooling = dict(line.split(";")[:3:2] for line in lines)
    frame = frame.with_columns(education=pl.col("education").replace_strict(schooling))
    work, sex, education, occupation = (
        frame[name].rank("dense").cast(pl.Int32).to_numpy()
        for name in ("workclass", "sex", "education", "occupation")
    )
    ages = np.digitize(frame["age"].to_numpy(), AGES).astype(np.int32)
    return work, (sex, ages, education), occupation


def _functions(keys: list[Codes], least: int) -> Functions:
    """Everyone, and each key inside the groups of those before, the finest first; none twice."""
    labels = [np.zeros(len(keys[0]), dtype=np.int32)]
    for key in keys:
        finer = _taken_apart(labels[0], key, least)
        if finer.max() > labels[0].max():
            labels.insert(0, finer)
    return Functions.of(labels)


def _taken_apart(label: Codes, key: Codes, least: int) -> Codes:
    found, number = np.empty_like(label), 0
    for group in np.unique(label):
        rows = np.flatnonzero(label == group)
        for together in _joined([rows[key[rows] == each] for each in np.unique(key[rows])], least):
            found[together] = number
            number += 1
    return found


def _joined(groups: list[NDArray[np.int64]], least: int) -> list[NDArray[np.int64]]:
    """Groups of so many rows at least, if there are as many in all; small ones are joined with the next."""
    found: list[NDArray[np.int64]] = []
    for rows in groups:
        if found and len(found[-1]) < least:
            found[-1] = np.concatenate([found[-1], rows])
        else:
            found.append(rows)
    if len(found) > 1 and len(found[-1]) < least:
        found[-2:] = [np.concatenate(found[-2:])]
    return found
