"""The regions of a solution: what a learner is to write stands between "# BEGIN SOLUTION" and "# END SOLUTION"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from workbook.errors import BrokenWorkbook

BEGIN = re.compile(r"^(\s*)# BEGIN SOLUTION\s*$")
END = re.compile(r"^\s*# END SOLUTION\s*$")


@dataclass(frozen=True)
class Region:
    """One region: the numbers of the lines of its two marks, from 1, the lines between, and the marks' indent."""

    begin: int
    end: int
    lines: tuple[str, ...]
    indent: str


def regions(source: str, name: str) -> tuple[Region, ...]:
    """The regions of a text that messages call `name`, in order.

    Raises BrokenWorkbook for a region that is unclosed, nested or closed twice, and for a mark beside something else.
    """
    lines = source.splitlines()
    found: list[Region] = []
    start, indent = 0, ""
    for number, line in enumerate(lines, 1):
        begins = BEGIN.match(line)
        if begins and start:
            raise BrokenWorkbook(f"{name}, line {number}: a solution region begins inside the one of line {start}.")
        if begins:
            start, indent = number, begins[1]
        elif END.match(line):
            if not start:
                raise BrokenWorkbook(f"{name}, line {number}: a solution region ends that never began.")
            found.append(Region(start, number, tuple(lines[start : number - 1]), indent))
            start = 0
        elif not start and ("BEGIN SOLUTION" in line or "END SOLUTION" in line):
            raise BrokenWorkbook(f"{name}, line {number}: a region mark stands alone on its line as a comment.")
    if start:
        raise BrokenWorkbook(f"{name}, line {start}: this solution region is never closed.")
    return tuple(found)


def without_marks(source: str) -> str:
    """The text with its regions as they are, and no line that marks one."""
    return "\n".join(line for line in source.splitlines() if not BEGIN.match(line) and not END.match(line))
