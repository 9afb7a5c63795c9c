"""What a privacy model is."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from openveil.core.classes import Classes
from openveil.core.finding import Finding
from openveil.core.registry import Kind, discover


class Requirement(ABC):
    """A privacy model: a frozen value that says of each class whether it may be published.

    A model must be monotone: if every part of a union holds, so does the union. Searches rely on it, and the
    contract suite checks it.
    """

    @abstractmethod
    def holds(self, classes: Classes) -> NDArray[np.bool_]:
        """For each class, whether it may be published."""

    @abstractmethod
    def survives(self, histogram: NDArray[np.int64], size: int) -> bool:
        """Whether every sub-bag of `size` rows of a class with this sensitive `histogram` holds."""

    @abstractmethod
    def measure(self, classes: Classes) -> tuple[Finding, ...]:
        """What the classes reach of what is asked; each finding's verdict rounds towards privacy."""

    @property
    @abstractmethod
    def promise(self) -> str:
        """The requirement in a few words, such as `k = 5`."""

    @property
    def name(self) -> str:
        """What the model is called in plans."""
        own = (each.name for each in discover(Kind.REQUIREMENT) if each.cls is type(self))
        return next(own, type(self).__name__)
