"""The four datasets of Xiao and Tao's experiments, made from the census table, and what is published of them.

Claim. `dataset` gives a table of 100,000 tuples with five quasi-identifiers and a sensitive income of 50 values,
under a taxonomy with fan-outs 5, 2 and 5, as section 5 describes them: *Pri* with one tuple a person, *Nonpri* with
50,000 persons of whom a third has two tuples and a third three; *leaf*, where everybody guards the own value, and
*mixed*, where a tenth guards the parent, three tenths guard nothing and the others their own value.

The census table has no income in dollars. One is made from what it has: adults are ranked by weeks worked, education,
age, hourly wage where it is known and the class of income, with noise from a fixed seed, and the ranks are spread
over 50 values of a thousand each, somewhat more of them low than high. Education counts as a number, by its levels.

Source. X. Xiao, Y. Tao, Personalized privacy preservation, 2006, section 5.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache

import numpy as np
import polars as pl
from numpy.typing import NDArray

from measuring.inputs import SHARED
from openveil.core.axis import Axis, Hierarchy, Level, flat
from openveil.core.bags import Counts
from openveil.core.breach import Breaches
from openveil.core.guards import Guards
from openveil.core.nodes import NO_NODE, Nodes
from openveil.core.recoding import Recoding
from openveil.core.table import Public
from openveil.core.witness import Labels, view_with_guards
from openveil.tools.refining import Refined, Refinement, refined

TUPLES, PERSONS, LEAVES = 100_000, 50_000, 50
P = Fraction(1, 4)
SEED = 2006
ADULT = 17
_LOW = 1.15
SCHOOL = (
    "Children",
    "Less than 1st grade",
    "1st 2nd 3rd or 4th grade",
    "5th or 6th grade",
    "7th and 8th grade",
    "9th grade",
    "10th grade",
    "11th grade",
    "12th grade no diploma",
    "High school graduate",
    "Some college but no degree",
    "Associates degree-occup /vocational",
    "Associates degree-academic program",
    "Bachelors degree(BA AB BS)",
    "Masters degree(MA MS MEng MEd MSW MBA)",
    "Prof school degree (MD DDS DVM LLB JD)",
    "Doctorate degree(PhD EdD)",
)


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table of the experiments, and what guards its tuples."""

    name: str
    public: Public = field(repr=False)
    guards: Guards = field(repr=False)

    @property
    def primary(self) -> bool:
        """Whether every person has one tuple."""
        return self.public.persons is None

    def counting_tuples(self) -> Public:
        """The same, for methods that take every tuple for a person of its own."""
        return replace(self.public, persons=None)


@dataclass(frozen=True, eq=False)
class Shown:
    """A published table: the group of each tuple, the codes its group stands for, and the node it shows."""

    name: str
    group: Labels = field(repr=False)
    lowest: Labels = field(repr=False)
    highest: Labels = field(repr=False)
    node: Labels = field(repr=False)


def datasets() -> tuple[Dataset, ...]:
    """The four of the paper."""
    return tuple(dataset(primary=primary, mixed=mixed) for primary in (True, False) for mixed in (False, True))


def dataset(*, primary: bool, mixed: bool) -> Dataset:
    """One of the four."""
    people = adults()
    rng = np.random.default_rng(SEED)
    rows = rng.permutation(people.height)[:TUPLES]
    income = people["income"].to_numpy()[rows].astype(np.int32)
    persons = None
    if not primary:
        rows, income, persons = _several(rows, income, rng)
    name = f"{'Pri' if primary else 'Nonpri'}-{'mixed' if mixed else 'leaf'}"
    return Dataset(name, _public(people, rows, persons), _guards(income, mixed, rng))


def scaled(tuples: int) -> Dataset:
    """So many tuples, every quasi-identifier of every fifth drawn anew, so that few tuples are equal."""
    people = adults()
    rng = np.random.default_rng(SEED)
    public = _public(people, rng.integers(0, people.height, tuples), None)
    codes = np.array(public.codes)
    for a in range(codes.shape[1]):
        changed = rng.random(tuples) < 0.2
        codes[changed, a] = rng.permutation(codes[:, a])[changed]
    income = rng.choice(people["income"].to_numpy(), tuples).astype(np.int32)
    return Dataset(f"{tuples:,}", replace(public, codes=codes), _guards(income, True, rng))


