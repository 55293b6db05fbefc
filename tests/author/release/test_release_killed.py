"""A release that is killed, or fails, at any moment: what is named as its place is whole or not there."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.workbooks import PROBLEMS

from workbook.author.release import assemble
from workbook.content import catalog
from workbook.errors import UsageError

# Runs releases in children of its own, each killed at another operation on files. The keys are made up: recording
# takes long, and touches only a folder that is removed.
DRIVER = """
import hashlib, json, os, shutil, signal, sys
from pathlib import Path
from workbook.author.release import assemble
from workbook.content import catalog

root, place = Path(sys.argv[1]), Path(sys.argv[2])
assemble.make_key = lambda engine, problem, hidden, path: (path.parent.mkdir(exist_ok=True), path.write_bytes(b"key"))
assemble.prove = lambda book, copy, say: None
assemble.leaks = lambda tree, secrets: []
book = catalog.load(root)
out, packed = place / "out", place / "out.zip"
OPERATIONS = {"open", "os.mkdir", "os.rename", "shutil.rmtree"}


def run(moment):
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1]
    done = 0

    def count(event, arguments):
        nonlocal done
        if event in OPERATIONS and str(place) in str(arguments[0]):
            done += 1
            if done == moment:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)
    try:
        assemble.release(book, out, zipped=True, say=lambda line: None)
        (place.parent / "operations").write_text(str(done))
        os._exit(0)
    except BaseException as error:
        print(error, file=sys.stderr)
        os._exit(1)


def whole():
    listed = json.loads((out / "release.json").read_text())["files"]
    return set(listed) | {"release.json"} == {
        path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()
    } and all(hashlib.sha256((out / name).read_bytes()).hexdigest() == digest for name, digest in listed.items())


def clear():
    shutil.rmtree(out, ignore_errors=True)
    packed.unlink(missing_ok=True)


never = 10**9
assert run(never) == 0
operations = int((place.parent / "operations").read_text())
clear()
seen = {"nothing": 0, "the zip": 0, "both": 0}
# Some of the many that only write the files, and each of the last ones; one that has leftovers to remove takes a few more.
for moment in [*range(1, operations - 20, operations // 25), *range(operations - 20, operations + 6)]:
    status = run(moment)
    assert moment > operations or (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL)
    if not os.WIFSIGNALED(status):
        assert os.WEXITSTATUS(status) == 0 and whole()
        clear()
        continue
    left = {path.name for path in place.iterdir() if not path.name.startswith(".")}
    if left == set():
        seen["nothing"] += 1
    elif left == {"out.zip"}:
        seen["the zip"] += 1
    else:
        assert left == {"out", "out.zip"} and whole(), left
        seen["both"] += 1
        clear()
assert run(never) == 0  # after all that a release is made, and nothing of the killed ones is left
assert whole()
assert {path.name for path in place.iterdir()} == {"out", "out.zip"}
print(json.dumps(seen))
"""


def test_killed_at_many_moments(copy, tmp_path):
    place = tmp_path / "place"
    place.mkdir()
    command = [sys.executable, "-c", DRIVER, str(copy), str(place)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen["nothing"] >= 20
    assert seen["the zip"] >= 1
    assert seen["both"] >= 1


@pytest.fixture
def quick(monkeypatch):
    """Releases with made-up keys."""

    def make_key(engine, problem, hidden, path: Path) -> None:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"key")

    monkeypatch.setattr(assemble, "make_key", make_key)
    monkeypatch.setattr(assemble, "prove", lambda book, copy, say: None)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(28, "No space left on device")])
def test_stopped_or_out_of_room_nothing_is_left(error, copy, tmp_path, quick, monkeypatch):
    place = tmp_path / "place"
    place.mkdir()

    def fail(*arguments):
        raise error

    for step in ("_write_list", "write_zip", "_put_zip", "_write_files", "_record_keys"):
        with monkeypatch.context() as patch:
            patch.setattr(assemble, step, fail)
            with pytest.raises((UsageError, KeyboardInterrupt)) as raised:
                assemble.release(catalog.load(copy), place / "out", zipped=True, say=lambda line: None)
        if isinstance(error, OSError):
            assert str(raised.value) == f"{place / 'out'} cannot be made: No space left on device."
        assert list(place.iterdir()) == []


def test_leftovers_of_a_killed_run_go_and_those_of_a_running_one_stay(copy, tmp_path, quick):
    place = tmp_path / "place"
    place.mkdir()
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    (place / f".out.partial-{gone.pid}" / "tree").mkdir(parents=True)
    (place / ".out.partial-1").mkdir()
    assemble.release(catalog.load(copy), place / "out", zipped=False, say=lambda line: None)
    assert {path.name for path in place.iterdir()} == {"out", ".out.partial-1"}
    assert (place / "out" / "keys" / f"{PROBLEMS[0].stem}.key").read_bytes() == b"key"
