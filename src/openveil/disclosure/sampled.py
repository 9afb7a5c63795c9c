"""What is told of a disclosure set by drawing tables, where it can be neither counted nor bounded.

Claim. `by_sample` says yes of a disclosure set that does not satisfy the requirement with a chance of at most `ERROR`
for a whole release. Nothing is left to chance for a reader: tables are drawn from a stream that follows from the
published groups and the functions alone, so whoever has those draws the same tables and arrives at the same answer,
and a method that asks is a function of published groups as before.

Why it holds. A table that agrees with the published groups is any order of the rows of each group, all alike likely.
Those drawn that are not ruled out are a sample of the disclosure set, however many they are; in each, the share that
a value has in an atom is someone's chance of it there, on average over the set. The mean of numbers between 0 and 1
lies below their expectation by more than Hoeffding's bound with at most the chance that it says. It is asked for
every value of every atom, with equal parts of the error, and this for every function of the sequence. Nothing is more
uneven than to fill up the values to their upper bounds, so if that is permitted for each atom, so are the chances.
Intervals are moved outwards by far more than logarithms and the dealing of rows are off.

What chance is meant. The stream is that of a cipher (Philox) keyed with a hash (SHA-256) of what is published. Taken
as what it stands for, a function drawn at random before anyone chose a table, it errs for the table at hand with the
chance stated. The draw knows nothing of the table but what is published. It is no promise to someone who may choose
the table, or the order of groups, to make it err; but that someone holds the table.

Cost. At most `MOST_ROWS` rows dealt and `MOST_COUNTS` numbers compared; steps, not time. After a tenth of the tables
it gives up if hardly any were left, or if the means alone would not be permitted.

Source. W. Hoeffding, Probability Inequalities for Sums of Bounded Random Variables, 1963, Theorem 1; J. Salmon,
M. Moraes, R. Dror, D. Shaw, Parallel Random Numbers: As Easy as 1, 2, 3, 2011. The use is openveil's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from math import log

import numpy as np
from numpy.typing import NDArray

from openveil.core.bags import Bags
from openveil.disclosure.counting import Asked, Part
from openveil.disclosure.functions import Functions, Image, largest_share
from openveil.disclosure.judgements import Judgement, Regime, most_uneven
from openveil.disclosure.parts import Placed, whole_of

ERROR = 1e-9
MOST_ROWS = 50_000_000
MOST_COUNTS = 50_000_000
MOST_DRAWN, LEAST_DRAWN = 20_000, 1_000
_AT_ONCE = 4_000_000
_MARGIN = 1e-9

Counts = NDArray[np.int32]
Chances = NDArray[np.float64]
# Of tables given by how often each atom has each value, which are ruled out.
RuledOut = Callable[[Counts], NDArray[np.bool_]]


@dataclass(frozen=True)
class Deal:
    """The rows of all published groups, in an order that does not depend on how anything is named, to be dealt.

    `groups` are, for each earlier function, the groups of the atoms.
    """

    part: Part
    groups: tuple[tuple[int, ...], ...]
    most: int = MOST_DRAWN

    @staticmethod
    def of(functions: Functions, placed: Placed, most: int = MOST_DRAWN) -> Deal:
        """That of the last of these functions, whose groups are placed."""
        part, atoms, _ = placed.ordered
        rows = [placed.rows[atom] for atom in atoms]
        return Deal(part, tuple(_numbered(label[rows].tolist()) for label in functions.labels[:-1]), most)

    @property
    def tables(self) -> int:
        """How many tables are drawn; none where that would be too few to tell anything."""
        atoms, values = len(self.part.atoms), len(self.part.bags[0])
        number = min(self.most, MOST_ROWS // sum(self.part.atoms), MOST_COUNTS // (atoms * values))
        return number if number >= LEAST_DRAWN else 0

    def drawn(self) -> Iterator[Counts]:
        """How often each atom has each value in each table, a tenth of the tables at a time, or fewer."""
        from openveil.kernels.dealing import dealt

        atoms, values, rows = len(self.part.atoms), len(self.part.bags[0]), sum(self.part.atoms)
        row = np.concatenate([np.repeat(np.arange(values), bag) for bag in self.part.bags]).astype(np.int32)
        ends = np.cumsum([sum(bag) for bag in self.part.bags])
        atom = np.repeat(np.arange(atoms), self.part.atoms)
        stream, left = self._stream, self.tables
        while left:
            number = min(left, max(min(self.tables // 10, _AT_ONCE // max(rows, atoms * values)), 1))
            yield dealt(row, ends, atom, atoms, values, stream.random_raw(number * rows).reshape(number, rows))
            left -= number

    @property
    def _stream(self) -> np.random.Philox:
        what = repr((self.part.atoms, self.part.home, self.part.bags, self.groups))
        return np.random.Philox(key=int.from_bytes(sha256(what.encode()).digest()[:16], "big"))


@dataclass(frozen=True)
class Sample:
    """How many tables were drawn, how many are not ruled out, and how often their atoms have each value in all."""

    drawn: int
    left: int
    having: NDArray[np.int64]


def by_sample(functions: Functions, image: Image, asked: Asked, error: float) -> Judgement | None:
    """A yes when the last of these functions is released, if drawing tables tells; it errs so often at most.

    Ruled out are tables in which all groups of an earlier function hold.
    """
    deal = Deal.of(functions, whole_of(functions, len(functions) - 1, image))
    bounded = _Bounded(deal, asked, error)
    return bounded.judged(bounded.held, image)


def by_sample_of(deal: Deal, image: Image, asked: Asked, error: float, ruled_out: RuledOut) -> Judgement | None:
    """The same where other tables are ruled out."""
    return _Bounded(deal, asked, error).judged(ruled_out, image)


def _sampled(deal: Deal, ruled_out: RuledOut, bounded: _Bounded) -> Sample | None:
    """All tables that are drawn; none where the first of them leave no hope."""
    drawn, left = 0, 0
    having = np.zeros((len(deal.part.atoms), len(deal.part.bags[0])), dtype=np.int64)
    for counts in deal.drawn():
        kept = counts[~ruled_out(counts)]
        hopeful = drawn > 0
        drawn, left, having = drawn + len(counts), left + len(kept), having + kept.sum(axis=0, dtype=np.int64)
        if not hopeful and not bounded.permits(Sample(drawn, left, having), 0.0):
            return None
    return Sample(drawn, left, having) if left else None


@dataclass(frozen=True)
class _Bounded:
    """What a sample says of everyone, at most, with such a chance of error."""

    deal: Deal
    asked: Asked
    error: float

    def held(self, counts: Counts) -> NDArray[np.bool_]:
        """In which tables all groups of some earlier function hold."""
        held = np.zeros(len(counts), dtype=np.bool_)
        for groups in self.deal.groups:
            held |= self._holding(counts, np.array(groups))
        return held

    def _holding(self, counts: Counts, groups: NDArray[np.int64]) -> NDArray[np.bool_]:
        order = np.argsort(groups, kind="stable")
        bags = np.add.reduceat(counts[:, order], np.searchsorted(groups[order], np.arange(groups.max() + 1)), axis=1)
        if self.asked.most(1) is None:
            holding = self.asked.enough(Bags.of_counts("", bags.reshape(-1, bags.shape[2]))).reshape(len(bags), -1)
        else:
            sizes = np.bincount(groups, weights=self.deal.part.atoms).astype(np.int64).tolist()
            holding = bags.max(axis=2) <= np.array([self.asked.most(rows) or 0 for rows in sizes])
        whole: NDArray[np.bool_] = np.logical_and.reduce(holding, axis=1)
        return whole

    @cached_property
    def _cut(self) -> NDArray[np.bool_]:
        """The atoms that are not a whole published group."""
        home = np.array(self.deal.part.home)
        alone: NDArray[np.bool_] = np.bincount(home)[home] > 1
        return alone

    @cached_property
    def _there(self) -> NDArray[np.bool_]:
        """Of each such atom, the values that its group has."""
        there: NDArray[np.bool_] = np.array(self.deal.part.bags)[np.array(self.deal.part.home)[self._cut]] > 0
        return there

    @property
    def _odds(self) -> float:
        """The logarithm of one over the error that is left for each bound: each value, and both ends of a share."""
        return log((int(self._there.sum()) + 2) / self.error)

    def chances(self, sample: Sample, odds: float) -> Chances:
        """No less than the chance of each value in each atom, with these odds."""
        rows = np.array(self.deal.part.atoms)[self._cut, None]
        return np.where(self._there, above(sample.having[self._cut] / (rows * sample.left), sample.left, odds), 0.0)

    def permits(self, sample: Sample, odds: float) -> bool:
        """Whether chances may be as these bounds say, for everyone."""
        if not sample.left:
            return False
        return all(self.asked.permits(most_uneven(row)) for row in self.chances(sample, odds).tolist())

    def judged(self, ruled_out: RuledOut, image: Image) -> Judgement | None:
        """The answer, if it is a yes."""
        sample, odds = _sampled(self.deal, ruled_out, self), self._odds
        if sample is None or not self.permits(sample, odds):
            return None
        left, share = sample.left / sample.drawn, largest_share(image)
        alone = len(image) - len(set(np.array(self.deal.part.home)[self._cut].tolist()))
        most = float(self.chances(sample, odds).max(initial=0.0))
        out = [1 - above(left, sample.drawn, odds), above(1 - left, sample.drawn, odds)]
        return Judgement(
            holds=True,
            groups={regime: n for regime, n in ((Regime.SHOWN, alone), (Regime.SAMPLED, len(image) - alone)) if n},
            ruled_out=(Fraction(float(out[0])), Fraction(float(out[1]))),
            chance=(share, max(share, Fraction(most))),
        )


def above(mean: Chances | float, tries: int, odds: float) -> Chances:
    """The expectations that such means of so many numbers between 0 and 1 are hardly ever so far below."""
    low, high = np.asarray(mean, dtype=np.float64), np.ones_like(mean, dtype=np.float64)
    mean = low
    for _ in range(50):
        middle = (low + high) / 2
        likely = tries * _divergence(mean, middle) <= odds
        low, high = np.where(likely, middle, low), np.where(likely, high, middle)
    return np.minimum(high + _MARGIN, 1.0)


def _divergence(mean: Chances, other: Chances) -> Chances:
    """Between two coins: how much likelier, in logarithms, the first makes what it makes."""
    with np.errstate(divide="ignore", invalid="ignore"):
        heads = np.where(mean > 0, mean * np.log(mean / other), 0.0)
        tails = np.where(mean < 1, (1 - mean) * np.log((1 - mean) / (1 - other)), 0.0)
    return heads + tails


def _numbered(labels: Sequence[int]) -> tuple[int, ...]:
    """The same groups, numbered as they come."""
    known: dict[int, int] = {}
    return tuple(known.setdefault(label, len(known)) for label in labels)
