"""Secret randomness: 256 bits from the operating system, expanded by a cryptographic generator.

Claim. Permutations and choices drawn from a `Secret` cannot be predicted by anyone who does not hold it, and can
be reproduced bit for bit by anyone who does. Its `commitment` can be published: it fixes the secret without
revealing it.

Why it holds. Streams are SHAKE-256 over the key and a purpose, a sponge used as a keyed generator; purposes are
length-prefixed, so streams never overlap. The commitment is SHA-256 over a domain tag and the key.

Cost. Eight bytes of stream and one sort a row.
"""

from __future__ import annotations

import hashlib
import secrets
from typing import NoReturn, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from openveil.core.errors import Problem, RequestError, refuse
from openveil.core.sorting import sorted_by

_BYTES = 32
_REMEDY = f"Give {_BYTES} bytes from the operating system, such as secrets.token_bytes({_BYTES})"
_WRAP = "Wrap it as a function that is run several times, or define `odds` for it"


class Secret:
    """A key of 256 bits; never shown by `repr`, `str` or an error, and neither pickled nor copied."""

    __slots__ = ("_key",)

    def __init__(self, key: bytes) -> None:
        if not isinstance(key, bytes):
            raise refuse("secret", "is not made of bytes", _REMEDY, found=type(key).__name__)
        if len(key) != _BYTES:
            raise refuse("secret", "has another length", _REMEDY, found=f"{len(key)} bytes")
        self._key = key

    def __repr__(self) -> str:
        return "Secret()"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and secrets.compare_digest(self._key, other._key)

    def __hash__(self) -> int:
        return hash(self.commitment)

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        raise TypeError("a Secret cannot be pickled or copied: whoever has its key can undo what was drawn with it")

    @property
    def key(self) -> bytes:
        """The key itself, for whoever keeps it."""
        return self._key

    @staticmethod
    def fresh() -> Secret:
        """A new secret from the operating system."""
        return Secret(secrets.token_bytes(_BYTES))

    @property
    def commitment(self) -> str:
        """A digest that fixes the secret and does not reveal it."""
        return hashlib.sha256(b"openveil commitment\0" + self._key).hexdigest()

    def stream(self, purpose: str, size: int) -> bytes:
        """`size` bytes that depend on the key and the purpose only."""
        name = purpose.encode()
        return hashlib.shake_256(self._key + len(name).to_bytes(8, "big") + name).digest(size)

    def permutation(self, purpose: str, size: int) -> NDArray[np.int64]:
        """A uniform permutation of 0..size-1, but for ties of 64-bit keys (2^-64 a pair)."""
        keys = np.frombuffer(self.stream(purpose, 8 * size), dtype=np.uint64)
        return np.argsort(keys)

    def mixed(self, purpose: str, first: NDArray[np.int32], second: NDArray[np.int32]) -> NDArray[np.int64]:
        """Items by two keys, those alike in both in a uniform order, without those whose first key is negative."""
        asked = np.flatnonzero(first >= 0)
        order = asked[self.permutation(purpose, len(asked))]
        return order[sorted_by(first[order], second[order])]

    def numbers(self, purpose: str, below: NDArray[np.int64]) -> NDArray[np.int64]:
        """A uniform number below each of these, but for their share of 2^64; of none, nothing is drawn."""
        if not len(below):
            return np.empty(0, dtype=np.int64)
        drawn = np.frombuffer(self.stream(purpose, 8 * len(below)), dtype=np.uint64)
        return (drawn % below.astype(np.uint64)).astype(np.int64)


class ChanceError(RequestError):
    """An algorithm drew at random in a way whose probabilities nobody has written down."""

    def __init__(self) -> None:
        super().__init__([Problem("method", "draws at random, with probabilities that are not known", _WRAP)])


class NoChance(Secret):
    """Stands in for a secret where nothing may be drawn: asking it for anything raises `ChanceError`."""

    def __init__(self) -> None:
        super().__init__(bytes(_BYTES))

    def stream(self, purpose: str, size: int) -> bytes:
        """Nothing is drawn."""
        raise ChanceError
