"""Is the page well-formed, self-contained, safe to open, small, and readable by everyone?"""

import re
import subprocess
import sys
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openveil.report.notebook import summary
from openveil.report.page import render
from openveil.report.text import lines
from openveil.report.wording import printable
from unit.report.reading import BY_HAND, Read, by_hand, informs

HOSTILE = [
    '<script>alert("x")</script>',
    '"><img src=https://example.org/a.png onerror=alert(1)>',
    "</style><style>*{display:none}",
    "{{ 7 * 7 }}{% raw %}",
    "&lt;&amp;",
    "a'b\"c",
    "\x1b[31mred\x07\r\n",
    "\u202egnp.exe",
    "",
    "x" * 400,
]


def named(name):
    """The certificate with `name` wherever somebody else chose a text."""
    columns = [{"name": f"{name}{i}", "role": each["role"]} for i, each in enumerate(BY_HAND["columns"])]
    return by_hand(
        columns=columns,
        levels={f"{name}0": {"level": 1, "of": 2}, f"{name}1": {"level": 0, "of": 0}},
        findings=[*BY_HAND["findings"], {**informs(name, name, 3), "note": f"note {name}"}, *about(name)],
        removed=[name],
        hierarchies={f"{name}0": {"kind": name, "status": "proved"}},
        adversary=name,
        file={**BY_HAND["file"], "name": f"table {name}"},
        versions={name: name},
        method={**BY_HAND["method"], "parameters": {name: [name, {name: name}]}},
    )


def about(name):
    """Findings on the column `name`."""
    repeats = informs("distinct values of an identifier that repeats", name, 3)
    return (
        informs("groups in which all rows share one value", name, 3),
        informs("rows in groups that share one value", name, 30),
        informs("labels made from observed values", name, 3),
        {**repeats, "note": f"{name} repeats"},
    )


def of_sizes(sizes):
    spread = {str(size): 1 for size in sizes}
    return by_hand(classes={"count": len(spread), "smallest": min(sizes, default=0), "of_size": spread})


def every_kind():
    """Certificates that take every branch of the page."""
    without_file = by_hand()
    del without_file["file"]
    unsafe = {**BY_HAND["promise"][0], "status": "known unsafe"}
    return {
        "usual": by_hand(),
        "not written": without_file,
        "unsafe": by_hand(promise=[unsafe], allow_unsafe=True),
        "two promises": by_hand(promise=BY_HAND["promise"] * 2),
        "no classes": of_sizes([]),
        "one class": of_sizes([40]),
        "no levels": by_hand(levels={}),
        "no findings": by_hand(findings=[]),
        "no columns": by_hand(columns=[], levels={}, removed=[], hierarchies={}),
        "tall": by_hand(levels={"age": {"level": 300, "of": 1000}}),
        "hostile": named(HOSTILE[0]),
    }


KINDS = every_kind()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("report", [render, summary])
def test_tags_are_balanced(kind, report):
    assert Read(report(KINDS[kind])).faults == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("report", [render, summary])
def test_nothing_outside_is_asked_for(kind, report):
    read = Read(report(KINDS[kind]))
    assert not {"script", "link", "img", "iframe", "object", "embed", "base", "form", "a", "use"} & set(read.tags)
    assert not {"href", "src", "srcset", "action", "data", "xlink:href"} & {name for _, name, _ in read.attributes}
    assert not [name for _, name, _ in read.attributes if name.startswith("on")]
    assert not re.search(r"https?://|url\(|@import|@font-face", read.source, re.IGNORECASE)


def test_the_browser_is_told_to_load_nothing():
    policy = [value for tag, name, value in Read(render(by_hand())).attributes if (tag, name) == ("meta", "content")]
    assert "default-src 'none'; style-src 'unsafe-inline'" in policy


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("report", [render, summary])
def test_hostile_names_are_text(name, report):
    hostile, tame = Read(report(named(name))), Read(report(named("tame")))
    assert hostile.tags == tame.tags
    assert [(tag, key) for tag, key, _ in hostile.attributes] == [(tag, key) for tag, key, _ in tame.attributes]
    assert hostile.faults == []
    assert " ".join(printable(f"{name}0").split()) in hostile.text


@given(st.text(max_size=30))
def test_any_name_is_text(name):
    hostile, tame = Read(render(named(name))), Read(render(named("tame")))
    assert hostile.tags == tame.tags
    assert hostile.faults == []
    hostile.source.encode("utf-8")


@pytest.mark.parametrize("name", HOSTILE)
def test_lines_do_not_steer_a_terminal(name):
    assert all(line.isprintable() for line in lines(named(name)))


def test_the_page_stays_small_with_many_sizes():
    one, many = render(of_sizes([40])), render(of_sizes(range(11, 100_011)))
    assert len(many) < 1.5 * len(one) < 40_000
    assert "100,000 groups of 11 to 100,010 rows" in Read(many).text


def test_one_class_is_one_bar():
    read = Read(render(of_sizes([40])))
    assert "1 group of 40 rows" in read.text


def test_bars_stay_in_their_frame():
    read = Read(render(KINDS["tall"]))
    widths = [float(value) for tag, name, value in read.attributes if (tag, name) == ("rect", "width")]
    assert all(0 <= width <= 240 for width in widths)


def test_the_page_says_its_language_and_its_structure():
    read = Read(render(by_hand()))
    assert ("html", "lang", "en") in read.attributes
    assert read.tags.count("h1") == 1
    assert read.tags.count("main") == 1
    assert read.tags.count("th") == sum((tag, name) == ("th", "scope") for tag, name, _ in read.attributes)
    assert read.tags.count("svg") == sum((tag, name) == ("svg", "aria-hidden") for tag, name, _ in read.attributes)
    assert read.source.startswith("<!DOCTYPE html>")
    identifiers = [value for _, name, value in read.attributes if name == "id"]
    labels = {value for _, name, value in read.attributes if name == "aria-labelledby"}
    assert len(set(identifiers)) == len(identifiers)
    assert labels == set(identifiers)


def test_the_notebook_takes_few_lines():
    assert 6 <= Read(summary(by_hand())).tags.count("tr") <= 10
    assert "style" not in Read(summary(by_hand())).tags


@pytest.mark.parametrize("block", range(3), ids=["light", "dark", "print"])
def test_colours_can_be_told_apart(block):
    css = files("openveil.report").joinpath("templates/page.css").read_text(encoding="utf-8")
    colours = [dict(re.findall(r"--(\w+): (#\w{6})", rule)) for rule in re.findall(r":root \{[^}]*\}", css)][block]
    for text in ("ink", "soft", "good", "bad", "open"):
        assert contrast(colours[text], colours["paper"]) >= 4.5
        assert contrast(colours[text], colours["raised"]) >= 4.5
    assert contrast(colours["bar"], colours["paper"]) >= 3
    assert contrast(colours["bar"], colours["track"]) >= 3


def contrast(one, other):
    """The contrast ratio of WCAG 2."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def luminance(colour):
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_the_lines_do_not_start_the_template_engine():
    code = "import sys, openveil.report.text, openveil.report.page; sys.exit('jinja2' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
