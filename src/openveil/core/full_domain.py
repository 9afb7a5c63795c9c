"""Full-domain generalisation: every attribute shown at one level of its hierarchy, in all rows.

Claim. `recode` turns a vector of levels into the `Recoding` that publishes every row at these levels and
suppresses exactly the rows whose class may not be published.

Why it holds. For a fixed vector there is one table with the fewest suppressed rows: generalise, then remove all
and only the rows of the classes that do not hold (Lemma 4.1 of the paper).

Cost. One lift of the base tuples and one gather over the rows.

Source. P. Samarati, Protecting Respondents' Identities in Microdata Release, 2001, Definitions 3.1, 4.1 and 4.2.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from openveil.core.classes import Classes, Map
from openveil.core.recoding import SUPPRESSED, Display, Recoding
from openveil.core.requirement import Requirement
from openveil.core.table import Public


def classes_of(public: Public) -> tuple[Classes, NDArray[np.int32]]:
    """The finest classes of a table, and the class of each row."""
    sizes = [len(hierarchy.axis) for hierarchy in public.hierarchies]
    return Classes.of_rows(public.codes, sizes, public.persons)


def maps_of(public: Public, levels: tuple[int, ...]) -> tuple[Map, ...]:
    """For each attribute, the map from the codes of its axis to the nodes of its level."""
    pairs = zip(public.hierarchies, levels, strict=True)
    return tuple(hierarchy.node_of_leaf(level) for hierarchy, level in pairs)


def recode(
    public: Public, classes: Classes, home: NDArray[np.int32], levels: tuple[int, ...], requirement: Requirement
) -> Recoding:
    """Publish the rows at `levels`; `classes` and `home` are what `classes_of` says of the same table."""
    lifted = classes.lift(maps_of(public, levels))
    holds = requirement.holds(lifted)
    number = np.where(holds, np.cumsum(holds) - 1, SUPPRESSED).astype(np.int32)
    pairs = zip(public.hierarchies, levels, strict=True)
    displays = tuple(Display.of_level(hierarchy, level) for hierarchy, level in pairs)
    return Recoding(number[lifted.label[home]], lifted.tuples[holds], displays, levels)
