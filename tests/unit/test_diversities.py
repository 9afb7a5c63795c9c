"""Do models that read sensitive values agree with their definitions, and what they need with all parts of bags?"""

import dataclasses
import re
from collections.abc import Callable
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openveil.core.bags import Bags
from openveil.core.errors import RequestError
from openveil.core.finding import Verdict
from openveil.core.parameters import built
from openveil.core.registry import Kind, find
from openveil.core.requirement import Diversity
from openveil.core.witness import TOGETHER
from openveil.requirements.alpha_k_anonymity import AlphaKAnonymity
from openveil.requirements.distinct_l_diversity import DistinctDiversity
from openveil.requirements.entropy_l_diversity import EntropyDiversity
from openveil.requirements.frequency_l_diversity import FrequencyDiversity
from openveil.requirements.m_confidentiality import MConfidentiality
from openveil.requirements.recursive_cl_diversity import RecursiveDiversity
from openveil.requirements.t_closeness import Distance, TCloseness
from oracles import diversity

VIEW = "ill"
# Values are numbered in this order; the last one is missing.
TEXTS = ["ache", "burn", "cough", None]
NAMES = {VIEW: [(text,) for text in TEXTS]}
ORDER = ("cough", "sneeze", "ache", "burn")
PLACES = [1, 2, 0, 3]
TREE = {"skin": ["burn"], "inner": {"lung": ["cough"], "other": ["sneeze"], "ache": {}}}
WAYS = [("inner", "ache", ""), ("skin", "burn", ""), ("inner", "lung", "cough"), ("", "", "")]


@dataclasses.dataclass(frozen=True)
class Tried:
    """A model, what it should answer of one group in a table, and whether its `needs` are the least there are."""

    model: Diversity
    oracle: Callable[[list[int], list[int]], bool]
    exact: bool = True

    def __str__(self) -> str:
        return f"{self.model.name} {self.model.promise}"


def alone(check, **asked):
    """An oracle that does not look at the rest of the table."""
    return lambda values, whole: check(values, **asked)


def close(t, ground, **asked):
    model = TCloseness(t, **asked).for_values(NAMES)
    return Tried(model, partial(diversity.is_close, t=Fraction(str(t)), ground=ground), exact=False)


MODELS = [
    *(Tried(DistinctDiversity(least), alone(diversity.is_distinct_diverse, l=least)) for least in (1, 2, 3)),
    *(
        Tried(EntropyDiversity(least), alone(diversity.is_entropy_diverse, l=Fraction(least)))
        for least in ("1", "2", "3", "5/2", "1.9", "2.01")
    ),
    *(
        Tried(RecursiveDiversity(c, least), alone(diversity.is_recursively_diverse, c=Fraction(c), l=least))
        for c, least in (("2", 2), ("1", 2), ("1/2", 3), ("3.5", 3), ("0.7", 1))
    ),
    Tried(RecursiveDiversity(2, 1), alone(diversity.is_recursively_diverse, c=Fraction(2), l=1), exact=False),
    *(
        Tried(AlphaKAnonymity(alpha, k), alone(diversity.is_alpha_k_anonymous, alpha=Fraction(alpha), k=k))
        for alpha, k in (("0.5", 1), ("1/3", 4), ("0.7", 3))
    ),
    Tried(AlphaKAnonymity(1, 2), alone(diversity.is_alpha_k_anonymous, alpha=Fraction(1), k=2), exact=False),
    *(
        Tried(model(2), alone(diversity.is_m_confidential, m=2, listed=set()))
        for model in (FrequencyDiversity, MConfidentiality)
    ),
    *(
        Tried(
            MConfidentiality(m, ("ache", "cough")).for_values(NAMES),
            alone(diversity.is_m_confidential, m=m, listed={0, 2}),
        )
        for m in (2, 3)
    ),
    *(close(t, diversity.apart) for t in ("0", "0.3", "1/2")),
    *(close(t, diversity.in_order(range(4)), distance=Distance.ORDERED) for t in ("0", "0.2", "1/3")),
    *(close(t, diversity.in_order(PLACES), distance=Distance.ORDERED, order=ORDER) for t in ("0.1", "1/3")),
    *(close(t, diversity.in_tree(WAYS), distance=Distance.HIERARCHICAL, tree=TREE) for t in ("0.1", "1/3")),
]
every_model = pytest.mark.parametrize("tried", MODELS, ids=str)


