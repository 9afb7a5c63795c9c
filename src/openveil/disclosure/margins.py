"""The inclusive strategy on tables too large to go through: what is released early has room to spare.

Claim. Where each function refines the next and the requirement caps how often a value may occur, `Margins` gives
every group of every function a cap of its own, somewhat below that of the requirement; they follow from the groups of
the last function, which those of every other show. A function is released if all its groups stay within their caps,
the last one if its groups hold. Then the disclosure set of every function that is released satisfies the requirement,
so something is always released if the last function holds.

Why it holds. Caps of smaller groups are no larger shares than those of the groups that contain them. So whatever an
earlier function may be released of, the function just before makes it stay within its caps as well: what is ruled out
is that *all* its groups, here called atoms, do. Take someone in atom a of the published group g. Other groups of the
release are filled without regard to g: they either exceed a cap by themselves, and then nothing is told of g; or an
atom of g exceeds its own. Chances are thus a mixture of the shares of g and of those given the latter. In that case
either a has too many rows of the person's value v; or it has at most its cap of v, and then so is the chance at most,
as all rows of a are alike. So the chance of v is at most its share in g, or that of having v in an atom that has more
than its cap of it (`tails.having`), whichever is larger. The latter grows with the cap and with how often v occurs in
g (likelihood ratios of samples without replacement are monotone), so it is permitted for every bag that stays within
the cap of g if it is at that cap: caps are the largest for which it is, from the last function down.

Cost. A few tails for each size of an atom in a kind of group.

Source. openveil's own; the strategy is that of Zhang, Wang, Jajodia, Brodsky 2008, section 2, with more noes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import ceil, inf, nextafter

from openveil.disclosure.counting import Asked, Part
from openveil.disclosure.failures import learned
from openveil.disclosure.functions import Functions, Image, largest_share
from openveil.disclosure.parts import alike, parts_of
from openveil.disclosure.tails import having

_UNIT = 1 << 40

Caps = tuple[int, ...]


@dataclass(frozen=True)
class Margins:
    """For each function that may be released, from the first on, how often a value may occur in each of its groups.

    The caps of the last function are how often its most frequent values occur, which everyone knows.
    """

    functions: Functions
    asked: Asked
    caps: Mapping[int, Caps]

    @staticmethod
    def of(functions: Functions, whole: Image, asked: Asked) -> Margins:
        """The caps, from what the last function that is tried shows; its groups hold."""
        *finer, last = functions.fitting
        most, values = [max(count for _, count in group) for group in whole], [len(group) for group in whole]
        caps = {last: tuple(most)}
        for i in reversed(finer):
            homes = functions.above(i, last)
            found = _caps_of(functions, i, min(caps), caps[min(caps)], [most[home] for home in homes], asked)
            sizes = functions.rows(i)
            if all(cap * values[home] >= n for cap, home, n in zip(found, homes, sizes, strict=True)):
                caps[i] = found
        return Margins(functions, asked, dict(sorted(caps.items())))

    def stays_within(self, i: int, image: Image) -> bool:
        """Whether all groups of function i stay within their caps; none do where it may not be released."""
        caps = self.caps.get(i, ())
        return len(caps) == len(image) and all(
            max(count for _, count in group) <= cap for group, cap in zip(image, caps, strict=True)
        )

    def before(self, i: int) -> int | None:
        """The last function before i that may be released."""
        return max((j for j in self.caps if j < i), default=None)

    def chance(self, i: int, image: Image) -> Fraction | None:
        """No less than anyone's chance of a value when i is released; None if one before it always would be."""
        j = self.before(i)
        if j is None:
            return largest_share(image)
        found, exceeded, sizes = 0.0, False, self.functions.rows(i)
        for home, size, cap in set(
            zip(self.functions.above(j, i), self.functions.rows(j), self.caps[j], strict=True)
        ):
            for _, count in image[home]:
                beyond = having(size, count, sizes[home], cap)
                exceeded |= beyond > 0
                found = max(found, beyond, min(count, cap) / size)
        if not exceeded:
            return None
        return max(largest_share(image), Fraction(nextafter(min(found, self._of_all(i, j, image)), inf)))

    def _of_all(self, i: int, j: int, image: Image) -> float:
        """The same where it is known how all groups are made up, which is that of the last function."""
        if i != max(self.caps):
            return 1.0
        kinds = alike(each for each in parts_of(self.functions, i, image, [j]) if len(each.part.atoms) > 1)
        told = learned(kinds, self.asked, self._cap_of_last)
        return 1.0 if told is None else max(told.chance.values())

    def _cap_of_last(self, part: Part, size: int) -> int:
        [bag] = part.bags
        return _cap(size, sum(bag), max(bag), max(bag), self.asked)


def _caps_of(functions: Functions, i: int, j: int, of_j: Caps, most: list[int], asked: Asked) -> Caps:
    """The caps of the groups of function i, below those of function j; a value has at most so many rows for each.

    They are no larger shares than those of function j, where those are caps at all.
    """

    @cache
    def cap(size: int, rows: int, above: int, most: int) -> int:
        return _cap(size, rows, above, above * size // rows if above < most else above, asked)

    rows, homes = functions.rows(j), functions.above(i, j)
    each = zip(functions.rows(i), homes, most, strict=True)
    return tuple(cap(size, rows[home], of_j[home], known) for size, home, known in each)


def _cap(size: int, rows: int, count: int, most: int, asked: Asked) -> int:
    """The largest cap, at most so large, for an atom of a group in which a value may occur so often; at least 0."""
    low, high = 0, min(asked.most(size) or 0, most)
    if _permitted(having(size, count, rows, high), asked):
        return high
    while low < high:
        middle = (low + high + 1) // 2
        if _permitted(having(size, count, rows, middle), asked):
            low = middle
        else:
            high = middle - 1
    return low


def _permitted(chance: float, asked: Asked) -> bool:
    return ceil(chance * _UNIT) <= (asked.most(_UNIT) or 0)
