"""What an attack is, and how it is judged.

Claim. An `Attack` is a frozen value with one method: it is given a `Target` and says, for each sensitive column (or
once, where it looks for persons), what it found: an `Outcome`. An outcome tells how many people are exposed, with
what certainty and at what cost, and how often bets are right in three arms: those of the attack, on people in the
release; those of anyone who does not use what the attack uses, on everyone in the same groups (`baseline`); and those
of the attack on people who are not in the release at all (`control`). It names nobody and shows no value. What an
attack could not decide is UNDECIDED, never a sign of safety; an attack that was made and exposed nobody says just
that. An attack that calls values certain of which some are wrong, and is right no more often than guessing, takes the
release for something else: whom it exposes is undecided.

Why it holds. An attack decides whom it takes for exposed without looking at anyone's own value: `Sensitive.own` is
read here, where guesses are judged, and nowhere else. An arm is a number of tries and of successes; its interval is
Wilson's, at 95 %, which stays within 0 and 1 and does not shrink to nothing where no try succeeds. What people learn
from the release who are not in it is knowledge about everyone; what the attack finds beyond that is leakage.

Cost. One pass over the rows a column; attacks add their own.

Source. M. Giomi, F. Boenisch, C. Wehmeyer, B. Tasnadi, A unified framework for quantifying privacy risk in synthetic
data, 2023 (the arms); E. B. Wilson, Probable inference, the law of succession, and statistical inference, 1927.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import sqrt
from statistics import NormalDist
from typing import ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from openveil.core.axis import Axis, Codes
from openveil.core.bags import Bags, Counts
from openveil.core.finding import Finding, Verdict
from openveil.core.publisher import Publisher
from openveil.core.recoding import SUPPRESSED, Change, Recoding
from openveil.core.requirement import Requirement
from openveil.core.table import Public, told_apart
from openveil.core.witness import Labels

NO_GUESS = -1
EXPOSED, CERTAINTY, COST = "people exposed", "greatest certainty", "cost"
NOT_DECIDED = "people for whom the attack could not decide"
ARMS = ("attack: right guesses", "baseline: right guesses", "control group: right guesses")
BROKEN = "values it calls certain are wrong, and it is right no more often than guessing: it does not fit the method"
COARSER = "values are shown coarser than they are, which this attack does not read"

# Values that are shown as they are, or that others stand in for; not those that are shown coarser.
_READ = frozenset({None, Change.PERTURBED})
_Z = NormalDist().inv_cdf(0.975)

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Arm:
    """So many tries, of which so many succeeded."""

    tries: int
    successes: int

    def __post_init__(self) -> None:
        if not 0 <= self.successes <= self.tries:
            raise ValueError("arm: between none and all of the tries succeed")

    @property
    def rate(self) -> Fraction:
        """The share of tries that succeeded; 0 without tries."""
        return Fraction(self.successes, max(1, self.tries))

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's interval of 95 %; everything is possible without tries."""
        n, rate, square = self.tries, float(self.rate), _Z * _Z
        if not n:
            return 0.0, 1.0
        middle = (rate + square / (2 * n)) / (1 + square / n)
        half = _Z / (1 + square / n) * sqrt(rate * (1 - rate) / n + square / (4 * n * n))
        low = 0.0 if self.successes == 0 else middle - half
        return low, 1.0 if self.successes == n else middle + half

    def finding(self, name: str, on: str) -> Finding:
        """The arm as a measured statement."""
        note = f"{self.successes:,} of {self.tries:,} tries"
        return Finding(name, on, self.rate, interval=self.interval, note=note)


@dataclass(frozen=True, eq=False)
class Sensitive:
    """One sensitive column: the number of each row's own value, and of the value that is published of it.

    Both number the texts in `labels`. `own` is for judging alone: no attack may decide by it. `original` is the
    column itself, for whoever runs the method again.
    """

    name: str
    labels: pl.Series = field(repr=False)
    own: Labels = field(repr=False)
    shown: Labels = field(repr=False)
    original: pl.Series = field(repr=False)
    change: Change | None = None

    @staticmethod
    def of(column: pl.Series, recoding: Recoding) -> Sensitive:
        """The column of the table, and what the recoding shows of it."""
        replaced = next((each for each in recoding.replaced if each.name == column.name), None)
        own = told_apart(column).cast(pl.String)
        shown = own if replaced is None else told_apart(replaced.shown).cast(pl.String)
        both = pl.concat([own, shown]).unique().sort()
        axis = Axis(column.name, both.drop_nulls(), missing=both.null_count() > 0)
        change = None if replaced is None else replaced.change
        numbers = axis.encode(own)[0], axis.encode(shown)[0]
        return Sensitive(column.name, axis.published, *numbers, column, change)

    def numbers(self, values: pl.Series) -> Labels:
        """The number of each of these values, NO_GUESS for those the column does not have."""
        texts = told_apart(values).cast(pl.String)
        missing = self.labels.null_count() > 0
        return Axis(self.name, self.labels.drop_nulls(), missing=missing).encode(texts)[0]


