"""Local look-ahead, repaired: tell values apart only where no outcome could expose anybody, and show what was read.

Claim. A publisher that reads sensitive values by this alone, in groups that depend on quasi-identifiers, is
algorithm-safe: every table that agrees with the release is published in just this way. So knowing the algorithm
teaches nothing, whatever else the reader knows. A reader who takes all values of the domain for equally likely, and
knows which group a person is in, is right with probability at most 1/m that the person has a value (any one; or any
of the listed ones, where some are listed).

Why it holds. `domain` lists all values that the column may have, whether they occur or not, so it tells nothing of
the table. It is laid out in runs, in a way that depends on the plan alone; a run that cannot be parted is shown as a
whole, with all its values. What is read is how many rows of a group have a value of a run, for runs that are unions
of runs that are shown in the end. So all that was read, and with it all that was decided, can be counted in the
release; by induction over the rounds it is the same for every table that agrees with it. A run is parted only if its
two sides would be harmless should one of them have all of its rows:

- Without a list: a run of w values and c rows exposes each of its values with c/w rows. It is parted in the middle
  if c, over the values of the smaller half, is at most one m-th of the group. The first runs have m values or more.
- With a list: each listed value is in a run of its own with m - 1 others, all other values are shown as they are. So
  a run of c rows exposes c/m. It is opened if all c, with c/m for each run that is still closed, are at most one
  m-th.

What does not hold. Who knows that some values are rarer than others, or that a person has none of some values, may
be right more often than 1/m - with and without knowing the algorithm, just as often.

Cost. One pass over the rows a round; with a list there are about as many rounds as runs that may be opened one after
the other (seldom more than three), without one at most log of the first run's length.

Source. The idea is of Jin, Zhang, Das 2011, section 6.3; that, and why, is what is left of it (docs/decisions/0011).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from openveil.core.alternatives import OR
from openveil.core.axis import Axis
from openveil.core.bags import Counts
from openveil.core.errors import Problem, RequestError
from openveil.core.progress import report
from openveil.core.recoding import Replaced
from openveil.core.witness import Labels, Witness
from openveil.requirements.m_confidentiality import MConfidentiality
from openveil.tools.perturbation import listed_among

Flags = NDArray[np.bool_]
_WHERE = "method: domain"


@dataclass(frozen=True, eq=False)
class Layout:
    """The values in the order in which they may be merged, where the first runs start, and which are listed."""

    axis: Axis
    starts: Flags = field(repr=False)
    listed: Flags = field(repr=False)
    model: MConfidentiality

    @staticmethod
    def of(domain: tuple[str, ...], model: MConfidentiality) -> Layout:
        """Lay out the domain, or raise one `RequestError` with all that is wrong with it."""
        problems = [*_problems(domain, model)]
        if problems:
            raise RequestError(problems)
        values = pl.Series(domain, dtype=pl.String)
        listed = listed_among(values, model.values)
        if not model.values:
            return Layout(Axis("domain", values), _even_starts(len(domain), model.m), listed, model)
        order, starts = _with_company(listed, model.m)
        return Layout(Axis("domain", values[order]), starts, listed[order], model)

    def finer(self, counts: Counts, starts: Flags) -> Flags:
        """The runs when those are parted that may be."""
        from openveil.kernels.runs_of_values import halved, opened

        if not self.model.values:
            parted: Flags = halved(counts, starts, self.model.m)
            return parted
        found: Flags = opened(counts, starts, self.listed, self.model.m)
        return found


def look_ahead_locally(strata: Labels, witness: Witness, layout: Layout) -> Replaced:
    """What the sensitive column shows: values, or the runs they are in where these may not be told apart."""
    _refuse_strangers(witness, layout)
    groups = int(strata.max(initial=-1)) + 1
    starts, finer = None, np.tile(layout.starts, (groups, 1))
    while starts is None or not np.array_equal(starts, finer):
        report("looking ahead in the values of the groups")
        starts = finer
        finer = layout.finer(witness.tally_runs(strata, starts, layout.axis), starts)
    return Replaced.of_runs(witness.columns[0], witness.runs(strata, starts, layout.axis))


def _even_starts(values: int, m: int) -> Flags:
    """As many runs as there may be of m values or more, as even as may be."""
    runs = values // m
    starts = np.zeros(values, dtype=np.bool_)
    starts[np.arange(runs) * values // runs] = True
    return starts


def _with_company(listed: Flags, m: int) -> tuple[NDArray[np.int64], Flags]:
    """An order in which each listed value stands with the next m - 1 others, and where runs start in it."""
    mine, others = np.flatnonzero(listed), np.flatnonzero(~listed)
    company = others[: len(mine) * (m - 1)].reshape(len(mine), m - 1)
    order = np.concatenate([np.column_stack([mine, company]).reshape(-1), others[company.size :]])
    starts = np.ones(len(listed), dtype=np.bool_)
    starts[: company.size + len(mine)] = np.arange(company.size + len(mine)) % m == 0
    return order, starts


def _problems(domain: tuple[str, ...], model: MConfidentiality) -> Iterator[Problem]:
    if len(set(domain)) < len(domain):
        yield Problem(_WHERE, "lists a value twice", "List every value once")
    if any(OR in value for value in domain):
        what = f"has values with {OR!r} in them, which stands between the values of a cell"
        yield Problem(_WHERE, what, "Spell them in another way, in the table too")
    missing = len(set(model.values) - set(domain))
    if missing:
        what = "lacks values that are to be protected"
        yield Problem(_WHERE, what, "List every value that the column may have", f"{missing} of {len(model.values)}")
    least = model.m * max(len(set(model.values)), 1)
    if len(set(domain)) < least:
        what = f"must have at least {least} values: m for every value that is listed in the privacy model, or m"
        yield Problem(_WHERE, what, "List every value that the column may have", str(len(set(domain))))


def _refuse_strangers(witness: Witness, layout: Layout) -> None:
    """Refuse a table with other values than those that anyone may know it can have."""
    strangers = witness.strangers(layout.axis)
    if strangers:
        what = "does not list all values of the sensitive column"
        remedy = "List every value that the column may have, spelled as in the table; fill cells that are empty"
        raise RequestError([Problem(_WHERE, what, remedy, f"{strangers:,} rows with other values")])
