"""What it tells that nothing was released.

Claim. Neither paper asks what is told by releasing nothing. `silence` measures it for someone who knows how often
each value occurs in the groups of the coarsest function: of the tables that agree with them, in how many nothing is
released, and, where the tables can be gone through, how large a chance of a value that leaves someone with. Someone
who knows only which values there may be learns nothing from silence if there are enough of them: requirements do not
tell values apart, so every value is as likely as any other for everyone.

Why it holds. Where there are at most `MOST` ways to fill the groups, each is tried and weighed by its number of
tables. Elsewhere tables are drawn at random, which promises nothing: the count is shown as a count.

Cost. One run of the strategy for each way, or each drawing.

Source. The question is that of Tn-safety: Zhang, Jajodia, Brodsky 2007, Definition 11.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from math import prod

import numpy as np

from openveil.core.secret import Secret
from openveil.disclosure.counting import Asked, orders
from openveil.disclosure.functions import Functions, Image
from openveil.disclosure.images import Filling, fillings, shown
from openveil.disclosure.strategies import See, Strategy, last_of

MOST = 2000
_MOST_ATOMS = 64
_MOST_DRAWN, _ROWS = 12, 200_000


@dataclass(frozen=True)
class Silence:
    """Of `tables` tables (all, or so many drawn), how many are met with silence; the largest chance that leaves."""

    tables: int
    silent: int
    every: bool
    chance: Fraction | None = None


def silence(functions: Functions, see: See, asked: Asked, strategy: Strategy) -> Silence | None:
    """What silence tells to someone who knows the groups of the coarsest function; None where none is tried."""
    last = last_of(functions)
    if last is None:
        return None
    image = see(last)
    if len(functions.sizes) <= _MOST_ATOMS:
        every = [*islice(fillings(functions, last, image), MOST + 1)]
        if len(every) <= MOST:
            return _gone_through(functions, every, asked, strategy)
    return _drawn(functions, last, image, asked, strategy)


def _gone_through(functions: Functions, every: list[Filling], asked: Asked, strategy: Strategy) -> Silence:
    ways = [prod(orders([n for _, n in group]) for group in each) for each in every]
    quiet = [
        (each, number)
        for each, number in zip(every, ways, strict=True)
        if _is_silent(functions, each, asked, strategy)
    ]
    having: list[Counter[int]] = [Counter() for _ in functions.sizes]
    for each, number in quiet:
        for atom, group in enumerate(each):
            for value, rows in group:
                having[atom][value] += number * rows
    chance = max((Fraction(max(each.values()), each.total()) for each in having if each), default=None)
    return Silence(sum(ways), sum(number for _, number in quiet), every=True, chance=chance)


def _drawn(functions: Functions, last: int, image: Image, asked: Asked, strategy: Strategy) -> Silence:
    rows = len(functions.labels[last])
    number = max(min(_ROWS // rows, _MOST_DRAWN), 1)
    random = np.random.default_rng(list(Secret.fresh().stream("silence", 32)))
    quiet = sum(
        _is_silent(functions, _any_filling(functions, last, image, random), asked, strategy) for _ in range(number)
    )
    return Silence(number, quiet, every=False)


def _any_filling(functions: Functions, last: int, image: Image, random: np.random.Generator) -> Filling:
    values = np.array([value for group in image for value, count in group for _ in range(count)])
    places = np.argsort(functions.labels[last], kind="stable")
    ends = np.cumsum([sum(count for _, count in group) for group in image])[:-1]
    for group in np.split(values, ends):
        random.shuffle(group)
    of_row = np.empty_like(values)
    of_row[places] = values
    pairs, counts = np.unique(np.stack([functions.atom, of_row]), axis=1, return_counts=True)
    found: list[list[tuple[int, int]]] = [[] for _ in functions.sizes]
    for atom, value, count in zip(*pairs.tolist(), counts.tolist(), strict=True):
        found[atom].append((value, count))
    return tuple(map(tuple, found))


def _is_silent(functions: Functions, filling: Filling, asked: Asked, strategy: Strategy) -> bool:
    see: Callable[[int], Image] = lambda i: shown(functions, i, filling)  # noqa: E731
    return strategy(functions, see, asked).released is None
