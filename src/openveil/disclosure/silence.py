"""What it tells that nothing was released.

Claim. Neither paper asks what is told by releasing nothing. `silence` measures it for someone who knows how often
each value occurs in the groups of the last function: of the tables that agree with them, in what share nothing is
released, and how large a chance of a value that leaves someone with, at most. Both are intervals, which are one
number where the answer is exact. Someone who knows only which values there may be learns nothing from silence if
there are enough of them: requirements do not tell values apart, so every value is as likely as any other for
everyone.

Why it holds. Ways to tell, in the order in which they are tried.
- *counted*: if the last function fails and all others refine it, they fail too, and silence tells only that. If it
  holds, its groups say how often the method is silent, exactly or within bounds (`subjects.py`).
- *gone through*: where there are at most `MOST` ways to fill the groups, each is tried and weighed by its number of
  tables.
- *drawn*: so many tables are drawn at random. The share is then in the interval of Clopper and Pearson, the chance
  within Hoeffding's distance of what was seen, for all persons and values at once, each at 95 %; below `LEAST` silent
  tables nothing is told of the chance. Tables that it would take too long to judge count both ways. What was counted
  bounds what was drawn, and is all that is told where too few tables can be drawn.

Cost. One judgement, or one run for each way or drawn table: as many as `STEPS` allow, which are counted, not timed.

Source. The question is that of Tn-safety: Zhang, Jajodia, Brodsky 2007, Definition 11. C. J. Clopper, E. S. Pearson,
The use of confidence or fiducial limits, 1934; W. Hoeffding, Probability inequalities for sums of bounded random
variables, 1963.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice
from math import log, prod, sqrt

import numpy as np
from numpy.typing import NDArray

from openveil.core.intervals import LEVEL, interval
from openveil.core.secret import ChanceError, Secret
from openveil.disclosure.counting import orders
from openveil.disclosure.drawing import Table, Tables
from openveil.disclosure.functions import Functions, Image, largest_share
from openveil.disclosure.images import Filling, fillings
from openveil.disclosure.judgements import Interval
from openveil.disclosure.strategies import holds, last_of
from openveil.disclosure.subjects import JUDGED, Silence, Subject, Told

MOST = 2000
_MOST_ATOMS = 64
# Drawn tables: so many at most, or as many as touch so many rows; if there are fewer than `FEWEST`, nothing is drawn.
# So many tables tell how many would be judged.
MOST_DRAWN, STEPS, FEWEST, _FIRST = 1_000, 1 << 30, 20, 50
# Below so many silent tables, what was seen of them says next to nothing.
LEAST = 30
# An interval so narrow is as good as a number.
_NARROW = Fraction(1, 1000)


def silence(subject: Subject, image: Image) -> Silence | None:
    """What silence tells to someone who knows these groups of the last function; None where no function is tried."""
    functions, last = subject.functions, last_of(subject.functions)
    if last is None:
        return None
    if not holds(image, subject.asked) and _all_refine(functions, last):
        share = largest_share(image)
        return Silence(Told.COUNTED, (Fraction(1),) * 2, (share, share))
    counted = subject.counted(last, image) if holds(image, subject.asked) else None
    if counted is not None and counted.share[1] - counted.share[0] <= _NARROW:
        return counted
    tables = Tables(functions, last, image, subject.asked)
    return _gone_through(subject, tables) or _drawn(subject, tables, counted)


def _all_refine(functions: Functions, last: int) -> bool:
    return all(functions.refines(i, last) for i, fits in enumerate(functions.fits) if fits)


def _gone_through(subject: Subject, tables: Tables) -> Silence | None:
    """Every way to fill the groups; None where there are too many, or too many orders of one."""
    if len(tables.functions.sizes) > _MOST_ATOMS:
        return None
    every = [*islice(fillings(tables.functions, tables.last, tables.image), MOST + 1)]
    if len(every) > MOST:
        return None
    ways = [prod(orders([n for _, n in group]) for group in each) for each in every]
    try:
        silent = [number * subject.silent_of(tables.filled(each)) for each, number in zip(every, ways, strict=True)]
    except ChanceError:
        return None
    size = sum(silent, Fraction(0))
    chance = max(_chances(every, silent, size)) if size else None
    share = Fraction(size, sum(ways))
    left = None if chance is None else (chance, chance)
    return Silence(Told.GONE_THROUGH, (share,) * 2, left, sum(ways), int(size))


def _chances(every: list[Filling], silent: list[Fraction], size: Fraction) -> Iterator[Fraction]:
    """How likely each value is in each atom, if tables are so likely to be met with silence."""
    for several in zip(*every, strict=True):
        having: defaultdict[int, Fraction] = defaultdict(Fraction)
        for group, number in zip(several, silent, strict=True):
            for value, rows in group:
                having[value] += number * Fraction(rows, sum(n for _, n in group))
        yield max(having.values()) / size


def _drawn(subject: Subject, tables: Tables, counted: Silence | None) -> Silence | None:
    """As many tables as can be drawn; what was counted where these are too few."""
    random = np.random.default_rng(list(Secret.fresh().stream("silence", 32)))
    number, seen = _affordable(subject, tables, random), _Seen(tables)
    if number < FEWEST:
        return counted
    for _ in range(number):
        table = tables.drawn(random)
        seen.add(table, subject.is_silent(table, random))
    share = Fraction(interval(seen.silent, number)[0]), Fraction(interval(seen.silent + seen.untold, number)[1])
    chance = seen.chance
    if counted is not None:
        share = _within(share, counted.share)
        chance = _within(chance, counted.chance) if chance and counted.chance else chance or counted.chance
    return Silence(Told.DRAWN, share, chance, number, seen.silent)


def _affordable(subject: Subject, tables: Tables, random: np.random.Generator) -> int:
    """How many tables can be drawn, by the share of some first ones that would be judged, which are not counted."""
    number = min(MOST_DRAWN, STEPS // subject.steps)
    judged = sum(subject.judges(tables.drawn(random)) for _ in range(min(_FIRST, number)))
    return min(number, JUDGED * _FIRST // (judged * subject.dear)) if judged else number


def _within(one: Interval, other: Interval) -> Interval:
    """What both say; what is certain, where they contradict each other, as one in twenty draws may."""
    low, high = max(one[0], other[0]), min(one[1], other[1])
    return (low, high) if low <= high else other


@dataclass
class _Seen:
    """What was seen of drawn tables: how many were silent or not told, and who had which value in silent ones."""

    tables: Tables
    silent: int = 0
    untold: int = 0
    having: NDArray[np.float64] | None = field(default=None, repr=False)

    def add(self, table: Table, silent: bool | None) -> None:  # noqa: FBT001
        """One more."""
        self.untold += silent is None
        if silent:
            self.silent += 1
            rows = self._rows(table)
            self.having = rows if self.having is None else self.having + rows

    def _rows(self, table: Table) -> NDArray[np.float64]:
        """For each atom and value, in which share of the rows it is."""
        functions, domain = self.tables.functions, self.tables.limits.domain
        counts = np.bincount(functions.atom * domain + table.values, minlength=len(functions.sizes) * domain)
        shares: NDArray[np.float64] = counts.reshape(-1, domain) / functions.sizes[:, None]
        return shares

    @property
    def chance(self) -> Interval | None:
        """The largest chance that silence leaves, for all atoms and values at once."""
        if self.having is None or self.silent < LEAST or self.untold:
            return None
        far = sqrt(log(2 * self.having.size / (1 - LEVEL)) / (2 * self.silent))
        most, share = float(self.having.max()) / self.silent, largest_share(self.tables.image)
        return max(Fraction(most - far), share), min(max(Fraction(most + far), share), Fraction(1))
