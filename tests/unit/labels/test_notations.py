"""Is every notation of the common tools read as it is meant, and nothing read that is not meant?"""

from fractions import Fraction

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openveil.core.axis import Axis
from openveil.hierarchies.masking import Masking
from openveil.hierarchies.ordering import Ordering
from openveil.hierarchies.suppression import Suppression
from openveil.hierarchies.taxonomy import Taxonomy
from openveil.labels.meaning import HIDDEN, OneOf, Pattern, Run, Span
from openveil.labels.notations import readings
from openveil.labels.reading import MOST, Known, Labels
from openveil.labels.scales import DAYS, NUMBERS, WORDS


def axis_of(texts):
    return Axis("x", pl.Series("x", [text for text in texts if text is not None], dtype=pl.String), None in texts)


def read(*texts, **known):
    """What each of the labels of one column stands for."""
    return Labels.read(axis_of(texts), Known(**known)).meanings


def span(low, high, with_low=True, with_high=True):
    ends = (None if end is None else Fraction(end) for end in (low, high))
    return Span(*ends, with_low, with_high)


NUMERIC = {
    "20": span(20, 20),
    "20.50": span("20.5", "20.5"),
    "[20, 30)": span(20, 30, True, False),
    "[20,30)": span(20, 30, True, False),
    "[20, 30[": span(20, 30, True, False),
    "]20, 30]": span(20, 30, False, True),
    "(20,30]": span(20, 30, False, True),
    "(20, 30)": span(20, 30, False, False),
    "[20;30]": span(20, 30),
    "[20-30]": span(20, 30),
    "(1e+03,2e+03]": span(1000, 2000, False, True),
    "(60,Inf]": span(60, None, False, True),
    "[-Inf, 5)": span(None, 5, True, False),
    "20-29": span(20, 29),
    "20 - 29": span(20, 29),
    "20\N{EN DASH}29": span(20, 29),
    "20.5-30.25": span("20.5", "30.25"),
    "-5--1": span(-5, -1),
    "-5 to 4": span(-5, 4),
    "20 to 29": span(20, 29),
    "20..29": span(20, 29),
    "20~30": span(20, 30),
    "['20-30']": span(20, 30),
    '["20-30"]': span(20, 30),
    ">=50": span(50, None),
    ">50": span(50, None, False),
    "\N{GREATER-THAN OR EQUAL TO}50": span(50, None),
    "50+": span(50, None),
    "50 and over": span(50, None),
    "<20": span(None, 20, True, False),
    "<=20": span(None, 20),
    "under 20": span(None, 20, True, False),
    "{20, 21}": OneOf(frozenset({"20", "21"})),
    "20;21": OneOf(frozenset({"20", "21"})),
    "20|21|22": OneOf(frozenset({"20", "21", "22"})),
    "2*": Pattern("2*"),
    "*": HIDDEN,
    "**": HIDDEN,
    "NA": HIDDEN,
    "(null)": HIDDEN,
    "NULL": HIDDEN,
    "": HIDDEN,
    "[30, 20)": None,
    "30-20": None,
    "(20, 20)": None,
    "[20, 30, 40)": None,
    "[20, thirty)": None,
    "twenty": None,
    "1e99999": None,
    "9" * 3000: None,
    "=1+1": None,
    "20-": None,
    "\N{ARABIC-INDIC DIGIT TWO}\N{ARABIC-INDIC DIGIT ZERO}": None,
    "1_000": None,
    "nan-nan": None,
}


@pytest.mark.parametrize(("label", "meaning"), NUMERIC.items(), ids=[repr(label)[:30] for label in NUMERIC])
def test_labels_of_numbers(label, meaning):
    assert read(label, scale=NUMBERS) == (meaning,)


def day(text):
    return DAYS.place(text)[0]


