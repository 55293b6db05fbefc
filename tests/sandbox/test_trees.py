"""Removing and measuring what a submission made, in every shape it can give it."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from workbook.sandbox import scratch, trees

MEGABYTE = 2**20


def deep(folder: Path, name: str = "x", levels: int = 3000) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir(name, dir_fd=descriptor)
        below = os.open(name, os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = below
    os.write(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=descriptor), bytes(3 * MEGABYTE))
    os.close(descriptor)


def closed(folder: Path) -> None:
    for mode in (0o000, 0o300, 0o500, 0o100):
        below = folder / oct(mode)
        below.mkdir()
        (below / "inner").mkdir()
        (below / "inner" / "file").write_bytes(bytes(MEGABYTE))
        (below / "inner").chmod(mode)
        below.chmod(mode)


def odd(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    os.symlink("/", folder / "root")
    os.symlink("loop", folder / "loop")
    os.symlink("..", folder / "up")
    (folder / "\udcff\n\x1b[31m").mkdir()
    (folder / "file").touch()
    os.link(folder / "file", folder / "again")
    with open(folder / "hole", "wb") as file:
        file.truncate(10**12)
    here = os.getcwd()
    os.chdir(folder)  # the address of a socket is short
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind("socket")
    os.chdir(here)


def many(folder: Path) -> None:
    for number in range(5000):
        os.mkdir(folder / str(number))
        os.close(os.open(folder / str(number) / "file", os.O_CREAT))


SHAPES: dict[str, Callable[[Path], None]] = {
    "3000 folders in each other": deep,
    "20 folders with long names": lambda folder: deep(folder, "d" * 250, 20),
    "folders closed to their owner": closed,
    "pipes, links, sockets and holes": odd,
    "10,000 entries": many,
}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_tree_is_removed_without_a_trace(shape, tmp_path):
    tree, beside = tmp_path / "tree", tmp_path / "beside"
    tree.mkdir()
    beside.write_text("stays")
    SHAPES[shape](tree)
    (tree / "link").symlink_to(beside)
    assert trees.remove(str(tree))
    assert os.listdir(tmp_path) == ["beside"]


@pytest.mark.parametrize(
    ("shape", "most", "files", "expected"),
    [
        ("3000 folders in each other", 64 * MEGABYTE, 4096, True),
        ("20 folders with long names", 2 * MEGABYTE, 4096, True),
        ("20 folders with long names", 4 * MEGABYTE, 4096, False),
        ("folders closed to their owner", 3 * MEGABYTE, 4096, True),
        ("folders closed to their owner", 5 * MEGABYTE, 4096, False),
        ("pipes, links, sockets and holes", MEGABYTE, 4096, False),
        ("10,000 entries", 512 * MEGABYTE, 4096, True),
        ("10,000 entries", 512 * MEGABYTE, 10_001, False),
    ],
)
def test_the_watch_on_size_sees_into_every_tree(shape, most, files, expected, tmp_path):
    SHAPES[shape](tmp_path)
    opened = len(os.listdir("/proc/self/fd"))
    assert trees.exceeds(str(tmp_path), most, files) is expected
    assert len(os.listdir("/proc/self/fd")) == opened
    trees.remove(str(tmp_path))


def test_a_removal_ends_in_time_and_says_so(tmp_path):
    many(tmp_path)
    assert not trees.remove(str(tmp_path), seconds=0.0)
    assert trees.remove(str(tmp_path))
    assert trees.remove(str(tmp_path))  # what is not there is gone


def test_what_cannot_be_swept_stops_no_start(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    stale = tmp_path / f"{scratch.PREFIX}stale"
    stale.mkdir()
    deep(stale)
    os.utime(stale, (0, 0))
    monkeypatch.setattr(scratch, "SWEEP_SECONDS", 0.0)
    start = time.monotonic()
    root, lock = scratch.make_root()
    assert time.monotonic() - start < 1
    assert stale.exists()
    monkeypatch.setattr(scratch, "SWEEP_SECONDS", 5.0)
    os.utime(stale, (0, 0))
    again, other = scratch.make_root()
    assert not stale.exists()
    for descriptor in (lock, other):
        assert descriptor is not None
        os.close(descriptor)
    assert os.path.isdir(root)
    assert os.path.isdir(again)
