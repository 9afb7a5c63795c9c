"""What every registered publisher must do; a new one is tested by being registered and having an example."""

import json
from collections import Counter, defaultdict
from dataclasses import replace
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from openveil.core.alternatives import OR
from openveil.core.disclosed import Safety
from openveil.core.errors import GuaranteeError, OpenveilError
from openveil.core.finding import Verdict
from openveil.core.parameters import built
from openveil.core.recoding import SUPPRESSED, same_groups
from openveil.core.registry import Kind, Status, discover
from openveil.core.release import Evidence, Release, derivable
from openveil.core.requirement import together
from openveil.core.schema import Column, Role, Schema
from openveil.core.secret import Secret
from openveil.core.suppression import Allowance
from openveil.core.table import Table
from openveil.core.witness import Witness
from openveil.requirements.frequency_l_diversity import FrequencyDiversity
from openveil.requirements.k_anonymity import KAnonymity
from openveil.requirements.m_confidentiality import MConfidentiality
from openveil.requirements.personal_breach import PersonalBreach
from openveil.tools.masked import Masked
from openveil.workflow.apply import leave_out
from openveil.workflow.replay import disclosed
from oracles.guarded import guards_of
from oracles.personal import Tree
from oracles.public import Case, public_of, small_tables

# Parameters to try each publisher with, `maxsup` standing for what the table allows to suppress.
EXAMPLES = {
    "samarati": [
        {"max_suppressed": "maxsup"},
        {"max_suppressed": "maxsup", "prefer": "minimum-absolute-distance", "engine": "matrix"},
        {"max_suppressed": "maxsup", "prefer": "maximum-distribution"},
    ],
    "datafly": [{"max_suppressed": "maxsup"}],
    "mondrian": [{}, {"widths": "raw"}],
    "mondrian+": [{}, {"scheme": "bucketisation"}],
    "mondrian++": [{}, {"show": "nodes"}],
    "hilb": [{}],
    "hilb+": [{}],
    "hilb++": [{}],
    "hilb+r": [{}, {"show": "intervals"}],
    "hilb++r": [{}],
    "anatomy": [{}, {"scheme": "generalisation"}],
    "mask": [{}],
    "mask+": [{}, {"ties": "at random", "top_up": "by label"}],
    "mask++": [{}],
    "mask+r": [{"domain": list("uvwxyz")}],
    "mask++r": [{"domain": list("uvwxyz"), "widths": "raw"}],
    "personalised": [{}, {"weight": "infinite"}, {"weight": 3}],
    "personalised+": [{"show": "intervals"}, {"level": 1, "show": "intervals"}],
    "personalised-even": [{}, {"level": 1}],
    "mondrian-even": [{}, {"scheme": "bucketisation", "widths": "raw"}],
    "mondrian-even++": [{}, {"scheme": "bucketisation"}],
    "exclusive": [{}, {"steps": 3, "refusal": "safe", "scheme": "bucketisation"}],
    "rotation": [{}, {"steps": 3, "scheme": "bucketisation"}],
    "inclusive": [{}, {"steps": 3, "refusal": "safe", "show": "nodes"}],
}

PARTS = discover(Kind.PUBLISHER)
METHODS = [(part, parameters) for part in PARTS for parameters in EXAMPLES.get(part.name, [])]
every_method = pytest.mark.parametrize(
    ("part", "parameters"), METHODS, ids=[f"{part.name}-{len(parameters)}" for part, parameters in METHODS]
)


VALUES, CANARY = "vwxyz", "Zaphod-7341"
# What guards each value, for publishers that are made for it.
TREE = Tree("root", {"root": ["low", "high"], "low": ["v", "w"], "high": ["x", "y", "z", CANARY]})
GUARD = {"v": "v", "w": "low", "x": None, "y": "y", "z": "z", CANARY: CANARY}

# Publishers of m-confidentiality that are told which values to protect.
LISTED = {"mask": ("v",), "mask++r": ("v", "z")}

# Publishers that work for frequency l-diversity alone, and break ties by row number.
BY_HEADS = {"hilb", "hilb+", "hilb++"}
# Publishers that read rows in their order; of these, the last four put them in an order that is drawn.
BY_ORDER = {*BY_HEADS, "rotation", "mondrian-even", "mondrian-even++", "personalised-even"}


