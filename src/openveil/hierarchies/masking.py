"""Masking: characters of a code are hidden from one side, as in ZIP codes.

Claim. A level hides characters from the right (or the left) and keeps the length: 02138, 0213*, 021**, 02***,
0****, then the root. Every value keeps at least one character below the root, so a shorter code is never shown as
stars alone.

Why it holds. The label of a code is its kept part and its length; hiding more characters of the same code can only
join groups. A code that contains the masking character is refused, and the character is never a letter, a digit
or a blank, so a label names one group.

Leading zeros of text are kept. Whole numbers are shown in decimal; `pad_to` gives back the leading zeros a number
has lost (2138 with pad_to = 5 is 02138), and is at most 100. The number of levels comes from `keep`, or with `step`
from the longest value or `pad_to`, whichever is more.

Cost. A columnar pass a level and one sort.

Source. Samarati and Sweeney, Protecting privacy when disclosing information, 1998 (the ZIP hierarchy).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Literal

import polars as pl

from openveil.core.axis import Hierarchy
from openveil.core.errors import Problem, refuse
from openveil.core.registry import Kind, Status, part
from openveil.core.rule import Rule
from openveil.hierarchies.nesting import nest, refuse_all, runs, uncovered, wrong_type

WHERE = "hierarchy 'masking'"
MOST_LEVELS = 100
LONGEST_PADDED = 100
DIGITS = r"^[0-9]+$"
# Below this a floating-point number that is whole is exactly the number written.
EXACT_BELOW = 2.0**53


@part(
    Kind.HIERARCHY,
    "masking",
    source="Samarati and Sweeney, Protecting privacy when disclosing information, 1998",
    status=Status.PROVED,
)
@dataclass(frozen=True, kw_only=True)
class Masking(Rule):
    """Hides characters of a code from one side.

    `step`: how many more characters each level hides (1 unless `keep` is given). `keep`: instead, how many
    characters each level keeps, descending. `side`: where hiding starts. `character`: what is shown instead.
    `pad_to`: the length to which codes are filled with leading zeros first.
    """

    lists_values: ClassVar[bool] = False

    step: int | None = None
    keep: tuple[int, ...] | None = None
    side: Literal["right", "left"] = "right"
    character: str = "*"
    pad_to: int | None = None

    def __post_init__(self) -> None:
        refuse_all((*self._wrong_levels(), *self._wrong_spelling()))

    def bind(self, name: str, values: pl.Series, *, missing: bool) -> Hierarchy:
        """The levels over the values, those with equal beginnings (or ends) side by side."""
        codes = self._codes(name, values)
        length = codes.str.len_chars().cast(pl.Int64)
        masked = [self._masked(codes, kept).alias(f"level {n}") for n, kept in enumerate(self._kept(length), 1)]
        frame = pl.DataFrame([values.alias("value"), codes.alias("code"), *masked])
        # Coarsest label first: the groups of every level are then runs, on either side.
        frame = frame.sort([*frame.columns[:1:-1], "code"])
        levels = [runs(frame[column.name]) for column in masked]
        return nest(name, frame["value"], levels, missing=missing, shown=frame["code"])

    def _codes(self, name: str, values: pl.Series) -> pl.Series:
        plain = _plain(name, values)
        refuse_all(uncovered(name, plain.null_count(), len(values), "Masking is for text and whole numbers from 0"))
        codes = plain if self.pad_to is None else plain.str.zfill(self.pad_to)
        inside = int(codes.str.contains(self.character, literal=True).sum())
        if inside:
            raise refuse(
                f"hierarchy of {name!r}",
                f"{inside} of {len(values)} distinct values contain the masking character {self.character!r}",
                "Choose another `character`",
            )
        return codes

    def _kept(self, length: pl.Series) -> list[pl.Series]:
        """For each level how many characters of each code are kept."""
        if self.keep is not None:
            return [pl.select(pl.min_horizontal(length, pl.lit(count))).to_series() for count in self.keep]
        longest = max(self.pad_to or 0, int(length.to_numpy().max(initial=0)))
        hidden = range(self.step or 1, longest, self.step or 1)
        if len(hidden) > MOST_LEVELS:
            what = f"would have more than {MOST_LEVELS} levels, as some values are that long"
            raise refuse(WHERE, what, "Say with `keep` how many characters each level keeps")
        return [(length - count).clip(lower_bound=1) for count in hidden]

    def _masked(self, codes: pl.Series, kept: pl.Series) -> pl.Series:
        frame = pl.DataFrame({"code": codes, "kept": kept})
        code, count = pl.col("code"), pl.col("kept")
        longest = int(codes.str.len_chars().to_numpy().max(initial=0))
        stars = pl.lit(self.character * longest).str.head(code.str.len_chars() - count)
        shown = code.str.head(count) + stars if self.side == "right" else stars + code.str.tail(count)
        return frame.select(shown).to_series()

    def _wrong_levels(self) -> Iterator[Problem]:
        if self.step is not None and self.keep is not None:
            yield Problem(WHERE, "has both `step` and `keep`", "Keep one of them")
        if self.step is not None and self.step < 1:
            yield Problem(WHERE, "`step` must be at least 1", "Leave it out to hide one more a level", str(self.step))
        if self.keep is not None and not self.keep:
            yield Problem(WHERE, "`keep` is empty", "List how many characters to keep, such as keep = [3, 1]")
        for count in self.keep or ():
            if count < 1:
                yield Problem(
                    WHERE, "`keep` must be at least 1", "The root, which keeps nothing, is added", str(count)
                )
        for finer, coarser in pairwise(self.keep or ()):
            if coarser >= finer:
                yield Problem(WHERE, "`keep` must descend", "Write such as keep = [3, 1]", f"{finer}, {coarser}")

    def _wrong_spelling(self) -> Iterator[Problem]:
        if len(self.character) != 1 or self.character.isalnum() or self.character.isspace():
            what = "`character` must be a single sign, not a letter, digit or blank"
            yield Problem(WHERE, what, "Write such as character = '*'", repr(self.character))
        if self.side not in {"right", "left"}:
            yield Problem(WHERE, "`side` must be 'right' or 'left'", "Choose one", repr(self.side))
        if self.pad_to is not None and self.pad_to < 1:
            yield Problem(WHERE, "`pad_to` must be at least 1", "Leave it out to pad nothing", str(self.pad_to))
        if self.pad_to is not None and self.pad_to > LONGEST_PADDED:
            what = f"`pad_to` must be at most {LONGEST_PADDED}"
            yield Problem(WHERE, what, "Write the length a whole code has, such as 5")


def _plain(name: str, values: pl.Series) -> pl.Series:
    """Text as it stands and whole numbers from 0 in decimal; null for other numbers and for no text at all."""
    if values.dtype == pl.String:
        return values.set(values == "", None)
    if values.dtype.is_float():
        exact = (values >= 0) & (values < EXACT_BELOW) & (values == values.floor())
        return values.set(~exact.fill_null(value=False), None).cast(pl.Int64).cast(pl.String)
    if values.dtype.is_integer() or values.dtype.is_decimal():
        text = values.cast(pl.String).str.replace(r"\.0*$", "")
        return text.set(~text.str.contains(DIGITS), None)
    raise wrong_type(name, "text and whole numbers", values.dtype)
