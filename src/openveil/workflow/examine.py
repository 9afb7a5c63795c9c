"""Examine what a release gives away to those who know the algorithm: of a plan, or of any tool.

Claim. `examine` compares what someone knows who has the release with what someone knows who has the algorithm too,
and says how many people go from what to what. `check` says which conditions of algorithm-safe publishing the release
meets, with two tables as proof where it does not. Whoever is meant knows everyone's quasi-identifiers and, of a plan,
which group each person is in; what else is known can be given.

Why it holds. All tables that agree with the release are gone through where there are not too many; otherwise they
are sampled, and what a sample cannot tell stays undecided.

Cost. One run of the algorithm for each table that is looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from openveil.core.errors import RequestError, refuse
from openveil.core.finding import Finding, Verdict
from openveil.core.schema import Role
from openveil.core.secret import Secret
from openveil.core.witness import Spelled
from openveil.workflow.planned import Planned, as_plan
from openveil.workflow.taking import encode, taken
from openveil.worlds import conditions, findings, method, tool
from openveil.worlds.algorithm import Case
from openveil.worlds.alone import one_by_one
from openveil.worlds.exact import DEFAULT_BOUND, Bound, Worlds, exact
from openveil.worlds.knowledge import NOTHING_MORE, Knowledge, Roster
from openveil.worlds.sampled import Sample, sampled
from openveil.worlds.seen import TooManyError
from openveil.worlds.tool import Reader, Tool
from openveil.worlds.unknown import Tables, exact_without_roster

By = Planned | Tool | Callable[[Any], object | None]


@dataclass(frozen=True, eq=False, repr=False)
class Examined:
    """What was found, and the worlds it was found in: all of them, a sample, or none where nothing can be said."""

    findings: tuple[Finding, ...]
    worlds: Worlds | Sample | Tables | None = field(repr=False)

    def __repr__(self) -> str:
        return findings.told(self.findings)


def examine(
    frame: object,
    by: By,
    reader: Reader | None = None,
    *,
    knowledge: Knowledge = NOTHING_MORE,
    limit: Fraction | None = None,
    bound: Bound = DEFAULT_BOUND,
    secret: Secret | None = None,
) -> Examined:
    """What knowing the algorithm adds to the release of a table (pandas, Polars, PyArrow).

    `by` is a plan, or a function from a table to a release (see `openveil.worlds.Law` and `Runs` for one that draws
    at random); for a function, `reader` names the quasi-identifiers and the sensitive columns. `limit` is how likely
    a value may be. `secret` decides the release of a plan that draws, and the samples.
    """
    chosen = secret or Secret.fresh()
    if knowledge.roster is Roster.NONE:
        tables = _without_roster(frame, by, reader, knowledge, bound, chosen)
        return Examined(findings.of_tables(tables), tables)
    case = _case(frame, by, reader, chosen)
    try:
        worlds = exact(case, knowledge, bound=bound)
    except TooManyError:
        return _sampled(case, knowledge, limit, bound.tries, chosen)
    return Examined(findings.of_worlds(worlds, limit), worlds)


def check(
    frame: object,
    by: By,
    reader: Reader | None = None,
    *,
    bound: Bound = DEFAULT_BOUND,
    secret: Secret | None = None,
) -> conditions.Checked:
    """Which conditions of algorithm-safe publishing the release of a table meets; see `examine` for what is taken."""
    chosen = secret or Secret.fresh()
    return conditions.check(_case(frame, by, reader, chosen), bound=bound, secret=chosen)


def _sampled(case: Case, knowledge: Knowledge, limit: Fraction | None, tries: int, secret: Secret) -> Examined:
    if case.seen.certain() is None:
        note = "too many tables agree with the release, and labels that overlap do not tell who is in which group"
        return Examined((Finding(findings.MORE, "worlds", 0, Verdict.UNDECIDED, limit=0, note=note),), None)
    sample = sampled(case, knowledge, tries=tries, secret=secret)
    if isinstance(case.algorithm, method.Grouping) and case.algorithm.looks_at_groups_only:
        return Examined(findings.of_looks(sample, limit), sample)
    alone = findings.of_groups(one_by_one(case, knowledge, runs=tries, secret=secret))
    return Examined((*findings.of_sample(sample, limit), alone), sample)


def _case(frame: object, by: By, reader: Reader | None, secret: Secret) -> Case:
    if isinstance(by, Tool) or callable(by):
        return tool.wrapped(frame, by, _named(reader))
    setting = _setting(frame, by)
    return method.by_membership(setting, method.released(setting, secret))


def _without_roster(
    frame: object, by: By, reader: Reader | None, knowledge: Knowledge, bound: Bound, secret: Secret
) -> Tables:
    if isinstance(by, Tool) or callable(by):
        case = tool.wrapped(frame, by, _named(reader))
        return exact_without_roster(case, tool.possible(case, _named(reader)), knowledge, bound=bound)
    setting = _setting(frame, by)
    recoding = method.released(setting, secret)
    possible = method.possible(setting, recoding)
    return exact_without_roster(method.by_labels(setting, recoding), possible, knowledge, bound=bound)


def _named(reader: Reader | None) -> Reader:
    if reader is None:
        remedy = 'Give Reader(["zip", "age"], ["disease"]), with the names of your columns'
        raise refuse("reader", "must say which columns are quasi-identifiers and which are sensitive", remedy)
    return reader


def _setting(frame: object, by: Planned) -> method.Setting:
    plan = as_plan(by)
    table = encode(taken(frame, plan)[0], plan)
    sensitive = table.frame.select(table.schema.named(Role.SENSITIVE))
    if not sensitive.width:
        remedy = 'Give a column the role "sensitive"'
        raise refuse("plan", "has no sensitive column, so there is nothing to learn about anyone", remedy)
    problems = [*plan.requirement.unfit_for(Spelled(sensitive))]
    if problems:
        raise RequestError(problems)
    return method.Setting.of(plan.publisher, table.public, sensitive, plan.requirement)
