"""The next hint: each call gives one more, and remembers how many were given."""

from __future__ import annotations

from collections.abc import Callable

from workbook.content.catalog import Catalog
from workbook.content.hints import hint_text
from workbook.content.problem import Problem
from workbook.workspace import progress


def next_hint(book: Catalog, problem: Problem, warn: Callable[[str], None]) -> tuple[int, str]:
    """Number and text of the next hint, which counts as given from now on; after the last, the last again."""
    reached = progress.load(book.root, warn)
    given = reached.entry(problem.number).hints
    number = min(given + 1, len(problem.hints))
    if number > given:
        try:
            progress.save(book.root, progress.with_hint(reached, problem.number, number))
        except progress.ProgressNotSaved as error:
            warn(str(error))
    return number, hint_text(problem, number)
