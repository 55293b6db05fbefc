"""Brings a newer release into a learner's copy: new problems, mended checks and engine; what the learner wrote stays."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workbook import transaction
from workbook.content import layout
from workbook.content.catalog import STEM
from workbook.content.layout import RELEASE_FILE, RELEASE_VERSION
from workbook.errors import UsageError
from workbook.files.archive import Archive
from workbook.transaction import Step, backup_path, digest
from workbook.workspace import progress

DIGEST = re.compile(r"[0-9a-f]{64}")
# Not a release's to write: the learner's records and installation.
FOREIGN = (".workbook", ".venv", ".git")


class UnknownVersion(ValueError):
    """A release.json that another engine wrote."""


@dataclass(frozen=True)
class Release:
    """What a release.json says: the workbook's title, when it was made (UTC, ISO 8601, "" where it does not say), every
    file with its digest, the stems of the problems."""

    title: str
    made: str
    files: Mapping[str, str]
    problems: frozenset[str]


@dataclass
class Update:
    """What an update is going to do."""

    title: str
    steps: list[Step] = field(default_factory=list)
    put: list[str] = field(default_factory=list)  # files that are new or replaced
    kept: list[str] = field(default_factory=list)  # a learner's files that are not what this release has
    beside: dict[str, str] = field(default_factory=dict)  # a learner's notebook -> where the new one is
    backups: dict[str, str] = field(default_factory=dict)  # an edited file that is replaced -> its copy
    new: list[str] = field(default_factory=list)  # stems
    gone: list[str] = field(default_factory=list)  # stems
    changed: list[str] = field(default_factory=list)  # stems of problems whose checks, key or settings changed


def plan(root: Path, path: Path, *, older: bool = False) -> Update:
    """What has to be done to bring the release at `path` (a folder or zip) into the copy at `root`.

    Raises UsageError where `root` is no released copy, or `path` no release of this workbook, damaged, of another
    version, or, without `older`, made before the copy's own.
    """
    if not (root / RELEASE_FILE).is_file():
        raise UsageError(
            "This is the full workbook, which gets its problems by `workbook add`: `workbook update` is for learners' copies."
        )
    if path.is_dir() and path.resolve() == root.resolve():
        raise UsageError(f"{path} is this copy itself: give the folder or zip of a newer release.")
    try:
        old = _parse(json.loads((root / RELEASE_FILE).read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        raise UsageError(f"{RELEASE_FILE} of this copy cannot be read ({error}): get a fresh copy.") from None
    archive = Archive(path)
    listing, new, contents = _read(archive)
    if new.title != old.title:
        raise archive.fault(f"it is a release of “{new.title}”, and this copy is of “{old.title}”")
    if new.made < old.made and not older:
        raise archive.fault(
            f"it was made {new.made}, before this copy's release ({old.made})", "use --older to go back"
        )
    try:
        return _plan(root, old, new, {**contents, RELEASE_FILE: listing})
    except OSError as error:
        raise UsageError(f"This copy cannot be read ({error}): nothing was changed.") from None


def carry_out(root: Path, update: Update) -> None:
    """Do it, all or nothing. Raises UsageError where that is not possible."""
    try:
        transaction.change(root, "update", update.steps)
    except OSError as error:
        raise UsageError(f"The update failed ({error.strerror or error}): everything is as it was.") from None


def _plan(root: Path, old: Release, new: Release, contents: Mapping[str, bytes]) -> Update:
    update = Update(new.title)
    for name in sorted({*old.files, *new.files}):
        before = digest(root / name)
        if name in new.files:
            _replace(update, root, name, before, old.files.get(name, ""), contents[name])
        elif before == old.files[name]:
            update.steps.append(Step(name, None, before))
        elif before and layout.is_learners(name):
            update.kept.append(name)
        elif before:
            _back_up(update, root, name)
            update.steps.append(Step(name, None, before))
    update.new = sorted(new.problems - old.problems)
    update.gone = sorted(old.problems - new.problems)
    for stem in sorted(new.problems & old.problems):
        parts = (*layout.keyed(stem), layout.path_of("key", stem))
        if any(old.files.get(part) != new.files.get(part) for part in parts):
            update.changed.append(stem)
    numbers = {stem[:3] for stem in new.problems}
    reused = [int(stem[1:3]) for stem in update.gone if stem[:3] in numbers]
    for step in progress.forgotten(root, reused):  # what was reached there was reached in another problem
        update.steps.append(step)
        if not step.before:
            update.backups[progress.path_of(root).relative_to(root).as_posix()] = step.path
    # Last: with it the copy counts as updated.
    before = digest(root / RELEASE_FILE)
    if before != hashlib.sha256(contents[RELEASE_FILE]).hexdigest():
        update.steps.append(Step(RELEASE_FILE, contents[RELEASE_FILE], before))
    return update


def _replace(update: Update, root: Path, name: str, before: str, released: str, content: bytes) -> None:
    """One file of the new release.

    Args:
        before: digest of the file in the copy, "" where there is none.
        released: digest of it in the release that the copy was made from, "" where that did not have it.
    """
    after = hashlib.sha256(content).hexdigest()
    if before == after:
        return
    if before and before != released:
        if layout.is_learners(name):
            if after != released:
                update.kept.append(name)
                if name.endswith(".ipynb"):
                    _put_beside(update, root, name, content)
            return
        _back_up(update, root, name)
    update.put.append(name)
    update.steps.append(Step(name, content, before))


def _put_beside(update: Update, root: Path, name: str, content: bytes) -> None:
    beside = name.removesuffix(".ipynb") + ".new.ipynb"
    before = digest(root / beside)
    if before != hashlib.sha256(content).hexdigest():
        if before:
            _back_up(update, root, beside)
        update.steps.append(Step(beside, content, before))
    update.beside[name] = beside


def _back_up(update: Update, root: Path, name: str) -> None:
    kept = backup_path(name)
    update.backups[name] = kept
    update.steps.append(Step(kept, (root / name).read_bytes(), ""))


def _read(archive: Archive) -> tuple[bytes, Release, dict[str, bytes]]:
    """The release in an archive, whole: its list, what that says, and every file."""
    if RELEASE_FILE not in archive.names:
        raise archive.fault(
            f"it is no release, which has a {RELEASE_FILE}", "give the folder or zip that `workbook release` made"
        )
    listing = archive.read(RELEASE_FILE)
    try:
        release = _parse(json.loads(listing))
    except UnknownVersion as error:
        advice = "unpack it beside this copy and take your exercises and .workbook there"
        raise archive.fault(f"it is of {error}", advice) from None
    except ValueError as error:
        raise archive.fault(f"its {RELEASE_FILE} cannot be used ({error})", "get the release again") from None
    contents = {}
    for name, wanted in release.files.items():
        archive.check_name(name)
        if name == RELEASE_FILE or name.partition("/")[0] in FOREIGN:
            raise archive.fault(f"its {RELEASE_FILE} names {name}, which is no file of a release")
        if name not in archive.names:
            raise archive.fault(f"it is damaged, {name} is missing", "get the release again")
        contents[name] = archive.read(name)
        if hashlib.sha256(contents[name]).hexdigest() != wanted:
            raise archive.fault(
                f"it is damaged or was worked in, {name} is not as it was released", "get the release again"
            )
    return listing, release, contents


def _parse(data: Any) -> Release:
    """Raises ValueError."""
    if type(data) is not dict or "version" not in data:
        raise ValueError("it has no version")
    if data["version"] != RELEASE_VERSION:
        raise UnknownVersion(f"version {data['version']}, and this copy knows {RELEASE_VERSION}")
    files, problems = data.get("files"), data.get("problems")
    title, made = data.get("workbook"), data.get("made", "")
    if type(files) is not dict or type(problems) is not dict or type(title) is not str or type(made) is not str:
        raise ValueError("it has no workbook, files and problems")
    for name, value in files.items():
        if type(value) is not str or not DIGEST.fullmatch(value):
            raise ValueError(f"{name} has no digest")
    for stem in problems:
        if not STEM.fullmatch(stem):
            raise ValueError(f"{stem} is no name for a problem")
    return Release(title, made, files, frozenset(problems))


def lines(update: Update, titles: Mapping[str, str], command: str) -> Iterator[str]:
    """What was done, in plain lines.

    Args:
        titles: titles of problems by stem, as far as they are known.
        command: how the reader calls us.
    """
    if not update.steps:
        yield f"Nothing to do: this copy of “{update.title}” is up to date."
        return
    yield f"This copy of “{update.title}” is updated."

    def named(stem: str) -> str:
        return f"problem {int(stem[1:3])}" + (f" · {titles[stem]}" if stem in titles else "")

    for stem in update.new:
        yield f"  new      {named(stem)}: {layout.path_of('exercise', stem)}"
    for stem in update.changed:
        yield f"  mended   the checks of {named(stem)}"
    for stem in update.gone:
        exercise = layout.path_of("exercise", stem)
        yield f"  removed  {named(stem)}" + (f"; your {exercise} stays" if exercise in update.kept else "")
    engine = sum(name.startswith("src/") for name in update.put)
    if engine:
        yield f"  engine   {engine} file{'s' if engine > 1 else ''}: start `{command} watch` and notebooks again"
    gone = tuple(layout.path_of("exercise", stem) for stem in update.gone)
    for name in update.kept:
        stem = name.rpartition("/")[2].partition(".")[0]
        if name in update.beside:
            yield f"  kept     {name}, which you edited; the new one is {update.beside[name]}"
        elif name in gone:
            continue
        elif name.endswith(".py"):
            yield f"  kept     {name}, which you edited; `{command} reset {int(stem[1:3])}` brings the new stub"
        else:
            yield f"  kept     {name}, which you edited"
    for name, kept in update.backups.items():
        yield f"  backup   {name} as it was: {kept}"
    if {"pyproject.toml", "constraints.txt"} & set(update.put):
        yield "Run `make grade` once, which installs what this release needs."
