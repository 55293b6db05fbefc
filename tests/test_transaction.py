"""A change of several files is whole or not there, wherever it is stopped and whatever stops it."""

from __future__ import annotations

import errno
import os
import resource
import shutil
from pathlib import Path

import pytest
from helpers.interrupting import files, stopped_at
from helpers.workbooks import workbook

from workbook import transaction
from workbook.transaction import Step, change, digest, recover

BEFORE = {
    "pyproject.toml": b"[tool.workbook]\n",
    "a/edited": b"old",
    "a/deleted": b"gone soon",
    "deep/er/est/deleted": b"alone",
    "a/other": b"stays",
}
AFTER = {
    "pyproject.toml": b"[tool.workbook]\n",
    "a/edited": b"new",
    "a/other": b"stays",
    "made/for/it": b"first",
    "a/made": b"second",
}


def lay_out(root: Path) -> Path:
    shutil.rmtree(root, ignore_errors=True)
    for name, content in BEFORE.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
    return root


def steps(root: Path) -> list[Step]:
    names = sorted(name for name in {*BEFORE, *AFTER} if BEFORE.get(name) != AFTER.get(name))
    return [Step(name, AFTER.get(name), digest(root / name)) for name in names]


def act(root: Path) -> None:
    change(root, "test", steps(root))


def test_a_change_is_made(tmp_path):
    root = lay_out(tmp_path / "w")
    act(root)
    assert files(root) == AFTER
    assert not (root / "deep" / "er").exists()
    assert recover(root) == ""


def test_killed_anywhere_and_again_while_recovering(tmp_path):
    root, number, seen = tmp_path / "w", 0, set()
    while True:
        number += 1
        killed = stopped_at(number, lay_out(root), lambda: act(root), None)
        left = tmp_path / "left"
        shutil.rmtree(left, ignore_errors=True)
        shutil.copytree(root, left)
        again = number % 6  # every sixth operation of a recovery, others each time
        while True:
            again += 6
            killed_again = stopped_at(again, root, lambda: recover(root / "a"), None)
            recover(root)
            found = files(root)
            assert found in (BEFORE, AFTER), (number, again)
            seen.add(found == AFTER)
            if not killed_again:
                break
            shutil.rmtree(root)
            shutil.copytree(left, root)
        if not killed:
            break
    assert files(root) == AFTER
    assert seen == {True, False}
    assert number > 20


@pytest.mark.parametrize(
    "by", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt], ids=["full", "^C"]
)
def test_an_error_anywhere(tmp_path, by):
    root, number = tmp_path / "w", 0
    while stopped_at(number := number + 1, lay_out(root), lambda: act(root), by):
        recover(root)
        assert files(root) in (BEFORE, AFTER), number
    assert files(root) == AFTER


def test_killed_while_it_is_taken_back(tmp_path):
    """A target that cannot be written: a folder would have to be where a file is."""
    root, number = tmp_path / "w", 0

    def fail() -> None:
        change(root, "test", [*steps(root), Step("a/other/below", b"", "")])

    while stopped_at(number := number + 1, lay_out(root), fail, None):
        recover(root)
        assert files(root) == BEFORE, number
    assert files(root) == BEFORE
    assert not (root / transaction.FOLDER).exists()


def test_a_failure_says_what_and_changes_nothing(tmp_path):
    root = lay_out(tmp_path / "w")
    with pytest.raises(OSError, match="a/other"):
        change(root, "test", [*steps(root), Step("a/other/below", b"", "")])
    assert files(root) == BEFORE


def test_no_room_for_a_file(tmp_path):
    root = lay_out(tmp_path / "w")

    def act_with_little_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        change(root, "test", [*steps(root), Step("a/large", b"x" * 5000, "")])

    stopped_at(-1, root, act_with_little_room, None)
    assert files(root) == BEFORE
    assert not (root / transaction.FOLDER).exists()


def test_a_file_saved_after_the_decision_stops_the_change(tmp_path):
    root = lay_out(tmp_path / "w")
    decided = steps(root)
    (root / "a" / "edited").write_bytes(b"mine")
    with pytest.raises(OSError, match="a/edited has changed meanwhile"):
        change(root, "test", decided)
    assert files(root) == {**BEFORE, "a/edited": b"mine"}


def test_a_file_saved_between_kill_and_recovery_is_kept(tmp_path):
    root, number, kept = tmp_path / "w", 0, 0
    while stopped_at(number := number + 1, lay_out(root), lambda: act(root), None):
        if not (root / transaction.FOLDER / transaction.FORWARD).exists():
            continue
        (root / "a" / "edited").write_bytes(b"mine")
        recover(root)
        found = files(root)
        backups = [name for name, content in found.items() if "backups" in name and content == b"mine"]
        assert found["a/edited"] == b"mine" or backups, number
        kept += bool(backups)
    assert kept > 3


@pytest.mark.parametrize("path", ["../outside", "/etc/outside", "a/../../outside", ""])
def test_a_path_that_leads_out(tmp_path, path):
    root = lay_out(tmp_path / "w")
    with pytest.raises(OSError, match="leads out of the workbook"):
        change(root, "test", [Step(path, b"x", "")])
    assert files(root) == BEFORE
    assert not (tmp_path / "outside").exists()


def test_one_change_at_a_time(tmp_path, monkeypatch):
    import fcntl

    root = lay_out(tmp_path / "w")
    monkeypatch.setattr(transaction, "PATIENCE", 0.1)
    held = os.open(root, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(OSError, match="another command is changing this workbook"):
            act(root)
    finally:
        os.close(held)
    assert files(root) == BEFORE
    act(root)


def test_any_command_finishes_it_first_and_says_so(copy):
    half = Step("exercises/p01_sequential_scan.py", b"# mine\n", digest(copy / "exercises" / "p01_sequential_scan.py"))
    number = 0
    while not (copy / transaction.FOLDER / transaction.FORWARD).exists():
        number += 1
        assert stopped_at(number, copy, lambda: change(copy, "add", [half]), None)
        if not (copy / transaction.FOLDER / transaction.FORWARD).exists():
            recover(copy)
    done = workbook("hint", "1", cwd=copy / "exercises", code=0)
    assert done.err == "An interrupted `workbook add` is finished now.\n"
    assert (copy / "exercises" / "p01_sequential_scan.py").read_bytes() == b"# mine\n"
    assert workbook("hint", "1", cwd=copy, code=0).err == ""


def test_a_change_that_cannot_be_finished_is_one_line(copy):
    folder = copy / transaction.FOLDER
    folder.mkdir(parents=True)
    (folder / transaction.FORWARD).write_text('{"version": 9}', encoding="utf-8")
    done = workbook(cwd=copy, code=3)
    assert done.out == ""
    assert done.err.count("\n") == 1
    assert "cannot be finished" in done.err
    assert "version 9" in done.err


def test_a_folder_that_is_no_workbook_is_left_alone(tmp_path):
    folder = tmp_path / transaction.FOLDER
    folder.mkdir(parents=True)
    (folder / transaction.FORWARD).write_text("{}", encoding="utf-8")
    (tmp_path / "inner").mkdir()
    assert recover(tmp_path / "inner") == ""
    assert (folder / transaction.FORWARD).exists()
