"""Groups of distinct values taken from the front of the Hilbert curve. Unsafe; kept for comparison.

Claim. Every group has at least l rows and meets frequency l-diversity; nothing else is promised. So nothing else is
taken, for one sensitive column, but models that no more than l rows meet.

Why it fails. Which rows form a group depends on which of them have the same value: a row that is passed over has a
value of the group that passed it. So the value of every single row is asked for (`Witness.values`), and the gate
says so.

Cost. One sort of the rows and two heap operations each (`kernels/heads.py`).

Source. Jin, Zhang, Das 2011, section 6.2.2.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from openveil.core.bags import Bags
from openveil.core.errors import RequestError, refuse
from openveil.core.publisher import Publisher
from openveil.core.registry import Kind, discover
from openveil.core.requirement import Requirement
from openveil.core.table import Public
from openveil.core.witness import Labels, Witness
from openveil.requirements.frequency_l_diversity import FrequencyDiversity
from openveil.tools.hilbert_cuts import keys_of, order_of

Former = Callable[[Labels, int, int], Labels]
_REMEDY = "Use hilb+r or hilb++r, which take any privacy model and are safe"


def by_heads(public: Public, witness: Witness, requirement: Requirement, former: Former) -> Labels:
    """The group of each row, as the kernel `former` forms them along the curve; ties go by row number."""
    spread = spread_of(requirement)
    everyone = np.zeros(len(public), dtype=np.int32)
    if len(witness.tally(everyone, 1)) > 1:
        raise _refused("can tell apart the values of one sensitive column only", "several")
    order = order_of(keys_of(public))
    values = witness.values(everyone)[order]
    group = np.empty(len(public), dtype=np.int32)
    group[order] = former(values, int(values.max(initial=0)) + 1, spread)
    return group


def spread_of(requirement: Requirement) -> int:
    """The l of frequency l-diversity, or a `RequestError` where more than that is asked for."""
    parts = requirement.parts()
    asked = [model.l for model in parts if isinstance(model, FrequencyDiversity)]
    if not asked:
        raise _refused("works for frequency-l-diversity only", requirement.name)
    one = Bags.of_counts("", [[1]])
    for model in parts:
        if model.reads_sensitive and not isinstance(model, FrequencyDiversity):
            raise _refused("works for frequency-l-diversity only", model.name)
        if not model.reads_sensitive and int(model.needs(one)[0]) > max(asked):
            raise _refused(f"can promise groups of l = {max(asked)} rows only", model.promise)
    return max(asked)


def spread_along_the_curve(publisher: Publisher | None, requirement: Requirement | None) -> int | None:
    """The l of a release that follows the Hilbert curve; None of any other, or where no l is asked for."""
    follows = any(each.name.startswith("hilb") for each in discover(Kind.PUBLISHER) if each.cls is type(publisher))
    asked = [model.l for model in requirement.parts() if isinstance(model, FrequencyDiversity)] if requirement else []
    return max(asked) if follows and asked else None


def _refused(what: str, found: str) -> RequestError:
    return refuse("method: taking rows of distinct values along the Hilbert curve", what, _REMEDY, found=found)
