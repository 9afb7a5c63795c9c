"""The disk: whole files in, whole files out, and what the system refuses, in words.

Claim. `contents` gives all bytes of a file. `store` leaves either the whole new file or what was there before,
on the disk and not in a cache. Every refusal of the system becomes one `RequestError` that says the way out.

Why it holds. `store` writes and syncs a hidden sibling, then renames it over the name; renames within one
folder are atomic. The sibling is removed whatever happens.

Cost. One copy of the file in memory.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
from dataclasses import astuple
from pathlib import Path

from openveil.core.errors import Problem, RequestError, refuse

FULL = ("the disk is full", "Free some space, or choose a folder on another disk")
CLOSED = ("the system does not allow it", "Ask for the permission, or choose another place")
TAKEN = ("a file stands where a folder is needed", "Choose another name, or move that file away")
GONE = ("does not exist", "Check the path")
_REASONS = {
    errno.ENOSPC: FULL,
    errno.EDQUOT: FULL,
    errno.EACCES: CLOSED,
    errno.EPERM: CLOSED,
    errno.EROFS: CLOSED,
    errno.ENOTDIR: TAKEN,
    errno.EEXIST: TAKEN,
    errno.ENOENT: GONE,
}


def refusal(path: Path, error: OSError) -> RequestError:
    """What the system said about `path`, with the way out."""
    if error.errno in _REASONS:
        return refuse(str(path), *_REASONS[error.errno])
    said = os.strerror(error.errno) if error.errno else "an input or output error"
    return refuse(str(path), "the system refused it", "Check the disk and the path", found=said)


def said_of(path: Path, draft: Path, error: RequestError) -> RequestError:
    """The same problems, said of `path`, which `draft` would have become."""
    if str(draft) not in str(error):
        return error
    named = ([text.replace(str(draft), str(path)) for text in astuple(problem)] for problem in error.problems)
    return RequestError(Problem(*texts) for texts in named)


def contents(path: Path) -> bytes:
    """All bytes of the file at `path`."""
    try:
        if path.is_dir():
            raise refuse(str(path), "is a folder, not a file", "Name one file inside it")
        if not path.exists():
            raise refuse(str(path), *GONE)
        if not path.is_file():
            raise refuse(str(path), "is not a regular file", "Copy the data into a file first")
        return path.read_bytes()
    except OSError as error:
        raise refusal(path, error) from None


def store(data: bytes, path: Path) -> None:
    """Put `data` at `path`, whole or not at all."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        _write(data, draft)
        draft.replace(path)
        sync(path.parent)
    except OSError as error:
        raise refusal(path, error) from None
    finally:
        with contextlib.suppress(OSError):
            draft.unlink()


def sync(path: Path) -> None:
    """Wait until the file or folder at `path` is on the disk."""
    if os.name == "nt":
        return  # Windows syncs neither a folder nor a file opened for reading
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _write(data: bytes, path: Path) -> None:
    with path.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
