"""Does a report say what the certificate says, in the same words everywhere, and never more?"""

from copy import deepcopy

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openveil.core.errors import RequestError
from openveil.core.finding import Verdict
from openveil.report.facts import Facts
from openveil.report.notebook import summary
from openveil.report.page import render
from openveil.report.text import lines
from openveil.workflow.publish import publish
from unit.report.reading import BY_HAND, LOOKS, SMALLEST, Read, by_hand, changed, informs

KEPT = "Every person in this table shares"
UNSAFE_MODEL = {"name": "mu-argus", "parameters": {"k": 3}, "status": "known unsafe", "source": "S"}
UNSAFE_METHOD = {"name": "tempting", "parameters": {}, "status": "known unsafe", "source": "S"}


def shown(certificate):
    """What each of the three reports shows."""
    return Read(render(certificate)).text, Read(summary(certificate)).text, "\n".join(lines(certificate))


def of_findings(*findings, **others):
    return by_hand(findings=list(findings), **others)


def test_the_verdict_is_two_sentences_without_brackets():
    assert Facts.of(by_hand()).verdict == (
        "Every person in this table shares the characteristics that outsiders may know with at least 10 others. "
        "Asked for: k-anonymity, k = 11; smallest group measured on the written file: 13 rows, each taken for one "
        "person."
    )


def test_persons_are_said_to_be_measured_before_their_column_was_removed():
    persons = {**SMALLEST, "on": "persons", "value": 12}
    facts = Facts.of(of_findings(SMALLEST, persons, LOOKS))
    assert "fewest persons in a group, measured before the person column was removed: 12" in facts.verdict
    assert not any("taken for one person" in limit for limit in facts.limits)


def test_a_table_that_was_not_written_is_not_said_to_be():
    certificate = by_hand()
    del certificate["file"]
    for text in shown(certificate):
        assert "written file" not in text
        assert "openveil verify" not in text


@pytest.mark.parametrize("number", [0, 1, 2])
def test_the_three_reports_use_the_same_words(number):
    facts, text = Facts.of(by_hand()), shown(by_hand())[number]
    shared = [facts.verdict, facts.rows.lost, facts.proof, facts.groups.words, facts.command, facts.promises[0].words]
    assert not [sentence for sentence in shared if sentence not in text]


@pytest.mark.parametrize(
    ("promise", "method", "named"),
    [
        ([UNSAFE_MODEL], BY_HAND["method"], ["mu-argus"]),
        (BY_HAND["promise"], UNSAFE_METHOD, ["tempting"]),
        ([UNSAFE_MODEL], UNSAFE_METHOD, ["mu-argus", "tempting"]),
    ],
)
@pytest.mark.parametrize("allowed", [True, False])
def test_unsafe_is_the_first_thing_to_be_read(promise, method, named, allowed):
    certificate = by_hand(promise=promise, method=method, allow_unsafe=allowed)
    firsts = (Read(render(certificate)).first, Read(summary(certificate)).first, lines(certificate)[0])
    for first in firsts:
        assert first.startswith("Not safe to release")
        assert all(name in first for name in named)
    assert Read(render(certificate)).title.startswith("Not safe to release")


def test_an_unsafe_model_is_never_said_to_protect():
    for text in shown(by_hand(promise=[UNSAFE_MODEL])):
        assert KEPT not in text
        assert "does not protect anyone" in text


def test_a_published_identifier_is_the_first_thing_to_be_read():
    columns = [*BY_HAND["columns"], {"name": "passport", "role": "identifier"}]
    assert lines(by_hand(columns=columns))[0].startswith("Not safe to release: columns that name people")


def test_a_safe_release_has_no_warning():
    assert Facts.of(by_hand()).warning == ""
    assert lines(by_hand())[0].startswith(KEPT)


def test_a_plan_that_allows_unsafe_parts_is_said_to():
    assert any("known to be unsafe" in limit for limit in Facts.of(by_hand(allow_unsafe=True)).limits)


