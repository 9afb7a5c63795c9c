"""The acceptable vector of least information loss, and a bound below which no vector can be.

Claim. `least_loss` returns an acceptable vector, its loss, and the greatest bound proved: no acceptable vector
has a smaller loss than the bound. When the bound equals the loss the vector is optimal; among vectors of equal
loss it is the lexicographically first one met, which is the same in every run that is not cut short.

Why it holds. See `rounds.py` (lattices that can be held as arrays) and `descent.py` (all others).

Cost. The top is examined whatever the time. Then, for lattices of at most `MOST_VECTORS`, nearly as many
examinations as the shortest proof has vectors (of the 12,960 of the Adult lattice, about 600). Each reads the
classes of a coarser vector, not the rows (`survey.py`), where almost all the time goes: a gather of each class's
codes and a probe. Larger lattices take the time they are given.

Source. Own; monotone pruning as in Samarati 2001, Theorem 5.2, roll-up as in LeFevre, DeWitt and Ramakrishnan,
Incognito, 2005, the loss of Xiao and Tao 2006, Equations 4 to 6.
"""

from __future__ import annotations

import numpy as np

from openveil.publishers.samarati.descent import Descent
from openveil.publishers.samarati.problem import Best, Method, Optimum, Problem
from openveil.publishers.samarati.rounds import Rounds

MOST_VECTORS = 1 << 21


def least_loss(problem: Problem) -> Optimum | None:
    """The acceptable vector of least loss, or the best found in time; None when the top is unacceptable."""
    return search(Rounds if problem.lattice.size <= MOST_VECTORS else Descent, problem)


def search(method: type[Method], problem: Problem) -> Optimum | None:
    """Start at the top, which is a result when there can be any, and go on with `method`."""
    top = problem.lattice.top
    [result] = problem.without_hurry().examine(np.array([top], dtype=np.int64))
    if result is None or not result.acceptable:
        return None
    best = Best(top)
    best.offer(top, problem.prices.generalising(top) + result.extra)
    best.examined = 1
    return method(problem, best).run()
