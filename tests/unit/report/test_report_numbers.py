"""Does every number come from the certificate, and is it written without lying by rounding?"""

import re
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from openveil.report.notebook import summary
from openveil.report.page import render
from openveil.report.sizes import MOST, binned
from openveil.report.text import lines
from openveil.report.wording import percent, plain, printable, whole
from unit.report.reading import BY_HAND, Read, by_hand, changed

NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
# "0% would mean ...", "100% would mean ...", "SHA-256".
IN_THE_WORDS = {"0", "100", "256"}


def page(certificate):
    return Read(render(certificate)).text


def numbers(text):
    return [found.rstrip(",") for found in NUMBER.findall(text)]


@pytest.mark.parametrize(
    ("path", "value", "seen"),
    [
        (("promise", 0, "parameters", "k"), 12, ["k = 12", "at least 11 others"]),
        (("method", "parameters", "seconds"), 61, ["seconds = 61"]),
        (("findings", 0, "value"), 1313, ["1,313"]),
        (("findings", 0, "limit"), 1111, ["at least 1,111"]),
        (("findings", 1, "value"), 2323, ["2,323"]),
        (("findings", 2, "value"), 14.25, ["14.25"]),
        (("findings", 3, "value"), 4444, ["4,444"]),
        (("findings", 3, "limit"), 5555, ["at most 5,555"]),
        (("findings", 4, "interval"), [0.91, 1.37], ["none below 0.91"]),
        (("findings", 5, "value"), 3.21, ["3.21"]),
        (("findings", 6, "value"), 0.432, ["43.2%"]),
        (("findings", 7, "value"), 0.654, ["65.4%"]),
        (("findings", 8, "value"), 0.321, ["32.1%"]),
        (("findings", 9, "value"), 45678, ["45,678"]),
        (("findings", 10, "value"), 66.66, ["66.66"]),
        (("findings", 11, "value"), 8, ["In 8 of 22 groups everyone has the same disease"]),
        (("findings", 12, "value"), 91, ["disease: 91 rows"]),
        (("findings", 13, "value"), 1234, ["1,234 of 1,708 published rows are unique"]),
        (("classes", "count"), 24, ["24 groups of"]),
        (("classes", "smallest"), 12, ["12 rows, each taken for one person"]),
        (("classes", "of_size"), {"13": 18, "41": 7}, ["to 41 rows", "18", "234", "287"]),
        (("levels", "age", "level"), 2, ["2 of 6"]),
        (("levels", "age", "of"), 7, ["3 of 7"]),
        (("suppression", "rows"), 87, ["87 of 1,749 rows (5.0%)"]),
        (("suppression", "of"), 4100, ["41 of 4,100 rows (1.0%)"]),
        (("file", "rows"), 1709, ["1,709 rows"]),
        (("digests", "plan"), "ee" * 32, ["ee" * 32]),
        (("digests", "input_schema"), "ff" * 32, ["ff" * 32]),
        (("secret_commitment",), "ab" * 32, ["ab" * 32]),
        (("file", "sha256"), "ba" * 32, ["ba" * 32]),
        (("versions", "openveil"), "9.8.7", ["openveil 9.8.7"]),
    ],
)
def test_a_changed_number_is_seen_to_change(path, value, seen):
    before, after = page(by_hand()), page(changed(path, value))
    assert not [text for text in seen if text not in after]
    assert before != after
    assert numbers(before) != numbers(after) or not isinstance(value, int)


def test_no_number_is_invented():
    rows = {size: number * size for size, number in ((13, 17), (29, 3), (700, 2))}
    told = {"10", "2.3", "23.4", "56.7", "97.6"}  # k - 1, 41 of 1749, and the three shares
    told |= {whole(number) for number in rows.values()} | {"1", "13", "19", "20", "49", "50", "99", "100", "199"}
    told |= {"200", "499", "500", "700"}  # the ends of the bins
    assert not set(numbers(page(by_hand()))) - told - _written(BY_HAND) - IN_THE_WORDS


def _written(value):
    """Every number in the certificate, as it is and as it is formatted."""
    if isinstance(value, dict):
        return set().union(*(_written(each) for each in (*value, *value.values())))
    if isinstance(value, list):
        return set().union(*(_written(each) for each in value))
    if isinstance(value, int | float):
        return {plain(value)}
    return set(numbers(value)) if isinstance(value, str) else set()


@given(
    k=st.integers(2, 10**6),
    original=st.integers(1, 10**9),
    share=st.fractions(0, 1),
    loss=st.floats(0, 1),
    level=st.integers(0, 9),
)
def test_any_numbers_are_shown_by_all_three(k, original, share, loss, level):
    suppressed = int(original * share)
    certificate = by_hand(
        promise=[{**BY_HAND["promise"][0], "parameters": {"k": k}}],
        suppression={"rows": suppressed, "of": original, "kept_blank": 0},
        levels={"age": {"level": level, "of": 9}},
        file={**BY_HAND["file"], "rows": original - suppressed},
    )
    certificate["findings"][6]["value"] = loss
    for text in (page(certificate), Read(summary(certificate)).text, "\n".join(lines(certificate))):
        for expected in (f"k = {k}", whole(original), whole(suppressed), percent(loss), f"{level} of 9"):
            assert expected in text


@given(st.dictionaries(st.integers(1, 10**12), st.integers(1, 10**6), min_size=1, max_size=40))
def test_bins_lose_no_group_and_no_row(sizes):
    bins = binned(sizes)
    assert len(bins) <= MOST
    assert sum(each.groups for each in bins) == sum(sizes.values())
    assert sum(each.rows for each in bins) == sum(size * number for size, number in sizes.items())
    assert (bins[0].first, bins[-1].last) == (min(sizes), max(sizes))
    assert all(before.last + 1 == after.first for before, after in pairwise(bins))
    for each in bins:
        inside = {size: number for size, number in sizes.items() if each.first <= size <= each.last}
        assert each.groups == sum(inside.values())


def test_bins_of_a_few_sizes_are_one_size_each():
    assert [each.words for each in binned({5: 2, 8: 1})] == ["5", "6", "7", "8"]
    assert [each.groups for each in binned({5: 2, 8: 1})] == [2, 0, 0, 1]
    assert binned({}) == ()


@given(st.fractions(0, 1))
def test_only_nothing_is_0_and_only_everything_is_100(share):
    assume(share not in (0, 1))
    assert percent(share) not in ("0%", "0.0%", "100%", "100.0%")
    assert (percent(Fraction(0)), percent(Fraction(1))) == ("0%", "100%")


@pytest.mark.parametrize(
    ("number", "written"),
    [(5, "5"), (17.0, "17"), (48842, "48,842"), (0.12345, "0.1235"), (104.587, "104.59"), (0, "0")],
)
def test_numbers_as_they_are_read(number, written):
    assert plain(number) == written


@given(st.text())
def test_what_is_printed_steers_nothing(text):
    assert printable(text).isprintable()
    assert printable(text) == text or not text.isprintable()
