"""Where a steward keeps a secret.

Claim. `keep_key` writes a key to a new file that only its owner may read, and replaces nothing. `read_key` takes it
back. Neither ever shows a key: an error says where it is and what is wrong with the file.

Cost. One small file.
"""

from __future__ import annotations

import os
from pathlib import Path

from openveil.core.errors import refuse
from openveil.io.storage import contents, refusal

_BYTES = 32
_REMEDY = "Give the file that --keep-secret wrote"


def keep_key(key: bytes, path: Path) -> None:
    """Write `key` to the new file `path`, readable by its owner alone."""
    try:
        opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise refuse(str(path), "is there already", "Choose a new name: a secret serves for one release") from None
    except OSError as error:
        raise refusal(path, error) from None
    with os.fdopen(opened, "w", encoding="ascii") as file:
        file.write(key.hex() + "\n")
        file.flush()
        os.fsync(file.fileno())


def read_key(path: Path) -> bytes:
    """The key in the file `path`."""
    try:
        key = bytes.fromhex(contents(path).decode("ascii"))
    except ValueError:
        raise refuse(str(path), "holds no secret of openveil", _REMEDY) from None
    if len(key) != _BYTES:
        raise refuse(str(path), "holds no secret of openveil", _REMEDY)
    return key
