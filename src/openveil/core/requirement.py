"""What a privacy model is.

Claim. A `Requirement` says of each class whether it may be published. One that also reads sensitive values is a
`Diversity`; it says of each bag of them how many rows a part of it needs so that every part of that many rows
holds (`needs`), which is what a look-ahead rests on. A `Conjunction` holds where all its models hold.

Why it holds. Every part of at least n rows that each model needs holds for each model. Several sensitive columns
are asked about one by one and all together; a class holds when every such view of it does.

Cost. One answer a model and a view.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from openveil.core.bags import Bags, Counts
from openveil.core.classes import Classes
from openveil.core.errors import Problem, RequestError, refuse
from openveil.core.finding import Finding
from openveil.core.registry import Kind, discover
from openveil.core.witness import Names

# Rows are numbered in 32 bits.
MOST_ROWS = 2**31 - 1


class Requirement(ABC):
    """A privacy model: a frozen value that says of each class whether it may be published.

    A model should be monotone: if every part of a union holds, so does the union. Searches of full domains rely on
    it, and the contract suite checks it. `reads_sensitive` says that classes must carry bags of sensitive values,
    `reads_guards` that one of these must tell what guards them, `by_class` that the answer for a class follows from
    this class alone.
    """

    __slots__ = ()
    reads_sensitive: ClassVar[bool] = False
    by_class: ClassVar[bool] = True
    # Guards are never published, so what such a model says cannot be measured without the original.
    reads_guards: ClassVar[bool] = False

    def concerns(self, bags: Bags) -> bool:
        """Whether the model has something to say of this view of the sensitive values."""
        return bags.pairs is None

    @abstractmethod
    def holds(self, classes: Classes) -> NDArray[np.bool_]:
        """For each class, whether it may be published."""

    @abstractmethod
    def needs(self, bags: Bags) -> Counts:
        """For each bag, how many rows make every part of it with at least so many rows hold; may be too many."""

    @abstractmethod
    def measure(self, classes: Classes) -> tuple[Finding, ...]:
        """What the classes reach of what is asked; each finding's verdict rounds towards privacy."""

    @property
    @abstractmethod
    def promise(self) -> str:
        """The requirement in a few words, such as `k = 5`."""

    @property
    def greatest_chance(self) -> Fraction:
        """The greatest chance of any sensitive value that the model allows; 1 where it bounds none."""
        return Fraction(1)

    def survives(self, histogram: NDArray[np.int64], size: int) -> bool:
        """Whether every part of `size` rows of a class with this sensitive `histogram` holds."""
        return size >= int(self.needs(Bags.of_counts("", [histogram.tolist()]))[0])

    def for_values(self, names: Names) -> Requirement:
        """The same model, told which number the values it speaks of have in the table at hand."""
        return self

    def unfit_for(self, names: Names) -> Iterator[Problem]:
        """What is wrong with asking this of a table whose sensitive values have these texts."""
        return iter(())

    def parts(self) -> tuple[Requirement, ...]:
        """The models this one is made of."""
        return (self,)

    @property
    def name(self) -> str:
        """What the model is called in plans."""
        own = (each.name for each in discover(Kind.REQUIREMENT) if each.cls is type(self))
        return next(own, type(self).__name__)


class Diversity(Requirement):
    """A privacy model that speaks of the bag of sensitive values of each class, in every view of them."""

    __slots__ = ()
    reads_sensitive: ClassVar[bool] = True

    @abstractmethod
    def enough(self, bags: Bags) -> NDArray[np.bool_]:
        """For each bag, whether it may be published."""

    @abstractmethod
    def reached(self, bags: Bags) -> Finding:
        """What the worst of the bags reaches of what is asked."""

    @abstractmethod
    def attainable(self, bags: Bags) -> str:
        """The most that can be asked of these bags, in the words of a plan, such as `l = 3`."""

    def holds(self, classes: Classes) -> NDArray[np.bool_]:
        """For each class, whether the bag of every view may be published."""
        return _all_of(self.enough(bags) for bags in self.views(classes))

    def measure(self, classes: Classes) -> tuple[Finding, ...]:
        """What the worst class reaches, view by view."""
        return tuple(self.reached(bags) for bags in self.views(classes)) if len(classes) else ()

    def views(self, classes: Classes) -> tuple[Bags, ...]:
        """The bags of the classes that the model concerns; there is at least one."""
        own = tuple(bags for bags in classes.bags if self.concerns(bags))
        if not own:
            raise _unspoken(self)
        return own


