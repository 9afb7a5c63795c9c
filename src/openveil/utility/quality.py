"""What is left of a table: accuracy, completeness, discernibility, average class size.

Claim. Each figure is exact.

- accuracy: 1 - (sum of the levels) / (sum of the heights), 1 where nothing can be generalised. The paper calls it
  the ratio between the depth of the generalisation and the total height of the hierarchy of the domain tuple, "or
  equivalently 1 minus the relative height": the height of the domain tuple is the sum of its attributes' heights.
  It is defined where every attribute is shown at one level.
- completeness: released rows / rows, 1 for an empty table.
- discernibility: every released row costs the size of its class, every suppressed row the size of the table.
- average class size: released rows / classes.

Cost. One histogram of the groups.

Source. P. Samarati, Protecting Respondents' Identities in Microdata Release, 2001, end of section 6; Bayardo and
Agrawal, Data Privacy through Optimal k-Anonymization, 2005 (discernibility).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from openveil.core.classes import label_rows
from openveil.core.finding import Finding, Key
from openveil.core.recoding import SUPPRESSED, Recoding, Scheme
from openveil.core.registry import Kind, Status, part
from openveil.core.table import Public

ACCURACY, COMPLETENESS = ("accuracy", "levels"), ("completeness", "rows")
DISCERNIBILITY, AVERAGE = ("discernibility", "rows"), ("average class size", "rows")


@part(Kind.UTILITY, "quality", source="Samarati 2001, section 6; Bayardo and Agrawal 2005", status=Status.PROVED)
@dataclass(frozen=True, slots=True)
class Quality:
    """Accuracy, completeness, discernibility and average class size of a release."""

    says: ClassVar[tuple[Key, ...]] = (ACCURACY, COMPLETENESS, DISCERNIBILITY, AVERAGE)

    def measure(self, public: Public, recoding: Recoding) -> tuple[Finding, ...]:
        """The figures that are defined for this release: no accuracy without levels, no average without classes."""
        sizes = _class_sizes(recoding)
        released, total = int(sizes.sum()), len(recoding.group)
        findings = [
            Finding(*COMPLETENESS, Fraction(released, total) if total else Fraction(1)),
            Finding(*DISCERNIBILITY, int(sizes @ sizes) + (total - released) * total),
        ]
        if recoding.levels is not None:
            findings.insert(0, Finding(*ACCURACY, _accuracy(public.heights, recoding.levels)))
        if len(sizes):
            findings.append(Finding(*AVERAGE, Fraction(released, len(sizes))))
        return tuple(findings)


def _accuracy(heights: tuple[int, ...], levels: tuple[int, ...]) -> Fraction:
    return 1 - Fraction(sum(levels), sum(heights)) if sum(heights) else Fraction(1)


def _class_sizes(recoding: Recoding) -> NDArray[np.int64]:
    """The number of rows of every class that has any; groups that are shown alike are one class."""
    counts = np.bincount(recoding.group[recoding.group != SUPPRESSED], minlength=len(recoding.cells))
    if recoding.scheme is Scheme.GENERALISATION and len(counts):
        alike = [np.arange(len(display.labels), dtype=np.int32) for display in recoding.displays]
        counts = np.bincount(label_rows(recoding.cells.astype(np.uint32), alike), counts)
    return counts[counts > 0].astype(np.int64)
