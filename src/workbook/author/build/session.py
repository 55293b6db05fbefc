"""A session of `workbook watch` as text, from a real run in a terminal: the README shows it."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbook.author.copy import learners_copy
from workbook.content.catalog import Catalog
from workbook.content.problem import Problem
from workbook.errors import BrokenWorkbook

MARK = re.compile(r"<!-- recording: (\S+) -->\n.*?<!-- end of recording -->", re.DOTALL)
CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r")
SIZE = (60, 100)
SECONDS = 120


@dataclass(frozen=True)
class Scene:
    """What the person does, the keys or the file it takes, and what is on the screen when it has been answered."""

    says: str
    key: str = ""
    save: Path | None = None
    until: str = ""


def recorded(book: Catalog, text: str) -> str:
    """A README with every recording in it made anew. The mark names a wrong submission to begin with."""

    def record(match: re.Match[str]) -> str:
        wrong = book.root / match[1]
        problem = book.by_stem(wrong.parent.name)
        if problem is None or not wrong.is_file():
            raise BrokenWorkbook(f"README.md records a session that begins with {match[1]}, which is no submission.")
        return f"<!-- recording: {match[1]} -->\n```\n{session(book, problem, wrong)}\n```\n<!-- end of recording -->"

    return MARK.sub(record, text)


def session(book: Catalog, problem: Problem, wrong: Path) -> str:
    """A wrong answer and its named mistake, a hint, the right answer, the next exercise."""
    following = book.problems[book.problems.index(problem) + 1]
    scenes = [
        Scene("You save a wrong answer:", save=wrong, until="not passed yet"),
        Scene("You press h:", key="h", until="Hint 1 of"),
        Scene("You save a right answer:", save=problem.solution, until="Passed:"),
        Scene("You press n:", key="n", until=f"Problem {following.number}"),
    ]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        learners_copy(book, folder)
        return _play(folder, problem, scenes)


def _play(folder: Path, problem: Problem, scenes: list[Scene]) -> str:
    try:
        import pexpect
    except ImportError:
        raise BrokenWorkbook("The README's recording needs pexpect: run `make build`, which installs it.") from None
    child = pexpect.spawn(
        sys.executable,
        ["-m", "workbook", "watch", str(problem.number)],
        cwd=str(folder),
        dimensions=SIZE,
        encoding="utf-8",
        timeout=SECONDS,
        env={**os.environ, "TERM": "xterm", "NO_COLOR": "1"},
    )
    shown = ["$ workbook watch", _screen(child, "not started")]
    try:
        for scene in scenes:
            if scene.save is not None:
                shutil.copy(scene.save, folder / problem.relative(problem.exercise))
            else:
                child.send(scene.key)
            shown += [f"~~ {scene.says}", _screen(child, scene.until)]
        child.send("q")
        child.expect(pexpect.EOF)
    except (pexpect.TIMEOUT, pexpect.EOF):
        raise BrokenWorkbook(
            "The session for the README did not go as planned: try `workbook watch` by hand."
        ) from None
    finally:
        child.close(force=True)
    return "\n\n".join(shown)


def _screen(child: Any, until: str) -> str:
    """What stands on the screen once `until` and the keys below it are there."""
    child.expect(until)
    text = child.before + child.after
    child.expect("q quit")
    text += child.before + child.after
    # Each screen begins by clearing the one before.
    return CODES.sub("", text.rpartition("\x1b[2J")[2]).strip()
