"""Does a release appear whole or not at all, whatever fails and whenever?"""

import errno
import os
import signal
import stat
import subprocess
import sys

import pytest

from openveil.core.errors import LeftBehindWarning, RequestError, refuse
from openveil.io.stage import staged

STEPS = ["mkdir", "rename", "replace", "fsync"]
FULL = OSError(errno.ENOSPC, "No space left on device")


def proof(text):
    return f'{{"certificate": 1, "of": "{text}"}}'


def fill(folder, text):
    (folder / "certificate.json").write_text(proof(text))
    (folder / "table.csv").write_text(text)


def snapshot(root):
    return {str(path.relative_to(root)): path.is_file() and path.read_text() for path in root.rglob("*")}


@pytest.fixture
def old(tmp_path):
    """A folder that holds a previous release."""
    folder = tmp_path / "release"
    folder.mkdir()
    fill(folder, "old")
    (folder / "report.html").write_text("old")
    return folder


def test_a_new_folder_appears_with_its_parents(tmp_path):
    target = tmp_path / "a" / "b" / "release"
    with staged(target) as draft:
        fill(draft, "new")
        assert not target.exists()
        assert draft.parent == target.parent
        assert draft.name.startswith(".")
    assert snapshot(tmp_path / "a" / "b") == {
        "release": False,
        "release/certificate.json": proof("new"),
        "release/table.csv": "new",
    }


def test_a_previous_release_is_replaced_as_a_whole(old, tmp_path):
    with staged(old) as draft:
        fill(draft, "new")
        assert (old / "certificate.json").read_text() == proof("old")
    assert snapshot(tmp_path) == {
        "release": False,
        "release/certificate.json": proof("new"),
        "release/table.csv": "new",
    }


def test_an_empty_folder_is_used(tmp_path):
    (tmp_path / "release").mkdir()
    with staged(tmp_path / "release") as draft:
        fill(draft, "new")
    assert (tmp_path / "release" / "certificate.json").read_text() == proof("new")
    assert [path.name for path in tmp_path.iterdir()] == ["release"]


def test_the_folder_has_the_permissions_new_folders_have(tmp_path):
    (tmp_path / "plain").mkdir()
    with staged(tmp_path / "release"):
        pass
    modes = {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("plain", "release")}
    assert len(modes) == 1


def test_through_a_link_the_folder_behind_it_is_replaced(old, tmp_path):
    (tmp_path / "link").symlink_to(old)
    with staged(tmp_path / "link") as draft:
        fill(draft, "new")
    assert (tmp_path / "link").is_symlink()
    assert (old / "certificate.json").read_text() == proof("new")


@pytest.mark.parametrize(
    "failure", [ValueError("mine"), KeyboardInterrupt(), SystemExit(1), FileNotFoundError("mine")]
)
@pytest.mark.parametrize("name", ["release", "new", "deep/er"])
def test_a_failure_inside_is_passed_on_and_leaves_nothing(failure, name, old, tmp_path):
    before = snapshot(tmp_path)
    with pytest.raises(type(failure)) as caught, staged(tmp_path / name) as draft:
        fill(draft, "new")
        raise failure
    assert caught.value is failure
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EIO])
def test_a_disk_that_fails_inside_is_a_refusal(number, old, tmp_path):
    before = snapshot(tmp_path)
    with pytest.raises(RequestError, match="release: "), staged(old) as draft:
        fill(draft, "new")
        raise OSError(number, "said by the system")
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize("name", ["release", "new", "deep/er"])
@pytest.mark.parametrize("failure", [FULL, PermissionError(errno.EACCES, "denied"), KeyboardInterrupt()], ids=repr)
@pytest.mark.parametrize("late", [False, True], ids=["instead of the call", "after the call"])
def test_a_failure_of_any_call_leaves_everything_as_it_was(name, failure, late, tmp_path, monkeypatch):
    """Makes the n-th call to the system fail, in a fresh folder for every n, until there is no n-th call."""
    failed, broken = 0, Broken(failure, late)
    while broken.was_reached:
        root = tmp_path / str(broken.number)
        (root / "release").mkdir(parents=True)
        fill(root / "release", "old")
        before = snapshot(root)
        if raises(broken, root / name, monkeypatch):
            assert snapshot(root) == before
            failed += 1
        else:
            assert (root / name / "certificate.json").read_text() == proof("new")
            assert not list(root.rglob(".*"))
    assert failed >= 6


class Broken:
    """Calls to the system of which one fails: the first, on the next use the second, and so on."""

    def __init__(self, failure, late):
        self.failure, self.late = failure, late
        self.number, self.calls, self.was_reached = -1, 0, True

    def restart(self):
        self.number, self.calls, self.was_reached = self.number + 1, 0, False

    def breaking(self, step):
        def call(*arguments, **named):
            due = self.calls == self.number
            self.calls += 1
            self.was_reached |= due
            if due and not self.late:
                raise self.failure
            try:
                return step(*arguments, **named)
            finally:
                if due:
                    raise self.failure

        return call


def raises(broken, target, monkeypatch):
    with monkeypatch.context() as patch:
        broken.restart()
        for name in STEPS:
            patch.setattr(os, name, broken.breaking(getattr(os, name)))
        try:
            with staged(target) as draft:
                fill(draft, "new")
        except (RequestError, type(broken.failure)):
            return True
    return False


