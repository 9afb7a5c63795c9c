"""t-closeness: the sensitive values of a group are distributed nearly as in the whole table.

Claim. In a release that holds, whoever learns which group a person is in, and knew how the sensitive values are
distributed in the whole table, moves by at most t: the earth mover's distance between the distribution of every
group and that of the table is at most t. The table is the original one, with rows that are left out later.

The ground distances between two values, all between 0 and 1, are those of the paper. *Equal*: 1 between any two.
*Ordered*: how many places lie between them in order, of the places between the first and the last; the order is
that of numbers and dates or the one that is given, missing comes last, and values that no row has take no place.
*Hierarchical*: the height of the lowest group of a tree that has both, of the height of the tree; missing is outside
all groups.

Why it holds. The earth mover's distance to a fixed distribution is convex: that of a union of groups is at most the
mean of those of its parts, so the model is monotone. It has a closed form for each ground distance. Equal: half the
sum of the absolute differences of shares, as whatever is moved costs 1. Ordered: the mean, over the gaps between
neighbours, of the absolute difference of the shares below the gap, as that much has to cross it. Hierarchical: the
mean, over the levels of the tree under its root, of the equal distance of the groups on this level, as two values
are apart on just as many levels as their lowest common group is high.

A part of s of the N rows of a group G differs from G by a share of at most 1 - s/N: G is s/N of the part and
1 - s/N of the rest. No value is further than 1 from another, and the triangle inequality holds, so the part is at
most 1 - s/N further from the table than G is. `needs` is where this bound meets t, and may be too many.

Where a column's values are not all in the order or the tree, and for all sensitive columns together, the equal
distance is used. It is the largest of all, so nothing holds by it that would not hold by another.

Cost. One pass over the distinct values of the groups; the ordered distance looks each up in the whole table, the
hierarchical one passes once a level. Distances are whole multiples of one over the product of the numbers of rows
and of places or levels; compared as such, in Python's numbers where they exceed 64 bits.

Source. N. Li, T. Li, S. Venkatasubramanian, t-closeness: Privacy beyond k-anonymity and l-diversity, 2007, sections 4
and 5.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openveil.core.bags import Bags, Counts
from openveil.core.errors import Problem, refuse
from openveil.core.finding import Finding, Verdict
from openveil.core.registry import Kind, Status, part
from openveil.core.requirement import Diversity
from openveil.core.witness import TOGETHER, Names, Texts

Path = tuple[str, ...]
Numbers = tuple[int, ...]
Exact = NDArray[np.int64] | NDArray[np.object_]
_WHERE = "t-closeness"
_STEPS = 1000
_WORD = 2**62


class Distance(StrEnum):
    """How far apart two sensitive values are."""

    EQUAL = "equal"
    ORDERED = "ordered"
    HIERARCHICAL = "hierarchical"


@dataclass(frozen=True)
class _Apart:
    """How far each group is from the table, in multiples of 1 / (its rows x `unit`)."""

    distance: Exact
    unit: int

    def of(self, sizes: Counts) -> set[Fraction]:
        """The distances as fractions."""
        pairs = set(zip(self.distance.tolist(), sizes.tolist(), strict=True))
        return {Fraction(distance, size * self.unit) for distance, size in pairs}


class _Closeness(Diversity):
    """Every group is at most `_limit` from the table, by a distance that may depend on the view."""

    __slots__ = ()

    @property
    @abstractmethod
    def _limit(self) -> Fraction:
        """The largest distance allowed."""

    @abstractmethod
    def _apart(self, bags: Bags) -> _Apart:
        """How far each bag is from the whole table."""

    def enough(self, bags: Bags) -> NDArray[np.bool_]:
        """For each bag, whether it is at most t from the whole table."""
        answer: NDArray[np.bool_] = self._slack(self._apart(bags), bags) >= 0
        return answer.astype(np.bool_)

    def needs(self, bags: Bags) -> Counts:
        """So many rows that those missing cannot make up for what is left up to t."""
        apart = self._apart(bags)
        spare = (self._slack(apart, bags) // apart.unit).astype(np.int64)
        needed: Counts = np.maximum(bags.sizes - spare, 1)
        return needed

    def reached(self, bags: Bags) -> Finding:
        """The largest distance of a group from the whole table."""
        worst = max(self._apart(bags).of(bags.sizes))
        verdict = Verdict.HOLDS if worst <= self._limit else Verdict.FAILS
        name = "largest distance between the values of a group and those of the whole table"
        return Finding(name, bags.view, worst, verdict, limit=self._limit)

    def attainable(self, bags: Bags) -> str:
        """The smallest t, in thousandths, that holds for all bags."""
        return f"t = {ceil(max(self._apart(bags).of(bags.sizes)) * _STEPS) / _STEPS}"

    @property
    def promise(self) -> str:
        """The requirement in a few words."""
        return f"t = {self._limit}"

    def _slack(self, apart: _Apart, bags: Bags) -> NDArray[np.object_]:
        """How much further from the table each bag could be, in the multiples of its distance, rounded down."""
        most = apart.unit * self._limit.numerator
        slack: NDArray[np.object_] = bags.sizes.astype(object) * most // self._limit.denominator - apart.distance
        return slack


@part(Kind.REQUIREMENT, _WHERE, source="Li, Li, Venkatasubramanian 2007", status=Status.PROVED)
@dataclass(frozen=True, slots=True)
class TCloseness(_Closeness):
    """The distribution of sensitive values in every group is at most t from that in the whole table.

    `t` is a number from 0 to 1, or an exact fraction such as "1/5"; the smaller, the stricter. `distance`: `equal`
    takes any two values for equally far apart, `ordered` counts the places between them, `hierarchical` asks how
    high the lowest group of a tree is that has both. `order` lists the values in order, for `ordered`; without it
    numbers and dates stand by size, and texts by the alphabet, which seldom means anything. `tree`, for
    `hierarchical`: groups as nested tables whose values are the items of lists or empty tables. A column whose
    values are not all in `order` or `tree` is compared by `equal`, which is stricter.
    """

    t: Fraction
    distance: Distance = Distance.EQUAL
    order: tuple[str, ...] = ()
    tree: dict[str, Any] | None = field(default=None, hash=False)

    def __post_init__(self) -> None:
        # A number that is written is meant as it is written: 0.1 is a tenth.
        object.__setattr__(self, "t", Fraction(str(self.t)))
        object.__setattr__(self, "order", tuple(self.order))
        if not 0 <= self.t <= 1:
            raise refuse(_WHERE, "t must be from 0 to 1", "Ask for a number such as 0.2", found=str(self.t))
        if (self.tree is not None) != (self.distance == Distance.HIERARCHICAL):
            what = "`tree` belongs to the distance 'hierarchical', and it to `tree`"
            raise refuse(f"{_WHERE}: tree", what, "Give both or neither")
        if self.order and self.distance != Distance.ORDERED:
            raise refuse(
                f"{_WHERE}: order", "belongs to the distance 'ordered'", "Ask for it, or leave the order out"
            )
        if len(set(self.order)) < len(self.order):
            raise refuse(f"{_WHERE}: order", "lists a value twice", "List each value once")
        if self.tree is not None:
            _paths(self.tree)

    def unfit_for(self, names: Names) -> Iterator[Problem]:
        """An order or a tree that fits no sensitive column: most likely its values are spelled in another way."""
        if (self.order or self.tree is not None) and not self._placed(names):
            where, remedy = ("tree", "order")[self.tree is None], "Add the values it lacks, spelled as in the table"
            yield Problem(f"{_WHERE}: {where}", "lacks values of every sensitive column", remedy)

    def for_values(self, names: Names) -> Diversity:
        """The same model, told the places in order, or the groups of the tree, of the values."""
        if not self.order and self.tree is None:
            return self
        return _Placed(self, self._placed(names))

    def _placed(self, names: Names) -> tuple[tuple[str, tuple[Numbers, ...]], ...]:
        """The places or groups of the values of each column that they are known of."""
        single = {view: [each[0] for each in texts] for view, texts in names.items() if _is_single(texts)}
        return tuple((view, self._maps(texts)) for view, texts in single.items() if self._covers(texts))

    @property
    def _limit(self) -> Fraction:
        return self.t

    def _apart(self, bags: Bags) -> _Apart:
        by_number = self.distance == Distance.ORDERED and not self.order and bags.view != TOGETHER
        return _ordered(bags) if by_number else _equal(bags)

    def _covers(self, texts: Sequence[str | None]) -> bool:
        return {text for text in texts if text is not None} <= set(self.order or _paths(self.tree))

    def _maps(self, texts: Sequence[str | None]) -> tuple[Numbers, ...]:
        """The place of each value in order, or its group on every level of the tree from the top."""
        if self.order:
            place = {text: number for number, text in enumerate(self.order)}
            return (_ranks([(text is None, place.get(text or "", 0)) for text in texts]),)
        paths = _paths(self.tree)
        ways = [(text is None, paths.get(text or "", ())) for text in texts]
        levels = range(1, max(map(len, paths.values())) + 1)
        return tuple(_ranks([(missing, way[:level]) for missing, way in ways]) for level in levels)


@dataclass(frozen=True, slots=True)
class _Placed(_Closeness):
    """The model for a table in which the values of these views have these places or, level by level, groups."""

    model: TCloseness
    maps: tuple[tuple[str, tuple[Numbers, ...]], ...]

    @property
    def name(self) -> str:
        """What the model is called in plans."""
        return self.model.name

    @property
    def _limit(self) -> Fraction:
        return self.model.t

    def _apart(self, bags: Bags) -> _Apart:
        levels = [_renumbered(bags, numbers) for numbers in dict(self.maps).get(bags.view, ())]
        if not levels:
            return _equal(bags)
        if self.model.order:
            return _ordered(levels[0])
        apart = [_equal(level) for level in levels]
        return _Apart(np.sum([each.distance.astype(object) for each in apart], axis=0), apart[0].unit * len(apart))


def _equal(bags: Bags) -> _Apart:
    """Half the sum of the differences of shares: the sum of those by which the group has more."""
    rows = int(bags.whole.sum())
    exact = _exact(bags, rows)
    here, everywhere = bags.counts.astype(exact), bags.whole[bags.values].astype(exact)
    more = np.maximum(here * rows - everywhere * bags.sizes[bags.owner], 0)
    return _Apart(_sums(bags, more), rows)


def _ordered(bags: Bags) -> _Apart:
    """The sum, over the gaps between neighbours, of the difference of the shares below the gap."""
    rows, gaps = int(bags.whole.sum()), max(bags.domain - 1, 1)
    exact = _exact(bags, rows * bags.domain)
    below = np.cumsum(bags.whole)
    # area[i] sums `below` over the first i values, so that a run of gaps costs two look-ups.
    area = np.concatenate([[0], np.cumsum(below)]).astype(exact)
    first, last = bags.place == 0, bags.place == bags.distinct[bags.owner] - 1
    start, end = bags.values, np.where(last, bags.domain, np.append(bags.values[1:], bags.domain))
    size = bags.sizes[bags.owner].astype(exact)
    # From this entry to the next the group has a constant share below; the table's is less at first, then more.
    share = (_ahead(bags) + bags.counts).astype(exact) * rows
    cross = np.searchsorted(below, (-(-share // size)).astype(np.int64))
    cross = np.clip(cross, start, end)
    less = share * (cross - start) - size * (area[cross] - area[start])
    more = size * (area[end] - area[cross]) - share * (end - cross)
    before = np.where(first, size * area[start], 0)
    return _Apart(_sums(bags, less + more + before), rows * gaps)


def _renumbered(bags: Bags, numbers: Numbers) -> Bags:
    """The bags of the places or groups of values."""
    from openveil.kernels.tally import tally

    to = np.array(numbers, dtype=np.int32)
    domain = int(to.max(initial=-1)) + 1
    whole = np.bincount(to, bags.whole, minlength=domain).astype(np.int64)
    owner = bags.owner.astype(np.int32)
    return Bags(bags.view, whole, *tally(owner, to[bags.values], bags.counts, len(bags), domain))


def _ahead(bags: Bags) -> Counts:
    """How many rows of its group have smaller values than those of each entry."""
    up_to = np.cumsum(bags.counts) - bags.counts
    ahead: Counts = up_to - up_to[bags.starts[bags.owner]]
    return ahead


def _exact(bags: Bags, factor: int) -> np.dtype[Any]:
    """The numbers in which sums of the bags' rows times `factor` are exact."""
    return np.dtype(np.int64 if int(bags.sizes.sum()) * factor < _WORD else object)


