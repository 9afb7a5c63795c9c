"""The labels of one column, read together.

Claim. `Labels.read` gives for each distinct label of a column what it stands for, or None where that cannot be told:
it is in no notation, or in several that differ, or stands for nothing the column can have.

How. A value, a node or a run of the column's hierarchy is taken for what it is there. Otherwise marks of what is not
there are hidden, and all notations are tried on the scale of the column: that of its hierarchy, or the one on which
at least half of its labels can be placed. Among words a text is a value by itself where no values are known; it is a
set where all its parts are values that are known: those of the hierarchy or, without one, parts that several labels
have.

Cost. Some twenty microseconds a distinct label; of more than `MOST` labels none is read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from openveil.core.axis import Axis, Hierarchy
from openveil.labels.meaning import ANY, HIDDEN, Hidden, Meaning, OneOf, Pattern, Run, Span, stands_for
from openveil.labels.notations import hidden, joined, listed, readings, unwrapped
from openveil.labels.runs import Interval, code_of, runs
from openveil.labels.scales import DAYS, NUMBERS, WORDS, Scale

MOST = 50_000
KINDS = ("values", "intervals", "groups", "sets", "masked codes", "hidden", "not read")
# What begins or ends like a set, an interval or a formula, and is none.
_BROKEN = re.compile(r"[\[{=].*|.*[\]}]$", re.DOTALL)


@dataclass(frozen=True, eq=False)
class Known:
    """What is known of a column before its labels are read.

    `hierarchy` has values and nodes; it is `complete` where it says which values there are, and not only which were
    met. `scale` is None where nothing says it. `mask` is what stands for a hidden character.
    """

    hierarchy: Hierarchy | None = field(default=None, repr=False)
    complete: bool = False
    scale: Scale | None = None
    mask: str = ANY

    @cached_property
    def codes(self) -> Mapping[str | None, int]:
        """The code of each value, as it is written."""
        return {} if self.hierarchy is None else code_of(self.hierarchy.axis)

    @cached_property
    def nodes(self) -> Mapping[str, Interval]:
        """The codes below each node; of a label on several levels those of the lowest."""
        found: dict[str, Interval] = {}
        for level in self.hierarchy.levels if self.hierarchy else ():
            ends = np.append(level.starts[1:], len(self.codes)) - 1
            places = zip(level.starts.tolist(), ends.tolist(), strict=True)
            for label, place in zip(level.labels.cast(pl.String).to_list(), places, strict=True):
                if label is not None:
                    found.setdefault(label, place)
        return found

    def run(self, low: int, high: int) -> Meaning:
        """What these codes say: nothing, if they are those of every value there can be, and there are several."""
        values = 0 if self.hierarchy is None else len(self.hierarchy.axis.labels)
        return HIDDEN if self.complete and high - low + 1 >= values > 1 else Run(low, high)


@dataclass(frozen=True, eq=False)
class Labels:
    """The distinct labels of a column, in the order of their codes, and what each stands for."""

    axis: Axis
    known: Known = field(repr=False)
    scale: Scale
    meanings: tuple[Meaning | None, ...] = field(repr=False)

    @staticmethod
    def read(axis: Axis, known: Known) -> Labels:
        """Read every label of the axis."""
        texts = [unwrapped(text) for text in axis.published.cast(pl.String).to_list()]
        if len(texts) > MOST:
            return Labels(axis, known, known.scale or WORDS, (None,) * len(texts))
        scale = known.scale or _scale_of([text for text in texts if text is not None], known)
        words = _vocabulary(texts, known)
        return Labels(axis, known, scale, tuple(_meaning(text, known, scale, words) for text in texts))

    @property
    def hidden(self) -> NDArray[np.bool_]:
        """Which labels show nothing."""
        return np.array([isinstance(meaning, Hidden) for meaning in self.meanings], dtype=np.bool_)

    @property
    def unread(self) -> NDArray[np.bool_]:
        """Which labels could not be read."""
        return np.array([meaning is None for meaning in self.meanings], dtype=np.bool_)

    @property
    def kinds(self) -> Mapping[str, int]:
        """How many labels there are of each kind, in words."""
        met = Counter(_kind(meaning) for meaning in self.meanings)
        return {kind: met[kind] for kind in KINDS if met[kind]}

    def covers(self, code: int, text: str) -> bool:
        """Whether the label of this code may stand for a value; what cannot be read or placed may be anything."""
        meaning = self.meanings[code]
        if meaning is None or isinstance(meaning, Hidden):
            return True
        if isinstance(meaning, Span) and self.scale.place(text) is None:
            return True
        if isinstance(meaning, Run):
            return meaning.low <= self.known.codes.get(text, -1) <= meaning.high
        return stands_for(meaning, text, self.scale)


def _scale_of(texts: list[str], known: Known) -> Scale:
    """The first scale on which half of the labels that are not known otherwise have a place."""
    open_ = [text for text in texts if text not in known.nodes and hidden(text) is None]
    for scale in (NUMBERS, DAYS):
        placed = sum(any(isinstance(each, Span) for each in readings(text, scale)) for text in open_)
        if placed and 2 * placed >= len(open_):
            return scale
    return WORDS


def _vocabulary(texts: list[str | None], known: Known) -> frozenset[str]:
    """The values that sets may be made of."""
    if known.hierarchy is not None:
        return frozenset(known.nodes)
    parts: Counter[str] = Counter()
    for text in filter(None, texts):
        sets = (each.values for each in joined(text, WORDS) if isinstance(each, OneOf))
        parts.update({text}.union(*sets))
    return frozenset(part for part, times in parts.items() if times > 1)


def _meaning(text: str | None, known: Known, scale: Scale, words: frozenset[str]) -> Meaning | None:
    if text is not None and text in known.nodes:
        return known.run(*known.nodes[text])
    nothing = hidden(text.replace(known.mask, ANY) if text else text)
    if nothing is not None or text is None:
        return nothing
    found = set(_readings(text.strip(), known, scale, words))
    return found.pop() if len(found) == 1 else None


def _readings(text: str, known: Known, scale: Scale, words: frozenset[str]) -> Iterator[Meaning]:
    own = set() if known.hierarchy is None else set(runs(known.hierarchy.axis, known.codes, text))
    if own:
        yield from (known.run(*each) for each in own)
        return
    found = readings(text.replace(known.mask, ANY), scale)
    sets = {each for each in found if isinstance(each, OneOf)} - set(listed(text, scale))
    made = {each for each in sets if scale is not WORDS or each.values <= words}
    if scale is WORDS and known.hierarchy is None and found == sets and not made and not _BROKEN.match(text):
        yield OneOf(frozenset({text}))
    yield from (each for each in (found - sets) | made if _possible(each, known, scale))


def _possible(meaning: Meaning, known: Known, scale: Scale) -> bool:
    """Whether a column of which all values are known can have it."""
    if known.hierarchy is None or not known.complete:
        return True
    if isinstance(meaning, OneOf):
        return meaning.values <= set(known.nodes)
    if isinstance(meaning, Span | Pattern):
        return any(stands_for(meaning, text, scale) for text in known.codes if text is not None)
    return True


def _kind(meaning: Meaning | None) -> str:
    if meaning is None:
        return "not read"
    if isinstance(meaning, Hidden):
        return "hidden"
    if isinstance(meaning, Pattern):
        return "masked codes"
    if isinstance(meaning, Span):
        return "values" if meaning.low == meaning.high else "intervals"
    if isinstance(meaning, Run):
        return "values" if meaning.low == meaning.high else "groups"
    return "values" if len(meaning.values) == 1 else "sets"
