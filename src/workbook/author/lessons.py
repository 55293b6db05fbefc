"""A problem's whole lesson, made from its sources: the recorded arrays first, then the notebook, which quotes them."""

from __future__ import annotations

from workbook import building
from workbook.author import lesson_arrays, notebooks
from workbook.catalog import Catalog
from workbook.model import Problem
from workbook.progress import write_bytes


def make(book: Catalog, problem: Problem) -> None:
    """Write arrays and notebook in place of what is there; nothing where the problem has no lesson.

    Raises BrokenWorkbook where the recipe or the source is wrong.
    """
    if not problem.lesson.is_file():
        return
    if lesson_arrays.stale(problem):
        write_bytes(problem.recorded, lesson_arrays.record(problem))
    building.write(notebooks.notebook(book, problem))
