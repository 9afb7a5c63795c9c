"""Declare, don't wire: every part registers itself with its name, its source and what is known of it.

Claim. The command line, the plan's schema, the list of parts, the error texts and the contract tests are read
from the declarations alone; a new part is one file.

Cost. `discover` imports the plug-in packages; parts import their engines inside their methods, so this is light.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from openveil.core.finding import Key

PLUGINS = ("hierarchies", "requirements", "publishers", "utility", "adversary")

Declared = TypeVar("Declared", bound=type)


class Kind(StrEnum):
    """What a part is for."""

    HIERARCHY = "hierarchy"
    REQUIREMENT = "requirement"
    PUBLISHER = "publisher"
    PREFERENCE = "preference"
    UTILITY = "utility"
    ATTACK = "attack"

    @property
    def called(self) -> str:
        """What a plan and a report call it."""
        return _CALLED.get(self.value, self.value)


_CALLED = {"requirement": "privacy model", "publisher": "method"}


class Status(StrEnum):
    """What is known of a part's claim; KNOWN_UNSAFE runs only when a plan allows it."""

    PROVED = "proved"
    MEASURED = "measured"
    KNOWN_UNSAFE = "known unsafe"


@dataclass(frozen=True, slots=True)
class Part:
    """A registered class: what it is called, what it is, where it comes from and what is known of it."""

    kind: Kind
    name: str
    cls: type
    source: str
    status: Status

    @property
    def summary(self) -> str:
        """The first sentence of the class's docstring."""
        return (inspect.getdoc(self.cls) or "").split("\n\n")[0].replace("\n", " ")

    @property
    def weaker(self) -> tuple[Status, str] | None:
        """The lesser status that the class claims with some of its parameters, and with which; None with none."""
        declared: tuple[Status, str] | None = getattr(self.cls, "weaker", None)
        return declared

    @property
    def known(self) -> str:
        """What is known of the class, in a sentence: its status, and what less is claimed with some parameters."""
        return str(self.status) if self.weaker is None else f"{self.status}; {self.weaker[1]}: {self.weaker[0]}"

    def status_of(self, value: object) -> Status:
        """What is known of the class with the parameters of `value`, which may be less than of it with its own."""
        claimed: Status = getattr(value, "claimed", self.status)
        return claimed

    @property
    def says(self) -> tuple[Key, ...]:
        """The findings that the class declares it may come to by itself."""
        declared: tuple[Key, ...] = getattr(self.cls, "says", ())
        return declared

    @property
    def lecture(self) -> str:
        """The docstring of the part's module: claim, reason, cost, source."""
        return inspect.getdoc(inspect.getmodule(self.cls)) or ""


_PARTS: dict[tuple[Kind, str], Part] = {}


def part(kind: Kind, name: str, *, source: str, status: Status) -> Callable[[Declared], Declared]:
    """Register the decorated class under `name`."""

    def declare(cls: Declared) -> Declared:
        if (kind, name) in _PARTS:
            raise ValueError(f"{kind} {name!r} is declared twice")
        _PARTS[kind, name] = Part(kind, name, cls, source, status)
        return cls

    return declare


def discover(*kinds: Kind) -> tuple[Part, ...]:
    """Every registered part of the given kinds (all when none is given), by kind and name."""
    _load()
    wanted = kinds or tuple(Kind)
    return tuple(_PARTS[key] for key in sorted(_PARTS) if key[0] in wanted)


@functools.cache
def _load() -> None:
    """Import every plug-in, so that it registers itself; once a process."""
    for package in PLUGINS:
        module = importlib.import_module(f"openveil.{package}")
        for found in pkgutil.walk_packages(module.__path__, f"{module.__name__}."):
            importlib.import_module(found.name)


def find(kind: Kind, name: str) -> Part | None:
    """The part of that kind and name, if there is one."""
    discover()
    return _PARTS.get((kind, name))