def _sums(bags: Bags, entries: Exact) -> Exact:
    """The sum of the entries of each group, in their own numbers."""
    up_to = np.concatenate([np.zeros(1, dtype=entries.dtype), np.cumsum(entries)])
    sums: Exact = up_to[bags.starts[1:]] - up_to[bags.starts[:-1]]
    return sums


def _ranks(keys: Sequence[tuple[bool, Any]]) -> Numbers:
    """The place of each key among the distinct ones."""
    rank = {key: number for number, key in enumerate(sorted(set(keys)))}
    return tuple(rank[key] for key in keys)


def _is_single(texts: Sequence[Texts]) -> bool:
    return all(len(each) == 1 for each in texts)


def _paths(tree: object) -> dict[str, Path]:
    """The groups that each value of the tree is in, from the top, and the value itself."""
    walked = list(_walk(tree, ()))
    paths = {way[-1]: way for way in walked}
    if len(paths) < len(walked):
        raise refuse(f"{_WHERE}: tree", "holds a value twice", "Put each value into one group")
    return paths


def _walk(node: object, way: Path) -> Iterator[Path]:
    if isinstance(node, Mapping) and node:
        for label, child in node.items():
            yield from _walk(child, (*way, str(label)))
    elif isinstance(node, list | tuple) and node and all(isinstance(each, str | int | float) for each in node):
        yield from ((*way, str(each)) for each in node)
    elif isinstance(node, Mapping) and way:
        yield way
    else:
        what = "has something that is neither a table of groups nor a list of values"
        raise refuse(f"{_WHERE}: tree", what, 'Write groups as in { cold = ["flu", "cough"], HIV = {} }')
