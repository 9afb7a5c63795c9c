"""The checker of ASAP: is a release of a table safe from those who know the algorithm?

Claim. For a release, `check` says of three conditions whether they hold, are violated (with a pair of tables that
shows it) or could not be decided:

- Q*-independence, necessary: to who knows everyone's quasi-identifiers, each person's values are as likely as their
  shares in the group.
- S*-independence, necessary: so they are to who knows besides which values one person does not have.
- Simulation, sufficient: the release is as likely of every table that agrees with it. Then both worlds are the same
  whatever else is known; and where facts may compare counts, it is necessary as well.

Why it holds. The first two are Definition 5 for the knowledge that Theorems 5.1 and 5.2 speak of; the second, for all
sets of values and all persons, says that the chances of the values of every two people agree. Each follows from the
third. The third holds without going through tables if all that a method looked at were unions of published groups:
its answers, and with them every step, are then the same for all tables that agree. Two tables with different chances
refute it.

As printed, Theorems 5.1 and 5.3 speak of entropies given S*, the distribution of everyone's value in the release
(Definition 1). `printed` decides them exactly. They are neither necessary nor sufficient: S* mostly tells the groups,
so H(Q*|Q, S*) = 0 for the original Mondrian and for Hilb+, which are not safe; and Anatomy, which is, has tables of
the same S* and other groups.

Cost. One run a table that agrees with the release, within a bound; beyond it one run, and some samples.

Source. Jin, Zhang, Das 2011, section 5; corrected as in SPEC 5.1 and docs/decisions/0013-worlds.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import combinations
from math import lcm
from typing import Any

import numpy as np

from openveil.core.errors import refuse
from openveil.core.finding import Finding, Verdict
from openveil.core.secret import Secret
from openveil.worlds.algorithm import Case, View
from openveil.worlds.alike import alike
from openveil.worlds.exact import DEFAULT_BOUND, Bound, Witnesses, Worlds, exact
from openveil.worlds.knowledge import NOTHING_MORE
from openveil.worlds.method import Grouping
from openveil.worlds.people import People, World
from openveil.worlds.sampled import sampled
from openveil.worlds.seen import Memberships, TooManyError, worlds

Q_INDEPENDENCE = "necessary condition 1: Q*-independence"
S_INDEPENDENCE = "necessary condition 2: S*-independence"
SIMULATION = "sufficient condition: the release is as likely of every table that agrees with it"
PRINTED_Q = "Theorem 5.1 as printed: I(S; Q* | Q, S*) = 0"
PRINTED_SUFFICIENT = "Theorem 5.3 as printed: H(Q* | Q, S*) = 0, and sensitive values are not changed"

# For each table of one and the same distribution of everyone's value, how likely each way to group the people is.
Published = dict[World, dict[View, Fraction]]


@dataclass(frozen=True, eq=False)
class Condition:
    """One condition: what became of it and why; two tables where it is violated."""

    name: str
    verdict: Verdict
    reason: str
    witnesses: Witnesses | None = field(default=None, repr=False)

    @property
    def finding(self) -> Finding:
        """The condition as a finding."""
        return Finding(self.name, "algorithm", int(self.verdict is Verdict.HOLDS), self.verdict, note=self.reason)


@dataclass(frozen=True, eq=False)
class Checked:
    """The three conditions."""

    q_independence: Condition
    s_independence: Condition
    simulation: Condition

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """One after the other."""
        return self.q_independence, self.s_independence, self.simulation

    @property
    def findings(self) -> tuple[Finding, ...]:
        """One a condition."""
        return tuple(condition.finding for condition in self.conditions)

    def __repr__(self) -> str:
        return "\n".join(f"{each.name}: {each.verdict.value} ({each.reason})" for each in self.conditions)


def check(case: Case, *, bound: Bound = DEFAULT_BOUND, secret: Secret | None = None) -> Checked:
    """The conditions for this release; beyond the bound by what was looked at, and by samples."""
    try:
        whole = exact(case, bound=bound)
    except TooManyError:
        return _beyond(case, bound.tries, secret or Secret.fresh())
    verdict, why = alike(whole.chances, whole.grounds)
    if not any(whole.chances):
        return _all_alike(verdict, why)
    tables = f"{len(whole.naive):,} tables agree with the release"
    simulation = Condition(SIMULATION, verdict, f"{tables}; {why}", whole.witnesses)
    if not case.algorithm.exact:
        return _of_shares(f"{tables}; the probabilities are not known", simulation)
    reason = f"{tables}; {whole.grounds.doubt or 'all were gone through'}"
    return Checked(
        _of_values(Q_INDEPENDENCE, whole, reason, 1), _of_values(S_INDEPENDENCE, whole, reason, 2), simulation
    )


def _all_alike(verdict: Verdict, reason: str) -> Checked:
    return Checked(*(Condition(name, verdict, reason) for name in (Q_INDEPENDENCE, S_INDEPENDENCE, SIMULATION)))


def _of_values(name: str, whole: Worlds, reason: str, together: int) -> Condition:
    """Whether the values of every so many people are as likely in both worlds."""
    scale = lcm(*(chance.denominator for chance in whole.chances))
    weights = [int(chance * scale) for chance in whole.chances]
    for people in combinations(range(len(whole.who)), min(together, len(whole.who))):
        naive, smart = Counter[World](), Counter[World]()
        for world, weight in zip(whole.naive, weights, strict=True):
            values = tuple(world[person] for person in people)
            naive[values] += 1
            smart[values] += weight
        for values, count in naive.items():
            if smart[values] * len(whole.naive) > count * sum(weights):
                return Condition(name, Verdict.FAILS, reason, _telling(whole, people, values))
    return Condition(name, whole.grounds.holding(whole.chances), reason)


def _telling(whole: Worlds, people: Sequence[int], values: World) -> Witnesses | None:
    """A table in which these people have these values, and one in which they do not, from which it is less likely."""
    has = [all(world[p] == v for p, v in zip(people, values, strict=True)) for world in whole.naive]
    pairs = list(zip(whole.chances, whole.naive, strict=True))
    best = max(pair for pair, mine in zip(pairs, has, strict=True) if mine)
    worst = min(pair for pair, mine in zip(pairs, has, strict=True) if not mine)
    return replace(whole, naive=(best[1], worst[1]), chances=(best[0], worst[0])).witnesses


def _of_shares(note: str, simulation: Condition) -> Checked:
    """Chances that are shares of runs: they can be shown to differ, and never to be the same."""
    of_q, of_s = (Condition(name, Verdict.UNDECIDED, note) for name in (Q_INDEPENDENCE, S_INDEPENDENCE))
    return Checked(of_q, of_s, simulation)


# Beyond the bound.


def _beyond(case: Case, tries: int, secret: Secret) -> Checked:
    if isinstance(case.algorithm, Grouping) and case.algorithm.looks_at_groups_only:
        return _all_alike(
            Verdict.HOLDS,
            "all that the method looked at are unions of published groups, so it does the same of every table",
        )
    many = "more tables agree with the release than can be gone through"
    if case.seen.certain() is None or not case.algorithm.exact:
        return _all_alike(Verdict.UNDECIDED, many)
    sample = sampled(case, tries=tries, secret=secret)
    undecided = Verdict.UNDECIDED
    if sample.witnesses is None:
        return _all_alike(undecided, f"{many}; none of {tries} that were tried shows a difference")
    return Checked(
        Condition(Q_INDEPENDENCE, undecided, many),
        Condition(S_INDEPENDENCE, undecided, many),
        Condition(SIMULATION, Verdict.FAILS, f"{sample.different} of {tries} tables tried differ", sample.witnesses),
    )


# The conditions as printed.


def printed(case: Case, *, bound: Bound = DEFAULT_BOUND) -> tuple[Condition, Condition]:
    """Theorems 5.1 and 5.3 as printed, for all tables that have the same values in another arrangement."""
    algorithm, people = case.algorithm, case.people
    if not isinstance(algorithm, Grouping):
        raise refuse("checker", "has the printed conditions for methods of openveil only", "Use the corrected ones")
    everyone = Memberships(np.zeros(len(people), dtype=np.int32))
    tables = worlds(everyone, people, NOTHING_MORE, people.everyone, bound.runs)
    alike: dict[View, Published] = {}
    for world in tables:
        for view, chance in algorithm.outcomes(np.array(world, dtype=np.int32)):
            shown = alike.setdefault(_correlation(view), {}).setdefault(world, {})
            groups = _perturbed(view)
            shown[groups] = shown.get(groups, Fraction(0)) + chance
    reason = f"{len(tables):,} tables of these values"
    return _independent(alike.values(), people, reason), _determined(alike.values(), algorithm, reason)


def _independent(alike: Iterable[Published], people: People, reason: str) -> Condition:
    """Whether the groups are as likely in all tables with the same distribution of everyone's value."""
    for tables in alike:
        shares = {world: _normalised(groups) for world, groups in tables.items()}
        for groups in {view for each in shares.values() for view in each}:
            pair = _furthest(shares, groups, people)
            if pair.more_likely != pair.less_likely:
                return Condition(PRINTED_Q, Verdict.FAILS, reason, pair)
    return Condition(PRINTED_Q, Verdict.HOLDS, reason)


