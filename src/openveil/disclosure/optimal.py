"""An optimal disclosure function of a small setting, found by a solver for integer programs.

Claim. `optimal` gives a safe disclosure function that no safe one precedes, or None where no function is safe. It
shows the states as early as possible on the whole: no safe function has a smaller sum of schema numbers.

Why it holds. A disclosure function is a way to cover every state by exactly one set, each taken from one block of one
schema and at most one from each block; it is safe if the predicate holds of every set. So every safe function is a
choice of columns, a column being a safe part of a block, and the solver proves which choice has the smallest sum. A
safe function that precedes another has a smaller sum, so what has the smallest is preceded by none. The predicate may
be any at all; it need not be monotone.

Cost. One column for each safe part of a block: 2^n for a block of n states, so blocks have at most `MOST` states.

Source. Zhang, Jajodia, Brodsky 2007, section 3 (p-optimality). The solver is HiGHS (the extra `optimal`).
"""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from types import ModuleType

from openveil.core.errors import refuse
from openveil.disclosure.settings import Setting, Shown, States

MOST = 16


def optimal(setting: Setting) -> Shown | None:
    """A safe function with the smallest sum of schema numbers."""
    columns = [(i, block, part) for i, block in setting.cells for part in _parts(block) if setting.safe(part)]
    chosen = _solved(setting, columns)
    if chosen is None:
        return None
    schema = {state: columns[number][0] for number in chosen for state in columns[number][2]}
    return tuple(schema[state] for state in range(setting.states))


def _parts(block: States) -> list[States]:
    if len(block) > MOST:
        found = f"{len(block)} states in one block"
        raise refuse("setting", "is too large for an exact search", f"Keep blocks to {MOST} states", found=found)
    return [frozenset(each) for size in range(1, len(block) + 1) for each in combinations(sorted(block), size)]


def _solved(setting: Setting, columns: list[tuple[int, States, States]]) -> list[int] | None:
    """The numbers of the columns that cover every state once, at the smallest sum."""
    highs = _highs()
    model = highs.Highs()
    model.silent()
    taken = [model.addBinary(obj=float(i * len(part))) for i, _, part in columns]
    covering: defaultdict[int, list[int]] = defaultdict(list)
    of_block: defaultdict[tuple[int, States], list[int]] = defaultdict(list)
    for number, (i, block, part) in enumerate(columns):
        of_block[i, block].append(number)
        for state in part:
            covering[state].append(number)
    if len(covering) < setting.states:
        return None
    for numbers in covering.values():
        model.addConstr(model.qsum(taken[number] for number in numbers) == 1)
    for numbers in of_block.values():
        model.addConstr(model.qsum(taken[number] for number in numbers) <= 1)
    model.minimize()
    if model.getModelStatus() != highs.HighsModelStatus.kOptimal:
        return None
    return [number for number, value in enumerate(model.vals(taken)) if value > 0.5]


def _highs() -> ModuleType:
    try:
        import highspy
    except ImportError:
        raise refuse(
            "setting", "an exact search needs a solver", 'Install it: pip install "openveil[optimal]"'
        ) from None
    solver: ModuleType = highspy
    return solver
