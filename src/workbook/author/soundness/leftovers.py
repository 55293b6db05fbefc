"""What is left of the template of `workbook new` in a problem that has become another one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbook.author import new
from workbook.content.problem import Problem
from workbook.content.reading import read

# The template's lines that are about its running total; the others may stay as they are.
TELLING = re.compile(r"\btotals?\b|\bsum\b|\by \+ x\b", re.IGNORECASE)
REGION = re.compile(r"# BEGIN SOLUTION\n(.*?)# END SOLUTION", re.DOTALL)


def leftovers(problem: Problem) -> Iterator[str]:
    """Lines that still speak of the template's problem, with file and line. None while the solution is the template's."""
    made = new.texts(problem.number, problem.slug)
    if _regions(read(problem, problem.solution)) == _regions(made[problem.relative(problem.solution)]):
        return
    for name, template in made.items():
        path = problem.root / name
        if not path.is_file():
            continue
        telling = _telling(name, REGION.sub("", template))
        for number, line in enumerate(read(problem, path).splitlines(), 1):
            if line.strip() in telling:
                yield f"{name}, line {number}: it is the template's: {line.strip()}: say it of this problem."


def _telling(name: str, template: str) -> set[str]:
    lines = {line.strip() for line in template.splitlines()}
    hints = {line for line in lines if name.endswith(".toml") and line.startswith('"')}
    return {line for line in lines if TELLING.search(line) and not line.startswith("#")} | hints


def _regions(text: str) -> list[str]:
    return ["".join(region.split()) for region in REGION.findall(text)]
