"""Accuracy, completeness, discernibility and average class size against their definitions."""

from collections import Counter
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from openveil.core.full_domain import classes_of, recode
from openveil.core.recoding import Recoding
from openveil.requirements.k_anonymity import KAnonymity
from openveil.utility.quality import Quality
from oracles import samarati
from oracles.public import public_of, small_tables


def told(findings):
    return {finding.name: finding.value for finding in findings}


@given(small_tables(), st.data())
def test_every_figure_is_that_of_the_definition(case, data):
    public, total = case.public, len(case.table)
    levels = tuple(data.draw(st.integers(0, height)) for height in public.heights)
    recoding = recode(public, classes_of(public), levels, KAnonymity(case.k))
    rows = [tuple(row) for row in samarati.released(case.table, case.hierarchies, levels, case.k)]
    count = Counter(rows)
    most = sum(public.heights)
    expected = {
        "accuracy": Fraction(most - sum(levels), most) if most else 1,
        "completeness": Fraction(len(rows), total) if total else 1,
        "discernibility": sum(count[row] for row in rows) + (total - len(rows)) * total,
    }
    if rows:
        expected["average class size"] = Fraction(len(rows), len(count))
    assert told(Quality().measure(public, recoding)) == expected


def test_accuracy_is_not_defined_without_levels():
    public = public_of([("x",)], [{"x": ["x", "*"]}])
    found = recode(public, classes_of(public), (1,), KAnonymity(1))
    assert told(Quality().measure(public, found))["accuracy"] == 0
    general = Recoding(found.group, found.cells, found.displays)
    assert "accuracy" not in told(Quality().measure(public, general))