@dataclasses.dataclass(frozen=True)
class Groups:
    """Groups of rows, each with its values, and how often each value occurs in the table."""

    values: list[list[int]]
    whole: list[int]

    @property
    def bags(self) -> Bags:
        label = [number for number, values in enumerate(self.values) for _ in values]
        codes = [value for values in self.values for value in values]
        whole = np.array(self.whole, dtype=np.int64)
        ids = np.array(label, dtype=np.int32)
        return Bags.of_rows(VIEW, whole, ids, np.array(codes, dtype=np.int32), len(self.values))


@st.composite
def groups(draw, rows=9):
    """Up to three groups of a table, which may have further rows."""
    value = st.integers(0, len(TEXTS) - 1)
    values = draw(st.lists(st.lists(value, min_size=1, max_size=rows), min_size=1, max_size=3))
    further = draw(st.lists(value, max_size=4))
    everyone = [*further, *(each for group in values for each in group)]
    return Groups(values, [everyone.count(each) for each in range(len(TEXTS))])


@every_model
@settings(max_examples=30)
@given(drawn=groups())
def test_a_group_is_enough_where_the_definition_says_so(tried, drawn):
    expected = [tried.oracle(values, drawn.whole) for values in drawn.values]
    assert tried.model.enough(drawn.bags).tolist() == expected


@every_model
@settings(max_examples=30)
@given(drawn=groups())
def test_the_measurement_says_what_the_answer_says(tried, drawn):
    found = tried.model.reached(drawn.bags)
    assert found.verdict is (Verdict.HOLDS if tried.model.enough(drawn.bags).all() else Verdict.FAILS)
    assert found.limit is not None
    assert found.on == VIEW


@every_model
@settings(max_examples=30)
@given(drawn=groups(rows=7))
def test_every_part_holds_from_so_many_rows_on_and_where_said_from_no_fewer(tried, drawn):
    needed = tried.model.needs(drawn.bags)
    assert needed.dtype == np.int64
    for values, least in zip(drawn.values, needed.tolist(), strict=True):
        failing = {len(each) for each in diversity.parts(values) if not tried.oracle(each, drawn.whole)}
        largest = max(failing, default=0)
        assert least > largest
        if tried.exact and largest < len(values):
            assert least == max(largest + 1, getattr(tried.model, "k", 1))


@every_model
@given(drawn=groups())
def test_two_groups_that_hold_hold_together(tried, drawn):
    merged = drawn.bags.merged(np.zeros(len(drawn.values), dtype=np.int32), 1)
    assert not tried.model.enough(drawn.bags).all() or tried.model.enough(merged).all()


def asked(model, said, more):
    """The model that asks for what was said, and `more` steps beyond it."""
    if isinstance(model, DistinctDiversity | FrequencyDiversity):
        return type(model)(int(said["l"]) + more)
    if isinstance(model, MConfidentiality):
        return MConfidentiality(int(said["m"]) + more)
    if isinstance(model, EntropyDiversity):
        return EntropyDiversity(Fraction(said["l"]) + Fraction(more, 100))
    if isinstance(model, RecursiveDiversity):
        return RecursiveDiversity(Fraction(said["c"]) - Fraction(more, 100), int(said["l"]))
    if isinstance(model, AlphaKAnonymity):
        return AlphaKAnonymity(Fraction(said["alpha"]) - Fraction(more, 1000), int(said["k"]))
    return dataclasses.replace(model, t=Fraction(said["t"]) - Fraction(more, 1000))


