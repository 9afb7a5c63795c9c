"""Full-domain generalisation: every attribute shown at one level of its hierarchy, in all rows.

Claim. `recode` turns a vector of levels into the `Recoding` that publishes every row at these levels and
suppresses exactly the rows whose class may not be published.

Why it holds. For a fixed vector there is one table with the fewest suppressed rows: generalise, then remove all
and only the rows of the classes that do not hold (Lemma 4.1 of the paper).

Cost. One lift of the classes and one fold of the rows.

Source. P. Samarati, Protecting Respondents' Identities in Microdata Release, 2001, Definitions 3.1, 4.1 and 4.2.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from openveil.core.classes import Classes, Map, label_rows
from openveil.core.errors import GuaranteeError
from openveil.core.recoding import SUPPRESSED, Display, Recoding
from openveil.core.requirement import Requirement
from openveil.core.table import Public


def classes_of(public: Public) -> Classes:
    """The finest classes of a table."""
    return Classes.fold(public.codes, [len(hierarchy.axis) for hierarchy in public.hierarchies], public.persons)


def classes_and_homes(public: Public) -> tuple[Classes, NDArray[np.int32]]:
    """The finest classes of a table, and the class of each row."""
    return Classes.of_rows(public.codes, [len(hierarchy.axis) for hierarchy in public.hierarchies], public.persons)


def maps_of(public: Public, levels: tuple[int, ...]) -> tuple[Map, ...]:
    """For each attribute, the map from the codes of its axis to the nodes of its level."""
    pairs = zip(public.hierarchies, levels, strict=True)
    return tuple(hierarchy.node_of_leaf(level) for hierarchy, level in pairs)


def impossible(public: Public, classes: Classes, requirement: Requirement) -> GuaranteeError:
    """Why no vector of levels will do: at the top of the lattice the whole table is one class."""
    whole = classes.lift(maps_of(public, public.heights))
    rows, persons = int(whole.sizes.sum()), int(whole.persons.sum())
    most = min(rows, persons)
    less = f"Ask for k = {most} or less, or publish" if most > 1 else "Publish"
    return GuaranteeError(
        model=requirement.name,
        promised=requirement.promise,
        reached=f"but the whole table, all shown as *, is one class of {_counted(rows, 'row')} and "
        f"{_counted(persons, 'person')}",
        remedy=f"{less} a larger table",
    )


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def groups_at(public: Public, levels: tuple[int, ...]) -> NDArray[np.int32]:
    """The class of each row at these levels, numbered by its first row."""
    return label_rows(public.codes, maps_of(public, levels))


def recode_all(public: Public, levels: tuple[int, ...]) -> Recoding:
    """Publish every row at `levels`."""
    classes = classes_of(public).lift(maps_of(public, levels))
    return Recoding(groups_at(public, levels), classes.tuples, _displays(public, levels), levels)


def _displays(public: Public, levels: tuple[int, ...]) -> tuple[Display, ...]:
    pairs = zip(public.hierarchies, levels, strict=True)
    return tuple(Display.of_level(hierarchy, level) for hierarchy, level in pairs)


def recode(public: Public, classes: Classes, levels: tuple[int, ...], requirement: Requirement) -> Recoding:
    """Publish the rows at `levels`; `classes` are the table's finest."""
    maps = maps_of(public, levels)
    lifted = classes.lift(maps)
    holds = requirement.holds(lifted)
    number = np.where(holds, np.cumsum(holds) - 1, SUPPRESSED).astype(np.int32)
    # Rows and tuples alike number the classes by first appearance, so the two agree.
    return Recoding(number[label_rows(public.codes, maps)], lifted.tuples[holds], _displays(public, levels), levels)


def as_it_is(public: Public) -> Recoding:
    """A table that is published as it is, but for names: every quasi-identifier at level 0."""
    return recode_all(public, (0,) * len(public.hierarchies))
