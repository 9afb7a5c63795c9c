"""Which published labels fit what is known of people.

Claim. People are rows of codes on the axes of the published attributes, -1 where a value lies on no axis. `by_node`
gives for each the label that covers it, where labels partition the axis; `blocks` says for each distinct combination
of codes and each group whether the group's labels cover it; `look_alikes` gives for each person the row of the
release the person would be taken for: one with the same values, else the first row of the first group that fits.

Why it holds. A label stands for an interval of its axis. A value that lies on no axis is covered only by the root `*`
of a hierarchy of texts; numbers and dates never are.

Cost. By node one search a person and attribute; otherwise one comparison for each pair of a distinct combination and
a group, in blocks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from openveil.core.axis import ROOT, Codes
from openveil.core.recoding import SUPPRESSED, Display, Recoding, Scheme
from openveil.core.table import Public
from openveil.core.witness import Labels

NOBODY = -1
_BLOCK = 1 << 22


def by_node(display: Display, codes: Codes) -> Codes:
    """The label that covers each code, when the labels partition the axis; -1 where none does."""
    nodes = np.searchsorted(display.lower, codes, side="right").astype(np.int32) - 1
    roots = np.flatnonzero(_roots(display))
    outside = int(roots[0]) if len(roots) else -1
    return np.where(codes < 0, np.int32(outside), nodes).astype(np.int32)


def blocks(
    recoding: Recoding, attributes: Sequence[int], combinations: Codes
) -> Iterator[tuple[slice, NDArray[np.bool_]]]:
    """Blocks of combinations of these attributes, each with the matrix of which group fits which combination."""
    step = max(1, _BLOCK // max(1, len(recoding.cells)))
    for start in range(0, len(combinations), step):
        block = slice(start, start + step)
        fits = np.ones((len(combinations[block]), len(recoding.cells)), dtype=np.bool_)
        for column, a in enumerate(attributes):
            fits &= _covers(recoding.displays[a], recoding.cells[:, a], combinations[block, column])
        yield block, fits


def look_alikes(public: Public, recoding: Recoding, known: Codes) -> Labels:
    """For each person known by all attributes the row of the release the person would be taken for, or NOBODY."""
    row = _same_values(public, recoding, known)
    unknown = np.flatnonzero(row == NOBODY)
    as_it_is = recoding.scheme is Scheme.BUCKETISATION or (recoding.levels is not None and not any(recoding.levels))
    if as_it_is or not len(unknown) or not len(recoding.cells):
        return row
    first = _first_rows(recoding)
    combinations, person = np.unique(known[unknown], axis=0, return_inverse=True)
    found = np.full(len(combinations), NOBODY, dtype=np.int32)
    for block, fits in blocks(recoding, range(known.shape[1]), combinations):
        found[block] = np.where(fits.any(axis=1), first[fits.argmax(axis=1)], NOBODY)
    row[unknown] = found[person.ravel()]
    return row


def _same_values(public: Public, recoding: Recoding, known: Codes) -> Labels:
    names = [f"code {a}" for a in range(known.shape[1])]
    shown = np.flatnonzero(recoding.group != SUPPRESSED)
    there = pl.DataFrame({name: public.codes[shown, a].astype(np.int32) for a, name in enumerate(names)})
    there = there.with_columns(pl.Series("row", shown.astype(np.int32))).unique(
        names, keep="first", maintain_order=True
    )
    asked = pl.DataFrame({name: known[:, a] for a, name in enumerate(names)})
    found = asked.join(there, on=names, how="left", maintain_order="left")["row"]
    return found.fill_null(NOBODY).cast(pl.Int32).to_numpy(writable=True)


def _first_rows(recoding: Recoding) -> Labels:
    shown = np.flatnonzero(recoding.group != SUPPRESSED)
    first = np.full(len(recoding.cells), NOBODY, dtype=np.int32)
    first[recoding.group[shown[::-1]]] = shown[::-1]
    return first


def _roots(display: Display) -> NDArray[np.bool_]:
    """Which labels are the root, which covers also what the axis does not have; numbers and dates never are."""
    if display.labels.dtype != pl.String:
        return np.zeros(len(display.labels), dtype=np.bool_)
    return (display.labels == ROOT).fill_null(value=False).to_numpy()


def _covers(display: Display, cells: Codes, codes: Codes) -> NDArray[np.bool_]:
    """For each code (down) and each cell (across), whether the cell's label covers the code."""
    code = codes[:, None]
    within = (display.lower[cells] <= code) & (code <= display.upper[cells])
    answer: NDArray[np.bool_] = within | _roots(display)[cells]
    return answer