DATES = {
    "1964-09-27": span(day("1964-09-27"), day("1964-09-27")),
    "1964-09": span(day("1964-09-01"), day("1964-09-30")),
    "2024-02": span(day("2024-02-01"), day("2024-02-29")),
    "1964-Q3": span(day("1964-07-01"), day("1964-09-30")),
    "1964": span(day("1964-01-01"), day("1964-12-31")),
    "1960-1964": span(day("1960-01-01"), day("1964-12-31")),
    "1/1964-12/1970": span(day("1964-01-01"), day("1970-12-31")),
    "27/9/1964": span(day("1964-09-27"), day("1964-09-27")),
    "9/27/1964": span(day("1964-09-27"), day("1964-09-27")),
    "3.4.1970": span(day("1970-04-03"), day("1970-04-03")),
    "3/3/1970": span(day("1970-03-03"), day("1970-03-03")),
    "27/9/1964-28/10/1965": span(day("1964-09-27"), day("1965-10-28")),
    "[1990-01-01, 2000-01-01[": span(day("1990-01-01"), day("2000-01-01"), True, False),
    "2010-01-01 00:00:00~2012-02-03 00:00:00": span(day("2010-01-01"), day("2012-02-03")),
    "<1964": span(None, day("1964-01-01"), True, False),
    "<=1964": span(None, day("1964-12-31")),
    ">1964": span(day("1964-12-31"), None, False),
    "1964+": span(day("1964-01-01"), None),
    "3/4/1970": None,
    "1964-13": None,
    "31/2/1964": None,
    "1965-1964": None,
    "yesterday": None,
}


@pytest.mark.parametrize(("label", "meaning"), DATES.items(), ids=list(DATES))
def test_labels_of_dates(label, meaning):
    assert read(label, scale=DAYS) == (meaning,)


def one_of(*values):
    return OneOf(frozenset(values))


def test_labels_of_words():
    assert read("Married", "non-binary", "{a, b}") == (one_of("Married"), one_of("non-binary"), one_of("a", "b"))
    assert read("021**", "**138") == (Pattern("021**"), Pattern("**138"))
    assert read("{a, b", "[a", "=cmd()") == (None, None, None)


def test_a_comma_makes_a_set_only_of_values_that_are_known():
    assert read("a,b", "b,a", "Washington, DC") == (one_of("a", "b"), one_of("a", "b"), one_of("Washington, DC"))
    assert read("a~b", "a", "b") == (one_of("a", "b"), one_of("a"), one_of("b"))


TREE = {"mild": ["flu", "cold"], "grave": ["HIV", "NA"]}


def declared(rule, values=()):
    return rule.bind("x", pl.Series("x", values, dtype=pl.String), missing=True)


def test_a_hierarchy_says_what_its_nodes_are_and_what_is_no_value():
    known = {"hierarchy": declared(Taxonomy(tree=TREE)), "complete": True}
    assert known["hierarchy"].axis.labels.to_list() == ["HIV", "NA", "cold", "flu"]
    assert read("flu", "mild", "grave", **known) == (Run(3, 3), Run(2, 3), Run(0, 1))
    assert read("NA", **known) == (Run(1, 1),), "a value of the hierarchy is no mark of what is missing"
    assert read("*", None, **known) == (HIDDEN, HIDDEN)
    assert read("flu,cold", "HIV to cold", **known) == (one_of("flu", "cold"), Run(0, 2))
    assert read("plague", "{flu, plague}", "f**", **known) == (None, None, Pattern("f**"))


def test_what_covers_a_whole_hierarchy_hides_everything():
    known = {"hierarchy": declared(Taxonomy(tree={"any illness": TREE})), "complete": True}
    assert read("any illness", "mild", **known) == (HIDDEN, Run(2, 3))


def test_a_label_that_can_be_read_in_two_ways_is_not_read():
    ordered = pl.Series("x", ["a", "a to b", "b", "b to c", "c"])
    hierarchy = Taxonomy(tree={"all": ordered.to_list()}).bind("x", ordered, missing=False)
    assert read("a to b to c", hierarchy=hierarchy, complete=True) == (None,)


