"""Makes what is made from something else: stubs from solutions, the README's reports from real runs.

Notebooks are made in `author`, with libraries that a learner does not need.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from workbook.author.build.stubs import cut_stub
from workbook.content.catalog import Catalog
from workbook.content.problem import Problem
from workbook.content.reading import read, read_text
from workbook.errors import BrokenWorkbook
from workbook.files.writing import write_whole
from workbook.grading.engine import Engine
from workbook.grading.grading import Grading, Task
from workbook.grading.session import grade
from workbook.report.terminal import render

PROBLEMS = re.compile(r"<!-- problems -->\n.*?<!-- end of problems -->", re.DOTALL)
REPORT = re.compile(r"<!-- report: (\S+) -->\n.*?<!-- end of report -->", re.DOTALL)


@dataclass(frozen=True)
class Built:
    """One file as its sources make it now."""

    path: Path
    text: str

    @property
    def stale(self) -> bool:
        return not self.path.is_file() or self.path.read_bytes() != self.text.encode("utf-8")


def stubs(problem: Problem) -> Iterator[Built]:
    """The pristine stub, and the exercise where no learner has touched it."""
    stub = cut_stub(read(problem, problem.solution), problem.relative(problem.solution))
    if not edited(problem):
        yield Built(problem.exercise, stub)
    yield Built(problem.pristine, stub)


def edited(problem: Problem) -> bool:
    """Whether the exercise file is a learner's work: it is there, and not the stub as it was last built."""
    if not problem.exercise.is_file() or not problem.pristine.is_file():
        return False
    return problem.exercise.read_bytes() != problem.pristine.read_bytes()


def readme(catalog: Catalog, engine: Engine) -> Built:
    """README.md with its list of problems, and with every report in it made anew, from a real grading of the submission
    it names."""
    path = catalog.root / "README.md"

    def report(match: re.Match[str]) -> str:
        file = catalog.root / match[1]
        problem = catalog.by_stem(file.parent.name)
        if problem is None or not file.is_file():
            raise BrokenWorkbook(
                f"README.md shows a report of {match[1]}, which is not a submission in a problem's folder."
            )
        return f"<!-- report: {match[1]} -->\n```\n{_report(engine, problem, file)}\n```\n<!-- end of report -->"

    return Built(path, REPORT.sub(report, with_problems(read_text(path), catalog)))


def with_problems(text: str, catalog: Catalog) -> str:
    """A README with the table of this workbook's problems where it is marked."""
    rows = ["| number | problem | difficulty | after | library |", "| --- | --- | --- | --- | --- |"]
    for problem in catalog.problems:
        after = ", ".join(map(str, problem.prerequisites))
        library = {"torch": "PyTorch", "numpy": "NumPy"}[problem.library]
        rows.append(f"| {problem.number} | {problem.title} | {problem.difficulty} | {after} | {library} |")
    table = "\n".join(["<!-- problems -->", *rows, "<!-- end of problems -->"])
    return PROBLEMS.sub(lambda _: table, text)


def _report(engine: Engine, problem: Problem, file: Path) -> str:
    report = grade(Grading(engine, [Task.at(problem, file)]))
    lines = [line.plain.rstrip() for line in render(report)]
    return "\n".join(lines).strip()


def write(built: Built) -> None:
    write_whole(built.path, built.text)