@pytest.mark.parametrize(
    "model",
    [
        DistinctDiversity(2),
        FrequencyDiversity(2),
        MConfidentiality(2),
        EntropyDiversity(2),
        RecursiveDiversity(2, 3),
        AlphaKAnonymity("1/2", 3),
        TCloseness("1/5"),
        TCloseness("1/5", Distance.ORDERED),
    ],
    ids=lambda model: f"{model.name} {model.promise}",
)
@given(drawn=groups())
def test_what_is_said_to_be_attainable_is_and_no_more(model, drawn):
    said = dict(re.findall(r"(\w+) = ([0-9.]+)", model.attainable(drawn.bags)))
    assert asked(model, said, 0).enough(drawn.bags).all()
    try:
        beyond = asked(model, said, 1)
    except RequestError:
        return  # the strictest there is, such as c = 0.01
    assert not beyond.enough(drawn.bags).all()


@given(drawn=groups(), m=st.integers(2, 4))
def test_what_is_attainable_for_listed_values(drawn, m):
    model = MConfidentiality(m, ("ache", "cough")).for_values(NAMES)
    reached = int(model.attainable(drawn.bags).removeprefix("m = "))
    assert MConfidentiality(reached, ("ache", "cough")).for_values(NAMES).enough(drawn.bags).all()
    exposed = any({0, 2} & set(values) for values in drawn.values)
    more = MConfidentiality(reached + 1, ("ache", "cough")).for_values(NAMES).enough(drawn.bags).all()
    assert not (more and exposed)


@pytest.mark.parametrize(
    ("counts", "least", "holds"),
    [
        ([4, 1, 1, 1, 1], "4", True),
        ([40_000, 10_000, 10_000, 10_000, 10_000], "4", True),
        ([40_000, 10_000, 10_000, 10_000, 10_000], "4.0000000000000001", False),
        ([40_001, 10_000, 10_000, 10_000, 10_000], "4", False),
        ([39_999, 10_000, 10_000, 10_000, 10_000], "4", True),
        ([10**8] * 7, "7", True),
        ([10**8] * 7, "7.000001", False),
        ([5, 5], "1" + "0" * 400, False),
    ],
)
def test_entropy_is_decided_exactly_where_logarithms_cannot_tell(counts, least, holds):
    assert EntropyDiversity(least).enough(Bags.of_counts(VIEW, [counts])).tolist() == [holds]


@given(st.lists(st.integers(1, 400), min_size=1, max_size=8), st.integers(-3, 3))
def test_entropy_next_to_what_is_reached(counts, step):
    """The limit is set within the last digits of the group's own entropy."""
    values = [value for value, count in enumerate(counts) for _ in range(count)]
    shares = np.array(counts) / sum(counts)
    reached = float(np.exp(-(shares * np.log(shares)).sum()))
    least = max(Fraction(1), Fraction(reached) + Fraction(step, 2**50))
    answer = EntropyDiversity(least).enough(Bags.of_counts(VIEW, [counts]))
    assert answer.tolist() == [diversity.is_entropy_diverse(values, least)]


@given(st.lists(st.integers(0, 30), min_size=1, max_size=12).filter(any), st.sampled_from(["2", "3", "5/2", "4"]))
def test_entropy_needs_are_those_of_the_part_that_takes_the_most_frequent_values_first(counts, least):
    frequent = sorted(counts, reverse=True)
    first = [value for value, count in enumerate(frequent) for _ in range(count)]
    failing = [
        size for size in range(1, len(first) + 1) if not diversity.is_entropy_diverse(first[:size], Fraction(least))
    ]
    assert EntropyDiversity(least).needs(Bags.of_counts(VIEW, [counts])).tolist() == [max(failing, default=0) + 1]


@pytest.mark.parametrize(
    "model",
    [
        TCloseness("1/5"),
        TCloseness("1/5", Distance.ORDERED),
        TCloseness("1/5", Distance.HIERARCHICAL, tree=TREE).for_values(NAMES),
    ],
)
@given(drawn=groups())
def test_closeness_is_exact_beyond_64_bits(model, drawn):
    """Only shares matter, so a table of a thousand million times as many rows has the same distances."""
    small, many = drawn.bags, 10**9
    large = Bags(VIEW, small.whole * many, small.starts, small.values, small.counts * many)
    assert model.reached(large) == model.reached(small)
    assert model.enough(large).tolist() == model.enough(small).tolist()


