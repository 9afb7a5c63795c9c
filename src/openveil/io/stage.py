"""A folder that appears whole or not at all.

Claim. Inside `staged(folder)` one writes to a hidden sibling of `folder`. At the end the sibling becomes
`folder`; on any exception, an interrupt included, everything is as it was before: no draft, no new parent
folders, the previous release untouched. Only a previous release (it has a `certificate.json` and no files but
those openveil writes) is ever replaced.

Why it holds. Every file and folder is synced before it is renamed, and a rename on one file system is atomic.
A previous release is renamed aside first and renamed back if anything fails before the new one is safely in
place; it is deleted last. Between the two renames, which follow each other at once, the old release is whole
under its hidden name; a power cut just there leaves it to be renamed by hand.

Cost. One sync a file.
"""

from __future__ import annotations

import contextlib
import errno
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from openveil.core.errors import refuse
from openveil.io.storage import TAKEN, refusal, sync

PROOF = "certificate.json"
REPORT = "report.html"
TABLE = "table"
FORMATS = ("csv", "parquet", "arrow")
_OURS = frozenset({PROOF, REPORT, *(f"{TABLE}.{ending}" for ending in FORMATS)})
_OF_THE_DISK = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO})


@contextmanager
def staged(folder: Path) -> Iterator[Path]:
    """A draft folder to write into, moved to `folder` in one step when the block ends well."""
    target = folder.resolve()
    _may_stand_at(target)
    draft, created = _sibling(target, "draft"), _missing_parents(target)
    try:
        _make(draft, created)
        yield from _lent(draft, target)
        _settle(draft, target)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
        _drop_empty(created)


def _lent(draft: Path, target: Path) -> Iterator[Path]:
    """Lend the draft; a disk that fails meanwhile is a refusal, any other mistake of the block stays its own."""
    try:
        yield draft
    except OSError as error:
        if error.errno in _OF_THE_DISK:
            raise refusal(target, error) from None
        raise


def _may_stand_at(target: Path) -> None:
    try:
        if target.exists() and not target.is_dir():
            raise refuse(str(target), TAKEN[0], TAKEN[1])
        if target.is_dir() and not _is_release(target) and any(target.iterdir()):
            raise refuse(
                str(target),
                "is not empty and is not a release of openveil, so it is not replaced",
                "Choose a new folder, or empty this one",
            )
        if _is_release(target) and {path.name for path in target.iterdir()} - _OURS:
            raise refuse(
                str(target),
                "holds files beside the previous release, which replacing it would remove",
                "Move them elsewhere, or choose a new folder",
            )
    except OSError as error:
        raise refusal(target, error) from None


def _is_release(folder: Path) -> bool:
    return (folder / PROOF).is_file()


def _sibling(target: Path, purpose: str) -> Path:
    return target.with_name(f".{target.name}.{purpose}-{secrets.token_hex(6)}")


def _missing_parents(target: Path) -> tuple[Path, ...]:
    """The parents of `target` that do not exist yet, innermost first."""
    return tuple(parent for parent in target.parents if not parent.exists())


def _make(draft: Path, created: tuple[Path, ...]) -> None:
    try:
        draft.mkdir(parents=True)
        for folder in created:
            sync(folder.parent)
    except OSError as error:
        raise refusal(draft.parent, error) from None


def _drop_empty(folders: tuple[Path, ...]) -> None:
    for folder in folders:
        with contextlib.suppress(OSError):
            folder.rmdir()


def _settle(draft: Path, target: Path) -> None:
    try:
        _sync_all(draft)
        _may_stand_at(target)
        _exchange(draft, target)
    except OSError as error:
        raise refusal(target, error) from None


def _sync_all(folder: Path) -> None:
    for path in folder.rglob("*"):
        sync(path)
    sync(folder)


def _exchange(draft: Path, target: Path) -> None:
    aside = _sibling(target, "previous")
    try:
        if target.exists():
            target.rename(aside)
        draft.rename(target)
        sync(target.parent)
    except BaseException:
        _restore(draft, target, aside)
        raise
    shutil.rmtree(aside, ignore_errors=True)


def _restore(draft: Path, target: Path, aside: Path) -> None:
    if target.exists() and not draft.exists():
        target.rename(draft)
    if aside.exists():
        aside.rename(target)
