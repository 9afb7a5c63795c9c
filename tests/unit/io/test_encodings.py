"""Is text read in the encoding it was written in, and never in another one silently?"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openveil.core.errors import RequestError
from openveil.io.encoding import is_known, to_utf8

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufeff"))
ALIKE = "äöüÄÖÜßéáíóúçëîôâ"


@given(TEXTS, st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32"]))
def test_unicode_is_detected(text, encoding):
    assert to_utf8(text.encode(encoding), None, "x") == text.encode()


@given(TEXTS, st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"]))
def test_unicode_is_read_as_told(text, encoding):
    assert to_utf8(text.encode(encoding), encoding, "x") == text.encode()


@given(st.text(st.characters(codec="latin-1", exclude_characters="\0")))
def test_latin_1_is_read_as_told(text):
    assert to_utf8(text.encode("latin-1"), "latin-1", "x") == text.encode()


@given(st.text(st.characters(codec="cp1252", exclude_characters="\0")))
def test_detection_never_reads_western_text_wrongly(text):
    try:
        read = to_utf8(text.encode("cp1252"), None, "x").decode()
    except RequestError:
        return
    assert read == text or text.encode("cp1252").decode("utf-8", "replace") == read


@given(
    st.text(st.sampled_from("aebz, \n" + ALIKE + "łčřžšıØèñ")),
    st.sampled_from(["cp1250", "iso8859-2", "cp1254", "iso8859-9", "iso8859-15", "cp1252"]),
)
def test_detection_never_takes_one_code_page_for_another(text, page):
    data = text.encode(page, "ignore")
    meant = data.decode(page)
    try:
        read = to_utf8(data, None, "x").decode()
    except RequestError:
        return
    assert read in {meant, data.decode("utf-8", "replace")}


def test_western_words_are_detected():
    assert to_utf8("Müller,Größe,café".encode("cp1252"), None, "x").decode() == "Müller,Größe,café"


@pytest.mark.parametrize(
    ("text", "page"),
    [
        ("Москва", "cp1251"),
        ("д", "cp1251"),
        ("a дйд", "cp1251"),
        ("aдйд", "cp1251"),
        ("Łódź", "cp1250"),
        ("Müller", "cp850"),
        ("Müller", "mac-roman"),
        ("œuvre", "cp1252"),
        ("crème", "cp1252"),
        ("ä", "cp1252"),
        ("5 €", "cp1252"),
    ],
)
def test_what_another_code_page_could_mean_is_refused(text, page):
    with pytest.raises(RequestError, match="not utf-8"):
        to_utf8(b"a\n" + text.encode(page) + b"\n", None, "x")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be"])
def test_a_byte_order_mark_is_never_part_of_the_text(encoding):
    assert to_utf8("\ufeffname".encode(encoding), encoding, "x") == b"name"


@pytest.mark.parametrize("name", ["utf-8", "UTF8", "latin1", "cp1252", "windows-1252", "utf-16", "iso-8859-15"])
def test_encodings_people_name_are_known(name):
    assert is_known(name)


@pytest.mark.parametrize("name", ["", "klingon", "hex", "rot13", "base64", "zip", "undefined"])
def test_what_is_not_an_encoding_of_text_is_not_known(name):
    assert not is_known(name)