@cache
def adults() -> pl.DataFrame:
    """The adults of the census table, with an income in thousands."""
    table = pl.read_parquet(SHARED / "data" / "census_income_kdd.parquet").filter(pl.col("age") >= ADULT)
    rng = np.random.default_rng(SEED)
    school = table["education"].replace_strict(list(SCHOOL), list(range(len(SCHOOL))), return_dtype=pl.Int32)
    weeks, age = table["weeks_worked_in_year"].to_numpy(), table["age"].to_numpy()
    usual = 12.0 + 1.8 * school.to_numpy() + 0.2 * np.minimum(age - ADULT, 30)
    hourly = table["wage_per_hour"].to_numpy() * 0.02
    yearly = np.where(hourly > 0, hourly, usual) * (0.4 + 0.6 * weeks / 52)
    rich = (table["income_class"] == "50000+.").to_numpy()
    score = yearly * rng.lognormal(0, 0.45, len(yearly)) * np.where(rich, 2.5, 1.0)
    rank = np.argsort(np.argsort(score)) / len(score)
    return table.with_columns(school.alias("school"), pl.Series("income", (LEAVES * rank**_LOW).astype(np.int64)))


def income_taxonomy() -> Hierarchy:
    """50 leaves, in nodes of 5, of 10 and of 50."""
    return _taxonomy("income", [f"{leaf}k" for leaf in range(LEAVES)], 5, 10)


def _taxonomy(name: str, values: list[str], *widths: int) -> Hierarchy:
    axis = Axis(name, pl.Series(name, values))
    bottom, top = flat(axis)
    levels = [_runs(name, np.arange(0, len(values), width)) for width in widths]
    return Hierarchy(axis, (bottom, *levels, top))


def _runs(name: str, starts: NDArray[np.int64]) -> Level:
    return Level(starts.astype(np.int32), pl.Series(name, [f"{name} {len(starts)}:{each}" for each in starts]))


def _hierarchies(people: pl.DataFrame) -> tuple[Hierarchy, ...]:
    numbers = [_numbers("age", people["age"]), _numbers("school", people["school"])]
    work = people.select("major_occupation_code", "detailed_occupation_recode").unique().sort(pl.all())
    jobs = work["detailed_occupation_recode"].cast(pl.String)
    axis = Axis("detailed_occupation_recode", jobs)
    bottom, top = flat(axis)
    first = work.with_row_index().group_by("major_occupation_code").agg(pl.col("index").min()).sort("index")
    occupation = Hierarchy(axis, (bottom, _runs("occupation", first["index"].to_numpy()), top))
    return (*numbers, _flat("sex", people["sex"]), _flat("marital_stat", people["marital_stat"]), occupation)


def _numbers(name: str, values: pl.Series) -> Hierarchy:
    axis = Axis(name, values.unique().sort())
    return Hierarchy(axis, flat(axis))


def _flat(name: str, values: pl.Series) -> Hierarchy:
    axis = Axis(name, values.unique().sort())
    return Hierarchy(axis, flat(axis))


def _public(people: pl.DataFrame, rows: NDArray[np.int64], persons: Labels | None) -> Public:
    hierarchies = _hierarchies(people)
    codes = np.empty((len(rows), len(hierarchies)), dtype=np.uint8)
    for a, hierarchy in enumerate(hierarchies):
        codes[:, a] = hierarchy.axis.encode(people[hierarchy.axis.name])[0][rows]
    return Public(hierarchies, codes, (Fraction(1),) * len(hierarchies), persons)


def _several(
    rows: NDArray[np.int64], income: Labels, rng: np.random.Generator
) -> tuple[NDArray[np.int64], Labels, Labels]:
    """50,000 persons: of a third a second tuple, of a third a second and a third one, with an income of anybody."""
    third = PERSONS // 3
    order = rng.permutation(PERSONS)
    again = np.concatenate([order[:third], np.repeat(order[third : 2 * third], 2)])
    again = np.concatenate([again, order[2 * third : 2 * third + TUPLES - PERSONS - len(again)]])
    person = np.concatenate([np.arange(PERSONS), again]).astype(np.int32)
    added = rng.choice(income, len(again)).astype(np.int32)
    return rows[person], np.concatenate([income[:PERSONS], added]), person


