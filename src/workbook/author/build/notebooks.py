"""Builds notebooks/<stem>.ipynb from notebooks/<stem>.md: the same bytes for the same sources."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from workbook.author.build.built_files import Built
from workbook.author.build.placeholders import SOLVE, Sources, Unfillable, fill, solve_cell
from workbook.content import catalog
from workbook.content.problem import Problem
from workbook.content.reading import read
from workbook.content.signatures import problem_interface
from workbook.errors import BrokenWorkbook
from workbook.lesson import recorded
from workbook.notebook.files import built_digest, edited, source_of

METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
MINOR = 5  # of nbformat 4: the first with ids of cells
KEPT_METADATA = ("jupyter", "tags")
MACHINE_PATH = re.compile(r"(?:/(?:home|Users|root|tmp|private)/|\b[A-Z]:\\)\w*")


def notebook(book: catalog.Catalog, problem: Problem) -> Built:
    """The notebook as its source makes it now. Raises BrokenWorkbook, which names the source and the line."""
    import jupytext
    import nbformat

    where = problem.relative(problem.lesson)
    if not problem.lesson.is_file():
        raise BrokenWorkbook(f"{where} is missing: write the lesson.")
    text = read(problem, problem.lesson)
    sources = Sources(
        book,
        problem,
        read(problem, problem.pristine),
        problem_interface(problem),
        recorded.read(problem.recorded) if problem.recipe.is_file() or problem.recorded.is_file() else {},
    )
    try:
        cells = [cell for each in jupytext.reads(text, fmt="md").cells for cell in _cells(each, sources)]
    except Unfillable as error:
        raise BrokenWorkbook(f"{where}{_line(text, str(error))}: {error}") from None
    seen: Counter[str] = Counter()
    for cell in cells:
        digest = hashlib.sha256(f"{cell['cell_type']}\n{cell['source']}".encode()).hexdigest()[:12]
        seen[digest] += 1
        cell["id"] = digest if seen[digest] == 1 else f"{digest}-{seen[digest]}"
    metadata = {**METADATA, "workbook": {"problem": problem.number, "built": built_digest(cells)}}
    made = nbformat.from_dict({"nbformat": 4, "nbformat_minor": MINOR, "metadata": metadata, "cells": cells})
    nbformat.validate(made)
    return Built(problem.notebook, nbformat.writes(made) + "\n")


def _cells(cell: Any, sources: Sources) -> Iterator[dict[str, Any]]:
    """One cell of the source as the cells it becomes: {{ solve … }} on a line of its own is a code cell."""
    metadata = {key: cell.metadata[key] for key in KEPT_METADATA if key in cell.metadata}
    if cell.cell_type == "code":
        yield _code(cell.source, metadata)
        return
    end = 0
    for match in SOLVE.finditer(cell.source):
        yield from _markdown(cell.source[end : match.start()], metadata, sources)
        try:
            source = solve_cell(match[1].split(), sources.problem.number, sources.stub)
        except Unfillable as error:
            raise Unfillable(f"{match[0]}: {error}") from None
        yield _code(source, {"tags": ["solve"]})
        end = match.end()
    yield from _markdown(cell.source[end:], metadata, sources)


def _code(source: str, metadata: dict[str, Any]) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "source": source,
        "metadata": metadata,
        "execution_count": None,
        "outputs": [],
    }


def _markdown(text: str, metadata: dict[str, Any], sources: Sources) -> Iterator[dict[str, Any]]:
    filled = fill(text, sources).strip("\n")
    if filled.strip():
        yield {"cell_type": "markdown", "source": filled, "metadata": metadata}


def faults(problem: Problem) -> Iterator[str]:
    """What is wrong with the committed files of a lesson beside being stale."""
    name = problem.relative(problem.notebook)
    for path in (problem.lesson, problem.recipe, problem.notebook):
        if not path.is_file():
            yield f"{problem.relative(path)} is missing: write the lesson, then run `workbook build`."
            return
    if edited(problem.notebook):
        yield f"{name}: it is edited: write in {problem.lesson.name}, remove the notebook, run `workbook build`."
        return
    for number, cell in enumerate(json.loads(read(problem, problem.notebook))["cells"], 1):
        if cell.get("outputs") or cell.get("execution_count") is not None:
            yield f"{name}: cell {number} has an output or a number of a run: run `workbook build`, which leaves them out."
        paths = MACHINE_PATH.findall(source_of(cell))
        if paths:
            yield f"{problem.lesson.name}: it names a path of one machine ({paths[0]}…): make it relative."


def _line(text: str, error: str) -> str:
    """Where the placeholder that an error begins with stands."""
    placeholder = error[: error.index("}}") + 2]
    place = text.find(placeholder)
    return f", line {text.count(chr(10), 0, place) + 1}" if place >= 0 else ""
