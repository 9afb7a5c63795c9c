"""For one table and one sequence of functions, what each strategy releases, side by side.

Claim. `compared` runs every strategy on the sequence of the plan: the naive one, which is known to be unsafe, and the
inclusive, the exclusive one and rotations, each also in its form that is never silent. Nothing is published. What is
told holds counts and shares of the table, and no cell.

Cost. Each strategy once, and as often as `disclosure/silence.py` says for what silence tells.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import polars as pl

from openveil.core.errors import refuse
from openveil.core.progress import report
from openveil.core.recoding import Recoding
from openveil.core.registry import Kind, find
from openveil.core.requirement import Requirement
from openveil.core.schema import Role
from openveil.core.secret import Secret
from openveil.core.table import Public
from openveil.core.witness import Spelled, Witness
from openveil.disclosure.asking import Ratios, ratios_of
from openveil.disclosure.functions import Functions, image_of, largest_share
from openveil.disclosure.silence import silence
from openveil.disclosure.strategies import Outcome, last_of, naive
from openveil.disclosure.subjects import Followed, Rotated, Silence, Subject
from openveil.publishers.rotation import Rotation
from openveil.tools.sequences import Sequenced, Sequential
from openveil.tools.stepping import Looking, Refusal, Stepwise, how_told
from openveil.workflow.plan import Plan
from openveil.workflow.publish import usefulness
from openveil.workflow.taking import encode

NAIVE = "first that holds"
_LOST = ("information loss", "share of losing everything")
_FIELDS = ("levels", "partitions", "steps", "least", "scheme", "show")


@dataclass(frozen=True)
class Tried:
    """One function of the sequence: its groups, whether they are large enough, and whether all of them hold."""

    number: int
    groups: int
    smallest: int
    fits: bool
    holds: bool


@dataclass(frozen=True)
class Quiet:
    """Of what share of tables a strategy releases nothing, between bounds, and the largest chance that leaves.

    `silent` of `tables` tables were met with silence, where tables were gone through or drawn.
    """

    share: tuple[float, float]
    chance: tuple[float, float] | None
    told: str
    tables: int
    silent: int


@dataclass(frozen=True)
class Released:
    """What a strategy does: the number of the function it releases, or none, and what that costs and tells.

    `upto` is the last function of which it releases groups, where it releases some of several.
    """

    strategy: str
    safe: bool
    function: int | None
    upto: int | None
    groups: int | None
    lost: float | None
    chance: tuple[float, float] | None
    seconds: float
    looks: int
    told: str
    silence: Quiet | None


@dataclass(frozen=True)
class Comparison:
    """The functions of a sequence, and what each strategy makes of them."""

    rows: int
    promise: str
    functions: tuple[Tried, ...]
    strategies: tuple[Released, ...]


def compared(frame: pl.DataFrame, plan: Plan) -> Comparison:
    """Every strategy on the table and the sequence of the plan."""
    publisher = plan.publisher
    if not isinstance(publisher, Sequential):
        what = f"{plan.method.part.name} does not try a sequence of functions"
        raise refuse("plan: method", what, "Choose exclusive, inclusive or rotation, and give its functions there")
    table = encode(frame, plan)
    sensitive = table.frame.select(table.schema.named(Role.SENSITIVE))
    requirement = plan.requirement.for_values(Spelled(sensitive))
    bench = _Bench(publisher, table.public, sensitive, requirement)
    return Comparison(len(table), requirement.promise, tuple(bench.tried), tuple(bench.released))


@dataclass(frozen=True, eq=False)
class _Bench:
    """The table and the sequence that every strategy is run on."""

    publisher: Sequential
    public: Public
    sensitive: pl.DataFrame
    requirement: Requirement

    @property
    def sequence(self) -> Sequenced:
        return self.publisher.sequence(self.public, self.requirement)

    @property
    def asked(self) -> Ratios:
        return ratios_of(self.requirement)

    @property
    def tried(self) -> Iterator[Tried]:
        """The functions of the sequence."""
        looking = self._looking(self.sequence.functions)
        for i, label in enumerate(looking.functions.labels):
            sizes = np.bincount(label)
            yield Tried(i + 1, len(sizes), int(sizes.min()), looking.functions.fits[i], looking.holds(i))

    @property
    def released(self) -> Iterator[Released]:
        """What each strategy makes of them."""
        yield self._naive
        for name in ("inclusive", "exclusive", "rotation"):
            for refusal in Refusal:
                called = name if refusal is Refusal.PLAIN else f"{name}, never silent"
                report(f"trying {called}")
                yield self._run(called, self._like(name, refusal=refusal))

    @property
    def _naive(self) -> Released:
        """The one that is not safe."""
        sequence, witness, begun = self.sequence, Witness(self.sensitive), time.perf_counter()
        functions = sequence.functions
        outcome = naive(functions, Looking(functions, witness, self.asked), self.asked)
        run = _Run(NAIVE, outcome, time.perf_counter() - begun, len(witness.looks), "known to be unsafe")
        return self._told(run, sequence, Followed(functions, self.asked, naive))

    def _run(self, name: str, publisher: Stepwise | Rotation) -> Released:
        sequence, witness, begun = self.sequence, Witness(self.sensitive), time.perf_counter()
        outcome = publisher.outcome(sequence, witness, self.asked, Secret.fresh())
        seconds = time.perf_counter() - begun
        functions = self._kept(publisher, sequence.functions)
        run = _Run(name, outcome, seconds, len(witness.looks), _why(outcome, functions, sequence.functions))
        return self._told(run, sequence, self._subject(publisher, sequence, functions))

    def _told(self, run: _Run, sequence: Sequenced, subject: Subject) -> Released:
        """A run, and what it is worth."""
        outcome, said = run.outcome, run.outcome.judgement
        quiet = self._silence(subject)
        if outcome.released is None:
            blank = (None,) * 5
            return Released(run.name, run.name != NAIVE, *blank, run.seconds, run.looks, run.told, quiet)
        recoding = sequence.shown(outcome, self.publisher.show, self.publisher.scheme)
        lost = next((each.value for each in usefulness(self.public, recoding) if (each.name, each.on) == _LOST), None)
        chance = self._as_shown(recoding) if said is None else (float(said.chance[0]), float(said.chance[1]))
        return Released(
            run.name,
            run.name != NAIVE,
            outcome.released + 1,
            None if outcome.upto is None else outcome.upto + 1,
            len(recoding.cells),
            None if lost is None else float(lost),
            None if run.name == NAIVE else chance,
            run.seconds,
            run.looks,
            run.told,
            quiet,
        )

    def _as_shown(self, recoding: Recoding) -> tuple[float, float]:
        """The largest share of a value in a group."""
        share = float(largest_share(image_of(Witness(self.sensitive).tally(recoding.group, len(recoding.cells))[0])))
        return share, share

    def _like(self, name: str, **others: Any) -> Stepwise | Rotation:
        """Another method with the same sequence."""
        known = find(Kind.PUBLISHER, name)
        if known is None:
            raise ValueError(f"compare: {name} is not registered")
        same = {field: getattr(self.publisher, field) for field in _FIELDS}
        return cast("Stepwise | Rotation", known.cls(**same, **others))

    def _looking(self, functions: Functions) -> Looking:
        return Looking(functions, Witness(self.sensitive), self.asked)

    def _kept(self, publisher: Stepwise | Rotation, functions: Functions) -> Functions:
        """The functions that are tried."""
        if isinstance(publisher, Rotation):
            return functions
        return publisher.kept(functions, self._looking(functions), self.asked)

    def _subject(self, publisher: Stepwise | Rotation, sequence: Sequenced, functions: Functions) -> Subject:
        if isinstance(publisher, Rotation):
            return Rotated(functions, self.asked, publisher.way(sequence, self.asked))
        return Followed(functions, self.asked, publisher.strategy)

    def _silence(self, subject: Subject) -> Quiet | None:
        last = last_of(subject.functions)
        found = None if last is None else silence(subject, self._looking(subject.functions).image(last))
        return None if found is None else _quiet(found)


@dataclass(frozen=True)
class _Run:
    """A strategy that was run, with its cost, and how its answer came about."""

    name: str
    outcome: Outcome
    seconds: float
    looks: int
    told: str


def _quiet(found: Silence) -> Quiet:
    chance = found.chance and (float(found.chance[0]), float(found.chance[1]))
    share = (float(found.share[0]), float(found.share[1]))
    return Quiet(share, chance, found.told.value, found.tables, found.silent)


def _why(outcome: Outcome, tried: Functions, every: Functions) -> str:
    """How the answer came about."""
    left_out = [str(i + 1) for i, fits in enumerate(every.fits) if fits and not tried.fits[i]]
    without = f"without {', '.join(left_out)}; " if left_out else ""
    if outcome.judgement is None:
        said = "every person as the group shows" if outcome.released is not None else outcome.silence
        return without + (said or "no function may be released")
    if outcome.released is None and outcome.stopped is not None:
        chance = float(outcome.judgement.chance[1])
        without += f"function {outcome.stopped + 1} holds, but a value could be told with a chance of {chance:.3g}; "
    return without + how_told(outcome.judgement)
