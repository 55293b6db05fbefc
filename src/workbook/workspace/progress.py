"""What a learner has reached, kept in .workbook/progress.json: readable, versioned, written whole or not at all."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

from workbook.errors import UsageError, WorkbookError
from workbook.files.writing import write_whole
from workbook.results import Report, Verdict
from workbook.transaction import Step, backup_path, digest

VERSION = 1
VERDICTS = get_args(Verdict)


class ProgressNotSaved(WorkbookError):
    """The progress file cannot be written. The verdict stands all the same."""


@dataclass(frozen=True)
class Entry:
    """The last grading of one problem, and the hints given so far."""

    verdict: str = "not_started"
    score: float = 0
    max_score: float = 0
    sha256: str = ""
    graded: str = ""  # UTC, ISO 8601
    hints: int = 0


@dataclass(frozen=True)
class Progress:
    """Entries by problem number."""

    entries: dict[int, Entry] = field(default_factory=dict)

    def entry(self, number: int) -> Entry:
        return self.entries.get(number, Entry())

    def with_entry(self, number: int, entry: Entry) -> Progress:
        return Progress({**self.entries, number: entry})


def path_of(root: Path) -> Path:
    return root / ".workbook" / "progress.json"


def load(root: Path, warn: Callable[[str], None]) -> Progress:
    """The saved progress, or an empty one. A damaged file is set aside under another name, and said so."""
    path = path_of(root)
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return Progress()
    except (OSError, UnicodeDecodeError) as error:
        return _set_aside(path, str(error), warn)
    try:
        return _parse(json.loads(text))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        return _set_aside(path, str(error), warn)


def with_report(progress: Progress, report: Report) -> Progress:
    """Progress after a grading. What was not graded, through no fault of the learner, keeps its old entry."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    for problem in report.problems:
        if problem.verdict == "ungraded":
            continue
        entry = Entry(
            problem.verdict,
            problem.score or 0,
            problem.max_score,
            problem.sha256,
            now,
            progress.entry(problem.number).hints,
        )
        progress = progress.with_entry(problem.number, entry)
    return progress


def with_hint(progress: Progress, number: int, hints: int) -> Progress:
    return progress.with_entry(number, replace(progress.entry(number), hints=hints))


def merge(one: Progress, other: Progress) -> Progress:
    """Of each problem the newer verdict, and the most hints given. Merging either way gives the same.

    A stub that was graded is no verdict against work done elsewhere: `not_started` gives way to any other.
    """
    entries = {}
    for number in sorted({*one.entries, *other.entries}):
        pair = [one.entry(number), other.entry(number)]
        # The time decides; the rest only makes the choice the same both ways where times are equal.
        newest = max(pair, key=_rank)
        entries[number] = replace(newest, hints=max(entry.hints for entry in pair))
    return Progress(entries)


def _rank(entry: Entry) -> tuple[bool, str, float, str, str, float]:
    started = entry.verdict != "not_started"
    return started, entry.graded, entry.score, entry.verdict, entry.sha256, entry.max_score


def read_other(path: Path) -> Progress:
    """Another copy's progress file. Raises UsageError; the file is left as it is."""
    try:
        return _parse(json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from None
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise UsageError(f"{path} is no progress file ({error}): nothing was merged.") from None


def as_text(progress: Progress) -> str:
    """The content of the progress file."""
    data = {
        "version": VERSION,
        "problems": {str(number): asdict(entry) for number, entry in sorted(progress.entries.items())},
    }
    return json.dumps(data, indent=2) + "\n"


def forgotten(root: Path, numbers: Collection[int]) -> list[Step]:
    """The steps that take the entries of these problems out of the progress file and keep a copy of it as it was.

    None where there is no such entry, or no progress file that can be read. Raises OSError.
    """
    path = path_of(root)
    before = digest(path)
    try:
        content = path.read_bytes() if before else b""
        reached = _parse(json.loads(content))
    except (ValueError, TypeError, KeyError, AttributeError):
        return []
    left = {number: entry for number, entry in reached.entries.items() if number not in numbers}
    if left == reached.entries:
        return []
    name = path.relative_to(root).as_posix()
    return [Step(backup_path(name), content, ""), Step(name, as_text(Progress(left)).encode(), before)]


def save(root: Path, progress: Progress) -> None:
    """Write the file in one step. Raises ProgressNotSaved."""
    path = path_of(root)
    try:
        write_whole(path, as_text(progress))
    except OSError as error:
        raise ProgressNotSaved(
            f"Progress was not saved ({path}: {error.strerror}); no verdict depends on it."
        ) from None


def _parse(data: Any) -> Progress:
    if type(data) is not dict or type(data.get("problems")) is not dict or "version" not in data:
        raise ValueError("it has no version and problems")
    if data["version"] != VERSION:
        raise ValueError(f"version {data['version']}, expected {VERSION}")
    kinds = {name: type(value) for name, value in asdict(Entry()).items()}
    entries = {}
    for number, item in data["problems"].items():
        for name, value in item.items():
            if type(value) is not kinds[name] and not (kinds[name] is int and type(value) is float):
                raise ValueError(f"problem {number}: {name} is {value!r}")
        entry = Entry(**item)
        if entry.verdict not in VERDICTS or not 0 <= entry.score <= entry.max_score or entry.hints < 0:
            raise ValueError(f"problem {number}: a verdict, score or count of hints that cannot be")
        if entry.graded:
            datetime.fromisoformat(entry.graded)
        entries[int(number)] = entry
    return Progress(entries)


def _set_aside(path: Path, reason: str, warn: Callable[[str], None]) -> Progress:
    aside = path.with_name("progress.damaged.json")
    if aside.exists():
        aside = path.with_name(f"progress.damaged-{datetime.now(UTC):%Y-%m-%d-%H%M%S-%f}.json")
    try:
        os.replace(path, aside)
        warn(f"The progress file was damaged ({reason}): it is now {aside.name}, and grading rebuilds it.")
    except OSError:
        warn(f"The progress file cannot be read ({reason}): starting without it.")
    return Progress()
