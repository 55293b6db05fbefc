"""The files of a release that are made from the workbook's own: README.md and pyproject.toml."""

from __future__ import annotations

import re
from collections.abc import Mapping

# Tables of pyproject.toml that only who works on the workbook needs, with those below them.
AUTHORS_TABLES = ("project.optional-dependencies", "tool.pytest", "tool.ruff", "tool.mypy")
END_OF_README = "<!-- A released copy's README ends here. -->"
SOLUTION_LINE = re.compile(r"^workbook solution .*\n", re.MULTILINE)
HEADER = re.compile(r"^\[+([\w.-]+)", re.MULTILINE)


def settings(text: str) -> str:
    """pyproject.toml without the tables for authors."""
    starts = [match.start() for match in HEADER.finditer(text)]
    kept = text[: starts[0]] if starts else text
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        table = text[start:end]
        name = str(HEADER.match(table)[1])  # type: ignore[index]
        if not any(f"{name}.".startswith(f"{left_out}.") for left_out in AUTHORS_TABLES):
            kept += table
    return kept.rstrip() + "\n"


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
    start = SOLUTION_LINE.sub("", text.partition(END_OF_README)[0])
    return start.rstrip() + "\n\n" + "\n".join(lines) + "\n"
