"""What `watch` shows: the report, then a progress bar, the current exercise and the keys."""

from __future__ import annotations

import difflib
import os
import shutil
import sys
import time
from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from workbook.content.problem import Problem
from workbook.text import clean, wrap

NARROWEST = 40
WIDEST = 100
KEYS = {
    "n": "next",
    "p": "previous",
    "h": "hint",
    "s": "solution",
    "r": "run",
    "d": "difference",
    "x": "reset",
    "l": "list",
    "?": "help",
    "q": "quit",
}
HELP = """Save the exercise in your editor, and it is graded again.
n  the next exercise, once this one has passed
p  the exercise before
h  the next hint
s  the solution, to compare with yours, once this one has passed
r  run it again now
d  what you have changed in the stub
x  put the stub back (asks first, and keeps your file)
l  the list of exercises
?  these lines
q  quit"""


class Screen:
    """Writes to the terminal; plain text, without clearing, where the output is no terminal or a dumb one."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.live = console.is_terminal and os.environ.get("TERM") != "dumb"
        self.started = time.monotonic()

    def begin(self) -> None:
        """A grading begins: what is being checked is shown with the time since now."""
        self.started = time.monotonic()

    @property
    def width(self) -> int:
        return max(NARROWEST, min(WIDEST, shutil.get_terminal_size().columns))

    def clear(self) -> None:
        """Start afresh at the top; the scrollback stays."""
        if self.live:
            self.console.file.write("\x1b[2J\x1b[H")
            self.console.file.flush()

    def lines(self, lines: Iterable[Text | str]) -> None:
        for line in lines:
            self.console.print(line)
        self.console.file.flush()

    def say(self, text: str) -> None:
        self.lines(wrap(text, self.width).splitlines())

    def busy(self, problem: Problem, title: str) -> None:
        """What is being checked, on one line that the report replaces."""
        if self.live:
            line = f"{time.monotonic() - self.started:3.0f} s  Problem {problem.number}: {title} …"[: self.width - 1]
            self.console.file.write(f"\r\x1b[K{line}")
            self.console.file.flush()

    def done(self) -> None:
        if self.live:
            self.console.file.write("\r\x1b[K")

    def footer(self, passed: int, total: int, path: str, keys: list[str], note: str = "") -> None:
        """Progress bar, the exercise's path, the keys that do something now."""
        room = max(10, min(40, self.width - 24))
        full = room * passed // total if total else room
        bar = "#" * full + "-" * (room - full)
        self.say(f"[{bar}] {passed} of {total} passed")
        self.say(f"Exercise: {path}")
        if note:
            self.say(note)
        if keys:
            self.say("Keys: " + "  ".join(f"{key} {KEYS[key]}" for key in keys))


def difference(pristine: str, mine: str) -> list[Text]:
    """The learner's changes to the stub, line by line, escaped."""
    colours = {"+": "green", "-": "red", "@": "cyan"}
    found = difflib.unified_diff(pristine.splitlines(), mine.splitlines(), "stub", "yours", lineterm="", n=2)
    return [Text(clean(line, limit=400), colours.get(line[:1], "")) for line in found]


def is_interactive() -> bool:
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
