"""Where a steward keeps a secret.

Claim. Within `kept_key` a key is on the disk under a name of its own; when all ends well it is in a new file that
only its owner may read, which replaces nothing, and otherwise nowhere. `read_key` takes it back. Neither ever shows
a key: an error says where it is and what is wrong with the file.

Cost. One small file.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from openveil.core.errors import RequestError, refuse
from openveil.io.storage import contents, refusal

_BYTES = 32
_REMEDY = "Give the file that --keep-secret wrote"


@contextmanager
def kept_key(key: bytes, path: Path) -> Iterator[None]:
    """Have `key` in the new file `path`, readable by its owner alone, once what is done here ends well."""
    if path.exists():
        raise _taken(path)
    draft = path.with_name(f".openveil-{secrets.token_hex(8)}")
    try:
        _write(key, draft, path)
        yield
        # Unlike a rename, a link replaces no file that has come there meanwhile.
        os.link(draft, path)
    except FileExistsError:
        raise _taken(path) from None
    finally:
        draft.unlink(missing_ok=True)


def _taken(path: Path) -> RequestError:
    return refuse(str(path), "is there already", "Choose a new name: a secret serves for one release")


def _write(key: bytes, draft: Path, path: Path) -> None:
    try:
        opened = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(opened, "w", encoding="ascii") as file:
            file.write(key.hex() + "\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise refusal(path, error) from None


def read_key(path: Path) -> bytes:
    """The key in the file `path`."""
    try:
        key = bytes.fromhex(contents(path).decode("ascii"))
    except ValueError:
        raise refuse(str(path), "holds no secret of openveil", _REMEDY) from None
    if len(key) != _BYTES:
        raise refuse(str(path), "holds no secret of openveil", _REMEDY)
    return key
