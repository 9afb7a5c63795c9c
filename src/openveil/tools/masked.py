"""Publishers that leave the groups as they are, and show other sensitive values where a group has too many of some.

Claim. The groups of a `Masked` publisher depend on quasi-identifiers alone: the median cuts of Mondrian, in groups
of at least m and k rows. What is shown instead of sensitive values is up to the publisher. Any table that has enough
rows can be published, whatever its sensitive values are. They work for m-confidentiality, with models that count
rows or persons beside it, and for one sensitive column.

Where rows are drawn into smaller groups, that is decided from what is shown of the groups: the original is not asked
again.

Cost. One cut a round, log n rounds, and what the masking costs.

Source. Jin, Zhang, Das 2011, sections 2.2 and 6.3: k-anonymous groups by any algorithm, with k of m or more.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import polars as pl

from openveil.core.alternatives import OR
from openveil.core.bags import Bags
from openveil.core.errors import refuse
from openveil.core.recoding import Change, Recoding, Replaced
from openveil.core.requirement import Requirement, diversities, together
from openveil.core.secret import Secret
from openveil.core.table import Public
from openveil.core.witness import Labels, Names, Spelled, Witness
from openveil.requirements.m_confidentiality import Confidentiality, MConfidentiality
from openveil.tools.covering import covered
from openveil.tools.cuts import MedianCuts, Widths
from openveil.tools.grouped import Partitioned, refuse_persons, refuse_too_few

_WHERE = "method: showing other sensitive values"


@dataclass(frozen=True)
class Masked(Partitioned):
    """A publisher of groups of k rows or more that may show other sensitive values; `widths` is as in `mondrian+`."""

    in_boxes: ClassVar[bool] = True

    k: int = 1
    widths: Widths = Widths.RELATIVE

    def __post_init__(self) -> None:
        if self.k < 1:
            raise refuse(f"{_WHERE}: k", "must be a positive whole number", "Leave it out", found=str(self.k))

    def solve(self, public: Public, witness: Witness, requirement: Requirement, secret: Secret) -> Recoding:
        """Form the groups and mask their values, or raise `GuaranteeError` where that cannot be done."""
        refuse_persons(public, requirement)
        refuse_too_few(public, requirement)
        if self.k > len(public):
            raise refuse(f"{_WHERE}: k", "is more than there are rows", "Ask for fewer", found=str(self.k))
        if len(witness.columns) != 1:
            remedy = "Give one column the role 'sensitive', and leave out the others"
            raise refuse(_WHERE, "works for one sensitive column", remedy, found=str(len(witness.columns)))
        strata = self.settled(public, witness, requirement)
        replaced = self.shown(strata, witness, requirement, secret)
        columns = pl.DataFrame([replaced.shown])
        told = _asked(requirement).for_values(_named(replaced, Spelled(columns)))
        group = self.drawn(strata, Witness(columns), together((*_counting(requirement), told)), secret)
        return replace(covered(public, group, self.show), scheme=self.scheme, settled=strata, replaced=(replaced,))

    def settled(self, public: Public, witness: Witness, requirement: Requirement) -> Labels:
        """The groups that are left when none can be cut into two of k rows."""
        one = Bags.of_counts("", [[1]])
        least = max([self.k, _asked(requirement).m, *(int(each.needs(one)[0]) for each in _counting(requirement))])
        cuts = MedianCuts(public, requirement, self.widths)
        while cuts.open:
            cuts.cut(np.full(cuts.open, least, dtype=np.int64))
        return cuts.groups()

    def shown(self, strata: Labels, witness: Witness, requirement: Requirement, secret: Secret) -> Replaced:
        """What the sensitive column shows of groups that are settled."""
        return self.masked(strata, witness, _asked(requirement), secret)

    @abstractmethod
    def masked(self, strata: Labels, witness: Witness, model: MConfidentiality, secret: Secret) -> Replaced:
        """What the sensitive column shows, so that each group meets the model."""


def _counting(requirement: Requirement) -> tuple[Requirement, ...]:
    """The models that count rows or persons."""
    return tuple(each for each in requirement.parts() if not each.reads_sensitive)


def _asked(requirement: Requirement) -> MConfidentiality:
    """The m-confidentiality that is asked for, or a `RequestError` where anything else is asked of the values."""
    models = diversities(requirement)
    if len(models) == 1 and isinstance(models[0], Confidentiality):
        return models[0].asked
    remedy = "Ask for m-confidentiality, with k-anonymity if you like, or use mondrian++, which takes every model"
    raise refuse(_WHERE, "works for m-confidentiality only", remedy, found=requirement.name)


def _named(replaced: Replaced, spelled: Spelled) -> Names:
    """The texts of what is shown; where a label names several values, all of them."""
    if replaced.change is not Change.GENERALISED:
        return spelled
    texts = (text for (text,) in spelled[replaced.name])
    return {replaced.name: [(None,) if text is None else tuple(text.split(OR)) for text in texts]}