def _determined(alike: Iterable[Published], algorithm: Grouping, reason: str) -> Condition:
    """Whether there is but one way to group the people for each distribution of everyone's value."""
    if algorithm.recoding.replaced:
        return Condition(PRINTED_SUFFICIENT, Verdict.FAILS, "sensitive values are changed")
    for tables in alike:
        if len({view for groups in tables.values() for view in groups}) > 1:
            shares = {world: _normalised(groups) for world, groups in tables.items()}
            first = next(iter(next(iter(shares.values()))))
            return Condition(
                PRINTED_SUFFICIENT, Verdict.FAILS, reason, _furthest(shares, first, algorithm.setting.people)
            )
    return Condition(PRINTED_SUFFICIENT, Verdict.HOLDS, reason)


def _normalised(groups: Mapping[View, Fraction]) -> dict[View, Fraction]:
    total = sum(groups.values(), start=Fraction(0))
    return {view: chance / total for view, chance in groups.items()}


def _furthest(shares: Mapping[World, Mapping[View, Fraction]], groups: View, people: People) -> Witnesses:
    """The tables from which these groups are most and least likely."""
    ranked = sorted((each.get(groups, Fraction(0)), world) for world, each in shares.items())
    (less, rarely), (more, often) = ranked[0], ranked[-1]
    tables = (people.table(np.array(world, dtype=np.int32)) for world in (often, rarely))
    return Witnesses(next(tables), next(tables), more, less)


def _correlation(view: View) -> View:
    """S*: for each person in the release, how often each value occurs among those of the group, as shares."""
    shares: dict[int, frozenset[tuple[Any, Fraction]]] = {}
    for members, _, values in view:  # type: ignore[attr-defined]
        bag = frozenset((value, Fraction(count, len(values))) for value, count in Counter(values).items())
        shares.update(dict.fromkeys(members, bag))
    return frozenset(shares.items())


def _perturbed(view: View) -> View:
    """Q*: the groups and what they are shown as, without their values."""
    return frozenset((members, labels) for members, labels, _ in view)  # type: ignore[attr-defined]
