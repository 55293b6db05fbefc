"""The files of a release that are made from the workbook's own: README, Makefile, pyproject.toml.

What lies between two lines that hold "for authors: begin" and "for authors: end", in whatever comment, is left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from workbook.errors import BrokenWorkbook

BEGIN, END = "for authors: begin", "for authors: end"
SOLUTION_LINE = re.compile(r"^workbook solution .*\n", re.MULTILINE)


def for_learners(text: str, filename: str) -> str:
    """A text without the parts for authors. Raises BrokenWorkbook where a part is nested, unclosed or never begun."""
    kept: list[str] = []
    start = 0
    for number, line in enumerate(text.splitlines(), 1):
        if BEGIN in line:
            if start:
                raise BrokenWorkbook(
                    f"{filename}, line {number}: a part for authors begins inside that of line {start}."
                )
            start = number
        elif END in line:
            if not start:
                raise BrokenWorkbook(f"{filename}, line {number}: a part for authors ends that never began.")
            start = 0
        elif not start:
            kept.append(line)
    if start:
        raise BrokenWorkbook(f"{filename}, line {start}: this part for authors is never closed.")
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip() + "\n"


def readme(text: str, hidden: Mapping[int, int]) -> str:
    """The learner's README: what the workbook's own says to learners, and what is particular to a released copy.

    Args:
        text: the workbook's README.md.
        hidden: the number of hidden checks of each problem, by its number.
    """
    lines = [
        "## This copy",
        "",
        "It grades on your machine, without a network, and holds no solutions. The folder `keys` has recorded answers to",
        "the checks' questions, which the grader compares yours with; `graders` has the checks themselves. Leave both as",
        "they are: a check that was edited, or does not fit its key, is not graded. When your instructor hands out a newer",
        "release, `workbook update PATH` brings it into this copy and keeps what you wrote.",
    ]
    held = {number: count for number, count in hidden.items() if count}
    if held:
        which = ", ".join(f"{count} for problem {number}" for number, count in sorted(held.items()))
        lines += ["", f"Your instructor grades further checks that are not in this copy: {which}."]
    start = SOLUTION_LINE.sub("", for_learners(text, "README.md"))
    return start + "\n" + "\n".join(lines) + "\n"
