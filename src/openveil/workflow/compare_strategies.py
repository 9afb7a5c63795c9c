"""For one table and one sequence of functions, what each strategy releases, side by side.

Claim. `compared` runs every strategy on the sequence of the plan: the naive one, which is known to be unsafe, the
inclusive and the exclusive one, both also with refusals that tell nothing, and rotations. Nothing is published. What
is told holds counts and shares of the table, and no cell.

Cost. Each strategy once, and as often as `disclosure/silence.py` says for what silence tells.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import polars as pl

from openveil.core.errors import refuse
from openveil.core.progress import report
from openveil.core.registry import Kind, find
from openveil.core.requirement import Requirement
from openveil.core.schema import Role
from openveil.core.secret import Secret
from openveil.core.table import Public
from openveil.core.witness import Spelled, Witness
from openveil.disclosure.asking import Ratios, ratios_of
from openveil.disclosure.functions import Functions
from openveil.disclosure.silence import silence
from openveil.disclosure.strategies import Outcome, Strategy, holds, naive, never_silent
from openveil.tools.sequences import Sequenced, Sequential
from openveil.tools.stepping import Refusal, Stepwise, how_told, seen
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
class Released:
    """What a strategy does: the number of the function it releases, or none, and what that costs and tells."""

    strategy: str
    safe: bool
    function: int | None
    groups: int | None
    lost: float | None
    chance: tuple[float, float] | None
    seconds: float
    told: str
    silent: str


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
        functions = self.sequence.functions
        see = seen(functions, Witness(self.sensitive))
        for i, label in enumerate(functions.labels):
            sizes = np.bincount(label)
            yield Tried(i + 1, len(sizes), int(sizes.min()), functions.fits[i], holds(see(i), self.asked))

    @property
    def released(self) -> Iterator[Released]:
        """What each strategy makes of them."""
        yield self._run(
            NAIVE, lambda sequence: naive(sequence.functions, self._see(sequence), self.asked), safe=False
        )
        for name in ("inclusive", "exclusive"):
            for refusal in Refusal:
                own = cast("Stepwise", self._like(name, refusal=refusal))
                called = name if refusal is Refusal.PLAIN else f"{name}, never silent"
                yield self._run(called, self._outcome_of(own), kept=self._kept(own), strategy=own.strategy)
        yield self._run("rotation", self._outcome_of(self._like("rotation")))

    def _see(self, sequence: Sequenced) -> Any:
        return seen(sequence.functions, Witness(self.sensitive))

    def _like(self, name: str, **others: Any) -> Sequential:
        """Another method with the same sequence."""
        known = find(Kind.PUBLISHER, name)
        if known is None:
            raise ValueError(f"compare: {name} is not registered")
        same = {field: getattr(self.publisher, field) for field in _FIELDS}
        return cast("Sequential", known.cls(**same, **others))

    def _outcome_of(self, publisher: Sequential) -> Callable[[Sequenced], Outcome]:
        return lambda sequence: publisher.outcome(sequence, Witness(self.sensitive), self.asked, Secret.fresh())

    def _kept(self, publisher: Stepwise) -> Callable[[Sequenced], Functions]:
        if publisher.refusal is Refusal.PLAIN:
            return lambda sequence: sequence.functions
        return lambda sequence: never_silent(sequence.functions, self._see(sequence), self.asked, publisher.strategy)

    def _run(
        self,
        name: str,
        outcome_of: Callable[[Sequenced], Outcome],
        *,
        safe: bool = True,
        kept: Callable[[Sequenced], Functions] | None = None,
        strategy: Strategy | None = None,
    ) -> Released:
        report(f"trying {name}")
        sequence, begun = self.sequence, time.perf_counter()
        outcome = outcome_of(sequence)
        seconds = time.perf_counter() - begun
        quiet = self._silence(sequence, kept(sequence), strategy) if kept and strategy else "not measured"
        if outcome.released is None:
            return Released(name, safe, None, None, None, None, seconds, _why(outcome), quiet)
        recoding = sequence.recoding(outcome.released, self.publisher.show, self.publisher.scheme)
        lost = next((each.value for each in usefulness(self.public, recoding) if (each.name, each.on) == _LOST), None)
        said = outcome.judgement
        chance = None if said is None else (float(said.chance[0]), float(said.chance[1]))
        return Released(
            name,
            safe,
            outcome.released + 1,
            len(recoding.cells),
            None if lost is None else float(lost),
            chance if safe else None,
            seconds,
            _why(outcome) if safe else "known to be unsafe",
            quiet,
        )

    def _silence(self, sequence: Sequenced, functions: Functions, strategy: Strategy) -> str:
        found = silence(functions, self._see(sequence), self.asked, strategy)
        if found is None:
            return "not measured"
        said = f"{found.silent:,} of {found.tables:,} {'tables' if found.every else 'drawn'}"
        return said if found.chance is None else f"{said}, chance up to {float(found.chance):.3g}"


def _why(outcome: Outcome) -> str:
    """How the answer came about."""
    if outcome.judgement is not None:
        return how_told(outcome.judgement)
    return outcome.silence or "no function holds" if outcome.released is None else "every person as the group shows"
