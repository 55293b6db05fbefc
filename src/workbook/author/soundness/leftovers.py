"""What is left of the template of `workbook new` in a problem that has become another one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbook.author import new
from workbook.content.problem import Problem
from workbook.content.reading import read
from workbook.content.regions import regions

# The template's lines that are about its running total; the others may stay as they are.
TELLING = re.compile(r"\btotals?\b|\bsum\b|\by \+ x\b", re.IGNORECASE)


def leftovers(problem: Problem) -> Iterator[str]:
    """Lines that still speak of the template's problem, with file and line. None while the solution is the template's."""
    made = new.template(problem.number, problem.slug)
    solution = problem.relative(problem.solution)
    if _written(read(problem, problem.solution), solution) == _written(made[solution], solution):
        return
    for name, template in made.items():
        path = problem.root / name
        if not path.is_file():
            continue
        telling = _telling(name, _given(template, name))
        for number, line in enumerate(read(problem, path).splitlines(), 1):
            if line.strip() in telling:
                yield f"{name}, line {number}: it is the template's: {line.strip()}: say it of this problem."


def _telling(name: str, lines: set[str]) -> set[str]:
    hints = {line for line in lines if name.endswith(".toml") and line.startswith('"')}
    return {line for line in lines if TELLING.search(line) and not line.startswith("#")} | hints


def _given(text: str, name: str) -> set[str]:
    """The lines outside of solution regions."""
    inside = {line for region in regions(text, name) for line in range(region.begin, region.end + 1)}
    return {line.strip() for number, line in enumerate(text.splitlines(), 1) if number not in inside}


def _written(text: str, name: str) -> list[str]:
    """What the solution regions say, without white space."""
    return ["".join("".join(region.lines).split()) for region in regions(text, name)]
