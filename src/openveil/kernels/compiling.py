"""How the kernels are compiled.

Claim. A compiled kernel is kept on disk where that is possible, and compiled anew in every process where it is not,
as in a container whose folders cannot be written. Kernels do not hold the interpreter lock.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit

Kernel = Callable[..., Any]


def compiled(function: Kernel) -> Kernel:
    """The function as a kernel."""
    try:
        kept: Kernel = njit(cache=True, nogil=True)(function)
    except RuntimeError:
        # Numba found no folder to keep it in.
        anew: Kernel = njit(nogil=True)(function)
        return anew
    return kept
