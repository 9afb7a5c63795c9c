"""What each column of a table is: its role, and what the analyst wants of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction


class Role(StrEnum):
    """What an adversary may do with a column, which decides what happens to it.

    `IDENTIFIER` is removed. `PERSON` says which rows belong to one person; it is removed too, and so is `GUARD`,
    which says what the person does not want to be learned. `QUASI` may be known to an adversary and is generalised.
    `SENSITIVE` must not be learned. `OTHER` is published as it is.
    """

    IDENTIFIER = "identifier"
    PERSON = "person"
    GUARD = "guard"
    QUASI = "quasi-identifier"
    SENSITIVE = "sensitive"
    OTHER = "other"


PUBLISHED = frozenset({Role.QUASI, Role.SENSITIVE, Role.OTHER})


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name, its role, and (for a quasi-identifier) what losing its precision costs."""

    name: str
    role: Role
    weight: Fraction = Fraction(1)


@dataclass(frozen=True, slots=True)
class Schema:
    """The columns of a table in order; names are unique and at most one column says who the person is."""

    columns: tuple[Column, ...]

    def __post_init__(self) -> None:
        names = [column.name for column in self.columns]
        if len(set(names)) != len(names):
            raise ValueError("schema: column names must be unique")
        if len(self.named(Role.PERSON)) > 1:
            raise ValueError("schema: at most one column may have the role 'person'")

    def named(self, *roles: Role) -> tuple[str, ...]:
        """The names of the columns that have one of `roles`, in table order."""
        return tuple(column.name for column in self.columns if column.role in roles)

    @property
    def published(self) -> tuple[str, ...]:
        """The names of the columns a release has, in table order."""
        return self.named(*PUBLISHED)
