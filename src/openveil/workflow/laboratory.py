"""The laboratory: every attack on what a plan publishes, and on the table as it is.

Claim. `attack` publishes a table in memory as its plan says, writes nothing, and makes every registered attack that
can be made: those the plan gives parameters, with these; those that need none, without. Each is made twice, on the
table as it is and on the release, and each result has a control group: people who were left out of the table before
it was published again. What is told are counts and shares; nobody is named and no value is shown. The same call gives
the same result: what is drawn depends on `seed`.

Why it holds. Who is attacked are the people of the release the plan makes of the whole table. The control group is
one in ten persons, a thousand at most, drawn at random; the others are published by the same plan, and the attack on
that release bets on people it cannot have learned from. Where the table is small, or the rest cannot be published,
there is no control group. The release that is attacked is thrown away, so its secret may follow from a seed that
everyone knows.

Cost. Two publications and four times each attack.

Source. See core/attack.py.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from openveil.core.attack import Attack, Outcome, Outsiders, Sensitive, Target
from openveil.core.errors import GuaranteeError, RequestError
from openveil.core.finding import Verdict
from openveil.core.full_domain import as_it_is
from openveil.core.progress import report
from openveil.core.recoding import Recoding
from openveil.core.registry import Kind, Part, discover
from openveil.core.schema import Role
from openveil.core.secret import Secret
from openveil.core.table import Table
from openveil.tools.fitting import look_alikes
from openveil.workflow.part_schema import needs_parameters
from openveil.workflow.plan import Plan
from openveil.workflow.planned import Planned, as_plan
from openveil.workflow.publish import publish
from openveil.workflow.taking import encode, taken

LEAST_FOR_CONTROL, ONE_IN, MOST = 100, 10, 1000


@dataclass(frozen=True)
class Tried:
    """One attack, on the table as it is and on the release; no outcomes where it does not apply."""

    part: Part
    before: tuple[Outcome, ...]
    after: tuple[Outcome, ...]

    @property
    def verdict(self) -> Verdict:
        """The worst of what it found in the release."""
        found = {outcome.verdict for outcome in self.after}
        order = (Verdict.FAILS, Verdict.UNDECIDED, Verdict.HOLDS)
        return next((each for each in order if each in found), Verdict.INFORMS)

    def pairs(self) -> Iterator[tuple[Outcome | None, Outcome]]:
        """What was found before and after, column by column."""
        before = {outcome.on: outcome for outcome in self.before}
        yield from ((before.get(outcome.on), outcome) for outcome in self.after)


@dataclass(frozen=True)
class Laboratory:
    """What all attacks found; `not_made` says which were not made, and why.

    `people` are in the release, `left_out` in the control group; of the columns `unpromised` nothing is promised.
    """

    tried: tuple[Tried, ...]
    not_made: tuple[tuple[str, str], ...]
    people: int
    left_out: int
    limit: str
    unpromised: tuple[str, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """The worst of all; nothing promised, nothing held."""
        found = {each.verdict for each in self.tried}
        order = (Verdict.FAILS, Verdict.UNDECIDED, Verdict.HOLDS)
        return next((each for each in order if each in found), Verdict.INFORMS)

    def as_json(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {
            "verdict": str(self.verdict),
            "people": self.people,
            "control_group": self.left_out,
            "nothing_promised_about": list(self.unpromised),
            "attacks": [
                {
                    "name": each.part.name,
                    "verdict": str(each.verdict),
                    "before": [outcome.as_json() for outcome in each.before],
                    "after": [outcome.as_json() for outcome in each.after],
                }
                for each in self.tried
            ],
            "not_made": dict(self.not_made),
        }

    def __repr__(self) -> str:
        from openveil.report.attacked import lines

        return "\n".join(lines(self.as_json()))


@dataclass(frozen=True, eq=False)
class _Pair:
    """The same people as they are and as they are published."""

    before: Target
    after: Target

    def judged(self, attack: Attack, control: _Pair | None) -> tuple[tuple[Outcome, ...], tuple[Outcome, ...]]:
        """What the attack finds in both."""
        others = (None, None) if control is None else (control.before, control.after)
        return _judged(attack, self.before, others[0]), _judged(attack, self.after, others[1])


def attack(frame: object, plan: Planned, *, seed: int = 0) -> Laboratory:
    """Attack what `plan` publishes of a table held in memory or named by a path; see the module."""
    chosen = as_plan(plan)
    native, _ = taken(frame, chosen)
    attacks, not_made = _chosen(chosen)
    table = encode(native, chosen)
    whole = _targets(table, chosen, seed)
    control = _control(native, table, chosen, seed)
    tried = []
    for part, value in attacks:
        report(f"attacking: {part.name}")
        before, after = whole.judged(value, control)
        if after:
            tried.append(Tried(part, before, after))
        else:
            not_made[part.name] = f"it can be made on {value.applies_to}"
    people = whole.after.people(whole.after.published)
    left_out = 0 if control is None or control.after.outsiders is None else len(control.after.outsiders.row)
    bare = () if whole.after.promised else tuple(column.name for column in whole.after.sensitive)
    return Laboratory(tuple(tried), tuple(not_made.items()), people, left_out, str(whole.after.limit), bare)


def _chosen(plan: Plan) -> tuple[list[tuple[Part, Attack]], dict[str, str]]:
    """The attacks to make, and why the others are not made."""
    given = {each.part.name: each.value for each in plan.attacks or ()}
    attacks, not_made = [], {}
    for part in discover(Kind.ATTACK):
        if part.name in given:
            attacks.append((part, given[part.name]))
        elif needs_parameters(part):
            not_made[part.name] = f"the plan has no [attacks.{part.name}], see `openveil explain {part.name}`"
        else:
            attacks.append((part, part.cls()))
    return attacks, not_made


def _judged(attack: Attack, whole: Target, control: Target | None) -> tuple[Outcome, ...]:
    """What the attack finds, with the arm of those who were left out."""
    found = attack.attempt(whole)
    if control is None or not found:
        return found
    arms = {outcome.on: outcome.control for outcome in attack.attempt(control)}
    return tuple(dataclasses.replace(outcome, control=arms.get(outcome.on)) for outcome in found)


def _targets(table: Table, plan: Plan, seed: int, outside: pl.DataFrame | None = None) -> _Pair:
    """The table as it is and as the plan publishes it; `outside` are people who are not in it."""
    published = publish(table.frame, plan, secret=_drawn_from(seed, "release"))
    recoding = published.release.evidence.recoding
    limit = plan.requirement.greatest_chance

    def target(shown: Recoding, **known: Any) -> Target:
        sensitive = tuple(Sensitive.of(table.frame[name], shown) for name in table.schema.named(Role.SENSITIVE))
        outsiders = None if outside is None else _outsiders(table, shown, outside)
        return Target(table.public, shown, sensitive, limit, outsiders=outsiders, **known)

    # The requirement of the release has been told which values the table has.
    return _Pair(
        target(as_it_is(table.public)),
        target(recoding, requirement=plan.requirement, publisher=plan.publisher),
    )


def _control(frame: pl.DataFrame, table: Table, plan: Plan, seed: int) -> _Pair | None:
    """The table without one in ten persons, published by the same plan, with these as outsiders."""
    persons = np.arange(frame.height) if table.public.persons is None else table.public.persons
    everyone = np.unique(persons)
    if len(everyone) < LEAST_FOR_CONTROL:
        return None
    several = min(len(everyone) // ONE_IN, MOST)
    drawn = everyone[_drawn_from(seed, "control").permutation("persons", len(everyone))[:several]]
    outside = np.isin(persons, drawn)
    try:
        rest = encode(frame.filter(pl.Series(~outside)), plan)
        return _targets(rest, plan, seed, frame.filter(pl.Series(outside)))
    except (GuaranteeError, RequestError):
        return None


def _outsiders(table: Table, recoding: Recoding, outside: pl.DataFrame) -> Outsiders:
    axes = [hierarchy.axis for hierarchy in table.public.hierarchies]
    codes = np.stack([axis.encode(outside[axis.name])[0] for axis in axes], axis=1).astype(np.int32)
    own = {name: outside[name] for name in table.schema.named(Role.SENSITIVE)}
    return Outsiders(codes, look_alikes(table.public, recoding, codes), own)


def _drawn_from(seed: int, purpose: str) -> Secret:
    """Not a secret: what depends on it is thrown away."""
    return Secret(hashlib.sha256(f"laboratory {purpose} {seed}".encode()).digest())
