"""What an adversary takes to be possible: the tables that agree with a release, without and with the algorithm.

`openveil.examine` and `openveil.check` do all of it in one call; docs/worlds.md shows how.
"""

from openveil.worlds.exact import Bound, Worlds, exact
from openveil.worlds.knowledge import Count, Fact, Knowledge, Relation, Roster, distribution, never
from openveil.worlds.reading import Kept, Reading, Written
from openveil.worlds.sampled import Sample, sampled
from openveil.worlds.tool import Law, Reader, Runs, Values, wrapped

__all__ = [
    "Bound",
    "Count",
    "Fact",
    "Kept",
    "Knowledge",
    "Law",
    "Reader",
    "Reading",
    "Relation",
    "Roster",
    "Runs",
    "Sample",
    "Values",
    "Worlds",
    "Written",
    "distribution",
    "exact",
    "never",
    "sampled",
    "wrapped",
]
