"""A pack: one problem's files, laid out as in a workbook."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from workbook.content import layout
from workbook.content.catalog import STEM, Catalog
from workbook.content.problem import Problem
from workbook.content.reading import parse_toml
from workbook.errors import UsageError
from workbook.files.archive import Archive, write_zip

# Beside the problem's files: what its prerequisites are called, since their numbers may differ elsewhere.
NOTE = "pack.toml"
STEM_IN_NAME = re.compile(r"(?:^|/)(?:test_)?(p\d{2}_[a-z][a-z0-9_]*)(?=[./])")


@dataclass(frozen=True)
class Pack:
    """One problem's sources by relative path, and the names of its prerequisites by the numbers it uses for them."""

    stem: str
    files: Mapping[str, bytes]
    prerequisites: Mapping[int, str] = field(default_factory=dict)

    @property
    def number(self) -> int:
        return int(self.stem[1:3])

    @property
    def slug(self) -> str:
        return self.stem[4:]

    @property
    def settings(self) -> str:
        return layout.path_of("settings", self.stem)


def read_pack(path: Path) -> Pack:
    """The pack in a folder (a git checkout too) or zip. Raises UsageError with one line for whatever is wrong with it.

    Files at its top that are no part of a workbook, such as a README, are left out, and so are built files.
    """
    archive = Archive(path)
    stem = _stem(archive)
    known, folders, built = layout.sources(stem), layout.folders(stem), layout.built(stem)
    files, prerequisites = {}, {}
    for name in archive.names:
        other = STEM_IN_NAME.search(name)
        if name in known or name.startswith(folders):
            files[name] = archive.read(name)
        elif name == NOTE:
            prerequisites = _prerequisites(archive)
        elif other and other[1] != stem:
            raise archive.fault(f"{name} is of another problem than {stem}", "make a pack for each")
        elif name.partition("/")[0] in layout.TOP_FOLDERS and name not in built:
            raise archive.fault(f"{name} belongs to no problem", "rename it after the problem, or leave it out")
    missing = [name for name in layout.needed(stem) if name not in files]
    if missing:
        raise archive.fault(f"{', '.join(missing)} is missing", "a pack has " + ", ".join(layout.needed("{stem}")))
    return Pack(stem, files, prerequisites)


def problem_pack(book: Catalog, problem: Problem) -> Pack:
    """A problem of this workbook as a pack."""
    files = {}
    for name in layout.sources(problem.stem):
        path = book.root / name
        if path.is_file():
            files[name] = path.read_bytes()
    for folder in layout.folders(problem.stem):
        for path in sorted((book.root / folder).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                files[path.relative_to(book.root).as_posix()] = path.read_bytes()
    numbers = {other.number: other.slug for other in book.problems}
    return Pack(problem.stem, files, {number: numbers[number] for number in problem.prerequisites if number in numbers})


def write_pack(pack: Pack, out: Path) -> None:
    """Write a folder, or a zip where the name ends so, in one step. One that is there already must hold the same.

    Raises UsageError where something else is there or it cannot be written.
    """
    if out.exists() or out.is_symlink():
        if read_pack(out) != pack:
            raise UsageError(f"{out} exists already and is another pack: move it away, or give another --out.")
        return
    files = dict(pack.files)
    if pack.prerequisites:
        lines = [f'{number} = "{slug}"\n' for number, slug in sorted(pack.prerequisites.items())]
        files[NOTE] = "".join(["[prerequisites]\n", *lines]).encode()
    partial = out.with_name(f".{out.name}.partial")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        _remove(partial)  # of an earlier attempt that was killed
        if out.suffix == ".zip":
            write_zip(partial, files)
        else:
            for name, content in files.items():
                (partial / name).parent.mkdir(parents=True, exist_ok=True)
                (partial / name).write_bytes(content)
        os.rename(partial, out)
    except BaseException as error:
        _remove(partial)
        if isinstance(error, OSError):
            raise UsageError(f"{out} cannot be written ({error.strerror}): nothing was changed.") from None
        raise


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _stem(archive: Archive) -> str:
    found = [(name, stem) for name in archive.names if (stem := layout.stem_in("settings", name))]
    if not found:
        raise archive.fault("it is no pack", "a pack has exercises/p50_name.toml and the other files of that problem")
    if len(found) > 1:
        raise archive.fault(
            f"it holds several problems ({', '.join(name for name, _ in found)})", "make a pack for each"
        )
    ((settings, stem),) = found
    match = STEM.fullmatch(stem)
    if match is None or match[1] == "00":
        raise archive.fault(f"{settings} is no name for a problem", "name it like p50_moving_average.toml")
    try:
        parse_toml(archive.read(settings))
    except ValueError as error:
        raise archive.fault(f"{settings} is not valid TOML ({error})") from None
    return stem


def _prerequisites(archive: Archive) -> dict[int, str]:
    try:
        data = parse_toml(archive.read(NOTE))
    except ValueError as error:
        raise archive.fault(f"{NOTE} cannot be understood ({error})") from None
    try:
        return {int(number): slug.strip() for number, slug in data["prerequisites"].items()}
    except (KeyError, ValueError, AttributeError):
        advice = 'it has lines such as 1 = "sequential_scan" under [prerequisites]'
        raise archive.fault(f"{NOTE} cannot be understood", advice) from None