def asked(part, case):
    """What is asked of the table: k, and where a publisher can promise it something of the sensitive values."""
    if part.name in BY_HEADS:
        return FrequencyDiversity(case.k)
    if not part.cls.takes_sensitive:
        return KAnonymity(case.k)
    if issubclass(part.cls, Masked):
        return together((KAnonymity(case.k), MConfidentiality(2, LISTED.get(part.name, ()))))
    if part.cls.needs_guards:
        return together((KAnonymity(case.k), PersonalBreach(Fraction(1, 2))))
    return together((KAnonymity(case.k), FrequencyDiversity(2)))


def made(part, parameters, case):
    return built(part, {key: case.maxsup if value == "maxsup" else value for key, value in parameters.items()})


def table_of(case, sensitive):
    """The case as a table with one sensitive column."""
    public = public_of(case.table, case.hierarchies, case.weights)
    names = [f"a{number}" for number in range(len(case.hierarchies))]
    frame = pl.DataFrame(
        [pl.Series(name, [row[a] for row in case.table], dtype=pl.String) for a, name in enumerate(names)]
        + [pl.Series("ill", sensitive, dtype=pl.String)]
    )
    columns = [*(Column(name, Role.QUASI) for name in names), Column("ill", Role.SENSITIVE)]
    guards = guards_of(TREE, [(value, GUARD[value], None) for value in sensitive])
    return Table(Schema(tuple(columns)), frame, public, guards)


def witness_of(part, table):
    """The door to the sensitive values, and to what guards them where the publisher is made for that."""
    return Witness(table.frame.select("ill"), _guards=table.guards if part.cls.needs_guards else None)


def solved(part, parameters, case, sensitive):
    """The table, the recoding, and the witness; None when there is none."""
    table = table_of(case, sensitive)
    witness = witness_of(part, table)
    try:
        recoding = made(part, parameters, case).solve(table.public, witness, asked(part, case), Secret(bytes(32)))
    except GuaranteeError:
        return None
    return table, recoding, witness


def bags(case):
    """Sensitive values, one a row: two times of three as even as may be, so that most tables can be published."""
    rows = len(case.table)
    even = st.permutations([VALUES[row % len(VALUES)] for row in range(rows)])
    return st.one_of(even, even, st.lists(st.sampled_from(VALUES), min_size=rows, max_size=rows))


