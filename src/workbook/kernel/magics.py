"""The magics of a notebook: %%solve N, %grade N, %hint N."""

from __future__ import annotations

import atexit
import re
from typing import Any

from workbook.content import catalog
from workbook.content.problem import Problem
from workbook.errors import UsageError
from workbook.kernel.client import KernelGrader
from workbook.kernel.solving import solve
from workbook.report.html import sentence
from workbook.text import clean
from workbook.workspace import hints


def register(shell: Any) -> None:
    """Add the magics to an IPython shell. They share one grader, which ends with the kernel."""
    magics = Magics(KernelGrader())
    atexit.register(magics.grader.close)
    shell.register_magic_function(magics.solve, "cell", "solve")
    shell.register_magic_function(magics.grade, "line", "grade")
    shell.register_magic_function(magics.hint, "line", "hint")


class Magics:
    """Each takes the problem's number. The workbook is the one that the current folder lies in."""

    def __init__(self, grader: KernelGrader) -> None:
        self.grader = grader

    def solve(self, line: str, cell: str) -> None:
        """%%solve N: put the cell's definitions into the exercise file of problem N, and grade it."""
        book, problem = find(line, "%%solve")
        done = solve(problem, cell)
        for note in done.notes:
            tell(note)
        self._grade(book, problem)

    def grade(self, line: str) -> None:
        """%grade N: grade the exercise file of problem N as it stands."""
        self._grade(*find(line, "%grade"))

    def hint(self, line: str) -> None:
        """%hint N: the next hint of problem N."""
        book, problem = find(line, "%hint")
        number, text = hints.next_hint(book, problem, tell)
        tell(f"Hint {number} of {len(problem.hints)}, problem {problem.number}: {text}")

    def _grade(self, book: catalog.Catalog, problem: Problem) -> None:
        outcome = self.grader.grade(book.root, problem.number)
        for note in outcome.notes:
            tell(note)
        show(outcome.html, outcome.text)


def find(line: str, magic: str) -> tuple[catalog.Catalog, Problem]:
    """The workbook that the current folder lies in, and the problem that the text behind a magic names."""
    if not re.fullmatch(r"\d+", line.strip()):
        raise UsageError(f"{magic} takes the number of one problem, as in `{magic} 1`.")
    book = catalog.load(catalog.find_root())
    return book, book.problem(int(line))


def tell(text: str) -> None:
    """Show one sentence."""
    show(sentence(text), clean(text))


def show(html: str, text: str) -> None:
    from IPython.display import display

    display({"text/html": html, "text/plain": text}, raw=True)
