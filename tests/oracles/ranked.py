"""Tables whose rows are ranks, as in area f: one attribute of values 0..n-1 and one sensitive column."""

from collections import defaultdict

import numpy as np
import polars as pl

from openveil.core.registry import Kind, find
from openveil.core.secret import Secret
from openveil.core.witness import Witness
from openveil.requirements.frequency_l_diversity import FrequencyDiversity
from oracles.public import public_of


def public_of_places(places, persons=None):
    """A public part whose only attribute has the value `places[row]`; equal places tie."""
    axis = {f"{place:04}": [f"{place:04}", "*"] for place in range(max(places, default=0) + 1)}
    return public_of([(f"{place:04}",) for place in places], [axis], persons=persons)


def witness_of(values):
    """A witness of one sensitive column."""
    return Witness(pl.DataFrame({"ill": list(values)}))


def settled(name, values, l, places=None):  # noqa: E741
    """The groups the publisher settles on before anything is drawn, each a list of rows, by their first row."""
    public = public_of_places(range(len(values)) if places is None else places)
    return listed(find(Kind.PUBLISHER, name).cls().settled(public, witness_of(values), FrequencyDiversity(l)))


def solved(name, values, l, secret=None, places=None):  # noqa: E741
    """The groups the publisher publishes."""
    public = public_of_places(range(len(values)) if places is None else places)
    publisher = find(Kind.PUBLISHER, name).cls()
    recoding = publisher.solve(public, witness_of(values), FrequencyDiversity(l), secret or Secret.fresh())
    return listed(recoding.group)


def listed(group):
    """The rows of each group, groups by their first row."""
    rows = defaultdict(list)
    for row, number in enumerate(np.asarray(group).tolist()):
        rows[number].append(row)
    return sorted(rows.values())