@dataclass(frozen=True, eq=False)
class Outsiders:
    """People who are not in the release: the row each would be taken for (or NO_GUESS), and each one's own values.

    `codes` are their quasi-identifiers, -1 for values that nobody in the table has.
    """

    codes: Codes = field(repr=False)
    row: Labels = field(repr=False)
    own: dict[str, pl.Series] = field(repr=False)


@dataclass(frozen=True, eq=False)
class Target:
    """A release as the laboratory sees it: what is published, who is in it, and what was promised.

    Adversaries are taken to know everyone's quasi-identifiers and which group each person is in. `limit` is the
    greatest chance of a sensitive value that the promise allows; 1 says that only certainty counts. `requirement` and
    `publisher` are None for a table as it is, of which nothing is promised.
    """

    public: Public = field(repr=False)
    recoding: Recoding = field(repr=False)
    sensitive: tuple[Sensitive, ...]
    limit: Fraction = Fraction(1)
    requirement: Requirement | None = None
    publisher: Publisher | None = None
    outsiders: Outsiders | None = field(default=None, repr=False)

    @property
    def group(self) -> Labels:
        """The group of each row."""
        return self.recoding.group

    @property
    def groups(self) -> int:
        """How many groups there are."""
        return len(self.recoding.cells)

    @cached_property
    def published(self) -> Flags:
        """The rows that are published."""
        shown: Flags = self.group != SUPPRESSED
        return shown

    @property
    def promised(self) -> bool:
        """Whether anything is promised of sensitive values."""
        return self.requirement is not None and self.requirement.reads_sensitive

    def bags(self, column: Sensitive) -> Bags:
        """The published values of each group."""
        whole = np.bincount(column.shown[self.published], minlength=len(column.labels))
        return Bags.of_rows(column.name, whole.astype(np.int64), self.group, column.shown, self.groups)

    def of_groups(self, answers: NDArray[np.generic], otherwise: float) -> NDArray[np.generic]:
        """The answer of each row's group; `otherwise` for rows that are not published."""
        spread = np.full(len(self.group), otherwise, dtype=answers.dtype)
        spread[self.published] = answers[self.group[self.published]]
        return spread

    def people(self, rows: Flags) -> int:
        """How many persons have one of these rows."""
        persons = self.public.persons
        return int(rows.sum()) if persons is None else len(np.unique(persons[rows]))


@dataclass(frozen=True, eq=False)
class Beliefs:
    """What an attack makes of a sensitive column: for each row the value it bets on, or NO_GUESS, and the chance.

    `exposed` are the rows of which it says more than was promised, `naive` the values that anyone would bet on who
    does not use what the attack uses, `undecided` the rows for which it could not decide. The work was `cost` times
    what `counted` says.
    """

    guess: Labels
    chance: NDArray[np.float64]
    exposed: Flags
    naive: Labels
    cost: int
    counted: str
    undecided: Flags | None = None
    note: str = ""
    further: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """What an attack found in one column, or of persons; see the module."""

    on: str
    attack: Arm
    baseline: Arm
    control: Arm | None
    people: int
    exposed: int
    certainty: float
    limit: Fraction
    verdict: Verdict
    cost: int
    counted: str
    undecided: int = 0
    note: str = ""
    further: tuple[Finding, ...] = ()

    @property
    def better_than_guessing(self) -> bool:
        """Whether the attack is right more often than baseline and control group, beyond chance."""
        others = [arm.interval[1] for arm in (self.baseline, self.control) if arm is not None and arm.tries]
        return self.attack.tries > 0 and self.attack.interval[0] > max(others, default=0.0)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """How many, how certain, at what cost, and the arms; never who."""
        arms = zip(ARMS, (self.attack, self.baseline, self.control), strict=True)
        undecided = [Finding(NOT_DECIDED, self.on, self.undecided, Verdict.UNDECIDED)] if self.undecided else []
        return (
            Finding(EXPOSED, self.on, self.exposed, self.verdict, note=self.note or f"of {self.people:,}"),
            Finding(CERTAINTY, self.on, self.certainty, limit=self.limit),
            *undecided,
            *(arm.finding(name, self.on) for name, arm in arms if arm is not None),
            Finding(COST, self.counted, self.cost),
            *self.further,
        )

    def as_json(self) -> dict[str, object]:
        """The outcome as plain values."""
        return {
            "on": self.on,
            "verdict": str(self.verdict),
            "better_than_guessing": self.better_than_guessing,
            "findings": [finding.as_json() for finding in self.findings],
        }


class Attack(ABC):
    """An attack; its fields are its parameters. `applies_to` says what it can be made on."""

    applies_to: ClassVar[str] = "any release"

    @abstractmethod
    def attempt(self, target: Target) -> tuple[Outcome, ...]:
        """What the attack finds, one outcome a sensitive column or one of persons; none where it does not apply."""


