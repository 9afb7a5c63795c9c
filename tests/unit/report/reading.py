"""A certificate written by hand, and what a reader sees of a page."""

from copy import deepcopy
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

VOID = {"meta", "br", "hr", "img", "input", "link"}
HIDDEN = {"style", "title"}

SMALLEST = {"name": "smallest class", "on": "rows", "value": 13, "limit": 11, "verdict": "holds"}
LOOKS = {
    "name": "looks at sensitive values that the release does not show",
    "on": "algorithm",
    "value": 0,
    "limit": 0,
    "verdict": "holds",
    "note": "0 looks at sensitive values, 0 not derivable from what is published",
}
SEARCH = {
    "name": "information loss",
    "on": "search",
    "value": 1.37,
    "interval": [1.37, 1.37],
    "verdict": "informs",
    "note": "proved least among 7,680 vectors by examining 120",
}


def informs(name: str, on: str, value: float) -> dict[str, Any]:
    return {"name": name, "on": on, "value": value, "verdict": "informs"}


BY_HAND: dict[str, Any] = {
    "certificate": 1,
    "promise": [
        {
            "name": "k-anonymity",
            "parameters": {"k": 11},
            "status": "proved",
            "source": "Samarati 2001, Definition 2.2",
        }
    ],
    "adversary": "Someone who knows everything but the secret.",
    "method": {
        "name": "samarati",
        "parameters": {"max_suppressed": "3%", "seconds": 59},
        "status": "proved",
        "source": "Samarati 2001",
    },
    "allow_unsafe": False,
    "findings": [
        SMALLEST,
        informs("classes", "release", 22),
        informs("median class", "rows", 13.5),
        LOOKS,
        SEARCH,
        informs("information loss", "a row, on average", 1.38),
        informs("information loss", "share of losing everything", 0.234),
        informs("accuracy", "levels", 0.567),
        informs("completeness", "rows", 0.976),
        informs("discernibility", "rows", 987654),
        informs("average class size", "rows", 77.64),
        informs("groups in which all rows share one value", "disease", 6),
        informs("rows in groups that share one value", "disease", 78),
        informs("rows that are unique", "columns published unchanged", 321),
    ],
    "classes": {"count": 22, "smallest": 13, "of_size": {"13": 17, "29": 3, "700": 2}},
    "levels": {"age": {"level": 3, "of": 6}, "sex": {"level": 0, "of": 1}, "town": {"level": 5, "of": 5}},
    "suppression": {"rows": 41, "of": 1749, "kept_blank": 0},
    "columns": [
        {"name": "age", "role": "quasi-identifier"},
        {"name": "sex", "role": "quasi-identifier"},
        {"name": "town", "role": "quasi-identifier"},
        {"name": "disease", "role": "sensitive"},
        {"name": "ward", "role": "other"},
    ],
    "removed": ["passport", "surname"],
    "hierarchies": {
        "age": {"kind": "intervals", "status": "proved"},
        "sex": {"kind": "suppression", "status": "proved"},
        "town": {"kind": "taxonomy", "status": "proved"},
    },
    "digests": {"plan": "aa" * 32, "input_schema": "bb" * 32},
    "secret_commitment": "cc" * 32,
    "versions": {"openveil": "0.1.0", "numpy": "2.4.6"},
    "file": {"name": "table.csv", "sha256": "dd" * 32, "rows": 1708},
}


def by_hand(**changed: Any) -> dict[str, Any]:
    """The certificate written by hand, with other top-level entries."""
    return {**deepcopy(BY_HAND), **changed}


def changed(path: tuple[str | int, ...], value: object) -> dict[str, Any]:
    """The certificate written by hand with one entry replaced, however deep."""
    certificate = by_hand()
    inner: Any = certificate
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return certificate


@dataclass
class Read(HTMLParser):
    """A page as a browser takes it: the texts shown, the tags, their attributes, and what is out of balance."""

    source: str
    texts: list[str] = field(default_factory=list)
    title: str = ""
    tags: list[str] = field(default_factory=list)
    attributes: list[tuple[str, str, str]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    within: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.feed(self.source)
        self.close()
        self.faults += [f"<{tag}> is never closed" for tag in self.within]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.within.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        if not self.within or self.within[-1] != tag:
            self.faults.append(f"</{tag}> closes {self.within[-1:]}")
        else:
            self.within.pop()

    def handle_data(self, data: str) -> None:
        if "title" in self.within:
            self.title += data
        elif data.strip() and not HIDDEN & set(self.within):
            self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())

    @property
    def first(self) -> str:
        return self.texts[0].strip()
