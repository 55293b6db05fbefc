"""A problem's whole lesson, made from its sources: the recorded arrays first, then the notebook, which quotes them."""

from __future__ import annotations

from workbook.author.build import arrays, built_files, notebooks
from workbook.content.catalog import Catalog
from workbook.content.problem import Problem
from workbook.files.writing import write_bytes


def make(book: Catalog, problem: Problem) -> None:
    """Write arrays and notebook in place of what is there; nothing where the problem has no lesson.

    Raises BrokenWorkbook where the recipe or the source is wrong.
    """
    if not problem.lesson.is_file():
        return
    if arrays.stale(problem):
        write_bytes(problem.recorded, arrays.file_content(problem))
    built_files.write(notebooks.notebook(book, problem))
