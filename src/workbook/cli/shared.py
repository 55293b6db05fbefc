"""What several commands need: the catalog of the current folder, consoles, and how to name our own command."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from rich.console import Console

from workbook.content import catalog
from workbook.errors import WorkbookError
from workbook.report.terminal import WIDTH
from workbook.text import one_line
from workbook.workspace import progress


def open_catalog(*, may_be_empty: bool = False) -> catalog.Catalog:
    return catalog.load(catalog.find_root(), may_be_empty=may_be_empty)


def warn_of_broken(book: catalog.Catalog) -> None:
    """One line for each problem whose TOML file is wrong and which is therefore left out."""
    for reason in sorted(set(book.broken.values())):
        warn(reason)


def load_progress(root: Path) -> progress.Progress:
    return progress.load(root, warn)


def save_progress(root: Path, reached: progress.Progress) -> None:
    """Save, or say in one line that it could not be: a verdict never depends on it."""
    try:
        progress.save(root, reached)
    except WorkbookError as error:
        warn(str(error))


def warn(message: str) -> None:
    print(one_line(message), file=sys.stderr)


class Plain(Console):
    """A console whose reader may leave: what is left is not printed, and the exit code is what it would have been."""

    def on_broken_pipe(self) -> None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), self.file.fileno())


def console(*, stderr: bool = False) -> Console:
    """Plain output: no markup in what is printed, no cutting at the terminal's width."""
    # The stream as it is now: while pytest runs, what it prints is kept from the screen, but not our progress.
    file = sys.stderr if stderr else sys.stdout
    return Plain(file=file, highlight=False, markup=False, emoji=False, soft_wrap=True)


def width(console: Console) -> int:
    """Columns at which sentences are wrapped: those of a narrow terminal, else as many as read well."""
    return min(WIDTH, console.width) if console.is_terminal else WIDTH


def command() -> str:
    """How the reader can call us from here: `workbook`, or its path where it is not on the PATH."""
    if shutil.which("workbook"):
        return "workbook"
    path = Path(sys.argv[0])
    return os.path.relpath(path) if path.name.startswith("workbook") and path.exists() else "workbook"
