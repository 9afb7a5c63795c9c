"""A vector of levels becomes exactly the table of the definition."""

from hypothesis import given
from hypothesis import strategies as st

from openveil.core.full_domain import classes_of, recode
from openveil.core.recoding import SUPPRESSED
from openveil.requirements.k_anonymity import KAnonymity
from oracles import samarati
from oracles.public import released_rows, small_tables


@given(small_tables(), st.data())
def test_recoding_releases_and_suppresses_what_the_definition_does(case, data):
    public = case.public
    levels = tuple(data.draw(st.integers(0, height)) for height in public.heights)
    recoding = recode(public, classes_of(public), levels, KAnonymity(case.k))
    assert released_rows(recoding) == samarati.released(case.table, case.hierarchies, levels, case.k)
    gone = [row for row, group in enumerate(recoding.group.tolist()) if group == SUPPRESSED]
    assert gone == samarati.suppressed(case.table, case.hierarchies, levels, case.k)
    assert recoding.suppressed == len(gone)
    assert recoding.levels == levels
    assert sorted(set(recoding.group.tolist()) - {SUPPRESSED}) == list(range(len(recoding.cells)))
