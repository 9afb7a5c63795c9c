"""Which of a sequence of functions is released: the naive way, the inclusive and the exclusive strategy.

Claim. `exclusive` and `inclusive` release a function only if the disclosure set of the release satisfies the
requirement; `naive` does not ask and is known to be unsafe. Where nothing is released, neither paper asks what that
tells. `never_silent` chooses, from what the last function alone shows, functions with which one of the two strategies
always releases something if the last function holds: then nothing is told by silence but that the last fails.

Why it holds. See `judging.py` and `images.py` for the two. For `never_silent`: tables that agree with the groups of a
function agree with those of the last one, which every function that is kept refines; so the same functions are kept
for all of them, and the disclosure sets are those of the sequence that is kept. With the inclusive strategy the last
function is released whenever no other is, if its disclosure set, which its groups decide, satisfies the requirement.
With the exclusive one the same holds of two functions, of which the first is released as soon as it holds. Nor is
there silence if no table is left of which the last function would be released.

Cost. That of judging each function once; `never_silent` judges the last function once for every other.

Source. Zhang, Wang, Jajodia, Brodsky 2008, Tables 3 and 5; what silence tells is openveil's own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from openveil.core.witness import Labels
from openveil.disclosure.counting import Asked
from openveil.disclosure.functions import Functions, Image
from openveil.disclosure.images import Inclusive
from openveil.disclosure.judgements import Judgement
from openveil.disclosure.judging import judge, nothing_ruled_out


class Seen(Protocol):
    """What functions show of a table."""

    def image(self, i: int) -> Image:
        """The groups of function i."""

    def holds(self, i: int) -> bool:
        """Whether each of them holds by itself."""


@dataclass(frozen=True)
class Outcome:
    """The function that is released, if one is, and what was last said of a disclosure set.

    `silence` says why nothing is released, where that is neither a disclosure set nor that no function holds.
    `groups` is the group of each row where groups of several functions are released, from `released` to `upto`.
    """

    released: int | None
    judgement: Judgement | None = None
    stopped: int | None = None
    silence: str = ""
    groups: Labels | None = field(default=None, repr=False, compare=False)
    upto: int | None = None


Strategy = Callable[[Functions, Seen, Asked], Outcome]


def holds(image: Image, asked: Asked) -> bool:
    """Whether every group of a function holds by itself."""
    kinds = {tuple(count for _, count in group) for group in image}
    return all(asked.permits(counts) for counts in kinds)


def naive(functions: Functions, seen: Seen, _: Asked) -> Outcome:
    """The first function whose groups hold. Known to be unsafe; for comparison."""
    for i, fits in enumerate(functions.fits):
        if fits and seen.holds(i):
            return Outcome(i, nothing_ruled_out(seen.image(i)))
    return Outcome(None)


def exclusive(functions: Functions, seen: Seen, asked: Asked) -> Outcome:
    """The first function whose groups hold, if its disclosure set satisfies the requirement; otherwise nothing."""
    found = next((i for i, fits in enumerate(functions.fits) if fits and seen.holds(i)), None)
    if found is None:
        return Outcome(None)
    judgement = judge(functions, found, seen.image(found), asked)
    return Outcome(found if judgement.holds else None, judgement, found)


def inclusive(functions: Functions, seen: Seen, asked: Asked) -> Outcome:
    """The first function whose disclosure set satisfies the requirement."""
    decisions = Inclusive(functions, asked)
    said, stopped = None, None
    for i, fits in enumerate(functions.fits):
        if not fits or not seen.holds(i):
            continue
        judgement = decisions.decide(i, seen.image(i))
        if judgement.holds:
            return Outcome(i, judgement, i)
        if judgement.groups:
            said, stopped = judgement, i
    return Outcome(None, said, stopped)


def last_of(functions: Functions) -> int | None:
    """The last function that is tried at all."""
    return max((i for i, fits in enumerate(functions.fits) if fits), default=None)


def never_silent(functions: Functions, seen: Seen, asked: Asked, strategy: Strategy) -> Functions:
    """The functions that are tried, of those before and including the last, so that silence tells nothing more."""
    last = last_of(functions)
    if last is None or not seen.holds(last):
        return functions.fitting_only([] if last is None else [last])
    finer = [i for i in range(last) if functions.fits[i] and functions.refines(i, last)]
    for first in finer:
        kept = functions.fitting_only([first, last] if strategy is exclusive else [*_from(first, finer), last])
        judgement = _judged(kept, last, seen.image(last), asked, strategy)
        if judgement.holds or judgement.ruled_out[0] == 1:
            return kept
    return functions.fitting_only([last])


def _from(first: int, every: Sequence[int]) -> list[int]:
    return [i for i in every if i >= first]


def _judged(functions: Functions, last: int, image: Image, asked: Asked, strategy: Strategy) -> Judgement:
    """What the last function tells when it is released: the same of every table that it shows alike."""
    if strategy is exclusive:
        return judge(functions, last, image, asked)
    return Inclusive(functions, asked).decide(last, image)