class RatioDiversity(Diversity):
    """A diversity that asks how likely values are, in a bag or of one person in a set of tables, whichever they are.

    It must be convex: what lies between two ways to share that are permitted is permitted; and it must not fall where
    shares become more equal. What is called a disclosure set can then be counted, and bounded by its worst case.
    """

    __slots__ = ()

    @abstractmethod
    def permits(self, counts: Sequence[int]) -> bool:
        """Whether values may be as likely as these numbers, of any size, say; nothing at all is not permitted."""

    def most(self, rows: int) -> int | None:
        """How often a value may occur in so many rows, where that is all that is asked; None where more is."""
        return None


@dataclass(frozen=True, slots=True)
class Conjunction(Requirement):
    """Several privacy models at once."""

    models: tuple[Requirement, ...]

    @property
    def reads_sensitive(self) -> bool:  # type: ignore[override]
        """Whether one of the models does."""
        return any(model.reads_sensitive for model in self.models)

    @property
    def by_class(self) -> bool:  # type: ignore[override]
        """Whether all of them answer for a class by itself."""
        return all(model.by_class for model in self.models)

    @property
    def reads_guards(self) -> bool:  # type: ignore[override]
        """Whether one of the models does."""
        return any(model.reads_guards for model in self.models)

    def concerns(self, bags: Bags) -> bool:
        """Whether one of the models has something to say of this view."""
        return any(model.concerns(bags) for model in self.models)

    def holds(self, classes: Classes) -> NDArray[np.bool_]:
        """For each class, whether every model lets it be published."""
        return _all_of(model.holds(classes) for model in self.models)

    def needs(self, bags: Bags) -> Counts:
        """For each bag, as many rows as the model that needs most."""
        return needed(self, [bags])

    def measure(self, classes: Classes) -> tuple[Finding, ...]:
        """What the classes reach of each model; what several models measure alike is told once."""
        found = (finding for model in self.models for finding in model.measure(classes))
        return tuple(dict.fromkeys(found))

    def for_values(self, names: Names) -> Requirement:
        """The same models, told which number the values they speak of have."""
        return Conjunction(tuple(model.for_values(names) for model in self.models))

    def unfit_for(self, names: Names) -> Iterator[Problem]:
        """What is wrong with asking each of them of a table with these sensitive values."""
        return chain.from_iterable(model.unfit_for(names) for model in self.models)

    def parts(self) -> tuple[Requirement, ...]:
        """The models, one by one."""
        return self.models

    @property
    def greatest_chance(self) -> Fraction:
        """What the strictest of the models allows."""
        return min(model.greatest_chance for model in self.models)

    @property
    def promise(self) -> str:
        """What the models promise, one after the other."""
        return " and ".join(model.promise for model in self.models)

    @property
    def name(self) -> str:
        """What the models are called in plans."""
        return " with ".join(model.name for model in self.models)


def refuse_beyond(model: str, name: str, asked: int) -> None:
    """Refuse a number of rows or values that no table has, before it meets numbers of 64 bits."""
    if asked > MOST_ROWS:
        what = f"{name} is more than {MOST_ROWS:,}, and no table has so many rows"
        raise refuse(model, what, "Ask for a number that a table can reach")


def together(models: Sequence[Requirement]) -> Requirement:
    """One requirement that holds where all of `models`, of which there is at least one, hold."""
    return models[0] if len(models) == 1 else Conjunction(tuple(models))


def diversities(requirement: Requirement) -> tuple[Diversity, ...]:
    """The models in `requirement` that read sensitive values."""
    return tuple(each for each in requirement.parts() if isinstance(each, Diversity))


def enough(requirement: Requirement, views: Iterable[Bags]) -> NDArray[np.bool_]:
    """For each group, whether its bags may be published, as far as sensitive values go."""
    return _all_of(model.enough(bags) for bags in views for model in diversities(requirement) if model.concerns(bags))


def needed(requirement: Requirement, views: Iterable[Bags]) -> Counts:
    """For each group, how many rows every part of it needs, whatever is sensitive in it."""
    asked = [(model, bags) for bags in views for model in requirement.parts()]
    each = [model.needs(bags) for model, bags in asked if model.concerns(bags) or not model.reads_sensitive]
    if not each:
        raise _unspoken(requirement)
    least: Counts = np.maximum.reduce(each)
    return least


def _unspoken(requirement: Requirement) -> RequestError:
    """A model is asked of values of which nothing says what it speaks of, such as what guards them."""
    what = (
        "cannot be asked here, where nothing tells what guards values"
        if requirement.reads_guards
        else "has no values"
    )
    return refuse(f"privacy: {requirement.name}", what, "Publish with it, or leave it out")


def _all_of(answers: Iterable[NDArray[np.bool_]]) -> NDArray[np.bool_]:
    """Where all of the answers are yes."""
    together: NDArray[np.bool_] = np.logical_and.reduce(list(answers))
    return together