@pytest.mark.parametrize(
    "model", [EntropyDiversity("2.5"), TCloseness("0.3", Distance.ORDERED), RecursiveDiversity(2, 2)]
)
def test_groups_do_not_disturb_each_other(model):
    random = np.random.default_rng(7)
    table = random.integers(0, 6, size=(500, 9))
    table[:, 0] += 1
    whole = table.sum(axis=0)
    alone = [Bags.of_counts(VIEW, [counts]) for counts in table.tolist()]
    alone = [Bags(VIEW, whole, each.starts, each.values, each.counts) for each in alone]
    together = Bags.of_counts(VIEW, table.tolist())
    assert model.enough(together).tolist() == [bool(model.enough(each)[0]) for each in alone]
    assert model.needs(together).tolist() == [int(model.needs(each)[0]) for each in alone]


def test_the_examples_of_the_paper_on_closeness():
    """Salaries 3k to 11k in three groups of three; Li et al. 2007, section 4.3."""
    groups = Bags.of_counts(
        VIEW, [[1, 1, 1, 0, 0, 0, 0, 0, 0], [0, 0, 0, 1, 0, 1, 0, 0, 1], [0, 0, 0, 0, 1, 0, 1, 1, 0]]
    )
    first, second, _ = (groups.among(np.arange(3) == number) for number in range(3))
    salary = TCloseness("0.2", Distance.ORDERED)
    assert float(salary.reached(first).value) == 0.375
    assert float(salary.reached(second).value) == pytest.approx(0.167, abs=5e-4)


def test_a_distance_that_is_not_known_is_the_equal_one():
    bags = Bags.of_counts(TOGETHER, [[3, 0, 0, 1], [1, 2, 2, 0]])
    equal = TCloseness("0.3").reached(bags)
    ordered = TCloseness("0.3", Distance.ORDERED)
    assert ordered.reached(bags) == equal
    assert ordered.reached(dataclasses.replace(bags, view=VIEW)).value < equal.value
    for model in (
        TCloseness("0.3", Distance.ORDERED, ORDER),
        TCloseness("0.3", Distance.HIERARCHICAL, tree=TREE),
    ):
        bound = model.for_values(NAMES | {TOGETHER: [("ache", "x"), ("burn", "x"), ("cough", "x"), (None, "x")]})
        assert model.reached(bags) == bound.reached(bags) == equal
        assert bound.reached(dataclasses.replace(bags, view=VIEW)).value < equal.value
        assert bound.name == model.name
        assert bound.promise == model.promise


def test_a_column_that_is_not_covered_is_compared_by_the_equal_distance_and_all_of_them_refused():
    model = TCloseness("0.3", Distance.ORDERED, ORDER)
    strange = {"other": [("ache",), ("wheeze",)]}
    bags = Bags.of_counts("other", [[3, 1], [1, 2]])
    assert model.for_values(NAMES | strange).reached(bags) == TCloseness("0.3").reached(bags)
    assert not [*model.unfit_for(NAMES | strange)]
    [problem] = model.unfit_for(strange)
    assert problem.what == "lacks values of every sensitive column"
    assert "wheeze" not in str(problem)


def test_listed_values_count_in_every_column_and_together():
    model = MConfidentiality(2, ("HIV",)).for_values(
        {
            "ill": [("HIV",), ("flu",)],
            "cause": [("HIV",), (None,)],
            TOGETHER: [("HIV", None), ("flu", "HIV"), ("flu", None)],
        }
    )
    assert model.enough(Bags.of_counts("ill", [[1, 1], [2, 1]])).tolist() == [True, False]
    assert model.enough(Bags.of_counts(TOGETHER, [[1, 0, 1], [1, 1, 1]])).tolist() == [True, False]
    assert model.reached(Bags.of_counts(TOGETHER, [[1, 1, 1]])).value == Fraction(2, 3)
    assert model.name == "m-confidentiality"