@st.composite
def tables(draw):
    """A small table that mostly can be published: k is at most half of its rows."""
    case = draw(st.one_of(small_tables(least=4), small_tables(least=4), small_tables()))
    case = replace(case, k=min(case.k, max(len(case.table) // 2, 1)))
    return case, draw(bags(case))


def exposed(group, listed):
    """How many rows of a group have the most frequent value, or any of the listed; cells count in equal parts."""
    parts = Counter()
    for cell in group:
        for value in (alternatives := cell.split(OR)):
            parts[value] += Fraction(1, len(alternatives))
    return sum(parts[value] for value in listed) if listed else max(parts.values())


def test_every_registered_publisher_has_an_example():
    assert {part.name for part in PARTS} == set(EXAMPLES)


def keys(findings):
    return {(each.name, each.on) for each in findings}


@every_method
def test_a_publisher_says_what_it_is(part, parameters):
    assert part.summary
    assert part.source
    for heading in ("Claim.", "Cost.", "Source."):
        assert heading in part.lecture


@every_method
@settings(max_examples=60)
@given(drawn=tables())
def test_a_solution_passes_the_gate_within_its_allowance(part, parameters, drawn):
    case, sensitive = drawn
    solution = solved(part, parameters, case, sensitive)
    assume(solution is not None)
    table, recoding, witness = solution
    applied = leave_out(table, recoding, Secret.fresh())
    said = disclosed(made(part, parameters, case), table.public, witness, asked(part, case), recoding.group)
    evidence = Evidence(
        recoding,
        applied.order,
        looks=witness.looks,
        status=part.status,
        differing=applied.differing,
        disclosed=said,
    )
    guards = table.guards.of(applied.order) if part.cls.needs_guards else None
    release = Release(applied.tables, table.schema, asked(part, case), evidence, guards=guards)
    shown, told_apart = applied.tables.shown(table.public.names, ["ill"])
    values = defaultdict(list)
    for *cells, value in shown.select(*told_apart, "ill").rows():
        values[tuple(cells)].append(value)
    assert all(len(group) >= case.k for group in values.values())
    if part.cls.takes_sensitive and not part.cls.needs_guards:
        listed = LISTED.get(part.name, ())
        assert all(2 * exposed(group, listed) <= len(group) for group in values.values() if case.k > 1)
    assert len(release.classes) == len(values)
    assert recoding.suppressed <= Allowance.of(case.maxsup).rows(len(case.table))
    assert keys(recoding.findings) <= set(part.says)
    for measure in discover(Kind.UTILITY):
        assert keys(measure.cls().measure(table.public, recoding)) <= set(measure.says)


@every_method
@settings(max_examples=60)
@given(drawn=tables())
def test_every_row_is_shown_as_something_that_covers_it(part, parameters, drawn):
    case, sensitive = drawn
    solution = solved(part, parameters, case, sensitive)
    assume(solution is not None)
    table, recoding, _ = solution
    for row in np.flatnonzero(recoding.group != SUPPRESSED):
        for a, display in enumerate(recoding.displays):
            cell = recoding.cells[recoding.group[row], a]
            assert display.lower[cell] <= table.public.codes[row, a] <= display.upper[cell]
            if parameters.get("show") != "intervals":
                assert display.labels[int(cell)] in case.hierarchies[a][case.table[row][a]]


@pytest.mark.parametrize(
    ("part", "parameters"),
    [
        each
        for each in METHODS
        if each[0].status is not Status.KNOWN_UNSAFE and each[0].cls.safety is Safety.SAME_WORLDS
    ],
)
@settings(max_examples=40)
@given(drawn=tables(), data=st.data())
def test_a_table_that_agrees_with_the_release_is_published_in_the_same_groups(part, parameters, drawn, data):
    case, sensitive = drawn
    solution = solved(part, parameters, case, sensitive)
    assume(solution is not None)
    table, recoding, witness = solution
    assert derivable(Evidence(recoding, np.arange(0), looks=witness.looks)).verdict is Verdict.HOLDS
    mixed = np.array(data.draw(st.permutations(range(len(case.table)))), dtype=np.int64)
    order = np.empty(len(mixed), dtype=np.int64)
    order[np.argsort(recoding.group, kind="stable")] = mixed[np.argsort(recoding.group[mixed], kind="stable")]
    settled = made(part, parameters, case).settled(table.public, witness.rearranged(order), asked(part, case))
    assert same_groups(settled, recoding.group if recoding.settled is None else recoding.settled)


@pytest.mark.parametrize(("part", "parameters"), [each for each in METHODS if not each[0].cls.takes_sensitive])
@settings(max_examples=40)
@given(drawn=tables(), data=st.data())
def test_a_method_that_promises_nothing_of_sensitive_values_does_not_look_at_them(part, parameters, drawn, data):
    case, sensitive = drawn
    first = solved(part, parameters, case, sensitive)
    second = solved(part, parameters, case, data.draw(bags(case)))
    assert (first is None) == (second is None)
    assume(first is not None)
    assert np.array_equal(first[1].group, second[1].group)
    assert np.array_equal(first[1].cells, second[1].cells)
    assert not first[2].looks


def groups_of(recoding, case, sensitive):
    """What is settled, without saying where a row stands: the rows of each group."""
    label = recoding.group if recoding.settled is None else recoding.settled
    rows = defaultdict(list)
    for row, group in enumerate(label.tolist()):
        rows[group].append((*case.table[row], sensitive[row] if recoding.settled is not None else ""))
    return sorted((group == SUPPRESSED, sorted(each)) for group, each in rows.items())


@pytest.mark.parametrize(("part", "parameters"), [each for each in METHODS if each[0].name not in BY_ORDER])
@settings(max_examples=40)
@given(drawn=tables(), data=st.data())
def test_the_order_of_rows_decides_nothing(part, parameters, drawn, data):
    case, sensitive = drawn
    solution = solved(part, parameters, case, sensitive)
    order = data.draw(st.permutations(range(len(case.table))))
    shuffled = type(case)(tuple(case.table[i] for i in order), case.hierarchies, case.k, case.maxsup, case.weights)
    other = solved(part, parameters, shuffled, [sensitive[i] for i in order])
    assert (solution is None) == (other is None)
    assume(solution is not None)
    assert groups_of(solution[1], case, sensitive) == groups_of(other[1], shuffled, [sensitive[i] for i in order])


@every_method
def test_a_refusal_names_no_value(part, parameters):
    canary = CANARY
    case = Case(((canary,),), ({canary: [canary, "*"]},), 5, 0, (Fraction(1),))
    table = table_of(case, [canary])
    with pytest.raises(OpenveilError) as caught:
        made(part, parameters, case).solve(
            table.public, witness_of(part, table), asked(part, case), Secret(bytes(32))
        )
    assert caught.value.exit_code == 1
    assert f"{asked(part, case).promise} was asked for" in str(caught.value)
    assert canary not in str(caught.value) + json.dumps(caught.value.__dict__, default=str)
