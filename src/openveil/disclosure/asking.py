"""What a requirement asks of the values one person has in a set of tables.

Claim. `Ratios` permits what every model permits that speaks of shares of values. `ratios_of` gives it for a
requirement, or says which of its models speaks of something else. `fewest_rows` says how many rows a group has at
least that holds.

Cost. None to speak of.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from openveil.core.bags import Bags
from openveil.core.errors import refuse
from openveil.core.requirement import RatioDiversity, Requirement, diversities

_MOST_VALUES = 10_000


@dataclass(frozen=True)
class Ratios:
    """What is asked of shares of values by several models at once."""

    models: tuple[RatioDiversity, ...]

    def permits(self, counts: Sequence[int]) -> bool:
        """Whether every model permits values to be as likely as these numbers say."""
        return all(model.permits(counts) for model in self.models)

    def enough(self, bags: Bags) -> NDArray[np.bool_]:
        """For each bag, whether every model permits it."""
        answer: NDArray[np.bool_] = np.logical_and.reduce([model.enough(bags) for model in self.models])
        return answer

    def most(self, rows: int) -> int | None:
        """How often a value may occur in so many rows, where no model asks more than that."""
        caps = [model.most(rows) for model in self.models]
        known = [cap for cap in caps if cap is not None]
        return min(known) if len(known) == len(caps) and known else None

    @property
    def fewest(self) -> int:
        """The fewest rows that may be permitted, which have a value each."""
        return next((rows for rows in range(1, _MOST_VALUES) if self.permits((1,) * rows)), _MOST_VALUES)


def ratios_of(requirement: Requirement) -> Ratios:
    """What the models that read sensitive values ask of shares; raises `RequestError` if one asks something else."""
    models = diversities(requirement)
    strangers = [each.name for each in models if not isinstance(each, RatioDiversity)]
    if strangers or not models:
        what = (
            f"{strangers[0]} does not speak of shares of values"
            if strangers
            else "no model protects sensitive values"
        )
        remedy = "Ask for frequency-l-diversity, recursive-cl-diversity, entropy-l-diversity or distinct-l-diversity"
        raise refuse("plan: privacy", f"{what}, which disclosure sets are asked about", remedy)
    return Ratios(tuple(each for each in models if isinstance(each, RatioDiversity)))


def fewest_rows(requirement: Requirement) -> int:
    """The fewest rows of a group that may hold, if its values are as different as can be."""
    one = Bags.of_counts("", [[1]])
    parts = requirement.parts()
    fixed = [int(model.needs(one)[0]) for model in parts if not model.reads_sensitive]
    return max([*fixed, Ratios(tuple(model for model in parts if isinstance(model, RatioDiversity))).fewest])
