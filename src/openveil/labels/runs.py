"""Runs of an axis as openveil writes them: a value, `first to last`, and with `or missing`.

Claim. `runs` gives every interval of codes that a label may stand for.

Why it holds. All places where the label could be parted are tried. Values are compared as they are written.

Cost. One look-up a place where the label can be parted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from openveil.core.axis import Axis

TO, OR_MISSING = " to ", " or missing"

Interval = tuple[int, int]
CodeOf = Mapping[str | None, int]


def code_of(axis: Axis) -> CodeOf:
    """The code of each value as it is written; of the missing one, which has no label, the last."""
    return {label: code for code, label in enumerate(axis.published.cast(str).to_list())}


def runs(axis: Axis, codes: CodeOf, label: str | None) -> Iterator[Interval]:
    """All intervals of codes that the label may stand for."""
    if label in codes:
        yield codes[label], codes[label]
    if label is None:
        return
    run = label.removesuffix(OR_MISSING)
    parts = run.split(TO)
    for cut in range(1, len(parts)):
        first, last = codes.get(TO.join(parts[:cut])), codes.get(TO.join(parts[cut:]))
        if first is not None and last is not None and first < last:
            yield first, len(axis) - 1 if run != label else last
    if run != label and run in codes:
        yield codes[run], len(axis) - 1
