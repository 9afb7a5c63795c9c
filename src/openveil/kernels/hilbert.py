"""Where points lie on the Hilbert curve, in any number of dimensions and with any number of bits.

Claim. `curve_keys` is given points, `bits` bits a coordinate, and returns for each how many points of the grid the
curve passes before it: a whole number of `dimensions * bits` bits, in as many words of 64 bits as that takes, the
most significant first. The curve passes every point of the grid once and moves one step in one coordinate at a
time, so neighbours on it are neighbours in the grid. One dimension is passed in its own order.

Why it holds. Walked from the coarsest bit on, every halving of the grid turns and mirrors the halves below it.
`_undo` takes these turns back in place, bit by bit: a coordinate in its upper half mirrors the first one below that
bit, and one in its lower half swaps with it. What is left is a Gray code across the coordinates, which `_decode`
reads; taking one bit of each coordinate in turn gives the key. Compared with a walk of the curve in the tests.

Cost. One step a row, bit and dimension.

Source. J. Skilling, Programming the Hilbert curve, 2004.
"""

from __future__ import annotations

import numpy as np

from openveil.kernels.compiling import compiled

_WORD = 64


@compiled
def _undo(point, bits):  # type: ignore[no-untyped-def]
    """Take back the turns of the curve, from the coarsest bit to the finest but one."""
    for bit in range(bits - 1, 0, -1):
        below = (np.int64(1) << bit) - 1
        for a in range(point.shape[0]):
            if point[a] >> bit & 1:
                point[0] ^= below
            else:
                swapped = (point[0] ^ point[a]) & below
                point[0] ^= swapped
                point[a] ^= swapped


@compiled
def _decode(point, bits):  # type: ignore[no-untyped-def]
    """Read the Gray code that stands across the coordinates."""
    for a in range(1, point.shape[0]):
        point[a] ^= point[a - 1]
    turned = np.int64(0)
    for bit in range(bits - 1, 0, -1):
        if point[-1] >> bit & 1:
            turned ^= (np.int64(1) << bit) - 1
    for a in range(point.shape[0]):
        point[a] ^= turned


@compiled
def _interleave(point, bits, key):  # type: ignore[no-untyped-def]
    """One bit of each coordinate in turn, from the coarsest on, put into the words of the key."""
    place = point.shape[0] * bits
    for bit in range(bits - 1, -1, -1):
        for a in range(point.shape[0]):
            place -= 1
            word = key.shape[0] - 1 - place // _WORD
            key[word] |= np.uint64(point[a] >> bit & 1) << np.uint64(place % _WORD)


@compiled
def curve_keys(codes, sizes, bits):  # type: ignore[no-untyped-def]
    """The key of each row, its codes spread evenly over `bits` bits; attribute a has codes below `sizes[a]`."""
    rows, dimensions = codes.shape
    words = max((dimensions * bits + _WORD - 1) // _WORD, 1)
    keys = np.zeros((rows, words), dtype=np.uint64)
    point = np.empty(dimensions, dtype=np.int64)
    for i in range(rows):
        for a in range(dimensions):
            # One-to-one, because no axis has more than 2 ** bits codes.
            point[a] = (np.int64(codes[i, a]) << bits) // sizes[a]
        if dimensions:
            _undo(point, bits)
            _decode(point, bits)
            _interleave(point, bits, keys[i])
    return keys
