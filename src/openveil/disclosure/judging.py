"""What someone who knows the algorithm can tell, when a function is released and earlier ones were passed over.

Claim. `judge` says whether the disclosure set of a release satisfies the requirement: the tables that agree with the
published groups, without those in which all groups of some earlier function hold. A yes is certain, or, where tables
were sampled, wrong with a chance of at most one in 10^9. Where the set cannot be told exactly, it is bounded; where
nothing decides, the answer is no. What is answered depends on the published groups alone, so whoever knows them and
the algorithm arrives at the same answer.

Why it holds. Let s be the share of a value in a published group, and let the tables that are ruled out be a share
rho of all that agree, of which a share h give the value to a person. In the disclosure set the person has the value
with a chance of (s - rho h) / (1 - rho), which is at most s / (1 - rho). Nothing is more uneven than to fill up the
most frequent values to that bound, one after the other, so if that is permitted the group is safe however the tables
lie (`bounded`). The chances move on a straight line from s as rho grows, and what is permitted is convex: what is
permitted at an upper bound of rho is permitted at rho, and what is not permitted at a lower bound is not. So a
group whose h is counted is answered exactly as soon as rho is known closely enough (`exact`).

Regimes, in the order in which they are tried, and the bound of each; `judgements.Regime` has the words of
certificates.
- *exact, nothing is ruled out*: no earlier function was tried, or some group of each is too small or too uniform
  to hold in any table. At any size.
- *exact, counted by inclusion and exclusion* (`several.py`): at most four earlier functions of which none refines
  another, and 100,000 rows; each term by parts, each part within the bounds of counting.
- *bounded, hardly anything is ruled out*: one earlier function holds with a chance that is a product over parts.
  They are counted from the smallest on until rho is surely small; those that are too large are bounded
  (`rare.py`). Chances are at most s / (1 - rho).
- *exact, counted* (`counting.py`): of parts that are alike, one; each in at most 60,000 steps: some ten rows with
  any values, some hundred rows with few values.
- *exact, everyone as the group shows*: a group that is not cut, or cut into parts of equal size, so that all in it
  are alike. At any size.
- *bounded, failures are rare* (`failures.py`): the earlier function nearly always holds by chance, so rho is close
  to 1, and what is told is that it failed somewhere. At any size, for requirements that cap how often a value may
  occur; chances are at most those of all failures added up, over the chance of some failure.
- *sampled* (`sampled.py`): at most 50,000 rows, of which a thousand tables or more are drawn, from a stream that
  follows from what is published. A yes is wrong with a chance of at most one in 10^9 for a whole release.
- *undecided* otherwise, and that is a no.

Cost. Linear in the number of groups, where groups are bounded; see `counting.py` for a group.

Source. Zhang, Wang, Jajodia, Brodsky 2008, section 3; the counting and the bounds are openveil's own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, cached_property
from math import gcd

from openveil.disclosure.counting import Asked, Counted, Part, counted, may_fail, possible
from openveil.disclosure.failures import learned
from openveil.disclosure.functions import Functions, Image, largest_share
from openveil.disclosure.judgements import Interval, Judgement, Regime, down, rounded_up, up
from openveil.disclosure.parts import Placed, alike, parts_of
from openveil.disclosure.rare import at_most
from openveil.disclosure.sampled import ERROR, by_sample
from openveil.disclosure.several import by_inclusion

__all__ = [
    "Interval",
    "Judgement",
    "Regime",
    "bounded_by",
    "by_parts",
    "judge",
    "largest_share",
    "never",
    "nothing_ruled_out",
    "upper_bound",
    "without_drawing",
    "worst",
]

# After so many parts that could not be counted, no other is tried.
MOST_TRIES = 3
# Tables of so few atoms and rows are counted in full where a bound would do.
MOST_ATOMS, MOST_ROWS = 64, 4096
# A share of tables so small bounds every group that is not at its limit; smaller ones need not be known.
_SMALL = Fraction(1, 1 << 64)


@dataclass(frozen=True)
class Group:
    """The published groups of equal parts: their answer, how it came about, and the largest chance."""

    regime: Regime
    holds: bool
    chance: Fraction
    number: int


def judge(functions: Functions, i: int, image: Image, asked: Asked) -> Judgement:
    """What the release of function i tells who knows that all functions before it were passed over.

    All groups of function i hold.
    """
    said = without_drawing(functions, i, image, asked)
    if said.holds or Regime.UNDECIDED not in said.groups:
        return said
    chosen = functions.among((*functions.tried(i), i))
    return by_sample(chosen, image, asked, ERROR / len(functions)) or said


def without_drawing(functions: Functions, i: int, image: Image, asked: Asked) -> Judgement:
    """The same, as far as it can be counted or bounded."""
    parts = {j: parts_of(functions, i, image, [j]) for j in functions.tried(i)}
    events = [j for j, each in parts.items() if not never(each, asked)]
    if not events:
        return nothing_ruled_out(image, Regime.NOTHING)
    chosen = functions.among((*events, i))
    single = len(events) == 1
    small = len(chosen.sizes) <= MOST_ATOMS and len(chosen.atom) <= MOST_ROWS
    exact = by_inclusion(chosen, image, asked) if small or not single else None
    if exact is None and single:
        return by_parts(functions, i, image, asked, events[0])
    return exact or _bounded(image, asked, [_Single(parts[j], asked).upper for j in events])


def by_parts(functions: Functions, i: int, image: Image, asked: Asked, j: int) -> Judgement:
    """The same where function j is the only one before i that may hold: by parts, as far as is needed."""
    return _Single(parts_of(functions, i, image, [j]), asked).judged


def nothing_ruled_out(image: Image, regime: Regime = Regime.SHOWN) -> Judgement:
    """The disclosure set is every table that agrees with the groups, which hold, or tells no more than those do."""
    share = largest_share(image)
    return Judgement(holds=True, groups={regime: len(image)}, ruled_out=(Fraction(0),) * 2, chance=(share, share))


def worst(bag: Iterable[int], ruled_out: Fraction) -> tuple[int, ...]:
    """The most uneven chances that values can have of which no share grows by more than 1 / (1 - ruled_out)."""
    counts = sorted(bag, reverse=True)
    room = sum(counts) * (ruled_out.denominator - ruled_out.numerator)
    filled = []
    for count in counts:
        filled.append(min(count * ruled_out.denominator, room))
        room -= filled[-1]
    return tuple(filled)


def upper_bound(functions: Functions, i: int, image: Image, asked: Asked) -> Fraction:
    """At most so great a share of the tables that agree with the groups of function i make an earlier one hold."""
    bounds = (
        _Single(each, asked).upper
        for j in functions.tried(i)
        if not never(each := parts_of(functions, i, image, [j]), asked)
    )
    return min(sum(bounds, Fraction(0)), Fraction(1))


def bounded_by(image: Image, asked: Asked, ruled_out: Fraction) -> Judgement:
    """What can be said when at most such a share of the tables is ruled out, whichever they are."""
    return _bounded(image, asked, [ruled_out])


def _bounded(image: Image, asked: Asked, bounds: Iterable[Fraction]) -> Judgement:
    upper = min(sum(bounds, Fraction(0)), Fraction(1))
    share = largest_share(image)
    kinds = Counter(tuple(sorted((n for _, n in group), reverse=True)) for group in image)
    surely = sum(number for bag, number in kinds.items() if upper < 1 and asked.permits(worst(bag, _coarse(upper))))
    groups = {Regime.RARE: surely, Regime.UNDECIDED: len(image) - surely}
    return Judgement(
        holds=surely == len(image),
        groups={regime: number for regime, number in groups.items() if number},
        ruled_out=(Fraction(0), upper),
        chance=(share, min(share / (1 - upper), Fraction(1)) if upper < 1 else Fraction(1)),
    )


def never(parts: Iterable[Placed], asked: Asked) -> bool:
    """Whether some tested set holds in no table: even the most mixed of its possible bags fails."""

    @cache
    def fails(bag: tuple[int, ...], size: int) -> bool:
        return not possible(bag, size, asked)

    for part in {each.folded for each in parts}:
        for atoms in part.tested:
            homes = {part.home[a] for a in atoms}
            bag = tuple(map(sum, zip(*(part.bags[home] for home in homes), strict=True)))
            if fails(bag, sum(part.atoms[a] for a in atoms)):
                return True
    return False


@dataclass
class _Single:
    """One earlier function that may hold: it holds in a share of the tables that is a product over the parts."""

    placed: list[Placed]
    asked: Asked
    _known: dict[Part, Counted | None] = field(default_factory=dict)
    _most: dict[Part, Fraction] = field(default_factory=dict)
    _tries: int = MOST_TRIES

    @cached_property
    def kinds(self) -> Mapping[Part, int]:
        """The parts in which there is something to count, from the smallest on, and how many of each there are."""
        several = alike(each for each in self.placed if len(each.part.atoms) > 1)
        return dict(sorted(several.items(), key=lambda each: (len(each[0].atoms), sum(each[0].atoms))))

    @property
    def upper(self) -> Fraction:
        """A bound of the share: counting stops where it is small."""
        upper = Fraction(1)
        for part, number in self.kinds.items():
            if upper < _SMALL:
                break
            upper = rounded_up(upper * self._share(part)[1] ** number)
        return upper

    @property
    def judged(self) -> Judgement:
        """Groups one by one, at a bound of the share that suffices for most of them."""
        kinds = self.kinds
        if not any(not part.nested or may_fail(part, self.asked) for part in kinds):
            return self._always_held
        upper = self.upper
        if upper == 0:
            return self._never_held
        first = [self._answer(part, number, (Fraction(0), upper)) for part, number in kinds.items()]
        if any(each is not None and not each.kept for each in self._known.values()):
            return self._never_held
        if all(each.holds for each in first):
            return self._told(first, (self._lower if len(self._known) == len(kinds) else Fraction(0), upper))
        whole = self._interval
        if whole[1] == 0:
            return self._never_held
        again = [self._answer(part, number, whole) for part, number in kinds.items()]
        return self._told(again if all(each.holds for each in again) else self._failed(again), whole)

    def _failed(self, answers: list[Group]) -> list[Group]:
        """The same answers, and for those that are not a yes, what is told by failing where failing is rare."""
        told = learned(self.kinds, self.asked)
        if told is None:
            return answers
        return [
            Group(Regime.FAILURES, holds=True, chance=Fraction(told.chance[part]), number=each.number)
            if not each.holds and told.permitted[part]
            else each
            for part, each in zip(self.kinds, answers, strict=True)
        ]

    @property
    def _always_held(self) -> Judgement:
        """All groups of the earlier function hold in any table, so no table at all is left."""
        groups = sum(len(each.part.bags) for each in self.placed)
        one = (Fraction(1),) * 2
        return Judgement(holds=False, groups={Regime.COUNTED: groups}, ruled_out=one, chance=one)

    @property
    def _never_held(self) -> Judgement:
        """Counting shows that in some part no table makes the earlier function hold, so nothing is ruled out."""
        safe = [
            Group(Regime.NOTHING, holds=True, chance=Fraction(0), number=number * len(part.bags))
            for part, number in self.kinds.items()
        ]
        return self._told(safe, (Fraction(0),) * 2)

    @property
    def _lower(self) -> Fraction:
        return _product_down(self._share(part)[0] ** number for part, number in self.kinds.items())

    @property
    def _interval(self) -> Interval:
        upper = Fraction(1)
        for part, number in self.kinds.items():
            upper = rounded_up(upper * self._share(part)[1] ** number)
        return self._lower, upper

    def _share(self, part: Part) -> Interval:
        """In which share of its tables all tested sets of a part hold."""
        if part not in self._known:
            self._known[part] = counted(part, self.asked) if self._tries > 0 else None
            self._tries -= self._known[part] is None
            self._most[part] = at_most(part, self.asked) if self._known[part] is None else Fraction(1)
        known = self._known[part]
        return (Fraction(0), self._most[part]) if known is None else (Fraction(known.kept, known.total),) * 2

    def _answer(self, part: Part, number: int, ruled_out: Interval) -> Group:
        """Whether nobody in such a part has a value too surely, whatever the share within its bounds."""
        lower, upper = ruled_out
        groups = number * len(part.bags)
        share = max(Fraction(max(bag), sum(bag)) for bag in part.bags)
        if lower < upper < 1 and all(self.asked.permits(worst(bag, _coarse(upper))) for bag in part.bags):
            return Group(Regime.RARE, holds=True, chance=min(share / (1 - upper), Fraction(1)), number=groups)
        self._share(part)
        if part.even:
            return Group(Regime.SHOWN, holds=True, chance=share, number=groups)
        if self._known[part] is None:
            return Group(Regime.UNDECIDED, holds=False, chance=Fraction(1), number=groups)
        most = self._others(part, upper)
        holds, chance = self._tested(part, most)
        certain = holds or not self._tested(part, self._others(part, lower))[0]
        return Group(Regime.COUNTED if certain else Regime.UNDECIDED, holds, max(chance, share), groups)

    def _others(self, part: Part, share: Fraction) -> Fraction:
        """The share that all other parts hold in, when all hold in `share`; nothing where this one never does."""
        own = self._share(part)[0]
        return min(share / own, Fraction(1)) if own else Fraction(0)

    def _tested(self, part: Part, others: Fraction) -> tuple[bool, Fraction]:
        """Whether the chances of all in a part are permitted, and the largest, when others hold in that share."""
        known = self._known[part]
        assert known is not None  # noqa: S101  only counted parts are tested
        chances = {
            tuple(_chance(count, sum(bag), known.total, there, others) for count, there in zip(bag, row, strict=True))
            for bag, row in {(part.bags[part.home[a]], known.at[a]) for a in range(len(part.atoms))}
        }
        reduced = [_reduced(each) for each in chances]
        largest = max((Fraction(max(each), sum(each)) for each in reduced if sum(each)), default=Fraction(1))
        return all(self.asked.permits(each) for each in reduced), largest

    def _told(self, answers: list[Group], ruled_out: Interval) -> Judgement:
        """All answers together; a group that is one atom shows the shares it has in every table."""
        alone = [each for each in self.placed if len(each.part.atoms) == 1]
        groups = Counter({Regime.SHOWN: len(alone)})
        for each in answers:
            groups[each.regime] += each.number
        share = max(Fraction(max(bag), sum(bag)) for each in self.placed for bag in each.part.bags)
        return Judgement(
            holds=all(each.holds for each in answers),
            groups={regime: number for regime, number in groups.items() if number},
            ruled_out=ruled_out,
            chance=(share, max([share, *(each.chance for each in answers)])),
        )


def _chance(count: int, rows: int, total: int, there: int, others: Fraction) -> int:
    """In how many tables of the set, up to a factor, a person has a value that `count` of `rows` rows have."""
    return count * total * others.denominator - rows * others.numerator * there


def _reduced(counts: tuple[int, ...]) -> tuple[int, ...]:
    shared = gcd(*counts) or 1
    return tuple(sorted((count // shared for count in counts), reverse=True))


def _coarse(upper: Fraction) -> Fraction:
    """A bound with few digits: no smaller, and below 1 where it is."""
    return upper if upper > Fraction(1, 2) else up(max(upper, _SMALL))


def _product_down(shares: Iterable[Fraction]) -> Fraction:
    """A product, rounded down where its digits would grow without end."""
    whole = Fraction(1)
    for share in shares:
        whole = down(whole * share)
    return whole
