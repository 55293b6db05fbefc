"""Grade a file in this process, with a warm engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from workbook.content.problem import Problem
from workbook.grading.engine import Engine
from workbook.grading.grading import Grading, Task
from workbook.grading.session import grade
from workbook.results import ProblemResult


def result_of(engine: Engine, problem: Problem, path: Path | None = None, **options: Any) -> ProblemResult:
    """The result of a problem's exercise file, or of the file or folder `path`; `options` are those of a Grading."""
    return grade(Grading(engine, [Task.at(problem, path)], **options)).problems[0]