class Guessing(Attack):
    """An attack that guesses sensitive values; a subclass says what it believes of one column."""

    @abstractmethod
    def believe(self, target: Target, column: Sensitive) -> Beliefs | None:
        """What the attack makes of the column; None where it does not apply."""

    def attempt(self, target: Target) -> tuple[Outcome, ...]:
        """One outcome a sensitive column; values that are shown coarser are not decided."""
        return tuple(outcome for column in target.sensitive for outcome in self._attempted(target, column))

    def _attempted(self, target: Target, column: Sensitive) -> Iterator[Outcome]:
        if column.change in (Change.GENERALISED, Change.RAISED):
            yield not_decided(target, column.name, COARSER)
            return
        beliefs = self.believe(target, column)
        if beliefs is not None:
            yield judged(target, column, beliefs)


def not_decided(target: Target, on: str, why: str) -> Outcome:
    """An attack that could not be made."""
    everyone = target.people(target.published)
    none = Arm(0, 0)
    return Outcome(
        on, none, none, None, everyone, 0, 0.0, target.limit, Verdict.UNDECIDED, 0, "rows read", everyone, why
    )


def judged(target: Target, column: Sensitive, beliefs: Beliefs) -> Outcome:
    """The beliefs held against everyone's own value."""
    tried = beliefs.guess != NO_GUESS
    # Whom the attack bets on is its own finding, which the baseline must not profit from.
    alike = target.published & np.isin(target.group, np.unique(target.group[tried]))
    exposed = target.people(beliefs.exposed)
    undecided = 0 if beliefs.undecided is None else target.people(beliefs.undecided)
    outcome = Outcome(
        column.name,
        _arm(beliefs.guess[tried], column.own[tried]),
        _arm(beliefs.naive[alike], column.own[alike]),
        _control(target, column, beliefs.guess),
        target.people(target.published),
        exposed,
        float(beliefs.chance[tried].max(initial=0.0)),
        target.limit,
        verdict_of(target, exposed, undecided),
        beliefs.cost,
        beliefs.counted,
        undecided,
        beliefs.note,
        beliefs.further,
    )
    return _broken(outcome, target, beliefs) if _is_contradicted(outcome, column, beliefs) else outcome


def _is_contradicted(outcome: Outcome, column: Sensitive, beliefs: Beliefs) -> bool:
    """Whether values that are called certain are wrong, and bets no better than guesses.

    Values that others stand in for may be certain as they are shown, and others all the same.
    """
    certain = (beliefs.guess != NO_GUESS) & (beliefs.chance == 1)
    wrong = column.change is None and (beliefs.guess != column.own)[certain].any()
    return bool(wrong) and not outcome.better_than_guessing


def _broken(outcome: Outcome, target: Target, beliefs: Beliefs) -> Outcome:
    """The same arms, and nothing decided of anyone whom the attack exposes or could not decide of."""
    open_ = beliefs.exposed if beliefs.undecided is None else beliefs.exposed | beliefs.undecided
    undecided = target.people(open_)
    verdict = verdict_of(target, 0, undecided)
    return replace(outcome, exposed=0, certainty=0.0, verdict=verdict, undecided=undecided, note=BROKEN)


def verdict_of(target: Target, exposed: int, undecided: int) -> Verdict:
    """Somebody exposed decides against the promise; nobody, only if the attack could decide of everyone."""
    if not exposed and undecided:
        return Verdict.UNDECIDED
    if not target.promised:
        return Verdict.INFORMS
    return Verdict.FAILS if exposed else Verdict.HOLDS


def beyond(up: Counts, down: Counts, limit: Fraction) -> Flags:
    """Where up / down is more than the limit; of a limit of 1, where it is 1. Decided in whole numbers."""
    if limit == 1:
        certain: Flags = (up == down) & (down > 0)
        return certain
    more = up.astype(object) * limit.denominator > down.astype(object) * limit.numerator
    return np.asarray(more, dtype=np.bool_)


def commonest(bags: Bags) -> Labels:
    """The most frequent value of each group, of equals the one that is more frequent in the table, then the first."""
    order = np.lexsort((bags.values, -bags.whole[bags.values], -bags.counts, bags.owner))
    best = np.full(len(bags), NO_GUESS, dtype=np.int32)
    filled = np.diff(bags.starts) > 0
    best[filled] = bags.values[order[bags.starts[:-1][filled]]]
    return best


def _arm(guesses: Labels, own: Labels) -> Arm:
    return Arm(len(guesses), int((guesses == own).sum()))


def _control(target: Target, column: Sensitive, guess: Labels) -> Arm | None:
    """The same guesses, bet on people who are not in the release and look like those who are."""
    if target.outsiders is None:
        return None
    row = target.outsiders.row
    bet = np.where(row >= 0, guess[np.maximum(row, 0)], NO_GUESS) if len(guess) else row
    tried = bet != NO_GUESS
    return _arm(bet[tried], column.numbers(target.outsiders.own[column.name])[tried])
