"""A folder that appears whole or not at all.

Claim. Inside `staged(folder)` one writes to a hidden sibling of `folder`. At the end the sibling becomes
`folder`; on any exception, an interrupt included, everything is as it was before: no draft, no new parent
folders, the previous release untouched. Only a previous release (it has a `certificate.json` that says so and no
files but those openveil writes) is ever replaced. A draft that a killed process left is swept away by the next. No
message names a draft: what is wrong with a file in it is said of the file as it would have been called.

Why it holds. Every file and folder is synced before it is renamed, and a rename on one file system is atomic.
A previous release is renamed aside first and renamed back if anything fails before the new one is safely in
place; it is deleted last, and if that fails a warning says where it is. Between the two renames, which follow
each other at once, the old release is whole under its hidden name; a power cut just there leaves it to be renamed
by hand.

Cost. One sync a file.
"""

from __future__ import annotations

import contextlib
import errno
import json
import shutil
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from openveil.core.errors import LeftBehindWarning, RequestError, refuse
from openveil.io.drafts import beside, held, sweep
from openveil.io.storage import TAKEN, refusal, said_of, sync

PROOF = "certificate.json"
REPORT = "report.html"
TABLE, COUNTS = "table", "sensitive"
FORMATS = ("csv", "parquet", "arrow")
_OURS = frozenset({PROOF, REPORT, *(f"{stem}.{ending}" for stem in (TABLE, COUNTS) for ending in FORMATS)})
_OF_THE_DISK = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO})


@contextmanager
def staged(folder: Path) -> Iterator[Path]:
    """A draft folder to write into, moved to `folder` in one step when the block ends well."""
    target = _followed(folder)
    _may_stand_at(target)
    sweep(target)
    draft, created = beside(target), _missing_parents(target)
    try:
        with _made(draft, created):
            yield from _lent(draft, target)
            _settle(draft, target)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
        _drop_empty(created)


def _followed(folder: Path) -> Path:
    """The whole path, behind links."""
    try:
        return folder.resolve()
    except ValueError:
        raise refuse(f"folder {str(folder)!r}", "has a NUL byte in its name", "Choose another name") from None
    except OSError as error:
        raise refusal(folder, error) from None
    except RuntimeError:
        remedy = "Remove the link, or choose another folder"
        raise refuse(f"folder {str(folder)!r}", "is a link that leads back to itself", remedy) from None


def _lent(draft: Path, target: Path) -> Iterator[Path]:
    """Lend the draft; a disk that fails meanwhile is a refusal, any other mistake of the block stays its own."""
    try:
        yield draft
    except RequestError as error:
        raise said_of(target, draft, error) from None
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
    """Whether a certificate of ours is there, of whatever version."""
    try:
        proof = folder / PROOF
        found = json.loads(proof.read_bytes()) if proof.is_file() else None
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(found, dict) and isinstance(found.get("certificate"), int)


def _missing_parents(target: Path) -> tuple[Path, ...]:
    """The parents of `target` that do not exist yet, innermost first."""
    return tuple(parent for parent in target.parents if not parent.exists())


@contextmanager
def _made(draft: Path, created: tuple[Path, ...]) -> Iterator[None]:
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(held(draft))
            for folder in created:
                sync(folder.parent)
        except OSError as error:
            raise refusal(draft.parent, error) from None
        yield


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
    aside = beside(target, "previous")
    try:
        if target.exists():
            target.rename(aside)
        draft.rename(target)
        sync(target.parent)
    except BaseException:
        _restore(draft, target, aside)
        raise
    _remove_previous(aside, target)


def _restore(draft: Path, target: Path, aside: Path) -> None:
    if target.exists() and not draft.exists():
        target.rename(draft)
    if aside.exists():
        aside.rename(target)


def _remove_previous(aside: Path, target: Path) -> None:
    try:
        shutil.rmtree(aside, ignore_errors=True)
    finally:  # an interrupt must not leave a half
        if aside.exists():
            shutil.rmtree(aside, ignore_errors=True)
    if aside.exists():
        said = f"{target} was published, but the previous release could not be deleted and is in {aside}. Delete it"
        warnings.warn(said, LeftBehindWarning, stacklevel=2)
