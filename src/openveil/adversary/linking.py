"""The linking attack: look people of an identified table up in a table that is published without names.

Claim. For each person of an external table, `rows` is the number of released rows whose labels cover all that is
known of this person. A person is re-identified when these rows exist, belong to one respondent, and no other
external person fits any of them; then whoever holds both tables can put a name to the record. Where every row is
a respondent of its own this says: exactly one row fits, and it fits nobody else.

Why it holds. Known values are laid on the axes of the hierarchies, and a label stands for an interval of its
axis. A value the table never had lies on no axis, so only the root `*` covers it; missing is a value of its own.
A person column, which a release does not show, is used to judge success: two rows that both belong to one
respondent protect nobody. Rows of the external table that agree in every column are one person listed again, and
count once; rows that differ in any column are different persons.

What it does not see. A wrong match counts as a match: the external person may not be in the table at all. A value
spelled differently than in the table counts as unknown; the findings say how many of each column were, and leave
the verdict open where more than half of the persons have such a value, for then the attack was not really made.

In the laboratory (`attempt`) three risks are told besides, as exact fractions. *Prosecutor*: of someone known to be
in the table, one over the rows that fit. *Journalist*: one over the external persons who fit the same row, for
whoever wants to name any row at all. *Marketer*: the share of rows that are named rightly when every row gets the
name of someone who fits it. Without an external table the people of the table itself are looked for, who are then in
both, each known by all quasi-identifiers and by the group they are shown in; the last two risks are then those of the
table. The attack succeeds on a person who is re-identified; the baseline names the rows at random, which is right
once on average.

Cost. Full-domain releases: one lift a column and two grouped counts. Others: one comparison for each pair of a
distinct external combination and a group, in blocks. Without an external table one grouping of the groups.

Source. P. Samarati, Protecting Respondents' Identities in Microdata Release, 2001, section 1 and Fig. 1; K. El Emam,
F. Dankar, Protecting privacy using k-anonymity, 2008 (the three risks).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from openveil.core.attack import Arm, Attack, Outcome, Target
from openveil.core.axis import Axis, Codes
from openveil.core.bags import Bags
from openveil.core.errors import refuse
from openveil.core.finding import Finding, Verdict
from openveil.core.full_domain import as_it_is
from openveil.core.recoding import SUPPRESSED, Recoding, Scheme
from openveil.core.registry import Kind, Status, part
from openveil.core.requirement import Requirement
from openveil.core.table import Public
from openveil.io.read import Source, read
from openveil.tools.fitting import blocks, by_node

Counts = NDArray[np.int64]
Indices = NDArray[np.int64]

STRANGERS, REPEATED = "value not in the table", "rows that repeat another in every column"
PEOPLE = "people"
_NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True, eq=False)
class People:
    """The external persons as the attack sees them; which of the quasi-identifiers it knows, and how well.

    `of_row`: the person each row of the external table names. `alike`: persons who share all that is known with
    another. `blind`: persons of whom some value lies on no axis, and `strangers` how many in each column.
    `used` and `unused` are quasi-identifiers; `unpadded` those where leading zeros seem to be lost.
    """

    of_row: Indices = field(repr=False)
    alike: int
    blind: int
    used: tuple[str, ...]
    unused: tuple[str, ...]
    strangers: Mapping[str, int]
    unpadded: tuple[str, ...]

    @property
    def repeated(self) -> int:
        """How many rows only name a person again."""
        return len(self.of_row) - (int(self.of_row.max()) + 1 if len(self.of_row) else 0)

    @property
    def note(self) -> str:
        """What to look at, where values did not occur in the table."""
        columns = [name for name, count in self.strangers.items() if count]
        if not columns:
            return ""
        lost = f"; with leading zeros some in {', '.join(self.unpadded)} would occur" if self.unpadded else ""
        return f"values in {', '.join(columns)} do not occur in the table: check how they are spelled{lost}"


@dataclass(frozen=True, eq=False)
class Linkage:
    """What linking found, one entry an external person, in the order in which the external table names them first.

    `rows`: released rows that fit; `alone`: whether they belong to one respondent; `rivals`: the most external
    persons, this one included, who fit one of them, 0 where no row fits. `people`: what the attack knew of them.
    """

    rows: Counts
    alone: NDArray[np.bool_]
    rivals: Counts
    people: People

    @property
    def strangers(self) -> Mapping[str, int]:
        """For each column the adversary knows, how many persons have a value there that the table never had."""
        return self.people.strangers

    @property
    def matched(self) -> Indices:
        """The external persons whom at least one released row fits."""
        return np.flatnonzero(self.rows > 0)

    @property
    def unique(self) -> Indices:
        """The external persons whom exactly one released row fits."""
        return np.flatnonzero(self.rows == 1)

    @property
    def identified(self) -> Indices:
        """The external persons who are re-identified."""
        return np.flatnonzero((self.rows > 0) & self.alone & (self.rivals == 1))

    @property
    def identified_rows(self) -> NDArray[np.bool_]:
        """For each row of the external table whether its person is re-identified."""
        return np.isin(self.people.of_row, self.identified)

    @property
    def verdict(self) -> Verdict:
        """Undecided where most persons could not be compared: then few matches say nothing."""
        return Verdict.INFORMS if 2 * self.people.blind <= len(self.rows) and len(self.rows) else Verdict.UNDECIDED

    @property
    def findings(self) -> tuple[Finding, ...]:
        """How many, never who."""
        people = self.people
        return (
            Finding("external persons", "external table", len(self.rows)),
            Finding(REPEATED, "external table", people.repeated),
            Finding("share all quasi-identifiers with another", "external persons", people.alike),
            Finding("could not be compared", "external persons", people.blind, note=people.note),
            Finding("matched", "external persons", len(self.matched)),
            Finding("exactly one row", "external persons", len(self.unique)),
            Finding("re-identified", "external persons", len(self.identified), self.verdict),
            *(Finding(STRANGERS, name, count) for name, count in self.strangers.items()),
        )


@part(Kind.ATTACK, "linking", source="Samarati 2001, section 1 and Fig. 1", status=Status.MEASURED)
@dataclass(frozen=True)
class Linking(Attack):
    """Look up everyone of an identified table by the quasi-identifiers it shares with the published one.

    `external` is the file of the identified table; it names its columns as the published one does and has the values
    as they are, not generalised. Without it the people of the table itself are looked for.
    """

    external: Path | None = None

    def attempt(self, target: Target) -> tuple[Outcome, ...]:
        """Who is re-identified, and the risks of everyone."""
        if self.external is None:
            return (_among_own(target),)
        return (self._among_others(target, read(Source(self.external))),)

    def original(self, public: Public, external: pl.DataFrame) -> Linkage:
        """The attack on the table as it is: what a release without generalisation would give away."""
        return self.release(public, as_it_is(public), external)

    def release(self, public: Public, recoding: Recoding, external: pl.DataFrame) -> Linkage:
        """The attack on a release of the table."""
        shared = [a for a, name in enumerate(public.names) if name in external.columns]
        if not shared:
            remedy = f"Rename its columns; the table has {', '.join(map(repr, public.names)) or 'none'}"
            raise refuse("linking", "the external table has none of the quasi-identifiers", remedy)
        people, known = _known(public, shared, external)
        rows, alone, rivals = _fitting(public, recoding, shared, known)
        return Linkage(rows, alone, rivals, people)

    def _among_others(self, target: Target, external: pl.DataFrame) -> Outcome:
        """The people of the external table; people who are not in the release are looked for besides."""
        linkage = self.release(target.public, target.recoding, external)
        control = None
        if target.outsiders is not None:
            shared = [target.public.names.index(name) for name in linkage.people.used]
            rows, alone, _ = _fitting(target.public, target.recoding, shared, target.outsiders.codes[:, shared])
            control = Arm(len(rows), int(((rows > 0) & alone).sum()))
        found, blind = len(linkage.identified), linkage.people.blind
        undecided = blind if linkage.verdict is Verdict.UNDECIDED else 0
        risks = _risks(linkage.rows, linkage.rivals, target.people(target.published))
        told = Finding("matched", "external persons", len(linkage.matched))
        return _outcome(target, Arm(len(linkage.rows), found), control, found, undecided, (*risks, told))


def _among_own(target: Target) -> Outcome:
    """The people of the table, each of whom some row fits for certain."""
    shown = np.flatnonzero(target.published)
    cells = target.recoding.cells
    if target.recoding.scheme is Scheme.BUCKETISATION:
        classes = _alike(target.public.codes[shown].astype(np.int32))
    else:
        classes = _alike(cells)[target.group[shown]]
    sizes, least, greatest = _of_groups(_respondents(target.public)[shown], classes)
    alone = (least == greatest) & (sizes > 0)
    rows = sizes[classes]
    found = np.zeros(len(target.group), dtype=np.bool_)
    found[shown] = alone[classes]
    control = None
    if target.outsiders is not None:
        row = target.outsiders.row
        control = Arm(len(row), int(found[row[row >= 0]].sum()))
    people = target.people(found)
    arm = Arm(target.people(target.published), people)
    return _outcome(target, arm, control, people, 0, _risks(rows, rows, len(shown)))


def _alike(cells: Codes) -> Indices:
    """Number the distinct rows of a matrix; for each row its number."""
    return np.unique(cells, axis=0, return_inverse=True)[1].ravel() if len(cells) else np.zeros(0, dtype=np.int64)


def _risks(rows: Counts, rivals: Counts, published: int) -> tuple[Finding, ...]:
    """The largest prosecutor and journalist risk, and the marketer risk; so many rows and rivals fit each person."""
    fitted = rows > 0
    pairs, times = np.unique(np.stack([rows[fitted], rivals[fitted]]), axis=1, return_counts=True)
    if not pairs.size or not published:
        return ()
    whole = zip(pairs[0].tolist(), pairs[1].tolist(), times.tolist(), strict=True)
    named = sum((Fraction(fits * n, others * others) for fits, others, n in whole), Fraction(0))
    return (
        Finding("prosecutor risk, largest", PEOPLE, Fraction(1, int(pairs[0].min()))),
        Finding("journalist risk, largest", PEOPLE, Fraction(1, int(pairs[1].min()))),
        Finding("marketer risk", PEOPLE, min(Fraction(1), named / published)),
    )


def _outcome(
    target: Target, attack: Arm, control: Arm | None, found: int, undecided: int, further: tuple[Finding, ...]
) -> Outcome:
    return Outcome(
        PEOPLE,
        attack,
        Arm(attack.tries, min(1, attack.tries)),
        control,
        target.people(target.published),
        found,
        float(found > 0),
        Fraction(1),
        Verdict.UNDECIDED if undecided and not found else _verdict(target.requirement, found),
        len(target.group),
        "rows read",
        undecided,
        further=further,
    )


def _verdict(requirement: Requirement | None, found: int) -> Verdict:
    """Somebody alone breaks a promise of two rows or more."""
    one = Bags.of_counts("", [[1]])
    counted = [model for model in requirement.parts() if not model.reads_sensitive] if requirement else []
    if max((int(model.needs(one)[0]) for model in counted), default=1) < 2:
        return Verdict.INFORMS
    return Verdict.FAILS if found else Verdict.HOLDS


Found = tuple[Counts, NDArray[np.bool_], Counts]


def _respondents(public: Public) -> NDArray[np.int32]:
    return np.arange(len(public), dtype=np.int32) if public.persons is None else public.persons


def _known(public: Public, shared: list[int], external: pl.DataFrame) -> tuple[People, Codes]:
    """Who is looked for, and the codes of what is known of them, one row a person (-1: not on the axis)."""
    persons, of_row = _folded(external)
    axes = [public.hierarchies[a].axis for a in shared]
    known = np.empty((persons.height, len(shared)), dtype=np.int32)
    strangers = {}
    for column, axis in enumerate(axes):
        known[:, column], strangers[axis.name] = axis.encode(persons[axis.name])
    used = tuple(axis.name for axis in axes)
    alike = int(persons.select(used).is_duplicated().sum())
    blind = int((known < 0).any(axis=1).sum())
    unpadded = tuple(axis.name for column, axis in enumerate(axes) if _unpadded(axis, persons, known[:, column]))
    unused = tuple(name for name in public.names if name not in used)
    return People(of_row, alike, blind, used, unused, strangers, unpadded), known


def _folded(external: pl.DataFrame) -> tuple[pl.DataFrame, Indices]:
    """The distinct rows in the order they come in, and for each row which of them it is."""
    names = external.columns
    row = "row"
    while row in names:
        row += " number"
    persons = external.unique(maintain_order=True)
    numbered = persons.with_row_index(row)
    of_row = external.join(numbered, on=names, how="left", nulls_equal=True, maintain_order="left")[row]
    return persons, of_row.cast(pl.Int64).to_numpy()


def _unpadded(axis: Axis, persons: pl.DataFrame, codes: Codes) -> bool:
    """Whether values that are not on the axis would be with leading zeros."""
    missed = persons[axis.name].filter(pl.Series(codes < 0)).drop_nulls().unique().cast(pl.String)
    if axis.labels.dtype != pl.String or not len(axis.labels) or not len(missed):
        return False
    padded = missed.str.zfill(int(axis.labels.str.len_chars().to_numpy().max()))
    return axis.encode(padded)[1] < len(padded)


def _by_node(respondents: NDArray[np.int32], recoding: Recoding, shared: list[int], known: Codes) -> Found:
    """Every attribute is shown at one level, so a value has one node and persons are joined to rows by nodes."""
    names = [f"node {a}" for a in shared]
    nodes = [by_node(recoding.displays[a], known[:, column]) for column, a in enumerate(shared)]
    people = pl.DataFrame(dict(zip(names, nodes, strict=True)))
    shown = recoding.group != SUPPRESSED
    cells = recoding.cells[recoding.group[shown]][:, shared]
    released = pl.DataFrame({name: cells[:, column] for column, name in enumerate(names)})
    released = released.with_columns(pl.Series("respondent", respondents[shown]))
    fitting = released.group_by(names).agg(
        pl.len().alias("rows"), (pl.col("respondent").n_unique() == 1).alias("alone")
    )
    fitting = fitting.join(people.group_by(names).agg(pl.len().alias("rivals")), on=names)
    found = people.join(fitting, on=names, how="left", maintain_order="left")
    rows, rivals = (found[name].fill_null(0).cast(pl.Int64).to_numpy() for name in ("rows", "rivals"))
    return rows, found["alone"].fill_null(value=False).to_numpy(), rivals


def _fitting(public: Public, recoding: Recoding, shared: list[int], known: Codes) -> Found:
    """For each person how many rows fit, whether they belong to one respondent, and the rivals."""
    link = _by_interval if recoding.levels is None else _by_node
    return link(_respondents(public), recoding, shared, known)


def _by_interval(respondents: NDArray[np.int32], recoding: Recoding, shared: list[int], known: Codes) -> Found:
    """Labels are any intervals: compare every distinct combination that is known with every group."""
    sizes, least, greatest = _groups(respondents, recoding)
    combinations, person, several = np.unique(known, axis=0, return_inverse=True, return_counts=True)
    rows, first, last, rivals = np.zeros((4, len(combinations)), dtype=np.int64)
    crowd = np.zeros(len(sizes), dtype=np.int64)
    for block, fits in blocks(recoding, shared, combinations):
        crowd += several[block] @ fits
        rows[block] = fits @ sizes
        first[block] = np.where(fits, least, _NEVER).min(axis=1, initial=_NEVER)
        last[block] = np.where(fits, greatest, -1).max(axis=1, initial=-1)
    crowd[sizes == 0] = 0
    for block, fits in blocks(recoding, shared, combinations):
        rivals[block] = np.where(fits, crowd, 0).max(axis=1, initial=0)
    person = person.ravel()
    return rows[person], (first == last)[person], rivals[person]


def _groups(respondents: NDArray[np.int32], recoding: Recoding) -> tuple[Counts, Counts, Counts]:
    """For each group its rows and its least and greatest respondent."""
    shown = recoding.group != SUPPRESSED
    return _of_groups(respondents[shown], recoding.group[shown], len(recoding.cells))


def _of_groups(respondents: NDArray[np.int32], group: Indices, least: int = 0) -> tuple[Counts, Counts, Counts]:
    """For each group, of which there are at least so many, its rows and its least and greatest respondent."""
    groups = max(least, int(group.max(initial=-1)) + 1)
    first, last = np.full(groups, _NEVER), np.full(groups, -1, dtype=np.int64)
    np.minimum.at(first, group, respondents)
    np.maximum.at(last, group, respondents)
    return np.bincount(group, minlength=groups).astype(np.int64), first, last