@pytest.mark.parametrize(
    ("verdict", "standing"), [("fails", Verdict.FAILS), ("undecided", Verdict.UNDECIDED), ("holds", Verdict.HOLDS)]
)
def test_the_worst_finding_decides(verdict, standing):
    certificate = of_findings(SMALLEST, {**LOOKS, "verdict": verdict})
    assert Facts.of(certificate).standing is standing
    for text in shown(certificate):
        assert (KEPT in text) == (standing is Verdict.HOLDS)
        assert ("Do not release it" in text) == (standing is not Verdict.HOLDS)


@given(
    k=st.integers(1, 8),
    sizes=st.dictionaries(st.integers(1, 9), st.integers(1, 9), max_size=5),
    persons=st.none() | st.integers(1, 9),
    verdicts=st.lists(st.sampled_from(["holds", "fails", "undecided", "informs"]), max_size=3),
)
def test_nothing_is_said_to_be_kept_that_is_not(k, sizes, persons, verdicts):
    findings = [{**LOOKS, "verdict": verdict} for verdict in verdicts]
    if persons is not None:
        findings.append({**SMALLEST, "on": "persons", "value": persons})
    spread = {str(size): number for size, number in sizes.items()}
    classes = {"count": sum(sizes.values()), "smallest": min(sizes, default=0), "of_size": spread}
    promise = [{**BY_HAND["promise"][0], "parameters": {"k": k}}]
    facts = Facts.of(of_findings(*findings, classes=classes, promise=promise))
    known = [*sizes, *([persons] if persons is not None else [])]
    if {"fails", "undecided"} & set(verdicts) or (sizes and min(known) < k) or k == 1:
        assert not facts.verdict.startswith(KEPT)
        assert facts.standing is not Verdict.HOLDS


def test_the_smaller_size_counts_where_a_certificate_contradicts_itself():
    assert Facts.of(changed(("classes", "smallest"), 2)).standing is Verdict.FAILS


@pytest.mark.parametrize(("k", "standing"), [(13, Verdict.HOLDS), (14, Verdict.FAILS)])
def test_a_group_of_exactly_k_is_enough_and_one_less_is_not(k, standing):
    promise = [{**BY_HAND["promise"][0], "parameters": {"k": k}}]
    assert Facts.of(by_hand(promise=promise)).standing is standing


def test_k_of_one_promises_nothing():
    promise = [{**BY_HAND["promise"][0], "parameters": {"k": 1}}]
    facts = Facts.of(by_hand(promise=promise))
    assert facts.standing is Verdict.INFORMS
    assert facts.verdict.startswith("This table promises nothing")


def test_an_unknown_model_is_named_with_its_parameters():
    promise = [{"name": "closeness", "parameters": {"t": "1/5"}, "status": "proved", "source": "S"}]
    facts = Facts.of(by_hand(promise=promise))
    assert facts.verdict.startswith("The promise of closeness holds for every group of people in this table. ")
    assert "Asked for: closeness, t = 1/5;" in facts.verdict


def test_an_empty_release_says_so():
    certificate = of_findings(informs("classes", "release", 0), LOOKS)
    certificate |= {
        "classes": {"count": 0, "smallest": 0, "of_size": {}},
        "suppression": {"rows": 9, "of": 9, "kept_blank": 0},
        "file": {**BY_HAND["file"], "rows": 0},
    }
    for text in shown(certificate):
        assert "This table has no rows" in text
        assert "9 of 9 rows (100%) were left out" in text


def test_blank_rows_are_not_said_to_be_left_out():
    counts = {"rows": 41, "of": 1749, "kept_blank": 41}
    for text in shown(by_hand(suppression=counts)):
        assert "41 of 1,749 rows (2.3%) were kept without their characteristics" in text
        assert "were left out" not in text


def test_releases_without_levels_say_why():
    assert "by itself" in "".join(Facts.of(by_hand(levels={})).levels_words)
    assert "no characteristics" in "".join(Facts.of(by_hand(levels={}, columns=BY_HAND["columns"][3:])).levels_words)