def test_a_run_of_the_plans_own_order_is_no_interval_of_numbers():
    ordered = pl.Series("x", ["3", "1", "2"])
    hierarchy = Ordering(sizes=(2,), order=("3", "1", "2")).bind("x", ordered, missing=False)
    assert read("1 to 2", "3 to 2", "1-2", hierarchy=hierarchy, complete=True) == (Run(1, 2), HIDDEN, span(1, 2))


def test_a_word_that_is_none_of_the_values_there_were_is_not_read():
    met = Suppression().bind("x", pl.Series("x", ["clerk", "baker"]), missing=False)
    assert read("Office", "clerk", "{clerk, baker}", hierarchy=met) == (None, Run(1, 1), one_of("clerk", "baker"))


def test_another_sign_for_hidden_characters():
    hierarchy = declared(Masking(character="#"), ["02138", "02139"])
    assert read("0213#", "02#39", "#####", hierarchy=hierarchy, mask="#") == (Run(0, 1), Pattern("02*39"), HIDDEN)


def test_the_scale_of_a_column_is_that_of_most_of_its_labels():
    assert read("20-29", "30-39", "unknown", "*") == (span(20, 29), span(30, 39), None, HIDDEN)
    assert read("1964-09", "1965-10", "later")[:2] == (span(*DAYS.place("1964-09")), span(*DAYS.place("1965-10")))
    assert Labels.read(axis_of(["a", "b", "20-29"]), Known()).scale is WORDS


def test_of_too_many_labels_none_is_read():
    labels = Labels.read(axis_of([str(number) for number in range(MOST + 1)]), Known(scale=NUMBERS))
    assert labels.unread.all()
    assert labels.kinds == {"not read": MOST + 1}


def test_a_label_covers_the_values_it_may_stand_for():
    labels = Labels.read(axis_of(["[20, 30)", "2*", "{21, 22}", "banana", "*"]), Known(scale=NUMBERS))
    covered = [[labels.covers(code, text) for text in ("20", "21.0", "30", "x")] for code in range(5)]
    assert covered == [
        [True, True, False, True],
        [True, False, False, False],
        [False, True, False, False],
        [True] * 4,
        [True] * 4,
    ]


ENDS = st.integers(-1000, 1000)
WRITERS = [
    (lambda a, b: f"[{a}, {b})", True, False),
    (lambda a, b: f"[{a},{b}[", True, False),
    (lambda a, b: f"]{a}, {b}]", False, True),
    (lambda a, b: f"({a},{b}]", False, True),
    (lambda a, b: f"{a}-{b}", True, True),
    (lambda a, b: f"{a} to {b}", True, True),
    (lambda a, b: f"{a}..{b}", True, True),
    (lambda a, b: f"{a}~{b}", True, True),
    (lambda a, b: f"['{a}-{b}']", True, True),
]


@given(st.sampled_from(WRITERS), ENDS, st.integers(1, 500), st.sampled_from([1, 10, 100]), ENDS)
def test_what_a_tool_writes_has_the_values_it_was_written_for(writer, low, width, parts, value):
    """Ends with up to two decimals; whether a number lies in it is asked of the definition."""
    write, with_low, with_high = writer
    digits = {1: 0, 10: 1, 100: 2}[parts]
    texts = [f"{number / parts:.{digits}f}" for number in (low, low + width)]
    a, b, x = Fraction(texts[0]), Fraction(texts[1]), Fraction(value, parts)
    [meaning] = read(write(*texts), scale=NUMBERS)
    assert meaning.has(x) == (a < x < b or (with_low and x == a) or (with_high and x == b))


@given(st.text(max_size=40))
def test_no_text_makes_the_reading_fail(text):
    for scale in (NUMBERS, DAYS, WORDS):
        assert isinstance(readings(text, scale), set)
        assert len(read(text, scale=scale)) == 1
