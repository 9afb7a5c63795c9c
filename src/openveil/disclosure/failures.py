"""What someone learns from an earlier function having failed, where it nearly always holds by chance.

Claim. `learned` bounds, for everyone in a part, the chance of each value in the tables in which the earlier function
fails: it fails in some atom, and in most of them only there, so hardly anybody is concerned.

Why it holds. For a requirement that only caps how often a value may occur in so many rows, the function fails where
some value exceeds its cap in some atom: a union of events, one an atom and value. Its chance is at least the sum of
theirs less the chances of pairs (Bonferroni), and at least that of one event in each published group, which are
independent. A person has a value and some event happens with at most the sum, over the events, of the chances of
both. Rows of an atom are a sample without replacement, so each is a tail of a hypergeometric distribution: of the
values of one atom (pairs of these are negatively associated, so at most a product), of two atoms (given the first,
the second draws from what is left, of which no value has more rows than before and there are fewer rows in all), and
of a person's atom, given the person's own value. Logarithms are in floating point; of positive terms, each off by far
less than `MARGIN`, by which every bound is moved outwards.

Cost. One tail for each value, and each size of an atom in a group.

Source. Bonferroni 1936; K. Joag-Dev, F. Proschan, Negative Association of Random Variables, 1983. The use is
openveil's own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, inf, log, log1p

import numpy as np

from openveil.disclosure.counting import Asked, Part
from openveil.disclosure.judgements import most_uneven
from openveil.disclosure.tails import MARGIN, tail


@dataclass(frozen=True)
class Learned:
    """For each kind of part, whether the chances of everyone are permitted, and at most how large they are."""

    permitted: Mapping[Part, bool]
    chance: Mapping[Part, float]


@dataclass(frozen=True)
class _Atom:
    """Logarithms about one atom: its failure at least, at most, after another atom, and after one person."""

    least: float
    most: float
    after_atom: float
    after_person: float
    own: tuple[float, ...]


# How often a value may occur in an atom of a part that has so many rows.
Cap = Callable[[Part, int], int]


def learned(kinds: Mapping[Part, int], asked: Asked, cap: Cap | None = None) -> Learned | None:
    """What is told of nested parts, of each of which there are so many; None where more than caps is asked.

    What fails are the caps of the requirement, or those that are given.
    """
    if asked.most(1) is None or not all(part.nested for part in kinds):
        return None
    atoms = {part: _atoms_of(part, cap or (lambda _, size: asked.most(size) or 0)) for part in kinds}
    weighed = [
        (part, atom, log(number * times)) for part, number in kinds.items() for atom, times in atoms[part].items()
    ]
    some = max(_sum_less_pairs(weighed), _one_a_group(kinds, atoms))
    if some == -inf:
        return None
    everywhere = _total(atom.after_person + weight for _, atom, weight in weighed)
    permitted, chance = {}, {}
    for part in kinds:
        rows = [_bounds(part, atom, everywhere, some) for atom in atoms[part]]
        permitted[part] = all(asked.permits(most_uneven(each)) for each in rows)
        chance[part] = max(min(max(each), 1.0) for each in rows)
    return Learned(permitted, chance)


def _atoms_of(part: Part, cap: Cap) -> Mapping[_Atom, int]:
    """The tested atoms of a part, and how many there are of each."""
    tested = {each[0] for each in part.tested}
    sizes = Counter((size, a in tested) for a, size in enumerate(part.atoms))
    largest = max(part.atoms)
    return Counter(
        {
            _atom(part.bags[0], size, largest, cap(part, size) if is_tested else None): number
            for (size, is_tested), number in sizes.items()
        }
    )


def _atom(bag: Sequence[int], size: int, largest: int, cap: int | None) -> _Atom:
    if cap is None:
        return _Atom(-inf, -inf, -inf, -inf, (-inf,) * len(bag))
    rows = sum(bag)
    each = [tail(size, count, rows, cap) for count in bag]
    later = [tail(size, count, rows - largest, cap) for count in bag]
    person = [tail(size, count, rows - 1, cap) for count in bag]
    own = [tail(size - 1, count - 1, rows - 1, cap - 1) if count else -inf for count in bag]
    whole = _total(each)
    # Values of one atom are negatively associated; where two cannot both exceed the cap there are no pairs.
    pairs = 2 * whole - log(2) if 2 * (cap + 1) <= size else -inf
    return _Atom(max(_less(whole, pairs), *each), whole, _total(later), _total(person), tuple(own))


def _sum_less_pairs(weighed: Sequence[tuple[Part, _Atom, float]]) -> float:
    """The chance of some failure, at least: all failures, less those of two atoms."""
    least = _total(atom.least + weight for _, atom, weight in weighed)
    most = _total(atom.most + weight for _, atom, weight in weighed)
    after = _total(atom.after_atom + weight for _, atom, weight in weighed)
    return _less(least, most + after - log(2)) - MARGIN


def _one_a_group(kinds: Mapping[Part, int], atoms: Mapping[Part, Mapping[_Atom, int]]) -> float:
    """The chance of some failure, at least: that of the likeliest in each published group, which are independent."""
    none = 0.0
    for part, number in kinds.items():
        likeliest = min(exp(max(atom.least for atom in atoms[part])) * (1 - MARGIN), 1.0)
        if likeliest == 1.0:
            return 0.0
        none += number * log1p(-likeliest)
    failing = -np.expm1(none)
    return log(failing) - MARGIN if failing > 0 else -inf


def _bounds(part: Part, atom: _Atom, everywhere: float, some: float) -> list[float]:
    """At most so large are the chances of the values of someone in an atom, given that something fails."""
    rows = sum(part.bags[0])
    return [
        count / rows * exp(min(float(np.logaddexp(everywhere, own)) - some + 4 * MARGIN, 700.0))
        for count, own in zip(part.bags[0], atom.own, strict=True)
    ]


def _total(logs: Iterable[float]) -> float:
    """The logarithm of a sum of numbers given by logarithms."""
    known = [each for each in logs if each > -inf]
    if not known:
        return -inf
    most = max(known)
    return most + log(sum(exp(each - most) for each in known))


def _less(one: float, other: float) -> float:
    """The logarithm of a difference, where there is one that floating point can tell."""
    share = exp(other - one) if other < one else 1.0
    return float(one + log1p(-share)) if share < 1.0 else -inf
