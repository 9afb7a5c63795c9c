"""Hidden drafts beside a folder, and what killed processes left of them.

Claim. `held` makes a draft that counts as in use until its block ends or the process dies, however it dies. `sweep`
removes the drafts of a folder that are not in use, and nothing else.

Why it holds. In use means locked, and the system drops a lock with the process that holds it. A draft that is swept
away between being made and being locked is made again. Where the system has no such locks, nothing is swept.

Cost. One look at the names beside the folder.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_DRAFT = "draft"


def beside(target: Path, purpose: str = _DRAFT) -> Path:
    """A hidden name beside `target` that nothing has."""
    return target.with_name(f".{target.name}.{purpose}-{secrets.token_hex(6)}")


@contextmanager
def held(draft: Path) -> Iterator[None]:
    """Make the folder `draft`, in use until the block ends."""
    draft.mkdir(parents=True)
    handle = _locked(draft)
    while not draft.exists():
        _let_go(handle)
        draft.mkdir()
        handle = _locked(draft)
    try:
        yield
    finally:
        _let_go(handle)


def sweep(target: Path) -> None:
    """Remove the drafts of `target` that are not in use."""
    name = re.compile(rf"\.{re.escape(target.name)}\.{_DRAFT}-[0-9a-f]{{12}}")
    with contextlib.suppress(OSError):
        for path in target.parent.iterdir():
            if name.fullmatch(path.name) and path.is_dir() and not path.is_symlink():
                _remove_unless_held(path)


def _remove_unless_held(draft: Path) -> None:
    handle = _opened(draft)
    try:
        if handle is not None and _lock(handle, wait=False):
            shutil.rmtree(draft, ignore_errors=True)
    finally:
        _let_go(handle)


def _locked(draft: Path) -> int | None:
    """A handle that holds the folder, after waiting for one who sweeps it away; None where there is no such thing."""
    handle = _opened(draft)
    if handle is not None:
        _lock(handle, wait=True)
    return handle


def _opened(draft: Path) -> int | None:
    if sys.platform == "win32":
        return None  # Windows does not open folders
    try:
        return os.open(draft, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        return None


def _lock(handle: int, *, wait: bool) -> bool:
    if sys.platform == "win32":
        return False
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _let_go(handle: int | None) -> None:
    if handle is not None:
        os.close(handle)
