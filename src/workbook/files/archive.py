"""Folders and zips that are handed on: written alike each time, read without trusting names, sizes or links."""

from __future__ import annotations

import os
import stat
import zipfile
import zlib
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from workbook.content.layout import TOP_FOLDERS, folder_of
from workbook.errors import UsageError

MOST_FILES = 10_000
MOST_BYTES = 256 * 2**20
# What version control, Python, file managers and our own runs leave in a folder.
IGNORED = frozenset(
    {".git", ".venv", ".workbook", "__pycache__", ".DS_Store", "__MACOSX"}
    | {".pytest_cache", ".mypy_cache", ".ruff_cache", ".ipynb_checkpoints"}
)
WORKBOOKS_OWN = frozenset(
    {*TOP_FOLDERS, folder_of("key"), "tests", "docs", "src"}
)  # never taken for the one around all


class Archive:
    """The files of a folder or zip, by relative names with "/". Of a single folder around all of them nothing is seen.

    Raises UsageError, here and in `read`, with one line that begins with the path as it was given.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._left = MOST_BYTES
        self._zip: zipfile.ZipFile | None = None
        if path.is_dir():
            found = list(_walk(self, path))
        elif path.is_file():
            found = self._open_zip()
        else:
            raise UsageError(f"{path} does not exist: give a folder or a zip.")
        self._prefix = _single_folder(found)
        self.names = tuple(sorted(name.removeprefix(self._prefix) for name in found))

    def read(self, name: str) -> bytes:
        """One file's content."""
        whole = self._prefix + name
        try:
            content = self._read_zip(whole) if self._zip else self._read_file(whole)
        except (OSError, zipfile.BadZipFile, RuntimeError, zlib.error, EOFError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise self.fault(f"{name} cannot be read ({reason})") from None
        self._left -= len(content)
        if self._left < 0:
            raise self._too_large()
        return content

    def fault(self, reason: str, advice: str = "nothing was changed") -> UsageError:
        return UsageError(f"{self.path}: {reason}: {advice}.")

    def check_name(self, name: str) -> None:
        """Refuse a name that leads out of the folder, or that another system reads otherwise."""
        parts = name.split("/")
        if any(part in ("", ".", "..") for part in parts) or "\\" in name or ":" in name or not name.isprintable():
            raise self.fault(f"it has a file named {name!r}, which leads out of it or cannot be written everywhere")

    def _too_large(self) -> UsageError:
        return self.fault(f"it holds more than {MOST_BYTES // 2**20} MB or {MOST_FILES} files")

    def _read_file(self, name: str) -> bytes:
        # Without following a link that was put there since the walk.
        descriptor = os.open(self.path / name, os.O_RDONLY | os.O_NOFOLLOW)
        with os.fdopen(descriptor, "rb") as file:
            return file.read(self._left + 1)

    def _read_zip(self, name: str) -> bytes:
        assert self._zip is not None
        with self._zip.open(name) as file:
            return file.read(self._left + 1)

    def _open_zip(self) -> list[str]:
        try:
            if self.path.stat().st_size > MOST_BYTES:
                raise self._too_large()
            self._zip = zipfile.ZipFile(self.path)
        except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError):
            raise self.fault("it is neither a folder nor a zip that can be read") from None
        members = [member for member in self._zip.infolist() if not member.is_dir()]
        if len(members) > MOST_FILES or sum(member.file_size for member in members) > MOST_BYTES:
            raise self._too_large()
        names = []
        for member in members:
            if _is_ignored(member.filename.split("/")):
                continue
            # zipfile replaces what the system cannot have in a name; the name as it was written is what counts.
            self.check_name(member.orig_filename)
            if stat.S_ISLNK(member.external_attr >> 16):
                raise self.fault(f"{member.filename} is a link: put the file itself there")
            if member.filename in names:
                raise self.fault(f"{member.filename} is in it twice")
            names.append(member.filename)
        return names


def write_zip(path: Path, files: Mapping[str, bytes]) -> None:
    """A zip whose bytes follow from its files: no times, a fixed order. Raises OSError."""
    with zipfile.ZipFile(path, "w") as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, files[name], compresslevel=9)


def _walk(archive: Archive, folder: Path) -> Iterator[str]:
    """The files below a folder. Links and special files are refused, wherever they point."""
    todo, count = [""], 0
    while todo:
        prefix = todo.pop()
        try:
            entries = list(os.scandir(folder / prefix))
        except OSError as error:
            raise archive.fault(f"{prefix or 'the folder'} cannot be read ({error.strerror})") from None
        for entry in entries:
            if entry.name in IGNORED:
                continue
            name = prefix + entry.name
            count += 1
            if count > MOST_FILES:
                raise archive._too_large()
            if entry.is_dir(follow_symlinks=False):
                todo.append(f"{name}/")
            elif entry.is_file(follow_symlinks=False):
                archive.check_name(name)
                yield name
            else:
                kind = "a link" if entry.is_symlink() else "no ordinary file"
                raise archive.fault(f"{name} is {kind}: put the file itself there")


def _single_folder(names: Collection[str]) -> str:
    """The one folder that holds all files, as in a zip made by a website, with its slash; "" where there is none."""
    tops = {name.partition("/")[0] for name in names}
    top = tops.pop() if len(tops) == 1 else ""
    return f"{top}/" if top and top not in WORKBOOKS_OWN and all("/" in name for name in names) else ""


def _is_ignored(parts: Collection[str]) -> bool:
    return not IGNORED.isdisjoint(parts)