def test_listed_values_that_do_not_occur_or_are_not_known_are_not_passed_over():
    [problem] = MConfidentiality(2, ("ache", "akhe")).unfit_for(NAMES)
    assert (problem.what, problem.found) == ("lists values that no sensitive column has", "1 of 2")
    assert "akhe" not in str(problem)
    with pytest.raises(ValueError, match="for_values"):
        MConfidentiality(2, ("ache",)).enough(Bags.of_counts(VIEW, [[1, 1]]))


def test_without_labels_to_find_a_model_stays_as_it_is():
    for model in (MConfidentiality(2), TCloseness(0.2), TCloseness(0.2, Distance.ORDERED)):
        assert model.for_values(NAMES) is model


@pytest.mark.parametrize(
    ("name", "parameters", "said"),
    [
        ("distinct-l-diversity", {"l": 0}, "l must be a positive whole number"),
        ("entropy-l-diversity", {"l": 0.5}, "l must be at least 1"),
        ("entropy-l-diversity", {"l": "two"}, "exact fraction"),
        ("recursive-cl-diversity", {"c": 0, "l": 2}, "c must be above 0"),
        ("recursive-cl-diversity", {"c": 2, "l": 0}, "l must be a positive whole number"),
        ("alpha-k-anonymity", {"alpha": 0, "k": 2}, "alpha must be above 0 and at most 1"),
        ("alpha-k-anonymity", {"alpha": "3/2", "k": 2}, "alpha must be above 0 and at most 1"),
        ("alpha-k-anonymity", {"alpha": 0.5, "k": 0}, "k must be a positive whole number"),
        ("m-confidentiality", {"m": 0}, "m must be a positive whole number"),
        ("t-closeness", {"t": 1.5}, "t must be from 0 to 1"),
        ("t-closeness", {"t": 0.1, "distance": "far"}, "distance: must be"),
        ("t-closeness", {"t": 0.1, "distance": "hierarchical"}, "Give both or neither"),
        ("t-closeness", {"t": 0.1, "tree": {"a": ["b"]}}, "Give both or neither"),
        ("t-closeness", {"t": 0.1, "order": ["a"]}, "order: belongs to the distance 'ordered'"),
        ("t-closeness", {"t": 0.1, "distance": "ordered", "order": ["a", "a"]}, "order: lists a value twice"),
        ("t-closeness", {"t": 0.1, "distance": "hierarchical", "tree": {"a": ["b"], "b": {}}}, "holds a value twice"),
        ("t-closeness", {"t": 0.1, "distance": "hierarchical", "tree": {"a": 3}}, "neither a table of groups"),
        ("t-closeness", {"t": 0.1, "distance": "hierarchical", "tree": {}}, "neither a table of groups"),
        ("t-closeness", {"t": 0.1, "distance": "hierarchical", "tree": {"a": []}}, "neither a table of groups"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(name, parameters, said):
    with pytest.raises(RequestError, match=re.escape(said)):
        built(find(Kind.REQUIREMENT, name), parameters)


@pytest.mark.parametrize(
    ("name", "parameters", "promise"),
    [
        ("distinct-l-diversity", {"l": 3}, "l = 3 different values"),
        ("entropy-l-diversity", {"l": 2.1}, "entropy of l = 21/10"),
        ("entropy-l-diversity", {"l": "5/2"}, "entropy of l = 5/2"),
        ("recursive-cl-diversity", {"c": 0.1, "l": 3}, "c = 1/10, l = 3"),
        ("alpha-k-anonymity", {"alpha": 0.3, "k": 3}, "alpha = 3/10, k = 3"),
        ("m-confidentiality", {"m": 3, "values": ["a"]}, "m = 3"),
        ("t-closeness", {"t": 0.1, "distance": "hierarchical", "tree": {"a": ["b", 2], "c": {}}}, "t = 1/10"),
    ],
)
def test_numbers_of_a_plan_are_taken_as_they_are_written(name, parameters, promise):
    model = built(find(Kind.REQUIREMENT, name), parameters)
    assert model.promise == promise
    assert model.name == name