def _guards(income: Labels, mixed: bool, rng: np.random.Generator) -> Guards:
    nodes = Nodes.of(income_taxonomy())
    guard = income.copy()
    if mixed:
        drawn = rng.random(len(income))
        guard = np.where(drawn < 0.1, nodes.parent[income], np.where(drawn < 0.4, NO_NODE, income))
    return Guards("income", nodes, income, guard.astype(np.int32))


# What is published.


def k_anonymous(data: Dataset) -> Shown:
    """Groups of four tuples or more, by the same search; no value is looked at."""
    nobody = replace(data.guards, node=np.full(len(data.guards), NO_NODE, dtype=np.int32))
    return _shown("k-anonymity", refined(data.counting_tuples(), nobody, Refinement(P, int(1 / P), None)))


def l_diverse(data: Dataset) -> Shown:
    """No value more than a quarter of a group, by the same search; values are shown as they are."""
    own = replace(data.guards, node=data.guards.leaf)
    return _shown("l-diversity", refined(data.counting_tuples(), own, Refinement(P, 1, None)))


def personalised(data: Dataset, weight: Fraction | None = Fraction(1), p: Fraction = P) -> Shown:
    """What the greedy publisher shows."""
    return _shown("personalised", refined(data.public, data.guards, Refinement(p, 1, weight)))


def of_recoding(name: str, recoding: Recoding, data: Dataset) -> Shown:
    """What a recoding of all tuples shows."""
    bounds = [
        np.stack([_bound(d, side)[recoding.cells[:, a]] for a, d in enumerate(recoding.displays)], axis=1)
        for side in ("lower", "upper")
    ]
    node = recoding.replaced[0].code if recoding.replaced else data.guards.leaf
    return Shown(name, recoding.group, bounds[0], bounds[1], node)


def _bound(display: object, side: str) -> Labels:
    found: Labels = getattr(display, side)
    return found


def _shown(name: str, found: Refined) -> Shown:
    if found.unsafe:
        raise RuntimeError(f"{name}: {found.unsafe} tuples could not be made safe")
    return Shown(name, found.group, found.lowest, found.highest, found.shown)


def breach_of_each(data: Dataset, shown: Shown) -> NDArray[np.float64]:
    """The breach probability of every tuple, with the fewest people a group can have (Theorems 1 and 2)."""
    breaches, _ = breaches_of(data, shown)
    nodes = len(data.guards.nodes)
    keys = breaches.group[breaches.starts] * nodes + breaches.guard[breaches.starts]
    order = np.argsort(keys)
    own = shown.group.astype(np.int64) * nodes + data.guards.node
    guarded = data.guards.node != NO_NODE
    probability = np.zeros(len(own))
    places = np.searchsorted(keys[order], own[guarded])
    probability[guarded] = breaches.near[order][places]
    return probability


def breaches_of(data: Dataset, shown: Shown) -> tuple[Breaches, int]:
    """All breach probabilities, and how many groups there are."""
    groups = len(shown.lowest)
    view = view_with_guards(data.guards.nodes, shown.node, data.guards.node)
    return Breaches.of(view.bags(shown.group, groups), _people(data, shown), alone=data.primary), groups


def _people(data: Dataset, shown: Shown) -> Counts:
    groups, persons = len(shown.lowest), data.public.persons
    if persons is None:
        return np.bincount(shown.group, minlength=groups).astype(np.int64)
    # Rows of a person may be in several groups.
    visits = np.unique(shown.group.astype(np.int64) * len(persons) + persons)
    return np.bincount(visits // len(persons), minlength=groups).astype(np.int64)


def loss_of(data: Dataset, shown: Shown, weight: Fraction = Fraction(1)) -> float:
    """Equations 4 to 6: over all tuples and attributes, the values beside the own against those of the domain."""
    sizes = np.array([len(each.axis) for each in data.public.hierarchies])
    wide = ((shown.highest - shown.lowest) / sizes).sum(axis=1)[shown.group].sum()
    coarse = (data.guards.nodes.sizes[shown.node] - 1).sum() / LEAVES
    return float(wide + float(weight) * coarse)