def test_what_is_proved_of_the_search():
    def said(**of_search):
        return Facts.of(of_findings(SMALLEST, {**BY_HAND["findings"][4], **of_search})).proof

    assert said().startswith("Proved.")
    assert said(interval=[1.2, 1.37]).startswith("Not proved. A choice that loses less than 1.37 a row may exist")
    assert "none below 1.20" in said(interval=[1.2, 1.37])
    assert Facts.of(of_findings(SMALLEST)).proof.startswith("Not stated.")


def test_every_finding_is_shown_once():
    measures = Facts.of(by_hand(findings=[*BY_HAND["findings"], informs("regret", "ward", 0.5)])).measures
    listed = len(measures.promised) + len(measures.use) + 2 * len(measures.shared) + len(measures.others)
    assert listed + 1 == len(BY_HAND["findings"]) + 1
    assert "Regret (ward)" in [measure.what for measure in measures.others]


def limits(**changed):
    return " ".join(Facts.of(by_hand(**changed)).limits)


def test_sensitive_and_other_columns_are_said_to_be_published_as_they_are():
    page, facts = shown(by_hand())[0], Facts.of(by_hand())
    assert "the same value of disease" in limits()
    assert "published as they are, cell for cell (disease, ward)" in limits()
    assert "Sensitive and other columns are published as they are, cell for cell" in page
    assert "Sensitive, published as they are disease Other, published as they are ward" in page
    assert "Nobody should learn" not in page
    assert "No column is published as it is" in Facts.of(by_hand(columns=BY_HAND["columns"][:3])).unchanged
    assert facts.unchanged in page


def test_removed_columns_are_listed_by_name():
    assert "Removed (identifiers, person numbers) passport, surname" in shown(by_hand())[0]
    assert "Removed (identifiers" not in shown(by_hand(removed=[]))[0]


def shares(column, groups, rows):
    return (
        informs("groups in which all rows share one value", column, groups),
        informs("rows in groups that share one value", column, rows),
    )


def test_what_groups_have_in_common_is_said_with_numbers():
    assert "In 6 of 22 groups everyone has the same disease: 78 rows." in limits()
    assert "In 1 of 22 groups everyone has the same ill: 1 row." in limits(findings=[SMALLEST, *shares("ill", 1, 1)])
    assert "Measured: in none of 22 groups" in limits(findings=[SMALLEST, *shares("ill", 0, 0)])
    assert "everyone has the same sensitive" not in limits(findings=[SMALLEST])


def test_many_sensitive_columns_are_named_once():
    names = [f"diagnosis_{i}" for i in range(200)]
    columns = [*BY_HAND["columns"][:3], *({"name": name, "role": "sensitive"} for name in names)]
    found = [each for i, name in enumerate(names) for each in shares(name, 1 + i % 3, 10 + i)]
    certificate = by_hand(columns=columns, findings=[SMALLEST, *found])
    told = limits(columns=columns, findings=[SMALLEST, *found])
    assert "In 2 of 22 groups everyone has the same diagnosis_199: 209 rows." in told
    assert "197 more sensitive columns" in told
    assert sum(name in told.replace(",", " ").replace(".", " ").replace(":", " ").split() for name in names) <= 6
    assert sum("diagnosis_100" in text for text in Read(render(certificate)).texts) == 2
    assert [each.rows for each in Facts.of(certificate).measures.shared] == list(range(10, 210))


def test_rows_that_are_unique_on_what_is_published_unchanged_are_counted():
    sentence = "321 of 1,708 published rows are unique on the columns published unchanged: someone who knows these"
    assert sentence in limits()
    assert "k-anonymity assumes that nobody does" in limits()
    assert "are unique on" not in limits(findings=[SMALLEST])


NOTE = "identifier column who repeats: 90 rows, 30 distinct values; if it says who the person is, ..."


def repeats(name, distinct, note=NOTE):
    return {**informs("distinct values of an identifier that repeats", name, distinct), "note": note}


def test_a_repeated_identifier_is_a_caution_on_the_first_screen():
    certificate = of_findings(SMALLEST, repeats("who", 30))
    assert lines(certificate)[1] == f"Caution: {NOTE}."
    for text in shown(certificate):
        assert f"Caution: {NOTE}." in text
    assert render(certificate).index("Caution: ") < render(certificate).index('class="key"')
    assert Facts.of(by_hand()).cautions == ()


