"""Publishers that try a sequence of generalisation functions.

Claim. The sequence follows from the quasi-identifiers and the parameters alone. What is published is one function of
it, or groups of several where each refines the next; no row is suppressed. A function with a group that is too small
for the requirement, whatever its values, is never tried as a whole, and is no part of what an adversary has to reason
about.

Three ways to say what the functions are: `levels` of the hierarchies, step by step; `partitions` of the rows; or,
where neither is given, boxes: the rows are cut in two at medians by quasi-identifiers alone, as Mondrian does, as
long as both sides have so many rows; the whole table comes last, before it boxes a quarter as large each time. Groups
of one function are about equally large then, so that a function that fails tells little about anyone in particular.

Cost. One pass over the rows a round of cuts, and a sort a function.

Source. Zhang, Wang, Jajodia, Brodsky 2008, section 2.1.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from openveil.core.classes import Classes
from openveil.core.disclosed import Safety
from openveil.core.errors import GuaranteeError, Problem, RequestError, refuse
from openveil.core.full_domain import groups_at, recode_all
from openveil.core.recoding import Recoding, Scheme
from openveil.core.requirement import Requirement
from openveil.core.secret import Secret
from openveil.core.table import Public
from openveil.core.witness import Labels, Witness
from openveil.disclosure.asking import Ratios, fewest_rows, ratios_of
from openveil.disclosure.functions import Functions
from openveil.disclosure.strategies import Outcome
from openveil.tools.covering import Show, covered
from openveil.tools.cuts import MedianCuts, Widths
from openveil.tools.grouped import Grouped, refuse_persons, refuse_unattainable

# The finest boxes have room for so many times the smallest group that may hold; each next ones are so much larger.
_ROOMY, _WIDER = 4, 4


@dataclass(frozen=True, eq=False)
class Sequenced:
    """The functions, and how each is shown: at its levels of the hierarchies, or else as what covers its groups.

    `fitting` says of each group of each function whether it is large enough for the requirement, `mixable` whether
    groups of several functions may be published together: whether the requirement asks about groups one by one.
    """

    public: Public
    functions: Functions
    fitting: tuple[NDArray[np.bool_], ...] = field(repr=False)
    mixable: bool = True
    levels: tuple[tuple[int, ...], ...] = ()

    def recoding(self, i: int, show: Show, scheme: Scheme) -> Recoding:
        """What is published when function i is released."""
        if self.levels and scheme is Scheme.GENERALISATION:
            return recode_all(self.public, self.levels[i])
        return replace(covered(self.public, self.functions.labels[i], show), scheme=scheme)

    def showing(self, group: Labels, show: Show, scheme: Scheme) -> Recoding:
        """What is published in these groups, be they those of one function or of several."""
        same = self.like(group)
        if same:
            return self.recoding(same[0], show, scheme)
        return replace(covered(self.public, group, show), scheme=scheme)

    def shown(self, outcome: Outcome, show: Show, scheme: Scheme) -> Recoding:
        """What is published of a table with this outcome, which is not nothing."""
        return self.showing(self.released(outcome), show, scheme)

    def released(self, outcome: Outcome) -> Labels:
        """The groups of a table with this outcome, which is not nothing."""
        if outcome.released is None:
            raise ValueError("sequence: nothing is released")
        return self.functions.labels[outcome.released] if outcome.groups is None else outcome.groups

    def like(self, group: Labels) -> list[int]:
        """The functions that have just these groups."""
        found = Functions.of([group]).labels[0]
        return [i for i in range(len(self.functions)) if _same(self.functions.labels[i], found)]


@dataclass(frozen=True)
class Sequential(Grouped):
    """A publisher of one of a sequence of functions, or of groups of several.

    `levels` lists, step by step, the level of each attribute (those left out stay where they were, at first at 0);
    `partitions` lists a group for every row. Without either, `steps` functions are boxes of quasi-identifiers, the
    finest of at least `least` rows, each next four times as many, the last the whole table. `scheme` and `show` say
    how groups are shown.
    """

    safety = Safety.DISCLOSURE_SET

    levels: tuple[Mapping[str, int], ...] = ()
    partitions: tuple[tuple[int, ...], ...] = ()
    steps: int = 5
    least: int = 0

    def __post_init__(self) -> None:
        if self.levels and self.partitions:
            raise refuse("method: partitions", "levels are given as well", "Give one of the two")
        if self.steps < 1 or self.least < 0:
            raise refuse("method: steps", "steps must be 1 or more, and least not negative", "Leave them out")

    def solve(self, public: Public, witness: Witness, requirement: Requirement, secret: Secret) -> Recoding:
        """The function that is released, or `GuaranteeError` where none is."""
        refuse_persons(public, requirement)
        ratios_of(requirement)
        _refuse_several(witness, len(public))
        refuse_unattainable(public, witness, requirement)
        sequence = self.sequence(public, requirement)
        outcome = self._released(sequence, witness, requirement, secret)
        return sequence.shown(outcome, self.show, self.scheme)

    def settled(self, public: Public, witness: Witness, requirement: Requirement) -> Labels:
        """The groups of the function that is released, whatever is drawn on the way drawn afresh."""
        sequence = self.sequence(public, requirement)
        return sequence.released(self._released(sequence, witness, requirement, Secret.fresh()))

    @abstractmethod
    def outcome(self, sequence: Sequenced, witness: Witness, asked: Ratios, secret: Secret) -> Outcome:
        """What becomes of the table at hand."""

    def _released(self, sequence: Sequenced, witness: Witness, requirement: Requirement, secret: Secret) -> Outcome:
        outcome = self.outcome(sequence, witness, ratios_of(requirement), secret)
        if outcome.released is None:
            raise _silent(sequence.functions, outcome, requirement)
        return outcome

    def sequence(self, public: Public, requirement: Requirement) -> Sequenced:
        """The functions, by quasi-identifiers and parameters alone."""
        levels = self._levels(public)
        labels = (
            [groups_at(public, each) for each in levels]
            or self._partitions(public)
            or self._boxes(public, requirement)
        )
        functions = Functions.of(labels)
        fitting = tuple(_fitting(label, public, requirement) for label in functions.labels)
        fits = tuple(bool(each.all()) for each in fitting)
        return Sequenced(public, Functions(functions.labels, fits), fitting, requirement.by_class, levels)

    def _levels(self, public: Public) -> tuple[tuple[int, ...], ...]:
        now, steps, problems = dict.fromkeys(public.names, 0), [], []
        heights = dict(zip(public.names, public.heights, strict=True))
        for number, step in enumerate(self.levels):
            for name, level in step.items():
                if not 0 <= level <= heights.get(name, -1):
                    problems.append(_no_such_level(number, name, heights))
            now |= step
            steps.append(tuple(now.get(name, 0) for name in public.names))
        if problems:
            raise RequestError(problems)
        return tuple(steps)

    def _partitions(self, public: Public) -> list[Labels]:
        wrong = [number for number, each in enumerate(self.partitions) if len(each) != len(public)]
        if wrong:
            found = f"{len(self.partitions[wrong[0]])} of {len(public)}"
            raise refuse(f"method: partitions[{wrong[0]}]", "must have one group a row", "List all rows", found=found)
        return [np.array(each, dtype=np.int64).astype(np.int32) for each in self.partitions]

    def _boxes(self, public: Public, requirement: Requirement) -> list[Labels]:
        cuts = MedianCuts(public, requirement, Widths.RELATIVE)
        finest = self.least or _ROOMY * fewest_rows(requirement)
        found = [cuts.groups()]
        for least in [finest * _WIDER**step for step in range(self.steps - 1)][::-1]:
            cuts.reopen()
            while cuts.open:
                cuts.cut(np.full(cuts.open, least, dtype=np.int64))
            if cuts.groups().max(initial=0) > found[-1].max(initial=0):
                found.append(cuts.groups())
        return found[::-1]


def _refuse_several(witness: Witness, rows: int) -> None:
    several = len(witness.tally(np.zeros(rows, dtype=np.int32), 1)) - 1
    if several > 0:
        what = "disclosure sets are counted for one sensitive column"
        raise refuse("plan: columns", what, "Make the others identifiers", found=f"{several} columns")


def _fitting(label: Labels, public: Public, requirement: Requirement) -> NDArray[np.bool_]:
    """For each group, whether it is large enough for each model, whatever the values."""
    groups = int(label.max(initial=-1)) + 1
    classes, home = Classes.of_rows(label.reshape(-1, 1).astype(np.uint32), [groups], public.persons)
    fitting = classes.sizes >= ratios_of(requirement).fewest
    for model in requirement.parts():
        if not model.reads_sensitive:
            holds = model.holds(classes)
            fitting &= holds if model.by_class else holds.all()
    of_group = np.empty(groups, dtype=np.bool_)
    of_group[label] = fitting[home]
    return of_group


def _same(one: Labels, other: Labels) -> bool:
    pairs = len(np.unique(one.astype(np.int64) * (int(other.max(initial=0)) + 1) + other))
    return pairs == int(one.max(initial=-1)) + 1 == int(other.max(initial=-1)) + 1


def _silent(functions: Functions, outcome: Outcome, requirement: Requirement) -> GuaranteeError:
    tried = sum(functions.fits)
    if outcome.silence:
        reached = f"but of {tried} functions with groups that are large enough, {outcome.silence}"
    elif outcome.judgement is None or outcome.stopped is None:
        reached = f"but none of {tried} functions with groups that are large enough has groups that hold"
    else:
        most = float(outcome.judgement.chance[1])
        reached = (
            f"and the groups of function {outcome.stopped + 1} of {len(functions)} hold, but someone who knows that "
            f"others were passed over could be told a value of a person with a chance of up to {most:.3g}"
        )
    return GuaranteeError(
        model=requirement.name,
        promised=requirement.promise,
        reached=reached,
        remedy="Add a coarser function, ask for less, or use mondrian-even++, which publishes whatever holds as a "
        "whole. Caution: that nothing was released tells something too, to whoever learns it",
    )


def _no_such_level(number: int, name: str, heights: Mapping[str, int]) -> Problem:
    what = f"{name} has no such level" if name in heights else f"{name} is not a quasi-identifier"
    known = ", ".join(f"{each} 0 to {height}" for each, height in heights.items())
    return Problem(f"method: levels[{number}]", what, f"There are: {known}")