def test_at_every_call_one_whole_release_is_there(old, tmp_path, monkeypatch):
    """Between any two calls of the system the old or the new release is whole, under its name or, once, aside."""
    states = []
    for name in STEPS:
        step = getattr(os, name)

        def watched(*arguments, _step=step, **named):
            done = _step(*arguments, **named)
            whole = [path for path in tmp_path.iterdir() if (path / "table.csv").exists()]
            states.append((old in whole, len({path.name.split("-")[0] for path in whole})))
            return done

        monkeypatch.setattr(os, name, watched)
    with staged(old) as draft:
        fill(draft, "new")
    assert all(count >= 1 for _, count in states)
    assert [there for there, _ in states].count(False) == 1


def test_everything_is_on_the_disk_before_the_folder_has_its_name(tmp_path, monkeypatch):
    target, synced = tmp_path / "release", []
    sync = os.fsync

    def watched(handle):
        synced.append((os.fstat(handle).st_ino, target.exists()))
        sync(handle)

    with staged(target) as draft:
        fill(draft, "new")
        inside = {path.stat().st_ino for path in [draft, *draft.rglob("*")]}
        monkeypatch.setattr(os, "fsync", watched)
    assert {inode for inode, named in synced if not named} == inside
    assert (tmp_path.stat().st_ino, True) in synced


def test_a_folder_with_something_else_is_not_touched(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("kept")
    before = snapshot(tmp_path)
    with pytest.raises(RequestError, match="is not a release of openveil"), staged(tmp_path / "mine"):
        pytest.fail("must not begin")
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize("text", ["", "{}", "[]", "old", '{"certificate": "mine"}', "[" * 100_000, "\xff"])
def test_a_certificate_of_something_else_makes_no_release(text, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "certificate.json").write_text(text, encoding="latin-1")
    (tmp_path / "mine" / "table.csv").write_text("kept")
    with pytest.raises(RequestError, match="is not a release of openveil"), staged(tmp_path / "mine"):
        pytest.fail("must not begin")
    assert (tmp_path / "mine" / "table.csv").read_text() == "kept"


def test_a_folder_that_fills_up_meanwhile_is_not_touched(tmp_path):
    target = tmp_path / "release"
    with pytest.raises(RequestError, match="is not a release of openveil"), staged(target) as draft:
        fill(draft, "new")
        target.mkdir()
        (target / "thesis.txt").write_text("kept")
    assert snapshot(tmp_path) == {"release": False, "release/thesis.txt": "kept"}


@pytest.mark.parametrize("name", ["file", "file/release"])
def test_a_file_in_the_way_is_refused(name, tmp_path):
    (tmp_path / "file").write_text("kept")
    with pytest.raises(RequestError, match="a file stands where a folder is needed"), staged(tmp_path / name):
        pytest.fail("must not begin")
    assert snapshot(tmp_path) == {"file": "kept"}


def test_files_beside_a_previous_release_are_not_removed(old, tmp_path):
    (old / "notes.txt").write_text("mine")
    before = snapshot(tmp_path)
    with pytest.raises(RequestError, match="holds files beside the previous release"), staged(old):
        pytest.fail("must not begin")
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize("name", ["a\0b", "loop", "loop/deeper"])
def test_a_path_that_cannot_be_followed_is_refused(name, tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(RequestError, match=r"choose another|Choose another"), staged(tmp_path / name):
        pytest.fail("must not begin")
    assert [path.name for path in tmp_path.iterdir()] == ["loop"]


def test_what_is_wrong_with_a_file_is_said_of_its_place_in_the_folder(tmp_path):
    with pytest.raises(RequestError) as caught, staged(tmp_path / "release") as draft:
        raise refuse(str(draft / "table.csv"), "is wrong", "Mend it")
    assert str(caught.value) == f"{tmp_path / 'release' / 'table.csv'}: is wrong. Mend it"


def test_a_previous_release_that_cannot_be_deleted_is_told(old, tmp_path, monkeypatch):
    def refusing(path, *, ignore_errors):
        """A disk on which the previous release cannot be deleted."""

    monkeypatch.setattr("openveil.io.stage.shutil.rmtree", refusing)
    with pytest.warns(LeftBehindWarning, match="previous release could not be deleted") as told, staged(old) as draft:
        fill(draft, "new")
    [aside] = tmp_path.glob(".release.previous-*")
    assert str(aside) in str(told[0].message)
    assert (old / "certificate.json").read_text() == proof("new")


def test_what_a_killed_process_left_is_swept_away_by_the_next(tmp_path):
    killed = (
        "import os, signal, sys; from pathlib import Path; from openveil.io.stage import staged\n"
        "with staged(Path(sys.argv[1])) as draft:\n"
        "    (draft / 'table.csv').write_text('half'); os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run([sys.executable, "-c", killed, str(tmp_path / "release")], check=False)
    assert done.returncode == -signal.SIGKILL
    [stale] = tmp_path.iterdir()
    for other in (".release.draft-mine", ".other.draft-0123456789ab", ".release.previous-0123456789ab"):
        (tmp_path / other).mkdir()
    with staged(tmp_path / "release"):
        assert not stale.exists()
    assert len(list(tmp_path.iterdir())) == 4


def test_a_draft_in_use_is_not_swept_away(tmp_path):
    with staged(tmp_path / "release") as first:
        with staged(tmp_path / "release") as second:
            fill(second, "new")
            assert first.exists()
        fill(first, "newer")
    assert snapshot(tmp_path)["release/table.csv"] == "newer"


def test_a_draft_swept_away_before_it_is_held_is_made_again(tmp_path, monkeypatch):
    from openveil.io import drafts

    opened, swept = drafts._opened, []

    def late(draft):
        if not swept:
            swept.append(draft.rmdir())
        return opened(draft)

    monkeypatch.setattr(drafts, "_opened", late)
    with staged(tmp_path / "release") as draft:
        fill(draft, "new")
    assert swept
    assert snapshot(tmp_path)["release/table.csv"] == "new"