def test_of_many_repeated_identifiers_the_likeliest_is_told_and_a_few_are_named():
    cautions = Facts.of(of_findings(SMALLEST, *(repeats(f"c{i}", i, f"note {i}") for i in range(9)))).cautions
    assert cautions == ("Caution: note 8. Also repeated: c7, c6, c5 and 5 more.",)


def test_labels_of_observed_values_are_among_the_limits():
    observed = informs("labels made from observed values", "age", 7)
    assert "made from values in the table (age)" in limits(findings=[SMALLEST, observed])
    assert "made from values in the table" not in limits()


def test_levels_of_the_longest_value_are_among_the_limits():
    found = informs("levels made from the longest value", "zip", 7)
    assert "can be made coarser (zip) comes from their longest value" in limits(findings=[SMALLEST, found])
    assert "longest value" not in limits()


def test_an_unsafe_hierarchy_is_the_first_thing_to_be_read():
    hierarchies = {**BY_HAND["hierarchies"], "zip\x07": {"kind": "holes", "status": "known unsafe"}}
    certificate = by_hand(hierarchies=hierarchies)
    firsts = (Read(render(certificate)).first, Read(summary(certificate)).first, lines(certificate)[0])
    assert set(firsts) == {
        "Not safe to release: the hierarchy holes of zip\\x07 is known to be unsafe. Use it for comparison only."
    }


def of_levels(number):
    return by_hand(levels={f"attribute {i}": {"level": i % 5, "of": 4} for i in range(number)})


def test_each_attribute_has_a_line_of_its_own():
    told = lines(of_levels(10))
    assert len(told) <= 25
    rows = [line for line in told if "attribute" in line]
    assert len(rows) == 10
    assert len({line.index(" of 4") for line in rows}) == 1
    assert rows[0].startswith("Levels ")
    assert rows[4].split() == ["attribute", "4", "4", "of", "4", "not", "shown"]


def test_of_many_attributes_the_most_generalised_are_shown():
    told = lines(of_levels(40))
    rows = [line for line in told if "attribute" in line]
    assert len(rows) == 12
    assert all(line.endswith(("not shown", "made coarser")) for line in rows)
    assert sum(line.endswith("not shown") for line in rows) == 8
    assert any("and 28 more" in line for line in told)


@pytest.mark.parametrize("missing", [key for key in BY_HAND if key != "file"])
def test_what_is_not_a_certificate_is_refused(missing):
    certificate = by_hand()
    del certificate[missing]
    with pytest.raises(RequestError, match="certificate"):
        Facts.of(certificate)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("certificate",), 2),
        (("promise",), []),
        (("levels", "age", "level"), "many"),
        (("classes", "of_size"), [3]),
        (("findings", 0, "value"), "few"),
        (("findings", 0, "value"), float("inf")),
        (("findings", 0, "verdict"), "splendid"),
        (("columns", 0, "role"), "hero"),
        (("file", "rows"), "some"),
        (("hierarchies", "age", "status"), "lovely"),
        (("findings", 12, "on"), "another column"),
    ],
)
def test_a_damaged_certificate_is_refused(path, value):
    with pytest.raises(RequestError, match="certificate"):
        Facts.of(changed(path, value))


def test_reading_a_certificate_leaves_it_as_it_is():
    certificate = by_hand()
    before = deepcopy(certificate)
    shown(certificate)
    assert certificate == before


def test_a_model_of_sensitive_values_is_told_in_the_words_of_its_own_summary():
    frame = pl.DataFrame({"age": [30] * 4, "ill": ["a", "b", "c", "d"]})
    columns = {
        "age": {"role": "quasi-identifier", "hierarchy": {"kind": "suppression"}},
        "ill": {"role": "sensitive"},
    }
    certificate = publish(frame, {"columns": columns, "privacy": {"frequency-l-diversity": {"l": 2}}}).certificate
    assert Facts.of(certificate).verdict.startswith(
        "No sensitive value belongs to more than one in l rows of a group. "
    )
